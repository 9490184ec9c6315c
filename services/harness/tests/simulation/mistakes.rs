//! Stores that break a contract on purpose: the simulation must find each of them.

use async_trait::async_trait;
use backends::blob::BlobMemory;
use backends::queue::MemoryJobs;
use backends::results::MemoryResults;
use domain::campaign::{Campaign, Closing, Quarantined, Rate, Ticket, Wish};
use domain::job::Outcome;
use domain::ledger::{After, PageVisit, Totals};
use domain::service::QuarantineVerdict;
use domain::stage::NextStage;
use domain::storage::jobs::{CampaignStanding, Claimed, Decoded, JobStore, Lane, Pick, Retry, Submission};
use domain::storage::log::{LogRecord, Offsets, Topic};
use domain::storage::results::{ResultStore, StepCost};
use domain::storage::shared::{Permission, RateLimit};
use domain::storage::{BlobStore, StorageError};
use domain::{BlobRef, CampaignId, Fence, Job, JobId};
use harness::simulation::{Column, Kind, Options, SimulatedClock, run};
use parking_lot::Mutex;
use platform::clock::Clock;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

/// What the first seed finds that finds anything. Its report says how to play it again, and that finds the same.
fn found(column: fn(&SimulatedClock) -> Column, kind: Kind) -> Vec<String> {
    let play = |seed| run(&Options { column, ..Options::new(seed, [kind]) });
    let Some(report) = (0..100).map(play).find(|report| !report.violations.is_empty()) else { return Vec::new() };
    let how = format!("--seed {} --faults {}", report.seed, kind.as_str());
    assert!(report.to_string().contains(&how), "{report}");
    let again = play(report.seed);
    assert_eq!((again.violations, again.digest), (report.violations.clone(), report.digest));
    report.violations
}

fn names(violations: &[String], what: &str) -> bool {
    violations.iter().any(|violation| violation.contains(what))
}

#[test]
fn an_offset_that_is_stored_before_its_effect_is_found() {
    let column: fn(&SimulatedClock) -> Column =
        |clock| Column { results: Arc::new(OffsetFirst(MemoryResults::default())), ..Column::sound(clock) };
    let violations = found(column, Kind::Crash);
    assert!(names(&violations, "the ledger on "), "{violations:#?}");
}

/// Stores offsets, and the effects of the records a little later: whoever dies in between has lost them.
struct OffsetFirst(MemoryResults);

/// The group that effects are stored under, so that the offsets do not hold them up.
const LATER: &str = "later";

fn nothing<T>(records: &[Decoded<T>]) -> Vec<Decoded<T>> {
    records.iter().map(|record| Decoded { from: record.from.clone(), says: None }).collect()
}

#[async_trait]
impl Offsets for OffsetFirst {
    async fn offsets(&self, group: &str, topic: Topic) -> Result<BTreeMap<u32, u64>, StorageError> {
        self.0.offsets(group, topic).await
    }
}

#[async_trait]
impl ResultStore for OffsetFirst {
    async fn close(&self, group: &str, records: &[Decoded<Closing>]) -> Result<(), StorageError> {
        self.0.close(group, &nothing(records)).await?;
        tokio::time::sleep(Duration::from_millis(20)).await;
        self.0.close(LATER, records).await
    }

    async fn spend(&self, group: &str, records: &[Decoded<StepCost>]) -> Result<(), StorageError> {
        self.0.spend(group, records).await
    }

    async fn keep_visits(&self, group: &str, records: &[Decoded<PageVisit>]) -> Result<(), StorageError> {
        self.0.keep_visits(group, records).await
    }

    async fn visits(
        &self,
        campaign: &CampaignId,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<PageVisit>, StorageError> {
        self.0.visits(campaign, after, limit).await
    }

    async fn totals(&self, campaign: &CampaignId) -> Result<Totals, StorageError> {
        self.0.totals(campaign).await
    }

    async fn outcomes(&self, campaign: &CampaignId, after: After, limit: usize) -> Result<Vec<Outcome>, StorageError> {
        self.0.outcomes(campaign, after, limit).await
    }
}

#[test]
fn a_claim_without_a_new_fence_is_found() {
    let column: fn(&SimulatedClock) -> Column =
        |clock| Column { jobs: Arc::new(SameFence(MemoryJobs::default())), ..Column::sound(clock) };
    let violations = found(column, Kind::Browser);
    assert!(names(&violations, "was given twice"), "{violations:#?}");
}

/// Gives every claim of a job the same fence.
struct SameFence(MemoryJobs);

#[async_trait]
impl Offsets for SameFence {
    async fn offsets(&self, group: &str, topic: Topic) -> Result<BTreeMap<u32, u64>, StorageError> {
        self.0.offsets(group, topic).await
    }
}

#[async_trait]
impl JobStore for SameFence {
    async fn create(&self, campaign: &Campaign, now: SystemTime) -> Result<bool, StorageError> {
        self.0.create(campaign, now).await
    }

    async fn submit(&self, jobs: &[Submission], now: SystemTime) -> Result<u64, StorageError> {
        self.0.submit(jobs, now).await
    }

    async fn demand(&self, now: SystemTime) -> Result<Vec<Lane>, StorageError> {
        self.0.demand(now).await
    }

