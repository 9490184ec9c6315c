//! Whether a control took what it was given, and what it holds instead. Pure.

use super::Deed;
use super::value::holds;
use domain::action::ActionKind;
use domain::text::shorten;
use domain::{Action, ElementId, Node, Observation};

/// Characters of a value that are told.
const TOLD: usize = 100;
/// Characters of a value that are observed.
const OBSERVED: usize = 10_000;
/// Boxes of one character each that take a code between them.
const BOXES: usize = 16;
/// What stands in an observation where a field holds a secret.
const SECRET: &str = "${secret:";

/// Why the control does not hold what it was given.
pub(super) fn failure(deed: &Deed<'_>) -> Option<String> {
    let element = deed.target?;
    let node = deed.after.node(element)?;
    match deed.action {
        Action::Type { text, submit, .. } => typed(deed, element, node, text, *submit),
        Action::Select { options, .. } => selected(node, options),
        Action::Check { checked, .. } => {
            let now = node.states.checked.or(node.states.pressed).or(node.states.selected)?;
            (now != *checked)
                .then(|| format!("the {} is {}", node.role, if now { "still checked" } else { "not checked" }))
        }
        _ => None,
    }
}

/// A toggle that was pressed once and is as it was, although something happened: it was pressed twice, or the page took it back.
/// Where the page shows more than that, a question may come first.
pub(super) fn went_back(deed: &Deed<'_>, what: &[String]) -> Option<String> {
    let Action::Click { element, count: 1, .. } = deed.action else { return None };
    let (before, after) = (deed.before.node(*element)?, deed.target.and_then(|target| deed.after.node(target))?);
    let is_toggle =
        matches!(before.role.as_str(), "checkbox" | "switch" | "menuitemcheckbox") || before.states.pressed.is_some();
    let state = |node: &Node| node.states.checked.or(node.states.pressed);
    let only_itself = what.iter().all(|what| matches!(what.as_str(), "focus" | "scroll" | "request"));
    let is_back =
        is_toggle && !before.states.disabled && only_itself && state(before).is_some() && state(before) == state(after);
    let word = if state(after) == Some(true) { "on" } else { "off" };
    is_back.then(|| format!("the {} is {word} as before", before.role))
}

fn typed(deed: &Deed<'_>, element: ElementId, node: &Node, text: &str, submit: bool) -> Option<String> {
    let (now, meant) = (node.value.as_deref()?, deed.typed?);
    if now.contains(SECRET) || holds(meant, now) {
        return None;
    }
    if now.is_empty() && (submit || is_shown_elsewhere(meant, deed.before, deed.after)) {
        return None; // sent, or made into something of its own, as fields for tags do
    }
    if completes(node, meant, now) || goes_on(meant, now) || is_spread(deed.after, element, meant) {
        return None;
    }
    if text.contains(SECRET) {
        return Some("the field did not take the secret as it is".to_owned());
    }
    let limit = node.constraints.as_ref().and_then(|constraints| constraints.max_length);
    let takes = limit.filter(|limit| meant.chars().count() > *limit as usize);
    let takes = takes.map(|limit| format!(": it takes {limit} characters")).unwrap_or_default();
    Some(format!("the field holds \"{}\" instead of \"{}\"{takes}", shorten(now, TOLD), shorten(meant, TOLD)))
}

/// Whether a field that proposes how to go on did so.
fn completes(node: &Node, meant: &str, now: &str) -> bool {
    let proposes =
        node.role == "combobox" || !node.options.is_empty() || !node.attribute("aria-autocomplete").is_empty();
    let starts = now.to_lowercase().starts_with(&meant.trim().to_lowercase());
    proposes && starts && meant.chars().any(char::is_alphabetic)
}

/// Whether a long value is held as far as it is observed.
fn goes_on(meant: &str, now: &str) -> bool {
    now.len() >= OBSERVED && meant.starts_with(now)
}

/// Whether the fields that follow one another hold the text between them: boxes for the characters of a code.
fn is_spread(page: &Observation, element: ElementId, meant: &str) -> bool {
    let fields = page.elements().skip(element.index()).filter(|(_, node)| node.allows(ActionKind::Type));
    let mut held = String::new();
    for (count, (_, node)) in fields.take(BOXES).enumerate() {
        held.push_str(node.value.as_deref().unwrap_or_default());
        if count > 0 && holds(meant, &held) {
            return true;
        }
    }
    false
}

/// Whether the page shows the text where it did not before.
fn is_shown_elsewhere(meant: &str, before: &Observation, after: &Observation) -> bool {
    let meant = meant.trim().trim_end_matches([',', ';']);
    let count =
        |page: &Observation| page.nodes.iter().filter(|node| node.text.contains(meant) || node.name == meant).count();
    !meant.is_empty() && count(after) > count(before)
}

fn selected(node: &Node, wanted: &[String]) -> Option<String> {
    let same = |left: &str, right: &str| left.split_whitespace().eq(right.split_whitespace());
    let shows = |wanted: &String| {
        let of_itself = node.options.is_empty()
            && [node.value.as_deref().unwrap_or_default(), &node.text, &node.name]
                .into_iter()
                .any(|text| same(text, wanted));
        of_itself || node.options.iter().any(|option| option.selected && same(&option.label, wanted))
    };
    if wanted.iter().all(shows) {
        return None;
    }
    let chosen: Vec<&str> =
        node.options.iter().filter(|option| option.selected).map(|option| option.label.as_str()).collect();
    Some(format!(
        "the {} holds \"{}\" instead of \"{}\"",
        node.role,
        shorten(&chosen.join(", "), TOLD),
        shorten(&wanted.join(", "), TOLD)
    ))
}
