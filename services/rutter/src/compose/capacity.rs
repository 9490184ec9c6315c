//! How many jobs the Grid has room for, asked again and again: nodes come and go.

use browser::grid::Grid;
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

const EVERY: Duration = Duration::from_secs(5);

/// Tells a worker the Grid's sessions times the jobs that each may serve, until asked to end. While the Grid does not answer,
/// what it last said holds.
pub(crate) async fn tell_capacity(
    grid: Grid,
    jobs_per_session: u32,
    room: watch::Sender<usize>,
    shutdown: CancellationToken,
) {
    let mut was_seen = true;
    loop {
        match grid.capacity().await {
            Ok(capacity) => {
                was_seen = true;
                let jobs = capacity.slots.saturating_mul(jobs_per_session.max(1)) as usize;
                if room.send_replace(jobs) != jobs {
                    tracing::info!(sessions = capacity.slots, jobs, "the Grid has room");
                }
            }
            Err(error) if was_seen => {
                was_seen = false;
                tracing::warn!(%error, "the Grid does not say how much room it has");
            }
            Err(_) => {}
        }
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            () = shutdown.cancelled() => return,
        }
    }
}
