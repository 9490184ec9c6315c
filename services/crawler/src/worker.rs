//! Runs jobs: claims as many from the queue as it has free slots, attempts them concurrently, and renews their leases.
//!
//! Every claimed job ends in exactly one record, or is given back. The queue decides whether a lost job is retried or
//! quarantined.

use crate::attempt::{Attempted, attempt};
use crate::drive::Screenshots;
use crate::leases::Leases;
use crate::recorder::Recorder;
use domain::campaign::{ClaimRequest, Failure, Grant, Ticket, WorkKind};
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
    Assignment, AssignmentSource, Companion, NoAssignment, PageSource, Profile, names_of, seed_of, site_of,
};

/// Polling interval while no planner can be reached.
const AWAY: Duration = Duration::from_millis(500);

/// Least time between two claims, so that slots freed one by one are filled together: claiming several jobs costs the
/// queue no more than claiming one.
const GATHER: Duration = Duration::from_millis(100);

/// Pause between claims of jobs that need no browser.
const SELDOM: Duration = Duration::from_secs(1);

/// Options of a crawler.
#[derive(Clone, Debug)]
pub struct Options {
    /// Name of this crawler, unique among those alive.
    pub name: String,
    /// Jobs attempted at the same time.
    pub slots: usize,
    /// The current limit of slots, where it changes.
    pub at_most: watch::Receiver<usize>,
    /// Only jobs of this campaign.
    pub campaign: Option<CampaignId>,
    /// Only jobs of campaigns that carry all these labels.
    pub labels: BTreeMap<String, String>,
    /// What kind of jobs.
    pub kind: WorkKind,
    /// Pause before the next claim after the queue had fewer jobs than there were slots.
    pub idle: Duration,
    /// How long the queue may be unreachable before the crawler gives up.
    pub patience: Duration,
    /// Interval of lease renewals; well below a claim's lease.
    pub heartbeat: Duration,
    /// Which pictures are kept.
    pub screenshots: Screenshots,
}

impl Options {
    /// The same for jobs that need no browser: one at a time, and asked for seldom, since hardly any campaign has some.
    #[must_use]
    pub fn of_studies(&self) -> Self {
        Self {
            slots: 1,
            at_most: watch::channel(usize::MAX).1,
            kind: WorkKind::Studies,
            idle: SELDOM.max(self.idle),
            ..self.clone()
        }
    }

    /// Default options, with one slot.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            slots: 1,
            at_most: watch::channel(usize::MAX).1,
            campaign: None,
            labels: BTreeMap::new(),
            kind: WorkKind::Pages,
            idle: Duration::from_millis(100),
            patience: Duration::from_secs(10),
            heartbeat: Duration::from_secs(5),
            screenshots: Screenshots::default(),
        }
    }
}

/// What the crawler works with.
#[derive(Clone)]
pub struct Dependencies {
    /// The queue.
    pub campaigns: Arc<dyn CampaignService>,
    /// Records steps, pictures and ends.
    pub recorder: Arc<dyn Recorder>,
    /// Opens browser profiles.
    pub pages: Arc<dyn PageSource>,
    /// Resolves jobs into assignments.
    pub assignments: Arc<dyn AssignmentSource>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
}

/// Signals that stop a crawler.
#[derive(Clone, Debug, Default)]
pub struct StopSignals {
    /// Stops claiming, and ends once current attempts have ended.
    pub drain: CancellationToken,
    /// Also stops current attempts and gives their jobs back.
    pub interrupt: CancellationToken,
}

