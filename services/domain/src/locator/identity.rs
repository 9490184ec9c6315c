//! Which element is the described one although its most stable locator no longer finds it.

use super::{Descriptor, Locator, address, fits, frame_chain, name_of, place};
use crate::action::ActionKind;
use crate::id::ElementId;
use crate::observation::{Node, Observation};

/// How many things must agree before an element counts as the one that was described.
const AGREEING: usize = 2;

/// The one element of which two or more things agree, and more than of any other, with the rank of a locator that fits it.
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

/// How many things agree, where they are enough. Where it stands in the document is none of them.
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

/// What tells an element apart.
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

/// What a locator says of an element; none where it only says where it stands.
fn kind_of(locator: &Locator, node: &Node) -> Option<Kind> {
    match locator {
        Locator::Role { .. } | Locator::Text { .. } => Some(Kind::Words),
        Locator::TestId { .. } => Some(Kind::TestId),
        // What surrounds a button surrounds its neighbours too; only a field has a label.
        Locator::Label { .. } => is_field(node).then_some(Kind::Label),
        // Ids with numbers are given out in the order of a page, so they are places.
        Locator::Css { selector } if name_of(selector).is_none() => {
            (!selector.contains(|sign: char| sign.is_ascii_digit())).then_some(Kind::Name)
        }
        Locator::Css { .. } => Some(Kind::Name),
        Locator::XPath { .. } => None,
    }
}

fn is_field(node: &Node) -> bool {
    [ActionKind::Type, ActionKind::Select, ActionKind::Check, ActionKind::Upload]
        .into_iter()
        .any(|kind| node.allows(kind))
}
