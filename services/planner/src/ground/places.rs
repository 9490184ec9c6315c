//! Whether an element stands in a part of the page that an instruction names: `for "Blue mug" in "Your cart"`, `from the cart`. Pure.

use super::bind::Scene;
use super::goal::{Name, PagePart};
use super::item::{is_group, item_of};
use super::names::same;
use super::region::{self, Region};
use super::words::tokens;
use domain::ElementId;
use domain::observation::Node;

/// Whether the title of a page, or a part of it, is a name.
pub(crate) fn is_title(title: &str, name: Name<'_>) -> bool {
    const SEPARATORS: [char; 6] = ['|', '-', '\u{2013}', '\u{2014}', '\u{b7}', ':'];
    name.is_label(title) || title.split(SEPARATORS).any(|part| name.is_label(part.trim()))
}

/// Whether an element stands in a place. A place in plain words that no part of the page is called by says nothing; a proper name does.
pub(crate) fn stands_in(scene: &Scene<'_>, element: ElementId, place: &PagePart) -> bool {
    let observation = scene.observation;
    let is_called =
        |name: &str| if place.quoted { same(&place.name, name) } else { holds_all_words(name, &place.name) };
    let is_part_name =
        |node: &Node| node.role == "heading" || matches!(node.tag.as_str(), "legend" | "caption" | "summary");
    let mut found = false;
    for (id, node) in scene.elements() {
        let region = if is_group(node) && !node.name.is_empty() && is_called(&node.name) {
            vec![Region::Subtree(id)]
        } else if is_part_name(node) && is_called(node.label()) {
            region::records(observation, id)
        } else {
            continue;
        };
        found = true;
        if region.iter().any(|region| region.holds(observation, element)) {
            return true;
        }
    }
    let is_proper =
        place.name.starts_with(char::is_uppercase) || place.name.contains(|sign: char| sign.is_ascii_digit());
    !found
        && match (place.quoted, is_proper) {
            (true, _) => is_shown_around(scene, element, place),
            (false, true) => is_page_or_shown_around(scene, element, place),
            (false, false) => true,
        }
}

/// Whether the title of the page says a proper name, or the name is shown in the record of an element, or outside all entries, where it is
/// true of each of them.
fn is_page_or_shown_around(scene: &Scene<'_>, element: ElementId, place: &PagePart) -> bool {
    let observation = scene.observation;
    let anchors = region::anchors(observation, scene.echoes, &place.name);
    let is_here = |anchor: &ElementId| {
        item_of(observation, *anchor).is_none()
            || region::records(observation, *anchor).iter().any(|region| region.holds(observation, element))
    };
    holds_all_words(&observation.title, &place.name) || anchors.iter().any(is_here)
}

fn holds_all_words(name: &str, words: &str) -> bool {
    let name = tokens(name);
    tokens(words).iter().all(|word| name.contains(word))
}

/// Whether a quoted place that is no name of a part is a text of a record in which the element stands, or what the page is called.
fn is_shown_around(scene: &Scene<'_>, element: ElementId, place: &PagePart) -> bool {
    let observation = scene.observation;
    is_title(&observation.title, place.called())
        || region::anchors_of(observation, scene.echoes, place.called())
            .iter()
            .any(|anchor| region::records(observation, *anchor).iter().any(|region| region.holds(observation, element)))
}
