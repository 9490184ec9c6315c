//! Days and times of forms: reckoned from today, so that none is past by the time somebody explores, and in the order in which a
//! form speaks of them. Pure.

use super::refusal::constant;
use chrono::{Datelike, Days, NaiveDate, Weekday};
use regex::Regex;
use std::sync::LazyLock;

/// Words of what ends, which lies after what begins.
const ENDS: &[&str] = &[
    "until",
    "till",
    "end",
    "ends",
    "ending",
    "checkout",
    "out",
    "return",
    "returning",
    "to",
    "through",
    "finish",
    "last",
];
/// What a field's words say of its day, and how many days after today that is; the first that fits.
const OFFSETS: [(&[&str], i64); 6] = [
    (&["birth", "birthday", "born", "dob"], -30 * 365),
    (&["purchased", "purchase", "invoice", "issued", "issue", "founded", "hired", "graduated", "occurred"], -14),
    (&["expiry", "expires", "expire", "expiration", "exp"], 730),
    (&["due", "deadline"], 21),
    (ENDS, 14),
    (&["departure", "depart", "leave", "leaving"], 10),
];
/// Days after today of a day that no word says more about.
const USUAL: i64 = 7;

/// The day that a field's words speak of: a day of the week's work, since few refuse those.
pub(super) fn meant(words: &str, today: NaiveDate) -> NaiveDate {
    let words = words.to_lowercase().replace("check-out", "checkout").replace("check-in", "checkin");
    let parts: Vec<&str> = words.split(|letter: char| !letter.is_alphanumeric()).collect();
    let is_said = |(said, _): &&(&[&str], i64)| said.iter().any(|word| parts.contains(word));
    let offset = OFFSETS.iter().find(is_said).map_or(USUAL, |(_, offset)| *offset);
    working(after(today, offset))
}

/// Whether a field's words speak of something that ends.
pub(super) fn is_end(words: &str) -> bool {
    let words = words.to_lowercase();
    let mut parts = words.split(|letter: char| !letter.is_alphanumeric());
    parts.any(|part| ENDS.contains(&part))
}

/// The next day of the week's work, the day itself included.
fn working(day: NaiveDate) -> NaiveDate {
    match day.weekday() {
        Weekday::Sat => after(day, 2),
        Weekday::Sun => after(day, 1),
        _ => day,
    }
}

/// A day so many days later, or earlier; at the ends of the calendar the day itself.
fn after(day: NaiveDate, days: i64) -> NaiveDate {
    let by = Days::new(days.unsigned_abs());
    let moved = if days < 0 { day.checked_sub_days(by) } else { day.checked_add_days(by) };
    moved.unwrap_or(day)
}

/// Another day instead of `before`, when the page said this against it; `None` when the words ask for no other day.
pub(super) fn mended(said: &str, before: NaiveDate, attempt: u32, today: NaiveDate) -> Option<NaiveDate> {
    let days = 7 * i64::from(attempt);
    let weekdays = weekdays(said);
    if !weekdays.is_empty() {
        let refuses = CLOSED.is_match(said);
        let fits = |day: &NaiveDate| weekdays.contains(&day.weekday()) != refuses;
        return (1..=7).map(|ahead| after(before, ahead)).find(fits);
    }
    let is_past = NOT_FUTURE.is_match(said) || (PAST.is_match(said) && !NOT_PAST.is_match(said));
    if is_past {
        return Some(working(after(before.min(today), -days)));
    }
    (NOT_PAST.is_match(said) || FUTURE.is_match(said)).then(|| working(after(before.max(today), days)))
}

/// The days of the week that a text names, one by one, as a span, or together.
fn weekdays(said: &str) -> Vec<Weekday> {
    let said = said.to_lowercase();
    let named = |word: &str| {
        let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
        let at = names.iter().position(|name| word.starts_with(name) && (word.len() == 3 || word.contains("day")))?;
        Weekday::try_from(u8::try_from(at).ok()?).ok()
    };
    if let Some(span) = SPAN.captures(&said)
        && let (Some(first), Some(last)) = (named(&span[1]), named(&span[2]))
    {
        return std::iter::successors(Some(first), |day| (*day != last).then(|| day.succ())).collect();
    }
    let mut days: Vec<Weekday> = said.split(|letter: char| !letter.is_alphabetic()).filter_map(named).collect();
    if said.contains("weekend") {
        days.extend([Weekday::Sat, Weekday::Sun]);
    }
    if WORKING.is_match(&said) {
        days.extend([Weekday::Mon, Weekday::Tue, Weekday::Wed, Weekday::Thu, Weekday::Fri]);
    }
    days
}

/// The format that a text spells out, as `DD/MM/YYYY` or `Y-m-d`.
pub(super) fn format(text: &str) -> Option<&str> {
    Some(FORMAT.find(text)?.as_str())
}

/// A day in a format as [`format`] finds it.
pub(super) fn written(day: NaiveDate, format: &str) -> String {
    day.format(&signs(format)).to_string()
}

/// The day that a text was written for: in ISO 8601, or in a format.
pub(super) fn read(text: &str, format: Option<&str>) -> Option<NaiveDate> {
    let iso = NaiveDate::parse_from_str(text.get(..10).unwrap_or(text), "%Y-%m-%d").ok();
    iso.or_else(|| NaiveDate::parse_from_str(text, &signs(format?)).ok())
}

/// A format in the signs that the calendar reads.
fn signs(format: &str) -> String {
    let mut signs = String::new();
    let mut letters = format.chars().peekable();
    while let Some(letter) = letters.next() {
        let mut count = 1;
        while letters.next_if_eq(&letter).is_some() {
            count += 1;
        }
        match letter.to_ascii_lowercase() {
            'y' if count == 2 => signs.push_str("%y"),
            'y' => signs.push_str("%Y"),
            'm' => signs.push_str("%m"),
            'd' => signs.push_str("%d"),
            other => signs.push(other),
        }
    }
    signs
}

macro_rules! patterns {
    ($($name:ident = $pattern:expr;)*) => {
        $(static $name: LazyLock<Regex> = LazyLock::new(|| constant($pattern));)*
        #[cfg(test)]
        pub(super) fn compile_all() { $(LazyLock::force(&$name);)* }
    };
}

patterns! {
    FORMAT = r"\b(?i:(?:yyyy|yy)[-/.](?:mm)[-/.](?:dd)|(?:mm|dd)[-/.](?:mm|dd)[-/.](?:yyyy|yy))\b|\bY[-/.]m[-/.]d\b|\b[dm][-/.][dm][-/.]Y\b";
    SPAN = r"\b([a-z]{3,9})\s*(?:to|through|until|–|-)\s*([a-z]{3,9})\b";
    WORKING = r"\b(?:week ?days?|working days?|business days?)\b";
    CLOSED = r"(?i)\b(?:no|not|closed|except|cannot|can't|never|unavailable)\b";
    PAST = r"(?i)\b(?:in the past|must be past|before today|earlier than|(?:must|should) be before|past date)\b";
    NOT_PAST = r"(?i)\b(?:not|cannot|can't|never)(?: be)?(?: a date)? (?:in|from) the past\b";
    FUTURE = r"(?i)\b(?:in the future|future date|after today|later than|(?:must|should) be after|on or after|not before|is past|has passed|already over|too soon|days? (?:ahead|in advance))\b";
    NOT_FUTURE = r"(?i)\b(?:not|cannot|can't|never)(?: be)?(?: a date)? (?:in|from) the future\b";
}

#[cfg(test)]
mod tests;
