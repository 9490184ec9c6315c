//! Evaluates checks against facts in three-valued logic. Pure.
//!
//! What could not be observed is `Undecided`, also under `not`: a missing fact never confirms a check. The last two
//! examinations decide together: what only one of them shows was still changing, and is `Undecided` too.

mod events;
mod look_finding;
mod page;

use crate::facts::{Facts, Moment, PageLook};
use crate::requests::{document_status, first_status};
use domain::task::Check;
use domain::verdict::Finding;
use domain::{Evidence, Node};
use look_finding::LookFinding;

pub(crate) use page::compares_nothing;

pub use crate::validate::{Problem, validate};

/// Longest text quoted as observed, in characters.
pub(crate) const QUOTE: usize = 160;

/// Evaluates a check. The first evidence is the check's own; that of its parts follows, each after its whole.
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
            // Nothing was answered, and so neither right nor wrong.
            let unanswered = facts.answer.is_none() && has_part(part, &|part| matches!(part, Check::Answer(_)));
            let found = if unanswered { Some(without_answer(part, facts)) } else { findings.first().copied() };
            let observed = parts.first().map(|part: &Evidence| part.observed.clone()).unwrap_or_default();
            (found.map_or(Finding::Undecided, not), observed)
        }
        leaf => {
            let LookFinding { finding, observed, .. } = of_leaf(leaf, facts);
            (finding, observed)
        }
    };
    let mut evidence = vec![Evidence { check: check.clone(), finding, observed, screenshot: None }];
    evidence.append(&mut parts);
    evidence
}

/// The finding of a check as a whole.
pub fn finding(check: &Check, facts: &Facts) -> Finding {
    evaluate(check, facts).first().map_or(Finding::Undecided, |evidence| evidence.finding)
}

/// Whether the last two examinations agree on a check, so that another one is useless.
pub fn is_at_rest(check: &Check, facts: &Facts) -> bool {
    match check {
        Check::All(parts) | Check::Any(parts) => parts.iter().all(|part| is_at_rest(part, facts)),
        Check::Not(part) => is_at_rest(part, facts),
        Check::Answer(_) | Check::Request(_) | Check::Fault(_) => true,
        leaf => match last_two(facts) {
            Some((first, second)) => look_finding::agree(&page::evaluate(leaf, first), &page::evaluate(leaf, second)),
            None => true,
        },
    }
}

/// The finding of a check where what it says of the answer is not known.
fn without_answer(check: &Check, facts: &Facts) -> Finding {
    let each = |parts: &[Check]| parts.iter().map(|part| without_answer(part, facts)).collect::<Vec<_>>();
    match check {
        Check::Answer(_) => Finding::Undecided,
        Check::All(parts) => all(&each(parts)),
        Check::Any(parts) => any(&each(parts)),
        Check::Not(part) => not(without_answer(part, facts)),
        leaf => of_leaf(leaf, facts).finding,
    }
}

/// Whether something is true of a check or of a part of it.
pub(crate) fn has_part(check: &Check, is_it: &dyn Fn(&Check) -> bool) -> bool {
    is_it(check)
        || match check {
            Check::All(parts) | Check::Any(parts) => parts.iter().any(|part| has_part(part, is_it)),
            Check::Not(part) => has_part(part, is_it),
            _ => false,
        }
}

fn of_leaf(check: &Check, facts: &Facts) -> LookFinding {
    let is_about_the_attempt = matches!(check, Check::Answer(_) | Check::Request(_) | Check::Fault(_));
    if facts.moment == Moment::Start && is_about_the_attempt {
        return LookFinding::undecided("nothing was done yet");
    }
    match check {
        Check::Answer(wanted) => events::answer(wanted, facts),
        Check::Request(wanted) => look_finding::unless_in_flight(events::request(wanted, facts), facts),
        Check::Fault(wanted) => look_finding::unless_in_flight(events::fault(wanted, facts), facts),
        leaf => match last_two(facts) {
            Some((first, second)) => {
                let seen = page::evaluate(leaf, second);
                let both = if std::ptr::eq(first, second) {
                    seen
                } else {
                    look_finding::both(page::evaluate(leaf, first), seen)
                };
                match refused_address(leaf, facts).filter(|_| both.finding != Finding::Undecided) {
                    Some(status) => LookFinding::undecided(format!("{}, which was answered {status}", both.observed)),
                    None => look_finding::unless_in_flight(both, facts),
                }
            }
            None => LookFinding::undecided("the page was never observed"),
        },
    }
}

/// The error with which the site answered the page whose address a check asks for: what stands at it was not had. A page with a field may
/// be what was wanted, such as a log-in page that is answered 401; a site that answers its start page so says nothing by it.
fn refused_address(check: &Check, facts: &Facts) -> Option<u16> {
    let seen = facts.observation().filter(|_| matches!(check, Check::Url(_)) && facts.moment == Moment::End)?;
    let error = document_status(&seen.url, &facts.requests).filter(|status| *status >= 400)?;
    let start = facts.start.as_deref().and_then(Facts::observation);
    let at_start = start.and_then(|start| first_status(&start.url, &facts.requests));
    let has_field = seen.nodes.iter().any(Node::is_field_for_data);
    (!has_field && at_start.is_none_or(|status| status < 400)).then_some(error)
}

fn last_two(facts: &Facts) -> Option<(&PageLook, &PageLook)> {
    let second = facts.looks.last()?;
    let first = facts.looks.len().checked_sub(2).and_then(|index| facts.looks.get(index)).unwrap_or(second);
    Some((first, second))
}

/// All hold: refuted by one, confirmed by all; undecided for an empty list.
pub fn all(findings: &[Finding]) -> Finding {
    if findings.contains(&Finding::Refuted) {
        Finding::Refuted
    } else if findings.is_empty() || findings.contains(&Finding::Undecided) {
        Finding::Undecided
    } else {
        Finding::Confirmed
    }
}

/// At least one holds: confirmed by one, refuted by all; undecided for an empty list.
pub fn any(findings: &[Finding]) -> Finding {
    if findings.contains(&Finding::Confirmed) {
        Finding::Confirmed
    } else if findings.is_empty() || findings.contains(&Finding::Undecided) {
        Finding::Undecided
    } else {
        Finding::Refuted
    }
}

/// Swaps confirmed and refuted; undecided stays undecided.
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
