//! Checks about what a page shows, in one look. Pure.
//!
//! Presence is seen; absence is said only of a page of which nothing was unread, cut or hidden by a dialog.

use super::QUOTE;
use super::sight::Sight;
use super::{all, any};
use crate::facts::Look;
use crate::nearest;
use crate::text::{excerpt, find, fits, fits_beginning, looks_at_end};
use domain::Node;
use domain::observation::{UnreadCause, Visibility};
use domain::page::VisibleText;
use domain::task::{Check, ElementCheck, PageStateCheck, TextMatch, ValueCheck};
use domain::verdict::Finding;
use serde_json::Value;

/// Attributes that observations hold; of any other, its absence from an observation says nothing.
const OBSERVED_ATTRIBUTES: [&str; 12] = [
    "id",
    "class",
    "name",
    "type",
    "placeholder",
    "title",
    "alt",
    "href",
    "data-testid",
    "data-test",
    "data-cy",
    "data-qa",
];

/// Length at which an ordinary observation cuts names and texts, and values: what is exactly as long may go on.
const CUT_TEXT: usize = 200;
const CUT_VALUE: usize = 10_000;

/// What a look says of a check about the page.
pub(super) fn see(check: &Check, look: &Look) -> Sight {
    match check {
        Check::Url(wanted) => url(wanted, look),
        Check::Text(wanted) => visible_text(wanted, look),
        Check::Element(wanted) => element(wanted, look),
        Check::Value(wanted) => value(wanted, look),
        Check::PageState(wanted) => page_state(wanted, look),
        _ => Sight::undecided("this is no check about the page"),
    }
}

fn url(wanted: &TextMatch, look: &Look) -> Sight {
    let url = &look.observation.url;
    let observed = format!("the address is {url}");
    match fits(wanted, url) {
        Ok(true) => Sight::confirmed(observed, Vec::new()),
        Ok(false) => Sight::refuted(observed),
        Err(cause) => Sight::undecided(cause),
    }
}

/// The text as a person reads it, document by document; only `equals` means all documents together. Where style shows other
/// letters, what the document writes counts as well: authors of checks read both.
fn visible_text(wanted: &TextMatch, look: &Look) -> Sight {
    if let Err(cause) = fits(wanted, "") {
        return Sight::undecided(cause);
    }
    let quoted = |text: &str| nearest::line_of(wanted, text, QUOTE);
    if let Some(dialog) = look.observation.dialog.as_ref().filter(|_| !matches!(wanted, TextMatch::Equals(_))) {
        match find(wanted, &dialog.message) {
            Ok(same) if !same.is_empty() => {
                return Sight::confirmed(format!("a dialog says \"{}\"", quoted(&dialog.message)), same);
            }
            _ => {}
        }
    }
    let Some(texts) = &look.texts else { return text_of_nodes(wanted, look) };
    let blind = look.blind_spot();
    if let TextMatch::Equals(_) = wanted {
        let joined = |texts: &[VisibleText]| texts.iter().map(|text| text.text.as_str()).collect::<Vec<_>>().join("\n");
        let whole = joined(texts);
        let fits_whole =
            fits(wanted, &whole).map(|fits_shown| fits_shown || fits(wanted, &joined(&look.written)) == Ok(true));
        let observed = format!("the page shows \"{}\"", excerpt(&whole, QUOTE));
        return match (blind, fits_whole) {
            (_, Err(cause)) | (Some(cause), _) => Sight::undecided(cause),
            (None, Ok(true)) => Sight::confirmed(observed, Vec::new()),
            (None, Ok(false)) => Sight::refuted(observed),
        };
    }
    // An anchor at the end would find the end of what was read.
    let is_cut = look.observation.unread.iter().any(|unread| unread.why == UnreadCause::TooLarge);
    for text in texts.iter().chain(&look.written) {
        match find(wanted, &text.text) {
            Err(cause) => return Sight::undecided(cause),
            Ok(same) if same.is_empty() || is_cut && looks_at_end(wanted) => {}
            Ok(same) => {
                let place = look.place(text.frame);
                return Sight::confirmed(format!("the page shows \"{}\"{place}", quoted(&text.text)), same);
            }
        }
    }
    match blind {
        Some(cause) => Sight::undecided(cause),
        None => Sight::refuted(nearest::line(wanted, texts, QUOTE)),
    }
}

