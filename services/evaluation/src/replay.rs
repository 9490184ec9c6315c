//! Replays a recorded test: the decider that needs neither planner nor model.
//!
//! It never guesses. It waits shortly for an element that is not certainly the recorded one, longer while the page announces more, retries a step that
//! failed, and otherwise reports that the test has drifted.

use async_trait::async_trait;
use domain::action::Claim;
use domain::decision::{Choice, Decider, Decision, DecisionRequest, Level, PlannerError};
use domain::locator::{LocateOutcome, Locator};
use domain::page::Page;
use domain::test::{self, Heal, Test, TestStep};
use domain::unfinished::{WAITS as ANNOUNCED, is_coming};
use domain::{Action, Descriptor, Effect, ElementId, Observation, Step, Usage};
use serde_json::Value;

/// Kinds of changes by which the effect of one element is told from that of another.
const TELLING: [&str; 4] = ["url", "dialog", "tabs", "download"];

/// Waits, in milliseconds, for an element that is not there yet: recordings run slower than replays.
pub const WAITS: [u32; 2] = [200, 800];

/// The progress of a replay through its test.
#[derive(Debug)]
pub struct Replay {
    steps: Vec<TestStep>,
    /// Number of steps returned.
    done: usize,
    /// Number of waits and retries of the next step.
    waited: usize,
    heals: Vec<Heal>,
    /// The step returned last, whose outcome was not checked yet.
    pending: Option<PendingStep>,
}

/// A returned step whose outcome is still to be checked.
#[derive(Debug)]
struct PendingStep {
    /// Number of steps in the attempt before it.
    taken: usize,
    heals: Vec<Heal>,
    /// Whether the step was performed and only its change is awaited.
    is_late: bool,
}

/// Outcome of a step.
enum StepResult {
    Done,
    /// It failed and can be retried.
    Again(String),
    /// It was performed, and its change may still appear.
    Late(String),
    Drifted(String),
}

impl Replay {
    /// A replay from the beginning.
    pub fn new(test: &Test) -> Self {
        Self { steps: test.steps.clone(), done: 0, waited: 0, heals: Vec::new(), pending: None }
    }

    /// The next choice, given the current page and the attempt's steps.
    pub fn choose(&mut self, observation: &Observation, history: &[Step]) -> (Choice, String) {
        if let Some(refusal) = self.look_back(observation, history) {
            return refusal;
        }
        let Some(step) = self.steps.get(self.done) else {
            let action = Action::Stop { claim: Claim::Done, answer: None };
            return (Choice::Act(action), "every recorded step was replayed".to_owned());
        };
        let number = self.done as u32 + 1;
        let mut heals = Vec::new();
        match bind(step, observation, number, &mut heals) {
            Ok(action) => {
                let reason = match heals.first() {
                    Some(heal) => format!("{} (healed: {:?} instead of {:?})", step.reason, heal.to, heal.from),
                    None => step.reason.clone(),
                };
                self.pending = Some(PendingStep { taken: history.len(), heals, is_late: false });
                self.done += 1;
                (Choice::Act(action), reason)
            }
            Err(missing) => self
                .wait(|| format!("{} is not there yet", missing.title()))
                .or_else(|| self.wait_on(observation, || format!("{} may still come", missing.title())))
                .unwrap_or_else(|| drifted(number, missing.missing(observation))),
        }
    }

    /// Checks the outcome of the previous step. `Some` if it must be handled before the next one.
    fn look_back(&mut self, observation: &Observation, history: &[Step]) -> Option<(Choice, String)> {
        let pending = self.pending.take()?;
        let number = self.done as u32;
        let Some((recorded, now)) =
            self.steps.get(self.done - 1).zip(history.get(pending.taken..).and_then(<[Step]>::last))
        else {
            self.done -= 1; // it never reached the page
            return None;
        };
        let step_result = match pending.is_late {
            true if is_late_change(recorded, &now.effect) => StepResult::Done,
            true => StepResult::Late(nothing_changed(number)),
            false => step_result(recorded, now, observation, number, !pending.heals.is_empty()),
        };
        match step_result {
            StepResult::Done => {
                self.heals.extend(pending.heals);
                self.waited = 0;
                None
            }
            StepResult::Again(cause) => {
                self.done -= 1;
                Some(self.wait(|| format!("{cause}; it is tried again")).unwrap_or_else(|| drifted(number, cause)))
            }
            StepResult::Late(cause) => Some(match self.wait(|| format!("{cause} yet")) {
                Some(wait) => {
                    self.pending = Some(PendingStep { taken: history.len(), is_late: true, ..pending });
                    wait
                }
                None => drifted(number, cause),
            }),
            StepResult::Drifted(cause) => Some(drifted(number, cause)),
        }
    }

    /// Waits longer, while the page says that something is under way.
    fn wait_on(&mut self, observation: &Observation, reason: impl FnOnce() -> String) -> Option<(Choice, String)> {
        let milliseconds = *ANNOUNCED.get(self.waited.checked_sub(WAITS.len())?).filter(|_| is_coming(observation))?;
        self.waited += 1;
        Some((Choice::Act(Action::Wait { milliseconds }), reason()))
    }

    fn wait(&mut self, reason: impl FnOnce() -> String) -> Option<(Choice, String)> {
        let milliseconds = *WAITS.get(self.waited)?;
        self.waited += 1;
        Some((Choice::Act(Action::Wait { milliseconds }), reason()))
    }
}

