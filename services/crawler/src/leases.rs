//! Signs of life: renews the claims under way, and stops attempts whose claim holds no more.

use domain::campaign::Ticket;
use domain::service::CampaignService;
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tracing::{debug, warn};

/// The claims under way, each with what stops its attempt.
#[derive(Clone, Debug, Default)]
pub(crate) struct Leases(Arc<Mutex<BTreeMap<Ticket, CancellationToken>>>);

/// A claim under way, until dropped.
pub(crate) struct Held {
    leases: Leases,
    ticket: Ticket,
    revoked: CancellationToken,
}

impl Leases {
    /// Keeps a claim alive.
    pub(crate) fn hold(&self, ticket: Ticket) -> Held {
        let revoked = CancellationToken::new();
        self.held().insert(ticket.clone(), revoked.clone());
        Held { leases: self.clone(), ticket, revoked }
    }

    /// Renews what is held, again and again. Never returns.
    pub(crate) async fn keep(&self, campaigns: &dyn CampaignService, every: Duration) {
        loop {
            tokio::time::sleep(every).await;
            let tickets: Vec<Ticket> = self.held().keys().cloned().collect();
            if tickets.is_empty() {
                continue;
            }
            match campaigns.heartbeat(tickets).await {
                Ok(lost) => self.revoke(&lost),
                // The attempts go on: if a claim runs out meanwhile, the first outcome counts all the same.
                Err(error) => warn!(%error, "claims could not be renewed"),
            }
        }
    }

    fn revoke(&self, lost: &[Ticket]) {
        for ticket in lost {
            if let Some(revoked) = self.held().get(ticket) {
                debug!(job = %ticket.job, fence = ticket.fence.0, "the claim holds no more");
                revoked.cancel();
            }
        }
    }

    fn held(&self) -> MutexGuard<'_, BTreeMap<Ticket, CancellationToken>> {
        self.0.lock()
    }
}

impl Held {
    /// Cancelled when the claim holds no more.
    pub(crate) fn revoked(&self) -> &CancellationToken {
        &self.revoked
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.leases.held().remove(&self.ticket);
    }
}