/// Progress events for observers.
#[derive(Clone, Debug)]
pub enum JobEvent {
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

/// Runs jobs until it is asked to stop.
///
/// # Errors
/// The first failure of storage, or of the queue for longer than [`Options::patience`], after all attempts have
/// stopped. Their jobs are given back, or taken over when their leases expire.
pub async fn work(
    dependencies: Dependencies,
    options: Options,
    news: UnboundedSender<JobEvent>,
    rest: StopSignals,
) -> Result<(), StorageError> {
    let leases = Leases::default();
    let (campaigns, heartbeat) = (dependencies.campaigns.clone(), options.heartbeat);
    let kept = leases.clone();
    let mut alive = JoinSet::new();
    alive.spawn(async move { kept.keep(campaigns.as_ref(), heartbeat).await }.instrument(info_span!("leases")));
    let worker = Worker { dependencies, options, news, leases, interrupt: rest.interrupt.child_token() };
    worker.run(&rest).await
}

#[derive(Clone)]
struct Worker {
    dependencies: Dependencies,
    options: Options,
    news: UnboundedSender<JobEvent>,
    leases: Leases,
    interrupt: CancellationToken,
}

/// What became of a claimed job.
#[derive(PartialEq)]
enum ClaimEnd {
    /// It ended with a record.
    Recorded,
    /// It went back to the queue for lack of a browser.
    NoSlot,
    /// Its attempt was recorded as lost because no planner could be reached.
    Undecided,
    /// It was given back, or taken over by another crawler.
    GivenBack,
}

impl Worker {
    async fn run(self, rest: &StopSignals) -> Result<(), StorageError> {
        let mut under_way: JoinSet<Result<ClaimEnd, StorageError>> = JoinSet::new();
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
                match self.dependencies.assignments.ready().await {
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
                        Some(Ok(ClaimEnd::NoSlot)) => sleep(self.options.idle).await,
                        Some(Ok(ClaimEnd::Undecided)) => awaits_planner = true,
                        Some(Err(error)) => result = Err(error),
                        Some(Ok(ClaimEnd::Recorded | ClaimEnd::GivenBack)) | None => {}
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
        let Options { name, campaign, labels, kind, .. } = self.options.clone();
        self.dependencies.campaigns.claim(ClaimRequest { crawler: name, slots, campaign, labels, kind }).await
    }

    /// Attempts one claimed job.
    async fn job(&self, grant: &Grant) -> Result<ClaimEnd, StorageError> {
        let held = self.leases.hold(grant.ticket());
        self.emit(JobEvent::Began(grant.job.id.clone()));
        let stop = self.interrupt.child_token();
        let attempted = {
            let attempt = attempt(&self.dependencies, grant, self.options.screenshots, &stop);
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
                self.emit(JobEvent::Ended(outcome));
                Ok(ClaimEnd::Recorded)
            }
            Ok(Attempted::Lost(lost)) => {
                warn!(failure = lost.failure.as_str(), cause = lost.cause, "the attempt was lost");
                self.emit(JobEvent::Lost { job: grant.job.id.clone(), cause: lost.cause });
                Ok(if lost.failure == Failure::PlannerAway { ClaimEnd::Undecided } else { ClaimEnd::Recorded })
            }
            Ok(Attempted::NoSlot(cause)) => {
                warn!(cause, "nothing to attempt it with, the job is given back");
                self.give_back(grant.ticket()).await;
                Ok(ClaimEnd::NoSlot)
            }
            Ok(Attempted::Interrupted) if held.revoked().is_cancelled() => {
                warn!("the claim holds no more, the attempt was stopped");
                Ok(ClaimEnd::GivenBack)
            }
            Ok(Attempted::Interrupted) => {
                self.give_back(grant.ticket()).await;
                Ok(ClaimEnd::GivenBack)
            }
            Err(error) => {
                self.give_back(grant.ticket()).await;
                Err(error)
            }
        }
    }

    async fn give_back(&self, ticket: Ticket) {
        let job = ticket.job.clone();
        match self.dependencies.campaigns.release(vec![ticket]).await {
            Ok(()) => self.emit(JobEvent::Released(job)),
            Err(error) => warn!(%error, "the job could not be given back, it is free again when its lease ends"),
        }
    }

    fn emit(&self, news: JobEvent) {
        // There may be no observer.
        let _ = self.news.send(news);
    }
}

fn flat(ended: Result<Result<ClaimEnd, StorageError>, JoinError>) -> Result<ClaimEnd, StorageError> {
    ended.unwrap_or_else(|panic| Err(StorageError::Unavailable(format!("an attempt died: {panic}"))))
}
