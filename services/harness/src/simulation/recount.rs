//! Recounts the log in the simplest way: the first end of a job counts, until it is lifted.

use backends::consumer;
use backends::log::MemoryLog;
use domain::campaign::{Closing, Failure};
use domain::job::Outcome;
use domain::storage::StorageError;
use domain::storage::log::{EventLog, LogRecord, Topic};
use domain::{CampaignId, EpisodeId, Fence, JobId, Usage};
use std::collections::{BTreeMap, BTreeSet};

/// Where a reader stands: the next offset of each partition.
pub(super) type Standing = BTreeMap<u32, u64>;

/// The jobs that the log knows.
#[derive(Default)]
pub(super) struct Recount {
    pub(super) jobs: BTreeMap<(CampaignId, JobId), JobRecord>,
}

/// What the log says about one job.
#[derive(Default)]
pub(super) struct JobRecord {
    pub(super) end: Option<JobEnd>,
    pub(super) redeliveries: u64,
    attempts: BTreeMap<EpisodeId, Attempt>,
    /// Fences of lifted quarantines.
    taken_back: BTreeSet<Fence>,
}

/// How a job ended.
#[derive(Clone, PartialEq)]
pub(super) enum JobEnd {
    Judged(Box<Outcome>),
    Quarantined(Fence),
    Cancelled,
}

#[derive(Default)]
struct Attempt {
    fence: Fence,
    judged: Option<Usage>,
    lost: Option<Usage>,
    is_undecided: bool,
    steps: BTreeMap<u32, Usage>,
}

/// Records of a topic, at most up to where a reader stands.
async fn read(log: &MemoryLog, topic: Topic, until: Option<&Standing>) -> Result<Vec<LogRecord>, StorageError> {
    let mut records = Vec::new();
    for partition in 0..log.partitions(topic).await? {
        let limit = until.map_or(u64::MAX, |until| until.get(&partition).copied().unwrap_or(0));
        let all = log.read(topic, partition, 0, usize::try_from(limit).unwrap_or(usize::MAX)).await?;
        records.extend(all);
    }
    Ok(records)
}

/// The ends of a topic's partitions.
pub(super) async fn ends(log: &MemoryLog, topic: Topic) -> Result<Standing, StorageError> {
    let mut ends = Standing::new();
    for record in read(log, topic, None).await? {
        ends.insert(record.place.partition, record.place.offset + 1);
    }
    Ok(ends)
}

impl Recount {
    /// Counts what stands in the log below what was read of outcomes, and of steps.
    pub(super) async fn of(log: &MemoryLog, outcomes: &Standing, steps: &Standing) -> Result<Self, StorageError> {
        let mut recount = Recount::default();
        for record in read(log, Topic::Outcomes, Some(outcomes)).await? {
            let closing =
                consumer::closing(&record.record).map_err(|error| StorageError::Corrupt(error.to_string()))?;
            recount.job(closing.campaign(), closing.job()).close(closing);
        }
        for record in read(log, Topic::Trajectories, Some(steps)).await? {
            let spent = consumer::spent(&record.record).map_err(|error| StorageError::Corrupt(error.to_string()))?;
            let attempt = recount.job(&spent.campaign, &spent.job).attempt(spent.episode, spent.fence);
            attempt.steps.insert(spent.step, spent.usage);
        }
        Ok(recount)
    }

    fn job(&mut self, campaign: &CampaignId, job: &JobId) -> &mut JobRecord {
        self.jobs.entry((campaign.clone(), job.clone())).or_default()
    }

    /// The jobs of a campaign.
    pub(super) fn of_campaign(&self, campaign: &CampaignId) -> impl Iterator<Item = &JobRecord> {
        self.jobs.iter().filter(move |((owner, _), _)| owner == campaign).map(|(_, said)| said)
    }

    /// How the jobs of a campaign ended, by name.
    pub(super) fn ends_of(&self, campaign: &CampaignId) -> impl Iterator<Item = (&JobId, &JobEnd)> {
        let own = self.jobs.iter().filter(move |((owner, _), _)| owner == campaign);
        own.filter_map(|((_, job), said)| Some((job, said.end.as_ref()?)))
    }

    /// Attempts that were lost because no planner answered.
    pub(super) fn undecided(&self) -> u64 {
        let attempts = self.jobs.values().flat_map(|said| said.attempts.values());
        attempts.filter(|attempt| attempt.is_undecided).count() as u64
    }
}

impl JobRecord {
    fn close(&mut self, closing: Closing) {
        match closing {
            Closing::Judged(outcome) => {
                self.attempt(outcome.episode, outcome.fence).judged.get_or_insert(outcome.usage);
                self.end(JobEnd::Judged(outcome));
            }
            Closing::Quarantined(quarantined) if self.taken_back.contains(&quarantined.fence) => self.redeliveries += 1,
            Closing::Quarantined(quarantined) => self.end(JobEnd::Quarantined(quarantined.fence)),
            Closing::Cancelled { .. } => self.end(JobEnd::Cancelled),
            Closing::Reopened { fence, .. } if self.end == Some(JobEnd::Quarantined(fence)) => {
                self.end = None;
                self.taken_back.insert(fence);
            }
            Closing::Reopened { .. } => self.redeliveries += 1,
            Closing::Lost(lost) => {
                let attempt = self.attempt(lost.episode, lost.ticket.fence);
                attempt.is_undecided |= lost.failure == Failure::PlannerAway;
                if attempt.lost.replace(lost.usage).is_some() {
                    self.redeliveries += 1;
                }
            }
        }
    }

    fn end(&mut self, end: JobEnd) {
        match self.end {
            None => self.end = Some(end),
            Some(_) => self.redeliveries += 1,
        }
    }

    fn attempt(&mut self, episode: EpisodeId, fence: Fence) -> &mut Attempt {
        self.attempts.entry(episode).or_insert_with(|| Attempt { fence, ..Attempt::default() })
    }

    /// Attempts that came to no outcome, and the tokens of those whose outcome does not count.
    pub(super) fn lost(&self) -> (u64, u64) {
        let newest = self.attempts.values().map(|attempt| attempt.fence).max();
        let (mut attempts, mut tokens) = (0, 0);
        for (episode, attempt) in &self.attempts {
            let is_over = attempt.judged.is_some() || attempt.lost.is_some() || self.end.is_some();
            let is_accepted = matches!(&self.end, Some(JobEnd::Judged(outcome)) if outcome.episode == *episode);
            if !is_accepted && (is_over || Some(attempt.fence) < newest) {
                attempts += u64::from(attempt.judged.is_none());
                let by_steps = attempt.steps.values().map(|usage| usage.prompt_tokens).sum();
                let closed = attempt.judged.or(attempt.lost);
                tokens += closed.map_or(by_steps, |usage| usage.prompt_tokens);
            }
        }
        (attempts, tokens)
    }
}
