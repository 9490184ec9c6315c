//! Leaving a field by what is pressed next. A page may change a value when its field is left: clamp it, round it, clear it. That is looked
//! for between the two halves of the press that leaves it, so that the press does not hand in another value than was meant.

use super::Profile;
use super::acting::{ActionResult, NotDone};
use crate::input::Input;
use crate::probe::{self, Target};
use crate::secret::SECRET;
use crate::snapshot::Origin;
use domain::effect::CHANGED_AS_LEFT;
use domain::text::shorten;
use domain::value::holds;
use domain::{Action, ElementId, Node, Observation};

/// Longest value told, in characters.
const TOLD: usize = 100;

/// A field into which the last action typed.
pub(super) struct Entered {
    field: Origin,
    /// What it was to hold, with secrets in clear.
    meant: String,
    /// Whether that holds a secret: then neither value is told.
    is_secret: bool,
}

impl Entered {
    /// The field of an action that typed into it and has not left it by its own keys.
    pub(super) fn by(action: &Action, field: Option<Origin>, meant: Option<String>) -> Option<Entered> {
        let Action::Type { text, submit: false, .. } = action else { return None };
        let meant = meant.filter(|meant| !meant.is_empty())?;
        Some(Entered { field: field?, meant, is_secret: text.contains(SECRET) })
    }
}

impl Profile {
    /// Presses an element once. Where a field was typed into right before, the button is held down until it was seen what the page does as
    /// the field is left; if it changed the value, the rest of the press is kept from the page.
    pub(super) async fn press_once(
        &mut self,
        pressed: ElementId,
        target: &Target,
        before: &Observation,
    ) -> ActionResult {
        let click = Input::new().click(target.x, target.y, 1);
        // An exploration means no value of its own.
        let entered = self.entered.take().filter(|_| self.options.guards.is_none());
        let field = entered.and_then(|entered| Some((self.find(&entered.field)?, entered)));
        let field = field.filter(|(field, _)| *field != pressed && before.node(*field).is_some_and(keeps_text));
        let Some((field, entered)) = field else { return self.press(click).await };
        self.press(Input::new().point(target.x, target.y).press()).await?;
        let changed = self.changed_as_left(field, &entered, before).await;
        if changed.is_some() {
            let origin = self.origin(pressed)?;
            self.wire.call(&origin.place, probe::WITHHOLD, &[origin.key.into()]).await?;
        }
        self.input(Input::new().release()).await?;
        changed.map_or(Ok(()), |cause| Err(NotDone::Failed(cause)))
    }

    /// What the page made of a value as its field was left; none where it means the same.
    async fn changed_as_left(&mut self, field: ElementId, entered: &Entered, before: &Observation) -> Option<String> {
        let now = self.read(field).await.ok().filter(|now| !now.focused)?;
        let node = before.node(field)?;
        if now.value == node.value.as_deref().unwrap_or_default() || holds(&entered.meant, &now.value) {
            return None;
        }
        let field = format!("{} \"{}\"", node.role, node.label());
        if entered.is_secret {
            return Some(format!("{CHANGED_AS_LEFT}: {field} does not hold the secret as it is; nothing was pressed"));
        }
        let (now, meant) = (shorten(&now.value, TOLD), shorten(&entered.meant, TOLD));
        Some(format!("{CHANGED_AS_LEFT}: {field} holds \"{now}\" instead of \"{meant}\"; nothing was pressed"))
    }
}

/// Whether a field holds a text that its page shows in clear, and no choice among what it proposes.
fn keeps_text(node: &Node) -> bool {
    node.attribute("type") != "password" && node.role != "combobox" && node.options.is_empty()
}
