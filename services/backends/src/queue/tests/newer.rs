//! Jobs that a newer version of this program wrote.

use crate::queue::suite::{campaign, pick, start, submission};
use crate::{Embedded, open};
use sqlx::AssertSqlSafe;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};
use std::time::Duration;

#[tokio::test]
async fn a_job_that_a_newer_version_wrote_is_left_to_it_and_holds_up_nobody() {
    const LEASE: Duration = Duration::from_secs(30);
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path()).await.unwrap();
    store.jobs.create(&campaign("run"), start()).await.unwrap();
    store.jobs.submit(&[submission("a"), submission("b")], start()).await.unwrap();
    store.close().await;
    let file = directory.path().join("rutter.sqlite");
    let write = async |kind: &str| {
        let database = SqlitePool::connect_with(SqliteConnectOptions::new().filename(&file)).await.unwrap();
        let job = format!("UPDATE queue SET job = json_set(job, '$.work.kind', '{kind}') WHERE id = 'a'");
        sqlx::query(AssertSqlSafe(job)).execute(&database).await.unwrap();
        database.close().await;
    };
    write("divination").await;
    let store = open(directory.path()).await.unwrap();
    let claim = async |store: &Embedded, at| {
        let claimed = store.jobs.claim(&[pick("run", "host", 9)], "crawler", at, LEASE).await.unwrap();
        claimed.into_iter().map(|claimed| claimed.job.id.0).collect::<Vec<_>>()
    };
    assert_eq!(claim(&store, start()).await, ["b"]);
    let standing = store.jobs.campaigns(None, start()).await.unwrap().remove(0);
    assert_eq!((standing.tally.waiting, standing.tally.running), (1, 1));
    assert_eq!(claim(&store, start() + LEASE).await, [""; 0]);
    store.close().await;
    write("benchmark").await;
    let store = open(directory.path()).await.unwrap();
    assert_eq!(claim(&store, start() + 2 * LEASE).await, ["b", "a"], "both: claims of a process that is gone end");
    store.close().await;
}