/// Without the whole text the nodes' texts may confirm that something is there; they are cut at a length, so they never refute.
fn text_of_nodes(wanted: &TextMatch, look: &Look) -> Sight {
    let held = look.observation.nodes.iter().find_map(|node| {
        let texts = [&node.text, &node.name].into_iter().filter(|_| matches!(wanted, TextMatch::Contains(_)));
        let mut found = texts.filter_map(|text| find(wanted, text).ok());
        found.find(|same| !same.is_empty()).map(|same| (node, same))
    });
    match held {
        Some((node, same)) => Sight::confirmed(format!("the page shows \"{}\"", excerpt(node.label(), QUOTE)), same),
        None => {
            let cause = look.blind_spot().unwrap_or_else(|| "the whole text of the page could not be read".to_owned());
            Sight::undecided(cause)
        }
    }
}

/// How far an element fits what is wanted.
enum Fit {
    Yes,
    No,
    /// All that was observed fits, and something that would decide was not.
    Unknown(String),
}

fn fit(wanted: &ElementCheck, node: &Node, look: &Look) -> Fit {
    let ElementCheck { role, name, text, attributes, checked } = wanted;
    let mut unknown = None;
    if role.as_ref().is_some_and(|role| !role.eq_ignore_ascii_case(&node.role))
        || checked.is_some() && *checked != node.states.checked
    {
        return Fit::No;
    }
    for (wanted, actual) in [(name, &node.name), (text, &node.text)] {
        match wanted.as_ref().map(|wanted| compare(wanted, actual, is_cut(actual, CUT_TEXT, node, look))) {
            None | Some(Ok(Some(true))) => {}
            Some(Ok(Some(false))) => return Fit::No,
            Some(Ok(None)) => unknown = Some(format!("the text of {} was cut before its end", describe_node(node))),
            Some(Err(cause)) => unknown = Some(cause),
        }
    }
    for (attribute, value) in attributes {
        match node.attributes.get(attribute) {
            Some(actual) if actual == value => {}
            Some(_) => return Fit::No,
            None if OBSERVED_ATTRIBUTES.contains(&attribute.as_str()) || attribute.starts_with("aria-") => {
                return Fit::No;
            }
            None => unknown = Some(format!("attribute `{attribute}` is not observed; check it by `page_state`")),
        }
    }
    if node.visibility == Visibility::OnHover && unknown.is_none() {
        unknown = Some(format!("{} shows only while the pointer is over its item", describe_node(node)));
    }
    unknown.map_or(Fit::Yes, Fit::Unknown)
}

/// Whether a text fits of which perhaps only the beginning is known.
fn compare(wanted: &TextMatch, actual: &str, is_cut: bool) -> Result<Option<bool>, String> {
    if is_cut { fits_beginning(wanted, actual) } else { fits(wanted, actual).map(Some) }
}

fn is_cut(text: &str, length: usize, node: &Node, look: &Look) -> bool {
    let is_told = |unread: &domain::observation::Unread| {
        unread.why == UnreadCause::TooLarge && !node.xpath.is_empty() && unread.at == node.xpath
    };
    text.len() >= length && text.encode_utf16().count() == length || look.observation.unread.iter().any(is_told)
}

fn describe_node(node: &Node) -> String {
    format!("{} \"{}\"", node.role, excerpt(node.label(), QUOTE))
}

/// Whether nothing is compared at all, so that any element would fit.
pub(crate) fn compares_nothing(wanted: &ElementCheck) -> bool {
    *wanted == ElementCheck::default()
}

