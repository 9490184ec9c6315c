//! What a refusal asks for, read from its words: those of browsers (HTML) and of frameworks (Rails, Django, WTForms, Laravel)
//! in English. A word alone says nothing: “that name is taken” is about no name.

use super::day;
use super::value::{lengthened, meaning, words};
use chrono::NaiveDate;
use domain::Node;
use regex::Regex;
use std::sync::LazyLock;

/// A value that may pass instead of `before`, when the page said this against it. `attempt` counts from 1, and `fresh` is a
/// number that nobody has used here; `None` when the words ask for nothing that is understood.
pub(super) fn mended(
    node: &Node,
    said: &str,
    before: &str,
    attempt: u32,
    fresh: u32,
    today: NaiveDate,
) -> Option<String> {
    let said = said.replace('’', "'");
    let said = said.as_str();
    if let Some(day) = another_day(node, said, before, attempt, today) {
        return Some(day);
    }
    let is_number = matches!(node.attribute("type"), "number" | "range");
    if !is_number {
        let is_named =
            |example: &String| !["a ", "an ", "the ", "this", "that"].iter().any(|word| example.starts_with(word));
        if let Some(example) = group(&EXAMPLE, said).filter(is_named) {
            return Some(example);
        }
        if let Some(begin) = group(&BEGIN, said) {
            return Some(format!("{begin}10"));
        }
        if let Some(end) = group(&END, said) {
            let local = if end.starts_with('@') { before.split('@').next().unwrap_or_default() } else { before };
            return Some(format!("{local}{end}"));
        }
        if let Some(mended) = by_length(said, before).or_else(|| by_letters(said, before)) {
            return Some(mended);
        }
    }
    if TAKEN.is_match(said) {
        return Some(varied(before, fresh));
    }
    if node.attribute("type") == "password" {
        return None;
    }
    if let Some(number) = in_range(said, attempt) {
        return Some(number);
    }
    // What is to be a valid something, where nobody knew that it was.
    let kind = group(&VALID, said).or_else(|| group(&VALID_LATE, said))?;
    if WHOLE_NUMBER.is_match(&kind) {
        return Some("2".to_owned());
    }
    meaning(&kind, today)
}

/// A day in the format that is asked for, or another day in the format that stands there.
fn another_day(node: &Node, said: &str, before: &str, attempt: u32, today: NaiveDate) -> Option<String> {
    if let Some(format) = day::format(said) {
        return Some(day::written(day::meant(&words(node).join(" "), today), format));
    }
    let format = words(node).into_iter().find_map(day::format);
    let day = day::mended(said, day::read(before, format)?, attempt, today)?;
    Some(match (format, before.split_once('T')) {
        (_, Some((_, time))) => format!("{day}T{time}"),
        (Some(format), None) => day::written(day, format),
        (None, None) => day.to_string(),
    })
}

/// Another value of the same kind: of an address, another user at the same host.
fn varied(before: &str, fresh: u32) -> String {
    match before.split_once('@') {
        Some((local, host)) => format!("{local}{fresh}@{host}"),
        None => format!("{before}{fresh}"),
    }
}

/// A number that a refusal names as good: with each attempt the next one.
fn in_range(said: &str, attempt: u32) -> Option<String> {
    let beyond = |pattern: &Regex, by: f64| {
        Some(pattern.captures(said)?.get(1)?.as_str().parse::<f64>().ok()? + by).map(|number| number.to_string())
    };
    if let Some(number) = beyond(&GREATER, 1.0).or_else(|| beyond(&LESS, -1.0)) {
        return Some(number);
    }
    if !RANGE.is_match(said) {
        return None;
    }
    let numbers: Vec<f64> = NUMBER.find_iter(said).filter_map(|found| found.as_str().parse().ok()).collect();
    let chosen = numbers.get(attempt.saturating_sub(1) as usize).or(numbers.first())?;
    Some(chosen.to_string())
}

/// A value with as many characters as are asked for.
fn by_length(said: &str, before: &str) -> Option<String> {
    let count = |pattern: &Regex| pattern.captures(said)?.get(1)?.as_str().parse::<usize>().ok();
    let cut = |most: usize| before.chars().take(most).collect::<String>();
    let digits = |value: String| match said.contains("digit") {
        true => value.chars().map(|letter| if letter.is_ascii_digit() { letter } else { '4' }).collect(),
        false => value,
    };
    if let Some(least) = count(&LEAST) {
        // Longer than asked for, so that what is still said is not said of its length.
        return Some(digits(lengthened(before.to_owned(), least)));
    }
    if let Some(most) = count(&MOST) {
        return Some(digits(cut(most)));
    }
    let exactly = count(&EXACTLY)?;
    Some(digits(lengthened(cut(exactly), exactly)))
}

