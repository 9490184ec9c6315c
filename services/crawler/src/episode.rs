//! One attempt at a task, as a state machine: *observe → decide → act → check the effect → record*, until it ends.
//!
//! This is the file to read first. Executing a task, replaying a test and solving a benchmark by its own data are this
//! same loop with another decider. [`Episode::next`] takes what happened and answers what to do; [`crate::drive`] does it.
//!
//! The machine never waits, never reads a clock, and knows neither browser nor model: each event carries the time.

mod exchange;
mod silence;

pub use exchange::{Command, Config, Event};

use crate::ending;
use crate::refusal::{self, StartPage};
use crate::situation::{situation, summary};
use domain::action::Claim;
use domain::decision::{Choice, Decision, DecisionRequest, PlannerError, Screenshot};
use domain::page::{Acted, PageError};
use domain::{
    Action, Deciding, Descriptor, ElementId, Ending, Fault, Observation, Step, Usage,
    observation::{Request, RequestKind, Settled},
    trajectory::BEGUN_AGAIN,
};
use evaluation::requests::merge;
use serde_json::Value;
use silence::Silence;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// Consecutive dialogs after which a page counts as opening dialogs without end.
pub const MAX_DIALOGS: u32 = 10;

/// Most page problems noted per attempt.
const INCIDENTS: usize = 200;

/// Most faults recorded per step; the judge gets all of them.
const FAULTS: usize = 100;

/// Most requests recorded per step.
const REQUESTS: usize = 50;

/// After a decision that took longer than this, ask the environment again whether it is over.
const STALE_AFTER: Duration = Duration::from_millis(250);

/// A chosen action that is still to be performed, with the step that will record it.
#[derive(Debug)]
struct Chosen {
    action: Action,
    described: Action<Descriptor>,
    decision: Decision,
    decide_ms: f64,
}

/// The state of an attempt.
#[derive(Debug)]
pub struct Episode {
    config: Config,
    instruction: String,
    observation: Arc<Observation>,
    picture: Option<Screenshot>,
    memory: Value,
    chosen: Option<Chosen>,
    steps: Arc<Vec<Step>>,
    incidents: Vec<String>,
    unplaced_incidents: Vec<String>,
    requests: Vec<Request>,
    faults: Vec<Fault>,
    usage: Usage,
    deciding: Deciding,
    /// Number of tries per situation and action.
    tried: HashMap<u64, u32>,
    invalid: u32,
    refusal: Option<String>,
    /// Number of steps at the latest reset.
    began_at: usize,
    silence: Option<Silence>,
    dialogs: u32,
    first_observed: Option<Duration>,
    asked: Duration,
    acted: Duration,
    polled: Duration,
}

impl Episode {
    /// A machine before its first event.
    pub fn new(config: Config) -> Self {
        Self {
            config,
            instruction: String::new(),
            observation: Arc::new(Observation::default()),
            picture: None,
            memory: Value::Null,
            chosen: None,
            steps: Arc::default(),
            incidents: Vec::new(),
            unplaced_incidents: Vec::new(),
            requests: Vec::new(),
            faults: Vec::new(),
            usage: Usage::default(),
            deciding: Deciding::default(),
            tried: HashMap::new(),
            invalid: 0,
            refusal: None,
            began_at: 0,
            silence: None,
            dialogs: 0,
            first_observed: None,
            asked: Duration::ZERO,
            acted: Duration::ZERO,
            polled: Duration::ZERO,
        }
    }

