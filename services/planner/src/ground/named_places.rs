//! Reading the parts of the page that a clause names beside the thing itself. Pure.

use super::clause::Quoted;
use super::goal::PagePart;
use super::target::{kind_named, ordinal_word};
use super::words::{content_tokens, is_function_word, tokens};

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
            places.push(PagePart { name: name.to_owned(), quoted: true, ..PagePart::default() });
        } else if let Some(name) = name_of_shown(part) {
            places.push(PagePart { name, quoted: true, ..PagePart::default() });
        } else if let Some(name) = plain_name(part) {
            places.push(PagePart { name, ..PagePart::default() });
        }
    }
    places
}

/// The name of a tab or a section: `the Closed tab`. It is the whole name.
fn name_of_shown(text: &str) -> Option<String> {
    let words = text.trim().trim_end_matches(['.', ',']);
    let lead = ["the ", "my ", "your ", "our "].iter().find_map(|lead| words.strip_prefix(lead))?;
    const PARTS: [&str; 4] = [" tab", " section", " folder", " mailbox"];
    let name = PARTS.iter().find_map(|part| lead.strip_suffix(part))?;
    const NO_NAMES: [&str; 12] =
        ["new", "same", "other", "current", "next", "previous", "top", "bottom", "left", "right", "main", "correct"];
    let is_named = !NO_NAMES.contains(&name.to_lowercase().as_str());
    (is_named && !name.is_empty() && name.split(' ').count() <= 4 && ordinal_word(name).is_none())
        .then(|| name.to_owned())
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
