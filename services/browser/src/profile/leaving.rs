//! Leaving a field for what is pressed next. What a page does with a value when its field is left (clamps it, rounds it, clears it) is
//! then seen before the press, which would hand in the changed value.

use super::Profile;
use super::acting::{ActionResult, NotDone};
use crate::probe;
use crate::snapshot::Origin;
use crate::wire::WireError;
use domain::effect::CHANGED_AS_LEFT;
use domain::text::shorten;
use domain::value::holds;
use domain::{Action, ElementId, Node, Observation};
use serde_json::Value;

/// Longest value told, in characters.
const TOLD: usize = 100;

/// A field into which the last action typed.
pub(super) struct Entered {
    field: Origin,
    /// What it was to hold, with secrets in clear.
    meant: String,
    /// The highest key of an element that was there before. What has a higher one may be a suggestion, which goes when its field is left.
    known: u64,
}

impl Entered {
    /// The field of an action that typed into it and has not left it by its own keys.
    pub(super) fn by(action: &Action, field: Option<Origin>, meant: Option<String>, known: u64) -> Option<Entered> {
        let meant = meant.filter(|meant| !meant.is_empty() && matches!(action, Action::Type { submit: false, .. }))?;
        Some(Entered { field: field?, meant, known })
    }
}

impl Profile {
    /// Leaves the field that was typed into last, if a button or link that was there before is to be pressed. Fails where the page changes
    /// its value by that, so that the press does not hand in another value than was meant. An exploration means no value of its own.
    pub(super) async fn leave_entered(&mut self, pressed: ElementId, before: &Observation) -> ActionResult {
        let entered = self.entered.take().filter(|_| self.options.guards.is_none());
        let Some(Entered { field, meant, known }) = entered else { return Ok(()) };
        let target = self.origin(pressed)?;
        let leaves = before.node(pressed).is_some_and(|node| matches!(node.role.as_str(), "button" | "link"));
        let Some(element) = self.find(&field).filter(|_| leaves && target.key <= known) else { return Ok(()) };
        let Some(node) = before.node(element).filter(|node| keeps_text(node)) else { return Ok(()) };
        let onto = if target.place == field.place { target.key.into() } else { Value::Null };
        match self.wire.call(&field.place, probe::LEAVE, &[field.key.into(), onto]).await {
            Ok(left) if left == "left" => {}
            Ok(_) | Err(WireError::Replaced | WireError::Closed | WireError::Dialog) => return Ok(()),
            Err(trouble) => return Err(trouble.into()),
        }
        let Ok(now) = self.read(element).await else { return Ok(()) };
        if now.value == node.value.as_deref().unwrap_or_default() || holds(&meant, &now.value) {
            return Ok(());
        }
        let (now, meant) = (shorten(&now.value, TOLD), shorten(&meant, TOLD));
        let field = format!("{} \"{}\"", node.role, node.label());
        Err(NotDone::Failed(format!(
            "{CHANGED_AS_LEFT}: {field} holds \"{now}\" instead of \"{meant}\"; nothing was pressed"
        )))
    }
}

/// Whether a field holds text in clear and offers nothing to choose from: a list of suggestions may close when its field is left.
fn keeps_text(node: &Node) -> bool {
    let offers =
        node.role == "combobox" || node.states.expanded.is_some() || !node.attribute("aria-autocomplete").is_empty();
    node.attribute("type") != "password" && !offers && node.options.is_empty()
}
