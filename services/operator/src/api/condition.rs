//! Conditions: one line each on what holds of a resource, with the reason as a word and the message as a sentence.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// What is spoken of, e.g. `Accepted`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `True`, `False` or `Unknown`.
    pub status: String,
    /// Why, as one word for programs.
    pub reason: String,
    /// Why, as a sentence for people.
    #[serde(default)]
    pub message: String,
    /// When the status last changed.
    pub last_transition_time: Time,
    /// The generation of the resource that this was found for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
}

/// What is found to hold, before it is known since when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What is spoken of.
    pub kind: &'static str,
    /// Whether it holds.
    pub holds: bool,
    /// Why, as one word.
    pub reason: &'static str,
    /// Why, as a sentence.
    pub message: String,
}

impl Finding {
    /// Something that holds or does not.
    pub fn new(kind: &'static str, holds: bool, reason: &'static str, message: impl Into<String>) -> Self {
        Self { kind, holds, reason, message: message.into() }
    }
}

/// The conditions that follow from findings: one whose status is what it was keeps its time, so that nothing is written where
/// nothing changed. Conditions that nobody speaks of any more are dropped.
pub fn follow(before: &[Condition], findings: Vec<Finding>, generation: Option<i64>, now: Timestamp) -> Vec<Condition> {
    let since = |finding: &Finding, status: &str| {
        let known = before.iter().find(|known| known.kind == finding.kind && known.status == status);
        known.map_or(Time(now), |known| known.last_transition_time.clone())
    };
    let condition = |finding: Finding| {
        let status = if finding.holds { "True" } else { "False" };
        Condition {
            last_transition_time: since(&finding, status),
            kind: finding.kind.to_owned(),
            status: status.to_owned(),
            reason: finding.reason.to_owned(),
            message: finding.message,
            observed_generation: generation,
        }
    };
    findings.into_iter().map(condition).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("a time")
    }

    #[test]
    fn a_condition_keeps_its_time_until_its_status_changes() {
        let found = |holds, message: &str| vec![Finding::new("Ended", holds, "Running", message)];
        let first = follow(&[], found(false, "0 of 2"), Some(1), at(10));
        let second = follow(&first, found(false, "1 of 2"), Some(1), at(20));
        assert_eq!(second[0].last_transition_time, Time(at(10)));
        assert_eq!(second[0].message, "1 of 2");
        let third = follow(&second, found(true, "2 of 2"), Some(1), at(30));
        assert_eq!((third[0].status.as_str(), &third[0].last_transition_time), ("True", &Time(at(30))));
    }
}
