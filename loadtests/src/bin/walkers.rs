//! Explores a made-up site through the service that keeps maps, with browsers that are none, and says afterwards whether the
//! map and its history have everything exactly once. Whatever happens to the service meanwhile.

#![expect(clippy::print_stdout, reason = "what it finds is its output")]

use anyhow::{Context, Result, bail};
use backends::log::{KafkaLog, KafkaOptions};
use clap::Parser;
use domain::observation::Stamp;
use domain::service::{Code, GraphService, ServiceError};
use domain::state::{Arrival, FrontierGrant, FrontierRequest, LocateRequest, Located};
use domain::storage::log::{EventLog as _, Topic};
use domain::{Effect, StateId};
use futures::StreamExt as _;
use loadtests::shop::Shop;
use parking_lot::{Mutex, MutexGuard};
use platform::rpc::{ClientOptions, connect};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// How long a walker waits before it asks again.
const PAUSE: Duration = Duration::from_millis(200);

/// How often it asks again: for two minutes.
const ROUNDS: usize = 600;

/// Looks at an empty frontier while something is leased: as long as a lease that nobody renews.
const EMPTY: usize = 400;

/// For how many pauses it may stay unknown which state of the shop a state of the map is: longer than any harm lasts.
const UNHEARD: usize = 600;

/// Records asked for with one call.
const AT_ONCE: usize = 2000;

/// Explores a made-up site through the service that keeps maps.
///
/// Prints a line on standard error when the first action was tried, and one line of JSON on standard output in the end. Ends
/// with 1 when anything is missing or double.
#[derive(Parser)]
#[command(after_help = "Example:\n  walkers --graph http://127.0.0.1:7404 --brokers 127.0.0.1:9092 --number 1")]
struct Arguments {
    /// Address of the service
    #[arg(long)]
    graph: String,
    /// Brokers of the event log
    #[arg(long)]
    brokers: String,
    /// Number of the site: a map that is there already would be gone on with
    #[arg(long, default_value_t = 1)]
    number: u64,
    /// States of the site
    #[arg(long, default_value_t = 60)]
    states: u64,
    /// Browsers
    #[arg(long, default_value_t = 4)]
    walkers: u64,
    /// Milliseconds that an action takes
    #[arg(long, default_value_t = 50)]
    latency_ms: u64,
}

/// What came of it.
#[derive(Serialize)]
struct Outcome {
    /// Actions tried under a claim that held.
    tried: u64,
    /// Actions whose claim was lost to somebody else: tried, and not counted as such.
    lost: u64,
    states_found: u64,
    states_true: u64,
    opportunities: u64,
    opportunities_done: u64,
    /// Opportunities that two claims counted as tried.
    counted_double: u64,
    /// Transitions that were reported, and those that the map counts.
    reported: u64,
    counted: u64,
    /// Reported transitions that the history has.
    in_history: u64,
    is_right: bool,
}

/// What the walkers share.
struct Walk {
    service: Arc<dyn GraphService>,
    shop: Shop,
    latency: Duration,
    known: Mutex<Findings>,
}

#[derive(Default)]
struct Findings {
    /// The site's own number of each state of the map.
    numbers: BTreeMap<StateId, u64>,
    done: BTreeMap<(StateId, u64), u64>,
    reported: BTreeSet<String>,
    lost: u64,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let service = proto::client::graph(&connect(&ClientOptions::to(&arguments.graph))?);
    let shop = Shop::new(arguments.number, arguments.states);
    let latency = Duration::from_millis(arguments.latency_ms);
    let walk = Arc::new(Walk { service, shop, latency, known: Mutex::default() });
    let mut walkers = JoinSet::new();
    for number in 0..arguments.walkers {
        let walk = walk.clone();
        walkers.spawn(async move { walk.walk(number).await });
    }
    while let Some(walked) = walkers.join_next().await {
        walked.context("a walker died")??;
    }
    let outcome = walk.outcome(arguments.states, arguments.brokers).await?;
    println!("{}", serde_json::to_string(&outcome).context("encode the outcome")?);
    std::process::exit(i32::from(!outcome.is_right));
}

