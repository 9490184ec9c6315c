//! Being seen by the others.

use domain::storage::shared::Presence;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Time between two announcements, and how long each holds.
const EVERY: Duration = Duration::from_secs(3);
const HOLDS: Duration = Duration::from_secs(10);

/// Announces a member of a role again and again until asked to end, and takes it off the list then. That the list cannot be
/// reached is nobody's trouble but the list's.
pub(crate) async fn stay_present(
    presence: Arc<dyn Presence>,
    role: &str,
    member: String,
    about: String,
    shutdown: CancellationToken,
) {
    let mut was_seen = true;
    loop {
        match presence.announce(role, &member, &about, HOLDS).await {
            Ok(()) => was_seen = true,
            Err(error) if was_seen => {
                was_seen = false;
                tracing::warn!(%error, role, member, "the list of members cannot be reached");
            }
            Err(_) => {}
        }
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            () = shutdown.cancelled() => break,
        }
    }
    if let Err(error) = presence.leave(role, &member).await {
        tracing::debug!(%error, role, member, "left without saying so");
    }
}
