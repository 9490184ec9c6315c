//! Takes traces as an OTLP collector does, and keeps them.

use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{TraceService, TraceServiceServer};
use opentelemetry_proto::tonic::collector::trace::v1::{ExportTraceServiceRequest, ExportTraceServiceResponse};
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span as Sent;
use parking_lot::Mutex;
use prost::Message;
use std::collections::BTreeMap;
use std::sync::Arc;
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

/// A span as it was told.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) trace: String,
    pub(crate) id: String,
    /// Empty where it has none.
    pub(crate) parent: String,
    pub(crate) name: String,
    /// The process that told it.
    pub(crate) service: String,
    pub(crate) attributes: BTreeMap<String, String>,
}

struct Keeping(Taken);

#[tonic::async_trait]
impl TraceService for Keeping {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        self.0.lock().push(request.into_inner());
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
        platform::spawn::detached(
            "collector",
            tonic::transport::Server::builder()
                .add_service(server)
                .serve_with_incoming_shutdown(incoming, stopped.cancelled_owned()),
        );
        Collector { endpoint, taken, _stop: stop.drop_guard() }
    }

    /// Everything that was sent, as it came over the wire.
    pub(crate) fn bytes(&self) -> Vec<Vec<u8>> {
        self.taken.lock().iter().map(Message::encode_to_vec).collect()
    }

    /// Every span that was sent.
    pub(crate) fn spans(&self) -> Vec<Span> {
        let taken = self.taken.lock();
        let mut spans = Vec::new();
        for resource in taken.iter().flat_map(|request| &request.resource_spans) {
            let attributes = resource.resource.iter().flat_map(|resource| &resource.attributes);
            let named = attributes.filter(|attribute| attribute.key == "service.name");
            let service = named.map(|attribute| text(&attribute.value)).next().unwrap_or_default();
            for span in resource.scope_spans.iter().flat_map(|scope| &scope.spans) {
                spans.push(read(span, &service));
            }
        }
        spans
    }
}

fn read(span: &Sent, service: &str) -> Span {
    let attributes = span.attributes.iter().map(|attribute| (attribute.key.clone(), text(&attribute.value)));
    Span {
        trace: hex(&span.trace_id),
        id: hex(&span.span_id),
        parent: hex(&span.parent_span_id),
        name: span.name.clone(),
        service: service.to_owned(),
        attributes: attributes.collect(),
    }
}

fn text(value: &Option<opentelemetry_proto::tonic::common::v1::AnyValue>) -> String {
    match value.as_ref().and_then(|value| value.value.as_ref()) {
        Some(Value::StringValue(text)) => text.clone(),
        Some(other) => format!("{other:?}"),
        None => String::new(),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
