//! The ledger's service, and the tasks that consume the log for it. An offset is stored with its effect by the store's
//! `close`, `spend` and `keep_visits`.

use crate::changed::Changed;
use async_trait::async_trait;
use backends::{Consumer, Journal, consumer};
use domain::CampaignId;
use domain::campaign::Closing;
use domain::job::Outcome;
use domain::ledger::{After, PageVisit, Totals};
use domain::service::{AggregatorService, Code, ServiceError};
use domain::storage::StorageError;
use domain::storage::jobs::Decoded;
use domain::storage::log::{EventLog, Offsets, Topic};
use domain::storage::results::{ResultStore, StepCost};
use platform::clock::Clock;
use platform::health::Health;
use platform::tasks::Tasks;
use std::sync::Arc;
use std::time::Duration;

/// The group of consumers that all instances belong to.
pub(crate) const GROUP: &str = "aggregator";

/// Outcomes, or pages that were seen, that are read at once at most.
const PAGE: usize = 1000;

/// How long what was written before may take to count, and how often it is looked whether it does.
const HEARD: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(20);

/// What the ledger works with.
#[derive(Clone)]
pub struct Dependencies {
    /// Where totals are.
    pub results: Arc<dyn ResultStore>,
    /// The event log.
    pub log: Arc<dyn EventLog>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Health of the process.
    pub health: Health,
}

/// The ledger over a store. Clones share it.
#[derive(Clone)]
pub struct Aggregator {
    pub(crate) results: Arc<dyn ResultStore>,
    journal: Journal,
    /// Campaigns that this instance read records of.
    pub(crate) changed: Changed,
}

/// Starts the ledger: its tasks end with the others of `tasks`.
pub fn start(dependencies: Dependencies, tasks: &Tasks) -> Aggregator {
    let Dependencies { results, log, clock, health } = dependencies;
    let journal = Journal::new(log.clone(), clock);
    let changed = Changed::default();
    let reader = |topic| {
        let offsets: Arc<dyn Offsets> = results.clone();
        Consumer { log: log.clone(), offsets, journal: journal.clone(), group: GROUP.to_owned(), topic }
    };

    let (outcomes, latch, store) = (reader(Topic::Outcomes), health.latch("ledger: outcomes"), results.clone());
    let noted = changed.clone();
    tasks.spawn("ledger outcomes", |shutdown| async move {
        let close = |records: Vec<Decoded<Closing>>| {
            let (store, noted) = (store.clone(), noted.clone());
            async move {
                store.close(GROUP, &records).await?;
                noted.note(records.iter().filter_map(|record| record.says.as_ref()).map(Closing::campaign));
                Ok(())
            }
        };
        outcomes.run(consumer::closing, close, &latch, &shutdown).await;
        Ok::<_, StorageError>(())
    });

    let (steps, latch, store) = (reader(Topic::Trajectories), health.latch("ledger: trajectories"), results.clone());
    let noted = changed.clone();
    tasks.spawn("ledger trajectories", |shutdown| async move {
        let spend = |records: Vec<Decoded<StepCost>>| {
            let (store, noted) = (store.clone(), noted.clone());
            async move {
                store.spend(GROUP, &records).await?;
                noted.note(records.iter().filter_map(|record| record.says.as_ref()).map(|spent| &spent.campaign));
                Ok(())
            }
        };
        steps.run(consumer::spent, spend, &latch, &shutdown).await;
        Ok::<_, StorageError>(())
    });

    let (visits, latch, store) = (reader(Topic::Visits), health.latch("ledger: visits"), results.clone());
    tasks.spawn("ledger visits", |shutdown| async move {
        let keep = |records: Vec<Decoded<PageVisit>>| {
            let store = store.clone();
            async move { store.keep_visits(GROUP, &records).await }
        };
        visits.run(consumer::visit, keep, &latch, &shutdown).await;
        Ok::<_, StorageError>(())
    });
    Aggregator { results, journal, changed }
}

impl Aggregator {
    /// Waits until every page counts that a campaign's explorations have seen by now.
    async fn hear_visits(&self, campaign: &CampaignId) -> Result<(), ServiceError> {
        let ahead = self.journal.ahead((GROUP, self.results.as_ref()), Topic::Visits, campaign).await?;
        let heard = async {
            loop {
                let stored = self.results.offsets(GROUP, Topic::Visits).await?;
                if ahead.iter().all(|(partition, end)| stored.get(partition).is_some_and(|next| next >= end)) {
                    return Ok(());
                }
                tokio::time::sleep(LOOK).await;
            }
        };
        tokio::time::timeout(HEARD, heard).await.unwrap_or_else(|_| {
            let cause = format!("read what explorations saw: it is not all counted after {} s", HEARD.as_secs());
            Err(ServiceError::new(Code::Deadline, cause))
        })
    }
}

/// Refuses a number of rows that is none, or too large.
fn check_limit(doing: &str, limit: usize) -> Result<(), ServiceError> {
    if (1..=PAGE).contains(&limit) {
        return Ok(());
    }
    let cause = format!("{doing}: limit is {limit}, at least 1 and at most {PAGE} are read at once");
    Err(ServiceError::new(Code::Invalid, cause))
}

#[async_trait]
impl AggregatorService for Aggregator {
    async fn totals(&self, campaign: &CampaignId) -> Result<Totals, ServiceError> {
        Ok(self.results.totals(campaign).await?)
    }

    async fn outcomes(&self, campaign: &CampaignId, after: After, limit: usize) -> Result<Vec<Outcome>, ServiceError> {
        check_limit("read outcomes", limit)?;
        Ok(self.results.outcomes(campaign, after, limit).await?)
    }

    async fn visits(
        &self,
        campaign: &CampaignId,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<PageVisit>, ServiceError> {
        check_limit("read what explorations saw", limit)?;
        if after.is_none() {
            self.hear_visits(campaign).await?;
        }
        Ok(self.results.visits(campaign, after, limit).await?)
    }
}
