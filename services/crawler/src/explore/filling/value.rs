//! The plain value of a field: by its type, its autocomplete token, its name and label, its bounds and pattern. Never by what
//! a refusal says: that is [`super::refusal`]'s.

use super::refusal::constant;
use domain::Node;
use domain::observation::Constraints;
use regex::Regex;
use std::sync::LazyLock;

/// What a field's words say that it holds, first match first.
const MEANINGS: [(&[&str], &str); 23] = [
    (&["email", "e-mail", "mail"], "rutter@example.org"),
    (&["phone", "tel", "mobile", "fax"], "5550100123"),
    (&["zip", "zipcode", "postal", "postcode", "plz"], "12345"),
    (&["url", "website", "homepage", "link"], "https://example.org/"),
    (&["user", "login", "nickname", "handle"], "rutter"),
    (&["first", "given"], "Ada"),
    (&["last", "family", "surname"], "Lovelace"),
    (&["company", "organization", "organisation"], "Example Ltd"),
    (&["street", "address"], "1 Harbour Street"),
    (&["city", "town"], "London"),
    (&["country"], "France"),
    (&["state", "province", "region"], "Kent"),
    (&["card", "iban", "account"], "4111111111111111"),
    (&["cvc", "cvv"], "123"),
    (&["timezone", "time zone"], "UTC"),
    (&["birth", "date", "day"], "2026-01-15"),
    (&["time", "hour"], "10:30"),
    (&["year"], "2026"),
    (&["quantity", "amount", "count", "number", "qty", "price", "age", "size", "guests", "rating"], "2"),
    (&["search", "query", "find", "filter"], "a"),
    (&["coupon", "voucher", "promo", "code"], "SAVE10"),
    (&["subject", "title", "name"], "Ada Lovelace"),
    (&["message", "comment", "note", "description", "review", "text", "content", "body"], PROSE),
];

const PROSE: &str = "Written while exploring.";
/// A password that keeps the usual rules: long, with letters of both cases, digits and a sign, and unlike the name of anybody.
const PASSWORD: &str = "Quay-7482-Tide";
/// The day of all dates.
const DAY: &str = "2026-01-15";

/// The plain value of a field, within its bounds and lengths.
pub(super) fn plain(node: &Node) -> String {
    let none = Constraints::default();
    let constraints = node.constraints.as_deref().unwrap_or(&none);
    let value = match node.attribute("type").to_lowercase().as_str() {
        "number" | "range" => number(constraints),
        "date" => bounded(constraints, DAY),
        "month" => bounded(constraints, "2026-01"),
        "week" => bounded(constraints, "2026-W03"),
        "time" => bounded(constraints, "10:30"),
        "datetime-local" => bounded(constraints, "2026-01-15T10:30"),
        "color" => "#3366cc".to_owned(),
        "email" => MEANINGS[0].1.to_owned(),
        "password" => PASSWORD.to_owned(),
        "tel" => "5550100123".to_owned(),
        "url" => "https://example.org/".to_owned(),
        "search" => "a".to_owned(),
        _ => by_words(node),
    };
    fitted(value, constraints)
}

/// By what the page calls a field.
fn by_words(node: &Node) -> String {
    if node.role == "combobox" || node.attributes.contains_key("aria-autocomplete") {
        // One letter shows the most proposals.
        return "a".to_owned();
    }
    let listed = node.options.iter().find(|option| !option.value.is_empty());
    if let Some(option) = listed {
        return option.value.clone();
    }
    let words = words(node);
    if let Some(format) = words.iter().find_map(|words| date_format(words)) {
        return format;
    }
    // `address` is what stands in the source and `E-mail address` what people read: the most telling word counts. What stands
    // around a field speaks of other fields too.
    let [token, name, id, label, around, placeholder] = words;
    let meant =
        meaning(token).or_else(|| meaning(&[name, id, label, placeholder].join(" "))).or_else(|| meaning(around));
    let usual = if node.tag == "textarea" { PROSE } else { "Ada" };
    meant.unwrap_or(usual).to_owned()
}

/// What the page calls a field, the surest first.
pub(super) fn words(node: &Node) -> [&str; 6] {
    let token = node.constraints.as_ref().and_then(|constraints| constraints.autocomplete.as_deref());
    [
        token.unwrap_or_default(),
        node.attribute("name"),
        node.attribute("id"),
        node.label(),
        &node.context,
        node.attribute("placeholder"),
    ]
}

