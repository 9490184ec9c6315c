//! Finds a described element by its other properties when its most stable locator no longer matches.

use super::{Descriptor, Locator, address, fits, frame_chain, name_of, place};
use crate::id::ElementId;
use crate::observation::{Node, Observation};

/// How many properties must agree before an element counts as the described one.
const AGREEING: usize = 2;

/// The only element with the most agreeing properties, at least two, with the rank of a locator that matches it.
pub(super) fn of(described: &Descriptor, observation: &Observation) -> Option<(ElementId, usize)> {
    let mut best: Option<(usize, ElementId, usize)> = None;
    let mut is_tied = false;
    for (element, node) in observation.elements() {
        let Some((count, rank)) = agreement(described, observation, element, node) else { continue };
        match best {
            Some((most, ..)) if count < most => {}
            Some((most, ..)) if count == most => is_tied = true,
            _ => (best, is_tied) = (Some((count, element, rank)), false),
        }
    }
    best.filter(|_| !is_tied).map(|(_, element, rank)| (element, rank))
}

/// The number of agreeing properties, if it is enough. The position in the document does not count.
fn agreement(
    described: &Descriptor,
    observation: &Observation,
    element: ElementId,
    node: &Node,
) -> Option<(usize, usize)> {
    let mut kinds: Vec<Kind> = Vec::new();
    let mut rank = None;
    for (index, locator) in described.locators.iter().enumerate() {
        let kind = kind_of(locator, node).filter(|_| fits(locator, node));
        if let Some(kind) = kind {
            rank.get_or_insert(index);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
    }
    let rank = rank?;
    if described.address.is_some() && described.address == address(observation, node) {
        kinds.push(Kind::Address);
    }
    if !described.place.is_empty() && described.place == place(observation, element) {
        kinds.push(Kind::Place);
    }
    let is_there = kinds.len() >= AGREEING && frame_chain(observation, node.frame) == described.frames;
    is_there.then_some((kinds.len(), rank))
}

/// Properties that identify an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Role and name, or its own text.
    Words,
    TestId,
    /// `id` or `name`.
    Name,
    Label,
    Address,
    Place,
}

/// The property that a locator tests; none if it only tests position.
fn kind_of(locator: &Locator, node: &Node) -> Option<Kind> {
    match locator {
        Locator::Role { .. } | Locator::Text { .. } => Some(Kind::Words),
        Locator::TestId { .. } => Some(Kind::TestId),
        // Only fields have labels: text around a button also surrounds its neighbours.
        Locator::Label { .. } => node.is_field().then_some(Kind::Label),
        // Ids with numbers follow the order of the page, so they are positions.
        Locator::Css { selector } if name_of(selector).is_none() => {
            (!selector.contains(|sign: char| sign.is_ascii_digit())).then_some(Kind::Name)
        }
        Locator::Css { .. } => Some(Kind::Name),
        Locator::XPath { .. } => None,
    }
}
