//! Evaluates checks on page content against one examination. Pure.
//!
//! Presence is confirmed by sight; absence only on a page without unread parts or cut texts. Of a page behind a dialog only the dialog's
//! own message decides.

use super::QUOTE;
use super::look_finding::LookFinding;
use super::{all, any};
use crate::facts::PageLook;
use crate::nearest;
use crate::text::{excerpt, find, fits, fits_beginning, looks_at_end};
use domain::Node;
use domain::observation::{Unread, UnreadCause, Visibility};
use domain::page::VisibleText;
use domain::task::{Check, ElementCheck, PageStateCheck, TextMatch, ValueCheck};
use domain::verdict::Finding;
use serde_json::Value;

/// Attributes that observations contain; the absence of another one decides nothing.
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

/// Lengths at which an ordinary observation cuts names and texts, and values: a text of exactly that length may go on.
const CUT_TEXT: usize = 200;
const CUT_VALUE: usize = 10_000;

/// Evaluates a check on page content.
pub(super) fn evaluate(check: &Check, look: &PageLook) -> LookFinding {
    if let Some(cause) = look.blind_spot().filter(|_| is_old(look) && !matches!(check, Check::Text(_))) {
        return LookFinding::undecided(cause);
    }
    match check {
        Check::Url(wanted) => url(wanted, look),
        Check::Text(wanted) => visible_text(wanted, look),
        Check::Element(wanted) => element(wanted, look),
        Check::Value(wanted) => value(wanted, look),
        Check::PageState(wanted) => page_state(wanted, look),
        _ => LookFinding::undecided("this is no check about the page"),
    }
}

/// Whether a page is known from before only: it stands behind a dialog, or did not load.
fn is_old(look: &PageLook) -> bool {
    let PageLook { observation, .. } = look;
    let is_page = |unread: &Unread| unread.why == UnreadCause::Document && unread.at == observation.url;
    observation.dialog.is_some() || observation.unread.iter().any(is_page)
}

fn url(wanted: &TextMatch, look: &PageLook) -> LookFinding {
    let url = &look.observation.url;
    let observed = format!("the address is {url}");
    match fits(wanted, url) {
        Ok(true) => LookFinding::confirmed(observed, Vec::new()),
        Ok(false) => LookFinding::refuted(observed),
        Err(cause) => LookFinding::undecided(cause),
    }
}

/// The visible text per document; only `equals` compares all documents together. Where style shows other letters, the
/// spelling in the document counts as well, since authors of checks read both.
fn visible_text(wanted: &TextMatch, look: &PageLook) -> LookFinding {
    if let Err(cause) = fits(wanted, "") {
        return LookFinding::undecided(cause);
    }
    let quoted = |text: &str| nearest::line_of(wanted, text, QUOTE);
    if let Some(dialog) = look.observation.dialog.as_ref().filter(|_| !matches!(wanted, TextMatch::Equals(_))) {
        match find(wanted, &dialog.message) {
            Ok(same) if !same.is_empty() => {
                return LookFinding::confirmed(format!("a dialog says \"{}\"", quoted(&dialog.message)), same);
            }
            _ => {}
        }
    }
    let blind = look.blind_spot();
    if let Some(cause) = blind.clone().filter(|_| look.observation.dialog.is_some()) {
        return LookFinding::undecided(cause);
    }
    let Some(texts) = &look.texts else { return text_of_nodes(wanted, look) };
    if let TextMatch::Equals(_) = wanted {
        let joined = |texts: &[VisibleText]| texts.iter().map(|text| text.text.as_str()).collect::<Vec<_>>().join("\n");
        let whole = joined(texts);
        let fits_whole =
            fits(wanted, &whole).map(|fits_shown| fits_shown || fits(wanted, &joined(&look.written)) == Ok(true));
        let observed = format!("the page shows \"{}\"", excerpt(&whole, QUOTE));
        return match (blind, fits_whole) {
            (_, Err(cause)) | (Some(cause), _) => LookFinding::undecided(cause),
            (None, Ok(true)) => LookFinding::confirmed(observed, Vec::new()),
            (None, Ok(false)) => LookFinding::refuted(observed),
        };
    }
    // An end anchor would match where reading stopped.
    let is_cut = look.observation.unread.iter().any(|unread| unread.why == UnreadCause::TooLarge);
    for text in texts.iter().chain(&look.written) {
        match find(wanted, &text.text) {
            Err(cause) => return LookFinding::undecided(cause),
            Ok(same) if same.is_empty() || is_cut && looks_at_end(wanted) => {}
            Ok(same) => {
                let place = look.place(text.frame);
                return LookFinding::confirmed(format!("the page shows \"{}\"{place}", quoted(&text.text)), same);
            }
        }
    }
    match blind.or_else(|| held_by_field(wanted, look)) {
        Some(cause) => LookFinding::undecided(cause),
        None => LookFinding::refuted(nearest::line(wanted, texts, QUOTE)),
    }
}

