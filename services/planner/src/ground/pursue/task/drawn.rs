//! Fields that a page draws itself: lists that show what is chosen and open when they are pressed, and sliders.

use super::super::{Pursuer, Pursuit, aside, describe};
use super::form::Form;
use crate::ground::commands::{same_concept, speaks_of, telling_words};
use crate::ground::measure::{Quantity, read};
use crate::ground::names::{contradict, likeness};
use crate::ground::task::Given;
use crate::ground::words::tokens;
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

/// Whether a value says that something is to be on.
pub(super) fn is_yes(value: &str) -> bool {
    matches!(value.to_lowercase().as_str(), "yes" | "on" | "true" | "checked" | "selected")
}

/// A value as a field for numbers takes it: without its unit, where the field names that unit itself.
pub(super) fn without_unit(field: &Node, value: &str) -> String {
    let shown = tokens(&format!("{} {} {}", field.name, field.context, field.attribute("placeholder")));
    let is_number = |word: &String| word.starts_with(|sign: char| sign.is_ascii_digit());
    let mut units = tokens(value).into_iter().filter(|word| !is_number(word));
    // Such words say of what it is a number, and there is no other scale of it on a page.
    const PLAIN: [&str; 8] = ["degrees", "degree", "percent", "pieces", "items", "people", "persons", "guests"];
    let is_shown = |unit: &String| shown.iter().any(|word| same_concept(word, unit)) || PLAIN.contains(&unit.as_str());
    match read_only_number(value) {
        Some(number) if units.all(|unit| is_shown(&unit)) => number.to_string(),
        _ => value.to_owned(),
    }
}

/// The number of a text that holds one.
fn read_only_number(text: &str) -> Option<f64> {
    let mut numbers = tokens(text).into_iter().filter(|word| word.starts_with(|sign: char| sign.is_ascii_digit()));
    numbers.next().filter(|_| numbers.next().is_none())?;
    read(Quantity::Number, text)
}

