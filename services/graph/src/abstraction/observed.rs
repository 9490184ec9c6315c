//! Converts an observation into a page.

use super::page::{Element, Page};
use domain::action::ActionKind;
use domain::{Node, Observation};
use url::Url;

impl From<&Observation> for Page {
    fn from(observation: &Observation) -> Self {
        let places = places(observation);
        // Index in the page of each node, or of its nearest ancestor in the page.
        let mut within: Vec<Option<usize>> = Vec::with_capacity(observation.nodes.len());
        let mut next = places.iter().enumerate().peekable();
        for (index, node) in observation.nodes.iter().enumerate() {
            let kept = next.next_if(|(_, place)| **place == index).map(|(place, _)| place);
            within.push(kept.or_else(|| node.parent.and_then(|parent| within.get(parent.index()).copied().flatten())));
        }
        let parent_of = |node: &Node| node.parent.and_then(|parent| within.get(parent.index()).copied().flatten());
        let nodes: Vec<&Node> = places.iter().filter_map(|place| observation.nodes.get(*place)).collect();
        let parents: Vec<Option<usize>> = nodes.iter().map(|node| parent_of(node)).collect();
        let mut elements: Vec<Element> =
            nodes.iter().zip(&parents).map(|(node, parent)| Element { parent: *parent, ..element(node) }).collect();
        for (place, text) in own_texts(&nodes, &parents).into_iter().enumerate() {
            elements[place].text = text;
        }
        Page {
            url: Url::parse(&observation.url).ok(),
            elements,
            dialog: observation.dialog.as_ref().map(|dialog| dialog.kind.clone()),
        }
    }
}

/// Indices of the nodes that make up a page. Markers of where an item begins and ends are omitted.
pub(crate) fn places(observation: &Observation) -> Vec<usize> {
    let is_bare = |node: &Node| node.is_item && node.role == "generic" && node.operations.is_empty();
    observation.nodes.iter().enumerate().filter(|(_, node)| !is_bare(node)).map(|(index, _)| index).collect()
}

/// Operations that do not make an element a control.
const PASSING: [ActionKind; 3] = [ActionKind::Hover, ActionKind::Scroll, ActionKind::Drag];

fn element(node: &Node) -> Element {
    let states = &node.states;
    let is_chosen = [states.selected, states.expanded, states.pressed].contains(&Some(true));
    let message = node.constraints.as_ref().and_then(|constraints| constraints.validation_message.as_ref());
    // Browsers treat an empty required field as invalid, so only what the page shows counts.
    let is_invalid = states.invalid && (message.is_some() || node.attribute("aria-invalid") == "true");
    let named = [node.attribute("name"), node.attribute("id")].into_iter().find(|name| !name.is_empty());
    Element {
        parent: None, // put in by whoever knows which nodes are left out
        tag: node.tag.clone(),
        role: if node.role == "generic" || node.role == "text" { String::new() } else { node.role.clone() },
        kind: node.attribute("type").to_lowercase(),
        name: named.unwrap_or_default().to_owned(),
        classes: node.attribute("class").split_whitespace().map(str::to_owned).collect(),
        text: String::new(),
        label: if node.name.is_empty() { node.text.clone() } else { node.name.clone() },
        target: node.attributes.get("href").cloned(),
        // Hovering and scrolling lead nowhere.
        is_feasible: node.operations.iter().any(|kind| !PASSING.contains(kind)) && !states.disabled,
        is_current: is_chosen || !matches!(node.attribute("aria-current"), "" | "false"),
        is_invalid,
        size: Some((node.bounds.width, node.bounds.height)),
    }
}

/// The text of every node without that of its descendants.
fn own_texts(nodes: &[&Node], parents: &[Option<usize>]) -> Vec<String> {
    let mut own: Vec<String> = nodes.iter().map(|node| node.text.clone()).collect();
    for (node, parent) in nodes.iter().zip(parents) {
        let Some(parent) = *parent else { continue };
        if node.text.is_empty() {
            continue;
        }
        if let Some(at) = own[parent].find(&node.text) {
            own[parent].replace_range(at..at + node.text.len(), " ");
        } else if nodes[parent].text.chars().count() >= CLIPPED {
            // A clipped text is mostly that of descendants.
            own[parent].clear();
        }
    }
    own.iter().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// From this length on a node's text may have been clipped.
const CLIPPED: usize = 195;
