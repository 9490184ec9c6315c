//! Compares texts as checks do: folds white space and removes invisible characters on both sides, and respects case.
//! Pure.

use domain::task::TextMatch;
use domain::text::{composed, fold, shorten};
use regex::{Regex, RegexBuilder};
use std::ops::Range;

/// Largest compiled size of a pattern in bytes, to bound memory.
const PATTERN_SIZE: usize = 1 << 20;

/// Most matches compared between two examinations.
const MATCHES: usize = 50;

/// Whether a text fits.
///
/// # Errors
/// Why it cannot be decided, as a sentence: the pattern is invalid, or matches any text.
pub fn fits(wanted: &TextMatch, text: &str) -> Result<bool, String> {
    find(wanted, text).map(|found| !found.is_empty())
}

/// The matching parts of a text, each extended to the next white space. Two examinations that find the same part saw
/// the same.
///
/// # Errors
/// As [`fits`].
pub fn find(wanted: &TextMatch, text: &str) -> Result<Vec<String>, String> {
    let text = fold(text);
    let ranges: Vec<Range<usize>> = match wanted {
        TextMatch::Equals(expected) if fold(expected) == text => std::iter::once(0..text.len()).collect(),
        TextMatch::Equals(_) => Vec::new(),
        TextMatch::Contains(part) => {
            let part = fold(part);
            if part.is_empty() {
                return Err("`contains` without text fits everything".to_owned());
            }
            text.match_indices(&part).map(|(at, found)| at..at + found.len()).take(MATCHES).collect()
        }
        TextMatch::Matches(pattern) if pattern.is_empty() => return Err("an empty pattern fits everything".to_owned()),
        TextMatch::Matches(pattern) => {
            compile(&composed(pattern))?.find_iter(&text).map(|found| found.range()).take(MATCHES).collect()
        }
    };
    let whole_words = |range: Range<usize>| {
        let from = text[..range.start].rfind(' ').map_or(0, |blank| blank + 1);
        let to = text[range.end..].find(' ').map_or(text.len(), |blank| range.end + blank);
        text[from..to].to_owned()
    };
    Ok(ranges.into_iter().map(whole_words).collect())
}

/// Matches a text of which only the beginning is known; none where the rest would decide.
///
/// # Errors
/// As [`fits`].
pub fn fits_beginning(wanted: &TextMatch, beginning: &str) -> Result<Option<bool>, String> {
    let holds = fits(wanted, beginning)?;
    Ok(match wanted {
        TextMatch::Contains(_) => holds.then_some(true),
        TextMatch::Equals(expected) => (!fold(expected).starts_with(&fold(beginning))).then_some(false),
        TextMatch::Matches(_) => (holds && !looks_at_end(wanted)).then_some(true),
    })
}

/// Whether a pattern may contain an end anchor, which would match where reading stopped.
pub fn looks_at_end(wanted: &TextMatch) -> bool {
    matches!(wanted, TextMatch::Matches(pattern) if ["$", "\\z", "\\b", "\\B"].iter().any(|end| pattern.contains(end)))
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

/// The words of the wanted text, for finding similar ones.
pub fn words_of(wanted: &TextMatch) -> &str {
    match wanted {
        TextMatch::Equals(text) | TextMatch::Contains(text) | TextMatch::Matches(text) => text,
    }
}

/// At most `length` characters of a folded text, for people.
pub(crate) fn excerpt(text: &str, length: usize) -> String {
    shorten(&fold(text), length)
}
