//! The feasible actions of a page, numbered and described for a model (METHODS section 1, step 1a).
//!
//! One line of JSON per element: its operations with their numbers, then what tells it apart. A model can only answer
//! with one of the numbers; what has no number cannot be done. Uploads and files are never offered.

use super::look::{Identity, common_start, identity, look, shorten};
use super::options::HxAgentOptions;
use domain::action::{ActionKind, Direction};
use domain::observation::{Interactivity, Node, Visibility};
use domain::{ElementId, Observation};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};

/// Something that can be done, still without its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// An operation on an element.
    On(ElementId, ActionKind),
    /// Scrolls the page.
    Scroll(Direction),
    /// Scrolls an element.
    ScrollIn(ElementId, Direction),
    /// Makes this tab the current one.
    SwitchTab(u32),
    /// Any other action without element.
    Do(ActionKind),
}

/// What a page offers.
#[derive(Clone, Debug, Default)]
pub(super) struct Choices {
    /// The action of number n stands at n − 1.
    pub(super) acts: Vec<Act>,
    /// One JSON object per line.
    pub(super) lines: Vec<String>,
    /// First number of each listed element.
    pub(super) numbers: BTreeMap<u32, u32>,
    /// Elements that were left out for lack of space.
    pub(super) left_out: usize,
    /// What each listed element looks like in words, without its place.
    looks: HashMap<u32, String>,
}

impl Choices {
    pub(super) fn of(observation: &Observation, went_back: bool, steps: usize, options: &HxAgentOptions) -> Self {
        let mut choices = Choices::default();
        if let Some(dialog) = &observation.dialog {
            let mut line = Map::new();
            line.insert("accept dialog".into(), choices.number(Act::Do(ActionKind::AcceptDialog)));
            line.insert("dismiss dialog".into(), choices.number(Act::Do(ActionKind::DismissDialog)));
            line.insert("kind".into(), json!(dialog.kind));
            line.insert("message".into(), json!(dialog.message));
            choices.lines.push(Value::Object(line).to_string());
            return choices;
        }
        choices.elements(observation, options);
        choices.general(observation, went_back, steps, options);
        choices
    }