/// A value with the letters that are missed, or without those that are not wanted.
fn by_letters(said: &str, before: &str) -> Option<String> {
    let says = |pattern: &Regex| pattern.is_match(said);
    if says(&ONLY) {
        let lower = says(&LOWER);
        let letters = said.contains("letter") || says(&WORD_LETTERS);
        let digits = said.contains("digit") || said.contains("number") || says(&WORD_LETTERS);
        let kept: String = before
            .chars()
            .filter(|letter| (letters && letter.is_ascii_alphabetic()) || (digits && letter.is_ascii_digit()))
            .collect();
        let kept = if lower { kept.to_lowercase() } else { kept };
        return Some(match (kept.is_empty(), letters) {
            (false, _) => kept,
            (true, true) => "ada".to_owned(),
            (true, false) => "12345".to_owned(),
        });
    }
    if says(&NO_SPACES) {
        return Some(before.chars().filter(|letter| !letter.is_whitespace()).collect());
    }
    if !says(&CONTAINS) {
        return None;
    }
    let mut value = before.to_owned();
    let has = |is_it: fn(char) -> bool| before.chars().any(is_it);
    let wants = [
        (says(&UPPER) && !has(|letter| letter.is_ascii_uppercase()), 'Q'),
        (says(&LOWER) && !has(|letter| letter.is_ascii_lowercase()), 'q'),
        (says(&DIGIT) && !has(|letter| letter.is_ascii_digit()), '7'),
        (says(&SIGN) && !has(|letter| letter.is_ascii_punctuation()), '!'),
    ];
    value.extend(wants.into_iter().filter(|(is_missed, _)| *is_missed).map(|(_, letter)| letter));
    (value != before).then_some(value)
}

/// Whether a refusal says that two fields are to hold the same.
pub(super) fn wants_the_same(said: &str) -> bool {
    SAME.is_match(said) && !FORMAT.is_match(said)
}

fn group(pattern: &Regex, said: &str) -> Option<String> {
    let found = pattern.captures(said)?.get(1)?.as_str().trim_end_matches(['.', ',', ';']);
    Some(found.to_owned())
}

macro_rules! patterns {
    ($($(#[$doc:meta])* $name:ident = $pattern:expr;)*) => {
        $($(#[$doc])* static $name: LazyLock<Regex> = LazyLock::new(|| constant($pattern));)*
        #[cfg(test)]
        pub(super) fn compile_all() { $(LazyLock::force(&$name);)* }
    };
}

patterns! {
    NUMBER = r"-?\d+(\.\d+)?";
    LEAST = r"(?i)\b(?:at least|minimum(?: length)?(?: is| of)?|min\.?|lengthen [^0-9]*|too short[^0-9]*|between|longer than or equal to)[: ]+(\d+)(?:[^0-9]+\d+)? (?:char|letter|digit|symbol)";
    MOST = r"(?i)\b(?:at most|maximum(?: length)?(?: is| of)?|max\.?|no more than|not (?:be )?(?:longer|greater|more) than|cannot be longer than|shorten [^0-9]*|too long[^0-9]*)[: ]+(\d+) (?:char|letter|digit|symbol)";
    EXACTLY = r"(?i)\b(?:exactly|should be|must be|must have|needs?) (\d+) (?:char|letter|digit|symbol)";
    EXAMPLE = r#"(?i)\b(?:such as|e\.g\.|like|for example|for instance|example:)\s+["'“‘`]?([^"'”`!?;]*?\S)["'”`]?(?:[.!?]?\s*$|[.;!?]\s)"#;
    BEGIN = r#"(?i)\b(?:begin|begins|beginning|start|starts|starting)\s+with\s+["'“‘`]?([^\s"'”`]+)"#;
    END = r#"(?i)\b(?:end|ends|ending|finish|finishes)\s+(?:with|in|on)\s+["'“‘`]?([^\s"'”`]+)"#;
    RANGE = r"(?i)\b(?:from|between|at most|at least|up to|no more than|not more than|maximum|minimum|or equal to|nearest valid values are|must be)\b[^0-9-]*-?\d|\d\s*(?:–|-|to|and)\s*\d";
    GREATER = r"(?i)\b(?:greater|more|higher|larger|bigger) than (-?\d+(?:\.\d+)?)";
    LESS = r"(?i)\b(?:less|fewer|lower|smaller) than (-?\d+(?:\.\d+)?)";
    TAKEN = r"(?i)\b(?:taken|already (?:exists?|in use|registered|used|been)|exists? already|in use|not available|unavailable|must be unique|duplicate|choose another|pick another|try another|use another)\b";
    SAME = r"(?i)\b(?:match|matches|equal to [^0-9]|the same as|identical)";
    FORMAT = r"(?i)\b(?:format|pattern)\b";
    /// The thing that is to be valid, or a number.
    VALID = r"(?i)\b(?:enter|provide|supply|include|give|be|not|need)s? (?:a |an |the |your )?(?:proper |correct |real )?(?:valid |properly formatted )?((?:whole |integer )?[a-z@' -]{2,40})";
    VALID_LATE = r"(?i)\b(?:invalid|malformed|unknown|incorrect) ([a-z -]{2,40})";
    WHOLE_NUMBER = r"(?i)^(?:whole |integer ?)?(?:number|integer|numeric|decimal|digits?)\b|\binteger\b";
    ONLY = r"(?i)\b(?:only|consist(?:ing)? of|alphanumeric|no (?:other|special) (?:characters|signs))\b";
    WORD_LETTERS = r"(?i)\b(?:alphanumeric|alpha-numeric)\b";
    NO_SPACES = r"(?i)\b(?:no|without|not contain|cannot contain)(?: any)? (?:spaces|blanks|white ?space)";
    CONTAINS = r"(?i)\b(?:contain|include|have|need|use|add|at least one|at least 1|requires?)s?\b";
    UPPER = r"(?i)upper-? ?case|capital";
    LOWER = r"(?i)lower-? ?case|small letters?";
    DIGIT = r"(?i)\b(?:digits?|numbers?|numerals?|numeric)\b";
    SIGN = r"(?i)\b(?:special|symbols?|punctuation|signs?|non-alphanumeric)\b";
}

/// A pattern that every test compiles.
pub(super) fn constant(text: &str) -> Regex {
    #[expect(clippy::unwrap_used, reason = "the patterns are constants, compiled by every test")]
    Regex::new(text).unwrap()
}
