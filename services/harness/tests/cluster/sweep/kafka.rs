//! Everything that stands in topics: keys, contents, headers.

use super::Exhibit;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::message::{Header, Headers, Message, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(20);

/// Every record of the topics whose names begin so.
pub(crate) async fn exhibits(brokers: &str, prefix: &str) -> Vec<Exhibit> {
    let (brokers, prefix) = (brokers.to_owned(), prefix.to_owned());
    tokio::task::spawn_blocking(move || read(&brokers, &prefix)).await.expect("no panic")
}

fn read(brokers: &str, prefix: &str) -> Vec<Exhibit> {
    let consumer: BaseConsumer = ClientConfig::new()
        .set("bootstrap.servers", brokers)
        .set("group.id", "sweep")
        .set("enable.auto.commit", "false")
        .create()
        .expect("a client");
    let metadata = consumer.fetch_metadata(None, PATIENCE).expect("the broker's topics");
    let mut exhibits = Vec::new();
    for topic in metadata.topics().iter().filter(|topic| topic.name().starts_with(prefix)) {
        for partition in topic.partitions() {
            let place = format!("topic {} {}", topic.name(), partition.id());
            let (first, end) = consumer.fetch_watermarks(topic.name(), partition.id(), PATIENCE).expect("offsets");
            let mut assignment = TopicPartitionList::new();
            assignment.add_partition_offset(topic.name(), partition.id(), Offset::Offset(first)).expect("an offset");
            consumer.assign(&assignment).expect("assigned");
            let mut next = first;
            while next < end {
                let record = consumer.poll(PATIENCE).expect("a record in time").expect("a record");
                next = record.offset() + 1;
                let place = format!("{place} at {}", record.offset());
                exhibits.push(Exhibit::new(format!("{place}, key"), record.key().unwrap_or_default()));
                exhibits.push(Exhibit::new(place.clone(), record.payload().unwrap_or_default()));
                for header in record.headers().into_iter().flat_map(Headers::iter) {
                    exhibits.push(Exhibit::new(format!("{place}, header, {}", header.key), header.key));
                    exhibits.push(Exhibit::new(
                        format!("{place}, header {}", header.key),
                        header.value.unwrap_or_default(),
                    ));
                }
            }
        }
    }
    exhibits
}

/// Puts a record with a header into a topic.
pub(crate) async fn plant(brokers: &str, topic: &str, content: &[u8], header: &[u8]) {
    let producer: BaseProducer = ClientConfig::new().set("bootstrap.servers", brokers).create().expect("a client");
    let headers = OwnedHeaders::new().insert(Header { key: "planted", value: Some(header) });
    let record = BaseRecord::<str, [u8]>::to(topic).key("planted").payload(content).headers(headers);
    producer.send(record).map_err(|(error, _)| error).expect("queued");
    tokio::task::spawn_blocking(move || producer.flush(PATIENCE).expect("appended")).await.expect("no panic");
}
