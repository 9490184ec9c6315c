//! A Postgres database that becomes read-only under those who use it, as after a failover or by an administrator: every write
//! is refused by name, nothing is lost, and whoever was at work goes on once it can be written again.

use crate::consumer::{Consumer, closing};
use crate::journal::Journal;
use crate::log::MemoryLog;
use crate::postgres::{Postgres, open};
use crate::queue::suite::{Again, campaign, judged, pick, start, submission, ticket};
use crate::testing::{Server, database, on_database, server};
use domain::campaign::{Closing, Tally, Wish};
use domain::service::QuarantineVerdict;
use domain::state::{ActionKey, FrontierTicket, Opportunity, State, Version};
use domain::storage::StorageError;
use domain::storage::graph::{Changes, Merged};
use domain::storage::jobs::{Decoded, Pick, Retry, Submission};
use domain::storage::log::{EventLog, LogPosition, LogRecord, Offsets, Topic};
use domain::storage::results::StepCost;
use domain::{Action, CampaignId, EpisodeId, Fence, JobId, RunId, SiteId, StateId, Usage};
use platform::SystemClock;
use platform::health::Health;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const LEASE: Duration = Duration::from_secs(3600);
const GROUP: &str = "test";
const PATIENCE: Duration = Duration::from_secs(60);

/// A database whose sessions can be made read-only, those that are open too.
struct Database {
    url: String,
    name: String,
}

impl Database {
    async fn new() -> Self {
        let url = database().await;
        let name = url.rsplit_once('/').expect("a name").1.to_owned();
        Self { url, name }
    }

    async fn make_read_only(&self) {
        self.set("on").await;
    }

    async fn make_writable(&self) {
        self.set("off").await;
    }

    /// It holds for sessions that begin; so each that is open is ended, and its end waited for.
    async fn set(&self, state: &str) {
        let (server, name) = (server(Server::Postgres), &self.name);
        on_database(&server, &format!("ALTER DATABASE {name} SET default_transaction_read_only = {state}")).await;
        let end = format!("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{name}'");
        on_database(&server, &end).await;
    }
}

fn run() -> CampaignId {
    CampaignId::new("run")
}

fn submissions(ids: &[&str]) -> Vec<Submission> {
    ids.iter().map(|id| submission(id)).collect()
}

fn picks(count: usize) -> [Pick; 1] {
    [pick("run", "host", count)]
}

/// What a record at this offset says.
fn at<T>(topic: Topic, offset: u64, says: T) -> Decoded<T> {
    let (place, key) = (LogPosition { partition: 0, offset }, "key".to_owned());
    let from = LogRecord { topic, place, key, record: vec![1], trace_parent: String::new() };
    Decoded { from, says: Some(says) }
}

fn version() -> Version {
    Version { site: SiteId::new("shop"), run: RunId::new("run"), role: "guest".into() }
}

fn state(id: u64) -> State {
    let url = format!("http://shop/{id}");
    State {
        id: StateId(id),
        template: url.clone(),
        url,
        title: "a page".into(),
        summary: "a page".into(),
        forms: Vec::new(),
        fingerprint: vec![1],
        screenshot: None,
    }
}

/// What is seen of a site whose last change is the given one.
fn seen(known: u64, id: u64) -> Changes {
    let opportunities = vec![Opportunity { state: StateId(id), key: ActionKey(id), action: Action::Back }];
    Changes { known, states: vec![state(id)], opportunities, ..Changes::default() }
}

fn explored(fence: u64) -> FrontierTicket {
    FrontierTicket { version: version(), state: StateId(1), key: ActionKey(1), fence: Fence(fence) }
}

