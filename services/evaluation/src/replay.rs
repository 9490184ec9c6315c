//! Replays a recorded test: the decider that needs neither planner nor model.
//!
//! It never guesses, and it never goes on as if. An element that is not surely the recorded one is waited for a little, a step
//! that could not be done is tried again, and then the test has drifted.

use async_trait::async_trait;
use domain::action::Claim;
use domain::decision::{Choice, Decider, Decision, DecisionRequest, Level, PlannerError};
use domain::locator::Located;
use domain::page::Page;
use domain::test::{self, Heal, Test, TestStep};
use domain::{Action, Descriptor, Effect, ElementId, Observation, Step, Usage};
use serde_json::Value;

/// How long to wait, one after the other, for an element that is not there yet: a recording was slower than its replay.
pub const WAITS: [u32; 2] = [200, 800];

/// The progress of a replay through its test.
#[derive(Debug)]
pub struct Replay {
    steps: Vec<TestStep>,
    /// How many steps were handed out.
    done: usize,
    /// How often the next step's element was waited for, or the step tried again.
    waited: usize,
    heals: Vec<Heal>,
    /// What was handed out and not looked at since.
    pending: Option<Pending>,
}

/// A step that was handed out, or what it is to lead to.
#[derive(Debug)]
struct Pending {
    /// How many steps the attempt had before it.
    taken: usize,
    heals: Vec<Heal>,
    /// Whether the step was carried out, and only its change is waited for.
    is_late: bool,
}

/// What became of a step.
enum Became {
    Done,
    /// It may be done yet.
    Again(String),
    /// It was carried out, and may show later what it did.
    Late(String),
    Drifted(String),
}

impl Replay {
    /// A replay from the beginning.
    pub fn new(test: &Test) -> Self {
        Self { steps: test.steps.clone(), done: 0, waited: 0, heals: Vec::new(), pending: None }
    }

    /// The next choice on what the page shows now, after these steps of the attempt.
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
        match bind(&step.action, observation, number, &mut heals) {
            Ok(action) => {
                let reason = match heals.first() {
                    Some(heal) => format!("{} (healed: {:?} instead of {:?})", step.reason, heal.to, heal.from),
                    None => step.reason.clone(),
                };
                self.pending = Some(Pending { taken: history.len(), heals, is_late: false });
                self.done += 1;
                (Choice::Act(action), reason)
            }
            Err(missing) => self
                .wait(|| format!("{} is not there yet", missing.title()))
                .unwrap_or_else(|| drifted(number, missing.missing(observation))),
        }
    }

    /// Looks at what became of the step before. `Some` where that is to be answered before any other step.
    fn look_back(&mut self, observation: &Observation, history: &[Step]) -> Option<(Choice, String)> {
        let pending = self.pending.take()?;
        let number = self.done as u32;
        let Some((recorded, now)) =
            self.steps.get(self.done - 1).zip(history.get(pending.taken..).and_then(<[Step]>::last))
        else {
            self.done -= 1; // it never reached the page
            return None;
        };
        let became = match pending.is_late {
            true if now.effect.is_change() => Became::Done,
            true => Became::Late(nothing_changed(number)),
            false => became(recorded, now, observation, number, !pending.heals.is_empty()),
        };
        match became {
            Became::Done => {
                self.heals.extend(pending.heals);
                self.waited = 0;
                None
            }
            Became::Again(cause) => {
                self.done -= 1;
                Some(self.wait(|| format!("{cause}; it is tried again")).unwrap_or_else(|| drifted(number, cause)))
            }
            Became::Late(cause) => Some(match self.wait(|| format!("{cause} yet")) {
                Some(wait) => {
                    self.pending = Some(Pending { taken: history.len(), is_late: true, ..pending });
                    wait
                }
                None => drifted(number, cause),
            }),
            Became::Drifted(cause) => Some(drifted(number, cause)),
        }
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

/// Holds what a step did against what it did when it was recorded.
fn became(recorded: &TestStep, now: &Step, observation: &Observation, number: u32, is_healed: bool) -> Became {
    let is_input = matches!(
        recorded.action,
        Action::Type { .. } | Action::Select { .. } | Action::Check { .. } | Action::Upload { .. }
    );
    let became = match (&recorded.effect, &now.effect) {
        (_, Effect::Failed { cause }) => Became::Again(format!("step {number} could not be done: {cause}")),
        (Some(Effect::LeftScope { .. }), Effect::LeftScope { .. }) => Became::Done,
        (_, Effect::LeftScope { url }) => Became::Drifted(format!("step {number} leads outside the scope, to {url}")),
        (Some(Effect::Rejected { .. }), Effect::Rejected { .. }) => Became::Done,
        (_, Effect::Rejected { message }) if is_input => {
            Became::Again(format!("what step {number} puts in is refused: {message}"))
        }
        (Some(Effect::Changed { what }), Effect::NoChange) if !is_input && shows(what) => {
            Became::Late(nothing_changed(number))
        }
        _ => Became::Done,
    };
    match (became, is_healed) {
        (Became::Done, true) => match elsewhere(recorded, now, observation) {
            Some(cause) => Became::Drifted(format!("step {number} was healed, and {cause}")),
            None => Became::Done,
        },
        (became, _) => became,
    }
}

/// Whether more changed than what a person would not miss: a control that is pressed twice has the focus already.
fn shows(what: &[String]) -> bool {
    what.iter().any(|what| !matches!(what.as_str(), "focus" | "scroll" | "state"))
}

/// Why a healed step did not lead where the recorded one led: another element may be the one that was meant, and only the same
/// successor says that it is.
fn elsewhere(recorded: &TestStep, now: &Step, observation: &Observation) -> Option<String> {
    let (Some(then), effect) = (&recorded.effect, &now.effect) else { return None };
    if then.is_change() && !effect.is_change() {
        return Some("did not change what the recorded one changed".to_owned());
    }
    let has = |effect: &Effect, kind: &str| matches!(effect, Effect::Changed { what } if what.iter().any(|what| what == kind));
    if let Some(kind) =
        ["url", "dialog", "tabs", "download"].into_iter().find(|kind| has(then, kind) != has(effect, kind))
    {
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

/// Finds the elements of a recorded action on the page, and notes which locators had to be healed.
fn bind(
    action: &Action<Descriptor>,
    observation: &Observation,
    step: u32,
    heals: &mut Vec<Heal>,
) -> Result<Action<ElementId>, Box<Descriptor>> {
    action.try_map(|descriptor| match descriptor.locate(observation) {
        Located::Found(element) => Ok(element),
        Located::Healed { element, rank } => {
            if let (Some(from), Some(to)) = (descriptor.locators.first(), descriptor.locators.get(rank)) {
                heals.push(Heal { step, from: from.clone(), to: to.clone() });
            }
            Ok(element)
        }
        Located::Missing => Err(Box::new(descriptor.clone())),
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
