//! What comes after a stage. Pure: jobs are made of what ended, under ids that follow from it.

use domain::campaign::Campaign;
use domain::job::Work;
use domain::stage::{
    BETWEEN, EndedJob, JobEnd, NextStage, Stage, StageEnd, StageWork, Stages, Study, StudyKind, handed_in,
};
use domain::storage::jobs::Submission;
use domain::verdict::VerdictKind;
use domain::{Job, JobId};

/// The stages that campaigns can have.
#[derive(Clone, Copy, Debug, Default)]
pub struct StageRules;

impl NextStage for StageRules {
    fn next(&self, ended: &StageEnd) -> Vec<Submission> {
        let Some(stages) = &ended.campaign.stages else { return Vec::new() };
        let Some(stage) = ended.over.checked_sub(1).and_then(|place| stages.then.get(place)) else { return Vec::new() };
        let before = before(stages, stage, ended);
        match &stage.does {
            StageWork::Again(verdicts) => {
                let again = before.into_iter().filter(|(_, job)| is_wanted(verdicts, &job.end));
                again.map(|(submission, _)| once_more(submission, &stage.name)).collect()
            }
            StageWork::Study(kind) => study(*kind, stage, &before, &ended.campaign).into_iter().collect(),
        }
    }
}

/// The jobs that a stage is made of.
fn before<'a>(stages: &Stages, stage: &Stage, ended: &'a StageEnd) -> Vec<&'a (Submission, EndedJob)> {
    let last = stages.name(ended.over - 1);
    let is_of = |job: &EndedJob| match (stage.of.as_slice(), &stage.does) {
        ([], StageWork::Again(_)) => job.stage == last,
        ([], StageWork::Study(_)) => true,
        (of, _) => of.contains(&job.stage),
    };
    ended.jobs.iter().filter(|(submission, job)| !submission.job.work.is_study() && is_of(job)).collect()
}

fn is_wanted(verdicts: &[VerdictKind], end: &JobEnd) -> bool {
    match end {
        JobEnd::Judged { verdict, .. } if verdicts.is_empty() => !verdict.is_success(),
        JobEnd::Judged { verdict, .. } => verdicts.contains(verdict),
        JobEnd::Quarantined => verdicts.is_empty(),
        JobEnd::Cancelled => false,
    }
}

/// The same work under an id of its own.
fn once_more(submission: &Submission, stage: &str) -> Submission {
    let id = JobId::new(format!("{}{BETWEEN}{stage}", handed_in(&submission.job.id)));
    Submission { job: Job { id, ..submission.job.clone() }, ..submission.clone() }
}

