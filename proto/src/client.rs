//! Services of other processes: callers hold an `Arc<dyn …>` and see nothing of the connection behind it.
//!
//! Every question has a deadline; calls that watch something have none. A connection is made when it is needed and made
//! again when it broke. Nothing is asked again here, but that a planner which does not answer is passed over for the next:
//! when to ask them all again is for the caller to say, who knows how much time is left.

mod aggregator;
mod campaigns;
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

pub use planner::Deadlines;
#[cfg(test)]
pub(crate) use planner::UNSENT;

/// The deadline of questions and small changes.
const QUESTION: Duration = Duration::from_secs(15);

/// The deadline of what may move many rows.
const LARGE: Duration = Duration::from_secs(120);

/// The queue behind a connection.
pub fn campaigns(connection: &Connection) -> Arc<dyn CampaignService> {
    Arc::new(campaigns::Remote { caller: Caller(connection.clone()) })
}

/// The planners behind connections, each of which can answer any request. They are asked in turn; one that does not answer
/// is passed over. `deadline` is that of one try.
pub fn planner(connections: &[Connection], deadline: Duration) -> Arc<dyn PlannerService> {
    planner_within(connections, Arc::new(move |_| deadline))
}

/// The same with a deadline for each kind of planner: one that asks a model may take its time, another one that does is stuck.
pub fn planner_within(connections: &[Connection], deadlines: Deadlines) -> Arc<dyn PlannerService> {
    Arc::new(planner::Remote::new(connections, deadlines))
}

/// The planner of somebody else behind a connection: nothing that is sent to it is compressed, since its library may not know
/// zstd.
pub fn foreign_planner(connection: &Connection, deadline: Duration) -> Arc<dyn PlannerService> {
    let deadlines: Deadlines = Arc::new(move |_| deadline);
    Arc::new(planner::Remote::new(std::slice::from_ref(connection), deadlines).uncompressed())
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
        self.request_compressed_from(COMPRESSED_FROM, doing, message, deadline)
    }

    /// The same with a size of its own from which on it is compressed.
    fn request_compressed_from<M: Message>(
        &self,
        compressed_from: usize,
        doing: &str,
        message: M,
        deadline: Duration,
    ) -> Result<(Request<M>, bool), ServiceError> {
        let size = message.encoded_len();
        let limit = self.0.max_message_bytes;
        if size > limit {
            let cause = format!(
                "{doing}: the request has {size} bytes, the limit is {limit}; send it in parts, or raise `max_message_bytes`"
            );
            return Err(ServiceError::new(Code::TooLarge, cause));
        }
        let mut request = Request::new(message);
        request.set_timeout(deadline);
        Ok((request, size >= compressed_from))
    }

    fn failed(&self, doing: &str, status: &Status) -> ServiceError {
        status::failure(doing, &self.0.endpoint, status)
    }

    /// The error of an answer that cannot be read.
    fn unreadable(&self, doing: &str, error: &crate::Error) -> ServiceError {
        ServiceError::new(Code::Internal, format!("{doing} at {}: {error}", self.0.endpoint))
    }
}
