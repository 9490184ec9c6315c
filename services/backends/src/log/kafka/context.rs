//! Forwards the client library's log to ours at a low level: whatever matters is returned as the error of a call.

use rdkafka::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::ConsumerContext;
use rdkafka::error::KafkaError;

/// For clients that belong to no group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context;

impl ClientContext for Context {
    fn log(&self, _level: RDKafkaLogLevel, facility: &str, message: &str) {
        tracing::debug!(target: "librdkafka", facility, message);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        tracing::debug!(target: "librdkafka", %error, reason);
    }
}

impl ConsumerContext for Context {}
