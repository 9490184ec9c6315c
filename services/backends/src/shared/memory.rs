//! Caches, rates, presence and quotas within one process. The clock is given, so that a simulation holds the time.

use super::AGAIN;
use super::bucket::{Bucket, check, check_amount};
use async_trait::async_trait;
use domain::campaign::Rate;
use domain::storage::StorageError;
use domain::storage::shared::{Cache, PLACE, Permission, Presence, Quotas, RateLimit};
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
    quotas: HashMap<String, Bucket>,
    /// Until when each holder has its place.
    places: HashMap<String, BTreeMap<String, Duration>>,
    /// Until when nobody enters, since who is inside was forgotten.
    closed: Duration,
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
        let closed = self.clock.monotonic() + PLACE;
        *self.contents() = Contents { closed, ..Contents::default() };
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

#[async_trait]
impl Quotas for SharedMemory {
    async fn draw(&self, key: &str, amount: u32, rate: Rate) -> Result<Permission, StorageError> {
        check_amount(key, amount, rate)?;
        let now = self.clock.monotonic();
        let mut held = self.contents();
        let bucket = held.quotas.entry(key.to_owned()).or_insert_with(|| Bucket::empty(now, rate));
        bucket.gather(now, rate);
        Ok(bucket.draw(amount))
    }

    async fn settle(&self, key: &str, drawn: u32, needed: u32, rate: Rate) -> Result<(), StorageError> {
        check(key, rate)?;
        let now = self.clock.monotonic();
        // What was drawn of a bucket that was forgotten does not come back.
        if let Some(bucket) = self.contents().quotas.get_mut(key) {
            bucket.gather(now, rate);
            bucket.settle(drawn, needed, rate);
        }
        Ok(())
    }

    async fn enter(&self, key: &str, places: u32, holder: &str) -> Result<Permission, StorageError> {
        let now = self.clock.monotonic();
        let mut held = self.contents();
        let closed = held.closed;
        let inside = held.places.entry(key.to_owned()).or_default();
        inside.retain(|_, until| *until > now);
        if inside.contains_key(holder) || (closed <= now && inside.len() < places as usize) {
            inside.insert(holder.to_owned(), now + PLACE);
            return Ok(Permission::Now);
        }
        Ok(Permission::After(closed.saturating_sub(now).max(AGAIN)))
    }

    async fn stay(&self, key: &str, holder: &str) -> Result<(), StorageError> {
        let now = self.clock.monotonic();
        let mut held = self.contents();
        let is_closed = held.closed > now;
        let inside = held.places.entry(key.to_owned()).or_default();
        inside.retain(|_, until| *until > now);
        if is_closed || inside.contains_key(holder) {
            inside.insert(holder.to_owned(), now + PLACE);
        }
        Ok(())
    }

    async fn leave(&self, key: &str, holder: &str) -> Result<(), StorageError> {
        if let Some(inside) = self.contents().places.get_mut(key) {
            inside.remove(holder);
        }
        Ok(())
    }
}
