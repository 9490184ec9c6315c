//! A directory that a newer version of this program wrote: where this one cannot go on with it, it is refused by name and left as it
//! is.

use super::{clock, opened};
use crate::open;
use domain::CampaignId;
use domain::campaign::{Campaign, PlannerRef};
use domain::storage::StorageError;
use domain::storage::log::{NewRecord, Topic};
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};
use sqlx::{AssertSqlSafe, Row as _};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The number of a schema that this program does not know.
const NEWER: &str = "9000";

/// A directory with a campaign and a record in it, whose database has the newer schema.
async fn written_by_a_newer_version(migration: &str) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let store = opened(directory.path()).await;
    let campaign = Campaign::new(CampaignId::new("run"), PlannerRef::named("ground"));
    store.jobs.create(&campaign, clock().wall()).await.unwrap();
    let record = NewRecord { key: "run/a".into(), record: vec![7; 100], trace_parent: String::new() };
    store.log.append(Topic::Outcomes, record).await.unwrap();
    store.close().await;
    let file = directory.path().join("rutter.sqlite");
    let database = database(&file).await;
    let migration = format!(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9000, '{migration}', true, x'00', 0)"
    );
    sqlx::query(AssertSqlSafe(migration)).execute(&database).await.unwrap();
    // What the newer version added.
    sqlx::query("ALTER TABLE queue_campaigns ADD COLUMN added TEXT NOT NULL DEFAULT ''")
        .execute(&database)
        .await
        .unwrap();
    let settings = "UPDATE queue_campaigns SET settings = json_set(settings, '$.added', 'by a newer version')";
    sqlx::query(settings).execute(&database).await.unwrap();
    database.close().await;
    (directory, file)
}

async fn database(file: &Path) -> SqlitePool {
    SqlitePool::connect_with(SqliteConnectOptions::new().filename(file)).await.unwrap()
}

/// The rows of every table, as text.
async fn rows(file: &Path) -> BTreeMap<String, Vec<String>> {
    const TABLES: &str = "SELECT name, (SELECT group_concat('quote(\"' || name || '\")', ' || '', '' || ')
                              FROM pragma_table_info(tables.name))
                          FROM sqlite_schema AS tables WHERE type = 'table' ORDER BY name";
    let database = database(file).await;
    let mut all = BTreeMap::new();
    for table in sqlx::query(TABLES).fetch_all(&database).await.unwrap() {
        let (name, columns): (String, String) = (table.get(0), table.get(1));
        let rows = format!("SELECT {columns} FROM \"{name}\" ORDER BY 1");
        let rows = sqlx::query(AssertSqlSafe(rows)).fetch_all(&database).await.unwrap();
        all.insert(name, rows.iter().map(|row| row.get(0)).collect());
    }
    database.close().await;
    all
}

#[tokio::test]
async fn an_embedded_database_of_a_newer_version_is_refused_by_name_and_left_as_it_is() {
    let (directory, file) = written_by_a_newer_version("from the future").await;
    let before = rows(&file).await;
    for table in ["log", "queue_campaigns", "_sqlx_migrations"] {
        assert!(before.get(table).is_some_and(|rows| !rows.is_empty()), "`{table}` holds nothing that could be lost");
    }
    // The second time as the first: whoever was refused holds the directory no more.
    for _ in 0..2 {
        let Err(error) = open(directory.path()).await else { panic!("it was opened") };
        assert!(matches!(&error, StorageError::Corrupt(_)), "{error}");
        for part in [&file.display().to_string(), NEWER, "newer version"] {
            assert!(error.to_string().contains(part), "{part}: {error}");
        }
    }
    assert_eq!(rows(&file).await, before);
}

#[tokio::test]
async fn whoever_meets_an_embedded_database_of_a_newer_version_is_told_to_update() {
    let (directory, _) = written_by_a_newer_version("from the future").await;
    let Err(error) = open(directory.path()).await else { panic!("it was opened") };
    assert!(error.to_string().contains("update this program"), "{error}");
}

#[tokio::test]
async fn what_a_newer_version_only_added_is_gone_on_with_and_left_as_it_is() {
    let (directory, file) = written_by_a_newer_version("expand the future").await;
    let before = rows(&file).await;
    let store = opened(directory.path()).await;
    let standings = store.jobs.campaigns(None, clock().wall()).await.unwrap();
    assert_eq!(standings.iter().map(|standing| standing.campaign.id.as_str()).collect::<Vec<_>>(), ["run"]);
    store.close().await;
    assert_eq!(rows(&file).await["queue_campaigns"], before["queue_campaigns"]);
}
