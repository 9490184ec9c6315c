//! Derives the effect of an action from the observations before and after it. Pure: no browser, no clock.

mod answers;
mod difference;
mod input;
mod ticking;

pub(crate) use answers::{Background, line};
pub(crate) use difference::{changed_texts, difference};
pub(crate) use ticking::Ticking;

use domain::observation::Observation;
use domain::{Action, Effect, ElementId, Node, PageDifference};

/// One action with everything that its effect is derived from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActionContext<'a> {
    pub(crate) action: &'a Action,
    pub(crate) before: &'a Observation,
    pub(crate) after: &'a Observation,
    /// The target element in the later observation, if it still exists.
    pub(crate) target: Option<ElementId>,
    /// The text sent to the keyboard, secrets resolved.
    pub(crate) typed: Option<&'a str>,
    /// An out-of-scope address that the page tried to open.
    pub(crate) refused: Option<&'a str>,
    /// Requests that the page makes on its own.
    pub(crate) background: &'a Background,
    /// The difference between both observations.
    pub(crate) difference: &'a PageDifference,
}

/// Derives the effect of an action.
pub(crate) fn effect_of(context: ActionContext<'_>) -> Effect {
    if let Some(url) = context.refused {
        return Effect::LeftScope { url: url.to_owned() };
    }
    if let Some(message) = rejection(&context) {
        return Effect::Rejected { message };
    }
    if let Some(cause) = input::failure(&context) {
        return Effect::Failed { cause };
    }
    let said = site_message(&context);
    if let Some(effect) =
        answers::of_requests(context.action, context.before, context.after, context.background, said.as_deref())
    {
        return effect;
    }
    let mut what = differences(&context);
    if what == ["content"] && context.difference.is_empty() && !has_moved(&context) {
        what.clear(); // a clock went on
    }
    if let Some(cause) = input::went_back(&context, &what) {
        return Effect::Failed { cause };
    }
    if what.is_empty() { Effect::NoChange } else { Effect::Changed { what } }
}

/// The validation message of the field typed into, or of a field that the action made invalid.
fn rejection(context: &ActionContext<'_>) -> Option<String> {
    let own = context.target.and_then(|target| context.after.node(target)).filter(|_| is_input(context.action));
    if let Some(message) = own.and_then(message_of) {
        return Some(message);
    }
    if context.before.url != context.after.url {
        return None;
    }
    let known: Vec<&Node> = context.before.nodes.iter().filter(|node| node.states.invalid).collect();
    let submits =
        matches!(context.action, Action::Click { .. } | Action::Press { .. } | Action::Type { submit: true, .. });
    context
        .after
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

/// Up to this many new texts are a message of the site; more are page content.
const FEW: usize = 3;

/// The site's reply to the action: a new message, else the single new text.
fn site_message(context: &ActionContext<'_>) -> Option<String> {
    let is_old = |text: &str| context.before.nodes.iter().any(|node| node.text == text);
    let is_news = |node: &&Node| difference::is_message(node) && !node.text.is_empty() && !is_old(&node.text);
    if let Some(message) = context.after.nodes.iter().find(is_news) {
        return Some(message.text.clone());
    }
    // Entries for controls have the form `role "name"`.
    let is_text = |entry: &&String| !entry.ends_with('"');
    let changed = context.difference.changed.iter().filter(|change| !is_control(&change.of)).map(|change| &change.to);
    let texts: Vec<&String> = context.difference.appeared.iter().filter(is_text).chain(changed).collect();
    texts.first().filter(|_| texts.len() <= FEW).map(|text| (*text).clone())
}

fn is_control(title: &str) -> bool {
    let role = title.split(' ').next().unwrap_or_default();
    let controls =
        "address title textbox searchbox spinbutton slider combobox listbox checkbox radio switch button link";
    controls.split(' ').any(|control| control == role)
}

/// Lists the differences in the vocabulary of [`Effect::Changed`].
fn differences(context: &ActionContext<'_>) -> Vec<String> {
    let ActionContext { before, after, .. } = *context;
    let paired = before.nodes.len() == after.nodes.len();
    let any = |differs: &dyn Fn(&Node, &Node) -> bool| {
        paired && before.nodes.replaced(&after.nodes).any(|(old, new)| differs(old, new))
    };
    let scrolled = (before.viewport.scroll_y - after.viewport.scroll_y).abs() > 0.5;
    let moved = has_moved(context);
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

/// Whether any element moved. Added or removed nodes count as movement, since they may shift everything.
fn has_moved(context: &ActionContext<'_>) -> bool {
    let ActionContext { before, after, .. } = context;
    // An element that keeps its viewport position while the page scrolls has moved on the page.
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
