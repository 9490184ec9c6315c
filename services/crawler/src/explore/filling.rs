//! What is put into the fields of forms, and what else after a form was refused. By type, autocomplete token, name and label,
//! constraints, and the message that the browser or the page shows.
//!
//! The same field gets the same value at the same attempt: a way through the map can be walked again.

use domain::action::ActionKind;
use domain::observation::{Constraints, SelectOption};
use domain::{Action, ElementId, Node, Observation};
use regex::Regex;
use std::sync::LazyLock;

/// How often a refused form is mended.
pub(crate) const REPAIRS: u32 = 2;

/// What a field's words say that it holds, first match first.
const MEANINGS: [(&[&str], &str); 22] = [
    (&["email", "e-mail", "mail"], "rutter@example.org"),
    (&["phone", "tel", "mobile", "fax"], "5550100123"),
    (&["zip", "postal", "postcode"], "12345"),
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
    (&["birth", "date", "day"], "2026-01-15"),
    (&["time", "hour"], "10:30"),
    (&["year"], "2026"),
    (&["quantity", "amount", "count", "number", "qty", "price", "age", "size", "guests", "rating"], "2"),
    (&["search", "query", "find", "filter"], "a"),
    (&["coupon", "voucher", "promo", "code"], "SAVE10"),
    (&["subject", "title", "name"], "Ada Lovelace"),
    (&["message", "comment", "note", "description", "review", "text", "content", "body"], "Written while exploring."),
];

/// What to do to a field at an attempt, from 0; `None` when it is left as it is.
pub(crate) fn fill(observation: &Observation, element: ElementId, attempt: u32) -> Option<Action> {
    let node = observation.node(element)?;
    if node.states.disabled || node.states.readonly {
        return None;
    }
    if node.allows(ActionKind::Select) {
        return option(&node.options, attempt).map(|label| Action::Select { element, options: vec![label] });
    }
    if node.allows(ActionKind::Type) {
        return Some(Action::Type {
            element,
            text: text(node, &said_about(observation, element), attempt),
            submit: false,
        });
    }
    node.allows(ActionKind::Check).then_some(Action::Check { element, checked: true })
}

/// The fields of a form that want something before it is sent: those that are empty, and after a refusal those that it names.
pub(crate) fn wanting(observation: &Observation, form: ElementId, after_refusal: bool) -> Vec<ElementId> {
    let mut radios: Vec<&str> = Vec::new();
    let within = observation.interactive().filter(|(id, _)| observation.ancestors(*id).any(|(above, _)| above == form));
    let mut wanting = Vec::new();
    for (id, node) in within {
        let constraints = node.constraints.clone().unwrap_or_default();
        let is_refused = is_refused(node) || !said_about(observation, id).is_empty();
        let is_wanting = if node.role == "radio" {
            let group = node.attribute("name");
            let is_first = !radios.contains(&group);
            radios.push(group);
            let is_chosen = |(_, other): (ElementId, &Node)| {
                other.role == "radio" && other.attribute("name") == group && other.states.checked == Some(true)
            };
            is_first && !observation.elements().any(is_chosen)
        } else if node.allows(ActionKind::Select) {
            let chosen = node.options.iter().find(|option| option.selected);
            chosen.is_none_or(|option| option.value.is_empty()) || (after_refusal && is_refused)
        } else if node.allows(ActionKind::Type) {
            let is_empty = node.value.as_deref().unwrap_or_default().is_empty();
            is_empty || (after_refusal && is_refused)
        } else {
            node.allows(ActionKind::Check) && constraints.required && node.states.checked == Some(false)
        };
        if is_wanting {
            wanting.push(id);
        }
    }
    wanting
}

/// Whether a page refuses what stands in some field, and says so.
pub(crate) fn refuses(observation: &Observation, form: ElementId) -> bool {
    observation
        .interactive()
        .filter(|(id, _)| observation.ancestors(*id).any(|(above, _)| above == form))
        .any(|(id, node)| is_refused(node) || !said_about(observation, id).is_empty())
}

fn is_refused(node: &Node) -> bool {
    node.attribute("aria-invalid") == "true"
        || (node.states.invalid
            && node.constraints.as_ref().is_some_and(|constraints| constraints.validation_message.is_some()))
}

