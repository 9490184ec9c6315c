//! What an instruction turned to among several: the others are not turned to in search of something. "Click the tab Today and click
//! Hand over for Ann" does not mean the Ann of tomorrow. Pure.

use super::item::is_in_entry;
use super::lexicon::NEXT_WORDS;
use super::region::same_path;
use super::words::tokens;
use domain::ElementId;
use domain::observation::{Node, Observation};
use serde::{Deserialize, Serialize};

/// The most that is remembered of one row of tabs, links or sections.
const MOST: usize = 40;

/// Something that stood beside what the instruction turned to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rival {
    role: String,
    name: String,
    /// Index of the goal that turned to what stood beside it.
    goal: usize,
}

impl Rival {
    fn is(&self, node: &Node) -> bool {
        self.role == node.role && self.name == node.label()
    }
}

/// Remembers what the instruction passes by as it turns to an element; what it turns to is passed by no longer.
pub(crate) fn pass_by(passed_by: &mut Vec<Rival>, observation: &Observation, chosen: ElementId, goal: usize) {
    let Some(own) = observation.node(chosen) else { return };
    passed_by.retain(|rival| !rival.is(own));
    for rival in beside(observation, chosen, goal) {
        passed_by.retain(|known| known.role != rival.role || known.name != rival.name);
        passed_by.push(rival);
    }
}

/// What stands beside an element that is chosen by name: the other tabs of its row, the other links of its navigation, the other
/// sections, the other pages of a list. Nothing for what does not show one of several.
fn beside(observation: &Observation, chosen: ElementId, goal: usize) -> Vec<Rival> {
    let Some(own) = observation.node(chosen).filter(|node| shows_one_of_several(observation, chosen, node)) else {
        return Vec::new();
    };
    let row = |id: ElementId| observation.ancestors(id).find(|(_, around)| around.role == "tablist").map(|(id, _)| id);
    let own_row = row(chosen);
    let is_rival = |id: ElementId, other: &Node| {
        let in_row = own_row.is_some() && row(id) == own_row;
        let stands_alike = same_path(&other.xpath, &own.xpath) && other.frame == own.frame;
        // More of the list that was chosen is not passed by, unless a page of it was chosen by its number.
        let is_more = !in_row && !is_page_number(own) && shows_more(other);
        id != chosen
            && shows_one_of_several(observation, id, other)
            && other.role == own.role
            && !other.label().is_empty()
            && (in_row || stands_alike)
            && !is_more
    };
    let rivals = observation.interactive().filter(|(id, other)| is_rival(*id, other)).take(MOST);
    rivals.map(|(_, other)| Rival { role: other.role.clone(), name: other.label().to_owned(), goal }).collect()
}

/// Whether a node was passed by on the way to a goal, or to the one before it: what is asked next is meant to be where the instruction
/// turned to. What comes later may stand elsewhere.
pub(crate) fn is_just_passed(rivals: &[Rival], node: &Node, goal: usize) -> bool {
    rivals.iter().any(|rival| rival.is(node) && goal <= rival.goal + 1)
}

/// Whether a node is one that the instruction passed by.
pub(crate) fn is_among(rivals: &[Rival], node: &Node) -> bool {
    rivals.iter().any(|rival| rival.is(node))
}

fn shows_one_of_several(observation: &Observation, element: ElementId, node: &Node) -> bool {
    match node.role.as_str() {
        "tab" | "treeitem" | "menuitemradio" => true,
        "link" => !is_in_entry(observation, element) || is_page_number(node),
        _ => node.states.expanded.is_some() || node.tag == "summary" || is_page_number(node),
    }
}

fn is_page_number(node: &Node) -> bool {
    node.label().trim().parse::<u32>().is_ok()
}

fn shows_more(node: &Node) -> bool {
    let label = node.label().trim().to_lowercase();
    NEXT_WORDS.contains(&label.as_str()) || tokens(&label).iter().any(|word| word == "more")
}