    /// Handles an event at time `now` since the attempt began, and returns the next command.
    pub fn next(&mut self, event: Event, now: Duration) -> Command {
        match event {
            Event::Began { instruction } => {
                self.instruction = instruction;
                Command::Look
            }
            Event::NotBegun(error) => Command::Finish(ending::of_environment(&error)),
            Event::NotOpened => Command::Finish(ending::not_opened(Duration::from_secs(self.config.limits.seconds))),
            Event::Observed(observation) => {
                let is_first = self.first_observed.is_none();
                self.first_observed.get_or_insert(now);
                self.polled = now;
                self.take_in(observation);
                let names = (!self.config.explores).then_some(self.instruction.as_str());
                match if is_first { refusal::of(&self.observation, names) } else { StartPage::Open } {
                    StartPage::Open => self.ask(now),
                    StartPage::Workable { status } => {
                        self.survive(format!("the page at the start was answered with status {status}"));
                        self.ask(now)
                    }
                    StartPage::Refused { cause } => Command::Finish(Ending::SiteUnreachable { cause }),
                }
            }
            Event::Decided(decision) => self.decided(decision, now),
            Event::PlannerFailed(error) => self.planner_failed(error, now),
            Event::Paused => Command::Decide(self.request()),
            Event::Pictured(picture) => {
                self.picture = Some(picture);
                if self.chosen.is_some() { self.act(now) } else { self.ask(now) }
            }
            Event::Acted(acted) => self.acted(acted, now),
            Event::Recorded => Command::Poll,
            Event::Ongoing => {
                self.polled = now;
                if self.chosen.is_some() { self.act(now) } else { self.ask(now) }
            }
            Event::EnvironmentOver => Command::Finish(Ending::EnvironmentOver),
            Event::PageFailed(error) => self.page_failed(error, now),
            Event::TimeRanOut => self.out_of_time(),
            Event::Interrupted => Command::Finish(Ending::Interrupted),
        }
    }

    /// Time left before the limit of wall time. Opening the page counts, so a page that never loads cannot exceed the
    /// limit.
    pub fn time_left(&self, now: Duration) -> Duration {
        Duration::from_secs(self.config.limits.seconds).saturating_sub(now)
    }

    fn take_in(&mut self, observation: Observation) {
        if let Settled::Never { pending } = &observation.settled {
            self.survive(format!("the page never came to rest, pending: {}", pending.join(", ")));
        }
        if observation.truncated {
            let (kept, address) = (observation.nodes.len(), observation.url.split('#').next().unwrap_or_default());
            self.survive(format!("{address}: only the first {kept} elements were looked at"));
        }
        self.requests.extend(observation.requests.iter().cloned());
        self.faults.extend(observation.faults.iter().cloned());
        self.observation = Arc::new(observation);
        self.picture = None;
    }

    /// Notes a problem, once.
    fn survive(&mut self, trouble: String) {
        if self.incidents.len() < INCIDENTS && !self.incidents.contains(&trouble) {
            self.incidents.push(trouble);
        }
    }

    /// Asks the decider. It is asked even with no step left, because it may claim to be done.
    fn ask(&mut self, now: Duration) -> Command {
        if self.time_left(now).is_zero() {
            return self.out_of_time();
        }
        if self.dialogs >= MAX_DIALOGS {
            return Command::Finish(Ending::DialogLoop { dialogs: self.dialogs });
        }
        self.asked = now;
        Command::Decide(self.request())
    }

    fn request(&self) -> Box<DecisionRequest> {
        Box::new(DecisionRequest {
            episode: self.config.episode,
            job: self.config.job.clone(),
            instruction: self.instruction.clone(),
            observation: Arc::clone(&self.observation),
            history: Arc::clone(&self.steps),
            memory: self.memory.clone(),
            screenshot: self.picture.clone(),
            steps_left: self.config.limits.steps.saturating_sub(self.steps.len() as u32),
            seed: self.config.seed,
            refusal: self.refusal.clone(),
            position: None,
            context: Arc::clone(&self.config.context),
        })
    }

    /// Retries a planner that did not answer until time is over; other failures count as answers. An explorer is not
    /// retried: it remembers the action that it was about to take.
    fn planner_failed(&mut self, error: PlannerError, now: Duration) -> Command {
        self.account_for(ending::usage_of(&error), now);
        let ending = ending::of_planner(&error);
        let PlannerError::Away { cause, .. } = error else { return Command::Finish(ending) };
        if self.config.explores {
            return Command::Finish(ending);
        }
        let left = self.time_left(now);
        let pause = self.silence.get_or_insert_with(Silence::new).next_pause(cause.clone());
        self.survive(format!("the planner did not answer and was asked again: {cause}"));
        if pause < left { Command::Pause(pause) } else { Command::Finish(ending) }
    }

    fn account_for(&mut self, usage: Usage, now: Duration) {
        self.usage += usage;
        if usage.calls > 0 {
            self.deciding.model_ms += milliseconds(now.saturating_sub(self.asked));
        }
    }

