//! Waiting for what is announced: whether a page is about to show more, and how long that is waited for. Pure.

use super::memory::Memory;
use super::names::legible;
use domain::Action;
use domain::action::ActionKind;
use domain::decision::DecisionRequest;
use domain::observation::{Node, Observation};
use domain::unfinished::{WAITS, is_coming, is_under_way};

/// How long is waited, in milliseconds, where nothing announces that more is coming.
const UNANNOUNCED: u32 = 3000;

/// The next wait for something that is not there yet, in milliseconds; none when it was waited for long enough.
pub(crate) fn next_wait(memory: &Memory, observation: &Observation) -> Option<u32> {
    let next = *WAITS.get(memory.waits as usize)?;
    let waited = waited(memory);
    (is_coming(observation) || waited + next <= UNANNOUNCED).then_some(next)
}

/// How long was waited for the goal, in milliseconds.
pub(crate) fn waited(memory: &Memory) -> u32 {
    WAITS.iter().take(memory.waits as usize).sum()
}

/// What stands against acting on an element now.
pub(crate) struct Unready {
    /// In words.
    pub reason: String,
    /// Whether the part that it stands in is marked as busy.
    pub is_busy: bool,
}

/// Why an element must not be acted upon yet: the part of the page that it stands in is being loaded anew, or the last press set
/// something going that the page says is under way.
pub(crate) fn unready(request: &DecisionRequest, action: &Action) -> Option<Unready> {
    let observation = &request.observation;
    let element = *action.element()?;
    let own = observation.node(element).map(|node| (element, node));
    // Of a whole page that is called busy nobody knows what is meant.
    let is_part = |node: &Node| !matches!(node.tag.as_str(), "html" | "body") && node.is_busy();
    if own.into_iter().chain(observation.ancestors(element)).any(|(_, node)| is_part(node)) {
        let reason = "what is wanted stands in a part of the page that is still being loaded".to_owned();
        return Some(Unready { reason, is_busy: true });
    }
    // What stops something is pressed while that is under way.
    const STOPPING: [&str; 7] = ["cancel", "stop", "pause", "abort", "undo", "close", "hide"];
    let label = own.map(|(_, node)| node.label().to_lowercase()).unwrap_or_default();
    if STOPPING.iter().any(|verb| label.split_whitespace().any(|word| word == *verb)) {
        return None;
    }
    let last = request.history.iter().rfind(|step| step.action.kind() != ActionKind::Wait)?;
    if last.action.kind() != ActionKind::Click {
        return None;
    }
    let came = || last.difference.appeared.iter().chain(last.difference.changed.iter().map(|change| &change.to));
    let says_so = |node: &&Node| {
        !node.is_interactive()
            && is_under_way(&legible(&node.text))
            && came().any(|came| *came == node.text || came.ends_with(&format!("\"{}\"", node.text)))
    };
    let said = observation.nodes.iter().find(says_so)?;
    Some(Unready { reason: format!("the page says \"{}\"", said.text), is_busy: false })
}

/// What the page says while the button that was pressed last cannot be pressed again: what it set going is under way. Only as long as the
/// button stays so; many do for good, by which no more than a moment is waited.
pub(crate) fn held(request: &DecisionRequest) -> Option<String> {
    let last = request.history.iter().rfind(|step| step.action.kind() != ActionKind::Wait)?;
    let pressed = last.action.element().filter(|_| last.action.kind() == ActionKind::Click)?;
    let title = format!("{} \"{}\"", pressed.role, pressed.name);
    let went_off = last.difference.changed.iter().any(|change| change.of == title && change.to == "disabled");
    let is_off = |node: &Node| node.states.disabled && node.role == pressed.role && node.name == pressed.name;
    let said = last.difference.appeared.iter().find(|part| part.starts_with("status "))?;
    (went_off && request.observation.nodes.iter().any(is_off)).then(|| said.clone())
}
