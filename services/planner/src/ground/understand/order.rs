//! Putting what a sentence says into the order in which it is done: `after …`, `before …`, `once …`, `but first …`. Pure.

use super::talk::with_plain_verb;
use super::verbs::{bare, is_verb, plain_form};

/// A sentence as parts in the order in which they are done.
pub(super) fn in_order(sentence: &str) -> Vec<String> {
    for (lead, is_earlier) in [
        ("right after", true),
        ("after", true),
        ("once", true),
        ("as soon as", true),
        ("when", true),
        ("having", true),
        ("following", true),
        ("prior to", false),
        ("before", false),
    ] {
        if let Some(rest) = super::talk::after_words(sentence, lead)
            && let Some((said_first, said_then)) = split_at_command(rest)
        {
            let other = done_part(said_first);
            let mut parts = vec![said_then.to_owned()];
            if let Some(other) = other {
                parts.insert(if is_earlier { 0 } else { 1 }, other);
            }
            return parts.iter().flat_map(|part| in_order(part)).collect();
        }
    }
    if let Some((then, first)) = split_once_any(
        sentence,
        &[", but first ", " but first ", ", but before that ", ", but before that, ", "; first "],
    ) {
        return [first, then].into_iter().flat_map(in_order).collect();
    }
    for (word, is_earlier) in [
        (" right after ", true),
        (" after ", true),
        (" once ", true),
        (" as soon as ", true),
        (" prior to ", false),
        (" before ", false),
    ] {
        if let Some(at) = sentence.to_lowercase().find(word).filter(|_| sentence.is_char_boundary(0)) {
            let (Some(said_first), Some(said_then)) = (sentence.get(..at), sentence.get(at + word.len()..)) else {
                continue;
            };
            let begins = said_then.split_whitespace().next().map(bare).unwrap_or_default();
            let speaks_of_doing = plain_form(&begins).is_some() && begins.ends_with("ing")
                || matches!(begins.as_str(), "you" | "you've" | "having");
            let Some(other) = done_part(said_then).filter(|_| speaks_of_doing) else { continue };
            let said_first = said_first.trim_end_matches([',', ' ']).to_owned();
            let parts = if is_earlier { [other, said_first] } else { [said_first, other] };
            return parts.iter().flat_map(|part| in_order(part)).collect();
        }
    }
    vec![sentence.to_owned()]
}

/// Whether a sentence is to be done before the one in front of it, and the sentence without these words.
pub(super) fn before_the_last(sentence: &str) -> Option<&str> {
    ["but before that", "before that", "prior to that", "beforehand", "but first of all", "but first"]
        .iter()
        .find_map(|lead| super::talk::after_words(sentence, lead))
}

/// Cuts `clicking ⟦0⟧, open the page` before its command.
fn split_at_command(text: &str) -> Option<(&str, &str)> {
    let mut from = 0;
    while let Some(at) = text.get(from..)?.find(',') {
        let (before, after) = (text.get(..from + at)?, text.get(from + at + 1..)?);
        let command = super::talk::without_courtesy(after);
        let words: Vec<&str> = command.split_whitespace().collect();
        if super::verbs::begins_command(&words, 0) {
            return Some((before, after.trim_start()));
        }
        from += at + 1;
    }
    None
}

/// `you have clicked ⟦0⟧` or `clicking ⟦0⟧` → `click ⟦0⟧`; none where it only speaks of what is done already: `that is done`.
fn done_part(text: &str) -> Option<String> {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    while let Some(first) = words.first().map(|word| bare(word)) {
        if matches!(
            first.as_str(),
            "you"
                | "i"
                | "we"
                | "have"
                | "has"
                | "had"
                | "you've"
                | "youve"
                | "having"
                | "successfully"
                | "are"
                | "you're"
        ) {
            words.remove(0);
        } else {
            break;
        }
    }
    let first = words.first().map(|word| bare(word))?;
    let is_form = plain_form(&first).is_some() || is_verb(&first);
    if !is_form || (words.len() < 2 && first.ends_with("ed")) {
        return None;
    }
    let text = words.join(" ");
    Some(plainly(&if is_verb(&first) { text } else { with_plain_verb(&text) }))
}

/// Further forms behind `and`: `expanding ⟦0⟧ and clicking ⟦1⟧`.
fn plainly(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let follows = |at: usize| {
        at > 0 && words.get(at - 1).is_some_and(|word| *word == "and" || *word == "then" || word.ends_with(','))
    };
    let plain = words.iter().enumerate().map(|(at, word)| {
        match plain_form(word).filter(|_| follows(at) && word.ends_with("ing")) {
            Some(plain) => plain,
            None => (*word).to_owned(),
        }
    });
    plain.collect::<Vec<_>>().join(" ")
}

fn split_once_any<'a>(text: &'a str, marks: &[&str]) -> Option<(&'a str, &'a str)> {
    marks.iter().find_map(|mark| text.split_once(mark))
}
