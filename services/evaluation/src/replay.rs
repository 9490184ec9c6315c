//! Replays a recorded test: the decider that needs neither planner nor model.
//!
//! It never guesses. An element that no locator of the recording fits is waited for a little, then the test has drifted.

use async_trait::async_trait;
use domain::action::Claim;
use domain::decision::{Choice, Decider, Decision, DecisionRequest, Level, PlannerError};
use domain::locator::Located;
use domain::page::Page;
use domain::test::{Heal, Test, TestStep};
use domain::{Action, Descriptor, ElementId, Observation, Usage};
use serde_json::Value;

/// How long to wait, one after the other, for an element that is not there yet: a recording was slower than its replay.
pub const WAITS: [u32; 2] = [200, 800];

/// The progress of a replay through its test.
#[derive(Debug)]
pub struct Replay {
    steps: Vec<TestStep>,
    /// How many steps were handed out.
    done: usize,
    /// How often the next step's element was waited for.
    waited: usize,
    heals: Vec<Heal>,
}

impl Replay {
    /// A replay from the beginning.
    pub fn new(test: &Test) -> Self {
        Self { steps: test.steps.clone(), done: 0, waited: 0, heals: Vec::new() }
    }

    /// The next choice on what the page shows now.
    pub fn choose(&mut self, observation: &Observation) -> (Choice, String) {
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
                self.heals.append(&mut heals);
                self.done += 1;
                self.waited = 0;
                (Choice::Act(action), reason)
            }
            Err(missing) => match WAITS.get(self.waited) {
                Some(milliseconds) => {
                    self.waited += 1;
                    let reason = format!("{} is not there yet", missing.title());
                    (Choice::Act(Action::Wait { milliseconds: *milliseconds }), reason)
                }
                None => {
                    let cause =
                        format!("{} was not found by any of its {} locators", missing.title(), missing.locators.len());
                    (Choice::Drifted { step: number, cause: cause.clone() }, cause)
                }
            },
        }
    }
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
        let (choice, reason) = self.choose(&request.observation);
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
