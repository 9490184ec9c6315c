//! Picking the one element that is meant among those that fit: context decides between equals, and nothing else does. Pure.

use super::bind::{Candidate, Scene};
use super::described;
use super::goal::{Count, Target};
use super::item::{is_dialog, is_head_row, is_item, is_modal, item_of, place_of};
use super::names::likeness;
use super::score;
use super::words::{content_tokens, says, tokens};
use domain::ElementId;
use domain::observation::{Node, Observation, SelectOption};

/// Fits that differ by less are equal.
pub(crate) const EQUAL: f64 = 0.004;

/// What picking came to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Pick {
    /// This one is meant.
    One(Candidate),
    /// Several are meant alike; says which.
    Ambiguous(String),
    /// Nothing fits.
    None,
}

/// The option of a list that is called so, most literally; none where several are alike.
pub(crate) fn only_called<'o>(name: &str, options: &'o [SelectOption]) -> Option<&'o SelectOption> {
    let most = options.iter().filter_map(|option| likeness(name, &option.label)).min()?;
    let mut called = options.iter().filter(|option| likeness(name, &option.label) == Some(most));
    called.next().filter(|_| called.next().is_none())
}

/// The one that is meant among candidates that are ordered by fit.
pub(crate) fn pick(scene: &Scene<'_>, target: &Target, candidates: &[Candidate]) -> Pick {
    let Some(top) = candidates.first().copied() else { return Pick::None };
    let equals: Vec<Candidate> =
        candidates.iter().take_while(|candidate| top.score - candidate.score < EQUAL).copied().collect();
    let equals = of_the_month(scene.observation, distinct(scene.observation, equals));
    let first = equals.first().copied().unwrap_or(top);
    if equals.len() < 2 || target.any || target.ordinal.is_some() {
        let is_told =
            || described::region_of(scene, target).is_some_and(|told| told.holds(scene.observation, first.element));
        let is_other = is_of_another(scene.observation, target, first.element) && !is_told();
        return if is_other { Pick::None } else { Pick::One(first) };
    }
    match by_context(scene.observation, &target.around, &equals) {
        Some(one) => Pick::One(one),
        None => Pick::Ambiguous(ambiguity(scene.observation, &target.title(), &equals)),
    }
}

/// Leaves out copies: what cannot be used beside what can, a label beside its control, what is beside an open modal dialog, and
/// further links to the same address.
pub(crate) fn distinct(observation: &Observation, mut equals: Vec<Candidate>) -> Vec<Candidate> {
    let node_of = |candidate: &Candidate| observation.node(candidate.element);
    let usability = |candidate: &Candidate| node_of(candidate).map_or(0, score::usability);
    // What stands beside the viewport is a copy that is not shown: pages are scrolled down, not sideways.
    let width = observation.viewport.width;
    let is_beside = |node: &Node| {
        node.bounds.width > 0.0 && (node.bounds.right() <= 0.0 || (width > 0.0 && node.bounds.x >= width))
    };
    if equals.iter().filter_map(node_of).any(|node| !is_beside(node)) {
        equals.retain(|candidate| node_of(candidate).is_none_or(|node| !is_beside(node)));
    }
    let most = equals.iter().map(usability).max().unwrap_or(0);
    equals.retain(|candidate| usability(candidate) == most);
    let in_dialog = |candidate: &Candidate| observation.ancestors(candidate.element).any(|(_, node)| is_dialog(node));
    let in_modal = |candidate: &Candidate| observation.ancestors(candidate.element).any(|(_, node)| is_modal(node));
    if equals.iter().any(in_modal) {
        equals.retain(in_dialog);
    }
    let is_control =
        |node: &Node| matches!(node.role.as_str(), "checkbox" | "radio" | "switch" | "textbox" | "combobox");
    if equals.iter().filter_map(node_of).any(is_control) {
        equals.retain(|candidate| node_of(candidate).is_none_or(|node| node.tag != "label"));
    }
    // An element and one within it are pressed at the same place.
    let outer: Vec<ElementId> = equals
        .iter()
        .flat_map(|inner| observation.ancestors(inner.element).map(|(id, _)| id))
        .filter(|id| equals.iter().any(|candidate| candidate.element == *id))
        .collect();
    equals.retain(|candidate| !outer.contains(&candidate.element));
    let mut addresses: Vec<(u32, String)> = Vec::new();
    equals.retain(|candidate| {
        let address = node_of(candidate).map(|node| (node.frame, node.attribute("href").to_owned()));
        match address.filter(|(_, href)| !matches!(href.as_str(), "" | "#") && !href.starts_with("javascript:")) {
            Some(address) if addresses.contains(&address) => false,
            Some(address) => {
                addresses.push(address);
                true
            }
            None => true,
        }
    });
    equals
}

