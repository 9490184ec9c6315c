//! The floor: any feasible action, each as likely as the next. Repeatable by its seed; never stops by itself.
//!
//! Text to type is drawn from the words of the instruction and of the page. Files are never uploaded and addresses never
//! opened: chance has no business with either.

use crate::registry::{BuildError, Needs, Parts, Registered};
use async_trait::async_trait;
use domain::action::{ActionKind, Direction};
use domain::decision::{Level, PlannerError};
use domain::observation::{Dialog, Node};
use domain::{Action, Choice, Decision, DecisionRequest, ElementId, Observation, Planner, Usage};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Uniform choice among the feasible actions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

const KINDS: [ActionKind; 6] =
    [ActionKind::Click, ActionKind::Type, ActionKind::Select, ActionKind::Check, ActionKind::Hover, ActionKind::Drag];

#[async_trait]
impl Planner for Random {
    fn name(&self) -> &str {
        "random"
    }

    async fn decide(&self, request: DecisionRequest) -> Result<Decision, PlannerError> {
        // The request's seed is that of the episode: the number of the step makes each draw another one.
        let mut rng = StdRng::seed_from_u64(request.seed.wrapping_add((request.history.len() as u64) << 32));
        let action = draw(&request.observation, &request.instruction, &mut rng);
        Ok(Decision {
            choice: Choice::Act(action),
            reason: "drawn at random".to_owned(),
            confidence: 0.0,
            level: Level::Random,
            usage: Usage::default(),
            incidents: Vec::new(),
            memory: serde_json::Value::Null,
        })
    }
}

/// Chance has no parameters: its seed is that of the episode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RandomOptions {}

impl Registered for Random {
    const NAME: &'static str = "random";
    const HELP: &'static str = "Chance: the floor of every comparison";
    const NEEDS: Needs = Needs::NOTHING;
    type Options = RandomOptions;

    fn build(_: RandomOptions, _: &Parts) -> Result<Arc<dyn Planner>, BuildError> {
        Ok(Arc::new(Random))
    }
}

fn draw(observation: &Observation, instruction: &str, rng: &mut StdRng) -> Action {
    if let Some(Dialog { kind, .. }) = &observation.dialog {
        let text = (kind == "prompt").then(|| word(observation, instruction, rng));
        return if rng.random_bool(0.5) { Action::AcceptDialog { text } } else { Action::DismissDialog };
    }
    let feasible: Vec<(ElementId, &Node, ActionKind)> = observation
        .interactive()
        .filter(|(_, node)| !node.states.disabled)
        .flat_map(|(id, node)| node.operations.iter().map(move |kind| (id, node, *kind)))
        .filter(|(_, _, kind)| KINDS.contains(kind))
        .collect();
    let scrolls = observation.viewport.scroll_height > observation.viewport.height;
    let index = rng.random_range(0..feasible.len() + usize::from(scrolls || feasible.is_empty()));
    let Some((element, node, kind)) = feasible.get(index).copied() else {
        let direction = if rng.random_bool(0.5) { Direction::Down } else { Direction::Up };
        return Action::Scroll { element: None, direction };
    };
    match kind {
        ActionKind::Type => {
            Action::Type { element, text: word(observation, instruction, rng), submit: rng.random_bool(0.25) }
        }
        ActionKind::Select => match node.options.choose(rng) {
            Some(option) => Action::Select { element, options: vec![option.label.clone()] },
            None => Action::click(element),
        },
        ActionKind::Check => Action::Check { element, checked: !node.states.checked.unwrap_or(false) },
        ActionKind::Hover => Action::Hover { element },
        ActionKind::Drag => match feasible.choose(rng) {
            Some((onto, _, _)) => Action::Drag { element, onto: *onto },
            None => Action::click(element),
        },
        _ => Action::click(element),
    }
}

/// A word of the instruction or the page. Secrets are not words.
fn word(observation: &Observation, instruction: &str, rng: &mut StdRng) -> String {
    let page = observation.nodes.iter().flat_map(|node| node.text.split_whitespace());
    let words: Vec<&str> = instruction
        .split_whitespace()
        .filter(|word| !word.contains("${secret:"))
        .chain(page)
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .collect();
    words.choose(rng).map_or_else(|| "text".to_owned(), |word| (*word).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::observation::Viewport;
    use std::collections::BTreeSet;

    fn node(tag: &str, operations: &[ActionKind]) -> Node {
        Node { tag: tag.into(), operations: operations.to_vec(), ..Node::default() }
    }

    fn page() -> Observation {
        Observation {
            nodes: vec![
                node("button", &[ActionKind::Click]),
                node("input", &[ActionKind::Type]),
                node("p", &[]),
                node("a", &[ActionKind::Click, ActionKind::Hover]),
            ]
            .into(),
            viewport: Viewport { height: 100.0, scroll_height: 100.0, ..Viewport::default() },
            ..Observation::default()
        }
    }

    fn draw_with(seed: u64) -> Action {
        draw(&page(), "Enter \"Anna\" as ${secret:PIN}", &mut StdRng::seed_from_u64(seed))
    }

    #[test]
    fn the_same_seed_draws_the_same_action() {
        for seed in 0..50 {
            assert_eq!(draw_with(seed), draw_with(seed));
        }
    }

    #[test]
    fn every_feasible_action_is_drawn_and_no_other() {
        let drawn: BTreeSet<String> = (0..400)
            .map(|seed| {
                let action = draw_with(seed);
                format!("{:?} {:?}", action.kind(), action.element().expect("an element").0)
            })
            .collect();
        assert_eq!(drawn, ["Click 0", "Click 3", "Hover 3", "Type 1"].map(String::from).into());
    }

    #[test]
    fn secrets_are_never_drawn_as_words() {
        for seed in 0..400 {
            if let Action::Type { text, .. } = draw_with(seed) {
                assert!(!text.contains("secret") && !text.contains("PIN"), "{text}");
            }
        }
    }

    #[test]
    fn an_empty_page_is_scrolled() {
        let action = draw(&Observation::default(), "", &mut StdRng::seed_from_u64(1));
        assert_eq!(action.kind(), ActionKind::Scroll);
    }
}
