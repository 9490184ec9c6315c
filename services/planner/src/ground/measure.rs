//! Superlatives: which quantity an instruction compares by, and reading that quantity from text. Pure.

use super::words::tokens;
use regex::Regex;
use std::sync::LazyLock;

/// The one of several records that has the least or most of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Superlative {
    /// What is compared.
    pub quantity: Quantity,
    /// Whether the most is wanted, not the least.
    pub most: bool,
}

/// What can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// An amount of money.
    Price,
    /// A length of time, in minutes.
    Duration,
    /// A time of day, in minutes after midnight.
    Time,
    /// Any number.
    Number,
}

const WORDS: [(&str, Quantity, bool); 16] = [
    ("cheapest", Quantity::Price, false),
    ("priciest", Quantity::Price, true),
    ("dearest", Quantity::Price, true),
    ("shortest", Quantity::Duration, false),
    ("quickest", Quantity::Duration, false),
    ("fastest", Quantity::Duration, false),
    ("longest", Quantity::Duration, true),
    ("earliest", Quantity::Time, false),
    ("latest", Quantity::Time, true),
    ("smallest", Quantity::Number, false),
    ("lowest", Quantity::Number, false),
    ("fewest", Quantity::Number, false),
    ("largest", Quantity::Number, true),
    ("biggest", Quantity::Number, true),
    ("highest", Quantity::Number, true),
    ("greatest", Quantity::Number, true),
];

/// The superlative that a text holds.
pub(crate) fn superlative(text: &str) -> Option<Superlative> {
    let words = tokens(text);
    let expensive = words.windows(2).find(|pair| pair[1] == "expensive").and_then(|pair| match pair[0].as_str() {
        "most" => Some(Superlative { quantity: Quantity::Price, most: true }),
        "least" => Some(Superlative { quantity: Quantity::Price, most: false }),
        _ => None,
    });
    let named = || {
        let found = WORDS.iter().find(|(name, _, _)| words.iter().any(|word| word == name));
        found.map(|(_, quantity, most)| Superlative { quantity: *quantity, most: *most })
    };
    expensive.or_else(named)
}

static PRICE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"[$€£¥]\s?(\d[\d,]*(?:\.\d+)?)|(\d[\d,]*(?:\.\d+)?)\s?(?:[€£]|USD|EUR|GBP)").ok());
static DURATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:(\d+)\s?d(?:ays?)?\s*)?(\d+)\s?h(?:ours?|rs?)?(?:\s*(\d+)\s?m(?:in(?:utes?)?)?)?\b|\b(\d+)\s?m(?:in(?:utes?)?)\b").ok()
});
static TIME: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)\b(\d{1,2}):(\d{2})\s*(am|pm)?").ok());
static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"-?\d[\d,]*(?:\.\d+)?").ok());

/// The first quantity of this kind that a text holds.
pub(crate) fn read(quantity: Quantity, text: &str) -> Option<f64> {
    let expression = match quantity {
        Quantity::Price => &PRICE,
        Quantity::Duration => &DURATION,
        Quantity::Time => &TIME,
        Quantity::Number => &NUMBER,
    };
    let captures = expression.as_ref()?.captures(text)?;
    let number = |index: usize| captures.get(index).and_then(|part| part.as_str().replace(',', "").parse::<f64>().ok());
    match quantity {
        Quantity::Price => number(1).or(number(2)),
        Quantity::Duration => match number(4) {
            Some(minutes) => Some(minutes),
            None => Some(number(1).unwrap_or(0.0) * 1440.0 + number(2)? * 60.0 + number(3).unwrap_or(0.0)),
        },
        Quantity::Time => {
            let afternoon = captures.get(3).is_some_and(|half| half.as_str().eq_ignore_ascii_case("pm"));
            let hour = if captures.get(3).is_some() { number(1)? % 12.0 } else { number(1)? };
            Some((hour + if afternoon { 12.0 } else { 0.0 }) * 60.0 + number(2)?)
        }
        Quantity::Number => number(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read_from_the_ways_people_write_them() {
        assert_eq!(read(Quantity::Price, "Book flight for $1,197"), Some(1197.0));
        assert_eq!(read(Quantity::Duration, "14h 42m"), Some(882.0));
        assert_eq!(read(Quantity::Duration, "2 hours"), Some(120.0));
        assert_eq!(read(Quantity::Time, "2:50 PM"), Some(890.0));
        assert_eq!(read(Quantity::Price, "11:06 PM"), None);
    }
}
