//! What one look says of a check, and what two looks say together. Pure.

use crate::facts::Facts;
use domain::verdict::Finding;

/// What a look says of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sight {
    pub(super) finding: Finding,
    /// What was seen, in a sentence.
    pub(super) observed: String,
    /// What tells again in another look that it is the same thing: elements, texts. Empty where the finding is enough.
    pub(super) same: Vec<String>,
}

impl Sight {
    pub(super) fn of(finding: Finding, observed: impl Into<String>) -> Sight {
        Sight { finding, observed: observed.into(), same: Vec::new() }
    }

    pub(super) fn undecided(why: impl Into<String>) -> Sight {
        Sight::of(Finding::Undecided, why)
    }

    pub(super) fn refuted(observed: impl Into<String>) -> Sight {
        Sight::of(Finding::Refuted, observed)
    }

    pub(super) fn confirmed(observed: impl Into<String>, same: Vec<String>) -> Sight {
        Sight { finding: Finding::Confirmed, observed: observed.into(), same }
    }
}

/// Whether two looks say the same: the same finding, and a positive one by the same thing, whatever else changed.
pub(super) fn agree(first: &Sight, second: &Sight) -> bool {
    let is_same_thing = first.finding != Finding::Confirmed
        || first.same.is_empty()
        || second.same.is_empty()
        || first.same.iter().any(|thing| second.same.contains(thing));
    first.finding == second.finding && is_same_thing
}

/// What two looks say together.
pub(super) fn both(first: Sight, second: Sight) -> Sight {
    if agree(&first, &second) {
        return second;
    }
    match (first.finding, second.finding) {
        (_, Finding::Undecided) => second,
        (Finding::Undecided, _) => first,
        _ => Sight::undecided(format!("it was still changing: {}, then {}", first.observed, second.observed)),
    }
}

/// Nothing is said to be absent while something is under way that may bring it.
pub(super) fn unless_in_flight(sight: Sight, facts: &Facts) -> Sight {
    match facts.in_flight.first() {
        Some(cause) if sight.finding == Finding::Refuted => Sight::undecided(format!("{}; {cause}", sight.observed)),
        _ => sight,
    }
}
