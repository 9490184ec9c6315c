//! Subscriptions of in-process logs. They wake on an append and never poll.

use super::groups::{Groups, Member};
use async_trait::async_trait;
use domain::storage::StorageError;
use domain::storage::log::{EventLog, LogRecord, Offsets, Subscription, Topic};
use parking_lot::{Mutex, MutexGuard};
use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// State shared by the subscriptions of one log.
#[derive(Debug, Default)]
pub(super) struct LocalReaders {
    groups: Mutex<Groups>,
    heard: Mutex<WakeCounts>,
    /// Notified on every event. Wakes waiters in order of arrival, so that simulations are deterministic.
    bell: Notify,
}

/// Counters of events that a subscription may wait for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct WakeCounts {
    appends: [u64; Topic::ALL.len()],
    members: u64,
}

impl WakeCounts {
    fn of(&self, topic: Topic) -> u64 {
        self.appends[topic as usize]
    }
}

impl LocalReaders {
    /// Wakes readers of a topic after an append.
    pub(super) fn appended(&self, topic: Topic) {
        self.counts().appends[topic as usize] += 1;
        self.bell.notify_waiters();
    }

    /// Revokes all partitions.
    pub(super) fn revoke_all(&self) {
        self.groups().revoke_all();
        self.members_changed();
    }

    fn members_changed(&self) {
        self.counts().members += 1;
        self.bell.notify_waiters();
    }

    /// Waits for an event of these topics since `before`.
    async fn news(&self, topics: &[Topic], before: WakeCounts) {
        loop {
            // Registers before checking, so that no event is missed in between.
            let mut rung = pin!(self.bell.notified());
            rung.as_mut().enable();
            let now = *self.counts();
            if now.members != before.members || topics.iter().any(|topic| now.of(*topic) != before.of(*topic)) {
                return;
            }
            rung.await;
        }
    }

    fn counts(&self) -> MutexGuard<'_, WakeCounts> {
        self.heard.lock()
    }

    fn groups(&self) -> MutexGuard<'_, Groups> {
        self.groups.lock()
    }
}

/// A member of a group.
pub(super) struct LocalSubscription {
    log: Arc<dyn EventLog>,
    readers: Arc<LocalReaders>,
    group: String,
    topics: Vec<Topic>,
    member: Member,
    offsets: Arc<dyn Offsets>,
    /// The next offset of each owned partition whose stored offset is known.
    positions: BTreeMap<(Topic, u32), u64>,
}

impl LocalSubscription {
    pub(super) fn join(
        log: Arc<dyn EventLog>,
        readers: Arc<LocalReaders>,
        group: &str,
        topics: &[Topic],
        offsets: Arc<dyn Offsets>,
    ) -> Self {
        let member = readers.groups().join(group, topics);
        readers.members_changed();
        let (group, topics) = (group.to_owned(), topics.to_vec());
        Self { log, readers, group, topics, member, offsets, positions: BTreeMap::new() }
    }

    /// Releases partitions due to others, and reads the stored offsets of newly assigned ones.
    async fn rebalance(&mut self) -> Result<(), StorageError> {
        let partitions = match self.topics.first() {
            Some(topic) => self.log.partitions(*topic).await?,
            None => 0,
        };
        let (owned, let_go) = self.readers.groups().rebalance(&self.group, self.member, partitions);
        if let_go {
            self.readers.members_changed();
        }
        self.positions.retain(|place, _| owned.contains(place));
        let new: BTreeSet<(Topic, u32)> =
            owned.into_iter().filter(|place| !self.positions.contains_key(place)).collect();
        for topic in new.iter().map(|(topic, _)| *topic).collect::<BTreeSet<_>>() {
            let stored = self.offsets.offsets(&self.group, topic).await?;
            for place in new.iter().filter(|place| place.0 == topic) {
                self.positions.insert(*place, stored.get(&place.1).copied().unwrap_or(0));
            }
        }
        Ok(())
    }

    async fn read(&mut self, limit: usize) -> Result<Vec<LogRecord>, StorageError> {
        let mut records = Vec::new();
        for ((topic, partition), from) in &self.positions {
            if records.len() < limit {
                records.extend(self.log.read(*topic, *partition, *from, limit - records.len()).await?);
            }
        }
        // Last, so that a cancelled call moves no position.
        for record in &records {
            self.positions.insert((record.topic, record.place.partition), record.place.offset + 1);
        }
        Ok(records)
    }
}

#[async_trait]
impl Subscription for LocalSubscription {
    async fn next(&mut self, limit: usize, wait: Duration) -> Result<Vec<LogRecord>, StorageError> {
        let mut waited = pin!(tokio::time::sleep(wait));
        loop {
            let before = *self.readers.counts();
            self.rebalance().await?;
            let records = self.read(limit).await?;
            if !records.is_empty() {
                return Ok(records);
            }
            tokio::select! {
                biased;
                () = &mut waited => return Ok(Vec::new()),
                () = self.readers.news(&self.topics, before) => {}
            }
        }
    }

    async fn rewind(&mut self) -> Result<(), StorageError> {
        self.positions.clear();
        self.rebalance().await
    }
}

impl Drop for LocalSubscription {
    fn drop(&mut self) {
        self.readers.groups().leave(&self.group, self.member);
        self.readers.members_changed();
    }
}