/// Stores in use: job `a` has been judged, `b` is under way, `c` waits; an action of the site's first state is being tried.
async fn in_use(database: &Database) -> Postgres {
    let stores = open(&database.url, 2).await.expect("open");
    let (jobs, results, maps) = (&stores.jobs, &stores.results, &stores.maps);
    jobs.create(&campaign("run"), start()).await.expect("create");
    assert_eq!(jobs.submit(&submissions(&["a", "b", "c"]), start()).await.expect("submit"), 3);
    assert_eq!(jobs.claim(&picks(2), "crawler", start(), LEASE).await.expect("claim").len(), 2);
    let first = [at(Topic::Outcomes, 0, judged("a", 1))];
    jobs.apply(GROUP, &first, start(), &Retry::default(), &Again).await.expect("close");
    results.close(GROUP, &first).await.expect("count");
    let merged = maps.merge(&version(), &seen(0, 1), start()).await.expect("merge");
    assert!(matches!(merged, Merged::Done { change: 1, .. }), "{merged:?}");
    let claimed =
        maps.claim(&version(), &[(StateId(1), ActionKey(1))], "crawler", start(), LEASE).await.expect("claim");
    assert_eq!(claimed, [explored(1)]);
    stores
}

/// Everything that can be seen of them.
async fn contents(stores: &Postgres) -> String {
    let (jobs, results, maps) = (&stores.jobs, &stores.results, &stores.maps);
    let site = version().site;
    let queue = (jobs.campaigns(None, start()).await, jobs.demand(start()).await, jobs.outbox(100).await);
    let ledger = (results.totals(&run()).await, results.outcomes(&run(), None, 100).await);
    let offsets = (jobs.offsets(GROUP, Topic::Outcomes).await, results.offsets(GROUP, Topic::Outcomes).await);
    let map = (maps.since(&site, 0).await, maps.versions(&site).await, maps.claimed(&site, start()).await);
    let all = format!("{queue:#?}\n{ledger:#?}\n{offsets:#?}\n{map:#?}");
    assert!(!all.contains("Err("), "what is there can be read: {all}");
    all
}

/// Tries everything that writes. Gives what each is called and how it was refused.
async fn refusals(stores: &Postgres) -> Vec<(&'static str, StorageError)> {
    let (jobs, results, maps, retry) = (&stores.jobs, &stores.results, &stores.maps, Retry::default());
    let outcome = [at(Topic::Outcomes, 1, judged("b", 1))];
    let spent = StepCost {
        campaign: run(),
        job: JobId::new("b"),
        episode: EpisodeId(Uuid::from_u128(1)),
        fence: Fence(1),
        step: 0,
        usage: Usage::default(),
    };
    let wanted = [(StateId(1), ActionKey(1))];
    let tried = [
        ("create a campaign", jobs.create(&campaign("other"), start()).await.map(drop)),
        ("submit jobs", jobs.submit(&submissions(&["d"]), start()).await.map(drop)),
        ("claim jobs", jobs.claim(&picks(1), "crawler", start(), LEASE).await.map(drop)),
        ("renew leases", jobs.renew(&[ticket("b", 1)], start(), LEASE).await.map(drop)),
        ("give claims back", jobs.release(&[ticket("b", 1)]).await),
        ("end leases that ran out", jobs.expire(start() + 2 * LEASE, &retry).await.map(drop)),
        ("change what is asked of a campaign", jobs.wish(&run(), Wish::Cancel).await),
        ("close jobs", jobs.apply(GROUP, &outcome, start(), &retry, &Again).await),
        ("take in submitted jobs", jobs.ingest(GROUP, &[at(Topic::Jobs, 0, submission("e"))], start()).await.map(drop)),
        (
            "take jobs out of quarantine",
            jobs.settle(&run(), &[JobId::new("c")], QuarantineVerdict::Drop).await.map(drop),
        ),
        ("take records off the outbox", jobs.sent(&[1]).await),
        ("count how jobs ended", results.close(GROUP, &outcome).await),
        ("count what steps cost", results.spend(GROUP, &[at(Topic::Trajectories, 0, spent)]).await),
        ("write the map of a site", maps.merge(&version(), &seen(1, 2), start()).await.map(drop)),
        ("claim what is to be explored", maps.claim(&version(), &wanted, "crawler", start(), LEASE).await.map(drop)),
        ("renew what is being explored", maps.renew(&[explored(1)], start(), LEASE).await.map(drop)),
        ("give back what was being explored", maps.release(&[explored(1)]).await),
    ];
    let refused = |(doing, tried): (_, Result<(), _>)| match tried {
        Ok(()) => panic!("{doing}: it was not refused"),
        Err(error) => (doing, error),
    };
    tried.into_iter().map(refused).collect()
}

