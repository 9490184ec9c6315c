//! From a chosen act and the content that a model wrote to an action. Every content is checked here: it is typed, pressed or
//! opened as it is, never interpreted.
//!
//! Errors are sentences for an invalid decision.

use super::act::Act;
use super::actions::Actions;
use domain::action::ActionKind;
use domain::{Action, ElementId, Observation};
use regex::Regex;
use std::sync::LazyLock;

static KEYS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&format!("^({CHORD}|{NAMED}( {NAMED}){{1,19}})$")).expect("a literal is one"));
/// A key, or several that are pressed together.
const CHORD: &str = r"([A-Za-z0-9]{1,20}\+){0,3}([A-Za-z0-9]{1,20}|\S)";
/// One of several after each other: words of a sentence are none.
const NAMED: &str = r"((Control|Shift|Alt|Meta)\+){0,3}(Enter|Escape|Tab|Space|Backspace|Delete|Insert|Home|End|Page(Up|Down)|Arrow(Up|Down|Left|Right)|F[0-9]{1,2}|[A-Za-z0-9])";

/// The act of a number that a model wrote.
///
/// # Errors
/// The number was not listed.
pub fn chosen(actions: &Actions, number: Option<i64>) -> Result<Act, String> {
    let number = number.ok_or("status `act` without a chosen action")?;
    let unlisted = || format!("chosen action {number} is not among the {} listed", actions.acts.len());
    actions.get(number).ok_or_else(unlisted)
}

/// The action of an act that takes no content.
///
/// # Errors
/// It takes some.
pub fn without_content(observation: &Observation, act: Act) -> Result<Action, String> {
    Ok(match act {
        Act::On(element, ActionKind::Click) => Action::click(element),
        Act::On(element, ActionKind::Hover) => Action::Hover { element },
        Act::On(element, ActionKind::Check) => {
            let checked = observation.node(element).and_then(|node| node.states.checked);
            Action::Check { element, checked: !checked.unwrap_or(false) }
        }
        Act::ScrollIn(element, direction) => Action::Scroll { element: Some(element), direction },
        Act::Scroll(direction) => Action::Scroll { element: None, direction },
        Act::SwitchTab(tab) => Action::SwitchTab { tab },
        Act::Reload => address(observation.url.clone())?,
        Act::Do(ActionKind::Back) => Action::Back,
        Act::Do(ActionKind::Forward) => Action::Forward,
        Act::Do(ActionKind::NewTab) => Action::NewTab,
        Act::Do(ActionKind::CloseTab) => Action::CloseTab,
        Act::Do(ActionKind::DismissDialog) => Action::DismissDialog,
        Act::Do(ActionKind::AcceptDialog) => Action::AcceptDialog { text: None },
        Act::Do(ActionKind::Wait) => Action::Wait { milliseconds: 1_000 },
        other => return Err(format!("{other:?} needs content")),
    })
}

/// The action of an act and the content that was written with it: the text for a field, the label of an option, keys, an
/// address, the answer to a dialog.
///
/// # Errors
/// The content does not fit the act, or there is none for an act that takes some.
pub fn with_content(
    observation: &Observation,
    act: Act,
    content: Option<String>,
    submit: bool,
) -> Result<Action, String> {
    let Some(content) = content else {
        let is_asked = act == Act::Do(ActionKind::AcceptDialog) && asks_for_text(observation);
        return if is_asked { Err("the dialog asks for a text".to_owned()) } else { without_content(observation, act) };
    };
    match act {
        Act::On(element, ActionKind::Type) => Ok(Action::Type { element, text: content, submit }),
        Act::On(element, ActionKind::Select) => {
            let labels = labels(observation, element);
            let same = |label: &&String| label.trim().eq_ignore_ascii_case(content.trim());
            let label = labels.iter().find(same).cloned().ok_or_else(|| format!("`{content}` is no option"))?;
            Ok(Action::Select { element, options: vec![label] })
        }
        Act::Do(ActionKind::Press) => keys(content),
        Act::Do(ActionKind::Goto) => address(content),
        Act::Do(ActionKind::AcceptDialog) => {
            let text = asks_for_text(observation).then_some(content);
            Ok(Action::AcceptDialog { text })
        }
        other => without_content(observation, other),
    }
}

/// Pressing a key or a chord, or several after each other.
///
/// # Errors
/// It is none.
pub fn keys(keys: String) -> Result<Action, String> {
    if KEYS.is_match(&keys) { Ok(Action::Press { keys }) } else { Err(format!("`{keys}` is no key")) }
}

/// Opening an address.
///
/// # Errors
/// It is not of the web.
pub fn address(url: String) -> Result<Action, String> {
    let is_web = url.starts_with("http://") || url.starts_with("https://");
    if is_web { Ok(Action::Goto { url }) } else { Err(format!("`{url}` is no http or https address")) }
}

/// Choosing options of a list by their numbers, from 1.
///
/// # Errors
/// No number, or one that the list does not have.
pub fn select(observation: &Observation, element: ElementId, numbers: &[i64]) -> Result<Action, String> {
    let labels = labels(observation, element);
    if numbers.is_empty() {
        return Err("no option was chosen".to_owned());
    }
    let label =
        |number: &i64| usize::try_from(*number).ok()?.checked_sub(1).and_then(|index| labels.get(index)).cloned();
    let unlisted = |number: &i64| format!("chosen option {number} is not among the {} listed", labels.len());
    let options: Result<Vec<String>, String> =
        numbers.iter().map(|number| label(number).ok_or_else(|| unlisted(number))).collect();
    Ok(Action::Select { element, options: options? })
}

/// Dragging an element onto that of a number.
///
/// # Errors
/// The number names no element.
pub fn drag(actions: &Actions, element: ElementId, onto: i64) -> Result<Action, String> {
    match chosen(actions, Some(onto))? {
        Act::On(onto, _) | Act::ScrollIn(onto, _) => Ok(Action::Drag { element, onto }),
        _ => Err(format!("{onto} is no element to drop on")),
    }
}

/// The labels of a list's options.
pub fn labels(observation: &Observation, element: ElementId) -> Vec<String> {
    let node = observation.node(element);
    node.map(|node| node.options.iter().map(|option| option.label.clone()).collect()).unwrap_or_default()
}

/// Whether the open dialog takes a text.
pub fn asks_for_text(observation: &Observation) -> bool {
    observation.dialog.as_ref().is_some_and(|dialog| dialog.kind == "prompt")
}