impl Pursuer<'_> {
    /// The one radio button of a form that is called as the value, where its group speaks of what it is a value of.
    pub(super) fn radio_for(&self, form: &Form, given: &Given, labels: &[String]) -> Option<ElementId> {
        let radios: Vec<(ElementId, &Node, &String)> = form
            .fields
            .iter()
            .zip(labels)
            .filter_map(|(id, label)| Some((*id, self.node(*id)?, label)))
            .filter(|(_, node, _)| node.role == "radio")
            .collect();
        let mut called = radios.iter().filter(|(_, _, label)| given.is_called(label));
        let (radio, node, _) = called.next().filter(|_| called.next().is_none())?;
        let says = |text: &str| tokens(text).iter().any(|word| same_concept(word, &given.field));
        // The words of a form speak of its only group.
        let is_only_group = radios.iter().all(|(_, other, _)| other.attribute("name") == node.attribute("name"));
        let group = self
            .scene
            .observation
            .ancestors(*radio)
            .find(|(_, node)| node.role == "radiogroup" || node.role == "group" || node.tag == "fieldset");
        let speaks = says(node.attribute("name"))
            || group.is_some_and(|(_, group)| says(&group.name))
            || (is_only_group && self.form_speaks_of(form, &given.field));
        // `the morning group`: of the only group there is, whatever it is called.
        let speaks = speaks || (is_only_group && given.field == "group");
        (speaks && !given.field.is_empty()).then_some(*radio)
    }

    /// Opens a list that is drawn, then takes the value from it; none where it is chosen already.
    pub(super) fn take_from_drawn_list(&mut self, list: ElementId, given: &Given, key: String) -> Option<Pursuit> {
        let node = self.node(list)?;
        let value = given.value.as_str();
        if given.is_called(shown_by(node)) {
            self.memory.filled.push(key);
            return None;
        }
        // Not by its name, which may hold what is chosen.
        let opened = format!("list|{}|{}|{}|{}", node.frame, node.role, node.xpath, node.attribute("id"));
        let title = describe(node);
        if !self.memory.tried.contains(&opened) {
            self.memory.tried.push(opened);
            return Some(aside(self.click(list, "opens the list to choose in", 0.85, false)));
        }
        let observation = self.scene.observation;
        let is_offered = |id: ElementId, node: &Node| match node.role.as_str() {
            "option" => true,
            "menuitem" | "menuitemradio" => observation.ancestors(id).any(|(_, around)| around.role == "menu"),
            _ => false,
        };
        let offered: Vec<(ElementId, &str)> = self
            .scene
            .elements()
            .filter(|(id, node)| is_offered(*id, node) && !node.states.disabled)
            .map(|(id, node)| (id, node.label()))
            .collect();
        let most = offered.iter().filter_map(|(_, label)| likeness(value, label)).min();
        let is_most = |label: &str| most.is_some() && likeness(value, label) == most;
        let is_exact = |label: &str| is_most(label) || (most.is_none() && given.is_called(label));
        let exact: Vec<&(ElementId, &str)> = offered.iter().filter(|(_, label)| is_exact(label)).collect();
        let like: Vec<&(ElementId, &str)> = offered
            .iter()
            .filter(|(_, label)| {
                !given.quoted
                    && !contradict(value, label)
                    && speaks_of(label, value)
                    && telling_words(label).len() <= telling_words(value).len() + 2
            })
            .collect();
        match (if exact.is_empty() { like } else { exact }).as_slice() {
            [(option, _)] => {
                let option = *option;
                self.memory.filled.push(key);
                Some(self.click(option, &format!("is what {title} is to be"), 0.88, false))
            }
            [] if offered.is_empty() => Some(Pursuit::Stuck(format!("{title} shows nothing to choose from"))),
            [] => {
                let labels: Vec<&str> = offered.iter().take(6).map(|(_, label)| *label).collect();
                let offers = labels.join("\", \"");
                Some(Pursuit::Unclear(format!("{title} does not offer \"{value}\"; offered are \"{offers}\"")))
            }
            several => {
                Some(Pursuit::Unclear(format!("ambiguous: {} entries that are open are \"{value}\"", several.len())))
            }
        }
    }

    /// Moves a slider that is drawn towards a value, by one key at a time; none where it stands there.
    pub(super) fn move_slider(&mut self, slider: ElementId, value: &str, key: String) -> Option<Pursuit> {
        let node = self.node(slider)?;
        let title = describe(node);
        let (Some(wanted), Some(now)) = (read_only_number(value), read_only_number(shown_by(node))) else {
            return Some(Pursuit::Unclear(format!("{title} does not show which number it stands at")));
        };
        if (wanted - now).abs() < f64::EPSILON {
            self.memory.filled.push(key);
            return None;
        }
        let place = format!("slider|{}|{}|{}|", node.frame, node.xpath, node.name);
        // How far it was at each press, the last one last.
        let far: Vec<f64> =
            self.memory.tried.iter().filter_map(|tried| tried.strip_prefix(&place)?.parse().ok()).collect();
        let distance = (wanted - now).abs();
        if far.is_empty() && !node.states.focused {
            self.memory.tried.push(format!("{place}{}", f64::MAX));
            return Some(aside(self.click(slider, "is what is moved by keys then", 0.85, false)));
        }
        let comes_nearer = far.last().is_none_or(|before| distance < *before);
        // Keys that another control gets do something else.
        if !node.states.focused || !comes_nearer || far.len() > PRESSES {
            return Some(Pursuit::Unclear(format!(
                "{title} cannot be moved to {value}: it stands at {}",
                shown_by(node)
            )));
        }
        self.memory.tried.push(format!("{place}{distance}"));
        let keys = if wanted > now { "ArrowRight" } else { "ArrowLeft" }.to_owned();
        Some(self.step(Action::Press { keys }, format!("moves {title} towards {value}"), 0.85, false))
    }
}
