//! Where on the page something stands: the record that shows a text, and what belongs to it. Pure.

use super::goal::Name;
use super::item::{is_dialog, is_group, is_item};
use super::layout;
use super::names::{holds_name, holds_words, is_counted_on, same};
use super::numbered;
use super::words::{fold, label_score};
use domain::ElementId;
use domain::action::ActionKind;
use domain::observation::{Node, Observation};

/// Pixels by which edges of one line may differ.
const ALIGNED: f64 = 3.0;

/// A set of nodes: a subtree, or a stretch of the document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Region {
    /// A node and all below it.
    Subtree(ElementId),
    /// Nodes from one (inclusive) to another (exclusive), in document order.
    Stretch(u32, u32),
    /// Controls that belong together by where they are seen, with what is in them.
    Seen(Vec<ElementId>),
}

impl Region {
    /// Whether a node belongs to the region.
    pub(crate) fn holds(&self, observation: &Observation, element: ElementId) -> bool {
        match self {
            Region::Subtree(root) => {
                element == *root || observation.ancestors(element).any(|(ancestor, _)| ancestor == *root)
            }
            Region::Stretch(from, to) => element.0 >= *from && element.0 < *to,
            Region::Seen(controls) => {
                controls.contains(&element)
                    || observation.ancestors(element).any(|(ancestor, _)| controls.contains(&ancestor))
            }
        }
    }
}

/// The nodes that only repeat the instruction, as benchmark and training pages do: they name everything and mean nothing. What
/// holds a control is no repetition, however long its words: it is the control's label.
pub(crate) fn echoes(observation: &Observation, instruction: &str) -> Vec<bool> {
    let instruction = fold(instruction).to_lowercase();
    let limit = instruction.chars().count() * 5 / 4 + 20;
    let holds_control = holding_controls(observation);
    let mut echoes: Vec<bool> = Vec::with_capacity(observation.nodes.len());
    for (node, holds_control) in observation.nodes.iter().zip(holds_control) {
        let text = fold(&node.text).to_lowercase();
        let enough: String = text.chars().take(120).collect();
        let repeats = text.chars().count() >= 12
            && text.chars().count() <= limit
            && text.split(' ').count() >= 4
            && instruction.contains(enough.trim_end_matches(['\u{2026}', '.', ' ']));
        let inherited = node.parent.and_then(|parent| echoes.get(parent.index()).copied()).unwrap_or(false);
        echoes.push(repeats && !holds_control && !node.is_interactive() || inherited);
    }
    echoes
}

/// For each node, whether a control stands in it.
pub(crate) fn holding_controls(observation: &Observation) -> Vec<bool> {
    let mut holds_control = vec![false; observation.nodes.len()];
    for (control, _) in observation.interactive() {
        for (around, _) in observation.ancestors(control) {
            match holds_control.get_mut(around.index()) {
                Some(known @ false) => *known = true,
                _ => break, // so do all around it
            }
        }
    }
    holds_control
}

/// The nodes that show a text, the most literal only, in document order: those that are called so, else those that hold it beside
/// other things. A text of one piece that only contains it is another name: `Bo (left the company)` is not `Bo`.
pub(crate) fn anchors(observation: &Observation, echoes: &[bool], text: &str) -> Vec<ElementId> {
    anchors_of(observation, echoes, Name::plain(text))
}

/// As [`anchors`], of a name with or without quotes: `Backup 2` is not `"Backup"`.
pub(crate) fn anchors_of(observation: &Observation, echoes: &[bool], name: Name<'_>) -> Vec<ElementId> {
    let text = name.text;
    let is_one_piece = pieces(observation);
    let is_shown = |id: &ElementId| !echoes.get(id.index()).copied().unwrap_or(false);
    let mut others: Vec<ElementId> = Vec::new();
    let mut scored: Vec<(ElementId, f64)> = Vec::new();
    for (id, node) in observation.elements().filter(|(id, _)| is_shown(id)) {
        let is_one_piece = is_one_piece.get(id.index()).copied().unwrap_or(false);
        // Beside its controls an entry may say one thing only, straight: `Thai basil ×`. So may a place whose menu hovering shows.
        let has_parts = || observation.children(id).next().is_some();
        let is_pressed = node.operations.iter().any(|operation| *operation != ActionKind::Hover);
        let beside_controls = (is_one_piece && !is_pressed && has_parts()).then(|| without_controls(observation, id));
        let shown = beside_controls.as_deref().unwrap_or(&node.text);
        match anchor_score(name, node, shown, is_one_piece) {
            Some(score) if score <= HELD && is_item(node) && same(text, &without_controls(observation, id)) => {
                scored.push((id, ALONE));
            }
            Some(score) => scored.push((id, score)),
            None if is_one_piece && holds_words(&node.text, text) => others.push(id),
            None => {}
        }
    }
    // What holds such a name shows nothing but it.
    let holds = |outer: ElementId, inner: ElementId| observation.ancestors(inner).any(|(around, _)| around == outer);
    let is_own = |(id, score): &&(ElementId, f64)| *score > HELD || is_one_piece.get(id.index()) == Some(&true);
    let own: Vec<ElementId> = scored.iter().filter(is_own).map(|(id, _)| *id).collect();
    scored.retain(|(id, score)| {
        let is_other = *score <= HELD && others.iter().any(|other| holds(*id, *other));
        !is_other || own.iter().any(|own| holds(*id, *own))
    });
    let best = scored.iter().map(|(_, score)| *score).fold(0.0, f64::max);
    let shown: Vec<ElementId> = scored.iter().filter(|(_, score)| *score > best - 0.02).map(|(id, _)| *id).collect();
    if shown.is_empty() {
        return numbered::anchors(observation, text);
    }
    // Where a container and its content show the same text, the innermost is the anchor.
    shown
        .iter()
        .filter(|id| !shown.iter().any(|other| observation.ancestors(*other).any(|(ancestor, _)| ancestor == **id)))
        .copied()
        .collect()
}

