//! What processes share and may lose at any moment: caches, rates, presence. In memory for one process, in Redis for many.

mod bucket;
mod memory;
mod redis;
pub mod suite;
#[cfg(test)]
mod tests;

pub use self::redis::{RedisOptions, RedisShared};
pub use memory::SharedMemory;

use domain::storage::shared::{Cache, Presence, RateLimit};
use std::sync::Arc;

/// The three seams of one column.
#[derive(Clone)]
pub struct Shared {
    /// Values that can be made again.
    pub cache: Arc<dyn Cache>,
    /// How fast hosts are visited.
    pub rates: Arc<dyn RateLimit>,
    /// Who is alive.
    pub presence: Arc<dyn Presence>,
}

impl Shared {
    /// One thing that is all three.
    pub fn of<S: Cache + RateLimit + Presence + 'static>(shared: S) -> Self {
        let shared = Arc::new(shared);
        Self { cache: Arc::clone(&shared) as _, rates: Arc::clone(&shared) as _, presence: shared }
    }
}
