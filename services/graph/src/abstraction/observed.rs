//! A page of an observation.

use super::page::{Element, Page};
use domain::action::ActionKind;
use domain::{Node, Observation};
use url::Url;

impl From<&Observation> for Page {
    fn from(observation: &Observation) -> Self {
        let mut elements: Vec<Element> = observation.nodes.iter().map(element).collect();
        for (place, text) in own_texts(observation).into_iter().enumerate() {
            elements[place].text = text;
        }
        Page {
            url: Url::parse(&observation.url).ok(),
            elements,
            dialog: observation.dialog.as_ref().map(|dialog| dialog.kind.clone()),
        }
    }
}

/// Operations that do not make a control of an element.
const PASSING: [ActionKind; 3] = [ActionKind::Hover, ActionKind::Scroll, ActionKind::Drag];

fn element(node: &Node) -> Element {
    let states = &node.states;
    let is_chosen = [states.selected, states.expanded, states.pressed].contains(&Some(true));
    let message = node.constraints.as_ref().and_then(|constraints| constraints.validation_message.as_ref());
    // A required field is invalid in the browser's eyes before anything was typed: only what the page shows counts.
    let is_invalid = states.invalid && (message.is_some() || node.attribute("aria-invalid") == "true");
    let named = [node.attribute("name"), node.attribute("id")].into_iter().find(|name| !name.is_empty());
    Element {
        parent: node.parent.map(|parent| parent.index()),
        tag: node.tag.clone(),
        role: if node.role == "generic" || node.role == "text" { String::new() } else { node.role.clone() },
        kind: node.attribute("type").to_lowercase(),
        name: named.unwrap_or_default().to_owned(),
        classes: node.attribute("class").split_whitespace().map(str::to_owned).collect(),
        text: String::new(),
        label: if node.name.is_empty() { node.text.clone() } else { node.name.clone() },
        target: node.attributes.get("href").cloned(),
        // What only reacts to the pointer, or can be scrolled, leads nowhere.
        is_feasible: node.operations.iter().any(|kind| !PASSING.contains(kind)) && !states.disabled,
        is_current: is_chosen || !matches!(node.attribute("aria-current"), "" | "false"),
        is_invalid,
        size: Some((node.bounds.width, node.bounds.height)),
    }
}

/// The text of every node without that of the nodes within it.
fn own_texts(observation: &Observation) -> Vec<String> {
    let mut own: Vec<String> = observation.nodes.iter().map(|node| node.text.clone()).collect();
    for node in &observation.nodes {
        let Some(parent) = node.parent.map(|parent| parent.index()) else { continue };
        if node.text.is_empty() {
            continue;
        }
        if let Some(at) = own[parent].find(&node.text) {
            own[parent].replace_range(at..at + node.text.len(), " ");
        } else if observation.nodes[parent].text.chars().count() >= CLIPPED {
            // What was clipped is mostly that of children.
            own[parent].clear();
        }
    }
    own.iter().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// From this length on a node's text may have been clipped.
const CLIPPED: usize = 195;
