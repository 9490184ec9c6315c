//! What is waited for: `… and wait until the backup is stored`.

use crate::ground::clause::Quoted;
use crate::ground::goal::{Awaited, Goal};
use crate::ground::words::{is_function_word, tokens};

/// How a clause about waiting begins.
const LEADS: [&str; 4] = ["wait until ", "wait till ", "wait for ", "wait that "];
/// Words that say that something is shown or over, and not what.
const OVER: [&str; 20] = [
    "shown",
    "visible",
    "displayed",
    "appears",
    "appear",
    "appeared",
    "there",
    "be",
    "been",
    "page",
    "screen",
    "has",
    "have",
    "was",
    "until",
    "message",
    "comes",
    "says",
    "text",
    "gets",
];

/// Words that speak of what has to go, or of how long to wait.
const GOING: [&str; 14] = [
    "gone",
    "disappears",
    "disappear",
    "closes",
    "close",
    "closed",
    "vanishes",
    "hidden",
    "longer",
    "second",
    "seconds",
    "minute",
    "minutes",
    "moment",
];

/// What a sentence says before it speaks of waiting, what is waited for, and what it says behind that.
pub(super) fn split(quoted: &Quoted, sentence: &str) -> Option<(String, Goal, String)> {
    const BEFORE: [&str; 6] = [", and then ", ", then ", ", and ", " and then ", " and ", ", "];
    let lower = sentence.to_lowercase();
    let found = LEADS.iter().filter_map(|lead| lower.find(lead)).min()?;
    let (head, tail) = sentence.split_at_checked(found)?;
    let head = BEFORE.iter().find_map(|before| head.strip_suffix(before)).or(head.is_empty().then_some(""))?;
    let end = BEFORE.iter().filter_map(|before| Some((tail.find(before)?, before.len()))).min();
    let (awaited, rest) = match end {
        Some((at, length)) => (tail.get(..at)?, tail.get(at + length..)?),
        None => (tail, ""),
    };
    Some((head.to_owned(), read(quoted, awaited)?, rest.to_owned()))
}

/// `wait until the backup is stored`
fn read(quoted: &Quoted, clause: &str) -> Option<Goal> {
    let clause = clause.trim().trim_end_matches('.');
    let lower = clause.to_lowercase();
    let lead = LEADS.iter().find(|lead| lower.starts_with(**lead))?;
    let told = clause.get(lead.len()..)?.trim();
    let names: Vec<String> = quoted.parts_in(told).map(str::to_owned).collect();
    let plain = quoted.restore(told);
    let telling = |word: &String| !is_function_word(word) && !OVER.contains(&word.as_str());
    // What has to go, and how long, is no text that comes: then it is waited until the page rests.
    if tokens(&plain).iter().any(|word| GOING.contains(&word.as_str())) {
        return Some(Goal::Await(Awaited { text: plain, names: Vec::new(), words: Vec::new() }));
    }
    let words = if names.is_empty() { tokens(&plain).into_iter().filter(telling).collect() } else { Vec::new() };
    Some(Goal::Await(Awaited { text: plain, names, words }))
}
