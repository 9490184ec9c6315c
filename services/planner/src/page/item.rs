//! The region that an element belongs to: the row, card or other item of a list that it stands in.

use domain::text::shorten;
use domain::{ElementId, Observation};

/// Characters of an item's words.
const LONGEST: usize = 80;

/// What the item says that an element stands in, without the element's own words; none where it stands in no item, or the
/// item says nothing else.
pub(super) fn item_words(observation: &Observation, element: ElementId) -> Option<String> {
    let item = observation.node(observation.item(element)?)?;
    let own = observation.node(element).map_or("", |node| node.label());
    let words = if item.name.is_empty() { &item.text } else { &item.name };
    let rest = if own.is_empty() { words.clone() } else { words.replacen(own, " ", 1) };
    let words = rest.split_whitespace().collect::<Vec<_>>().join(" ");
    (!words.is_empty()).then(|| shorten(&words, LONGEST))
}
