//! What a person reads as the label of a field that has no name: the text in front of it, beside it or above it. Pure.

use crate::ground::bind::Scene;
use crate::ground::layout::column_of;
use crate::ground::names::legible;
use domain::ElementId;
use domain::action::ActionKind;
use domain::observation::{Node, Observation};

/// The farthest that a label stands from its field, in pixels.
const FARTHEST: f64 = 60.0;
/// The longest text that is read as a label.
const LONGEST: usize = 60;

/// The labels of fields: each by its name, else by the text around it. A text is the label of one field only, the nearest.
pub(super) fn of_fields(scene: &Scene<'_>, fields: &[ElementId]) -> Vec<String> {
    let observation = scene.observation;
    let mut labels: Vec<String> = fields
        .iter()
        .map(|field| observation.node(*field).map(|node| own_label(observation, *field, node)).unwrap_or_default())
        .collect();
    let texts: Vec<(ElementId, &Node)> = scene
        .elements()
        .filter(|(_, text)| !text.is_interactive() && !text.text.is_empty() && text.text.len() <= LONGEST)
        .filter(|(id, _)| !holds_field(observation, *id))
        .collect();
    // Texts are given to all fields of the page, so that none takes the label of a field that is not asked for.
    let all: Vec<(ElementId, &Node)> = scene.elements().filter(|(_, node)| takes_input(node)).collect();
    // What heads a column of several fields is the label of none of them: their rows tell them apart.
    let heads_several = |text: &Node| {
        let is_below = |id: ElementId| column_of(observation, id).is_some_and(|head| std::ptr::eq(head, text));
        text.role == "columnheader" && all.iter().filter(|(id, _)| is_below(*id)).take(2).count() > 1
    };
    let texts: Vec<(ElementId, &Node)> = texts.into_iter().filter(|(_, text)| !heads_several(text)).collect();
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (at, (_, field)) in all.iter().enumerate().filter(|(_, (_, field))| field.name.is_empty()) {
        pairs.extend(texts.iter().enumerate().map(|(index, (_, text))| (distance(field, text), at, index)));
    }
    pairs.retain(|(distance, _, _)| *distance < FARTHEST);
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut given, mut taken) = (Vec::new(), Vec::new());
    for (_, at, index) in pairs {
        if given.contains(&at) || taken.contains(&index) {
            continue;
        }
        given.push(at);
        taken.push(index);
        let label = fields.iter().position(|field| all.get(at).is_some_and(|(id, _)| id == field));
        if let Some(label) = label.and_then(|label| labels.get_mut(label)).filter(|label| label.is_empty()) {
            *label = texts.get(index).map(|(_, text)| text.text.clone()).unwrap_or_default();
        }
    }
    labels
}

/// The label that needs no geometry: the name, or the text of the smallest block that holds this field and no other control.
fn own_label(observation: &Observation, field: ElementId, node: &Node) -> String {
    if !node.name.is_empty() {
        return node.name.clone();
    }
    let block = observation
        .ancestors(field)
        .take_while(|(id, _)| count_within(observation, *id, Node::is_interactive) == 1)
        .map(|(_, block)| legible(&block.text))
        .find(|text| !text.is_empty() && text.len() <= LONGEST);
    match block {
        Some(text) => text,
        None if observation
            .nodes
            .iter()
            .filter(|other| takes_input(other) && other.context == node.context)
            .count()
            == 1 =>
        {
            node.context.clone()
        }
        None => String::new(),
    }
}

fn takes_input(node: &Node) -> bool {
    node.allows(ActionKind::Type) || node.allows(ActionKind::Select)
}

fn count_within(observation: &Observation, root: ElementId, counts: impl Fn(&Node) -> bool) -> usize {
    observation
        .elements()
        .filter(|(id, node)| counts(node) && observation.ancestors(*id).any(|(ancestor, _)| ancestor == root))
        .count()
}

fn holds_field(observation: &Observation, root: ElementId) -> bool {
    count_within(observation, root, takes_input) > 0
}

/// Distance of a text from a field as the eye goes: to the left and above is where labels stand.
fn distance(field: &Node, text: &Node) -> f64 {
    let distance = field.bounds.distance(&text.bounds);
    let same_line =
        (field.bounds.center().y - text.bounds.center().y).abs() < field.bounds.height.max(text.bounds.height) / 2.0;
    let is_left = same_line && text.bounds.center().x < field.bounds.center().x;
    let is_above = !same_line && text.bounds.bottom() <= field.bounds.y + 4.0;
    if is_left {
        distance
    } else if same_line {
        distance + 6.0
    } else if is_above {
        distance + 7.0
    } else {
        // What stands between two fields, as near to the one as to the other, is the label of the lower one.
        distance + 15.0
    }
}

/// The heading of the column of a table that a field stands in.
pub(super) fn column_heading(observation: &Observation, field: ElementId) -> Option<&str> {
    let bounds = observation.node(field)?.bounds;
    let (table, _) = observation
        .ancestors(field)
        .find(|(_, node)| node.tag == "table" || matches!(node.role.as_str(), "table" | "grid" | "treegrid"))?;
    let is_above = |node: &Node| {
        let spans = node.bounds.x <= bounds.center().x && bounds.center().x <= node.bounds.right();
        spans && node.bounds.bottom() <= bounds.y + 4.0
    };
    let headings = observation.elements().filter(|(id, node)| {
        let is_of_table = || observation.ancestors(*id).any(|(around, _)| around == table);
        node.role == "columnheader" && is_above(node) && is_of_table()
    });
    let nearest = headings.max_by(|a, b| a.1.bounds.y.total_cmp(&b.1.bounds.y));
    nearest.map(|(_, node)| if node.text.is_empty() { node.name.as_str() } else { node.text.as_str() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::geometry::Rect;

    fn node(role: &str, text: &str, x: f64, y: f64) -> Node {
        Node {
            role: role.into(),
            tag: if role == "textbox" { "input" } else { "td" }.into(),
            text: text.to_owned(),
            bounds: Rect { x, y, width: 80.0, height: 20.0 },
            operations: if role == "textbox" { vec![ActionKind::Type] } else { Vec::new() },
            ..Node::default()
        }
    }

    #[test]
    fn a_text_between_two_fields_is_the_label_of_the_lower_one() {
        let nodes = vec![
            node("text", "Breed", 0.0, 0.0),
            node("textbox", "", 0.0, 20.0),
            node("text", "Colour", 0.0, 40.0),
            node("textbox", "", 0.0, 60.0),
        ];
        let observation = Observation { nodes: nodes.into(), ..Observation::default() };
        let scene = Scene { observation: &observation, echoes: &[] };
        assert_eq!(of_fields(&scene, &[ElementId(1), ElementId(3)]), ["Breed", "Colour"]);
    }

    #[test]
    fn a_field_of_a_table_has_the_heading_of_its_column() {
        let in_table = |node: Node| Node { parent: Some(ElementId(0)), ..node };
        let mut nodes = vec![Node { tag: "table".into(), role: "table".into(), ..Node::default() }];
        nodes.extend(
            ["Thing", "Price"]
                .into_iter()
                .zip([0.0, 100.0])
                .map(|(text, x)| in_table(node("columnheader", text, x, 0.0))),
        );
        nodes.extend([40.0, 80.0].map(|y| in_table(node("textbox", "", 100.0, y))));
        let observation = Observation { nodes: nodes.into(), ..Observation::default() };
        for field in [3, 4] {
            assert_eq!(column_heading(&observation, ElementId(field)), Some("Price"));
        }
    }
}
