//! Random sequences of operations on a database and on the table in memory: both say the same after each. The table in
//! memory counts its jobs whenever it is asked, so that the database's counters are right when the two agree.

use super::{embedded, postgres};
use crate::queue::MemoryJobs;
use crate::queue::suite::Again;
use domain::campaign::{Campaign, Closing, Failure, LostAttempt, PlannerRef, Ticket, Wish};
use domain::job::{BenchmarkTask, Work};
use domain::service::QuarantineVerdict;
use domain::storage::jobs::{Decoded, JobStore, Pick, Retry, Submission};
use domain::storage::log::{LogPosition, LogRecord, Topic};
use domain::{CampaignId, EpisodeId, Fence, Job, JobId, SiteId, TaskId, Usage};
use proptest::prelude::*;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use uuid::Uuid;

/// What may be done.
#[derive(Clone, Debug)]
enum Step {
    Submit(u8, u8),
    Claim(u8, usize),
    Renew(u8, u8, u64),
    Release(u8, u8, u64),
    Close(u8, u8, u64, u8),
    Expire,
    Wish(u8, u8),
    Settle(u8, u8, bool),
    Send,
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let (campaign, job, fence) = (0..2u8, 0..6u8, 1..4u64);
    prop_oneof![
        4 => (campaign.clone(), job.clone()).prop_map(|(campaign, job)| Step::Submit(campaign, job)),
        5 => (campaign.clone(), 0..4usize).prop_map(|(campaign, count)| Step::Claim(campaign, count)),
        1 => (campaign.clone(), job.clone(), fence.clone()).prop_map(|(c, j, f)| Step::Renew(c, j, f)),
        2 => (campaign.clone(), job.clone(), fence.clone()).prop_map(|(c, j, f)| Step::Release(c, j, f)),
        8 => (campaign.clone(), job.clone(), fence, 0..6u8).prop_map(|(c, j, f, how)| Step::Close(c, j, f, how)),
        2 => Just(Step::Expire),
        1 => (campaign.clone(), 0..8u8).prop_map(|(campaign, wish)| Step::Wish(campaign, wish)),
        2 => (campaign, job, any::<bool>()).prop_map(|(c, j, retry)| Step::Settle(c, j, retry)),
        3 => Just(Step::Send),
        3 => (0..40_000u64).prop_map(Step::Wait),
    ]
}

const LEASE: Duration = Duration::from_secs(10);

fn campaign(number: u8) -> CampaignId {
    CampaignId::new(format!("c{number}"))
}

fn submission(of: u8, number: u8) -> Submission {
    let name = format!("j{number}");
    let task = BenchmarkTask { benchmark: "b".into(), task: TaskId::new(&name), seed: 0, relaxed: false };
    let job = Job { id: JobId::new(name), campaign: campaign(of), work: Work::Benchmark(task) };
    let (site, host) = (SiteId::new(format!("s{}", number % 2)), format!("h{}", number % 3));
    Submission { job, site, host, trace_parent: String::new() }
}

fn ticket(of: u8, job: u8, fence: u64) -> Ticket {
    Ticket { campaign: campaign(of), job: JobId::new(format!("j{job}")), fence: Fence(fence) }
}

fn closing(of: u8, job: u8, fence: u64, how: u8) -> Closing {
    let ticket = ticket(of, job, fence);
    let site = SiteId::new(format!("s{}", job % 2));
    match how {
        0 => Closing::Cancelled { campaign: ticket.campaign, job: ticket.job, site },
        1 => Closing::Reopened { campaign: ticket.campaign, job: ticket.job, fence: ticket.fence },
        _ => Closing::Lost(LostAttempt {
            episode: EpisodeId(Uuid::from_u128(u128::from(job) << 8 | u128::from(fence))),
            failure: [Failure::NoSlot, Failure::NoSlot, Failure::SessionLost, Failure::Unusable][usize::from(how) - 2],
            cause: format!("how {how}"),
            usage: Usage { prompt_tokens: 1, completion_tokens: 2, cost_usd: 0.1, calls: 1 },
            wall_ms: 1.0,
            ticket,
        }),
    }
}

fn said(answer: &impl std::fmt::Debug) -> String {
    format!("{answer:?}")
}

/// A table with the clock and the log beside it.
struct Bench<'a> {
    store: &'a dyn JobStore,
    now: SystemTime,
    offset: u64,
}

