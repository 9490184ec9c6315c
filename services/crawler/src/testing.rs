//! Test support for this room and others.

use crate::drive::Finished;
use domain::{Deciding, Ending, EpisodeId, Fence, JobId, SiteId, TaskId, Trajectory, Usage};
use uuid::Uuid;

/// The result of an attempt without observations or actions.
pub fn nothing_done(ending: Ending) -> Finished {
    Finished {
        start: None,
        trajectory: Trajectory {
            episode: EpisodeId(Uuid::nil()),
            job: JobId::new("job"),
            fence: Fence(1),
            task: TaskId::new("task"),
            site: SiteId::new("site"),
            instruction: String::new(),
            planner: String::new(),
            steps: Vec::new(),
            ending,
            screenshot: None,
            usage: Usage::default(),
            wall_ms: 0.0,
            downloads: Vec::new(),
            deciding: Deciding::default(),
        },
        observation: None,
        answer: None,
        requests: Vec::new(),
        faults: Vec::new(),
        reward: None,
        incidents: Vec::new(),
        heals: Vec::new(),
        failure: None,
    }
}
