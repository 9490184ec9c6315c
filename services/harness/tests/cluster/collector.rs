//! Takes traces as an OTLP collector does, and keeps them.

use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{TraceService, TraceServiceServer};
use opentelemetry_proto::tonic::collector::trace::v1::{ExportTraceServiceRequest, ExportTraceServiceResponse};
use prost::Message;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};

type Taken = Arc<Mutex<Vec<ExportTraceServiceRequest>>>;

/// A collector that listens until it is dropped.
pub(crate) struct Collector {
    /// Where spans are sent.
    pub(crate) endpoint: String,
    taken: Taken,
    _stop: DropGuard,
}

struct Keeping(Taken);

#[tonic::async_trait]
impl TraceService for Keeping {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        self.0.lock().expect("not poisoned").push(request.into_inner());
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

impl Collector {
    pub(crate) async fn start() -> Collector {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let endpoint = format!("http://{}", listener.local_addr().expect("the port just bound"));
        let (taken, stop) = (Taken::default(), CancellationToken::new());
        let server = TraceServiceServer::new(Keeping(taken.clone()));
        let (incoming, stopped) = (TcpIncoming::from(listener), stop.clone());
        tokio::spawn(
            tonic::transport::Server::builder()
                .add_service(server)
                .serve_with_incoming_shutdown(incoming, stopped.cancelled_owned()),
        );
        Collector { endpoint, taken, _stop: stop.drop_guard() }
    }

    /// Everything that was sent, as it came over the wire.
    pub(crate) fn bytes(&self) -> Vec<Vec<u8>> {
        self.taken.lock().expect("not poisoned").iter().map(Message::encode_to_vec).collect()
    }
}
