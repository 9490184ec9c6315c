//! What an action did, from what was observed before and after it. A pure function: no browser, no clock.

mod answers;
mod difference;
mod input;
mod ticking;
mod value;

pub(crate) use answers::{Background, line};
pub(crate) use difference::{changed_texts, difference};
pub(crate) use ticking::Ticking;

use domain::observation::Observation;
use domain::{Action, Effect, ElementId, Node, PageDifference};

/// One action and what surrounds it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deed<'a> {
    pub(crate) action: &'a Action,
    pub(crate) before: &'a Observation,
    pub(crate) after: &'a Observation,
    /// The element acted upon, where it still is there.
    pub(crate) target: Option<ElementId>,
    /// What was really typed, secrets filled in.
    pub(crate) typed: Option<&'a str>,
    /// An address outside the scope that the page wanted to go to.
    pub(crate) refused: Option<&'a str>,
    /// What the page asks for by itself.
    pub(crate) background: &'a Background,
    /// What differs between the two observations.
    pub(crate) difference: &'a PageDifference,
}

/// The effect of a deed.
pub(crate) fn effect_of(deed: Deed<'_>) -> Effect {
    if let Some(url) = deed.refused {
        return Effect::LeftScope { url: url.to_owned() };
    }
    if let Some(message) = rejection(&deed) {
        return Effect::Rejected { message };
    }
    if let Some(cause) = input::failure(&deed) {
        return Effect::Failed { cause };
    }
    let said = said(&deed);
    if let Some(effect) = answers::of_requests(deed.action, deed.before, deed.after, deed.background, said.as_deref()) {
        return effect;
    }
    let mut what = differences(&deed);
    if what == ["content"] && deed.difference.is_empty() && !has_moved(&deed) {
        what.clear(); // a clock went on
    }
    if let Some(cause) = input::went_back(&deed, &what) {
        return Effect::Failed { cause };
    }
    if what.is_empty() { Effect::NoChange } else { Effect::Changed { what } }
}

/// The message with which the page refused input: of the field typed into, or of a field that the action made invalid.
fn rejection(deed: &Deed<'_>) -> Option<String> {
    let own = deed.target.and_then(|target| deed.after.node(target)).filter(|_| is_input(deed.action));
    if let Some(message) = own.and_then(message_of) {
        return Some(message);
    }
    if deed.before.url != deed.after.url {
        return None;
    }
    let known: Vec<&Node> = deed.before.nodes.iter().filter(|node| node.states.invalid).collect();
    let submits =
        matches!(deed.action, Action::Click { .. } | Action::Press { .. } | Action::Type { submit: true, .. });
    deed.after
        .nodes
        .iter()
        .filter(|node| node.states.invalid)
        .filter(|node| submits && !known.iter().any(|old| old.xpath == node.xpath && old.name == node.name))
        .find_map(message_of)
}

fn is_input(action: &Action) -> bool {
    matches!(action, Action::Type { .. } | Action::Select { .. } | Action::Upload { .. })
}

fn message_of(node: &Node) -> Option<String> {
    node.constraints.as_ref().and_then(|constraints| constraints.validation_message.clone())
}

/// Texts of which one is what the site said: more of them are a page.
const FEW: usize = 3;

/// What the site said after the action: a message that was not there, else the one text that is new.
fn said(deed: &Deed<'_>) -> Option<String> {
    let is_old = |text: &str| deed.before.nodes.iter().any(|node| node.text == text);
    let is_news = |node: &&Node| difference::is_message(node) && !node.text.is_empty() && !is_old(&node.text);
    if let Some(message) = deed.after.nodes.iter().find(is_news) {
        return Some(message.text.clone());
    }
    // Entries that name a control are `role "name"`.
    let is_text = |entry: &&String| !entry.ends_with('"');
    let changed = deed.difference.changed.iter().filter(|change| !is_control(&change.of)).map(|change| &change.to);
    let texts: Vec<&String> = deed.difference.appeared.iter().filter(is_text).chain(changed).collect();
    texts.first().filter(|_| texts.len() <= FEW).map(|text| (*text).clone())
}

fn is_control(title: &str) -> bool {
    let role = title.split(' ').next().unwrap_or_default();
    let controls =
        "address title textbox searchbox spinbutton slider combobox listbox checkbox radio switch button link";
    controls.split(' ').any(|control| control == role)
}

/// Everything that differs, in the words of [`Effect::Changed`].
fn differences(deed: &Deed<'_>) -> Vec<String> {
    let Deed { before, after, .. } = *deed;
    let paired = before.nodes.len() == after.nodes.len();
    let any = |differs: &dyn Fn(&Node, &Node) -> bool| {
        paired && before.nodes.replaced(&after.nodes).any(|(old, new)| differs(old, new))
    };
    let scrolled = (before.viewport.scroll_y - after.viewport.scroll_y).abs() > 0.5;
    let moved = has_moved(deed);
    let found = [
        ("url", before.url != after.url),
        ("title", before.title != after.title),
        (
            "content",
            !paired || moved || any(&|old, new| old.tag != new.tag || old.name != new.name || old.text != new.text),
        ),
        ("value", any(&|old, new| old.value != new.value || old.options != new.options)),
        ("state", any(&states_differ)),
        ("focus", focused(before) != focused(after)),
        ("scroll", scrolled),
        ("dialog", before.dialog != after.dialog),
        ("tabs", before.tabs.len() != after.tabs.len() || current(before) != current(after)),
        ("download", !after.downloads.is_empty()),
        ("request", after.requests.iter().any(|request| !request.refused && request.method != "GET")),
    ];
    found.into_iter().filter(|(_, differs)| *differs).map(|(what, _)| what.to_owned()).collect()
}

/// Whether anything stands elsewhere; where nodes came or went, everything may.
fn has_moved(deed: &Deed<'_>) -> bool {
    let Deed { before, after, .. } = deed;
    // What stands still while the page is scrolled has moved on it.
    let shift = before.viewport.scroll_y - after.viewport.scroll_y;
    let mut pairs = before.nodes.iter().zip(&after.nodes);
    before.nodes.len() == after.nodes.len()
        && pairs.any(|(old, new)| {
            (old.bounds.x - new.bounds.x).abs() > 1.0 || (old.bounds.y + shift - new.bounds.y).abs() > 1.0
        })
}

fn states_differ(old: &Node, new: &Node) -> bool {
    let mut states = new.states.clone();
    states.focused = old.states.focused;
    states != old.states
        || old.attributes != new.attributes
        || old.color != new.color
        || old.operations != new.operations
}

fn focused(observation: &Observation) -> Option<(&str, &str)> {
    let node = observation.nodes.iter().find(|node| node.states.focused)?;
    Some((node.xpath.as_str(), node.name.as_str()))
}

fn current(observation: &Observation) -> Option<usize> {
    observation.tabs.iter().position(|tab| tab.current)
}

#[cfg(test)]
mod tests;
