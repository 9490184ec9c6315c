//! What the machine is told, and what it answers.

use domain::decision::{Decision, DecisionRequest, PlannerError, Screenshot, TaskContext};
use domain::environment::EnvironmentError;
use domain::page::{Acted, PageError};
use domain::task::Limits;
use domain::{Action, Ending, EpisodeId, JobId, Observation, Step};
use std::sync::Arc;
use std::time::Duration;

/// What an attempt is about.
#[derive(Clone, Debug)]
pub struct Config {
    /// The job.
    pub job: JobId,
    /// The attempt.
    pub episode: EpisodeId,
    /// When to stop by force.
    pub limits: Limits,
    /// Whether it explores: then a page is of use whatever controls it has.
    pub explores: bool,
    /// Whether a picture is taken before every action.
    pub picture_every_step: bool,
    /// Seed for the decider's random choices.
    pub seed: u64,
    /// Whether the environment can begin the task again.
    pub can_reset: bool,
    /// What planners are told beside the task.
    pub context: Arc<TaskContext>,
}

/// What happened.
#[derive(Debug)]
pub enum Event {
    /// The environment brought the page to the start of the task.
    Began {
        /// The task in words.
        instruction: String,
    },
    /// The environment could not.
    NotBegun(EnvironmentError),
    /// The limit of wall time came before the page was there.
    NotOpened,
    /// The page was observed.
    Observed(Observation),
    /// The decider answered.
    Decided(Decision),
    /// The decider could not answer.
    PlannerFailed(PlannerError),
    /// A pause is over.
    Paused,
    /// A picture was taken.
    Pictured(Screenshot),
    /// An action was carried out.
    Acted(Acted),
    /// The step was recorded.
    Recorded,
    /// The environment goes on.
    Ongoing,
    /// The environment ended the episode by itself.
    EnvironmentOver,
    /// The page or its browser failed.
    PageFailed(PageError),
    /// The limit of wall time came while something else was awaited.
    TimeRanOut,
    /// The process was asked to end.
    Interrupted,
}

/// What is to be done next.
#[derive(Debug)]
pub enum Command {
    /// Look at the page that the task begins with, once it is there.
    Look,
    /// Observe the page.
    Observe,
    /// Ask the decider.
    Decide(Box<DecisionRequest>),
    /// Do nothing for some time.
    Pause(Duration),
    /// Reset the task, and begin it again.
    Reset,
    /// Take a picture.
    Picture,
    /// Carry out an action that was decided on this observation.
    Act(Action, Arc<Observation>),
    /// Record the step.
    Record(Box<Step>),
    /// Ask the environment whether it is over.
    Poll,
    /// Nothing more.
    Finish(Ending),
}
