//! What all requests share.

use super::session::Sessions;
use crate::harbour::counters::Counters;
use crate::harbour::truth::Truth;
use parking_lot::{Mutex, MutexGuard};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Where the site's origins are.
#[derive(Clone, Debug)]
pub(in super::super) struct Origins {
    /// The shop's other origin.
    pub(in super::super) widgets: String,
    /// The one that nobody should ask.
    pub(in super::super) offsite: String,
}

/// The site while it runs.
pub(in super::super) struct World {
    pub(in super::super) truth: Truth,
    pub(in super::super) origins: Origins,
    pub(in super::super) seed: u64,
    /// How long every document takes.
    pub(in super::super) delay: Duration,
    sessions: Mutex<Sessions>,
    counters: Mutex<Counters>,
    visits: AtomicU64,
}

impl World {
    pub(in super::super) fn new(truth: Truth, origins: Origins, seed: u64, delay: Duration) -> World {
        let (sessions, counters, visits) = Default::default();
        World { truth, origins, seed, delay, sessions, counters, visits }
    }

    pub(super) fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock()
    }

    pub(in super::super) fn counters(&self) -> MutexGuard<'_, Counters> {
        self.counters.lock()
    }

    /// Another number each time, the same ones for the same seed.
    pub(in super::super) fn noise(&self) -> u64 {
        let visit = self.visits.fetch_add(1, Ordering::Relaxed);
        let hash = blake3::hash(format!("{} {visit}", self.seed).as_bytes());
        hash.as_bytes().iter().take(6).fold(0, |number, byte| number << 8 | u64::from(*byte))
    }
}