/// The score of what holds a name beside other things.
const HELD: f64 = 0.6;

/// The score of an entry that shows a name and its controls alone.
const ALONE: f64 = 0.7;

/// The text of an entry without what its controls are called.
fn without_controls(observation: &Observation, entry: ElementId) -> String {
    // What stands in it follows it in the document.
    let behind = observation.elements().skip(entry.index() + 1);
    let within = behind.take_while(|(id, _)| Region::Subtree(entry).holds(observation, *id));
    let mut text = observation.node(entry).map(|node| node.text.clone()).unwrap_or_default();
    for (_, control) in within.filter(|(_, node)| node.is_interactive()) {
        // What an icon is called is not shown.
        if let Some(at) = text.rfind(&control.text).filter(|_| !control.text.is_empty()) {
            text.replace_range(at..at + control.text.len(), "");
        }
    }
    text.trim().to_owned()
}

fn anchor_score(name: Name<'_>, node: &Node, shown: &str, is_one_piece: bool) -> Option<f64> {
    let text = name.text;
    let labels = [shown, node.name.as_str(), node.attribute("title"), node.attribute("alt")];
    let called = labels.iter().map(|label| label_score(text, label, true)).fold(0.0, f64::max);
    if called > 0.0 {
        return Some(called);
    }
    let holds = |label: &str| match is_one_piece {
        true => holds_name(label, text) && !(name.quoted && is_counted_on(label, text)),
        false => holds_words(label, text),
    };
    labels.iter().any(|label| holds(label)).then_some(HELD)
}

/// For each node, whether its text is one piece: no other node with a text stands in it, but for controls.
fn pieces(observation: &Observation) -> Vec<bool> {
    let mut one_piece = vec![true; observation.nodes.len()];
    for node in observation.nodes.iter().filter(|node| !node.text.is_empty() && !node.is_interactive()) {
        if let Some(outer) = node.parent.and_then(|parent| one_piece.get_mut(parent.index())) {
            *outer = false;
        }
    }
    one_piece
}

/// The regions that may be the record around an anchor, the most telling first: what the anchor itself holds, its item, the
/// group that it names, the stretch below a heading, the largest ancestor that shows no other record, and what is seen to belong to
/// it. Nothing beyond the anchor's item belongs to it.
pub(crate) fn records(observation: &Observation, anchor: ElementId) -> Vec<Region> {
    let mut regions = Vec::new();
    let has_controls = |root: ElementId| {
        let region = Region::Subtree(root);
        observation.interactive().any(|(id, _)| id != anchor && region.holds(observation, id))
    };
    if has_controls(anchor) {
        regions.push(Region::Subtree(anchor));
    }
    // What a heading unfolds belongs to it, and nothing else does.
    if let Some(panel) = unfolded_by(observation, anchor) {
        regions.push(Region::Subtree(panel));
        return regions;
    }
    let item = observation.ancestors(anchor).find(|(id, node)| is_item(node) && has_controls(*id));
    if let Some((item, node)) = item
        && !is_dialog(node)
    {
        regions.push(Region::Subtree(part_of_item(observation, anchor, item).unwrap_or(item)));
        return regions;
    }
    let model = observation.node(anchor);
    let names_group = |node: &Node| model.is_some_and(|model| same(&node.name, model.label()));
    let is_legend = model.is_some_and(|model| matches!(model.tag.as_str(), "legend" | "caption" | "summary"));
    let group = observation.ancestors(anchor).find(|(_, node)| is_group(node) && (is_legend || names_group(node)));
    if let Some((group, _)) = group {
        regions.push(Region::Subtree(group));
        return regions;
    }
    if let Some(stretch) = below_heading(observation, anchor) {
        regions.push(stretch);
        return regions;
    }
    let peers = peers(observation, anchor);
    let alone = |root: ElementId| !peers.iter().any(|peer| Region::Subtree(root).holds(observation, *peer));
    if let Some((root, _)) = observation.ancestors(anchor).take_while(|(id, _)| alone(*id)).last() {
        regions.push(Region::Subtree(root));
    }
    if observation.node(anchor).is_some_and(|node| node.bounds.height > 0.0) {
        // What stands in an entry belongs to that.
        let mut seen = layout::controls_of(observation, anchor, &peers);
        seen.retain(|control| {
            let entry = observation.ancestors(*control).find(|(_, node)| is_item(node));
            entry.is_none_or(|(entry, node)| is_dialog(node) || Region::Subtree(entry).holds(observation, anchor))
        });
        regions.push(Region::Seen(seen));
    } else if !peers.is_empty() {
        // Of a page that was never laid out only its order is known.
        let end = peers.iter().map(|peer| peer.0).filter(|at| *at > anchor.0).min();
        regions.push(Region::Stretch(anchor.0, end.unwrap_or(observation.nodes.len() as u32)));
    }
    regions
}

