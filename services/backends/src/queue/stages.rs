//! The stages of a campaign, as every table sees them: where each begins, what it may take in, and what a stage that is over hands
//! to the next. Pure. Jobs of a stage follow each other, so that its place in the table is all that is stored of it.

use domain::Job;
use domain::campaign::{Campaign, Wish};
use domain::stage::{BETWEEN, EndedJob, JobEnd, StageEnd, Stages};
use domain::storage::StorageError;
use domain::storage::jobs::Submission;
use std::collections::BTreeSet;

/// Positions at which the stages after the first begin.
pub(super) type Begins = Vec<i64>;

/// Whether another stage may follow the one at hand, once its jobs have ended.
pub(super) fn may_go_on(stages: &Stages, begins: &[i64], jobs: i64, wish: Wish) -> bool {
    let is_handed_in = !begins.is_empty() || u64::try_from(jobs).is_ok_and(|jobs| jobs >= stages.jobs);
    wish != Wish::Cancel && begins.len() < stages.then.len() && is_handed_in
}

/// Where the stage at hand begins.
pub(super) fn begin(begins: &[i64]) -> i64 {
    begins.last().copied().unwrap_or_default()
}

/// The stage at hand, from 1; 0 in a campaign without stages.
pub(super) fn number(campaign: &Campaign, begins: &[i64]) -> u32 {
    if campaign.stages.is_none() { 0 } else { u32::try_from(begins.len() + 1).unwrap_or(u32::MAX) }
}

/// A stage that is over: all jobs in order, each with its position and its end.
pub(super) fn over(campaign: &Campaign, begins: &[i64], jobs: Vec<(i64, Submission, JobEnd)>) -> StageEnd {
    let name = |position: i64| {
        let place = begins.partition_point(|begin| *begin <= position);
        campaign.stages.as_ref().map_or("", |stages| stages.name(place)).to_owned()
    };
    let ended = |(position, submission, end): (i64, Submission, JobEnd)| {
        let (task, site) = submission.job.names();
        let job = EndedJob { job: submission.job.id.clone(), stage: name(position), task, site, end };
        (submission, job)
    };
    StageEnd { campaign: campaign.clone(), over: begins.len() + 1, jobs: jobs.into_iter().map(ended).collect() }
}

/// What comes next without what is there already: a repeated id would hold up the log for ever.
pub(super) fn new_ones(next: Vec<Submission>, ended: &StageEnd) -> Vec<Submission> {
    let mut ids: BTreeSet<_> = ended.jobs.iter().map(|(submission, _)| submission.job.id.clone()).collect();
    next.into_iter().filter(|submission| ids.insert(submission.job.id.clone())).collect()
}

/// Why a campaign with stages takes no further job of this id in; none where it does. `jobs` are those it has.
pub(super) fn refusal(campaign: &Campaign, begins: &[i64], jobs: i64, job: &Job) -> Option<StorageError> {
    let stages = campaign.stages.as_ref()?;
    if job.id.as_str().contains(BETWEEN) {
        let cause = format!(
            "the id `{}` contains `{BETWEEN}`, which names jobs that a stage of campaign `{}` makes; choose another id",
            job.id, campaign.id
        );
        return Some(StorageError::Conflict(cause));
    }
    let is_full = !begins.is_empty() || u64::try_from(jobs).is_ok_and(|jobs| jobs >= stages.jobs);
    is_full.then(|| {
        StorageError::Conflict(format!(
            "campaign `{}` has all {} jobs of its first stage, job `{}` is one too many; hand it in with another campaign",
            campaign.id, stages.jobs, job.id
        ))
    })
}
