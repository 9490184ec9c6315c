//! Fields that a page draws itself: lists that show what is chosen and open when they are pressed, and sliders.

use super::super::{Pursuer, Pursuit, aside, describe};
use crate::ground::commands::{speaks_of, telling_words};
use crate::ground::measure::{Quantity, read};
use crate::ground::names::same;
use domain::ElementId;
use domain::action::{Action, ActionKind};
use domain::observation::Node;

/// How often an arrow key is pressed to move a slider.
const PRESSES: usize = 60;

/// Whether a node is a list that is drawn.
pub(super) fn is_drawn_list(node: &Node) -> bool {
    let opens_values = node.role == "combobox" || node.attribute("aria-haspopup") == "listbox";
    let takes_text = node.allows(ActionKind::Type) && !node.states.readonly;
    opens_values && node.allows(ActionKind::Click) && !takes_text && !node.allows(ActionKind::Select)
}

/// Whether a node is a slider that is drawn: its value is set by keys, or with the mouse.
pub(super) fn is_slider(node: &Node) -> bool {
    node.role == "slider" && node.allows(ActionKind::Click) && !node.allows(ActionKind::Type)
}

/// Whether a node is a field that is drawn.
pub(super) fn is_drawn(node: &Node) -> bool {
    is_drawn_list(node) || is_slider(node)
}

/// What a list that is drawn shows as chosen.
pub(super) fn shown_by(node: &Node) -> &str {
    node.value.as_deref().filter(|value| !value.is_empty()).unwrap_or(&node.text)
}

impl Pursuer<'_> {
    /// Opens a list that is drawn, then takes the value from it; none where it is chosen already.
    pub(super) fn take_from_drawn_list(&mut self, list: ElementId, value: &str, key: String) -> Option<Pursuit> {
        let node = self.node(list)?;
        if same(value, shown_by(node)) {
            self.memory.filled.push(key);
            return None;
        }
        // Not by its name, which may hold what is chosen.
        let opened = format!("list|{}|{}|{}", node.frame, node.role, node.xpath);
        let title = describe(node);
        if !self.memory.tried.contains(&opened) {
            self.memory.tried.push(opened);
            return Some(aside(self.click(list, "opens the list to choose in", 0.85, false)));
        }
        let is_option = |node: &Node| matches!(node.role.as_str(), "option" | "menuitem" | "menuitemradio" | "treeitem");
        let offered: Vec<(ElementId, &str)> = self
            .scene
            .elements()
            .filter(|(_, node)| is_option(node) && !node.states.disabled)
            .map(|(id, node)| (id, node.label()))
            .collect();
        let like = || {
            let mut like = offered.iter().filter(|(_, label)| {
                speaks_of(label, value) && telling_words(label).len() <= telling_words(value).len() + 2
            });
            like.next().filter(|_| like.next().is_none())
        };
        let wanted = offered.iter().find(|(_, label)| same(value, label)).or_else(like);
        match (wanted, offered.as_slice()) {
            (Some((option, _)), _) => {
                let option = *option;
                self.memory.filled.push(key);
                Some(self.click(option, &format!("is what {title} is to be"), 0.88, false))
            }
            (None, []) => Some(Pursuit::Stuck(format!("{title} shows nothing to choose from"))),
            (None, offered) => {
                let labels: Vec<&str> = offered.iter().take(6).map(|(_, label)| *label).collect();
                let offers = labels.join("\", \"");
                Some(Pursuit::Unclear(format!("{title} does not offer \"{value}\"; offered are \"{offers}\"")))
            }
        }
    }

    /// Moves a slider that is drawn towards a value, by one key at a time; none where it stands there.
    pub(super) fn move_slider(&mut self, slider: ElementId, value: &str, key: String) -> Option<Pursuit> {
        let node = self.node(slider)?;
        let title = describe(node);
        let number = |text: &str| read(Quantity::Number, text);
        let (Some(wanted), Some(now)) = (number(value), number(shown_by(node))) else {
            return Some(Pursuit::Unclear(format!("{title} does not show which number it stands at")));
        };
        if (wanted - now).abs() < f64::EPSILON {
            self.memory.filled.push(key);
            return None;
        }
        let place = format!("slider|{}|{}", node.frame, node.xpath);
        if !self.memory.tried.contains(&place) {
            self.memory.tried.push(place);
            return Some(aside(self.click(slider, "is what is moved by keys then", 0.85, false)));
        }
        let arrow = if wanted > now { "ArrowRight" } else { "ArrowLeft" };
        let is_arrow = |action: &Action<domain::Descriptor>| matches!(action, Action::Press { keys } if keys.starts_with("Arrow"));
        let pressed: Vec<_> = self.history.iter().rev().take_while(|step| is_arrow(&step.action)).collect();
        let turned = pressed.first().is_some_and(|step| !matches!(&step.action, Action::Press { keys } if keys == arrow));
        let stood = pressed.first().is_some_and(|step| !step.effect.is_change());
        if turned || stood || pressed.len() >= PRESSES {
            return Some(Pursuit::Unclear(format!("{title} cannot be moved to {value}: it stands at {}", shown_by(node))));
        }
        let action = Action::Press { keys: arrow.to_owned() };
        Some(self.step(action, format!("moves {title} towards {value}"), 0.85, false))
    }
}
