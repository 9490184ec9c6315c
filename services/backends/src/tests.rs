//! The suites on both columns, and what is particular to the embedded one: its lock, and what survives a kill.

mod full;
mod newer;

use crate::{Embedded, blob, in_memory, log, open};
use domain::campaign::{Campaign, PlannerRef};
use domain::job::{BenchmarkTask, Work};
use domain::storage::StorageError;
use domain::storage::jobs::{Pick, Submission};
use domain::storage::log::{EventLog, NewRecord, Topic};
use domain::{CampaignId, Fence, Job, JobId, SiteId, TaskId};
use parking_lot::Mutex;
use platform::clock::{Clock, SystemClock};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

fn clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock::default())
}

async fn opened(directory: &Path) -> Embedded {
    open(directory).await.expect("open the store")
}

/// Fresh stores in directories that live as long as this.
#[derive(Default)]
struct Directories(Mutex<Vec<TempDir>>);

impl Directories {
    async fn fresh(&self) -> Embedded {
        let directory = tempfile::tempdir().unwrap();
        let store = opened(directory.path()).await;
        self.0.lock().push(directory);
        store
    }
}

#[tokio::test]
async fn the_embedded_column_passes_every_suite() {
    let fresh = Directories::default();
    assert_eq!(log::suite::run(|| async { fresh.fresh().await.log }).await, 16);
    assert_eq!(blob::suite::run(|| async { fresh.fresh().await.blobs }).await, 5);
}

#[tokio::test]
async fn the_column_in_memory_passes_every_suite() {
    let fresh = || async { in_memory().await.unwrap() };
    assert_eq!(log::suite::run(|| async { fresh().await.log }).await, 16);
    for partitions in [1, 4] {
        let fresh = || async move { Arc::new(log::MemoryLog::new(partitions)) as Arc<dyn EventLog> };
        assert_eq!(log::suite::run(fresh).await, 16);
    }
    assert_eq!(blob::suite::run(|| async { fresh().await.blobs }).await, 5);
}

#[tokio::test]
async fn a_directory_belongs_to_one_process_and_the_second_is_told_to_whom() {
    let directory = tempfile::tempdir().unwrap();
    let first = opened(directory.path()).await;
    let Err(StorageError::Locked(message)) = open(directory.path()).await else {
        panic!("the directory was opened twice")
    };
    assert!(message.contains(&format!("process {}", std::process::id())), "{message}");
    assert!(message.contains(&directory.path().display().to_string()), "{message}");
    drop(first);
    opened(directory.path()).await;
}

#[tokio::test]
async fn a_directory_that_cannot_be_made_is_named() {
    let Err(error) = open(Path::new("/proc/no-such/directory")).await else { panic!("opened /proc") };
    assert!(error.to_string().contains("/proc/no-such/directory"), "{error}");
}

#[tokio::test]
async fn leases_of_a_process_that_is_gone_do_not_hold_back_the_next() {
    let directory = tempfile::tempdir().unwrap();
    let (campaign, site, host) = (CampaignId::new("run"), SiteId::new("suite"), "suite".to_owned());
    let (now, day) = (clock().wall(), Duration::from_secs(24 * 3600));
    let task = BenchmarkTask { benchmark: "suite".into(), task: TaskId::new("a"), seed: 1, relaxed: false };
    let job = Job { id: JobId::new("a"), campaign: campaign.clone(), work: Work::Benchmark(task) };
    let submission = Submission { job, site: site.clone(), host: host.clone(), trace_parent: String::new() };
    let pick = [Pick { campaign: campaign.clone(), site, host, count: 1 }];
    let store = opened(directory.path()).await;
    store.jobs.create(&Campaign::new(campaign, PlannerRef::named("ground")), now).await.unwrap();
    store.jobs.submit(&[submission], now).await.unwrap();
    assert_eq!(store.jobs.claim(&pick, "first", now, day).await.unwrap().len(), 1);
    drop(store);
    let store = opened(directory.path()).await;
    let claims = store.jobs.claim(&pick, "second", now, day).await.unwrap();
    assert_eq!(claims.iter().map(|claim| claim.fence).collect::<Vec<_>>(), [Fence(2)]);
}

#[tokio::test]
async fn a_half_written_blob_of_a_dead_process_is_removed_and_never_read() {
    let directory = tempfile::tempdir().unwrap();
    drop(opened(directory.path()).await);
    let left = directory.path().join("blobs/unfinished/left");
    std::fs::write(&left, b"half").unwrap();
    let under_way = directory.path().join("blobs/unfinished/under-way");
    std::fs::write(&under_way, b"half").unwrap();
    let hours_ago = clock().wall() - Duration::from_secs(2 * 3600);
    std::fs::File::options().append(true).open(&left).unwrap().set_modified(hours_ago).unwrap();
    opened(directory.path()).await;
    assert!(!left.exists(), "what a dead process left stays");
    assert!(under_way.exists(), "what another process writes at this moment is taken from it");
}

/// The variable by which the test below starts this one as a process of its own.
const CHILD: &str = "BACKENDS_CHILD_DIRECTORY";

/// Not a test by itself: appends until it is killed, and says so after each acknowledgement.
#[tokio::test]
async fn child_that_appends_until_it_is_killed() {
    let Some(directory) = std::env::var_os(CHILD) else { return };
    let store = opened(Path::new(&directory)).await;
    for number in 0u64.. {
        let record = NewRecord { key: "a".into(), record: number.to_le_bytes().into(), trace_parent: String::new() };
        let offset = store.log.append(Topic::Trajectories, record).await.unwrap().offset;
        let blob = store.blobs.put(&number.to_le_bytes()).await.unwrap();
        println!("acknowledged {offset} {blob}");
        std::io::stdout().flush().unwrap();
    }
}

#[tokio::test]
async fn what_was_acknowledged_survives_kill_9() {
    let directory = tempfile::tempdir().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tests::child_that_appends_until_it_is_killed", "--nocapture"])
        .env(CHILD, directory.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut acknowledged = Vec::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        if let Some((offset, blob)) = line.strip_prefix("acknowledged ").and_then(|rest| rest.split_once(' ')) {
            acknowledged.push((offset.parse::<u64>().unwrap(), blob.to_owned()));
        }
        if acknowledged.len() == 100 {
            child.kill().unwrap();
            break;
        }
    }
    child.wait().unwrap();
    assert_eq!(acknowledged.len(), 100, "the child ended by itself");
    let store = opened(directory.path()).await;
    let records = store.log.read(Topic::Trajectories, 0, 0, 10_000).await.unwrap();
    for (offset, blob) in acknowledged {
        let record =
            records.iter().find(|record| record.place.offset == offset).expect("an acknowledged record is lost");
        assert_eq!(record.record, offset.to_le_bytes());
        assert!(store.blobs.get(&domain::BlobRef(blob)).await.unwrap().is_some(), "an acknowledged blob is lost");
    }
}
