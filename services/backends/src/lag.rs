//! Measures a consumer group's lag: the age of its oldest unprocessed record.

use domain::storage::StorageError;
use domain::storage::log::{EventLog, Offsets, Topic};
use platform::clock::Clock;
use platform::metrics::{Gauge, Metric, Metrics, Unit};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The metric.
pub const LAG: Metric = Metric {
    name: "rutter_consumer_lag",
    unit: Unit::Seconds,
    help: "Age of the oldest record of a topic that a group of consumers has not worked with, 0 where there is none",
    labels: &["group", "topic"],
};

/// Measures how far a group is behind in some topics.
pub struct Lag {
    /// The log.
    pub log: Arc<dyn EventLog>,
    /// The group's offsets.
    pub offsets: Arc<dyn Offsets>,
    /// The group.
    pub group: &'static str,
    /// What it reads.
    pub topics: &'static [Topic],
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
}

impl Lag {
    /// Sets the figures.
    ///
    /// # Errors
    /// Of the log, or of where the offsets are. What could be measured is set.
    pub async fn measure(&self, metrics: &Metrics) -> Result<(), StorageError> {
        let gauge: Gauge = metrics.gauge(&LAG);
        for topic in self.topics {
            let age = age(self.log.as_ref(), self.offsets.as_ref(), self.group, *topic, self.clock.wall()).await?;
            gauge.set(&[self.group, topic.as_str()], age.as_secs_f64());
        }
        Ok(())
    }
}

async fn age(
    log: &dyn EventLog,
    offsets: &dyn Offsets,
    group: &str,
    topic: Topic,
    now: SystemTime,
) -> Result<Duration, StorageError> {
    let stored = offsets.offsets(group, topic).await?;
    let mut oldest = Duration::ZERO;
    for partition in 0..log.partitions(topic).await? {
        let next = stored.get(&partition).copied().unwrap_or_default();
        let waiting = log.read(topic, partition, next, 1).await?;
        // An unreadable record has no time; it is quarantined soon.
        let time = waiting.first().and_then(|record| proto::decode(&record.record).ok()).map(|envelope| envelope.time);
        oldest = oldest.max(time.and_then(|time| now.duration_since(time).ok()).unwrap_or_default());
    }
    Ok(oldest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Journal;
    use crate::log::MemoryLog;
    use async_trait::async_trait;
    use domain::campaign::Closing;
    use domain::{CampaignId, JobId, SiteId};
    use parking_lot::Mutex;
    use std::collections::BTreeMap;

    struct At(Mutex<SystemTime>);

    impl Clock for At {
        fn monotonic(&self) -> Duration {
            Duration::ZERO
        }

        fn wall(&self) -> SystemTime {
            *self.0.lock()
        }
    }

    #[derive(Default)]
    struct Stored(Mutex<BTreeMap<u32, u64>>);

    #[async_trait]
    impl Offsets for Stored {
        async fn offsets(&self, _: &str, _: Topic) -> Result<BTreeMap<u32, u64>, StorageError> {
            Ok(self.0.lock().clone())
        }
    }

    #[tokio::test]
    async fn a_group_is_as_far_behind_as_its_oldest_record_that_waits_is_old() {
        let log: Arc<dyn EventLog> = Arc::new(MemoryLog::new(1));
        let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000);
        let (clock, stored) = (Arc::new(At(Mutex::new(start))), Arc::new(Stored::default()));
        let (topics, offsets) = (&[Topic::Outcomes][..], stored.clone());
        let lag = Lag { log: log.clone(), offsets, group: "ledger", topics, clock: clock.clone() };
        let journal = Journal::new(log, clock.clone());
        let metrics = Metrics::default();
        let behind = async || {
            lag.measure(&metrics).await.unwrap();
            let text = metrics.render();
            let line = text.lines().find(|line| line.starts_with("rutter_consumer_lag_seconds{")).unwrap().to_owned();
            line.rsplit_once(' ').unwrap().1.parse::<f64>().unwrap()
        };
        let closing =
            |job| Closing::Cancelled { campaign: CampaignId::new("c"), job: JobId::new(job), site: SiteId::new("s") };
        assert_eq!(behind().await, 0.0);
        journal.close(closing("a")).await.unwrap();
        *clock.0.lock() = start + Duration::from_secs(60);
        journal.close(closing("b")).await.unwrap();
        *clock.0.lock() = start + Duration::from_secs(90);
        assert_eq!(behind().await, 90.0);
        stored.0.lock().insert(0, 1);
        assert_eq!(behind().await, 30.0);
        stored.0.lock().insert(0, 2);
        assert_eq!(behind().await, 0.0);
    }
}
