//! An instance's cache of maps. A map is locked by one request at a time; an evicted map is read again.

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

/// An opportunity by version, state and action.
pub(super) type OpportunityKey = (usize, StateId, ActionKey);

/// A cached map, with opportunities believed to be claimed and until when.
#[derive(Default)]
pub(crate) struct CachedMap {
    pub(crate) site: Site,
    pub(super) busy: HashMap<OpportunityKey, SystemTime>,
}

/// A map locked by a request.
pub(crate) struct LockedMap {
    slot: OwnedMutexGuard<CachedMap>,
    name: SiteId,
    store: Arc<dyn GraphStore>,
    abstraction: Arc<dyn Abstraction>,
}

impl std::ops::Deref for LockedMap {
    type Target = CachedMap;

    fn deref(&self) -> &CachedMap {
        &self.slot
    }
}

impl std::ops::DerefMut for LockedMap {
    fn deref_mut(&mut self) -> &mut CachedMap {
        &mut self.slot
    }
}

impl LockedMap {
    /// Applies what others wrote; returns whether there was anything.
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
    slots: Cache<SiteId, Arc<Mutex<CachedMap>>>,
}

impl Maps {
    pub(super) fn new(store: Arc<dyn GraphStore>, abstraction: Arc<dyn Abstraction>, at_most: usize) -> Self {
        let slots = Cache::builder().max_capacity(at_most.max(1) as u64).eviction_policy(EvictionPolicy::lru()).build();
        Self { store, abstraction, slots }
    }

    /// Locks the map of a site.
    pub(super) async fn lock(&self, name: &SiteId) -> LockedMap {
        let slot = self.slots.get_with_by_ref(name, async { Arc::default() }).await;
        let (store, abstraction) = (self.store.clone(), self.abstraction.clone());
        LockedMap { slot: slot.lock_owned().await, name: name.clone(), store, abstraction }
    }
}