impl Bench<'_> {
    /// Does a step and says everything that can be seen of it and after it.
    async fn take(&mut self, step: &Step) -> String {
        let (store, now) = (self.store, self.now);
        let done: String = match step.clone() {
            Step::Submit(of, job) => said(&store.submit(&[submission(of, job)], now).await.map_err(|e| e.to_string())),
            Step::Claim(of, count) => {
                let sites = (0..2).flat_map(|site| (0..3).map(move |host| (site, host)));
                let picks: Vec<Pick> = sites
                    .map(|(site, host)| Pick {
                        campaign: campaign(of),
                        site: SiteId::new(format!("s{site}")),
                        host: format!("h{host}"),
                        count,
                    })
                    .collect();
                said(&store.claim(&picks, "crawler", now, LEASE).await.map_err(|e| e.to_string()))
            }
            Step::Renew(of, job, fence) => {
                said(&store.renew(&[ticket(of, job, fence)], now, LEASE).await.expect("renew"))
            }
            Step::Release(of, job, fence) => {
                store.release(&[ticket(of, job, fence)]).await.expect("release");
                String::new()
            }
            Step::Close(of, job, fence, how) => {
                self.apply(vec![closing(of, job, fence, how)]).await;
                String::new()
            }
            Step::Expire => said(&store.expire(now, &Retry::default()).await.expect("expire")),
            Step::Wish(of, wish) => {
                let wish = match wish {
                    0..4 => Wish::Run,
                    4..7 => Wish::Pause,
                    _ => Wish::Cancel,
                };
                said(&store.wish(&campaign(of), wish).await.map_err(|e| e.to_string()))
            }
            Step::Settle(of, job, retry) => {
                let verdict = if retry { QuarantineVerdict::Retry } else { QuarantineVerdict::Drop };
                let jobs = [JobId::new(format!("j{job}"))];
                said(&store.settle(&campaign(of), &jobs, verdict).await.map_err(|e| e.to_string()))
            }
            Step::Send => {
                let outbox = store.outbox(100).await.expect("outbox");
                let (numbers, records): (Vec<u64>, Vec<Closing>) = outbox.into_iter().unzip();
                store.sent(&numbers).await.expect("sent");
                self.apply(records).await;
                String::new()
            }
            Step::Wait(milliseconds) => {
                self.now += Duration::from_millis(milliseconds);
                String::new()
            }
        };
        let now = self.now;
        let demand = store.demand(now).await.expect("demand");
        let standings = store.campaigns(None, now).await.expect("standings");
        let outbox = store.outbox(100).await.expect("outbox");
        format!("{step:?}: {done}\n{demand:#?}\n{standings:#?}\n{outbox:#?}")
    }

    async fn apply(&mut self, closings: Vec<Closing>) {
        let mut records = Vec::new();
        for closing in closings {
            let place = LogPosition { partition: 0, offset: self.offset };
            self.offset += 1;
            let from = LogRecord {
                topic: Topic::Outcomes,
                place,
                key: "k".into(),
                record: vec![1],
                trace_parent: String::new(),
            };
            records.push(Decoded { from, says: Some(closing) });
        }
        self.store.apply("campaigns", &records, self.now, &Retry::default(), &Again).await.expect("apply");
    }
}

/// Does the same to a database and to the model.
fn compare<F>(database: impl FnOnce() -> F, steps: &[Step])
where
    F: Future<Output = Arc<dyn JobStore>>,
{
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let (database, model) = (database().await, MemoryJobs::default());
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let mut benches = [database.as_ref(), &model as &dyn JobStore].map(|store| Bench { store, now, offset: 0 });
        for number in 0..2 {
            let settings = Campaign::new(campaign(number), PlannerRef::named("ground"));
            for bench in &benches {
                bench.store.create(&settings, now).await.expect("create");
            }
        }
        for step in steps {
            let [database, model] = &mut benches;
            let (found, expected) = (database.take(step).await, model.take(step).await);
            assert_eq!(found, expected);
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn sqlite_says_what_the_model_says(steps in prop::collection::vec(step(), 1..40)) {
        compare(embedded, &steps);
    }
}

proptest! {
    // Each case has a database of its own.
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn postgres_says_what_the_model_says(steps in prop::collection::vec(step(), 20..60)) {
        compare(postgres, &steps);
    }
}
