//! The page in words: its visible text line by line, interactive elements as their numbers.
//!
//! What the list of actions says of an element is not said again. Things side by side share a line, so that a table
//! reads as a table.

use super::actions::Actions;
use domain::{ElementId, Node, Observation};
use std::collections::HashMap;

/// Half the height of a line of small text: centres nearer than this are side by side.
const SAME_LINE: f64 = 6.0;

/// The text of a page. Without a list of actions it has no numbers, all words.
pub fn outline(observation: &Observation, actions: &Actions) -> String {
    let mut children: HashMap<u32, Vec<&Node>> = HashMap::new();
    for node in &observation.nodes {
        if let Some(parent) = node.parent {
            children.entry(parent.0).or_default().push(node);
        }
    }
    let mut text = String::new();
    let mut line: Option<f64> = None;
    for (id, node) in observation.elements() {
        let Some(piece) = piece(observation, id, node, actions, children.get(&id.0)) else { continue };
        let middle = node.bounds.center().y;
        if let Some(before) = line {
            let beside = (middle - before).abs() < SAME_LINE;
            text.push_str(if beside { " " } else { "\n" });
        }
        text.push_str(&piece);
        line = Some(middle);
    }
    text
}

fn piece(
    observation: &Observation,
    id: ElementId,
    node: &Node,
    actions: &Actions,
    children: Option<&Vec<&Node>>,
) -> Option<String> {
    if let Some(number) = actions.numbers.get(&id.0) {
        return Some(format!("[{number}]"));
    }
    let told = |(ancestor, above): (ElementId, &Node)| {
        actions.numbers.contains_key(&ancestor.0) && above.text.contains(&node.text)
    };
    if observation.ancestors(id).any(told) {
        return None;
    }
    let own = own_text(node, children.map_or(&[], Vec::as_slice));
    let text = if own.is_empty() && children.is_none() { node.label() } else { &own };
    (!text.is_empty()).then(|| text.to_owned())
}

/// The text of a node without that of its children, which stands in lines of its own.
fn own_text(node: &Node, children: &[&Node]) -> String {
    let mut rest = node.text.clone();
    for child in children {
        if let Some(at) = rest.find(&child.text).filter(|_| !child.text.is_empty()) {
            rest.replace_range(at..at + child.text.len(), " ");
        }
    }
    rest.split_whitespace().collect::<Vec<_>>().join(" ")
}
