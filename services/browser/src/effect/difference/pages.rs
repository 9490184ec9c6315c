//! Matches the nodes of two observations: equal ones, and old nodes that became new ones. Pure.

use domain::observation::Observation;
use domain::{ElementId, Node, SharedNode};
use std::collections::{HashMap, HashSet};

/// Longest text in an observation, in characters.
const OBSERVED: usize = 200;

/// Nodes without an equal on the other page, in document order.
#[derive(Default)]
pub(super) struct Unmatched {
    pub(super) old: Vec<usize>,
    pub(super) new: Vec<usize>,
}

/// An observation with its nodes indexed for repeated lookups.
pub(super) struct Page<'a> {
    nodes: Vec<&'a SharedNode>,
    is_parent: Vec<bool>,
}

impl<'a> Page<'a> {
    pub(super) fn of(observation: &'a Observation) -> Page<'a> {
        let nodes: Vec<&SharedNode> = observation.nodes.shared().collect();
        let mut is_parent = vec![false; nodes.len()];
        for parent in nodes.iter().filter_map(|node| node.parent) {
            if let Some(is_parent) = is_parent.get_mut(parent.index()) {
                *is_parent = true;
            }
        }
        Page { nodes, is_parent }
    }

    pub(super) fn node(&self, index: usize) -> &Node {
        self.nodes[index]
    }

    /// A node's text without that of its descendants. Empty for a text that was cut, since the two cannot be separated.
    pub(super) fn own(&self, index: usize) -> String {
        let node = self.node(index);
        if !self.is_parent[index] {
            return node.text.clone();
        }
        if node.text.chars().count() >= OBSERVED {
            return String::new();
        }
        let mut own = node.text.clone();
        for child in &self.nodes[index + 1..] {
            let Some(parent) = child.parent else { break };
            if parent.index() < index {
                break;
            }
            if parent.index() == index && !child.text.is_empty() {
                own = own.replacen(&child.text, " ", 1);
            }
        }
        own.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// How an entry names a node: `role "name"`, or its text; empty where it has neither.
    pub(super) fn title(&self, index: usize) -> String {
        let node = self.node(index);
        let is_plain = matches!(node.role.as_str(), "" | "text" | "generic" | "paragraph" | "none" | "presentation");
        let is_message = matches!(node.role.as_str(), "alert" | "status" | "log");
        if (!is_plain || node.is_interactive()) && !is_message && !node.label().is_empty() {
            let is_container = self.is_parent[index] && node.name.is_empty() && !node.is_interactive();
            return if is_container { self.own(index) } else { titled(node) };
        }
        let own = self.own(index);
        if is_message && !own.is_empty() { format!("{} \"{own}\"", node.role) } else { own }
    }
}

/// `role "name"`.
pub(super) fn titled(node: &Node) -> String {
    let role = if node.role.is_empty() || node.role == "generic" { &node.tag } else { &node.role };
    let label = [node.label(), &node.context, node.attribute("id"), &node.icon];
    match label.into_iter().find(|label| !label.is_empty()) {
        Some(label) => format!("{role} \"{label}\""),
        None => role.clone(),
    }
}

/// Whether two nodes have equal content, whatever their positions.
fn says_the_same(old: &SharedNode, new: &SharedNode) -> bool {
    old.is_same(new) || content(old) == content(new)
}

type Content<'a> = (u32, [&'a str; 4], Option<&'a str>, [Option<bool>; 4], bool, usize, usize);

/// The parts of a node that a person would call its content; position, focus and colours are not among them.
fn content(node: &Node) -> Content<'_> {
    let states = &node.states;
    let chosen = node.options.iter().enumerate().fold(0usize, |sum, (index, option)| {
        if option.selected { sum.wrapping_mul(31).wrapping_add(index + 1) } else { sum }
    });
    (
        node.frame,
        [&node.role, &node.tag, &node.name, &node.text],
        node.value.as_deref(),
        [states.checked, states.selected, states.expanded, states.pressed],
        states.disabled,
        chosen,
        node.options.len(),
    )
}

