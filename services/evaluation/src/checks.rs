//! Evaluates checks against facts in three-valued logic. Pure.
//!
//! What could not be seen is `Undecided`, and stays so through `not`: a check is never confirmed by the absence of a fact.

use crate::facts::Facts;
use crate::faults;
use crate::text::{describe, fits, shorten};
use domain::observation::Node;
use domain::task::{Check, ElementCheck, FaultCheck, PageStateCheck, RequestCheck, TextMatch, ValueCheck};
use domain::verdict::Finding;
use domain::{Evidence, Observation};
use serde_json::Value;

pub use crate::validate::{Problem, validate};

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

/// Longest text quoted as observed, in characters.
const QUOTE: usize = 160;

/// A finding and the sentence that goes with it.
type Found = (Finding, String);

/// Evaluates a check. The first evidence is that of the check itself; those of its parts follow, each after its whole.
///
/// The result is never empty.
pub fn evaluate(check: &Check, facts: &Facts) -> Vec<Evidence> {
    let mut parts = Vec::new();
    let (finding, observed) = match check {
        Check::All(checks) => {
            let findings = each(checks, facts, &mut parts);
            (all(&findings), count(&findings, "of all"))
        }
        Check::Any(checks) => {
            let findings = each(checks, facts, &mut parts);
            (any(&findings), count(&findings, "of any"))
        }
        Check::Not(part) => {
            let findings = each(std::slice::from_ref(part.as_ref()), facts, &mut parts);
            let finding = findings.first().map_or(Finding::Undecided, |finding| not(*finding));
            (finding, parts.first().map(|part: &Evidence| part.observed.clone()).unwrap_or_default())
        }
        Check::Url(wanted) => url(wanted, facts),
        Check::Text(wanted) => visible_text(wanted, facts),
        Check::Element(wanted) => with_observation(facts, |observation| element(wanted, observation)),
        Check::Value(wanted) => with_observation(facts, |observation| value(wanted, observation)),
        Check::Answer(wanted) => answer(wanted, facts),
        Check::Request(wanted) => request(wanted, facts),
        Check::Fault(wanted) => fault(wanted, facts),
        Check::PageState(wanted) => page_state(wanted, facts),
    };
    let mut evidence = vec![Evidence { check: check.clone(), finding, observed, screenshot: None }];
    evidence.append(&mut parts);
    evidence
}

/// The finding of a check as a whole.
pub fn finding(check: &Check, facts: &Facts) -> Finding {
    evaluate(check, facts).first().map_or(Finding::Undecided, |evidence| evidence.finding)
}

/// All hold: refuted by one, confirmed by every one; nothing to hold is undecided, not true.
pub fn all(findings: &[Finding]) -> Finding {
    if findings.contains(&Finding::Refuted) {
        Finding::Refuted
    } else if findings.is_empty() || findings.contains(&Finding::Undecided) {
        Finding::Undecided
    } else {
        Finding::Confirmed
    }
}

/// At least one holds: confirmed by one, refuted when every one is; nothing to choose from is undecided.
pub fn any(findings: &[Finding]) -> Finding {
    if findings.contains(&Finding::Confirmed) {
        Finding::Confirmed
    } else if findings.is_empty() || findings.contains(&Finding::Undecided) {
        Finding::Undecided
    } else {
        Finding::Refuted
    }
}

/// The opposite of what is known; of the unknown, the unknown.
pub fn not(finding: Finding) -> Finding {
    match finding {
        Finding::Confirmed => Finding::Refuted,
        Finding::Refuted => Finding::Confirmed,
        Finding::Undecided => Finding::Undecided,
    }
}

fn each(checks: &[Check], facts: &Facts, parts: &mut Vec<Evidence>) -> Vec<Finding> {
    let mut findings = Vec::with_capacity(checks.len());
    for check in checks {
        let evidence = evaluate(check, facts);
        findings.extend(evidence.first().map(|first| first.finding));
        parts.extend(evidence);
    }
    findings
}

fn count(findings: &[Finding], of: &str) -> String {
    let confirmed = findings.iter().filter(|finding| **finding == Finding::Confirmed).count();
    format!("{confirmed} {of} {} confirmed", findings.len())
}

fn decided(holds: bool) -> Finding {
    if holds { Finding::Confirmed } else { Finding::Refuted }
}

fn compared(wanted: &TextMatch, actual: &str, observed: String) -> Found {
    match fits(wanted, actual) {
        Ok(holds) => (decided(holds), observed),
        Err(cause) => (Finding::Undecided, cause),
    }
}

