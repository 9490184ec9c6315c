//! Parts of the page that an instruction names beside the record: `for "Blue mug" in "Your cart"`, `from the cart`. Pure.

use super::bind::Scene;
use super::clause::Quoted;
use super::goal::PagePart;
use super::item::is_group;
use super::names::same;
use super::region::{self, Region};
use super::target::kind_named;
use super::words::{content_tokens, is_function_word, tokens};
use domain::ElementId;
use domain::observation::Node;

/// Words that lead to a part of the page.
const LEADS: [&str; 5] = [" in ", " from ", " under ", " on ", " within "];
/// Words for parts of pages that are no names of one.
const GENERAL: [&str; 14] = [
    "page", "site", "website", "list", "table", "row", "form", "menu", "app", "screen", "results", "order", "left",
    "right",
];

/// The places that stand in a text after what it begins with: further quoted names, or the plain words of its last place.
pub(crate) fn places_in(quoted: &Quoted, text: &str) -> Vec<PagePart> {
    let text = format!(" {text} ");
    let lower = text.to_lowercase();
    let mut leads: Vec<(usize, usize)> =
        LEADS.iter().flat_map(|lead| lower.match_indices(lead).map(|(at, found)| (at, at + found.len()))).collect();
    leads.sort_unstable();
    let mut places = Vec::new();
    for (index, (_, from)) in leads.iter().enumerate() {
        let until = leads.get(index + 1).map_or(text.len(), |(at, _)| (*at).max(*from));
        let Some(part) = text.get(*from..until) else { continue };
        if let Some(name) = quoted.parts_in(part).next() {
            places.push(PagePart { name: name.to_owned(), quoted: true });
        } else if let Some(name) = plain_name(part) {
            places.push(PagePart { name, quoted: false });
        }
    }
    places
}

/// The words of a place, where they name a part of a page and are not just any words.
fn plain_name(text: &str) -> Option<String> {
    let begins_a_name = tokens(text).first().is_some_and(|word| matches!(word.as_str(), "the" | "my" | "your" | "our"));
    let words = content_tokens(text);
    let is_general =
        |word: &String| GENERAL.contains(&word.as_str()) || kind_named(word).is_some() || is_function_word(word);
    let names = begins_a_name && !words.is_empty() && words.len() <= 3 && !words.iter().any(is_general);
    names.then(|| words.join(" "))
}

/// Whether an element stands in a place. A place in plain words that no part of the page is called by says nothing.
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
    !found && (!place.quoted || is_shown_around(scene, element, place))
}

fn holds_all_words(name: &str, words: &str) -> bool {
    let name = tokens(name);
    tokens(words).iter().all(|word| name.contains(word))
}

/// Whether a quoted place that is no name of a part is a text of a record in which the element stands.
fn is_shown_around(scene: &Scene<'_>, element: ElementId, place: &PagePart) -> bool {
    let anchors = region::anchors(scene.observation, scene.echoes, &place.name);
    anchors.is_empty()
        || anchors.iter().any(|anchor| {
            region::records(scene.observation, *anchor).iter().any(|region| region.holds(scene.observation, element))
        })
}
