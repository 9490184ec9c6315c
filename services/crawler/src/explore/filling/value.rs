//! The plain value of a field: by its type, its autocomplete token, its name and label, its bounds and pattern. Never by what
//! a refusal says: that is [`super::refusal`]'s.

use super::day;
use chrono::NaiveDate;
use domain::Node;
use domain::observation::Constraints;
use regex::Regex;

/// What a field holds.
#[derive(Clone, Copy)]
enum Meaning {
    Text(&'static str),
    Day,
    Time,
    Year,
}
use Meaning::{Day, Text, Time, Year};

/// What a field's words say that it holds, first match first.
const MEANINGS: [(&[&str], Meaning); 23] = [
    (&["email", "e-mail", "mail"], Text(EMAIL)),
    (&["phone", "tel", "mobile", "fax"], Text("5550100123")),
    (&["zip", "zipcode", "postal", "postcode", "plz"], Text("12345")),
    (&["url", "website", "homepage", "link"], Text("https://example.org/")),
    (&["user", "login", "nickname", "handle"], Text("rutter")),
    (&["first", "given"], Text("Rutter")),
    (&["last", "family", "surname"], Text("Lovelace")),
    (&["company", "organization", "organisation"], Text("Rutter Ltd")),
    (&["street", "address"], Text("1 Rutter Street")),
    (&["city", "town"], Text("London")),
    (&["country"], Text("France")),
    (&["state", "province", "region"], Text("Kent")),
    (&["card", "iban", "account"], Text("4111111111111111")),
    (&["cvc", "cvv"], Text("123")),
    (&["timezone", "time zone"], Text("UTC")),
    (&["birth", "date", "day"], Day),
    (&["time", "hour"], Time),
    (&["year"], Year),
    (&["quantity", "amount", "count", "number", "qty", "price", "age", "size", "guests", "rating"], Text("2")),
    (&["search", "query", "find", "filter"], Text("a")),
    (&["coupon", "voucher", "promo", "code"], Text("SAVE10")),
    (&["subject", "title", "name"], Text("Rutter Lovelace")),
    (&["message", "comment", "note", "description", "review", "text", "content", "body"], Text(PROSE)),
];

const PROSE: &str = "Written by Rutter while exploring.";
/// A password that keeps the usual rules: long, with letters of both cases, digits and a sign, and unlike the name of anybody.
const PASSWORD: &str = "Quay-7482-Tide";
const EMAIL: &str = "rutter@example.org";

/// Whether a value is one that is usually put into fields, as far as that is unlikely to be anybody else's.
pub(crate) fn is_usual(value: &str) -> bool {
    let texts = MEANINGS.iter().filter_map(|(_, meaning)| match meaning {
        Text(text) => Some(*text),
        Day | Time | Year => None,
    });
    texts.filter(|text| text.len() > 6).chain([PROSE]).any(|usual| usual == value)
}

/// The plain value of a field, within its bounds and lengths.
pub(super) fn plain(node: &Node, today: NaiveDate) -> String {
    let none = Constraints::default();
    let constraints = node.constraints.as_deref().unwrap_or(&none);
    let spoken = words(node).join(" ");
    let at = |format: &str| day::meant(&spoken, today).format(format).to_string();
    let value = match node.attribute("type").to_lowercase().as_str() {
        "number" | "range" => number(constraints),
        "date" => bounded(constraints, &at("%Y-%m-%d")),
        "month" => bounded(constraints, &at("%Y-%m")),
        "week" => bounded(constraints, &at("%G-W%V")),
        "time" => bounded(constraints, time(&spoken)),
        "datetime-local" => bounded(constraints, &format!("{}T{}", at("%Y-%m-%d"), time(&spoken))),
        "color" => "#3366cc".to_owned(),
        "email" => EMAIL.to_owned(),
        "password" => PASSWORD.to_owned(),
        "tel" => "5550100123".to_owned(),
        "url" => "https://example.org/".to_owned(),
        "search" => "a".to_owned(),
        _ => by_words(node, today),
    };
    fitted(value, constraints)
}

/// A time of day: that of an end after that of a beginning.
fn time(words: &str) -> &'static str {
    if day::is_end(words) { "11:30" } else { "10:30" }
}

/// By what the page calls a field.
fn by_words(node: &Node, today: NaiveDate) -> String {
    if node.role == "combobox" || node.attributes.contains_key("aria-autocomplete") {
        // One letter shows the most proposals.
        return "a".to_owned();
    }
    let listed = node.options.iter().find(|option| !option.value.is_empty());
    if let Some(option) = listed {
        return option.value.clone();
    }
    let words = words(node);
    let spoken = words.join(" ");
    if let Some(format) = words.iter().find_map(|words| day::format(words)) {
        return day::written(day::meant(&spoken, today), format);
    }
    // `address` is what stands in the source and `E-mail address` what people read: the most telling word counts. What stands
    // around a field speaks of other fields too.
    let [token, name, id, label, around, placeholder] = words;
    let meant = found(token).or_else(|| found(&[name, id, label, placeholder].join(" "))).or_else(|| found(around));
    let usual = if node.tag == "textarea" { PROSE } else { "Rutter" };
    said(meant.unwrap_or(Text(usual)), &spoken, today)
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
pub(super) fn meaning(text: &str, today: NaiveDate) -> Option<String> {
    Some(said(found(text)?, text, today))
}

/// The value of a meaning, in a field of these words.
fn said(meaning: Meaning, words: &str, today: NaiveDate) -> String {
    match meaning {
        Text(text) => text.to_owned(),
        Day => day::meant(words, today).to_string(),
        Time => time(words).to_owned(),
        Year => day::meant(words, today).format("%Y").to_string(),
    }
}

fn found(text: &str) -> Option<Meaning> {
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
