//! Renews the leases of current claims, and stops attempts whose claim was lost.

use domain::campaign::Ticket;
use domain::service::CampaignService;
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tracing::{debug, warn};

/// The current claims, each with the token that stops its attempt.
#[derive(Clone, Debug, Default)]
pub(crate) struct Leases(Arc<Mutex<BTreeMap<Ticket, CancellationToken>>>);

/// Guard of a current claim; dropping it stops renewal.
pub(crate) struct LeaseGuard {
    leases: Leases,
    ticket: Ticket,
    revoked: CancellationToken,
}

impl Leases {
    /// Starts renewing a claim.
    pub(crate) fn hold(&self, ticket: Ticket) -> LeaseGuard {
        let revoked = CancellationToken::new();
        self.claims().insert(ticket.clone(), revoked.clone());
        LeaseGuard { leases: self.clone(), ticket, revoked }
    }

    /// Renews all current claims periodically. Never returns.
    pub(crate) async fn keep(&self, campaigns: &dyn CampaignService, every: Duration) {
        loop {
            tokio::time::sleep(every).await;
            let tickets: Vec<Ticket> = self.claims().keys().cloned().collect();
            if tickets.is_empty() {
                continue;
            }
            match campaigns.heartbeat(tickets).await {
                Ok(lost) => self.revoke(&lost),
                // Attempts continue: if a claim expires meanwhile, the first outcome counts anyway.
                Err(error) => warn!(%error, "claims could not be renewed"),
            }
        }
    }

    fn revoke(&self, lost: &[Ticket]) {
        for ticket in lost {
            if let Some(revoked) = self.claims().get(ticket) {
                debug!(job = %ticket.job, fence = ticket.fence.0, "the claim holds no more");
                revoked.cancel();
            }
        }
    }

    fn claims(&self) -> MutexGuard<'_, BTreeMap<Ticket, CancellationToken>> {
        self.0.lock()
    }
}

impl LeaseGuard {
    /// Cancelled when the claim is lost.
    pub(crate) fn revoked(&self) -> &CancellationToken {
        &self.revoked
    }
}

impl Drop for LeaseGuard {
    fn drop(&mut self) {
        self.leases.claims().remove(&self.ticket);
    }
}
