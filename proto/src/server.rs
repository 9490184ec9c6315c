//! Services as gRPC: what stands behind an `Arc<dyn …>` answers calls from other processes.

mod aggregator;
mod campaigns;
mod graph;
mod planner;

use crate::status::refuse;
use domain::service::{AggregatorService, CampaignService, Code, GraphService, PlannerService, ServiceError};
use platform::rpc::Routes;
use prost::Message;
use std::sync::Arc;
use tonic::codec::CompressionEncoding;
use tonic::{Response, Status};

/// The descriptors of everything in `v1`, for reflection.
const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));

/// Messages from this size in bytes on are compressed, those to planners aside. Below, it costs more than it saves.
pub(crate) const COMPRESSED_FROM: usize = 256 * 1024;

/// The services of one process, to be handed to [`platform::rpc::Server::serve`].
#[derive(Clone, Debug)]
pub struct Services {
    routes: Routes,
    limit: usize,
}

/// Sets what is the same for every generated service.
macro_rules! limited {
    ($server:expr, $limit:expr) => {
        $server
            .accept_compressed(CompressionEncoding::Zstd)
            .send_compressed(CompressionEncoding::Zstd)
            .max_decoding_message_size($limit)
            .max_encoding_message_size($limit)
    };
}

impl Services {
    /// No service yet; messages beyond `limit` bytes, uncompressed, are refused.
    pub fn new(limit: usize) -> Self {
        Self { routes: Routes::default(), limit }
    }

    /// Serves the queue.
    #[must_use]
    pub fn campaigns(self, service: Arc<dyn CampaignService>) -> Self {
        let adapter = campaigns::Adapter { service, limit: self.limit };
        let server = crate::v1::campaign_service_server::CampaignServiceServer::new(adapter);
        Self { routes: self.routes.add_service(limited!(server, self.limit)), ..self }
    }

    /// Serves planners.
    #[must_use]
    pub fn planner(self, service: Arc<dyn PlannerService>) -> Self {
        let adapter = planner::Adapter { service, limit: self.limit };
        let server = crate::v1::planner_service_server::PlannerServiceServer::new(adapter);
        Self { routes: self.routes.add_service(limited!(server, self.limit)), ..self }
    }

    /// Serves the ledger.
    #[must_use]
    pub fn aggregator(self, service: Arc<dyn AggregatorService>) -> Self {
        let adapter = aggregator::Adapter { service, limit: self.limit };
        let server = crate::v1::aggregator_service_server::AggregatorServiceServer::new(adapter);
        Self { routes: self.routes.add_service(limited!(server, self.limit)), ..self }
    }

    /// Serves maps.
    #[must_use]
    pub fn graph(self, service: Arc<dyn GraphService>) -> Self {
        let adapter = graph::Adapter { service, limit: self.limit };
        let server = crate::v1::graph_service_server::GraphServiceServer::new(adapter);
        Self { routes: self.routes.add_service(limited!(server, self.limit)), ..self }
    }

    /// All of them, and reflection.
    ///
    /// # Errors
    /// [`Code::Internal`] when our own descriptors cannot be read.
    pub fn routes(self) -> Result<Routes, ServiceError> {
        let reflection = tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
            .build_v1()
            .map_err(|error| ServiceError::new(Code::Internal, format!("describe the services: {error}")))?;
        Ok(self.routes.add_service(reflection))
    }
}

/// An answer, compressed where that pays, refused where it is too large.
fn answer<M: Message>(message: M, limit: usize) -> Result<Response<M>, Status> {
    let size = message.encoded_len();
    if size > limit {
        let cause =
            format!("answer with {size} bytes: the limit is {limit}; ask for less, or raise `max_message_bytes`");
        return Err(refuse(ServiceError::new(Code::TooLarge, cause)));
    }
    let compressed = size >= COMPRESSED_FROM;
    let mut response = Response::new(message);
    if !compressed {
        response.disable_compression();
    }
    Ok(response)
}
