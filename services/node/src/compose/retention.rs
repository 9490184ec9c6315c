//! Retention: pictures and trajectories that were stored too long ago go.
//!
//! Age alone decides. A result outlives what it refers to: its verdict and its evidence in words stay.

use backends::blob::Sweep;
use domain::storage::StorageError;
use platform::clock::Clock;
use platform::tasks::Tasks;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// Between two looks.
const EVERY: Duration = Duration::from_secs(3600);

/// Removes, from now on and again and again, what was stored for the last time longer ago than that. Several processes may do so
/// side by side.
pub(crate) fn keep(blobs: Arc<dyn Sweep>, retention: Duration, clock: Arc<dyn Clock>, tasks: &Tasks) {
    tasks.spawn("retention", |shutdown| async move {
        loop {
            if let Err(error) = sweep(blobs.as_ref(), retention, clock.as_ref()).await {
                tracing::warn!(%error, "old blobs stay, trying again in an hour");
            }
            tokio::select! {
                biased;
                () = tokio::time::sleep(EVERY) => {}
                () = shutdown.cancelled() => return Ok::<_, StorageError>(()),
            }
        }
    });
}

async fn sweep(blobs: &dyn Sweep, retention: Duration, clock: &dyn Clock) -> Result<(), StorageError> {
    let Some(before) = clock.wall().checked_sub(retention) else { return Ok(()) };
    let swept = blobs.sweep(before, &HashSet::new()).await?;
    if swept.removed > 0 {
        tracing::info!(removed = swept.removed, bytes = swept.bytes, left = swept.left, "old blobs were removed");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use backends::blob::BlobDirectory;
    use domain::storage::BlobStore as _;
    use platform::SystemClock;

    #[tokio::test]
    async fn what_is_older_than_it_is_kept_goes_and_the_rest_stays() {
        let directory = tempfile::tempdir().unwrap();
        let blobs = BlobDirectory::open(directory.path()).unwrap();
        let (old, new) = (blobs.put(b"old").await.unwrap(), blobs.put(b"new").await.unwrap());
        let clock = SystemClock::default();
        let stored = clock.wall() - Duration::from_secs(2 * 3600);
        let file = std::fs::File::options().append(true).open(blobs.path(&old).unwrap()).unwrap();
        file.set_modified(stored).unwrap();
        sweep(&blobs, Duration::from_secs(3 * 3600), &clock).await.unwrap();
        assert!(blobs.get(&old).await.unwrap().is_some());
        sweep(&blobs, Duration::from_secs(3600), &clock).await.unwrap();
        assert_eq!((blobs.get(&old).await.unwrap(), blobs.get(&new).await.unwrap()), (None, Some(b"new".to_vec())));
    }
}
