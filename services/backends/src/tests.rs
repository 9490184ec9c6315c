//! The suites on both columns, and what is particular to the embedded one: its lock, and what survives a kill.

mod full;

use crate::{Embedded, blob, in_memory, jobs, log, open};
use domain::job::{BenchmarkTask, Work};
use domain::storage::{EventLog, StorageError, Topic, log as events};
use domain::{CampaignId, EpisodeId, Fence, Job, JobId, TaskId, Usage};
use platform::clock::{Clock, SystemClock};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;
use uuid::Uuid;

fn clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock::default())
}

async fn opened(directory: &Path) -> Embedded {
    open(directory, clock()).await.expect("open the store")
}

/// Fresh stores in directories that live as long as this.
#[derive(Default)]
struct Directories(Mutex<Vec<TempDir>>);

impl Directories {
    async fn fresh(&self) -> Embedded {
        let directory = tempfile::tempdir().unwrap();
        let store = opened(directory.path()).await;
        self.0.lock().unwrap().push(directory);
        store
    }
}

#[tokio::test]
async fn the_embedded_column_passes_every_suite() {
    let fresh = Directories::default();
    assert_eq!(log::old_suite::run(|| async { fresh.fresh().await.log }).await, 5);
    assert_eq!(log::suite::run(|| async { fresh.fresh().await.events }).await, 15);
    assert_eq!(jobs::suite::run(|| async { fresh.fresh().await.jobs }).await, 12);
    assert_eq!(blob::suite::run(|| async { fresh.fresh().await.blobs }).await, 5);
}

#[tokio::test]
async fn the_column_in_memory_passes_every_suite() {
    let fresh = || async { in_memory(clock()).await.unwrap() };
    assert_eq!(log::old_suite::run(|| async { fresh().await.log }).await, 5);
    assert_eq!(log::suite::run(|| async { fresh().await.events }).await, 15);
    for partitions in [1, 4] {
        let fresh = || async move { Arc::new(log::MemoryLog::new(partitions)) as Arc<dyn events::EventLog> };
        assert_eq!(log::suite::run(fresh).await, 15);
    }
    assert_eq!(jobs::suite::run(|| async { fresh().await.jobs }).await, 12);
    assert_eq!(blob::suite::run(|| async { fresh().await.blobs }).await, 5);
}

#[tokio::test]
async fn a_directory_belongs_to_one_process_and_the_second_is_told_to_whom() {
    let directory = tempfile::tempdir().unwrap();
    let first = opened(directory.path()).await;
    let Err(StorageError::Locked(message)) = open(directory.path(), clock()).await else {
        panic!("the directory was opened twice")
    };
    assert!(message.contains(&format!("process {}", std::process::id())), "{message}");
    assert!(message.contains(&directory.path().display().to_string()), "{message}");
    drop(first);
    opened(directory.path()).await;
}

#[tokio::test]
async fn a_directory_that_cannot_be_made_is_named() {
    let Err(error) = open(Path::new("/proc/no-such/directory"), clock()).await else { panic!("opened /proc") };
    assert!(error.to_string().contains("/proc/no-such/directory"), "{error}");
}

fn job(id: &str) -> Job {
    let task = BenchmarkTask { benchmark: "suite".into(), task: TaskId::new(id), seed: 1, relaxed: false };
    Job { id: JobId::new(id), campaign: CampaignId::new("run"), work: Work::Benchmark(task) }
}

#[tokio::test]
async fn leases_of_a_process_that_is_gone_do_not_hold_back_the_next() {
    let directory = tempfile::tempdir().unwrap();
    let campaign = CampaignId::new("run");
    let day = Duration::from_secs(24 * 3600);
    let store = opened(directory.path()).await;
    store.jobs.submit(&[job("a")]).await.unwrap();
    assert_eq!(store.jobs.claim(&campaign, 1, clock().wall(), day).await.unwrap().len(), 1);
    drop(store);
    let store = opened(directory.path()).await;
    let claims = store.jobs.claim(&campaign, 1, clock().wall(), day).await.unwrap();
    assert_eq!(claims.iter().map(|claim| claim.fence).collect::<Vec<_>>(), [Fence(2)]);
}

#[tokio::test]
async fn a_half_written_blob_of_a_dead_process_is_removed_and_never_read() {
    let directory = tempfile::tempdir().unwrap();
    drop(opened(directory.path()).await);
    let left = directory.path().join("blobs/unfinished/left");
    std::fs::write(&left, b"half").unwrap();
    opened(directory.path()).await;
    assert!(!left.exists());
}

/// The variable by which the test below starts this one as a process of its own.
const CHILD: &str = "BACKENDS_CHILD_DIRECTORY";

/// Not a test by itself: appends until it is killed, and says so after each acknowledgement.
#[tokio::test]
async fn child_that_appends_until_it_is_killed() {
    let Some(directory) = std::env::var_os(CHILD) else { return };
    let store = opened(Path::new(&directory)).await;
    for number in 0u64.. {
        let offset = store.log.append(Topic::Trajectories, "a", &number.to_le_bytes()).await.unwrap();
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
    let records = store.log.read(Topic::Trajectories, 0, 10_000).await.unwrap();
    for (offset, blob) in acknowledged {
        let record = records.iter().find(|record| record.offset == offset).expect("an acknowledged record is lost");
        assert_eq!(record.record, offset.to_le_bytes());
        assert!(store.blobs.get(&domain::BlobRef(blob)).await.unwrap().is_some(), "an acknowledged blob is lost");
    }
}

#[tokio::test]
async fn an_outcome_is_in_the_log_exactly_when_its_job_is_closed() {
    let directory = tempfile::tempdir().unwrap();
    let store = opened(directory.path()).await;
    let log: Arc<dyn EventLog> = Arc::clone(&store.log);
    store.jobs.submit(&[job("a"), job("b")]).await.unwrap();
    let outcome = outcome("a");
    assert!(store.jobs.complete(&outcome).await.unwrap());
    assert!(!store.jobs.complete(&outcome).await.unwrap());
    let records = log.read(Topic::Outcomes, 0, 10).await.unwrap();
    assert_eq!(records.len(), 1, "the second outcome is not in the log");
    let proto::Record::Closing(logged) = proto::decode(&records[0].record).unwrap().record else {
        panic!("no outcome")
    };
    assert_eq!(*logged, domain::campaign::Closing::Judged(Box::new(outcome)));
}

fn outcome(id: &str) -> domain::job::Outcome {
    domain::job::Outcome {
        job: JobId::new(id),
        campaign: CampaignId::new("run"),
        episode: EpisodeId(Uuid::from_u128(9)),
        fence: Fence(1),
        task: TaskId::new(id),
        site: domain::SiteId::new("suite"),
        planner: "ground".into(),
        verdict: domain::Verdict {
            kind: domain::verdict::VerdictKind::Unverified,
            reason: "no check".into(),
            evidence: Vec::new(),
        },
        ending: domain::Ending::EnvironmentOver,
        reward: None,
        steps: 0,
        usage: Usage::default(),
        wall_ms: 0.0,
        incidents: Vec::new(),
        trajectory: domain::BlobRef::new("0".repeat(64)),
    }
}
