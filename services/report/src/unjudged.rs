//! Every job has a row: what becomes of the jobs that no attempt was judged of, in the words of an outcome. Pure.
//!
//! Such a row is no record of the log: it is made for whoever reads results, each time anew.

use domain::campaign::{Failure, Quarantined};
use domain::job::Outcome;
use domain::usage::Usage;
use domain::verdict::VerdictKind;
use domain::{BlobRef, CampaignId, Ending, EpisodeId, Fence, Job, JobId, SiteId, TaskId, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Jobs of a campaign that have no outcome.
#[derive(Debug, Default)]
pub struct Unjudged {
    /// A row for each.
    pub rows: Vec<Outcome>,
    /// How many of them have not ended yet.
    pub pending: usize,
}

/// The rows of the jobs of a run that have no outcome: those in quarantine, and those that the run has not come to.
/// `unended` says why one of the latter has not ended.
pub(crate) fn of_run(
    (jobs, planner, unended): (&[Job], &str, &str),
    judged: &BTreeSet<JobId>,
    quarantined: &[Quarantined],
) -> Unjudged {
    let lost: BTreeMap<&JobId, &Quarantined> = quarantined.iter().map(|lost| (&lost.job, lost)).collect();
    let mut unjudged = Unjudged::default();
    for job in jobs.iter().filter(|job| !judged.contains(&job.id)) {
        let (task, site) = job.names();
        let row = Row { job: job.id.clone(), campaign: job.campaign.clone(), task, site, planner: planner.to_owned() };
        unjudged.rows.push(match lost.get(&job.id) {
            Some(lost) => row.lost(lost),
            None => {
                unjudged.pending += 1;
                row.ended(Ending::Interrupted, unended.to_owned())
            }
        });
    }
    unjudged
}

/// How many jobs of a campaign have no outcome, where only their numbers are known.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// In quarantine, as the ledger counts them.
    pub quarantined: u64,
    /// Cancelled.
    pub cancelled: u64,
    /// Waiting or under way.
    pub pending: u64,
}

/// The rows of the jobs of a cluster's campaign that have no outcome. Jobs in quarantine have their names and causes; of
/// the others the services tell the number, so that they are numbered.
pub fn of_campaign(campaign: &CampaignId, quarantined: &[Quarantined], counts: Counts) -> Unjudged {
    let row = |name: String, site: SiteId| Row {
        task: TaskId::new(name.clone()),
        job: JobId::new(name),
        campaign: campaign.clone(),
        site,
        planner: String::new(),
    };
    let mut rows: Vec<Outcome> =
        quarantined.iter().map(|lost| row(lost.job.to_string(), lost.site.clone()).lost(lost)).collect();
    let mut numbered = |count: u64, kind: &str, ending: Ending, reason: &str| {
        rows.extend((1..=count).map(|number| {
            row(format!("({kind} {number} of {count})"), SiteId::new("")).ended(ending.clone(), reason.to_owned())
        }));
    };
    let unnamed = counts.quarantined.saturating_sub(quarantined.len() as u64);
    let cause = "the queue was not asked why".to_owned();
    numbered(
        unnamed,
        "quarantined",
        Ending::BrowserFailed { cause },
        "every attempt was lost; `rutter quarantine list` says why",
    );
    numbered(counts.cancelled, "cancelled", Ending::Interrupted, "cancelled before an attempt came to its end");
    numbered(counts.pending, "not ended", Ending::Interrupted, "no attempt has come to its end yet");
    Unjudged { rows, pending: counts.pending as usize }
}

/// What a row is about.
struct Row {
    job: JobId,
    campaign: CampaignId,
    task: TaskId,
    site: SiteId,
    planner: String,
}

impl Row {
    /// Of a job whose attempts were all lost.
    fn lost(self, lost: &Quarantined) -> Outcome {
        let cause = causes(lost);
        let ending = match lost.failure {
            Failure::PlannerAway => Ending::PlannerFailed { cause: cause.clone() },
            Failure::Unusable => Ending::EnvironmentFailed { cause: cause.clone() },
            Failure::NoSlot | Failure::SessionLost | Failure::BrowserCrashed | Failure::WorkerLost => {
                Ending::BrowserFailed { cause: cause.clone() }
            }
        };
        self.ended(ending, cause)
    }