    fn decided(&mut self, mut decision: Decision, now: Duration) -> Command {
        self.silence = None;
        self.account_for(decision.usage, now);
        self.memory = std::mem::take(&mut decision.memory);
        self.incidents.extend(decision.incidents.iter().cloned());
        self.unplaced_incidents.append(&mut decision.incidents);
        match std::mem::replace(&mut decision.choice, Choice::NeedScreenshot) {
            Choice::NeedScreenshot if self.picture.is_some() => {
                self.invalid_decision("asked for a picture again although the request held one".to_owned(), now)
            }
            Choice::NeedScreenshot => Command::Picture,
            Choice::Invalid { cause } => self.invalid_decision(cause, now),
            Choice::Drifted { step, cause } => Command::Finish(Ending::Drifted { step, cause }),
            Choice::Reset => self.reset(now),
            Choice::GoBack(state) => {
                let cause =
                    format!("a task cannot go back to a state of the map, so nothing leads back to state {state}");
                self.invalid_decision(cause, now)
            }
            Choice::Act(Action::Stop { claim, answer }) => Command::Finish(Ending::Stopped { claim, answer }),
            Choice::Act(action) => self.choose(action, decision, now),
        }
    }

    /// Resets the task if the environment can and there are steps to undo.
    fn reset(&mut self, now: Duration) -> Command {
        let refusal = if !self.config.can_reset {
            "the task has no reset"
        } else if self.began_at == self.steps.len() {
            "nothing was done since the task began"
        } else {
            (self.began_at, self.invalid, self.dialogs, self.refusal) = (self.steps.len(), 0, 0, None);
            self.tried.clear();
            let begun = format!("{BEGUN_AGAIN} after step {}", self.steps.len());
            self.incidents.push(begun.clone());
            self.unplaced_incidents.push(begun);
            return Command::Reset;
        };
        self.invalid_decision(refusal.to_owned(), now)
    }

    /// Checks an action against the limits before it reaches the page.
    fn choose(&mut self, action: Action, decision: Decision, now: Duration) -> Command {
        let describe = |element: &ElementId| Descriptor::of(&self.observation, *element).ok_or(*element);
        let described = match action.try_map(describe) {
            Ok(described) => described,
            Err(element) => {
                let cause = format!("element {element} is not in the observation");
                return self.invalid_decision(cause, now);
            }
        };
        (self.invalid, self.refusal) = (0, None);
        let limits = self.config.limits;
        if self.steps.len() as u32 >= limits.steps {
            return Command::Finish(Ending::StepLimit { steps: limits.steps });
        }
        let times = self.tried.entry(situation(&self.observation, &action)).or_default();
        if *times >= limits.repeats {
            return Command::Finish(Ending::RepeatedAction { times: *times });
        }
        *times += 1;
        let decide_ms = milliseconds(now.saturating_sub(self.asked));
        self.chosen = Some(Chosen { action, described, decision, decide_ms });
        if self.config.picture_every_step && self.picture.is_none() && self.observation.dialog.is_none() {
            return Command::Picture;
        }
        self.act(now)
    }

    fn act(&mut self, now: Duration) -> Command {
        if self.time_left(now).is_zero() {
            return self.out_of_time();
        }
        if now.saturating_sub(self.polled) > STALE_AFTER {
            return Command::Poll;
        }
        let Some(chosen) = &self.chosen else { return self.ask(now) };
        self.acted = now;
        Command::Act(chosen.action.clone(), Arc::clone(&self.observation))
    }

    fn acted(&mut self, acted: Acted, now: Duration) -> Command {
        let Some(chosen) = self.chosen.take() else { return Command::Observe };
        let dialog_follows_dialog = self.observation.dialog.is_some() && acted.observation.dialog.is_some();
        self.dialogs = if dialog_follows_dialog { self.dialogs + 1 } else { 0 };
        let before = Arc::clone(&self.observation);
        let faults: Vec<Fault> = acted.observation.faults.iter().take(FAULTS).cloned().collect();
        let more = acted.observation.faults.len() - faults.len();
        if more > 0 {
            self.unplaced_incidents.push(format!("{more} more faults followed the action"));
        }
        let step = Step {
            number: self.steps.len() as u32 + 1,
            stamp: before.stamp.clone(),
            url: before.url.clone(),
            title: before.title.clone(),
            summary: summary(&before),
            action: chosen.described,
            reason: chosen.decision.reason,
            confidence: chosen.decision.confidence,
            level: chosen.decision.level,
            effect: acted.effect,
            difference: acted.difference,
            requests: caused(&acted.observation),
            usage: chosen.decision.usage,
            decide_ms: chosen.decide_ms,
            act_ms: milliseconds(now.saturating_sub(self.acted)),
            at_ms: milliseconds(now),
            faults,
            incidents: std::mem::take(&mut self.unplaced_incidents),
            screenshot: None,
        };
        // The decider has dropped its reference by now, so nothing is copied.
        Arc::make_mut(&mut self.steps).push(step.clone());
        self.take_in(acted.observation);
        Command::Record(Box::new(step))
    }

