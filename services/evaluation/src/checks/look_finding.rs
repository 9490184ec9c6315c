//! Findings of one examination, and of two together. Pure.

use crate::facts::Facts;
use domain::verdict::Finding;

/// The finding of one examination on a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LookFinding {
    pub(super) finding: Finding,
    /// What was observed, as a sentence.
    pub(super) observed: String,
    /// Identities of the elements or texts that decided, to recognize them in another examination. Empty where the
    /// finding is enough.
    pub(super) same: Vec<String>,
}

impl LookFinding {
    pub(super) fn of(finding: Finding, observed: impl Into<String>) -> LookFinding {
        LookFinding { finding, observed: observed.into(), same: Vec::new() }
    }

    pub(super) fn undecided(why: impl Into<String>) -> LookFinding {
        LookFinding::of(Finding::Undecided, why)
    }

    pub(super) fn refuted(observed: impl Into<String>) -> LookFinding {
        LookFinding::of(Finding::Refuted, observed)
    }

    pub(super) fn confirmed(observed: impl Into<String>, same: Vec<String>) -> LookFinding {
        LookFinding { finding: Finding::Confirmed, observed: observed.into(), same }
    }
}

/// Whether two examinations agree: the same finding, and if positive, by the same element or text.
pub(super) fn agree(first: &LookFinding, second: &LookFinding) -> bool {
    let is_same_thing = first.finding != Finding::Confirmed
        || first.same.is_empty()
        || second.same.is_empty()
        || first.same.iter().any(|thing| second.same.contains(thing));
    first.finding == second.finding && is_same_thing
}

/// Combines the findings of two examinations.
pub(super) fn both(first: LookFinding, second: LookFinding) -> LookFinding {
    if agree(&first, &second) {
        return second;
    }
    match (first.finding, second.finding) {
        (_, Finding::Undecided) => second,
        (Finding::Undecided, _) => first,
        _ => LookFinding::undecided(format!("it was still changing: {}, then {}", first.observed, second.observed)),
    }
}

/// Does not report absence while a request is in flight that may change it.
pub(super) fn unless_in_flight(sight: LookFinding, facts: &Facts) -> LookFinding {
    match facts.in_flight.first() {
        Some(cause) if sight.finding == Finding::Refuted => {
            LookFinding::undecided(format!("{}; {cause}", sight.observed))
        }
        _ => sight,
    }
}