/// The job of a study; none when there is nothing that it could be about.
fn study(kind: StudyKind, stage: &Stage, of: &[&(Submission, EndedJob)], campaign: &Campaign) -> Option<Submission> {
    let trace_parent = of.first()?.0.trace_parent.clone();
    let of = match kind {
        StudyKind::Steadiness => of.iter().map(|(_, ended)| ended.clone()).collect(),
    };
    let work = Work::Study(Box::new(Study { kind, of }));
    let job = Job { id: JobId::new(format!("{BETWEEN}{}", stage.name)), campaign: campaign.id.clone(), work };
    let (_, site) = job.names();
    Some(Submission { job, site, host: kind.host(), trace_parent })
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::campaign::PlannerRef;
    use domain::job::BenchmarkTask;
    use domain::{BlobRef, CampaignId, EpisodeId, SiteId, TaskId};
    use uuid::Uuid;

    fn submission(id: &str) -> Submission {
        let task = BenchmarkTask { benchmark: "suite".into(), task: TaskId::new("t"), seed: 1, relaxed: false };
        let job = Job { id: JobId::new(id), campaign: CampaignId::new("run"), work: Work::Benchmark(task) };
        Submission { job, site: SiteId::new("suite"), host: "suite".into(), trace_parent: "trace".into() }
    }

    fn ended(id: &str, stage: &str, end: JobEnd) -> (Submission, EndedJob) {
        let submission = submission(id);
        let (task, site) = submission.job.names();
        let job = EndedJob { job: submission.job.id.clone(), stage: stage.into(), task, site, end };
        (submission, job)
    }

    fn judged(verdict: VerdictKind) -> JobEnd {
        let (episode, trajectory) = (EpisodeId(Uuid::nil()), BlobRef::new("0"));
        JobEnd::Judged { episode, verdict, reason: "so".into(), trajectory }
    }

    fn stage(name: &str, of: &[&str], does: StageWork) -> Stage {
        Stage { name: name.to_owned(), of: of.iter().map(|of| (*of).to_owned()).collect(), does }
    }

    fn stages(then: &[Stage]) -> Campaign {
        let stages = Some(Stages { jobs: 1, then: then.to_vec() });
        Campaign { stages, ..Campaign::new(CampaignId::new("run"), PlannerRef::named("ground")) }
    }

    fn next(campaign: &Campaign, over: usize, jobs: &[(Submission, EndedJob)]) -> Vec<Submission> {
        StageRules.next(&StageEnd { campaign: campaign.clone(), over, jobs: jobs.to_vec() })
    }

    fn ids(jobs: &[Submission]) -> Vec<&str> {
        jobs.iter().map(|submission| submission.job.id.as_str()).collect()
    }

    #[test]
    fn what_did_not_pass_is_tried_again_as_it_was_handed_in() {
        let campaign = stages(&["again", "more"].map(|name| stage(name, &[], StageWork::Again(Vec::new()))));
        let mut jobs = vec![
            ended("a", "first", judged(VerdictKind::Passed)),
            ended("b", "first", judged(VerdictKind::NotAchieved)),
            ended("c", "first", JobEnd::Quarantined),
            ended("d", "first", JobEnd::Cancelled),
            ended("e", "first", judged(VerdictKind::PassedHealed)),
        ];
        let again = next(&campaign, 1, &jobs);
        assert_eq!(ids(&again), ["b~again", "c~again"]);
        let expected =
            Submission { job: Job { id: JobId::new("b~again"), ..jobs[1].0.job.clone() }, ..jobs[1].0.clone() };
        assert_eq!(again[0], expected);
        jobs.push(ended("b~again", "again", judged(VerdictKind::Passed)));
        jobs.push(ended("c~again", "again", judged(VerdictKind::Unverified)));
        assert_eq!(ids(&next(&campaign, 2, &jobs)), ["c~more"], "of the stage before it alone");
        assert!(next(&campaign, 3, &jobs).is_empty(), "there are no more stages");
    }

    #[test]
    fn a_stage_may_name_what_it_is_made_of() {
        let campaign = stages(&[
            stage("again", &[], StageWork::Again(vec![VerdictKind::Failed])),
            stage("twice", &["first"], StageWork::Again(vec![VerdictKind::Passed])),
        ]);
        let jobs = [ended("a", "first", judged(VerdictKind::Failed)), ended("b", "first", judged(VerdictKind::Passed))];
        assert_eq!(ids(&next(&campaign, 1, &jobs)), ["a~again"]);
        assert_eq!(ids(&next(&campaign, 2, &jobs)), ["b~twice"]);
    }

    #[test]
    fn a_study_is_about_all_before_it_and_needs_no_host() {
        let campaign = stages(&[stage("end", &[], StageWork::Study(StudyKind::Steadiness))]);
        let jobs = [ended("a", "first", judged(VerdictKind::Failed)), ended("b", "first", JobEnd::Quarantined)];
        let next_jobs = next(&campaign, 1, &jobs);
        let [only] = next_jobs.as_slice() else { panic!("{next_jobs:?}") };
        assert_eq!((only.job.id.as_str(), only.host.as_str()), ("~end", "study:steadiness"));
        let Work::Study(study) = &only.job.work else { panic!("{only:?}") };
        assert_eq!(study.of.iter().map(|ended| ended.job.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    }
}
