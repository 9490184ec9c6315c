//! What is learnt of a site from repeated observations.

use super::{Features, Fingerprint};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Features that change on their own, and folders that hold things of one kind.
///
/// It only grows, so that what two processes learnt can be merged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Learnt {
    /// Features that came or went without an action; ignored in comparisons.
    pub(super) volatile: BTreeSet<u64>,
    /// Folders that hold things of one kind: `/products/` after a list of products was seen.
    pub(super) families: BTreeSet<u64>,
}

/// If a reloaded page differs in more than this share of its features, it is another page, e.g. after a log-out or a
/// server error; nothing is learnt from it.
const OTHERWISE: f64 = 1.0 / 3.0;

impl Learnt {
    /// Learns from a single page; returns whether anything is new.
    pub fn page(&mut self, fingerprint: &Fingerprint) -> bool {
        let Fingerprint::Features(features) = fingerprint else { return false };
        let before = self.families.len();
        self.families.extend(&features.lists);
        self.families.len() > before
    }

    /// Learns from a page and its reload; returns whether anything is new.
    pub fn again(&mut self, before: &Fingerprint, after: &Fingerprint) -> bool {
        let (Fingerprint::Features(before), Fingerprint::Features(after)) = (before, after) else { return false };
        if before.address != after.address {
            return false;
        }
        let differing = Features::differing(before, after, self);
        let all = before.deeds.len().max(after.deeds.len());
        if differing.is_empty() || differing.len() as f64 > OTHERWISE * all as f64 {
            return false;
        }
        self.volatile.extend(differing);
        true
    }

    /// Merges what another process learnt.
    pub fn merge(&mut self, other: &Learnt) {
        self.volatile.extend(&other.volatile);
        self.families.extend(&other.families);
    }
}