    fn ended(self, ending: Ending, reason: String) -> Outcome {
        let Row { job, campaign, task, site, planner } = self;
        Outcome {
            job,
            campaign,
            episode: EpisodeId(Uuid::nil()),
            fence: Fence(0),
            task,
            site,
            planner,
            verdict: Verdict { kind: VerdictKind::InvalidEnvironment, reason, evidence: Vec::new() },
            ending,
            reward: None,
            steps: 0,
            usage: Usage::default(),
            wall_ms: 0.0,
            incidents: Vec::new(),
            trajectory: BlobRef::new(""),
        }
    }
}

/// Why attempts were lost: each cause once, with how often it came.
fn causes(lost: &Quarantined) -> String {
    let mut counted: Vec<(&str, usize)> = Vec::new();
    for cause in &lost.causes {
        match counted.iter_mut().find(|(known, _)| known == cause) {
            Some((_, times)) => *times += 1,
            None => counted.push((cause, 1)),
        }
    }
    let told = counted.iter().map(|(cause, times)| match times {
        1 => (*cause).to_owned(),
        _ => format!("{cause} ({times} times)"),
    });
    let told: Vec<String> = told.collect();
    let told = if told.is_empty() { lost.failure.as_str().replace('_', " ") } else { told.join("; ") };
    match lost.causes.len() {
        0 | 1 => format!("the attempt was lost: {told}"),
        attempts => format!("all {attempts} attempts were lost: {told}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::job::{BenchmarkTask, Work};

    fn job(id: &str) -> Job {
        let task = BenchmarkTask { benchmark: "shop".into(), task: TaskId::new(id), seed: 1, relaxed: false };
        Job { id: JobId::new(id), campaign: CampaignId::new("run"), work: Work::Benchmark(task) }
    }

    fn quarantined(id: &str, failure: Failure, causes: &[&str]) -> Quarantined {
        Quarantined {
            campaign: CampaignId::new("run"),
            job: JobId::new(id),
            site: SiteId::new("shop"),
            failure,
            causes: causes.iter().map(|cause| (*cause).to_owned()).collect(),
            fence: Fence(3),
        }
    }

    #[test]
    fn every_job_without_an_outcome_has_a_row_that_says_why() {
        let lost = quarantined("b", Failure::SessionLost, &["no answer", "no answer", "gone"]);
        let Unjudged { rows, pending } =
            of_run((&[job("a"), job("b"), job("c")], "ground", "go on"), &BTreeSet::new(), &[lost]);
        assert_eq!((rows.len(), pending), (3, 2));
        assert!(rows.iter().all(|row| row.verdict.kind == VerdictKind::InvalidEnvironment));
        assert_eq!(rows[1].verdict.reason, "all 3 attempts were lost: no answer (2 times); gone");
        assert!(rows[2].verdict.reason.contains("go on"));
    }

    #[test]
    fn a_job_with_an_outcome_has_no_second_row() {
        let judged = BTreeSet::from([JobId::new("a")]);
        assert!(of_run((&[job("a")], "ground", "go on"), &judged, &[]).rows.is_empty());
    }

    #[test]
    fn of_a_campaign_there_are_as_many_rows_as_jobs_although_not_all_have_a_name() {
        let lost = quarantined("b", Failure::PlannerAway, &["nobody decides"]);
        let counts = Counts { quarantined: 2, cancelled: 1, pending: 3 };
        let Unjudged { rows, pending } = of_campaign(&CampaignId::new("run"), &[lost], counts);
        assert_eq!((rows.len(), pending), (6, 3));
        assert!(rows.iter().all(|row| !row.verdict.reason.is_empty()));
        assert!(matches!(rows[0].ending, Ending::PlannerFailed { .. }));
        let jobs: BTreeSet<&JobId> = rows.iter().map(|row| &row.job).collect();
        assert_eq!(jobs.len(), 6);
    }
}
