//! Several things of a kind that are listed without quotes: by codes, or by whose they are. Pure.

use crate::ground::clause::OPEN_MARK;
use crate::ground::words::is_function_word;

/// `the seats C5 and C6`: the codes of several things of a kind; none where it is anything else.
pub(super) fn codes(what: &str) -> Vec<String> {
    let words: Vec<&str> = what.split_whitespace().filter(|word| !is_function_word(&word.to_lowercase())).collect();
    let Some((kind, codes)) = words.split_first().filter(|(kind, codes)| kind.ends_with('s') && codes.len() > 1) else {
        return Vec::new();
    };
    let is_code = |word: &&&str| word.chars().any(|sign| sign.is_ascii_digit()) && word.chars().count() <= 8;
    let all = kind.starts_with(|letter: char| letter.is_lowercase()) && codes.iter().all(|word| is_code(&word));
    let plain = |word: &&str| word.trim_matches(|sign: char| !sign.is_alphanumeric()).to_owned();
    if all { codes.iter().map(plain).collect() } else { Vec::new() }
}

/// `the boxes of Lea Graf and Ben Novak`: whose several things are; none where it is anything else.
pub(super) fn people(what: &str) -> Vec<String> {
    let Some((head, rest)) = what.split_once(" of ").or_else(|| what.split_once(" for ")) else { return Vec::new() };
    let is_plural =
        head.split(' ').next_back().is_some_and(|kind| kind.ends_with('s') && kind.starts_with(char::is_lowercase));
    let listed = rest.replace(", and ", " and ").replace(", ", " and ");
    let names: Vec<String> = listed.split(" and ").map(|name| name.trim_end_matches(['.', ',']).to_owned()).collect();
    let is_name = |name: &String| {
        name.contains(' ')
            && name.split(' ').all(|word| word.starts_with(char::is_uppercase) && !word.contains(OPEN_MARK))
    };
    if is_plural && names.len() > 1 && names.iter().all(is_name) { names } else { Vec::new() }
}
