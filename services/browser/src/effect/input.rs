//! Checks whether a control holds the value it was given, and what it holds instead. Pure.

use super::ActionContext;
use crate::secret::SECRET;
use domain::action::ActionKind;
use domain::effect::TAKEN_BY_ANOTHER;
use domain::text::shorten;
use domain::value::holds;
use domain::{Action, ElementId, Node, Observation};

/// Longest value reported, in characters.
const TOLD: usize = 100;
/// Longest value in an observation, in characters.
const OBSERVED: usize = 10_000;
/// Most adjacent single-character fields that a code is split over.
const BOXES: usize = 16;

/// Why the control does not hold its value; none where it does.
pub(super) fn failure(context: &ActionContext<'_>) -> Option<String> {
    if let Some(other) = taken_by_another(context) {
        return Some(format!("{TAKEN_BY_ANOTHER}: {other}"));
    }
    let element = context.target?;
    let node = context.after.node(element)?;
    match context.action {
        Action::Type { text, submit, .. } => typed(context, element, node, text, *submit),
        Action::Select { options, .. } => selected(node, options),
        Action::Check { checked, .. } => {
            let now = node.states.checked.or(node.states.pressed).or(node.states.selected)?;
            (now != *checked)
                .then(|| format!("the {} is {}", node.role, if now { "still checked" } else { "not checked" }))
        }
        _ => None,
    }
}

/// A toggle that was pressed and is unchanged although something happened: it was pressed twice, or the page reverted
/// it. Where the page shows more than that, it may be asking a question first.
pub(super) fn went_back(context: &ActionContext<'_>, what: &[String]) -> Option<String> {
    let Action::Click { element, count: 1, .. } = context.action else { return None };
    let (before, after) =
        (context.before.node(*element)?, context.target.and_then(|target| context.after.node(target))?);
    let is_toggle =
        matches!(before.role.as_str(), "checkbox" | "switch" | "menuitemcheckbox") || before.states.pressed.is_some();
    let state = |node: &Node| node.states.checked.or(node.states.pressed);
    let only_itself = what.iter().all(|what| matches!(what.as_str(), "focus" | "scroll" | "request"));
    let is_back =
        is_toggle && !before.states.disabled && only_itself && state(before).is_some() && state(before) == state(after);
    let word = if state(after) == Some(true) { "on" } else { "off" };
    is_back.then(|| format!("the {} is {word} as before", before.role))
}

/// The control that took what was meant for the target: the end of a typed text, or the state of a box.
fn taken_by_another(context: &ActionContext<'_>) -> Option<String> {
    match context.action {
        Action::Type { .. } => field_that_took_the_end(context),
        Action::Check { element, checked } => box_that_took_the_state(context, *element, *checked),
        _ => None,
    }
}

/// The field that ends of the typed text went into. Fields that take a code between them are meant to.
fn field_that_took_the_end(context: &ActionContext<'_>) -> Option<String> {
    let (element, meant) = (context.target?, context.typed?);
    let holds_all = context.after.node(element)?.value.as_deref().is_some_and(|now| holds(meant, now));
    if !holds_all && is_spread(context.after, element, meant) {
        return None;
    }
    let took = |node: &Node| {
        let is_same = |old: &&Node| old.xpath == node.xpath && old.frame == node.frame && old.role == node.role;
        let old = context.before.nodes.iter().find(is_same)?.value.as_deref()?;
        let new = node.value.as_deref()?.strip_prefix(old)?;
        // The whole text beside a field that holds it, too, is what the page fills in from it.
        let is_copy = holds_all && new == meant;
        (new.chars().count() > 1 && !is_copy && is_made_of_ends(new, meant)).then_some(())
    };
    let others = context.after.elements().filter(|(id, node)| *id != element && node.allows(ActionKind::Type));
    let (_, other) =
        others.filter(|(_, node)| node.attribute("type") != "password").find(|(_, node)| took(node).is_some())?;
    let holds = shorten(other.value.as_deref().unwrap_or_default(), TOLD);
    Some(format!("{} \"{}\" holds \"{holds}\"", other.role, other.label()))
}

/// Whether a text is nothing but ends of another, one after the other: what a field holds that took the focus again and again.
fn is_made_of_ends(text: &str, whole: &str) -> bool {
    let ends: Vec<&str> = whole.char_indices().map(|(at, _)| &whole[at..]).collect();
    // Places in the text up to which it is made of ends. Each is looked at once.
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
        if reached[at] {
            ends.iter().filter(|end| text[at..].starts_with(**end)).for_each(|end| reached[at + end.len()] = true);
        }
    }
    reached[text.len()]
}

/// The box of another name that came into the state in which the target is not. A radio button changes others by itself.
fn box_that_took_the_state(context: &ActionContext<'_>, element: ElementId, wanted: bool) -> Option<String> {
    let meant = context.before.node(element)?;
    if meant.name.is_empty() || meant.role == "radio" {
        return None;
    }
    let is_so = |node: &Node| node.states.checked == Some(wanted);
    let alike = |page: &'_ Observation, name: &str, so: bool| {
        page.nodes.iter().any(|node| node.role == meant.role && node.name == name && is_so(node) == so)
    };
    if alike(context.after, &meant.name, true) {
        return None;
    }
    let took = |node: &&Node| {
        let is_other = node.role == meant.role && node.name != meant.name;
        is_other && is_so(node) && alike(context.before, &node.name, false)
    };
    context.after.nodes.iter().find(took).map(|node| format!("{} \"{}\"", node.role, node.name))
}

fn typed(context: &ActionContext<'_>, element: ElementId, node: &Node, text: &str, submit: bool) -> Option<String> {
    let (now, meant) = (node.value.as_deref()?, context.typed?);
    if now.contains(SECRET) || holds(meant, now) {
        return None;
    }
    if now.is_empty() && (submit || is_shown_elsewhere(meant, context.before, context.after)) {
        return None; // sent, or made into something of its own, as fields for tags do
    }
    if completes(node, meant, now) || goes_on(meant, now) || is_spread(context.after, element, meant) {
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

/// Whether a field with suggestions completed the text.
fn completes(node: &Node, meant: &str, now: &str) -> bool {
    let proposes =
        node.role == "combobox" || !node.options.is_empty() || !node.attribute("aria-autocomplete").is_empty();
    let starts = now.to_lowercase().starts_with(&meant.trim().to_lowercase());
    proposes && starts && meant.chars().any(char::is_alphabetic)
}

/// Whether a long value agrees up to the observed length.
fn goes_on(meant: &str, now: &str) -> bool {
    now.len() >= OBSERVED && meant.starts_with(now)
}

/// Whether adjacent single-character fields hold the text between them, as for a code.
fn is_spread(page: &Observation, element: ElementId, meant: &str) -> bool {
    let fields = page.elements().skip(element.index()).filter(|(_, node)| node.allows(ActionKind::Type));
    let mut held = String::new();
    for (count, (_, node)) in fields.take(BOXES).enumerate() {
        held.push_str(node.value.as_deref().unwrap_or_default());
        if held.is_empty() {
            return false;
        }
        if count > 0 && holds(meant, &held) {
            return true;
        }
    }
    false
}

/// Whether the text newly appeared elsewhere on the page.
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