fn drifted(step: u32, cause: String) -> (Choice, String) {
    (Choice::Drifted { step, cause: cause.clone() }, cause)
}

fn nothing_changed(number: u32) -> String {
    format!("step {number} changed nothing, where it did when recorded")
}

/// Compares a step's effect with the recorded one.
fn step_result(recorded: &TestStep, now: &Step, observation: &Observation, number: u32, is_healed: bool) -> StepResult {
    let is_input = matches!(
        recorded.action,
        Action::Type { .. } | Action::Select { .. } | Action::Check { .. } | Action::Upload { .. }
    );
    let step_result = match (&recorded.effect, &now.effect) {
        (_, Effect::Failed { cause }) => StepResult::Again(format!("step {number} could not be done: {cause}")),
        (Some(Effect::LeftScope { .. }), Effect::LeftScope { .. }) => StepResult::Done,
        (_, Effect::LeftScope { url }) => {
            StepResult::Drifted(format!("step {number} leads outside the scope, to {url}"))
        }
        (Some(Effect::Rejected { .. }), Effect::Rejected { .. }) => StepResult::Done,
        (_, Effect::Rejected { message }) if is_input => {
            StepResult::Again(format!("what step {number} puts in is refused: {message}"))
        }
        (Some(Effect::Changed { what }), Effect::NoChange) if !is_input && shows(what) => {
            StepResult::Late(nothing_changed(number))
        }
        _ => StepResult::Done,
    };
    match (step_result, is_healed) {
        (StepResult::Done, true) => match elsewhere(recorded, now, observation) {
            Some(cause) => StepResult::Drifted(format!("step {number} was healed, and {cause}")),
            None => StepResult::Done,
        },
        (step_result, _) => step_result,
    }
}

/// Whether a change that comes late is of the recorded kinds: a text that ticks is no new page.
fn is_late_change(recorded: &TestStep, now: &Effect) -> bool {
    let (Some(Effect::Changed { what: then }), Effect::Changed { what }) = (&recorded.effect, now) else {
        return now.is_change();
    };
    let told = |kind: &&str| then.iter().any(|what| what == kind);
    let mut telling = TELLING.into_iter().filter(told).peekable();
    match telling.peek() {
        Some(_) => telling.all(|kind| what.iter().any(|what| what == kind)),
        None => shows(what),
    }
}

/// Whether more changed than focus, which a pressed control may already have.
fn shows(what: &[String]) -> bool {
    what.iter().any(|what| !matches!(what.as_str(), "focus" | "scroll" | "state"))
}

/// Why a healed step did not lead to the recorded page. A healed locator may have found another element; only the same
/// successor page confirms it.
fn elsewhere(recorded: &TestStep, now: &Step, observation: &Observation) -> Option<String> {
    let (Some(then), effect) = (&recorded.effect, &now.effect) else { return None };
    if then.is_change() && !effect.is_change() {
        return Some("did not change what the recorded one changed".to_owned());
    }
    let has = |effect: &Effect, kind: &str| matches!(effect, Effect::Changed { what } if what.iter().any(|what| what == kind));
    if let Some(kind) = TELLING.into_iter().find(|kind| has(then, kind) != has(effect, kind)) {
        return Some(format!("its effect on the {kind} is another than the recorded one's"));
    }
    let path = test::path(&observation.url);
    if let Some(led_to) = recorded.led_to.as_ref().filter(|led_to| **led_to != path) {
        return Some(format!("it led to {path} instead of {led_to}"));
    }
    let sent = test::sent(&now.requests);
    (sent != recorded.sent).then(|| {
        let told = |sent: &[String]| if sent.is_empty() { "nothing".to_owned() } else { sent.join(", ") };
        format!("it sent {} instead of {}", told(&sent), told(&recorded.sent))
    })
}

/// Resolves the elements of a recorded action, and notes healed locators.
fn bind(
    step: &TestStep,
    observation: &Observation,
    number: u32,
    heals: &mut Vec<Heal>,
) -> Result<Action<ElementId>, Box<Descriptor>> {
    step.action.try_map(|descriptor| match descriptor.locate(observation) {
        LocateOutcome::Found(element) => Ok(element),
        LocateOutcome::Healed { element, rank } => {
            let to = descriptor.locators.get(rank);
            // A test id alone needs the same effect, and here none is known.
            if step.effect.is_none() && matches!(to, Some(Locator::TestId { .. })) {
                return Err(Box::new(descriptor.clone()));
            }
            if let (Some(from), Some(to)) = (descriptor.locators.first(), to) {
                heals.push(Heal { step: number, from: from.clone(), to: to.clone() });
            }
            Ok(element)
        }
        LocateOutcome::Missing => Err(Box::new(descriptor.clone())),
    })
}

#[async_trait]
impl Decider for Replay {
    fn name(&self) -> &str {
        "replay"
    }

    async fn decide(&mut self, _page: &mut dyn Page, request: DecisionRequest) -> Result<Decision, PlannerError> {
        let (choice, reason) = self.choose(&request.observation, &request.history);
        Ok(Decision {
            choice,
            reason,
            confidence: 1.0,
            level: Level::Replay,
            usage: Usage::default(),
            incidents: Vec::new(),
            memory: Value::Null,
        })
    }

    fn heals(&self) -> Vec<Heal> {
        self.heals.clone()
    }
}
