//! A subscription that reads late, repeatedly, or out of order between keys; a dead component releases it.

use super::{Fault, Link};
use async_trait::async_trait;
use domain::storage::StorageError;
use domain::storage::log::{LogRecord, Subscription};
use parking_lot::Mutex;
use std::collections::{BTreeMap, VecDeque};
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// Holds a subscription between reads, so that it can be revoked.
#[derive(Clone)]
pub(super) struct Slot(Arc<Mutex<Option<Box<dyn Subscription>>>>);

impl Slot {
    pub(super) fn take(&self) -> Option<Box<dyn Subscription>> {
        self.0.lock().take()
    }

    fn put_back(&self, subscription: Box<dyn Subscription>) {
        *self.0.lock() = Some(subscription);
    }
}

/// Decorates a subscription.
pub(super) struct FaultySubscription {
    slot: Slot,
    link: Link,
    /// The last records: a member that lost its partitions may still process them.
    last: Vec<LogRecord>,
}

impl FaultySubscription {
    pub(super) fn new(inner: Box<dyn Subscription>, link: Link) -> Self {
        let slot = Slot(Arc::new(Mutex::new(Some(inner))));
        link.life.keep(slot.clone());
        Self { slot, link, last: Vec::new() }
    }

    async fn read(
        &self,
        inner: &mut dyn Subscription,
        limit: usize,
        wait: Duration,
    ) -> Result<Vec<LogRecord>, StorageError> {
        match self.link.schedule.strike(&self.link.who, "next") {
            Fault::None => inner.next(limit, wait).await,
            Fault::Before => {
                // An unreachable broker is not noticed at once.
                sleep(wait).await;
                Err(self.away())
            }
            Fault::After => inner.next(limit, wait).await.and_then(|_| Err(self.away())),
            Fault::Twice if !self.last.is_empty() => Ok(self.last.clone()),
            Fault::Twice => inner.next(limit, wait).await,
            Fault::Late(pause) => {
                sleep(pause).await;
                inner.next(limit, wait).await
            }
            Fault::LateAnswer(pause) => {
                let records = inner.next(limit, wait).await;
                sleep(pause).await;
                records
            }
        }
    }

    fn away(&self) -> StorageError {
        StorageError::Unavailable(format!("next: the connection of {} was lost", self.link.who))
    }

    /// Shuffles records between partitions; each partition keeps its order.
    fn mixed(&self, records: Vec<LogRecord>) -> Vec<LogRecord> {
        let mut partitions: BTreeMap<(&'static str, u32), VecDeque<LogRecord>> = BTreeMap::new();
        for record in records {
            partitions.entry((record.topic.as_str(), record.place.partition)).or_default().push_back(record);
        }
        let mut queues: Vec<VecDeque<LogRecord>> = partitions.into_values().collect();
        let mut mixed = Vec::new();
        while !queues.is_empty() {
            let next = self.link.schedule.pick(0..queues.len() as u64) as usize;
            mixed.extend(queues[next].pop_front());
            queues.retain(|queue| !queue.is_empty());
        }
        mixed
    }
}

#[async_trait]
impl Subscription for FaultySubscription {
    async fn next(&mut self, limit: usize, wait: Duration) -> Result<Vec<LogRecord>, StorageError> {
        let Some(inner) = self.slot.take() else { return pending().await };
        // Also puts it back if this call is cancelled.
        let mut lent = Lent { slot: self.slot.clone(), inner: Some(inner) };
        let life = self.link.life.clone();
        let read = async {
            let Some(inner) = lent.inner.as_deref_mut() else { return pending().await };
            let records = self.read(inner, limit, wait).await;
            self.link.travel().await;
            if self.link.schedule.is_cut_off(&self.link.who) { records.and_then(|_| Err(self.away())) } else { records }
        };
        let records = tokio::select! {
            biased;
            () = life.ended() => {
                lent.inner = None;
                pending().await
            }
            records = read => records?,
        };
        let records = if self.link.schedule.reorders() { self.mixed(records) } else { records };
        if !records.is_empty() {
            self.last.clone_from(&records);
        }
        Ok(records)
    }

    async fn rewind(&mut self) -> Result<(), StorageError> {
        let Some(inner) = self.slot.take() else { return pending().await };
        let lent = tokio::sync::Mutex::new(Lent { slot: self.slot.clone(), inner: Some(inner) });
        let rewound = self.link.call("rewind", || async {
            match lent.lock().await.inner.as_deref_mut() {
                Some(inner) => inner.rewind().await,
                None => pending().await,
            }
        });
        tokio::select! {
            biased;
            () = self.link.life.ended() => {
                lent.lock().await.inner = None;
                pending().await
            }
            answer = rewound => answer,
        }
    }
}

impl Drop for FaultySubscription {
    fn drop(&mut self) {
        // The component's life also holds the slot.
        self.slot.take();
    }
}

/// A subscription that is being read from.
struct Lent {
    slot: Slot,
    inner: Option<Box<dyn Subscription>>,
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(inner) = self.inner.take() {
            self.slot.put_back(inner);
        }
    }
}
