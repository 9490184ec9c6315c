//! Subscriptions of the logs that live within one process: they wake on an append, and never look again without a cause.

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

/// What the subscriptions of one log share.
#[derive(Debug, Default)]
pub(super) struct Readers {
    groups: Mutex<Groups>,
    heard: Mutex<Heard>,
    /// Rings whenever something was heard. It wakes those who wait in the order in which they came, so that a simulation
    /// goes the same way every time.
    bell: Notify,
}

/// How often something happened that a subscription may wait for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Heard {
    appends: [u64; Topic::ALL.len()],
    members: u64,
}

impl Heard {
    fn of(&self, topic: Topic) -> u64 {
        self.appends[topic as usize]
    }
}

impl Readers {
    /// Wakes whoever reads a topic: something was appended.
    pub(super) fn appended(&self, topic: Topic) {
        self.heard().appends[topic as usize] += 1;
        self.bell.notify_waiters();
    }

    /// Takes all partitions from their owners.
    pub(super) fn upset(&self) {
        self.groups().upset();
        self.members_changed();
    }

    fn members_changed(&self) {
        self.heard().members += 1;
        self.bell.notify_waiters();
    }

    /// Waits for something of these topics that was not heard before.
    async fn news(&self, topics: &[Topic], before: Heard) {
        loop {
            // It listens before it looks, so that nothing goes by in between.
            let mut rung = pin!(self.bell.notified());
            rung.as_mut().enable();
            let now = *self.heard();
            if now.members != before.members || topics.iter().any(|topic| now.of(*topic) != before.of(*topic)) {
                return;
            }
            rung.await;
        }
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock()
    }

    fn groups(&self) -> MutexGuard<'_, Groups> {
        self.groups.lock()
    }
}

/// A member of a group.
pub(super) struct LocalSubscription {
    log: Arc<dyn EventLog>,
    readers: Arc<Readers>,
    group: String,
    topics: Vec<Topic>,
    member: Member,
    offsets: Arc<dyn Offsets>,
    /// The next offset of each partition that it owns and knows the stored offset of.
    positions: BTreeMap<(Topic, u32), u64>,
}

impl LocalSubscription {
    pub(super) fn join(
        log: Arc<dyn EventLog>,
        readers: Arc<Readers>,
        group: &str,
        topics: &[Topic],
        offsets: Arc<dyn Offsets>,
    ) -> Self {
        let member = readers.groups().join(group, topics);
        readers.members_changed();
        let (group, topics) = (group.to_owned(), topics.to_vec());
        Self { log, readers, group, topics, member, offsets, positions: BTreeMap::new() }
    }

    /// Lets go of what others are to have, and looks up where to begin in what came to it.
    async fn settle(&mut self) -> Result<(), StorageError> {
        let partitions = match self.topics.first() {
            Some(topic) => self.log.partitions(*topic).await?,
            None => 0,
        };
        let (owned, let_go) = self.readers.groups().settle(&self.group, self.member, partitions);
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
        // Only now, so that a call that is given up has moved nothing.
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
            let before = *self.readers.heard();
            self.settle().await?;
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
        self.settle().await
    }
}

impl Drop for LocalSubscription {
    fn drop(&mut self) {
        self.readers.groups().leave(&self.group, self.member);
        self.readers.members_changed();
    }
}
