//! What an action did, from what was observed before and after it. A pure function: no browser, no clock.

use domain::observation::{Observation, Request};
use domain::{Action, Effect, ElementId, Node};

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
}

/// The effect of a deed.
pub(crate) fn effect_of(deed: Deed<'_>) -> Effect {
    if let Some(url) = deed.refused {
        return Effect::LeftScope { url: url.to_owned() };
    }
    if let Some(message) = rejection(&deed) {
        return Effect::Rejected { message };
    }
    if let Some(cause) = failure(&deed) {
        return Effect::Failed { cause };
    }
    let what = differences(deed.before, deed.after);
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

/// Why the action did not do what it says, although it was carried out.
fn failure(deed: &Deed<'_>) -> Option<String> {
    let target = deed.target.and_then(|target| deed.after.node(target));
    let stuck = match (deed.action, target) {
        (Action::Type { submit: false, .. }, Some(node)) => typed_in(node, deed),
        (Action::Select { options, .. }, Some(node)) => options
            .iter()
            .all(|wanted| node.options.iter().any(|option| option.selected && same(&option.label, wanted))),
        (Action::Check { checked, .. }, Some(node)) => {
            node.states.checked.or(node.states.pressed).or(node.states.selected).is_none_or(|now| now == *checked)
        }
        _ => true,
    };
    if !stuck {
        return Some(format!("the {} did not take the input", target.map_or("field", |node| node.role.as_str())));
    }
    deed.after.requests.iter().find(|request| failed(request, deed.after)).map(|request| {
        let status = request.status.unwrap_or_default();
        format!("{} {} was answered {status}", request.method, request.url)
    })
}

/// Whether a text field holds something new. A page may format what is typed; only a field left as it was did not take it.
fn typed_in(node: &Node, deed: &Deed<'_>) -> bool {
    let (Some(now), Some(typed)) = (node.value.as_deref(), deed.typed) else { return true };
    if same(now, typed) || now.contains("${secret:") {
        return true;
    }
    let before = deed.action.element().and_then(|element| deed.before.node(*element));
    before.is_none_or(|before| before.value.as_deref() != Some(now))
}

fn same(left: &str, right: &str) -> bool {
    left.split_whitespace().eq(right.split_whitespace())
}

/// Whether a request's failure is the action's: what changes the server, or the page itself. A picture may be missing.
fn failed(request: &Request, after: &Observation) -> bool {
    request.status.is_some_and(|status| status >= 400) && (request.method != "GET" || request.url == after.url)
}

/// Everything that differs, in the words of [`Effect::Changed`].
fn differences(before: &Observation, after: &Observation) -> Vec<String> {
    let paired = before.nodes.len() == after.nodes.len();
    let any = |differs: &dyn Fn(&Node, &Node) -> bool| {
        paired && before.nodes.replaced(&after.nodes).any(|(old, new)| differs(old, new))
    };
    let shift = before.viewport.scroll_y - after.viewport.scroll_y;
    let scrolled = shift.abs() > 0.5;
    // What stands still while the page is scrolled has moved on it.
    let mut pairs = before.nodes.iter().zip(&after.nodes);
    let moved = paired
        && pairs.any(|(old, new)| {
            (old.bounds.x - new.bounds.x).abs() > 1.0 || (old.bounds.y + shift - new.bounds.y).abs() > 1.0
        });
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
