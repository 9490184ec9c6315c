//! Several fields in one reply. Those behind the first are filled in one after the other, each a step of its own, as long as the page
//! stays as it was.

use crate::page::{Act, Actions, complete};
use crate::reply::FilledField;
use domain::action::ActionKind;
use domain::locator::LocateOutcome;
use domain::{Action, DecisionRequest, Descriptor, Effect, Observation};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// What is still to be filled in of a reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fields(VecDeque<Action<Descriptor>>);

impl Fields {
    /// What a reply fills in beside its action, up to the first that cannot be filled in, and what is wrong with that.
    pub fn of(observation: &Observation, actions: &Actions, more: Vec<FilledField>) -> (Self, Option<String>) {
        let field = |filled: FilledField| {
            let act = complete::chosen(actions, Some(filled.chosen_action))?;
            if !matches!(act, Act::On(_, ActionKind::Type | ActionKind::Select)) {
                return Err(format!("{} is no field", filled.chosen_action));
            }
            let action = complete::with_content(observation, act, Some(filled.text), false)?;
            action.try_map(|element| {
                Descriptor::of(observation, *element).ok_or_else(|| "the field is not there".to_owned())
            })
        };
        let mut fields = VecDeque::new();
        for filled in more {
            match field(filled) {
                Ok(action) => fields.push_back(action),
                Err(cause) => return (Self(fields), Some(format!("of the fields to fill in: {cause}"))),
            }
        }
        (Self(fields), None)
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next one. What is left is forgotten where the step before did more than fill in its field, or the field is gone: the model
    /// has to see that first.
    pub fn next(&mut self, request: &DecisionRequest) -> Option<Action> {
        let described = self.0.pop_front()?;
        let found = described.try_map(|element| match element.locate(&request.observation) {
            LocateOutcome::Found(element) => Ok(element),
            LocateOutcome::Healed { .. } | LocateOutcome::Missing => Err(()),
        });
        let action = found.ok().filter(|_| is_as_before(request));
        if action.is_none() {
            self.0.clear();
        }
        action
    }
}

/// Whether the last step changed its field and nothing else of the page.
fn is_as_before(request: &DecisionRequest) -> bool {
    let is_only_filled = request.history.last().is_some_and(|last| {
        let of = last.action.element().map(|element| element.title()).unwrap_or_default();
        matches!(last.effect, Effect::Changed { .. })
            && last.difference.appeared.is_empty()
            && last.difference.went.is_empty()
            && last.difference.more == 0
            && last.difference.changed.iter().all(|change| change.of == of)
            && last.url == request.observation.url
    });
    is_only_filled && request.refusal.is_none() && request.observation.dialog.is_none()
}
