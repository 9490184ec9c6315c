//! Where something is entered or chosen, told apart from what it is. Pure.

use crate::ground::clause::{CLOSE_MARK, OPEN_MARK};
use crate::ground::target;

/// Separates what is entered or chosen from where: `⟦0⟧ into the text field`, `Peru from the scroll list`.
pub(super) fn split_place(text: &str) -> (&str, Option<&str>) {
    let places = [" into ", " in the ", " from the ", " as the ", " in ", " on the ", " to the ", " as "];
    // Before a quoted name these words lead to a place as well; before others they may be part of what is chosen.
    let before_names = [" for ", " under ", " of ", " at ", " on ", " within ", " next to ", " beside ", " from "];
    let is_name = |at: usize, length: usize| text[at + length..].trim_start_matches("the ").starts_with(OPEN_MARK);
    let named = before_names.iter().filter_map(|place| text.find(place).map(|at| (at, place.len())));
    let leads = |text: &str, find: fn(&str, &str) -> Option<usize>| -> Vec<(usize, usize)> {
        places
            .iter()
            .filter_map(|place| find(text, place).map(|at| (at, place.len())))
            .filter(|(at, _)| !text[*at..].to_lowercase().contains("case") || text[..*at].contains(" in "))
            .collect()
    };
    // `60 into ⟦0⟧`, `Kim Lee as ⟦0⟧`: what is quoted is the place.
    let quote = text.find(OPEN_MARK).unwrap_or(text.len());
    let leads_to_quote = |lead: &str| {
        let at = text.get(..quote)?.rfind(lead).filter(|at| *at > 0)?;
        let value = text.get(..at)?.trim();
        let is_plain = value.starts_with(|sign: char| sign.is_uppercase() || sign.is_ascii_digit());
        let is_word = lead == " into " && !value.contains(' ');
        (is_name(at, lead.len()) && (is_plain || is_word)).then_some((at, lead.len()))
    };
    let goes_on = text.get(quote..).is_some_and(|rest| rest.is_empty() || rest.contains(" into "));
    let before =
        [" into ", " in the ", " in ", " as the ", " as "].into_iter().find_map(leads_to_quote).filter(|_| !goes_on);
    if let Some((at, length)) = before {
        return (text[..at].trim(), Some(text[at + length..].trim()));
    }
    let cut = match text.find(CLOSE_MARK) {
        // Behind a quoted value the first of these words leads to its place; what follows belongs to the place.
        Some(end) => leads(&text[end..], |text, place| text.find(place))
            .into_iter()
            .chain(
                named.filter(|(at, length)| *at >= end && is_name(*at, *length)).map(|(at, length)| (at - end, length)),
            )
            .min_by_key(|(at, length)| (*at, std::cmp::Reverse(*length)))
            .map(|(at, length)| (at + end, length)),
        None => leads(text, |text, place| text.rfind(place)).into_iter().max_by_key(|(at, _)| *at),
    };
    match cut {
        Some((at, length)) => (text[..at].trim(), Some(text[at + length..].trim())),
        None => (text.trim(), None),
    }
}

/// Separates what is chosen, in plain words, from the named thing that it belongs to: `the Large size of the ⟦0⟧`.
pub(super) fn of_named(text: &str) -> Option<(&str, &str)> {
    let (before, name) = text.split_at(text.find(OPEN_MARK)?);
    let before = before.trim_end();
    let before = before.strip_suffix(" the").unwrap_or(before);
    let what = [" of", " for"].iter().find_map(|lead| before.strip_suffix(lead))?;
    let is_named = name.trim_end_matches('.').ends_with(CLOSE_MARK) && name.matches(OPEN_MARK).count() == 1;
    (is_named && !target::without_kind_words(what).is_empty()).then_some((what.trim(), name))
}

/// Separates what is chosen from the group that it is chosen for: `Express for the speed`, `2 for adults`. A name may hold the word as
/// well, as `Shoes for men` does: the group has its article then, or what is chosen is a number or a quote.
pub(super) fn for_group(text: &str) -> Option<(&str, &str)> {
    let (what, group) = text.rsplit_once(" for ")?;
    let group = group.trim_end_matches('.').trim();
    let value = what.trim().trim_start_matches("the ");
    let is_value = value.starts_with(|sign: char| sign.is_uppercase() || sign.is_ascii_digit() || sign == OPEN_MARK)
        && (!value.starts_with(OPEN_MARK) || value.ends_with(CLOSE_MARK));
    let is_number = value.trim_end_matches('.').chars().all(|sign| sign.is_ascii_digit());
    let is_said = group.starts_with("the ") || is_number || value.ends_with(CLOSE_MARK);
    let is_group = is_said
        && group.split_whitespace().count() <= 4
        && group.chars().all(|sign| sign.is_lowercase() || sign.is_whitespace() || sign == '-');
    (is_value && is_group && !group.is_empty()).then_some((what.trim(), group))
}

/// `the code 4711`: what the field is called, and the number that goes into it.
pub(super) fn named_number(text: &str) -> Option<(String, String)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [lead, name, number] = words.as_slice() else { return None };
    let is_number = number.chars().any(|sign| sign.is_ascii_digit()) && !number.starts_with(OPEN_MARK);
    let names_field = name.chars().all(|sign| sign.is_lowercase())
        && !matches!(*name, "number" | "numbers" | "value" | "text" | "word" | "amount" | "digits");
    (matches!(*lead, "the" | "my" | "your") && is_number && names_field)
        .then(|| ((*name).to_owned(), (*number).to_owned()))
}

/// `the value of Last name` → `Last name`.
pub(super) fn value_of(text: &str) -> Option<&str> {
    let lower = text.to_lowercase();
    ["the value of ", "value of ", "the value for "]
        .iter()
        .find_map(|lead| lower.find(lead).map(|at| text[at + lead.len()..].trim()))
}