/// The part of an item that is the anchor's own, where the item holds several alike: a column of a board, with cards in it. Controls of
/// one name stand once in each.
pub(crate) fn part_of_item(observation: &Observation, anchor: ElementId, item: ElementId) -> Option<ElementId> {
    let names_within = |root: ElementId| -> Vec<(&str, &str)> {
        let within =
            observation.interactive().filter(|(id, _)| *id != anchor && Region::Subtree(root).holds(observation, *id));
        within.map(|(_, node)| (node.role.as_str(), node.label())).filter(|(_, name)| !name.is_empty()).collect()
    };
    let times = |names: &[(&str, &str)], name: &(&str, &str)| names.iter().filter(|other| *other == name).count();
    let all = names_within(item);
    let repeated: Vec<(&str, &str)> = all.iter().copied().filter(|name| times(&all, name) > 1).collect();
    if repeated.is_empty() {
        return None;
    }
    let is_own = |root: ElementId| {
        let own = names_within(root);
        !own.is_empty()
            && repeated.iter().all(|name| times(&own, name) <= 1)
            && repeated.iter().any(|name| own.contains(name))
    };
    observation.ancestors(anchor).map(|(id, _)| id).take_while(|id| *id != item).filter(|id| is_own(*id)).last()
}

/// The part of the page that a control says it unfolds, where that is shown and stands behind it.
fn unfolded_by(observation: &Observation, anchor: ElementId) -> Option<ElementId> {
    let node = observation.node(anchor).filter(|node| node.states.expanded == Some(true))?;
    let named = node.attribute("aria-controls");
    let is_it = |(id, part): &(ElementId, &Node)| id.0 > anchor.0 && part.attribute("id") == named;
    observation.elements().filter(|_| !named.is_empty()).find(is_it).map(|(id, _)| id)
}

/// What stands below a heading, up to the next heading of its level or above.
pub(crate) fn below_heading(observation: &Observation, anchor: ElementId) -> Option<Region> {
    let (heading, own) = std::iter::once(anchor)
        .chain(observation.ancestors(anchor).map(|(id, _)| id))
        .find_map(|id| observation.node(id).and_then(heading_level).map(|own| (id, own)))?;
    let next = observation
        .elements()
        .find(|(id, node)| id.0 > heading.0 && heading_level(node).is_some_and(|level| level <= own));
    Some(Region::Stretch(heading.0, next.map_or(observation.nodes.len() as u32, |(id, _)| id.0)))
}

/// The level of a heading; none for anything else.
pub(crate) fn heading_level(node: &Node) -> Option<u32> {
    let digit = node.tag.strip_prefix('h').and_then(|level| level.parse::<u32>().ok());
    digit.or((node.role == "heading").then(|| node.attribute("aria-level").parse().unwrap_or(2)))
}

/// The nodes that play the same part in other records: same tag, role and class. Where there is no class, texts that stand exactly
/// below each other do, and controls at alike places of the document.
fn peers(observation: &Observation, anchor: ElementId) -> Vec<ElementId> {
    let Some(model) = observation.node(anchor) else { return Vec::new() };
    let class = model.attribute("class");
    let tells =
        !class.is_empty() || matches!(model.tag.as_str(), "td" | "li" | "a" | "span" | "label" | "h2" | "h3" | "h4");
    let is_below = |node: &Node| {
        node.bounds.height > 0.0 && !node.is_interactive() && (node.bounds.x - model.bounds.x).abs() < ALIGNED
    };
    let stands_alike = |node: &Node| model.is_interactive() && same_path(&node.xpath, &model.xpath);
    let is_peer = |node: &Node| {
        let alike = node.tag == model.tag && node.role == model.role && node.attribute("class") == class;
        alike && (tells || is_below(node) || stands_alike(node))
    };
    observation.elements().filter(|(id, node)| *id != anchor && is_peer(node)).map(|(id, _)| id).collect()
}

/// Whether two places of a document differ by their numbers alone.
pub(crate) fn same_path(one: &str, other: &str) -> bool {
    fn names(path: &str) -> impl Iterator<Item = Option<&str>> {
        path.split('/').map(|step| step.split('[').next())
    }
    names(one).eq(names(other))
}