/// What the page says against a field: the browser's message, or a text right behind the field that looks like a refusal.
fn said_about(observation: &Observation, element: ElementId) -> String {
    let Some(node) = observation.node(element) else { return String::new() };
    let mut said = Vec::new();
    if is_refused(node) {
        said.extend(node.constraints.as_ref().and_then(|constraints| constraints.validation_message.clone()));
    }
    let behind = observation.elements().skip(element.index() + 1).take(4);
    for (_, next) in behind.take_while(|(_, next)| !next.is_interactive()) {
        let class = next.attribute("class").to_lowercase();
        let is_refusal = next.role == "alert" || ["error", "invalid", "danger"].iter().any(|word| class.contains(word));
        if is_refusal && !next.label().is_empty() {
            said.push(next.label().to_owned());
        }
    }
    said.join(" ")
}

fn option(options: &[SelectOption], attempt: u32) -> Option<String> {
    let real: Vec<&SelectOption> = options.iter().filter(|option| !option.value.is_empty()).collect();
    let other: Vec<&&SelectOption> = real.iter().filter(|option| !option.selected).collect();
    let chosen = other.get(attempt as usize % other.len().max(1)).copied().or(real.first())?;
    Some(chosen.label.clone())
}

/// A text for a field.
fn text(node: &Node, said: &str, attempt: u32) -> String {
    let none = Constraints::default();
    let constraints = node.constraints.as_deref().unwrap_or(&none);
    let kind = node.attribute("type").to_lowercase();
    let value = match kind.as_str() {
        "number" | "range" => number(constraints, said, attempt),
        "date" => bounded(constraints, "2026-01-15"),
        "month" => bounded(constraints, "2026-01"),
        "week" => bounded(constraints, "2026-W03"),
        "time" => bounded(constraints, "10:30"),
        "datetime-local" => bounded(constraints, "2026-01-15T10:30"),
        "color" => "#3366cc".to_owned(),
        "email" => email(attempt),
        "password" => format!("Rutter-{}", 1234 + attempt),
        "tel" => "5550100123".to_owned(),
        "url" => "https://example.org/".to_owned(),
        "search" => "a".to_owned(),
        _ => said_to_be(node, said, attempt),
    };
    let asked = if attempt > 0 {
        asked_for(said, node.value.as_deref().filter(|before| !before.is_empty()).unwrap_or(&value))
    } else {
        None
    };
    fitted(asked.unwrap_or(value), constraints, said)
}

/// What a refusal asks for in so many words: an example, a beginning, an end, a range.
fn asked_for(said: &str, before: &str) -> Option<String> {
    let group =
        |pattern: &Regex| Some(pattern.captures(said)?.get(1)?.as_str().trim_end_matches(['.', ',', ';']).to_owned());
    if let Some(example) = group(&EXAMPLE) {
        return Some(example);
    }
    if let Some(begin) = group(&BEGIN) {
        return Some(format!("{begin}10"));
    }
    if let Some(end) = group(&END) {
        let local = if end.starts_with('@') { before.split('@').next().unwrap_or_default() } else { before };
        return Some(format!("{local}{end}"));
    }
    let numbers = numbers(said);
    let is_range = RANGE.is_match(said);
    numbers.first().filter(|_| is_range).map(f64::to_string)
}

/// By what the page calls a field, or asks for in its refusal.
fn said_to_be(node: &Node, said: &str, attempt: u32) -> String {
    if node.role == "combobox" || node.attributes.contains_key("aria-autocomplete") {
        // One letter shows the most proposals.
        return "a".to_owned();
    }
    let listed = node.options.iter().find(|option| !option.value.is_empty());
    if let Some(option) = listed {
        return option.value.clone();
    }
    let token = node.constraints.as_ref().and_then(|constraints| constraints.autocomplete.clone()).unwrap_or_default();
    let words = [
        &token,
        node.attribute("name"),
        node.attribute("id"),
        node.label(),
        &node.context,
        node.attribute("placeholder"),
    ];
    let asked = [said].into_iter().filter(|said| attempt > 0 && !said.is_empty());
    for text in asked.chain(words) {
        let text = text.to_lowercase();
        let has = |word: &str| {
            text.split(|letter: char| !letter.is_alphanumeric() && letter != '-').any(|part| part.contains(word))
        };
        if let Some((_, value)) = MEANINGS.iter().find(|(words, _)| words.iter().any(|word| has(word))) {
            return if *value == MEANINGS[0].1 { email(attempt) } else { (*value).to_owned() };
        }
    }
    if node.tag == "textarea" { "Written while exploring.".to_owned() } else { "Ada".to_owned() }
}

