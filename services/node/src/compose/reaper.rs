//! Ends sessions of a Grid whose crawler is gone: nobody else would, until they time out.
//!
//! A crawler counts as gone when it has been missing from the list of members for some time, so that a list that was
//! emptied costs no session.

use browser::grid::{Grid, GridError, GridSession};
use domain::storage::shared::Presence;
use platform::clock::Clock;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Time between two looks.
const EVERY: Duration = Duration::from_secs(10);

/// For how long an owner must have been missing.
const MISSING: Duration = Duration::from_secs(30);

/// Owners that were missing when last looked, and since when.
#[derive(Default)]
struct Watch {
    missing: BTreeMap<String, Duration>,
}

impl Watch {
    /// The sessions to end: their owners have been missing long enough.
    fn orphans(&mut self, sessions: Vec<GridSession>, members: &BTreeSet<String>, now: Duration) -> Vec<GridSession> {
        let owners: BTreeSet<String> = sessions.iter().filter_map(|session| session.owner.clone()).collect();
        self.missing.retain(|owner, _| owners.contains(owner) && !members.contains(owner));
        for owner in owners.difference(members) {
            self.missing.entry(owner.clone()).or_insert(now);
        }
        let is_gone =
            |owner: &String| self.missing.get(owner).is_some_and(|since| now.saturating_sub(*since) >= MISSING);
        sessions.into_iter().filter(|session| session.owner.as_ref().is_some_and(is_gone)).collect()
    }
}

/// Looks for orphans until asked to end. Any number of crawlers may do so at once. A driver has no list of sessions: who asks for
/// the room of the Grid tells that it is none.
pub(crate) async fn reap(
    grid: Grid,
    presence: Arc<dyn Presence>,
    role: &str,
    clock: Arc<dyn Clock>,
    shutdown: CancellationToken,
) {
    let mut watch = Watch::default();
    let mut was_seen = true;
    loop {
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            () = shutdown.cancelled() => return,
        }
        // Without the list nobody can be said to be gone.
        let Ok(members) = presence.members(role).await else { continue };
        let sessions = match grid.sessions().await {
            Ok(sessions) => {
                was_seen = true;
                sessions
            }
            Err(error) => {
                if std::mem::take(&mut was_seen) && !matches!(error, GridError::NoGrid { .. }) {
                    tracing::warn!(%error, "the Grid does not say what sessions it has");
                }
                continue;
            }
        };
        let members = members.into_iter().map(|(member, _)| member).collect();
        for orphan in watch.orphans(sessions, &members, clock.monotonic()) {
            let owner = orphan.owner.unwrap_or_default();
            match grid.end(&orphan.id).await {
                Ok(()) => tracing::warn!(session = orphan.id, owner, "ended a session whose crawler is gone"),
                Err(error) => tracing::warn!(session = orphan.id, owner, %error, "an orphan could not be ended"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(id: &str, owner: Option<&str>) -> GridSession {
        GridSession { id: id.into(), owner: owner.map(str::to_owned) }
    }

    fn names(sessions: &[GridSession]) -> Vec<&str> {
        sessions.iter().map(|session| session.id.as_str()).collect()
    }

    #[test]
    fn a_session_is_an_orphan_when_its_owner_was_missing_for_long_and_others_never_are() {
        let all = || vec![session("1", Some("a")), session("2", Some("b")), session("3", None)];
        let members = BTreeSet::from(["b".to_owned()]);
        let mut watch = Watch::default();
        let at = Duration::from_secs;
        assert!(watch.orphans(all(), &members, at(100)).is_empty());
        assert!(watch.orphans(all(), &members, at(129)).is_empty());
        assert_eq!(names(&watch.orphans(all(), &members, at(130))), ["1"]);
    }

    #[test]
    fn a_list_that_was_emptied_for_a_moment_costs_no_session() {
        let one = || vec![session("1", Some("a"))];
        let (nobody, members) = (BTreeSet::new(), BTreeSet::from(["a".to_owned()]));
        let mut watch = Watch::default();
        let at = Duration::from_secs;
        assert!(watch.orphans(one(), &nobody, at(10)).is_empty());
        assert!(watch.orphans(one(), &members, at(20)).is_empty());
        assert!(watch.orphans(one(), &nobody, at(45)).is_empty(), "its absence begins anew");
    }
}