/// Removes nodes that both pages have. A moved node is no difference.
pub(super) fn unmatched(before: &Page<'_>, after: &Page<'_>) -> Unmatched {
    let (old, new) = (&before.nodes, &after.nodes);
    if old.len() == new.len() {
        let differs = |index: &usize| !says_the_same(old[*index], new[*index]);
        let places: Vec<usize> = (0..old.len()).filter(differs).collect();
        return without_moved(before, after, Unmatched { old: places.clone(), new: places });
    }
    let head = old.iter().zip(new).take_while(|(old, new)| says_the_same(old, new)).count();
    let most = old.len().min(new.len()) - head;
    let tail =
        old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(old, new)| says_the_same(old, new)).count();
    let unmatched_nodes =
        Unmatched { old: (head..old.len() - tail).collect(), new: (head..new.len() - tail).collect() };
    without_moved(before, after, unmatched_nodes)
}

fn without_moved(before: &Page<'_>, after: &Page<'_>, unmatched_nodes: Unmatched) -> Unmatched {
    let mut known: HashMap<Content<'_>, Vec<usize>> = HashMap::new();
    for index in unmatched_nodes.old.iter().rev() {
        known.entry(content(before.nodes[*index])).or_default().push(*index);
    }
    let is_new = |index: &usize| known.get_mut(&content(after.nodes[*index])).and_then(Vec::pop).is_none();
    let new: Vec<usize> = unmatched_nodes.new.into_iter().filter(is_new).collect();
    let mut old: Vec<usize> = known.into_values().flatten().collect();
    old.sort_unstable();
    Unmatched { old, new }
}

pub(super) type Pairs = Vec<(usize, usize)>;

/// Pairs old nodes with the new nodes that replaced them: at the same place in the document, or with the same
/// identifiers by their authors. Unpaired nodes disappeared or appeared.
pub(super) fn paired(
    before: &Page<'_>,
    after: &Page<'_>,
    unmatched_nodes: Unmatched,
) -> (Pairs, Vec<usize>, Vec<usize>) {
    let mut pairs = Vec::new();
    let Unmatched { mut old, mut new } = unmatched_nodes;
    for name in [by_identity, by_path, by_build] {
        let mut known: HashMap<String, Vec<usize>> = HashMap::new();
        let mut count: HashMap<String, usize> = HashMap::new();
        for index in &old {
            known.entry(name(before, *index)).or_default().push(*index);
        }
        for index in &new {
            *count.entry(name(after, *index)).or_default() += 1;
        }
        known.retain(|name, places| !name.is_empty() && count.get(name) == Some(&places.len()));
        known.values_mut().for_each(|places| places.reverse());
        new.retain(|index| match known.get_mut(&name(after, *index)).and_then(Vec::pop) {
            Some(place) => {
                pairs.push((place, *index));
                false
            }
            None => true,
        });
        let taken: HashSet<usize> = pairs.iter().map(|(old, _)| *old).collect();
        old.retain(|index| !taken.contains(index));
    }
    pairs.sort_unstable_by_key(|(_, new)| *new);
    (pairs, old, new)
}

fn by_identity(page: &Page<'_>, index: usize) -> String {
    let node = page.node(index);
    match (node.attribute("id"), node.name.as_str()) {
        ("", "") => String::new(),
        ("", name) if node.is_interactive() => format!("{} {} {name}", node.frame, node.role),
        ("", _) => String::new(),
        (id, _) => format!("{} {} #{id}", node.frame, node.tag),
    }
}

fn by_path(page: &Page<'_>, index: usize) -> String {
    let node = page.node(index);
    let is_known = !node.xpath.is_empty() && node.attribute("id").is_empty();
    if is_known { format!("{} {} {}", node.frame, node.role, node.xpath) } else { String::new() }
}

/// Tags and classes of a node and its ancestors: the markup that an author wrote for one place on a page.
fn by_build(page: &Page<'_>, index: usize) -> String {
    let node = page.node(index);
    if node.is_interactive() || !node.attribute("id").is_empty() {
        return String::new();
    }
    let mut name = format!("{}", node.frame);
    let mut next = Some(index);
    for _ in 0..3 {
        let Some(node) = next.map(|index| page.node(index)) else { break };
        name.extend([" ", &node.role, "|", &node.tag, "|", node.attribute("id"), "|", node.attribute("class")]);
        next = node.parent.map(ElementId::index);
    }
    name
}
