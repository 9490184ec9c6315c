//! Which of several like records a control belongs to where no element holds the record: by where people see it. Pure.
//!
//! Grids keep columns in containers of their own, tables spread a record over two rows, and styles show elements in another order
//! than the document has them. What is left is the picture: a control stands in the line of a record's name, or names and
//! controls take turns down a column.

use super::region::holding_controls;
use domain::ElementId;
use domain::geometry::Rect;
use domain::observation::{Node, Observation};

/// The controls that people see as the anchor's, among it and its peers: the elements that play the same part in other records.
pub(crate) fn controls_of(observation: &Observation, anchor: ElementId, peers: &[ElementId]) -> Vec<ElementId> {
    let Some(own) = observation.node(anchor).map(|node| node.bounds) else { return Vec::new() };
    let holds_control = holding_controls(observation);
    let holds_none = |peer: &ElementId| !holds_control.get(peer.index()).copied().unwrap_or(false);
    let mut names = vec![(anchor, own)];
    names.extend(
        peers
            .iter()
            .filter(|peer| holds_none(peer))
            .filter_map(|peer| Some((*peer, observation.node(*peer)?.bounds)))
            // Other cells of its line are the record's own.
            .filter(|(_, bounds)| bounds.height > 0.0 && !in_one_line(&own, bounds)),
    );
    if names.len() < 2 {
        return Vec::new();
    }
    let is_name = |element: ElementId| names.iter().any(|(name, _)| *name == element);
    let controls: Vec<(ElementId, &Node)> = observation
        .interactive()
        .filter(|(id, node)| node.bounds.height > 0.0 && !is_name(*id))
        .filter(|(id, _)| !observation.ancestors(*id).any(|(around, _)| is_name(around)))
        .collect();
    let belongs = |(control, node): &(ElementId, &Node)| {
        let line: Vec<&(ElementId, Rect)> = names.iter().filter(|(_, name)| in_one_line(&node.bounds, name)).collect();
        let owner = match line.as_slice() {
            [] => in_turn(&names, &controls, *control, node),
            [(only, _)] => Some(*only),
            several => only_above(several, &node.bounds),
        };
        owner == Some(anchor)
    };
    controls.iter().filter(|control| belongs(control)).map(|(control, _)| *control).collect()
}

/// The heading of the column in which a control of a table stands.
pub(crate) fn column_of(observation: &Observation, control: ElementId) -> Option<&Node> {
    let is_table = |node: &Node| matches!(node.role.as_str(), "table" | "grid" | "treegrid");
    let bounds = observation.node(control)?.bounds;
    let (table, _) = observation.ancestors(control).find(|(_, node)| is_table(node))?;
    let center = bounds.x + bounds.width / 2.0;
    let is_over = |head: &Rect| head.x <= center && center <= head.right() && head.bottom() <= bounds.bottom();
    let heads = observation.elements().filter(|(id, node)| {
        node.role == "columnheader"
            && is_over(&node.bounds)
            && observation.ancestors(*id).any(|(around, _)| around == table)
    });
    // Headings may be grouped: the lowest is the column's own.
    heads.map(|(_, node)| node).max_by(|one, other| one.bounds.bottom().total_cmp(&other.bounds.bottom()))
}

/// Whether two boxes share most of the height of the lower one.
fn in_one_line(one: &Rect, other: &Rect) -> bool {
    let shared = one.bottom().min(other.bottom()) - one.y.max(other.y);
    shared >= 0.5 * one.height.min(other.height)
}

fn in_one_column(one: &Rect, other: &Rect) -> bool {
    one.right().min(other.right()) - one.x.max(other.x) > 0.0
}

/// Of several names in a control's line, the only one in its column.
fn only_above(names: &[&(ElementId, Rect)], control: &Rect) -> Option<ElementId> {
    let mut found = names.iter().filter(|(_, name)| in_one_column(control, name));
    match (found.next(), found.next()) {
        (Some((only, _)), None) => Some(*only),
        _ => None,
    }
}