/// A calendar shows days of the months beside its own, too: of equal numbers in one table, that between its first 1 and the next is meant.
fn of_the_month(observation: &Observation, equals: Vec<Candidate>) -> Vec<Candidate> {
    // What is shown is the number; the name may say the whole day.
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|day| (1..=31).contains(day));
    let day = |id: ElementId| observation.node(id).and_then(|node| number(node.label()).or_else(|| number(&node.text)));
    let table = |id: ElementId| table_of(observation, id);
    let Some(first) = equals.first().filter(|_| equals.len() > 1).and_then(|first| table(first.element)) else {
        return equals;
    };
    if equals.iter().any(|one| day(one.element).is_none() || table(one.element) != Some(first)) {
        return equals;
    }
    let of_table = |id: &ElementId| day(*id).is_some() && table(*id) == Some(first);
    let days: Vec<ElementId> = observation.interactive().map(|(id, _)| id).filter(of_table).collect();
    let own: Vec<ElementId> = days
        .iter()
        .copied()
        .skip_while(|id| day(*id) != Some(1))
        .enumerate()
        .take_while(|(at, id)| *at == 0 || day(*id) != Some(1))
        .map(|(_, id)| id)
        .collect();
    let (kept, others): (Vec<_>, Vec<_>) = equals.into_iter().partition(|one| own.contains(&one.element));
    if kept.len() == 1 { kept } else { [kept, others].concat() }
}

/// The table that an element stands in.
pub(super) fn table_of(observation: &Observation, element: ElementId) -> Option<ElementId> {
    let is_table = |node: &Node| matches!(node.role.as_str(), "grid" | "table");
    observation.ancestors(element).find(|(_, node)| is_table(node)).map(|(id, _)| id)
}

/// Whether an element stands in the entry of something else: the other words of the instruction have a number that is not there, or all
/// speak of another entry and not of this one: `Edit` of the blue shirt, where only the red shirt has one.
fn is_of_another(observation: &Observation, target: &Target, element: ElementId) -> bool {
    let wanted = content_tokens(&target.around);
    let Some(own) = item_of(observation, element).filter(|_| !target.any && target.ordinal.is_none()) else {
        return false;
    };
    let speaks = |text: &str| {
        let words = tokens(text);
        wanted.iter().all(|word| says(&words, word, &target.around))
    };
    let surroundings = surroundings(observation, element);
    let around = tokens(&target.around);
    if around.is_empty() || speaks(&surroundings) {
        return false;
    }
    // `Cancel` of the booking on the 14th, where that of the 4th stands.
    let told = [tokens(&surroundings), tokens(&observation.title)].concat();
    let mut numbers = around.iter().filter(|word| word.bytes().all(|sign| sign.is_ascii_digit()));
    let is_entry = observation.node(own).is_some_and(|item| !is_dialog(item));
    if target.count == Count::One && is_entry && numbers.any(|number| !told.contains(number)) {
        return true;
    }
    let is_beside = |id: ElementId| {
        let is_around =
            |outer: ElementId, inner: ElementId| observation.ancestors(inner).any(|(above, _)| above == outer);
        id != own && !is_around(id, own) && !is_around(own, id)
    };
    observation.elements().any(|(id, node)| {
        is_item(node) && !is_dialog(node) && !is_head_row(observation, id) && speaks(&node.text) && is_beside(id)
    })
}

/// The only one of whose surroundings the other words of the instruction speak.
fn by_context(observation: &Observation, around: &str, equals: &[Candidate]) -> Option<Candidate> {
    if tokens(around).is_empty() {
        return None;
    }
    let wanted = content_tokens(around);
    let shared = |candidate: &Candidate| {
        let words = tokens(&surroundings(observation, candidate.element));
        wanted.iter().filter(|word| says(&words, word, around)).count()
    };
    let counts: Vec<usize> = equals.iter().map(shared).collect();
    let most = counts.iter().copied().max().filter(|most| *most > 0)?;
    let mut best = counts.iter().zip(equals).filter(|(count, _)| **count == most);
    match (best.next(), best.next()) {
        (Some((_, only)), None) => Some(*only),
        _ => None,
    }
}

/// The words around an element: its item's text, the names, roles and classes of what it stands in, the heading above it.
fn surroundings(observation: &Observation, element: ElementId) -> String {
    let mut words = Vec::new();
    if let Some(node) = observation.node(element) {
        words.extend([node.role.as_str(), node.context.as_str(), node.attribute("id"), node.attribute("class")]);
    }
    if let Some(item) = item_of(observation, element).and_then(|item| observation.node(item)) {
        words.push(item.text.as_str());
    }
    for (_, node) in observation.ancestors(element) {
        words.extend([
            node.role.as_str(),
            node.tag.as_str(),
            node.name.as_str(),
            node.attribute("id"),
            node.attribute("class"),
        ]);
    }
    let heading =
        observation.elements().take_while(|(id, _)| *id != element).filter(|(_, node)| node.role == "heading").last();
    words.extend(heading.map(|(_, node)| node.text.as_str()));
    words.join(" ")
}

/// `ambiguous: 3 elements are called "Edit": button in "Ann", …`.
pub(crate) fn ambiguity(observation: &Observation, title: &str, equals: &[Candidate]) -> String {
    const NAMED: usize = 5;
    let mut named: Vec<String> = equals
        .iter()
        .take(NAMED)
        .filter_map(|candidate| observation.node(candidate.element).map(|node| (candidate.element, node)))
        .map(|(id, node)| match place_of(observation, id) {
            place if place.is_empty() => super::pursue::describe(node),
            place => format!("{} in \"{place}\"", super::pursue::describe(node)),
        })
        .collect();
    if equals.len() > NAMED {
        named.push("\u{2026}".to_owned());
    }
    format!("ambiguous: {} elements are {title}, and nothing tells which is meant: {}", equals.len(), named.join("; "))
}
