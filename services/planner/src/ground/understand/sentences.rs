//! Cutting an instruction into sentences. Pure.

use super::verbs::{self, bare};
use crate::ground::clause::OPEN_MARK;

/// Cuts a text into sentences.
pub(super) fn sentences(text: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    for line in text.lines() {
        let mut sentence: Vec<&str> = Vec::new();
        let line = without_number(line.trim());
        let words: Vec<&str> = line.split_whitespace().collect();
        for (at, word) in words.iter().enumerate() {
            sentence.push(word);
            // A quoted part may end with the sign that ends the sentence.
            let ends = word.ends_with(['.', '!', '?', ';'])
                && !is_initial(word, words.get(at + 1).copied())
                && !(is_shortened(word) && words.get(at + 1).is_some_and(|next| !verbs::is_verb(&bare(next))));
            let begins = words.get(at + 1).is_none_or(|next| {
                next.starts_with(|sign: char| sign.is_uppercase() || sign == OPEN_MARK || !sign.is_ascii())
            });
            if ends && (begins || word.ends_with(['!', '?', ';'])) || matches!(*word, "." | "!" | "?" | ";") {
                sentences.push(sentence.join(" "));
                sentence.clear();
            }
        }
        sentences.push(sentence.join(" "));
    }
    sentences.retain(|sentence| sentence.chars().any(|sign| sign.is_alphanumeric()));
    sentences
}

/// Whether a word is a letter or a number of a list, with a full stop that ends no sentence: `J. Doe`. A number does where a command follows:
/// `to 2. Click …`.
fn is_initial(word: &str, next: Option<&str>) -> bool {
    let mut signs = word.chars().filter(|sign| sign.is_alphanumeric());
    let (first, more) = (signs.next(), signs.next());
    let is_number = first.is_some_and(|sign| sign.is_ascii_digit());
    more.is_none() && first.is_some() && !(is_number && next.is_some_and(|next| verbs::is_verb(&bare(next))))
}

/// Whether a word is a title that is written short, with a full stop that ends no sentence: `Dr.`
fn is_shortened(word: &str) -> bool {
    matches!(word, "Dr." | "Mr." | "Mrs." | "Ms." | "Mx." | "Prof.")
}

/// A line without its number in a list: `1. Open …`, `- Open …`.
fn without_number(line: &str) -> &str {
    let rest = line.trim_start_matches(|sign: char| sign.is_ascii_digit());
    let numbered = rest.len() < line.len() && rest.starts_with(['.', ')']);
    let line = if numbered { rest.trim_start_matches(['.', ')']) } else { line };
    line.trim_start_matches(['-', '*', '\u{2022}', ' '])
}