/// The name that a control follows or precedes, where names and controls called alike take turns down the page: the first and the
/// last of them tell which stands first. Where they do not, nobody can tell.
fn in_turn(
    names: &[(ElementId, Rect)],
    controls: &[(ElementId, &Node)],
    control: ElementId,
    node: &Node,
) -> Option<ElementId> {
    let alike = controls.iter().filter(|(_, other)| other.role == node.role && other.label() == node.label());
    let in_no_line = alike.filter(|(_, other)| !names.iter().any(|(_, name)| in_one_line(&other.bounds, name)));
    let in_column = |bounds: &Rect| in_one_column(bounds, &node.bounds);
    let mut turns: Vec<(f64, Option<ElementId>, ElementId)> = in_no_line
        .filter(|(_, other)| in_column(&other.bounds))
        .map(|(id, other)| (middle(&other.bounds), None, *id))
        .collect();
    turns.extend(names.iter().filter(|(_, name)| in_column(name)).map(|(id, name)| (middle(name), Some(*id), *id)));
    turns.sort_by(|a, b| a.0.total_cmp(&b.0));
    let at = turns.iter().position(|(_, name, id)| name.is_none() && *id == control)?;
    let (before, after) = turns.split_at(at);
    match (turns.first()?.1, turns.last()?.1) {
        (Some(_), None) => before.iter().rev().find_map(|(_, name, _)| *name),
        (None, Some(_)) => after.iter().find_map(|(_, name, _)| *name),
        _ => None,
    }
}

fn middle(bounds: &Rect) -> f64 {
    bounds.y + bounds.height / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::action::ActionKind;

    /// The button that belongs to the `of`th name: `n` stands for a name, `b` for a button, each at x and y.
    fn button_of(of: usize, parts: &[(char, f64, f64)]) -> Vec<u32> {
        let node = |(kind, x, y): &(char, f64, f64)| Node {
            role: if *kind == 'n' { "text" } else { "button" }.into(),
            tag: "td".into(),
            name: if *kind == 'n' { "" } else { "Cancel" }.into(),
            bounds: Rect { x: *x, y: *y, width: 80.0, height: 20.0 },
            operations: if *kind == 'n' { Vec::new() } else { vec![ActionKind::Click] },
            ..Node::default()
        };
        let nodes: Vec<Node> = parts.iter().map(node).collect();
        let names: Vec<ElementId> = parts
            .iter()
            .enumerate()
            .filter(|(_, part)| part.0 == 'n')
            .map(|(index, _)| ElementId(index as u32))
            .collect();
        let peers: Vec<ElementId> = names.iter().copied().filter(|name| *name != names[of]).collect();
        let observation = Observation { nodes: nodes.into(), ..Observation::default() };
        controls_of(&observation, names[of], &peers).iter().map(|control| control.0).collect()
    }

    #[test]
    fn a_control_in_the_line_of_a_name_is_its_own_whatever_the_order_of_the_document() {
        let columns = [
            ('n', 0.0, 80.0),
            ('n', 0.0, 0.0),
            ('n', 0.0, 40.0),
            ('b', 200.0, 0.0),
            ('b', 200.0, 40.0),
            ('b', 200.0, 80.0),
        ];
        assert_eq!([button_of(0, &columns), button_of(1, &columns), button_of(2, &columns)], [[5], [3], [4]]);
    }

    #[test]
    fn names_beside_each_other_own_what_stands_below_them_in_one_line() {
        let cards = [('n', 0.0, 0.0), ('b', 0.0, 30.0), ('n', 100.0, 0.0), ('b', 100.0, 30.0)];
        assert_eq!(
            [button_of(0, &cards), button_of(1, &cards)],
            [vec![0; 0], vec![0; 0]],
            "a single turn tells nothing"
        );
    }

    #[test]
    fn who_takes_turns_with_whom_is_told_by_the_first_and_the_last() {
        let below = [('n', 0.0, 0.0), ('b', 0.0, 30.0), ('n', 0.0, 60.0), ('b', 0.0, 90.0)];
        assert_eq!([button_of(0, &below), button_of(1, &below)], [[1], [3]]);
        let above = [('b', 0.0, 0.0), ('n', 0.0, 30.0), ('b', 0.0, 60.0), ('n', 0.0, 90.0)];
        assert_eq!([button_of(0, &above), button_of(1, &above)], [[0], [2]]);
        let unclear = [('n', 0.0, 0.0), ('b', 0.0, 30.0), ('n', 0.0, 60.0)];
        assert_eq!([button_of(0, &unclear), button_of(1, &unclear)], [vec![0; 0], vec![0; 0]]);
    }
}