#[tokio::test]
async fn while_a_postgres_database_is_read_only_every_write_is_refused_by_name_and_changes_nothing() {
    let database = Database::new().await;
    let stores = in_use(&database).await;
    let before = contents(&stores).await;
    database.make_read_only().await;
    for (doing, error) in refusals(&stores).await {
        let StorageError::Unavailable(cause) = &error else { panic!("{doing}: {error:?}") };
        assert!(cause.starts_with(doing) && cause.contains("read-only"), "{doing}: {cause}");
    }
    assert_eq!(contents(&stores).await, before);
    database.make_writable().await;
    assert_eq!(contents(&stores).await, before);
}

#[tokio::test]
async fn the_queue_on_a_postgres_database_that_was_read_only_goes_on_with_every_job_there_once() {
    let database = Database::new().await;
    let Postgres { jobs, .. } = &in_use(&database).await;
    database.make_read_only().await;
    jobs.submit(&submissions(&["d"]), start()).await.expect_err("it cannot be written");
    database.make_writable().await;

    assert_eq!(jobs.submit(&submissions(&["a", "b", "c", "d"]), start()).await.expect("submit"), 1, "only `d` is new");
    assert_eq!(jobs.renew(&[ticket("b", 1)], start(), LEASE).await.expect("renew"), [], "the claim on `b` still holds");
    let claimed = jobs.claim(&picks(9), "crawler", start(), LEASE).await.expect("claim");
    let claimed: Vec<_> = claimed.iter().map(|claim| (claim.job.id.as_str(), claim.fence)).collect();
    assert_eq!(claimed, [("c", Fence(1)), ("d", Fence(1))]);
    let rest: Vec<_> =
        (1..).zip(["b", "c", "d"]).map(|(offset, id)| at(Topic::Outcomes, offset, judged(id, 1))).collect();
    for _ in 0..2 {
        jobs.apply(GROUP, &rest, start(), &Retry::default(), &Again).await.expect("close");
    }
    let tally = jobs.campaigns(None, start()).await.expect("look").remove(0).tally;
    assert_eq!(tally, Tally { jobs: 4, judged: 4, ..Tally::default() });
}

#[tokio::test]
async fn a_map_on_a_postgres_database_that_was_read_only_goes_on_with_every_state_there_once() {
    let database = Database::new().await;
    let Postgres { maps, .. } = &in_use(&database).await;
    database.make_read_only().await;
    maps.merge(&version(), &seen(1, 2), start()).await.expect_err("it cannot be written");
    database.make_writable().await;

    let merged = maps.merge(&version(), &seen(1, 2), start()).await.expect("merge");
    assert!(matches!(merged, Merged::Done { change: 2, .. }), "{merged:?}");
    assert_eq!(maps.renew(&[explored(1)], start(), LEASE).await.expect("renew"), [], "the claim still holds");
    let known = maps.since(&version().site, 0).await.expect("read");
    assert_eq!(known.states.iter().map(|state| state.id).collect::<Vec<_>>(), [StateId(1), StateId(2)]);
}

/// A ledger with the consumer that counts into it, and the log that it reads.
struct Counting {
    stores: Postgres,
    journal: Journal,
    consumer: Consumer,
    health: Health,
}

impl Counting {
    async fn on(database: &Database) -> Self {
        let stores = open(&database.url, 4).await.expect("open");
        let log: Arc<dyn EventLog> = Arc::new(MemoryLog::new(4));
        let journal = Journal::new(log.clone(), Arc::new(SystemClock::default()));
        let offsets: Arc<dyn Offsets> = stores.results.clone();
        let (group, topic) = (GROUP.to_owned(), Topic::Outcomes);
        let consumer = Consumer { log, offsets, journal: journal.clone(), group, topic };
        Self { stores, journal, consumer, health: Health::default() }
    }