fn with_observation(facts: &Facts, look: impl FnOnce(&Observation) -> Found) -> Found {
    match &facts.observation {
        Some(observation) => look(observation),
        None => (Finding::Undecided, "the page was never observed".to_owned()),
    }
}

fn url(wanted: &TextMatch, facts: &Facts) -> Found {
    with_observation(facts, |observation| {
        compared(wanted, &observation.url, format!("the address is {}", observation.url))
    })
}

/// The text as the browser renders it. Without it the nodes' texts may confirm that something is there; they are cut at
/// a length, so they never refute.
fn visible_text(wanted: &TextMatch, facts: &Facts) -> Found {
    if let Some(text) = &facts.text {
        return compared(wanted, text, format!("the page shows \"{}\"", shorten(text, QUOTE)));
    }
    with_observation(facts, |observation| {
        let held = observation.nodes.iter().find(|node| {
            matches!(wanted, TextMatch::Contains(_))
                && [&node.text, &node.name].iter().any(|text| fits(wanted, text) == Ok(true))
        });
        match held {
            Some(node) => (Finding::Confirmed, format!("the page shows \"{}\"", shorten(node.label(), QUOTE))),
            None => (Finding::Undecided, "the whole text of the page could not be read".to_owned()),
        }
    })
}

fn answer(wanted: &TextMatch, facts: &Facts) -> Found {
    match &facts.answer {
        Some(answer) => compared(wanted, answer, format!("the answer is \"{}\"", shorten(answer, QUOTE))),
        None => (Finding::Refuted, "no answer was given".to_owned()),
    }
}

/// How far an element fits what is wanted.
enum Fit {
    Yes,
    No,
    /// All that was observed fits, but an attribute is not among what observations hold.
    Unknown(String),
}

