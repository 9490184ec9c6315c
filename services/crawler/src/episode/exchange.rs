//! Input and output of the episode machine.

use domain::decision::{Decision, DecisionRequest, PlannerError, Screenshot, TaskContext};
use domain::environment::EnvironmentError;
use domain::page::{Acted, PageError};
use domain::task::Limits;
use domain::{Action, Ending, EpisodeId, JobId, Observation, Step};
use std::sync::Arc;
use std::time::Duration;

/// Configuration of an attempt.
#[derive(Clone, Debug)]
pub struct Config {
    /// The job.
    pub job: JobId,
    /// The attempt.
    pub episode: EpisodeId,
    /// Limits that end the attempt.
    pub limits: Limits,
    /// Whether it explores: then any page with controls is usable.
    pub explores: bool,
    /// Whether a picture is taken before every action.
    pub picture_every_step: bool,
    /// Seed for the decider's random choices.
    pub seed: u64,
    /// Whether the environment can reset the task.
    pub can_reset: bool,
    /// Context for planners beside the task.
    pub context: Arc<TaskContext>,
}

/// An input of the machine.
#[derive(Debug)]
pub enum Event {
    /// The environment set up the task.
    Began {
        /// The task in words.
        instruction: String,
    },
    /// The environment could not set up the task.
    NotBegun(EnvironmentError),
    /// The time limit was reached before the page opened.
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
    /// The environment is not over.
    Ongoing,
    /// The environment ended the episode by itself.
    EnvironmentOver,
    /// The page or its browser failed.
    PageFailed(PageError),
    /// The time limit was reached during another command.
    TimeRanOut,
    /// The process was asked to end.
    Interrupted,
}

/// An output of the machine: what to do next.
#[derive(Debug)]
pub enum Command {
    /// Take the first observation, once the page is there.
    Look,
    /// Observe the page.
    Observe,
    /// Ask the decider.
    Decide(Box<DecisionRequest>),
    /// Wait.
    Pause(Duration),
    /// Reset the task.
    Reset,
    /// Take a picture.
    Picture,
    /// Perform an action that was decided on this observation.
    Act(Action, Arc<Observation>),
    /// Record the step.
    Record(Box<Step>),
    /// Ask the environment whether it is over.
    Poll,
    /// The attempt has ended.
    Finish(Ending),
}
