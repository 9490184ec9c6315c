//! Who works: one instance at a time holds a Lease. One that loses it ends, so that it never works beside another.

use crate::Error;
use crate::config::Options;
use kube::Client;
use kube_lease_manager::LeaseManagerBuilder;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// A held Lease. Dropping it gives it back.
pub(crate) struct Leadership {
    lease: String,
    held: watch::Receiver<bool>,
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
        let (mut held, _task) = manager.watch().await;
        loop {
            if *held.borrow_and_update() {
                return Ok(Some(Leadership { lease: options.lease.clone(), held }));
            }
            tokio::select! {
                changed = held.changed() => changed.map_err(|_| failed("nobody renews it any more".to_owned()))?,
                () = shutdown.cancelled() => return Ok(None),
            }
        }
    }

    /// Waits until the Lease is lost.
    pub(crate) async fn lost(mut self) -> Error {
        // The channel closes when nobody renews the Lease any more.
        let _ = self.held.wait_for(|held| !held).await;
        Error::LostLease(self.lease)
    }
}