impl Walk {
    fn known(&self) -> MutexGuard<'_, Findings> {
        self.known.lock()
    }

    /// Which state of the shop a state of the map is. Whoever saw it may not have heard so yet: the graph was cut off after it had kept
    /// the state and before it answered, and is asked again.
    async fn number_of(&self, state: StateId) -> Result<u64> {
        for _ in 0..UNHEARD {
            let number = self.known().numbers.get(&state).copied();
            if let Some(number) = number {
                return Ok(number);
            }
            tokio::time::sleep(PAUSE).await;
        }
        bail!("a state that nobody has seen")
    }

    async fn walk(&self, walker: u64) -> Result<()> {
        let session = format!("walker-{walker}");
        let mut number = 0;
        let mut stamp = || {
            number += 1;
            Stamp { session: session.clone(), number }
        };
        let start = self.request(1, stamp(), None);
        let mut at = self.see(1, start).await?.state;
        let mut looks = 0;
        while looks < EMPTY {
            let version = self.shop.version.clone();
            let request = FrontierRequest { version, crawler: session.clone(), at: Some(at), count: 1 };
            let grants = again(|| self.service.claim_frontier(request.clone())).await?;
            let Some(FrontierGrant { ticket, opportunity, .. }) = grants.into_iter().next() else {
                if self.is_idle().await? {
                    return Ok(());
                }
                looks += 1;
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            looks = 0;
            tokio::time::sleep(self.latency).await;
            let from = ticket.state;
            let here = self.number_of(from).await?;
            let to = self.shop.tried(here, &opportunity.action);
            let arrival = Arrival {
                from,
                action: opportunity.action,
                key: Some(ticket.key),
                effect: if here == to { Effect::NoChange } else { Effect::Changed { what: vec!["url".into()] } },
                latency: self.latency,
            };
            let stamp = stamp();
            let id = format!("{}/{}/{}", self.shop.version.site, stamp.session, stamp.number);
            let report = LocateRequest { ticket: Some(ticket.clone()), ..self.request(to, stamp, Some(arrival)) };
            let located = self.see(to, report).await?;
            at = located.state;
            let mut known = self.known();
            known.reported.insert(id);
            if located.ticket_held {
                if known.done.is_empty() {
                    eprintln!("walking");
                }
                *known.done.entry((from, ticket.key.0)).or_default() += 1;
            } else {
                known.lost += 1;
            }
        }
        Ok(())
    }

    fn request(&self, state: u64, stamp: Stamp, arrival: Option<Arrival>) -> LocateRequest {
        LocateRequest {
            version: self.shop.version.clone(),
            observation: Arc::new(self.shop.page(state, stamp)),
            vector: None,
            arrival,
            reload_of: None,
            opened: None,
            ticket: None,
            screenshot: None,
        }
    }

    async fn see(&self, state: u64, request: LocateRequest) -> Result<Located> {
        let located = again(|| self.service.locate(request.clone())).await?;
        self.known().numbers.insert(located.state, state);
        Ok(located)
    }

    /// Whether nobody tries anything. What is left open then has a known outcome, and is not granted.
    async fn is_idle(&self) -> Result<bool> {
        let status = again(|| async {
            let mut statuses = self.service.watch(&self.shop.version.site).await?;
            statuses.next().await.unwrap_or_else(|| Err(ServiceError::new(Code::Unavailable, "the watch has ended")))
        });
        let status = status.await?;
        Ok(status.claimed == 0)
    }

    /// Compares what was done with what the map and its history say.
    async fn outcome(&self, states: u64, brokers: String) -> Result<Outcome> {
        let site = &self.shop.version.site;
        let map = self.service.map(site, None).await?;
        let status = self.service.watch(site).await?.next().await.context("the map's status")??;
        let history = history(brokers, &format!("{site}/")).await?;
        let known = self.known();
        let reported = known.reported.len() as u64;
        let counted = map.transitions.iter().map(|transition| transition.tally.count).sum();
        let in_history = known.reported.intersection(&history).count() as u64;
        let counted_double = known.done.values().filter(|count| **count > 1).count() as u64;
        let opportunities = status.open + status.claimed + status.done;
        let states_found = map.states.len() as u64;
        let tried = known.done.len() as u64;
        let is_right = [states_found == states, status.claimed == 0, status.done == tried, counted_double == 0]
            .into_iter()
            .chain([counted == reported, in_history == reported])
            .all(|holds| holds);
        Ok(Outcome {
            tried,
            lost: known.lost,
            states_found,
            states_true: states,
            opportunities,
            opportunities_done: status.done,
            counted_double,
            reported,
            counted,
            in_history,
            is_right,
        })
    }
}

/// Asks until there is an answer: a service that is away is asked again the very same.
async fn again<T, F: Future<Output = Result<T, ServiceError>>>(ask: impl Fn() -> F) -> Result<T> {
    for _ in 0..ROUNDS {
        match ask().await {
            Err(error) if error.is_retryable() => tokio::time::sleep(PAUSE).await,
            answer => return Ok(answer?),
        }
    }
    Ok(ask().await?)
}

/// The ids of the transitions of a site in the event log.
async fn history(brokers: String, of: &str) -> Result<BTreeSet<String>> {
    let log = KafkaLog::open(KafkaOptions { brokers, ..KafkaOptions::default() }).await?;
    let mut ids = BTreeSet::new();
    for partition in 0..log.partitions(Topic::Transitions).await? {
        let mut from = 0;
        loop {
            let read = log.read(Topic::Transitions, partition, from, AT_ONCE).await?;
            let Some(last) = read.last() else { break };
            from = last.place.offset + 1;
            for record in &read {
                ids.insert(proto::decode(&record.record)?.id);
            }
        }
    }
    ids.retain(|id| id.starts_with(of));
    Ok(ids)
}
