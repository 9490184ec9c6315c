//! Comparing texts as checks do: white space folded on both sides, case kept. Pure.

use domain::task::TextMatch;
use regex::{Regex, RegexBuilder};

/// Largest compiled size of a pattern, in bytes; keeps a careless pattern from eating the memory.
const PATTERN_SIZE: usize = 1 << 20;

/// A text with every run of white space as one blank, and none at the ends.
pub fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a text fits.
///
/// # Errors
/// A sentence about why nothing can be said: the pattern is not valid, or would fit any text.
pub fn fits(wanted: &TextMatch, text: &str) -> Result<bool, String> {
    let text = fold(text);
    match wanted {
        TextMatch::Equals(expected) => Ok(fold(expected) == text),
        TextMatch::Contains(part) if fold(part).is_empty() => Err("`contains` without text fits everything".to_owned()),
        TextMatch::Contains(part) => Ok(text.contains(&fold(part))),
        TextMatch::Matches(pattern) if pattern.is_empty() => Err("an empty pattern fits everything".to_owned()),
        TextMatch::Matches(pattern) => Ok(compile(pattern)?.is_match(&text)),
    }
}

/// Compiles a pattern.
///
/// # Errors
/// The compiler's message on one line.
pub fn compile(pattern: &str) -> Result<Regex, String> {
    RegexBuilder::new(pattern).size_limit(PATTERN_SIZE).build().map_err(|error| {
        let message = error.to_string();
        let last = message.lines().last().unwrap_or_default();
        format!("`{pattern}` is no regular expression: {}", last.trim_start_matches("error: "))
    })
}

/// The wanted text, for people.
pub fn describe(wanted: &TextMatch) -> String {
    match wanted {
        TextMatch::Equals(text) => format!("equal to \"{text}\""),
        TextMatch::Contains(text) => format!("with \"{text}\" in it"),
        TextMatch::Matches(pattern) => format!("matching /{pattern}/"),
    }
}

/// At most `length` characters of a text, folded, with an ellipsis where something was left out.
pub fn shorten(text: &str, length: usize) -> String {
    let folded = fold(text);
    match folded.char_indices().nth(length) {
        Some((cut, _)) => format!("{}…", &folded[..cut]),
        None => folded,
    }
}