/// A person reads what stands in a field that takes no input as they read any text, though it is a value.
fn held_by_field(wanted: &TextMatch, look: &PageLook) -> Option<String> {
    let holds = |node: &&Node| {
        let takes_none = node.states.readonly || node.states.disabled;
        let is_read =
            node.options.is_empty() && node.attribute("type") != "password" && node.visibility != Visibility::OnHover;
        let shown = node.value.as_deref().filter(|_| takes_none && is_read);
        shown.is_some_and(|value| fits(wanted, value) == Ok(true))
    };
    let node = look.observation.nodes.iter().find(holds)?;
    Some(format!("{} holds it, which takes no input: a check of its value decides", describe_node(node)))
}

/// Without full texts, nodes' texts can confirm presence, but not refute it, since they are cut.
fn text_of_nodes(wanted: &TextMatch, look: &PageLook) -> LookFinding {
    let held = look.observation.nodes.iter().find_map(|node| {
        let texts = [&node.text, &node.name].into_iter().filter(|_| matches!(wanted, TextMatch::Contains(_)));
        let mut found = texts.filter_map(|text| find(wanted, text).ok());
        found.find(|same| !same.is_empty()).map(|same| (node, same))
    });
    match held {
        Some((node, same)) => {
            LookFinding::confirmed(format!("the page shows \"{}\"", excerpt(node.label(), QUOTE)), same)
        }
        None => {
            let cause = look.blind_spot().unwrap_or_else(|| "the whole text of the page could not be read".to_owned());
            LookFinding::undecided(cause)
        }
    }
}

/// How far an element matches.
enum Fit {
    Yes,
    No,
    /// Everything observed matches, but something decisive was not observed.
    Unknown(String),
}

fn fit(wanted: &ElementCheck, node: &Node, look: &PageLook) -> Fit {
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

/// Matches a text of which perhaps only the beginning is known.
fn compare(wanted: &TextMatch, actual: &str, is_cut: bool) -> Result<Option<bool>, String> {
    if is_cut { fits_beginning(wanted, actual) } else { fits(wanted, actual).map(Some) }
}

fn is_cut(text: &str, length: usize, node: &Node, look: &PageLook) -> bool {
    let is_told = |unread: &domain::observation::Unread| {
        unread.why == UnreadCause::TooLarge && !node.xpath.is_empty() && unread.at == node.xpath
    };
    text.len() >= length && text.encode_utf16().count() == length || look.observation.unread.iter().any(is_told)
}

fn describe_node(node: &Node) -> String {
    format!("{} \"{}\"", node.role, excerpt(node.label(), QUOTE))
}

/// Whether nothing is compared, so that any element would match.
pub(crate) fn compares_nothing(wanted: &ElementCheck) -> bool {
    *wanted == ElementCheck::default()
}

fn element(wanted: &ElementCheck, look: &PageLook) -> LookFinding {
    if compares_nothing(wanted) {
        return LookFinding::undecided("the check names neither role, name, text, attribute nor state");
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
        Some(node) => {
            LookFinding::confirmed(format!("there is {}{}", describe_node(node), look.place(node.frame)), same)
        }
        None => absent(unknown, wanted, look),
    }
}

/// Identities by which a node is found in the next examination: its position or its text may change, but not both.
fn identities(node: &Node) -> Vec<String> {
    let Node { frame, tag, role, name, xpath, text, .. } = node;
    let base = format!("{frame} {tag} {role} {}", node.attribute("id"));
    let label = if name.is_empty() { text } else { name };
    let by_place = (!xpath.is_empty()).then(|| format!("{base} at {xpath}"));
    [format!("{base} called {label}")].into_iter().chain(by_place).collect()
}

fn absent(unknown: Option<String>, wanted: &ElementCheck, look: &PageLook) -> LookFinding {
    match unknown.or_else(|| look.blind_spot_for_elements()) {
        Some(cause) => LookFinding::undecided(cause),
        None => LookFinding::refuted(nearest::element(wanted, &look.observation)),
    }
}

/// If several fields match, they must agree, since the check does not say which one it means.
fn value(wanted: &ValueCheck, look: &PageLook) -> LookFinding {
    if compares_nothing(&wanted.of) {
        return LookFinding::undecided("the check does not say which field");
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
    // Another matching field may be in an unread part.
    let unknown = unknown.or_else(|| look.blind_spot_for_elements().filter(|_| all(&findings) != Finding::Confirmed));
    match (unknown, all(&findings), any(&findings)) {
        (Some(cause), ..) => LookFinding::undecided(cause),
        (None, Finding::Confirmed, _) => LookFinding::confirmed(format!("the value is {values}"), same),
        (None, _, Finding::Refuted) => LookFinding::refuted(format!("the value is {values}")),
        _ => LookFinding::undecided(format!("several fields fit, with the values {values}")),
    }
}

fn page_state(wanted: &PageStateCheck, look: &PageLook) -> LookFinding {
    match look.page_states.get(&wanted.expression) {
        None => LookFinding::undecided("the expression was not evaluated"),
        Some(Err(cause)) => LookFinding::undecided(format!("the expression has no value: {cause}")),
        Some(Ok(actual)) => {
            let observed = format!("the value is {}", excerpt(&actual.to_string(), QUOTE));
            if same(&wanted.equals, actual) {
                LookFinding::confirmed(observed, Vec::new())
            } else {
                LookFinding::refuted(observed)
            }
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
