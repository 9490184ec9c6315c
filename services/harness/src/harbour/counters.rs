//! What the site itself counted: the judge of whether an explorer kept to its bounds.

use super::truth::words::DeedKind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Counts since the start or the last reset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Requests that arrived where nobody should ask, each with its path.
    pub out_of_scope: Vec<String>,
    /// Requests for what robots.txt disallows, by path.
    pub disallowed: BTreeMap<String, u64>,
    /// Destructive deeds that were done, by kind.
    pub deeds: BTreeMap<String, u64>,
    /// Documents that were asked for, by path.
    pub pages: BTreeMap<String, u64>,
}

impl Counters {
    /// How often something was asked for or done that should not have been.
    pub fn harm(&self) -> u64 {
        let of = |counts: &BTreeMap<String, u64>| counts.values().sum::<u64>();
        u64::try_from(self.out_of_scope.len()).unwrap_or(u64::MAX) + of(&self.disallowed) + of(&self.deeds)
    }

    pub(super) fn deed(&mut self, kind: DeedKind) {
        let name = match kind {
            DeedKind::Delete => "delete",
            DeedKind::Pay => "pay",
            DeedKind::Send => "send",
            DeedKind::LogOut => "log_out",
        };
        *self.deeds.entry(name.to_owned()).or_default() += 1;
    }
}
