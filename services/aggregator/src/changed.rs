//! Tracks campaigns with new records, so that only their metrics are read again.

use domain::CampaignId;
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Campaigns changed since the last `take`. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changed(Arc<Mutex<BTreeSet<CampaignId>>>);

impl Changed {
    /// Adds campaigns.
    pub(crate) fn note<'a>(&self, campaigns: impl Iterator<Item = &'a CampaignId>) {
        let mut changed = self.locked();
        for campaign in campaigns {
            if !changed.contains(campaign) {
                changed.insert(campaign.clone());
            }
        }
    }

    /// Takes all of them.
    pub(crate) fn take(&self) -> BTreeSet<CampaignId> {
        std::mem::take(&mut *self.locked())
    }

    fn locked(&self) -> MutexGuard<'_, BTreeSet<CampaignId>> {
        self.0.lock()
    }
}