fn email(attempt: u32) -> String {
    if attempt == 0 { "rutter@example.org".to_owned() } else { format!("rutter{attempt}@example.org") }
}

fn number(constraints: &Constraints, said: &str, attempt: u32) -> String {
    let bound = |text: &Option<String>| text.as_deref().and_then(|text| text.parse::<f64>().ok());
    let (min, max) = (bound(&constraints.min), bound(&constraints.max));
    let step = bound(&constraints.step).filter(|step| *step > 0.0).unwrap_or(1.0);
    let named = numbers(said).into_iter().nth(attempt.saturating_sub(1) as usize).filter(|_| attempt > 0);
    let first = min.unwrap_or_else(|| max.map_or(2.0, |max| max.min(2.0)));
    let value = named.unwrap_or(first + step * f64::from(attempt));
    let value = value.max(min.unwrap_or(value)).min(max.unwrap_or(f64::INFINITY));
    value.to_string()
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
fn fitted(value: String, constraints: &Constraints, said: &str) -> String {
    if let Some(pattern) = constraints.pattern.as_deref()
        && let Some(fits) = whole(pattern)
        && !fits.is_match(&value)
    {
        return generated(pattern, &fits).unwrap_or(value);
    }
    let mut value = value;
    let asked = LEAST.captures(said).and_then(|found| found.get(1)?.as_str().parse::<usize>().ok());
    let least = constraints.min_length.map_or(0, |least| least as usize).max(asked.unwrap_or(0)).min(500);
    while value.chars().count() < least {
        let more: String = value.chars().take(least - value.chars().count()).collect();
        value.push_str(if more.is_empty() { "a" } else { &more });
    }
    match constraints.max_length {
        Some(most) => value.chars().take(most as usize).collect(),
        None => value,
    }
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

fn numbers(text: &str) -> Vec<f64> {
    NUMBER.find_iter(text).filter_map(|found| found.as_str().parse().ok()).collect()
}

static NUMBER: LazyLock<Regex> = LazyLock::new(|| constant(r"-?\d+(\.\d+)?"));
static LEAST: LazyLock<Regex> =
    LazyLock::new(|| constant(r"(?i)(?:at least|minimum(?: of)?|lengthen[^0-9]*|min\.?) (\d+) ?char"));

static EXAMPLE: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r#"(?i)\b(?:such as|e\.g\.|like|for example|for instance|example:)\s+["'“‘`]?([^"'”’`!?;]*?\S)["'”’`]?(?:[.!?]?\s*$|[.;!?]\s)"#,
    )
});
static BEGIN: LazyLock<Regex> = LazyLock::new(|| {
    constant(r#"(?i)\b(?:begin|begins|beginning|start|starts|starting)\s+with\s+["'“‘`]?([^\s"'”’`]+)"#)
});
static END: LazyLock<Regex> =
    LazyLock::new(|| constant(r#"(?i)\b(?:end|ends|ending|finish|finishes)\s+(?:with|in|on)\s+["'“‘`]?([^\s"'”’`]+)"#));
static RANGE: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)\b(?:from|between|at most|at least|up to|no more than|not more than|maximum|minimum)\b[^0-9-]*-?\d|\d\s*(?:–|-|to|and)\s*\d",
    )
});