    /// Has it count while something else happens.
    async fn while_it_runs(&self, meanwhile: impl Future<Output = ()>) {
        let (latch, shutdown) = (self.health.latch("outcomes"), CancellationToken::new());
        let store = |records: Vec<Decoded<Closing>>| async move { self.stores.results.close(GROUP, &records).await };
        let script = async {
            tokio::time::timeout(PATIENCE, meanwhile).await.expect("it comes to pass");
            shutdown.cancel();
        };
        tokio::join!(self.consumer.run(closing, store, &latch, &shutdown), script);
    }

    async fn append(&self, jobs: std::ops::Range<u32>) {
        for number in jobs {
            self.journal.close(judged(&format!("{number:03}"), 1)).await.expect("append");
        }
    }

    async fn counted(&self) -> Vec<String> {
        let outcomes = self.stores.results.outcomes(&run(), None, 1000).await.expect("read");
        outcomes.into_iter().map(|outcome| outcome.job.0).collect()
    }

    async fn counts(&self, jobs: usize) {
        while self.counted().await.len() < jobs {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn says(&self, word: &str) {
        while !self.health.standing().waiting_for.join(" ").contains(word) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_consumer_on_a_postgres_database_that_was_read_only_goes_on_and_counts_every_record_once() {
    let database = Database::new().await;
    let counting = Counting::on(&database).await;
    let script = async {
        counting.append(0..20).await;
        counting.counts(20).await;
        database.make_read_only().await;
        counting.append(20..40).await;
        counting.says("read-only").await;
        assert_eq!(counting.counted().await.len(), 20, "what was counted can be read, and nothing else was");
        counting.append(40..60).await;
        database.make_writable().await;
        counting.counts(60).await;
        counting.health.ready().await;
    };
    Box::pin(counting.while_it_runs(script)).await;
    let all: Vec<String> = (0..60).map(|number| format!("{number:03}")).collect();
    assert_eq!(counting.counted().await, all);
    let totals = counting.stores.results.totals(&run()).await.expect("read");
    let counted: u64 = totals.cells.iter().flat_map(|(_, count)| count.verdicts.values()).sum();
    assert_eq!((counted, totals.redeliveries, totals.lost_attempts), (60, 0, 0));
}

#[tokio::test]
async fn whoever_is_refused_by_a_read_only_postgres_database_is_told_which_it_is_and_what_to_do() {
    let database = Database::new().await;
    let stores = in_use(&database).await;
    database.make_read_only().await;
    for (doing, error) in refusals(&stores).await {
        let cause = error.to_string();
        assert!(cause.contains(&database.name), "{doing}: it does not name the database: {cause}");
        assert!(cause.contains("writable"), "{doing}: it does not say that it must be made writable: {cause}");
    }
}

#[tokio::test]
async fn a_postgres_database_that_is_read_only_when_it_is_opened_is_named_and_opened_once_it_can_be_written() {
    let database = Database::new().await;
    let stores = in_use(&database).await;
    let before = contents(&stores).await;
    stores.close().await;
    database.make_read_only().await;
    if let Err(error) = open(&database.url, 2).await {
        for part in [&database.name, "read-only"] {
            assert!(error.to_string().contains(part), "{part}: {error}");
        }
    }
    database.make_writable().await;
    let stores = open(&database.url, 2).await.expect("open");
    assert_eq!(contents(&stores).await, before);
}

#[tokio::test]
async fn a_postgres_database_that_is_read_only_is_not_taken_for_one_of_a_newer_version() {
    let database = Database::new().await;
    open(&database.url, 2).await.expect("open").close().await;
    database.make_read_only().await;
    let Err(error) = open(&database.url, 2).await else { return };
    assert!(matches!(&error, StorageError::Unavailable(_)), "it is not damaged: {error:?}");
    assert!(!error.to_string().contains("newer version"), "{error}");
}
