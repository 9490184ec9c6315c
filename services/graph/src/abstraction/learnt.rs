//! What was learnt of one site by looking at it again and again.

use super::{Features, Fingerprint};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What of a site's pages changes by itself, and which of its folders hold things of one kind.
///
/// Only grows, so that two processes that learnt apart can put together what they know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Learnt {
    /// Features that came and went although nothing was done: not looked at.
    pub(super) volatile: BTreeSet<u64>,
    /// Folders that hold things of one kind: `/products/` after a list of products was seen.
    pub(super) families: BTreeSet<u64>,
}

/// Two looks at one page that differ in more than this share of their features are of different pages: somebody logged us
/// out, or the server failed. Nothing is learnt from them.
const OTHERWISE: f64 = 1.0 / 3.0;

impl Learnt {
    /// Learns from a page by itself; says whether that was news.
    pub fn page(&mut self, fingerprint: &Fingerprint) -> bool {
        let Fingerprint::Features(features) = fingerprint else { return false };
        let before = self.families.len();
        self.families.extend(&features.lists);
        self.families.len() > before
    }

    /// Learns from two looks at one page with nothing done between them but loading it again; says whether that was news.
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

    /// Adds what another process learnt.
    pub fn merge(&mut self, other: &Learnt) {
        self.volatile.extend(&other.volatile);
        self.families.extend(&other.families);
    }
}
