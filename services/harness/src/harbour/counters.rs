//! What the site itself counted, which shows whether an explorer kept within bounds.

use super::truth::words::DestructiveKind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Counts since the start or the last reset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Paths of requests to the forbidden origin.
    pub out_of_scope: Vec<String>,
    /// Requests for what robots.txt disallows, by path.
    pub disallowed: BTreeMap<String, u64>,
    /// Destructive actions performed, by kind.
    pub deeds: BTreeMap<String, u64>,
    /// Documents that were asked for, by path.
    pub pages: BTreeMap<String, u64>,
}

impl Counters {
    /// Number of forbidden requests and actions.
    pub fn harm(&self) -> u64 {
        let of = |counts: &BTreeMap<String, u64>| counts.values().sum::<u64>();
        u64::try_from(self.out_of_scope.len()).unwrap_or(u64::MAX) + of(&self.disallowed) + of(&self.deeds)
    }

    pub(super) fn deed(&mut self, kind: DestructiveKind) {
        let name = match kind {
            DestructiveKind::Delete => "delete",
            DestructiveKind::Pay => "pay",
            DestructiveKind::Send => "send",
            DestructiveKind::LogOut => "log_out",
        };
        *self.deeds.entry(name.to_owned()).or_default() += 1;
    }
}
