//! Creates missing topics with their settings, and checks existing ones.

use super::context::Context;
use super::{KafkaOptions, blocking};
use domain::storage::StorageError;
use domain::storage::log::Topic;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, ResourceSpecifier, TopicReplication};
use rdkafka::types::RDKafkaErrorCode;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

type Admin = Arc<AdminClient<Context>>;

/// Tries to find a topic just created, and the pause between them.
const ASKED: u32 = 50;
const PAUSE: Duration = Duration::from_millis(100);

/// Creates and checks all topics; returns the partitions of each.
pub(super) async fn prepare(options: &Arc<KafkaOptions>) -> Result<BTreeMap<Topic, u32>, StorageError> {
    let admin = options.client().create_with_context(Context);
    let admin: Admin = Arc::new(admin.map_err(|cause| options.failed("connect", &cause))?);
    let mut found = look(&admin, options).await?;
    let (there, missing): (Vec<Topic>, Vec<Topic>) = Topic::ALL.iter().partition(|topic| found.contains_key(topic));
    check(&admin, options, &there).await?;
    if missing.is_empty() {
        return Ok(found);
    }
    create(&admin, options, &missing).await?;
    for _ in 0..ASKED {
        found = look(&admin, options).await?;
        if found.len() == Topic::ALL.len() {
            return Ok(found);
        }
        tokio::time::sleep(PAUSE).await;
    }
    Err(StorageError::Unavailable(format!(
        "make topics: Kafka at {} accepted them and does not show them; ask again",
        options.brokers
    )))
}

/// The existing topics with their partitions.
async fn look(admin: &Admin, options: &Arc<KafkaOptions>) -> Result<BTreeMap<Topic, u32>, StorageError> {
    let (admin, options) = (Arc::clone(admin), Arc::clone(options));
    blocking(move || {
        let metadata = admin.inner().fetch_metadata(None, options.deadline());
        let metadata = metadata.map_err(|cause| options.failed("look for topics", &cause))?;
        let partitions = |topic: &Topic| {
            let name = options.topic(*topic);
            let found = metadata.topics().iter().find(|found| found.name() == name)?;
            let count = u32::try_from(found.partitions().len()).ok()?;
            (found.error().is_none() && count > 0).then_some((*topic, count))
        };
        Ok(Topic::ALL.iter().filter_map(partitions).collect())
    })
    .await
}

async fn create(admin: &Admin, options: &KafkaOptions, missing: &[Topic]) -> Result<(), StorageError> {
    let names: Vec<String> = missing.iter().map(|topic| options.topic(*topic)).collect();
    let retention = retention_ms(options).to_string();
    let partitions = i32::try_from(options.partitions.max(1)).unwrap_or(i32::MAX);
    let replication = i32::try_from(options.replication.max(1)).unwrap_or(i32::MAX);
    // One replica may be away, and acknowledged records survive the loss of another.
    let in_sync = replication.min(2).to_string();
    let most: Vec<String> = missing.iter().map(|topic| most(*topic).to_string()).collect();
    let topics: Vec<NewTopic<'_>> = names
        .iter()
        .zip(&most)
        .map(|(name, most)| {
            NewTopic::new(name, partitions, TopicReplication::Fixed(replication))
                .set("cleanup.policy", "delete")
                .set("retention.ms", &retention)
                .set("retention.bytes", "-1")
                .set("min.insync.replicas", &in_sync)
                .set("max.message.bytes", most)
        })
        .collect();
    let made = admin.create_topics(&topics, &within(options)).await;
    let failed = |name: &str, why: String| {
        StorageError::Unavailable(format!("make topic `{name}`: Kafka at {}: {why}", options.brokers))
    };
    for topic in made.map_err(|cause| options.failed("make topics", &cause))? {
        match topic {
            // Another process created it first.
            Ok(_) | Err((_, RDKafkaErrorCode::TopicAlreadyExists)) => {}
            Err((name, code)) => return Err(failed(&name, code.to_string())),
        }
    }
    Ok(())
}

/// Refuses topics whose retention would drop unread records.
async fn check(admin: &Admin, options: &KafkaOptions, there: &[Topic]) -> Result<(), StorageError> {
    if there.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = there.iter().map(|topic| options.topic(*topic)).collect();
    let asked: Vec<ResourceSpecifier<'_>> = names.iter().map(|name| ResourceSpecifier::Topic(name)).collect();
    let described = admin.describe_configs(&asked, &within(options)).await;
    let described = described.map_err(|cause| options.failed("look at the settings of topics", &cause))?;
    for (name, settings) in names.iter().zip(described) {
        let settings = settings.map_err(|code| {
            StorageError::Unavailable(format!("look at topic `{name}`: Kafka at {}: {code}", options.brokers))
        })?;
        let value = |key: &str| settings.get(key).and_then(|entry| entry.value.clone()).unwrap_or_default();
        if value("cleanup.policy").contains("compact") {
            return Err(StorageError::Conflict(format!(
                "topic `{name}` is compacted and would lose records; set its `cleanup.policy` to `delete`, or choose \
                 another topic prefix"
            )));
        }
        let kept: i64 = value("retention.ms").parse().unwrap_or(-1);
        let needed = retention_ms(options);
        let bytes = value("retention.bytes").parse().unwrap_or(-1i64);
        if bytes >= 0 {
            return Err(StorageError::Conflict(format!(
                "topic `{name}` drops records beyond {bytes} bytes, read or not; set its `retention.bytes` to -1"
            )));
        }
        if kept >= 0 && (needed < 0 || kept < needed) {
            return Err(StorageError::Conflict(format!(
                "topic `{name}` keeps records for {kept} ms and {needed} ms are asked for (-1 is for ever); set its \
                 `retention.ms`, or lower `retention_hours`"
            )));
        }
    }
    Ok(())
}

fn within(options: &KafkaOptions) -> AdminOptions {
    AdminOptions::new().request_timeout(Some(options.deadline())).operation_timeout(Some(options.deadline()))
}

/// Largest batch of a topic in bytes: its largest record with Kafka's framing.
pub(super) fn most(topic: Topic) -> usize {
    topic.largest() + (64 << 10)
}

/// Milliseconds; -1 is for ever.
fn retention_ms(options: &KafkaOptions) -> i64 {
    match options.retention_hours {
        0 => -1,
        hours => i64::from(hours) * 3_600_000,
    }
}
