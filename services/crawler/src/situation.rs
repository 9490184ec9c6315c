//! Fingerprints a page and an action for the question "has this been tried here before?". Pure.

use domain::{Action, Observation, SharedNode};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Longest summary of a page, in characters.
const SUMMARY_LENGTH: usize = 400;

/// A hash that is equal when the same action is tried on a page with the same address, dialog and content. Stable
/// within a process only; never stored.
///
/// Keys also hash the focus, and scrolling the scroll position: that is what they change.
pub(crate) fn situation(observation: &Observation, action: &Action) -> u64 {
    let mut hasher = FxHasher::default();
    content(observation, &mut hasher);
    format!("{action:?}").hash(&mut hasher);
    match action {
        Action::Press { .. } => {
            observation.nodes.iter().position(|node| node.states.focused).hash(&mut hasher);
        }
        Action::Scroll { .. } => {
            observation.viewport.scroll_y.to_bits().hash(&mut hasher);
            for node in &observation.nodes {
                node.bounds.y.to_bits().hash(&mut hasher);
                node.bounds.x.to_bits().hash(&mut hasher);
            }
        }
        _ => {}
    }
    hasher.finish()
}

fn content(observation: &Observation, hasher: &mut impl Hasher) {
    observation.url.hash(hasher);
    observation.tabs.len().hash(hasher);
    if let Some(dialog) = &observation.dialog {
        dialog.kind.hash(hasher);
        dialog.message.hash(hasher);
    }
    observation.nodes.shared().map(SharedNode::content).for_each(|node| node.hash(hasher));
}

/// Summarizes a page in one line: the labels of its innermost nodes in document order.
pub(crate) fn summary(observation: &Observation) -> String {
    let mut is_parent = vec![false; observation.nodes.len()];
    for node in &observation.nodes {
        if let Some(slot) = node.parent.and_then(|parent| is_parent.get_mut(parent.index())) {
            *slot = true;
        }
    }
    let mut line = String::new();
    let mut length = 0;
    let mut last = "";
    for (node, _) in observation.nodes.iter().zip(&is_parent).filter(|(_, is_parent)| !**is_parent) {
        let label = node.label();
        if label.is_empty() || label == last {
            continue;
        }
        last = label;
        for character in (if line.is_empty() { "" } else { " · " }).chars().chain(label.chars()) {
            if length == SUMMARY_LENGTH {
                return line;
            }
            line.push(character);
            length += 1;
        }
    }
    line
}