    fn invalid_decision(&mut self, cause: String, now: Duration) -> Command {
        self.invalid += 1;
        self.deciding.invalid += 1;
        self.refusal = Some(cause.clone());
        if self.invalid >= self.config.limits.invalid {
            return Command::Finish(Ending::InvalidDecisions { cause });
        }
        self.unplaced_incidents.push(format!("invalid decision: {cause}"));
        self.incidents.push(format!("invalid decision: {cause}"));
        self.ask(now)
    }

    /// After a stale action, which was certainly not performed, the page is observed and the decider asked again. A
    /// secret that the task does not name is the decider's mistake. Every other error ends the attempt.
    fn page_failed(&mut self, error: PageError, now: Duration) -> Command {
        let chosen = self.chosen.take();
        match error {
            PageError::Stale { .. } if chosen.is_some() && self.invalid + 1 < self.config.limits.invalid => {
                self.invalid += 1;
                self.deciding.invalid += 1;
                self.refusal = Some(error.to_string());
                self.incidents.push(error.to_string());
                Command::Observe
            }
            PageError::Secret { ref name, .. } if !self.instruction.contains(&domain::secret::placeholder(name)) => {
                self.invalid_decision(error.to_string(), now)
            }
            other => Command::Finish(ending::of_page(&other)),
        }
    }

    /// Ends the attempt at the time limit. If no planner answered, this says nothing about the task.
    fn out_of_time(&mut self) -> Command {
        Command::Finish(match self.silence.take() {
            Some(silence) => Ending::PlannerFailed { cause: silence.cause },
            None => Ending::TimeLimit { seconds: self.config.limits.seconds },
        })
    }

    /// The last observation; empty before the first.
    pub fn observation(&self) -> &Arc<Observation> {
        &self.observation
    }

    /// Whether the page was observed at least once.
    pub fn has_observed(&self) -> bool {
        self.first_observed.is_some()
    }

    /// The picture of the current observation, if taken.
    pub fn picture(&self) -> Option<&Screenshot> {
        self.picture.as_ref()
    }

    /// Ends the machine at time `now` since the attempt began, and returns what it gathered.
    pub fn into_parts(self, now: Duration) -> Parts {
        Parts {
            instruction: self.instruction,
            wall_ms: self.first_observed.map_or(0.0, |first| milliseconds(now.saturating_sub(first))),
            observation: self.first_observed.map(|_| self.observation),
            requests: self.requests,
            faults: self.faults,
            usage: self.usage,
            deciding: self.deciding,
            incidents: self.incidents,
        }
    }
}

/// What an attempt gathered.
#[derive(Debug)]
pub struct Parts {
    /// The task in words.
    pub instruction: String,
    /// The last observation, where there was one.
    pub observation: Option<Arc<Observation>>,
    /// Every observed request, oldest first.
    pub requests: Vec<Request>,
    /// Every observed fault, oldest first.
    pub faults: Vec<Fault>,
    /// Cost of all decisions.
    pub usage: Usage,
    /// What deciding took beside its cost.
    pub deciding: Deciding,
    /// All problems that did not end the attempt, oldest first.
    pub incidents: Vec<String>,
    /// Wall time from the first observation.
    pub wall_ms: f64,
}

/// The answer in an ending; only a claim to be done carries one.
pub fn answer_of(ending: &Ending) -> Option<String> {
    match ending {
        Ending::Stopped { claim: Claim::Done, answer } => answer.clone(),
        _ => None,
    }
}

/// The requests of an action that its step records, each once, without subresources of a document.
fn caused(after: &Observation) -> Vec<Request> {
    let counts = |request: &&Request| !request.refused && request.kind != RequestKind::Resource;
    let mut requests = merge(after.requests.iter().filter(counts).cloned());
    requests.truncate(REQUESTS);
    requests
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
