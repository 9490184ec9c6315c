//! Stages and studies of every shape.

use super::{text, verdict_kind};
use domain::stage::{EndedJob, JobEnd, Stage, StageWork, Stages, Study, StudyKind};
use domain::{BlobRef, EpisodeId, JobId, SiteId, TaskId};
use proptest::collection::vec;
use proptest::prelude::*;
use uuid::Uuid;

pub(in crate::tests) fn stages() -> impl Strategy<Value = Stages> {
    let does = prop_oneof![
        vec(verdict_kind(), 0..3).prop_map(StageWork::Again),
        Just(StageWork::Study(StudyKind::Steadiness)),
    ];
    let stage = (text(), vec(text(), 0..3), does).prop_map(|(name, of, does)| Stage { name, of, does });
    (any::<u64>(), vec(stage, 0..3)).prop_map(|(jobs, then)| Stages { jobs, then })
}

pub(in crate::tests) fn study() -> impl Strategy<Value = Study> {
    let judged = (any::<u128>(), verdict_kind(), text(), text()).prop_map(|(episode, verdict, reason, trajectory)| {
        let (episode, trajectory) = (EpisodeId(Uuid::from_u128(episode)), BlobRef(trajectory));
        JobEnd::Judged { episode, verdict, reason, trajectory }
    });
    let end = prop_oneof![judged, Just(JobEnd::Quarantined), Just(JobEnd::Cancelled)];
    let ended = (text(), text(), text(), text(), end).prop_map(|(job, stage, task, site, end)| EndedJob {
        job: JobId(job),
        stage,
        task: TaskId(task),
        site: SiteId(site),
        end,
    });
    vec(ended, 0..3).prop_map(|of| Study { kind: StudyKind::Steadiness, of })
}
