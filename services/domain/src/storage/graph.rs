//! The durable maps of sites.

use super::StorageError;
use crate::id::{SiteId, StateId};
use crate::state::{ActionKey, FrontierTicket, Opportunity, Progress, State, Transition, Version};
use async_trait::async_trait;
use std::time::{Duration, SystemTime};

/// The tables of the map. They know no abstraction: the caller decides which state a page is in, based on what
/// [`since`](GraphStore::since) returned.
///
/// Contract:
/// - The changes of a site are numbered. [`merge`](GraphStore::merge) writes all or nothing, and only when the caller knows
///   every change of the site: two processes never make two states of one.
/// - What was written under a session's number is not written again under that number or a lower one.
/// - A map keeps the name of the abstraction that its first change was made with.
/// - A claim gives the opportunity's next fence and a lease. An opportunity is claimable when it is open, or claimed under
///   a lease that ran out. Only the holder of the last fence can settle it, once.
#[async_trait]
pub trait GraphStore: Send + Sync {
    /// What changed of a site after a change, oldest first; everything after 0.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn since(&self, site: &SiteId, change: u64) -> Result<SiteDelta, StorageError>;

    /// Writes changes, and answers the number of the last change then.
    ///
    /// # Errors
    /// [`StorageError`]; nothing was written then.
    async fn merge(&self, version: &Version, changes: &Changes, now: SystemTime) -> Result<Merged, StorageError>;

    /// Claims those of the wanted opportunities that are claimable.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn claim(
        &self,
        version: &Version,
        wanted: &[(StateId, ActionKey)],
        crawler: &str,
        now: SystemTime,
        lease: Duration,
    ) -> Result<Vec<FrontierTicket>, StorageError>;

    /// Renews leases; returns the tickets that hold no more.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn renew(
        &self,
        tickets: &[FrontierTicket],
        now: SystemTime,
        lease: Duration,
    ) -> Result<Vec<FrontierTicket>, StorageError>;

    /// Gives claims back; tickets that hold no more are passed over.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn release(&self, tickets: &[FrontierTicket]) -> Result<(), StorageError>;

    /// How many opportunities of a site somebody has a lease on that has not run out.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn claimed(&self, site: &SiteId, now: SystemTime) -> Result<u64, StorageError>;

    /// The versions of a site, oldest first.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn versions(&self, site: &SiteId) -> Result<Vec<Version>, StorageError>;

    /// The sites that have a map, in order of their names.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn sites(&self) -> Result<Vec<SiteId>, StorageError>;
}

/// Changes to write, for one or more observations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// The last change of the site that the caller knows.
    pub known: u64,
    /// Name of the state abstraction.
    pub abstraction: String,
    /// States that nobody has seen before.
    pub states: Vec<State>,
    /// States that were seen, as they were in this version, with how often.
    pub sightings: Vec<Sighting>,
    /// Transitions, with what is to be added to their statistics.
    pub transitions: Vec<Transition>,
    /// Opportunities that nobody has seen before.
    pub opportunities: Vec<Opportunity>,
    /// What was learnt of the site, encoded by the room `graph`, when it is more than before.
    pub learnt: Option<Vec<u8>>,
    /// The session and number of the observation, and the state that it shows.
    pub session: Option<(String, u64, StateId)>,
    /// The claim that is settled by this.
    pub ticket: Option<FrontierTicket>,
}

/// A state as a version saw it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sighting {
    /// The state.
    pub state: StateId,
    /// The title it had.
    pub title: String,
    /// Its forms.
    pub forms: Vec<crate::state::Form>,
    /// How often it was seen.
    pub visits: u64,
}

/// The result of writing changes.
#[derive(Clone, Debug, PartialEq)]
pub enum Merged {
    /// They are written.
    Done {
        /// The number of the last change.
        change: u64,
        /// Whether the claim still held, and is settled now; true without one.
        ticket_held: bool,
    },
    /// Somebody else changed the site since: nothing was written.
    Behind,
    /// An observation of this session with this number or a higher one was written before: nothing was written.
    Repeated {
        /// The state of the session's last observation.
        state: StateId,
    },
}

/// The changes of a site since a known one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteDelta {
    /// The number of the last change.
    pub change: u64,
    /// Name of the abstraction that the map was made with; empty for a site without a map.
    pub abstraction: String,
    /// New states.
    pub states: Vec<State>,
    /// Sightings with their totals, each with its version's place in [`GraphStore::versions`].
    pub sightings: Vec<(usize, Sighting)>,
    /// Transitions with their totals, each with its version's place in [`GraphStore::versions`].
    pub transitions: Vec<(usize, Transition)>,
    /// New opportunities and those that were settled, each with its version's place in [`GraphStore::versions`].
    pub opportunities: Vec<(usize, Opportunity, Progress)>,
    /// What was learnt of the site; none when nothing new.
    pub learnt: Option<Vec<u8>>,
    /// All versions of the site.
    pub versions: Vec<Version>,
}