/// A value of what a text speaks of.
pub(super) fn meaning(text: &str) -> Option<&'static str> {
    let text = text.to_lowercase();
    let parts: Vec<&str> = text.split(|letter: char| !letter.is_alphanumeric() && letter != '-').collect();
    MEANINGS.iter().find(|(words, _)| words.iter().any(|word| speaks_of(&text, &parts, word))).map(|(_, value)| *value)
}

/// Whether a word is among the parts of a text, or within one. A short word is within many that mean something else, as `age` in
/// `message`.
fn speaks_of(text: &str, parts: &[&str], word: &str) -> bool {
    if word.contains(' ') {
        return text.contains(word);
    }
    let is_it = |part: &&str| match word.len() {
        0..=3 => part.split('-').any(|piece| piece == word),
        4 | 5 => part.starts_with(word) || part.ends_with(word),
        _ => part.contains(word),
    };
    parts.iter().any(is_it)
}

/// The day in a format that a text spells out, as `DD/MM/YYYY` or `Y-m-d`.
pub(super) fn date_format(text: &str) -> Option<String> {
    let found = DATE_FORMAT.find(text)?.as_str();
    let mut written = String::new();
    let mut letters = found.chars().peekable();
    while let Some(letter) = letters.next() {
        let mut count = 1;
        while letters.peek() == Some(&letter) {
            letters.next();
            count += 1;
        }
        match letter.to_ascii_lowercase() {
            'y' if count == 2 => written.push_str("26"),
            'y' => written.push_str("2026"),
            'm' => written.push_str("01"),
            'd' => written.push_str("15"),
            other => written.push(other),
        }
    }
    Some(written)
}

fn number(constraints: &Constraints) -> String {
    let bound = |text: &Option<String>| text.as_deref().and_then(|text| text.parse::<f64>().ok());
    let (min, max) = (bound(&constraints.min), bound(&constraints.max));
    min.unwrap_or_else(|| max.map_or(2.0, |max| max.min(2.0))).to_string()
}

/// A value of a date or time field that is within its bounds, whose text sorts like the time.
fn bounded(constraints: &Constraints, usual: &str) -> String {
    match (&constraints.min, &constraints.max) {
        (Some(min), _) if usual < min.as_str() => min.clone(),
        (_, Some(max)) if usual > max.as_str() => max.clone(),
        _ => usual.to_owned(),
    }
}

/// A value that obeys pattern and length.
pub(super) fn fitted(value: String, constraints: &Constraints) -> String {
    if let Some(pattern) = constraints.pattern.as_deref()
        && let Some(fits) = whole(pattern)
        && !fits.is_match(&value)
    {
        return generated(pattern, &fits).unwrap_or(value);
    }
    let least = constraints.min_length.map_or(0, |least| least as usize);
    let value = lengthened(value, least);
    match constraints.max_length {
        Some(most) => value.chars().take(most as usize).collect(),
        None => value,
    }
}

/// A value with at least so many characters.
pub(super) fn lengthened(mut value: String, least: usize) -> String {
    let least = least.min(LONGEST);
    while value.chars().count() < least {
        let more: String = value.chars().take(least - value.chars().count()).collect();
        value.push_str(if more.is_empty() { "a" } else { &more });
    }
    value
}

/// Whether a value obeys a pattern, as far as that can be understood.
pub(super) fn obeys(value: &str, constraints: &Constraints) -> bool {
    constraints.pattern.as_deref().and_then(whole).is_none_or(|fits| fits.is_match(value))
}

fn whole(pattern: &str) -> Option<Regex> {
    Regex::new(&format!("^(?:{pattern})$")).ok()
}

/// A text that a pattern matches.
fn generated(pattern: &str, fits: &Regex) -> Option<String> {
    use rand::SeedableRng;
    use rand::distr::Distribution;
    let drawn = rand_regex::Regex::compile(pattern, 3).ok()?;
    let mut rng = rand::rngs::StdRng::seed_from_u64(1);
    (0..20).map(|_| drawn.sample(&mut rng)).find(|text: &String| text.is_ascii() && fits.is_match(text))
}

/// Characters that no value is made longer than.
const LONGEST: usize = 500;

static DATE_FORMAT: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"\b(?i:(?:yyyy|yy)[-/.](?:mm)[-/.](?:dd)|(?:mm|dd)[-/.](?:mm|dd)[-/.](?:yyyy|yy))\b|\bY[-/.]m[-/.]d\b|\b[dm][-/.][dm][-/.]Y\b",
    )
});