fn element(wanted: &ElementCheck, look: &Look) -> Sight {
    if compares_nothing(wanted) {
        return Sight::undecided("the check names neither role, name, text, attribute nor state");
    }
    let mut unknown = None;
    let mut first = None;
    let mut same = Vec::new();
    for node in &look.observation.nodes {
        match fit(wanted, node, look) {
            Fit::Yes => {
                first.get_or_insert(node);
                same.extend(identities(node));
            }
            Fit::Unknown(cause) => unknown = Some(cause),
            Fit::No => {}
        }
    }
    match first {
        Some(node) => Sight::confirmed(format!("there is {}{}", describe_node(node), look.place(node.frame)), same),
        None => absent(unknown, wanted, look),
    }
}

/// What tells a node again in the next look: where it stands may shift and its text may tick, but not both.
fn identities(node: &Node) -> Vec<String> {
    let Node { frame, tag, role, name, xpath, text, .. } = node;
    let base = format!("{frame} {tag} {role} {}", node.attribute("id"));
    let label = if name.is_empty() { text } else { name };
    let by_place = (!xpath.is_empty()).then(|| format!("{base} at {xpath}"));
    [format!("{base} called {label}")].into_iter().chain(by_place).collect()
}

fn absent(unknown: Option<String>, wanted: &ElementCheck, look: &Look) -> Sight {
    match unknown.or_else(|| look.blind_spot_for_elements()) {
        Some(cause) => Sight::undecided(cause),
        None => Sight::refuted(nearest::element(wanted, &look.observation)),
    }
}

/// Several fields may fit; then they must agree, or the check does not say which one it means.
fn value(wanted: &ValueCheck, look: &Look) -> Sight {
    if compares_nothing(&wanted.of) {
        return Sight::undecided("the check does not say which field");
    }
    let mut unknown = None;
    let mut findings = Vec::new();
    let mut observed = Vec::new();
    let mut same = Vec::new();
    for node in &look.observation.nodes {
        match fit(&wanted.of, node, look) {
            Fit::Yes => {}
            Fit::Unknown(cause) => {
                unknown = Some(cause);
                continue;
            }
            Fit::No => continue,
        }
        let Some(value) = &node.value else {
            if node.attribute("type") == "password" {
                unknown = Some("the value of a password field is never read".to_owned());
            }
            continue;
        };
        findings.push(match compare(&wanted.is, value, is_cut(value, CUT_VALUE, node, look)) {
            Ok(Some(true)) => Finding::Confirmed,
            Ok(Some(false)) => Finding::Refuted,
            Ok(None) => {
                unknown = Some(format!("the value of {} was cut before its end", describe_node(node)));
                Finding::Undecided
            }
            Err(cause) => {
                unknown = Some(cause);
                Finding::Undecided
            }
        });
        observed.push(format!("\"{}\"{}", excerpt(value, QUOTE), look.place(node.frame)));
        same.extend(find(&wanted.is, value).unwrap_or_default());
    }
    if findings.is_empty() {
        return absent(unknown, &wanted.of, look);
    }
    let values = observed.join(", ");
    // Another field that fits may stand in what was not read.
    let unknown = unknown.or_else(|| look.blind_spot_for_elements().filter(|_| all(&findings) != Finding::Confirmed));
    match (unknown, all(&findings), any(&findings)) {
        (Some(cause), ..) => Sight::undecided(cause),
        (None, Finding::Confirmed, _) => Sight::confirmed(format!("the value is {values}"), same),
        (None, _, Finding::Refuted) => Sight::refuted(format!("the value is {values}")),
        _ => Sight::undecided(format!("several fields fit, with the values {values}")),
    }
}

fn page_state(wanted: &PageStateCheck, look: &Look) -> Sight {
    match look.page_states.get(&wanted.expression) {
        None => Sight::undecided("the expression was not evaluated"),
        Some(Err(cause)) => Sight::undecided(format!("the expression has no value: {cause}")),
        Some(Ok(actual)) => {
            let observed = format!("the value is {}", excerpt(&actual.to_string(), QUOTE));
            if same(&wanted.equals, actual) { Sight::confirmed(observed, Vec::new()) } else { Sight::refuted(observed) }
        }
    }
}

/// Equality of JSON values as JavaScript sees it: 1 and 1.0 are one number.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64().zip(b.as_f64()).is_some_and(|(a, b)| a == b),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| same(value, other)))
        }
        (a, b) => a == b,
    }
}
