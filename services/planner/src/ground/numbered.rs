//! Things that a page shows by their number alone: `pitch 7` in a column that is headed `Pitch`, `locker 112` behind a term of that
//! name, `parcel PX-104` wherever that code stands. A number in another column is that of something else. Pure.

use super::item::is_item;
use super::layout::column_of;
use super::names::legible;
use super::words::tokens;
use domain::ElementId;
use domain::observation::{Node, Observation};

/// What a text of a kind and a number means, where no part of the page is called so.
pub(crate) fn anchors(observation: &Observation, text: &str) -> Vec<ElementId> {
    let Some((kind, number)) = text.rsplit_once(' ').filter(|(kind, number)| is_numbered(kind, number)) else {
        return Vec::new();
    };
    let number = legible(number.trim_start_matches('#')).to_lowercase();
    let is_it = |node: &Node| {
        let shown = legible(&node.text).to_lowercase();
        shown.trim_start_matches('#') == number && (!node.is_interactive() || node.role == "link")
    };
    let numbers = |(id, _): &(ElementId, &Node)| is_code(&number) || is_headed(observation, *id, kind);
    let found: Vec<ElementId> =
        observation.elements().filter(|(_, node)| is_it(node)).filter(numbers).map(|(id, _)| id).collect();
    let is_outer = |id: &ElementId| found.iter().any(|inner| observation.ancestors(*inner).any(|(at, _)| at == *id));
    found.iter().filter(|id| !is_outer(id)).copied().collect()
}

/// The parts of a page that begin with a name and the number of the entries in them: `Review 2` over two cards.
pub(crate) fn counted_parts(observation: &Observation, name: &str) -> Vec<ElementId> {
    const AROUND: usize = 2;
    let wanted = legible(name).to_lowercase();
    let counted = |node: &Node| {
        let shown = legible(&node.text).to_lowercase();
        let (name, count) = shown.rsplit_once(' ')?;
        (name == wanted && !node.is_interactive()).then(|| count.parse::<usize>().ok()).flatten()
    };
    let entries = |part: ElementId| observation.children(part).filter(|(_, node)| is_item(node)).count();
    let mut parts: Vec<ElementId> = observation
        .elements()
        .filter_map(|(id, node)| {
            let count = counted(node)?;
            observation.ancestors(id).take(AROUND).map(|(part, _)| part).find(|part| entries(*part) == count)
        })
        .collect();
    parts.dedup();
    parts
}

/// Whether two words are those of a kind, and a number or a code: `pitch 7`.
pub(crate) fn is_numbered(kind: &str, number: &str) -> bool {
    let is_word = |word: &str| word.chars().count() > 2 && word.chars().all(char::is_alphabetic);
    let is_number = number.chars().any(|sign| sign.is_ascii_digit())
        && number.chars().all(|sign| sign.is_alphanumeric() || matches!(sign, '-' | '#' | '/' | '.' | '_'));
    is_number && (1..=2).contains(&kind.split(' ').count()) && kind.split(' ').all(is_word)
}

/// Whether a number is a code, which names one thing wherever it stands: it has letters as well, and is no number with a letter.
fn is_code(number: &str) -> bool {
    number.chars().filter(|sign| sign.is_alphabetic()).count() > 1
}

/// Whether the heading of its column, or the term in front of it, says that an element is the number of such a thing.
pub(crate) fn is_headed(observation: &Observation, element: ElementId, kind: &str) -> bool {
    const NUMBER: [&str; 6] = ["no", "nr", "number", "id", "nummer", "num"];
    let kind = kind.rsplit(' ').next().unwrap_or_default().to_lowercase();
    let numbers = |words: &[String]| words.iter().all(|word| NUMBER.contains(&word.as_str()));
    let says = |label: &str| match tokens(label).as_slice() {
        [first, rest @ ..] => *first == kind && numbers(rest),
        [] => false,
    };
    // A column of plain numbers counts where no other is for such things.
    let is_plain = |label: &str| {
        label.trim() == "#" || matches!(tokens(label).as_slice(), [only] if numbers(std::slice::from_ref(only)))
    };
    let has_own = || observation.nodes.iter().any(|node| node.role == "columnheader" && says(node.label()));
    if let Some(column) = column_of(observation, element) {
        return says(column.label()) || (is_plain(column.label()) && !has_own());
    }
    let own = std::iter::once(element).chain(observation.ancestors(element).map(|(id, _)| id));
    let definition = own.take(3).find(|id| observation.node(*id).is_some_and(|node| node.tag == "dd"));
    let before = definition.and_then(|at| {
        observation.elements().take_while(|(id, _)| *id != at).filter(|(_, node)| node.tag == "dt").last()
    });
    before.is_some_and(|(_, term)| says(term.label()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_and_a_number_are_told_from_other_words() {
        for (kind, number) in [("pitch", "7"), ("pitch", "7a"), ("parcel", "PX-104"), ("parking space", "12")] {
            assert!(is_numbered(kind, number), "{kind} {number}");
        }
        for (kind, number) in [("Room 4 of", "7"), ("pitch", "Ann"), ("", "7"), ("2", "7")] {
            assert!(!is_numbered(kind, number), "{kind} {number}");
        }
    }
}
