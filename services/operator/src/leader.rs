//! Who works: one instance at a time holds a Lease. One that loses it ends, so that it never works beside another.

use crate::Error;
use crate::config::Options;
use kube::Client;
use kube_lease_manager::{LeaseManager, LeaseManagerBuilder};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How long giving the Lease back may take; without it the next instance waits until the Lease has run out.
const GIVING_BACK: Duration = Duration::from_secs(3);

/// A held Lease.
pub(crate) struct Leadership {
    lease: String,
    held: watch::Receiver<bool>,
    renewing: JoinHandle<kube_lease_manager::Result<LeaseManager>>,
}

impl Leadership {
    /// Waits until this instance holds the Lease; `None` when the process is asked to end first.
    pub(crate) async fn take(
        client: Client,
        options: &Options,
        shutdown: &CancellationToken,
    ) -> Result<Option<Leadership>, Error> {
        let failed = |cause: String| Error::Lease { lease: options.lease.clone(), cause };
        let mut builder = LeaseManagerBuilder::new(client, options.lease.clone())
            .with_duration(u64::from(options.lease_seconds.max(3)))
            .with_grace(u64::from((options.lease_seconds / 3).max(1)));
        if !options.lease_namespace.is_empty() {
            builder = builder.with_namespace(options.lease_namespace.clone());
        }
        let manager = builder.build().await.map_err(|error| failed(error.to_string()))?;
        let (mut held, renewing) = manager.watch().await;
        loop {
            if *held.borrow_and_update() {
                return Ok(Some(Leadership { lease: options.lease.clone(), held, renewing }));
            }
            tokio::select! {
                changed = held.changed() => changed.map_err(|_| failed("nobody renews it any more".to_owned()))?,
                () = shutdown.cancelled() => return Ok(None),
            }
        }
    }

    /// Gives the Lease back, so that another instance can go on at once.
    pub(crate) async fn give_back(self) {
        // Whoever renews it releases it when nobody listens any more.
        drop(self.held);
        if tokio::time::timeout(GIVING_BACK, self.renewing).await.is_err() {
            tracing::warn!(
                lease = self.lease,
                "the lease could not be given back; the next instance waits until it has run out"
            );
        }
    }

    /// Waits until the Lease is lost.
    pub(crate) async fn lost(&mut self) -> Error {
        // The channel closes when nobody renews the Lease any more.
        let _ = self.held.wait_for(|held| !held).await;
        Error::LostLease(self.lease.clone())
    }
}
