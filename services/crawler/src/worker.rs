//! Works jobs through: asks the queue for as many as it has free slots, attempts them side by side, and keeps their claims
//! alive.
//!
//! Every claimed job ends in exactly one record, or is given back. What is decided about a job whose attempt was lost – when
//! it is tried again, when it is given up – is the queue's business.

use crate::attempt::{Attempted, attempt};
use crate::drive::Screenshots;
use crate::leases::Leases;
use crate::recorder::Recorder;
use domain::campaign::{ClaimRequest, Failure, Grant, Ticket};
use domain::job::Outcome;
use domain::service::{CampaignService, ServiceError};
use domain::storage::StorageError;
use domain::{CampaignId, JobId};
use platform::clock::Clock;
use platform::telemetry;
use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;
use tokio::task::{JoinError, JoinSet};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, info_span, warn};

pub use crate::assignment::{
    Assignment, AssignmentSource, NoAssignment, PageSource, Profile, names_of, seed_of, site_of,
};

/// Pause between two questions whether a planner can be asked again.
const AWAY: Duration = Duration::from_millis(500);

/// Time between two claims, so that slots that become free one after the other are filled together: a claim of several jobs
/// costs the queue no more than one of a single job.
const GATHER: Duration = Duration::from_millis(100);

/// How jobs are worked through.
#[derive(Clone, Debug)]
pub struct Options {
    /// Name of this crawler, unique among those alive.
    pub name: String,
    /// Jobs attempted at the same time.
    pub slots: usize,
    /// How many of them there is room for now, where that changes.
    pub at_most: watch::Receiver<usize>,
    /// Only jobs of this campaign.
    pub campaign: Option<CampaignId>,
    /// Only jobs of campaigns that carry all these labels.
    pub labels: BTreeMap<String, String>,
    /// Pause before the queue is asked again after it had less to give than there was room for.
    pub idle: Duration,
    /// For how long the queue may fail to answer before the crawler gives up.
    pub patience: Duration,
    /// Time between two signs of life; well below a claim's lease.
    pub heartbeat: Duration,
    /// Which pictures are kept.
    pub screenshots: Screenshots,
}

impl Options {
    /// The usual way of a crawler, one job at a time.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            slots: 1,
            at_most: watch::channel(usize::MAX).1,
            campaign: None,
            labels: BTreeMap::new(),
            idle: Duration::from_millis(100),
            patience: Duration::from_secs(10),
            heartbeat: Duration::from_secs(5),
            screenshots: Screenshots::default(),
        }
    }
}

/// What the crawler stands on.
#[derive(Clone)]
pub struct Crew {
    /// The queue.
    pub campaigns: Arc<dyn CampaignService>,
    /// Where steps, pictures and ends go.
    pub recorder: Arc<dyn Recorder>,
    /// Where profiles come from.
    pub pages: Arc<dyn PageSource>,
    /// What jobs ask for.
    pub assignments: Arc<dyn AssignmentSource>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
}

/// How a crawler is asked to come to rest.
#[derive(Clone, Debug, Default)]
pub struct Rest {
    /// Claims nothing more, and ends when the attempts under way have ended.
    pub drain: CancellationToken,
    /// Stops the attempts under way as well, and gives their jobs back.
    pub interrupt: CancellationToken,
}

/// News for whoever watches.
#[derive(Clone, Debug)]
pub enum Progress {
    /// A job was claimed.
    Began(JobId),
    /// An attempt was lost; the queue decides what becomes of the job.
    Lost {
        /// The job.
        job: JobId,
        /// Why.
        cause: String,
    },
    /// A job has an outcome.
    Ended(Box<Outcome>),
    /// A job was given back.
    Released(JobId),
}

/// Works jobs through until it is asked to rest.
///
/// # Errors
/// The first failure of storage, or of the queue for longer than the crawler's patience, after every attempt has come to
/// rest. What was under way is given back, or taken over when its lease ends.
pub async fn work(
    crew: Crew,
    options: Options,
    news: UnboundedSender<Progress>,
    rest: Rest,
) -> Result<(), StorageError> {
    let leases = Leases::default();
    let (campaigns, heartbeat) = (crew.campaigns.clone(), options.heartbeat);
    let kept = leases.clone();
    let mut alive = JoinSet::new();
    alive.spawn(async move { kept.keep(campaigns.as_ref(), heartbeat).await }.instrument(info_span!("leases")));
    let worker = Worker { crew, options, news, leases, interrupt: rest.interrupt.child_token() };
    worker.run(&rest).await
}

#[derive(Clone)]
struct Worker {
    crew: Crew,
    options: Options,
    news: UnboundedSender<Progress>,
    leases: Leases,
    interrupt: CancellationToken,
}

/// How a claimed job left this crawler.
#[derive(PartialEq)]
enum Left {
    /// With a record.
    Recorded,
    /// Back to the queue, since no browser was to be had.
    NoSlot,
    /// With the record of an attempt that was lost because no planner could be asked.
    Undecided,
    /// Back to the queue, or to another crawler.
    GivenBack,
}

