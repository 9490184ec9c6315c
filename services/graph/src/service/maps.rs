//! The maps that an instance has in memory. Each is held by one request at a time; what is forgotten is read again.

use crate::abstraction::Abstraction;
use crate::error::Error;
use crate::site::Site;
use domain::state::ActionKey;
use domain::storage::graph::GraphStore;
use domain::{SiteId, StateId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
use tokio::sync::OwnedMutexGuard;

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

/// A map by itself, and when it was last asked for.
type Kept = (Arc<tokio::sync::Mutex<Slot>>, u64);

/// The maps in memory.
pub(super) struct Maps {
    store: Arc<dyn GraphStore>,
    abstraction: Arc<dyn Abstraction>,
    at_most: usize,
    kept: Mutex<(u64, HashMap<SiteId, Kept>)>,
}

impl Maps {
    pub(super) fn new(store: Arc<dyn GraphStore>, abstraction: Arc<dyn Abstraction>, at_most: usize) -> Self {
        Self { store, abstraction, at_most: at_most.max(1), kept: Mutex::default() }
    }

    /// Holds the map of a site.
    pub(super) async fn hold(&self, name: &SiteId) -> Held {
        let slot = self.slot(name).lock_owned().await;
        let (store, abstraction) = (self.store.clone(), self.abstraction.clone());
        Held { slot, name: name.clone(), store, abstraction }
    }

    fn slot(&self, name: &SiteId) -> Arc<tokio::sync::Mutex<Slot>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (asked, maps) = &mut *kept;
        *asked += 1;
        if !maps.contains_key(name) && maps.len() >= self.at_most {
            let oldest = maps.iter().min_by_key(|(_, (_, asked))| *asked).map(|(name, _)| name.clone());
            oldest.and_then(|oldest| maps.remove(&oldest));
        }
        let (slot, last) = maps.entry(name.clone()).or_default();
        *last = *asked;
        slot.clone()
    }
}