fn fit(wanted: &ElementCheck, node: &Node) -> Fit {
    let ElementCheck { role, name, text, attributes, checked } = wanted;
    let mut unknown = None;
    if role.as_ref().is_some_and(|role| *role != node.role) || checked.is_some() && *checked != node.states.checked {
        return Fit::No;
    }
    for (wanted, actual) in [(name, &node.name), (text, &node.text)] {
        match wanted.as_ref().map(|wanted| fits(wanted, actual)) {
            None | Some(Ok(true)) => {}
            Some(Ok(false)) => return Fit::No,
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
    unknown.map_or(Fit::Yes, Fit::Unknown)
}

/// Whether nothing is compared at all, so that any element would fit.
pub(crate) fn compares_nothing(wanted: &ElementCheck) -> bool {
    *wanted == ElementCheck::default()
}

fn element(wanted: &ElementCheck, observation: &Observation) -> Found {
    if compares_nothing(wanted) {
        return (Finding::Undecided, "the check names neither role, name, text, attribute nor state".to_owned());
    }
    let mut unknown = None;
    for node in &observation.nodes {
        match fit(wanted, node) {
            Fit::Yes => {
                return (Finding::Confirmed, format!("there is {} \"{}\"", node.role, shorten(node.label(), QUOTE)));
            }
            Fit::Unknown(cause) => unknown = Some(cause),
            Fit::No => {}
        }
    }
    absent(unknown, observation)
}

fn absent(unknown: Option<String>, observation: &Observation) -> Found {
    match unknown {
        Some(cause) => (Finding::Undecided, cause),
        None if observation.truncated => {
            let seen = observation.nodes.len();
            (Finding::Undecided, format!("not among the first {seen} nodes; the page has more than were observed"))
        }
        None if observation.dialog.is_some() => {
            (Finding::Undecided, "a dialog is open, so the page behind it could not be observed".to_owned())
        }
        None => (Finding::Refuted, "no such element among those that can be seen".to_owned()),
    }
}

/// Several fields may fit; then they must agree, or the check does not say which one it means.
fn value(wanted: &ValueCheck, observation: &Observation) -> Found {
    if compares_nothing(&wanted.of) {
        return (Finding::Undecided, "the check does not say which field".to_owned());
    }
    let mut unknown = None;
    let mut findings = Vec::new();
    let mut observed = Vec::new();
    for node in &observation.nodes {
        match fit(&wanted.of, node) {
            Fit::Yes => {}
            Fit::Unknown(cause) => {
                unknown = Some(cause);
                continue;
            }
            Fit::No => continue,
        }
        match &node.value {
            Some(value) => {
                let (finding, sentence) = compared(&wanted.is, value, format!("\"{}\"", shorten(value, QUOTE)));
                findings.push(finding);
                observed.push(sentence);
            }
            None if node.attribute("type") == "password" => {
                unknown = Some("the value of a password field is never read".to_owned());
            }
            None => {}
        }
    }
    match (all(&findings), any(&findings)) {
        _ if findings.is_empty() => absent(unknown, observation),
        _ if unknown.is_some() => (Finding::Undecided, unknown.unwrap_or_default()),
        (Finding::Confirmed, _) => (Finding::Confirmed, format!("the value is {}", observed.join(", "))),
        (_, Finding::Refuted) => (Finding::Refuted, format!("the value is {}", observed.join(", "))),
        (Finding::Undecided, _) => (Finding::Undecided, observed.join(", ")),
        _ => (Finding::Undecided, format!("several fields fit, with the values {}", observed.join(", "))),
    }
}

fn request(wanted: &RequestCheck, facts: &Facts) -> Found {
    let mut unanswered = None;
    let mut other_status = None;
    for request in facts.requests.iter().filter(|request| !request.refused) {
        if wanted.method.as_ref().is_some_and(|method| !method.eq_ignore_ascii_case(&request.method)) {
            continue;
        }
        match fits(&wanted.url, &request.url) {
            Ok(true) => {}
            Ok(false) => continue,
            Err(cause) => return (Finding::Undecided, cause),
        }
        match (wanted.status, request.status) {
            (None, _) => return (Finding::Confirmed, format!("{} {} was sent", request.method, request.url)),
            (Some(status), Some(actual)) if status == actual => {
                return (Finding::Confirmed, format!("{} {} was answered {actual}", request.method, request.url));
            }
            (Some(_), Some(actual)) => {
                other_status = Some(format!("{} {} was answered {actual}", request.method, request.url));
            }
            (Some(_), None) => unanswered = Some(format!("{} {} has no answer yet", request.method, request.url)),
        }
    }
    match (unanswered, other_status) {
        (Some(observed), _) => (Finding::Undecided, observed),
        (None, Some(observed)) => (Finding::Refuted, observed),
        (None, None) if facts.requests.is_empty() => {
            (Finding::Undecided, "the browser reported no request at all, not even that of the page".to_owned())
        }
        (None, None) => {
            let sought = describe(&wanted.url);
            (Finding::Refuted, format!("none of {} requests has an address {sought}", facts.requests.len()))
        }
    }
}

/// Whether a fault was reported. That there is none says something only where it was looked for.
fn fault(wanted: &FaultCheck, facts: &Facts) -> Found {
    let mut unknown = None;
    for fault in &facts.faults {
        match faults::fits(wanted, fault) {
            Ok(true) => {
                let source = if fault.source.is_empty() { String::new() } else { format!(" ({})", fault.source) };
                let message = shorten(&fault.message, QUOTE);
                return (Finding::Confirmed, format!("the browser reported \"{message}\"{source}"));
            }
            Ok(false) => {}
            Err(cause) => unknown = Some(cause),
        }
    }
    if let Some(cause) = unknown {
        return (Finding::Undecided, cause);
    }
    with_observation(facts, |observation| {
        if facts.requests.is_empty() && facts.faults.is_empty() {
            return (
                Finding::Undecided,
                "the browser reported nothing at all, not even the request of the page".to_owned(),
            );
        }
        match wanted.at.as_ref().map(|at| (at, faults::fits_address(at, &observation.url))) {
            Some((_, Err(cause))) => (Finding::Undecided, cause),
            Some((at, Ok(false))) => {
                let (url, sought) = (&observation.url, describe(at));
                (Finding::Undecided, format!("it ended at {url}; the fault is looked for at an address {sought}"))
            }
            _ => (Finding::Refuted, format!("none of {} faults that the browser reported is it", facts.faults.len())),
        }
    })
}

fn page_state(wanted: &PageStateCheck, facts: &Facts) -> Found {
    match facts.page_states.get(&wanted.expression) {
        None => (Finding::Undecided, "the expression was not evaluated".to_owned()),
        Some(Err(cause)) => (Finding::Undecided, format!("the expression has no value: {cause}")),
        Some(Ok(actual)) => {
            (decided(same(&wanted.equals, actual)), format!("the value is {}", shorten(&actual.to_string(), QUOTE)))
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
