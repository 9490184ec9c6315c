//! The maps that an instance has in memory. Each is held by one request at a time; what is forgotten is read again.

use crate::abstraction::Abstraction;
use crate::error::Error;
use crate::site::Site;
use domain::state::ActionKey;
use domain::storage::graph::GraphStore;
use domain::{SiteId, StateId};
use moka::future::Cache;
use moka::policy::EvictionPolicy;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::SystemTime;
use tokio::sync::{Mutex, OwnedMutexGuard};

/// An opportunity by its version, state and name.
pub(super) type Place = (usize, StateId, ActionKey);

/// A map, and which opportunities somebody is believed to be at, until when.
#[derive(Default)]
pub(crate) struct Slot {
    pub(crate) site: Site,
    pub(super) busy: HashMap<Place, SystemTime>,
}

/// A map that a request holds.
pub(crate) struct Held {
    slot: OwnedMutexGuard<Slot>,
    name: SiteId,
    store: Arc<dyn GraphStore>,
    abstraction: Arc<dyn Abstraction>,
}

impl std::ops::Deref for Held {
    type Target = Slot;

    fn deref(&self) -> &Slot {
        &self.slot
    }
}

impl std::ops::DerefMut for Held {
    fn deref_mut(&mut self) -> &mut Slot {
        &mut self.slot
    }
}

impl Held {
    /// Takes over what others wrote; says whether that was anything.
    pub(super) async fn refresh(&mut self) -> Result<bool, Error> {
        let changed = self.store.since(&self.name, self.slot.site.change).await?;
        let is_news = changed.change > self.slot.site.change;
        if is_news {
            self.slot.site.apply(changed, self.abstraction.as_ref())?;
        }
        Ok(is_news)
    }
}

/// The maps in memory.
pub(super) struct Maps {
    store: Arc<dyn GraphStore>,
    abstraction: Arc<dyn Abstraction>,
    /// The least recently used map goes first.
    slots: Cache<SiteId, Arc<Mutex<Slot>>>,
}

impl Maps {
    pub(super) fn new(store: Arc<dyn GraphStore>, abstraction: Arc<dyn Abstraction>, at_most: usize) -> Self {
        let slots = Cache::builder().max_capacity(at_most.max(1) as u64).eviction_policy(EvictionPolicy::lru()).build();
        Self { store, abstraction, slots }
    }

    /// Holds the map of a site.
    pub(super) async fn hold(&self, name: &SiteId) -> Held {
        let slot = self.slots.get_with_by_ref(name, async { Arc::default() }).await;
        let (store, abstraction) = (self.store.clone(), self.abstraction.clone());
        Held { slot: slot.lock_owned().await, name: name.clone(), store, abstraction }
    }
}
