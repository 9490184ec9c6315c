//! Where rooms meet: planners, pages and assignments, made from settings.

mod assignments;
mod capacity;
mod pace;
mod pages;
mod planner;
mod presence;
mod readiness;
mod reaper;
pub(crate) mod retention;
mod secrets;

pub(crate) use assignments::{Assignments, benchmark};
pub use assignments::{EXPLORATION_LIMITS, GOLD, check_of, environment, guards_of, resolved};
pub(crate) use capacity::tell_capacity;
pub use pages::{JobProfile, Pages, options as browser_options, scope_of};
pub use planner::label as planner_label;
pub(crate) use planner::planners;
pub(crate) use presence::stay_present;
pub(crate) use readiness::{tell_planners, telling};
pub(crate) use reaper::reap;
pub use secrets::{NamedSecrets, missing_secrets, short_secrets};

use crate::run::WhichPictures;
use ::planner::model::Together;
use backends::shared::{SharedMemory, SharedServices};
use crawler::Screenshots;
use platform::clock::{Clock, SystemClock};
use std::sync::Arc;

/// The clock of the process.
pub fn clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock::default())
}

/// What is counted and kept for models by this process alone.
pub fn own_together() -> Together {
    together(&SharedServices::of(SharedMemory::new(clock())))
}

/// What processes that share these services count and keep for models together.
pub(crate) fn together(shared: &SharedServices) -> Together {
    Together { quotas: Arc::clone(&shared.quotas), cache: Arc::clone(&shared.cache) }
}

/// Which pictures the crawler keeps.
pub(crate) fn screenshots(which: WhichPictures) -> Screenshots {
    match which {
        WhichPictures::None => Screenshots::None,
        WhichPictures::Failures => Screenshots::Failures,
        WhichPictures::All => Screenshots::All,
    }
}