    /// The action of a number, if there is one.
    pub(super) fn get(&self, number: i64) -> Option<Act> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        self.acts.get(index).copied()
    }

    /// The numbers of all actions that read like this one, itself included.
    pub(super) fn alike(&self, act: Act) -> Vec<u32> {
        let Act::On(element, kind) = act else { return Vec::new() };
        let look = self.looks.get(&element.0);
        let same = |other: &Act| match other {
            Act::On(id, other_kind) => *other_kind == kind && self.looks.get(&id.0) == look,
            _ => false,
        };
        (1u32..).zip(&self.acts).filter(|(_, other)| same(other)).map(|(number, _)| number).collect()
    }

    /// What was told of an element.
    pub(super) fn line_of(&self, element: ElementId) -> Option<String> {
        self.looks.get(&element.0).cloned()
    }

    fn number(&mut self, act: Act) -> Value {
        self.acts.push(act);
        json!(self.acts.len())
    }

    fn elements(&mut self, observation: &Observation, options: &HxAgentOptions) {
        let (listed, left_out) = listed(observation, options.max_elements);
        self.left_out = left_out;
        let mut times: HashMap<Identity<'_>, usize> = HashMap::new();
        for (_, node) in &listed {
            *times.entry(identity(node)).or_default() += 1;
        }
        let by_place = |node: &Node| {
            let ambiguous = node.label().is_empty() || times.get(&identity(node)).is_some_and(|n| *n > 1);
            (options.every_xpath || ambiguous) && !node.xpath.is_empty()
        };
        let paths = listed.iter().filter(|(_, node)| by_place(node)).map(|(_, node)| node.xpath.as_str());
        let base = common_start(paths);
        if !base.is_empty() {
            self.lines.push(json!({"base": base}).to_string());
        }
        for (id, node) in listed {
            let look = look(node);
            self.looks.insert(id.0, Value::Object(look.clone()).to_string());
            let mut line = self.numbered(id, node);
            line.extend(look);
            if by_place(node) {
                let path = if base.is_empty() { node.xpath.clone() } else { format!(".{}", &node.xpath[base.len()..]) };
                line.insert("xpath".into(), json!(path));
            }
            match node.visibility {
                Visibility::Visible => {}
                Visibility::Offscreen => drop(line.insert("seen".into(), json!("after scrolling"))),
                Visibility::Covered => drop(line.insert("seen".into(), json!("covered"))),
                Visibility::OnHover => drop(line.insert("seen".into(), json!("while its item is hovered"))),
            }
            self.lines.push(Value::Object(line).to_string());
        }
    }

    /// The operations of an element, each with a number of its own.
    fn numbered(&mut self, id: ElementId, node: &Node) -> Map<String, Value> {
        let mut line = Map::new();
        self.numbers.insert(id.0, self.acts.len() as u32 + 1);
        for kind in operations(node) {
            if kind == ActionKind::Scroll {
                line.insert("scroll down in".into(), self.number(Act::ScrollIn(id, Direction::Down)));
                line.insert("scroll up in".into(), self.number(Act::ScrollIn(id, Direction::Up)));
            } else {
                line.insert(verb(node, kind).to_owned(), self.number(Act::On(id, kind)));
            }
        }
        line
    }

    fn general(&mut self, observation: &Observation, went_back: bool, steps: usize, options: &HxAgentOptions) {
        let mut line = Map::new();
        for kind in &options.general_actions {
            match kind {
                ActionKind::Press => drop(line.insert("press keys".into(), self.number(Act::Do(*kind)))),
                ActionKind::Goto => drop(line.insert("open address".into(), self.number(Act::Do(*kind)))),
                ActionKind::Wait => drop(line.insert("wait".into(), self.number(Act::Do(*kind)))),
                ActionKind::NewTab => drop(line.insert("open tab".into(), self.number(Act::Do(*kind)))),
                ActionKind::Back if steps > 0 => drop(line.insert("go back".into(), self.number(Act::Do(*kind)))),
                ActionKind::Forward if went_back => {
                    drop(line.insert("go forward".into(), self.number(Act::Do(*kind))));
                }
                ActionKind::CloseTab if observation.tabs.len() > 1 => {
                    drop(line.insert("close tab".into(), self.number(Act::Do(*kind))));
                }
                ActionKind::SwitchTab => {
                    for (index, tab) in (0u32..).zip(&observation.tabs).filter(|(_, tab)| !tab.current) {
                        let title = format!("switch to tab {}", shorten(&tab.url, 60));
                        let number = self.number(Act::SwitchTab(index));
                        line.insert(title, number);
                    }
                }
                ActionKind::Scroll => {
                    let view = &observation.viewport;
                    if view.scroll_y + view.height < view.scroll_height {
                        line.insert("scroll down".into(), self.number(Act::Scroll(Direction::Down)));
                    }
                    if view.scroll_y > 0.0 {
                        line.insert("scroll up".into(), self.number(Act::Scroll(Direction::Up)));
                    }
                }
                _ => {}
            }
        }
        if !line.is_empty() {
            self.lines.push(Value::Object(line).to_string());
        }
    }
}

/// The elements to list, in document order, and how many are left out: those out of sight go first.
fn listed(observation: &Observation, most: usize) -> (Vec<(ElementId, &Node)>, usize) {
    let all: Vec<(ElementId, &Node)> =
        observation.interactive().filter(|(_, node)| !operations(node).is_empty()).collect();
    if all.len() <= most {
        return (all, 0);
    }
    let left_out = all.len() - most;
    let (seen, unseen): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|(_, node)| node.visibility == Visibility::Visible);
    let mut kept: Vec<_> = seen.into_iter().chain(unseen).take(most).collect();
    kept.sort_by_key(|(id, _)| *id);
    (kept, left_out)
}

/// The operations that are offered on an element. A checkbox is checked rather than clicked; hovering is offered only
/// where something is likely to come of it.
fn operations(node: &Node) -> Vec<ActionKind> {
    if node.states.disabled {
        return Vec::new();
    }
    let checkable = node.allows(ActionKind::Check);
    let hovers = !node.attribute("aria-haspopup").is_empty()
        || node.role == "menuitem"
        || !node.allows(ActionKind::Click)
        || (node.interactive_by == Some(Interactivity::Listener) && !node.allows(ActionKind::Type));
    let offered = |kind: &ActionKind| match kind {
        ActionKind::Click => !checkable && !node.allows(ActionKind::Select),
        ActionKind::Hover => hovers && !checkable,
        ActionKind::Type | ActionKind::Select | ActionKind::Check | ActionKind::Drag | ActionKind::Scroll => true,
        _ => false,
    };
    node.operations.iter().copied().filter(offered).collect()
}

fn verb(node: &Node, kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::Type => "type",
        ActionKind::Select => "select",
        ActionKind::Check if node.states.checked == Some(true) => "uncheck",
        ActionKind::Check => "check",
        ActionKind::Hover => "hover",
        ActionKind::Drag => "drag",
        _ => "click",
    }
}
