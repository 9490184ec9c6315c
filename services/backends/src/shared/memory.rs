//! Caches, rates and presence within one process. The clock is given, so that a simulation holds the time.

use super::bucket::{Bucket, check};
use async_trait::async_trait;
use domain::campaign::Rate;
use domain::storage::StorageError;
use domain::storage::shared::{Cache, Permission, Presence, RateLimit};
use parking_lot::{Mutex, MutexGuard};
use platform::clock::Clock;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

/// Gone with the process. Clones share everything.
#[derive(Clone)]
pub struct SharedMemory {
    clock: Arc<dyn Clock>,
    held: Arc<Mutex<Contents>>,
}

#[derive(Default)]
struct Contents {
    values: HashMap<String, Expiring<Vec<u8>>>,
    /// How many values make it worth looking for those whose time is over.
    crowded: usize,
    buckets: HashMap<String, Bucket>,
    members: HashMap<String, BTreeMap<String, Expiring<String>>>,
}

struct Expiring<T> {
    what: T,
    until: Duration,
}

/// Fewer values than this are not worth looking through.
const FEW: usize = 1024;

impl SharedMemory {
    /// Nothing cached, every bucket empty, nobody there.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, held: Arc::default() }
    }

    /// Forgets everything, as a cache server that was emptied does.
    pub fn empty(&self) {
        *self.contents() = Contents::default();
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.held.lock()
    }

    /// The bucket of a host, filled up to now.
    fn with_bucket<T>(&self, host: &str, rate: Rate, ask: impl FnOnce(&mut Bucket) -> T) -> Result<T, StorageError> {
        check(host, rate)?;
        let now = self.clock.monotonic();
        let mut held = self.contents();
        let bucket = held.buckets.entry(host.to_owned()).or_insert_with(|| Bucket::empty(now, rate));
        bucket.gather(now, rate);
        Ok(ask(bucket))
    }
}

#[async_trait]
impl Cache for SharedMemory {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, StorageError> {
        let now = self.clock.monotonic();
        let held = self.contents();
        Ok(held.values.get(key).filter(|value| value.until > now).map(|value| value.what.clone()))
    }

    async fn put(&self, key: &str, value: &[u8], time_to_live: Duration) -> Result<(), StorageError> {
        let now = self.clock.monotonic();
        let mut held = self.contents();
        if held.values.len() >= held.crowded.max(FEW) {
            held.values.retain(|_, value| value.until > now);
            held.crowded = 2 * held.values.len();
        }
        held.values.insert(key.to_owned(), Expiring { what: value.to_vec(), until: now.saturating_add(time_to_live) });
        Ok(())
    }
}

#[async_trait]
impl RateLimit for SharedMemory {
    async fn take(&self, host: &str, rate: Rate) -> Result<Permission, StorageError> {
        self.with_bucket(host, rate, Bucket::take)
    }

    async fn wait(&self, host: &str, rate: Rate) -> Result<Duration, StorageError> {
        self.with_bucket(host, rate, |bucket| bucket.wait())
    }
}

#[async_trait]
impl Presence for SharedMemory {
    async fn announce(
        &self,
        role: &str,
        member: &str,
        about: &str,
        time_to_live: Duration,
    ) -> Result<(), StorageError> {
        let until = self.clock.monotonic().saturating_add(time_to_live);
        let mut held = self.contents();
        let members = held.members.entry(role.to_owned()).or_default();
        members.insert(member.to_owned(), Expiring { what: about.to_owned(), until });
        Ok(())
    }

    async fn leave(&self, role: &str, member: &str) -> Result<(), StorageError> {
        if let Some(members) = self.contents().members.get_mut(role) {
            members.remove(member);
        }
        Ok(())
    }

    async fn members(&self, role: &str) -> Result<Vec<(String, String)>, StorageError> {
        let now = self.clock.monotonic();
        let mut held = self.contents();
        let Some(members) = held.members.get_mut(role) else { return Ok(Vec::new()) };
        members.retain(|_, member| member.until > now);
        Ok(members.iter().map(|(name, member)| (name.clone(), member.what.clone())).collect())
    }
}