impl Worker {
    async fn run(self, rest: &Rest) -> Result<(), StorageError> {
        let mut under_way: JoinSet<Result<Left, StorageError>> = JoinSet::new();
        let mut result = Ok(());
        let mut silent = Duration::ZERO;
        let mut awaits_planner = false;
        let mut at_most = self.options.at_most.clone();
        let mut again = pin!(sleep(Duration::ZERO));
        while result.is_ok() && !rest.drain.is_cancelled() && !self.interrupt.is_cancelled() {
            let room = self.options.slots.max(1).min(*at_most.borrow_and_update());
            let free = room.saturating_sub(under_way.len());
            let is_due = free > 0 && again.is_elapsed();
            if is_due && awaits_planner {
                match self.crew.assignments.ready().await {
                    Ok(()) => awaits_planner = false,
                    Err(cause) => {
                        warn!(cause, "no job is claimed until a planner can be asked again");
                        again.set(sleep(self.options.idle.max(AWAY)));
                    }
                }
            }
            if is_due && !awaits_planner {
                again.set(sleep(GATHER));
                match self.claim(free).await {
                    Ok(grants) => {
                        silent = Duration::ZERO;
                        if grants.len() < free {
                            again.set(sleep(self.options.idle.max(GATHER)));
                        }
                        for grant in grants {
                            let worker = self.clone();
                            let span = info_span!("job", campaign = %grant.job.campaign, job = %grant.job.id, fence = grant.fence.0);
                            telemetry::set_parent(&span, &grant.trace_parent);
                            under_way.spawn(async move { worker.job(&grant).await }.instrument(span));
                        }
                    }
                    Err(error) => {
                        let wait = error.retry_after.unwrap_or(self.options.idle).max(self.options.idle);
                        if silent.is_zero() {
                            warn!(%error, "the queue does not answer, it is asked again and again");
                        }
                        silent += wait;
                        if silent > self.options.patience {
                            result = Err(StorageError::Unavailable(error.to_string()));
                        }
                        again.set(sleep(wait));
                    }
                }
            }
            tokio::select! {
                biased;
                ended = under_way.join_next(), if !under_way.is_empty() => {
                    match ended.map(flat) {
                        Some(Ok(Left::NoSlot)) => sleep(self.options.idle).await,
                        Some(Ok(Left::Undecided)) => awaits_planner = true,
                        Some(Err(error)) => result = Err(error),
                        Some(Ok(Left::Recorded | Left::GivenBack)) | None => {}
                    }
                }
                () = again.as_mut(), if free > 0 => {}
                Ok(()) = at_most.changed() => {}
                () = rest.drain.cancelled() => {}
                () = self.interrupt.cancelled() => {}
            }
        }
        if result.is_err() {
            self.interrupt.cancel();
        }
        while let Some(ended) = under_way.join_next().await {
            if let (Err(error), Ok(())) = (flat(ended), &result) {
                self.interrupt.cancel();
                result = Err(error);
            }
        }
        result
    }

    async fn claim(&self, slots: usize) -> Result<Vec<Grant>, ServiceError> {
        let Options { name, campaign, labels, .. } = self.options.clone();
        self.crew.campaigns.claim(ClaimRequest { crawler: name, slots, campaign, labels }).await
    }

    /// Attempts one claimed job.
    async fn job(&self, grant: &Grant) -> Result<Left, StorageError> {
        let held = self.leases.hold(grant.ticket());
        self.tell(Progress::Began(grant.job.id.clone()));
        let stop = self.interrupt.child_token();
        let attempted = {
            let attempt = attempt(&self.crew, grant, self.options.screenshots, &stop);
            tokio::pin!(attempt);
            tokio::select! {
                biased;
                attempted = &mut attempt => attempted,
                () = held.revoked().cancelled() => {
                    stop.cancel();
                    attempt.await
                }
            }
        };
        match attempted {
            Ok(Attempted::Judged(outcome)) => {
                self.tell(Progress::Ended(outcome));
                Ok(Left::Recorded)
            }
            Ok(Attempted::Lost(lost)) => {
                warn!(failure = lost.failure.as_str(), cause = lost.cause, "the attempt was lost");
                self.tell(Progress::Lost { job: grant.job.id.clone(), cause: lost.cause });
                Ok(if lost.failure == Failure::PlannerAway { Left::Undecided } else { Left::Recorded })
            }
            Ok(Attempted::NoSlot(cause)) => {
                warn!(cause, "nothing to attempt it with, the job is given back");
                self.give_back(grant.ticket()).await;
                Ok(Left::NoSlot)
            }
            Ok(Attempted::Interrupted) if held.revoked().is_cancelled() => {
                warn!("the claim holds no more, the attempt was stopped");
                Ok(Left::GivenBack)
            }
            Ok(Attempted::Interrupted) => {
                self.give_back(grant.ticket()).await;
                Ok(Left::GivenBack)
            }
            Err(error) => {
                self.give_back(grant.ticket()).await;
                Err(error)
            }
        }
    }

    async fn give_back(&self, ticket: Ticket) {
        let job = ticket.job.clone();
        match self.crew.campaigns.release(vec![ticket]).await {
            Ok(()) => self.tell(Progress::Released(job)),
            Err(error) => warn!(%error, "the job could not be given back, it is free again when its lease ends"),
        }
    }

    fn tell(&self, news: Progress) {
        // Nobody may be watching.
        let _ = self.news.send(news);
    }
}

fn flat(ended: Result<Result<Left, StorageError>, JoinError>) -> Result<Left, StorageError> {
    ended.unwrap_or_else(|panic| Err(StorageError::Unavailable(format!("an attempt died: {panic}"))))
}
