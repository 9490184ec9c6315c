//! The planner of the wizards: does what the page says and costs next to nothing. No model, no state, no chance.

use crate::wizard::{ANSWER, NEXT};
use async_trait::async_trait;
use domain::action::ActionKind;
use domain::decision::{Choice, Level, PlannerError};
use domain::{Action, Decision, DecisionRequest, ElementId, Node, Observation, Planner, Usage};
use serde_json::Value;

/// Follows a wizard to its end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Follower;

#[async_trait]
impl Planner for Follower {
    fn name(&self) -> &str {
        "follower"
    }

    async fn decide(&self, request: DecisionRequest) -> Result<Decision, PlannerError> {
        let (action, reason) = next(&request.observation);
        Ok(Decision {
            choice: Choice::Act(action),
            reason: reason.to_owned(),
            confidence: 1.0,
            level: Level::Ground,
            usage: Usage::default(),
            incidents: Vec::new(),
            memory: Value::Null,
        })
    }
}

/// The next action and why.
pub fn next(observation: &Observation) -> (Action, &'static str) {
    if let Some((element, _)) = interactive(observation, |node| node.name == NEXT) {
        return (Action::click(element), "the page offers to go on");
    }
    let field = interactive(observation, |node| node.name == ANSWER && node.allows(ActionKind::Type));
    if let Some((element, _)) = field {
        return match code(observation) {
            Some(text) => (Action::Type { element, text, submit: false }, "the page asks for its code"),
            None => (Action::give_up("the page asks for a code that it does not show"), "there is no code"),
        };
    }
    if observation.nodes.iter().any(|node| node.text.ends_with("is complete.")) {
        return (Action::done(), "the page says that the order is complete");
    }
    (Action::give_up("the page offers no way on"), "nothing on the page leads on")
}

fn interactive(observation: &Observation, wanted: impl Fn(&Node) -> bool) -> Option<(ElementId, &Node)> {
    observation.interactive().find(|(_, node)| wanted(node))
}

/// The code in a page's note.
fn code(observation: &Observation) -> Option<String> {
    let note = observation.nodes.iter().find_map(|node| node.text.split_once("with the code "))?.1;
    Some(note.trim_end_matches('.').to_owned())
}
