//! State that processes share and may lose at any moment: caches, rate limits, presence, quotas. In memory for one process,
//! in Redis for many.

mod bucket;
mod memory;
mod redis;
pub mod suite;
#[cfg(test)]
mod tests;

pub use self::redis::{RedisOptions, RedisShared};
pub use memory::SharedMemory;

use domain::storage::shared::{Cache, Presence, Quotas, RateLimit};
use std::sync::Arc;
use std::time::Duration;

/// When who found no place asks again.
const AGAIN: Duration = Duration::from_millis(50);

/// The services of one column.
#[derive(Clone)]
pub struct SharedServices {
    /// Caches recomputable values.
    pub cache: Arc<dyn Cache>,
    /// Limits the visits of hosts.
    pub rates: Arc<dyn RateLimit>,
    /// Lists live members.
    pub presence: Arc<dyn Presence>,
    /// Limits what is asked of models.
    pub quotas: Arc<dyn Quotas>,
}

impl SharedServices {
    /// Uses one implementation for all of them.
    pub fn of<S: Cache + RateLimit + Presence + Quotas + 'static>(shared: S) -> Self {
        let shared = Arc::new(shared);
        Self {
            cache: Arc::clone(&shared) as _,
            rates: Arc::clone(&shared) as _,
            presence: Arc::clone(&shared) as _,
            quotas: shared,
        }
    }
}