    async fn claim(
        &self,
        picks: &[Pick],
        crawler: &str,
        now: SystemTime,
        lease: Duration,
    ) -> Result<Vec<Claimed>, StorageError> {
        let claimed = self.0.claim(picks, crawler, now, lease).await?;
        Ok(claimed.into_iter().map(|claimed| Claimed { fence: Fence(1), ..claimed }).collect())
    }

    async fn renew(&self, tickets: &[Ticket], now: SystemTime, lease: Duration) -> Result<Vec<Ticket>, StorageError> {
        self.0.renew(tickets, now, lease).await
    }

    async fn release(&self, tickets: &[Ticket]) -> Result<(), StorageError> {
        self.0.release(tickets).await
    }

    async fn expire(&self, now: SystemTime, retry: &Retry) -> Result<u64, StorageError> {
        self.0.expire(now, retry).await
    }

    async fn wish(&self, campaign: &CampaignId, wish: Wish) -> Result<(), StorageError> {
        self.0.wish(campaign, wish).await
    }

    async fn apply(
        &self,
        group: &str,
        records: &[Decoded<Closing>],
        now: SystemTime,
        retry: &Retry,
        stages: &dyn NextStage,
    ) -> Result<(), StorageError> {
        self.0.apply(group, records, now, retry, stages).await
    }

    async fn ingest(
        &self,
        group: &str,
        records: &[Decoded<Submission>],
        now: SystemTime,
    ) -> Result<Vec<(LogRecord, String)>, StorageError> {
        self.0.ingest(group, records, now).await
    }

    async fn campaigns(
        &self,
        only: Option<&CampaignId>,
        now: SystemTime,
    ) -> Result<Vec<CampaignStanding>, StorageError> {
        self.0.campaigns(only, now).await
    }

    async fn jobs(&self, campaign: &CampaignId, skip: u64, limit: usize) -> Result<Vec<Job>, StorageError> {
        self.0.jobs(campaign, skip, limit).await
    }

    async fn quarantined(&self, campaign: &CampaignId) -> Result<Vec<Quarantined>, StorageError> {
        self.0.quarantined(campaign).await
    }

    async fn settle(
        &self,
        campaign: &CampaignId,
        jobs: &[JobId],
        verdict: QuarantineVerdict,
    ) -> Result<u64, StorageError> {
        self.0.settle(campaign, jobs, verdict).await
    }

    async fn outbox(&self, limit: usize) -> Result<Vec<(u64, Closing)>, StorageError> {
        self.0.outbox(limit).await
    }

    async fn sent(&self, numbers: &[u64]) -> Result<(), StorageError> {
        self.0.sent(numbers).await
    }
}

#[test]
fn a_limiter_that_starts_full_is_found() {
    let column: fn(&SimulatedClock) -> Column = |clock| {
        let limiter = Arc::new(StartsFull { clock: clock.clone(), buckets: Mutex::default() });
        let emptied = Arc::clone(&limiter);
        let empty = Arc::new(move || emptied.buckets.lock().clear());
        Column { limiter, empty, ..Column::sound(clock) }
    };
    let violations = found(column, Kind::Empty);
    assert!(names(&violations, "host slow.test was visited"), "{violations:#?}");
}

#[test]
fn an_attempt_that_panics_is_found_though_it_is_tried_again() {
    let column: fn(&SimulatedClock) -> Column =
        |clock| Column { blobs: Arc::new(PanicsOnce::default()), ..Column::sound(clock) };
    let violations = found(column, Kind::Delay);
    assert!(violations.len() == 1 && names(&violations, "the first content panics"), "{violations:#?}");
}

/// Panics when it stores its first content.
#[derive(Default)]
struct PanicsOnce {
    blobs: BlobMemory,
    has_panicked: AtomicBool,
}

#[async_trait]
impl BlobStore for PanicsOnce {
    async fn put(&self, content: &[u8]) -> Result<BlobRef, StorageError> {
        assert!(self.has_panicked.swap(true, Ordering::Relaxed), "the first content panics");
        self.blobs.put(content).await
    }

    async fn get(&self, blob: &BlobRef) -> Result<Option<Vec<u8>>, StorageError> {
        self.blobs.get(blob).await
    }
}

/// A token bucket whose hosts begin with a whole burst: emptied, it gives the burst again.
struct StartsFull {
    clock: SimulatedClock,
    /// Permissions that have gathered, and when that was.
    buckets: Mutex<BTreeMap<String, (f64, Duration)>>,
}

#[async_trait]
impl RateLimit for StartsFull {
    async fn take(&self, host: &str, rate: Rate) -> Result<Permission, StorageError> {
        let (now, burst) = (self.clock.monotonic(), f64::from(rate.burst));
        let mut buckets = self.buckets.lock();
        let (tokens, at) = buckets.entry(host.to_owned()).or_insert((burst, now));
        *tokens = burst.min(*tokens + (now - *at).as_secs_f64() * rate.per_second);
        *at = now;
        if *tokens < 1.0 {
            return Ok(Permission::After(Duration::from_secs_f64((1.0 - *tokens) / rate.per_second)));
        }
        *tokens -= 1.0;
        Ok(Permission::Now)
    }

    async fn wait(&self, _: &str, _: Rate) -> Result<Duration, StorageError> {
        Ok(Duration::ZERO)
    }
}
