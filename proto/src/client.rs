//! Services of other processes: callers hold an `Arc<dyn …>` and see nothing of the connection behind it.
//!
//! Every call has a deadline. A connection is made when it is needed and made again when it broke; nothing is tried again
//! here, with two exceptions that callers need not know: a planner that wants an episode's memory once more, and a pool of
//! planners of which one is away.

mod aggregator;
mod campaigns;
mod conversation;
mod encoded;
mod graph;
mod planner;

use crate::server::COMPRESSED_FROM;
use crate::status;
use domain::service::{AggregatorService, CampaignService, Code, GraphService, PlannerService, ServiceError};
use platform::rpc::Connection;
use prost::Message;
use std::sync::Arc;
use std::time::Duration;
use tonic::{Request, Status};

/// The deadline of questions and small changes.
const QUESTION: Duration = Duration::from_secs(15);

/// The deadline of what may move many rows.
const LARGE: Duration = Duration::from_secs(120);

/// The queue behind a connection.
pub fn campaigns(connection: &Connection) -> Arc<dyn CampaignService> {
    Arc::new(campaigns::Remote { caller: Caller(connection.clone()) })
}

/// The planners behind connections, each of which can answer any request. They are asked in turn; one that is away is
/// passed over. `deadline` is that of one decision: a model may take its time.
pub fn planner(connections: &[Connection], deadline: Duration) -> Arc<dyn PlannerService> {
    Arc::new(planner::Remote::new(connections.iter().cloned().map(Caller).collect(), deadline))
}

/// The ledger behind a connection.
pub fn aggregator(connection: &Connection) -> Arc<dyn AggregatorService> {
    Arc::new(aggregator::Remote { caller: Caller(connection.clone()) })
}

/// The map behind a connection.
pub fn graph(connection: &Connection) -> Arc<dyn GraphService> {
    Arc::new(graph::Remote { caller: Caller(connection.clone()) })
}

/// What every call has in common.
#[derive(Clone)]
struct Caller(Connection);

/// The generated client over a connection, which compresses or does not.
macro_rules! client {
    ($client:ident, $caller:expr, $compressed:expr) => {{
        let client = crate::client::plain!($client, $caller).accept_compressed(tonic::codec::CompressionEncoding::Zstd);
        if $compressed { client.send_compressed(tonic::codec::CompressionEncoding::Zstd) } else { client }
    }};
}
use client;

/// The same for a call with many answers. None is compressed: a server that may compress them would compress each, however
/// small, which takes longer than to answer.
macro_rules! plain {
    ($client:ident, $caller:expr) => {{
        let limit = $caller.0.max_message_bytes;
        $client::new($caller.0.transport.clone()).max_decoding_message_size(limit).max_encoding_message_size(limit)
    }};
}
use plain;

impl Caller {
    /// A request with its deadline, and whether it is to be compressed.
    fn request<M: Message>(
        &self,
        doing: &str,
        message: M,
        deadline: Duration,
    ) -> Result<(Request<M>, bool), ServiceError> {
        let size = message.encoded_len();
        self.sized(doing, message, size, deadline)
    }

    /// The same for a message of which the size is known.
    fn sized<M>(
        &self,
        doing: &str,
        message: M,
        size: usize,
        deadline: Duration,
    ) -> Result<(Request<M>, bool), ServiceError> {
        let limit = self.0.max_message_bytes;
        if size > limit {
            let cause = format!(
                "{doing}: the request has {size} bytes, the limit is {limit}; send it in parts, or raise `max_message_bytes`"
            );
            return Err(ServiceError::new(Code::TooLarge, cause));
        }
        let mut request = Request::new(message);
        request.set_timeout(deadline);
        Ok((request, size >= COMPRESSED_FROM))
    }

    fn failed(&self, doing: &str, status: &Status) -> ServiceError {
        status::failure(doing, &self.0.endpoint, status)
    }

    /// The error of an answer that cannot be read.
    fn unreadable(&self, doing: &str, error: &crate::Error) -> ServiceError {
        ServiceError::new(Code::Internal, format!("{doing} at {}: {error}", self.0.endpoint))
    }
}