fn constant(text: &str) -> Regex {
    #[expect(clippy::unwrap_used, reason = "the patterns are constants, compiled by every test")]
    Regex::new(text).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn field(kind: &str, name: &str, constraints: Constraints) -> Node {
        let attributes = BTreeMap::from([("type".to_owned(), kind.to_owned()), ("name".to_owned(), name.to_owned())]);
        let operations = vec![ActionKind::Type];
        Node {
            tag: "input".into(),
            role: "textbox".into(),
            attributes,
            operations,
            constraints: Some(Box::new(constraints)),
            ..Node::default()
        }
    }

    fn typed(kind: &str, name: &str, constraints: Constraints) -> String {
        text(&field(kind, name, constraints), "", 0)
    }

    #[test]
    fn a_field_gets_what_its_type_and_name_ask_for() {
        let none = Constraints::default;
        assert_eq!(typed("email", "x", none()), "rutter@example.org");
        assert_eq!(typed("text", "zip_code", none()), "12345");
        assert_eq!(typed("text", "first-name", none()), "Ada");
        assert_eq!(typed("date", "from", none()), "2026-01-15");
        assert!(typed("password", "p", none()).len() >= 8);
    }

    #[test]
    fn bounds_lengths_and_patterns_are_kept() {
        let range = Constraints { min: Some("10".into()), max: Some("12".into()), ..Constraints::default() };
        assert_eq!(typed("number", "n", range), "10");
        let early = Constraints { max: Some("2020-05-05".into()), ..Constraints::default() };
        assert_eq!(typed("date", "born", early), "2020-05-05");
        let long = Constraints { min_length: Some(30), ..Constraints::default() };
        assert_eq!(typed("text", "story", long).chars().count(), 30);
        let short = Constraints { max_length: Some(2), ..Constraints::default() };
        assert_eq!(typed("text", "story", short).chars().count(), 2);
        let pattern = Constraints { pattern: Some("[A-Z]{2}-[0-9]{4}".into()), ..Constraints::default() };
        assert!(whole("[A-Z]{2}-[0-9]{4}").unwrap().is_match(&typed("text", "reference", pattern)));
    }

    #[test]
    fn after_a_refusal_what_the_page_asks_for_counts() {
        let plain = field("text", "reference", Constraints::default());
        assert!(text(&plain, "must have at least 12 characters", 1).chars().count() >= 12);
        assert_eq!(text(&plain, "enter a valid date", 1), "2026-01-15");
        let asks = |message: &str| text(&plain, message, 1);
        assert_eq!(asks("Call signs begin with LA, such as LA1AB."), "LA1AB");
        assert_eq!(asks("Start the number with + and the country, such as +47 12345."), "+47 12345");
        assert_eq!(asks("There is no such code. Codes of this week begin with TIDE."), "TIDE10");
        assert_eq!(asks("We deliver to post codes from 20000 to 29999."), "20000");
        assert_eq!(asks("A shelf holds at most 500."), "500");
        let taken = Node { value: Some("bell".into()), ..plain.clone() };
        assert_eq!(text(&taken, "That name is taken. Free are names that end in 7.", 1), "bell7");
        let amount = field("number", "n", Constraints::default());
        assert_eq!(text(&amount, "choose a number between 5 and 9", 1), "5");
        assert_ne!(text(&field("email", "e", Constraints::default()), "taken", 1), "rutter@example.org");
    }

    #[test]
    fn a_form_wants_what_is_empty_and_one_of_each_group_of_radio_buttons() {
        let form = Node { tag: "form".into(), role: "form".into(), ..Node::default() };
        let within = |node: Node| Node { parent: Some(ElementId(0)), ..node };
        let radio = |checked| {
            let mut node = within(field("radio", "size", Constraints::default()));
            node.role = "radio".into();
            node.operations = vec![ActionKind::Check];
            node.states.checked = Some(checked);
            node
        };
        let full = Node { value: Some("x".into()), ..within(field("text", "b", Constraints::default())) };
        let nodes = vec![form, within(field("text", "a", Constraints::default())), full, radio(false), radio(false)];
        let page = Observation { nodes, ..Observation::default() };
        assert_eq!(wanting(&page, ElementId(0), false), [ElementId(1), ElementId(3)]);
    }

    #[test]
    fn a_message_behind_a_field_is_a_refusal() {
        let form = Node { tag: "form".into(), ..Node::default() };
        let input =
            Node { parent: Some(ElementId(0)), value: Some("x".into()), ..field("text", "a", Constraints::default()) };
        let class = BTreeMap::from([("class".to_owned(), "field-error".to_owned())]);
        let said = Node {
            parent: Some(ElementId(0)),
            tag: "p".into(),
            text: "Choose another".into(),
            attributes: class,
            ..Node::default()
        };
        let page = Observation { nodes: vec![form, input, said], ..Observation::default() };
        assert!(refuses(&page, ElementId(0)));
        assert_eq!(wanting(&page, ElementId(0), false), []);
        assert_eq!(wanting(&page, ElementId(0), true), [ElementId(1)]);
    }
}
