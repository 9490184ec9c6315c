//! Stages of campaigns, and studies.

use super::{NOTHING, episode, outcome};
use crate::error::{Error, required};
use crate::v1;
use domain::stage::{EndedJob, JobEnd, Stage, StageWork, Stages, Study, StudyKind};
use domain::verdict::VerdictKind;
use domain::{BlobRef, JobId, SiteId, TaskId};

impl From<&Stages> for v1::Stages {
    fn from(stages: &Stages) -> Self {
        Self { jobs: stages.jobs, then: stages.then.iter().map(Into::into).collect() }
    }
}

impl TryFrom<v1::Stages> for Stages {
    type Error = Error;

    fn try_from(message: v1::Stages) -> Result<Self, Error> {
        let then = message.then.into_iter().map(Stage::try_from).collect::<Result<_, _>>()?;
        Ok(Self { jobs: message.jobs, then })
    }
}

impl From<&Stage> for v1::Stage {
    fn from(stage: &Stage) -> Self {
        use v1::stage::Does;
        let kind = |kind: &VerdictKind| v1::VerdictKind::from(*kind).into();
        let does = match &stage.does {
            StageWork::Again(verdicts) => Does::Again(v1::Again { verdicts: verdicts.iter().map(kind).collect() }),
            StageWork::Study(study) => Does::Study(v1::StudyKind::from(*study).into()),
        };
        Self { name: stage.name.clone(), of: stage.of.clone(), does: Some(does) }
    }
}

impl TryFrom<v1::Stage> for Stage {
    type Error = Error;

    fn try_from(message: v1::Stage) -> Result<Self, Error> {
        use v1::stage::Does;
        let unknown = |cause: String| Error::Invalid { field: "stage.does", cause };
        let does = match required(message.does, "stage.does")? {
            Does::Again(again) => {
                StageWork::Again(again.verdicts().map(outcome::kind).collect::<Result<Vec<_>, Error>>()?)
            }
            Does::Study(kind) => {
                let kind = v1::StudyKind::try_from(kind).map_err(|cause| unknown(cause.to_string()))?;
                StageWork::Study(study_kind(kind, "stage.does")?)
            }
        };
        Ok(Self { name: message.name, of: message.of, does })
    }
}

impl From<StudyKind> for v1::StudyKind {
    fn from(kind: StudyKind) -> Self {
        match kind {
            StudyKind::Steadiness => v1::StudyKind::Steadiness,
        }
    }
}

fn study_kind(message: v1::StudyKind, field: &'static str) -> Result<StudyKind, Error> {
    match message {
        v1::StudyKind::Unspecified => Err(Error::Missing(field)),
        v1::StudyKind::Steadiness => Ok(StudyKind::Steadiness),
    }
}

impl From<&Study> for v1::Study {
    fn from(study: &Study) -> Self {
        Self { kind: v1::StudyKind::from(study.kind).into(), of: study.of.iter().map(Into::into).collect() }
    }
}

impl TryFrom<v1::Study> for Study {
    type Error = Error;

    fn try_from(message: v1::Study) -> Result<Self, Error> {
        let kind = study_kind(message.kind(), "study.kind")?;
        Ok(Self { kind, of: message.of.into_iter().map(EndedJob::try_from).collect::<Result<_, _>>()? })
    }
}

impl From<&EndedJob> for v1::EndedJob {
    fn from(ended: &EndedJob) -> Self {
        use v1::ended_job::End;
        let end = match &ended.end {
            JobEnd::Judged { episode, verdict, reason, trajectory } => End::Judged(v1::JudgedEnd {
                episode: episode.to_string(),
                verdict: v1::VerdictKind::from(*verdict).into(),
                reason: reason.clone(),
                trajectory: trajectory.0.clone(),
            }),
            JobEnd::Quarantined => End::Quarantined(NOTHING),
            JobEnd::Cancelled => End::Cancelled(NOTHING),
        };
        Self {
            job: ended.job.0.clone(),
            stage: ended.stage.clone(),
            task: ended.task.0.clone(),
            site: ended.site.0.clone(),
            end: Some(end),
        }
    }
}

impl TryFrom<v1::EndedJob> for EndedJob {
    type Error = Error;

    fn try_from(message: v1::EndedJob) -> Result<Self, Error> {
        use v1::ended_job::End;
        let end = match required(message.end, "ended_job.end")? {
            End::Judged(judged) => JobEnd::Judged {
                episode: episode(&judged.episode, "ended_job.judged.episode")?,
                verdict: outcome::kind(judged.verdict())?,
                reason: judged.reason,
                trajectory: BlobRef(judged.trajectory),
            },
            End::Quarantined(_) => JobEnd::Quarantined,
            End::Cancelled(_) => JobEnd::Cancelled,
        };
        Ok(Self {
            job: JobId(message.job),
            stage: message.stage,
            task: TaskId(message.task),
            site: SiteId(message.site),
            end,
        })
    }
}
