//! Traces by OTLP, and the W3C trace context by which they reach from process to process.
//!
//! The queue of spans is bounded. A span that finds it full is dropped, and dropped spans are counted, never waited for.

use super::Error;
use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry::trace::{TraceContextExt, TracerProvider};
use opentelemetry::{Context, KeyValue};
use opentelemetry_otlp::WithExportConfig;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracerProvider, Span as SdkSpan, SpanData, SpanExporter,
    SpanProcessor,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::layer::Layer;
use tracing_subscriber::{EnvFilter, Registry};

/// The header that carries the trace context.
pub const TRACE_PARENT: &str = "traceparent";

/// Excludes the exporter's own spans, which would trace themselves. Journal spans have level `debug`, which keeps them
/// out of log lines.
const FILTER: &str = "info,backends::journal=debug,opentelemetry=off,opentelemetry_sdk=off,opentelemetry_otlp=off,h2=off,\
                      tonic=off,hyper=off,hyper_util=off,tower=off,reqwest=off";

/// Where traces go.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceOptions {
    /// The collector's OTLP endpoint for gRPC, e.g. `http://127.0.0.1:4317`.
    pub endpoint: String,
    /// What the names begin with under which processes are shown; their role follows, as in `rutter-crawler`.
    #[serde(default = "service")]
    pub service: String,
    /// The part of traces that begin here and are sent, in 0..=1; those that began elsewhere follow their beginning.
    #[serde(default = "ratio")]
    pub ratio: f64,
    /// Spans that may wait to be sent.
    #[serde(default = "queue")]
    pub queue: usize,
}

fn service() -> String {
    "rutter".to_owned()
}

fn ratio() -> f64 {
    1.0
}

fn queue() -> usize {
    16_384
}

impl TraceOptions {
    /// All traces to a collector.
    pub fn to(endpoint: impl Into<String>, service: impl Into<String>) -> Self {
        Self { endpoint: endpoint.into(), service: service.into(), ratio: ratio(), queue: queue() }
    }
}

/// The sending of traces. Does nothing where no collector is named.
#[derive(Clone, Debug, Default)]
pub struct Traces {
    provider: Option<SdkTracerProvider>,
    counts: Arc<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    ended: AtomicU64,
    taken: AtomicU64,
    failed: AtomicU64,
}

impl Traces {
    /// Spans that ended so far.
    pub fn ended(&self) -> u64 {
        self.counts.ended.load(Ordering::Relaxed)
    }

    /// Spans that the collector did not take. Spans that the queue had no room for show after [`Traces::finish`].
    pub fn lost(&self) -> u64 {
        self.counts.failed.load(Ordering::Relaxed)
    }

    /// Sends what waits, and says how many spans were lost in all. Blocks for up to five seconds: call it from a blocking
    /// thread, at the end of the process.
    pub fn finish(&self) -> u64 {
        let Some(provider) = &self.provider else { return 0 };
        if let Err(error) = provider.shutdown() {
            tracing::warn!(%error, "traces were not sent to their end");
        }
        let dropped = self.ended().saturating_sub(self.counts.taken.load(Ordering::Relaxed));
        self.lost() + dropped
    }
}

/// The layer that sends spans.
pub(super) fn layer(options: &TraceOptions) -> Result<(Box<dyn Layer<Registry> + Send + Sync>, Traces), Error> {
    let refused = |cause: String| Error::Traces { endpoint: options.endpoint.clone(), cause };
    let exporter = opentelemetry_otlp::SpanExporter::builder()
        .with_tonic()
        .with_endpoint(&options.endpoint)
        .with_timeout(Duration::from_secs(5))
        .build()
        .map_err(|error| refused(error.to_string()))?;
    let counts = Arc::new(Counts::default());
    let batches = BatchConfigBuilder::default()
        .with_max_queue_size(options.queue)
        .with_max_export_batch_size(1_024.min(options.queue.max(1)))
        .with_scheduled_delay(Duration::from_secs(1))
        .build();
    let exporter = Counting { inner: exporter, counts: Arc::clone(&counts) };
    let batched = BatchSpanProcessor::builder(exporter).with_batch_config(batches).build();
    let filter = EnvFilter::try_new(FILTER).map_err(|error| refused(error.to_string()))?;
    let provider = SdkTracerProvider::builder()
        .with_span_processor(Counting { inner: batched, counts: Arc::clone(&counts) })
        .with_sampler(Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(options.ratio))))
        .with_resource(
            Resource::builder()
                .with_service_name(options.service.clone())
                .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
                .build(),
        )
        .build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("rutter")).with_filter(filter).boxed();
    Ok((layer, Traces { provider: Some(provider), counts }))
}

/// Counts spans on their way: when they end, and when the exporter has them.
#[derive(Debug)]
struct Counting<T> {
    inner: T,
    counts: Arc<Counts>,
}

impl<T: SpanExporter> SpanExporter for Counting<T> {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let spans = batch.len() as u64;
        self.counts.taken.fetch_add(spans, Ordering::Relaxed);
        let sent = self.inner.export(batch).await;
        if let Err(error) = &sent {
            self.counts.failed.fetch_add(spans, Ordering::Relaxed);
            tracing::warn!(%error, spans, "lost spans: the collector did not take them");
        }
        sent
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.inner.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.inner.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.inner.set_resource(resource);
    }
}

impl SpanProcessor for Counting<BatchSpanProcessor> {
    fn on_start(&self, span: &mut SdkSpan, context: &Context) {
        self.inner.on_start(span, context);
    }

    fn on_end(&self, span: SpanData) {
        self.counts.ended.fetch_add(1, Ordering::Relaxed);
        self.inner.on_end(span);
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.inner.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.inner.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.inner.set_resource(resource);
    }
}

/// The W3C trace context of the current span; empty where it is not traced.
pub fn current_trace_parent() -> String {
    let context = Span::current().context();
    let span = context.span();
    let span = span.span_context();
    if !span.is_valid() {
        return String::new();
    }
    format!("00-{}-{}-{:02x}", span.trace_id(), span.span_id(), span.trace_flags())
}

/// Makes a span the child of another process' span. An empty or unreadable context, or a process without traces, leaves
/// the span as it is. Call it before the span is entered.
pub fn set_parent(span: &Span, trace_parent: &str) {
    if trace_parent.is_empty() || span.is_disabled() {
        return;
    }
    let parent = TraceContextPropagator::new().extract(&OneHeader(trace_parent));
    if parent.span().span_context().is_valid() {
        // It fails where nothing is traced, which is fine.
        let _ = span.set_parent(parent);
    }
}

struct OneHeader<'a>(&'a str);

impl Extractor for OneHeader<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        (key == TRACE_PARENT).then_some(self.0)
    }

    fn keys(&self) -> Vec<&str> {
        vec![TRACE_PARENT]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parking_lot::Mutex;
    use tracing_subscriber::layer::SubscriberExt;

    /// Keeps what it is given.
    #[derive(Clone, Debug, Default)]
    struct Keeping(Arc<Mutex<Vec<SpanData>>>);

    impl SpanExporter for Keeping {
        async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
            self.0.lock().extend(batch);
            Ok(())
        }
    }

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    fn traced(work: impl FnOnce()) -> Vec<SpanData> {
        let exporter = Keeping::default();
        let provider = SdkTracerProvider::builder().with_simple_exporter(exporter.clone()).build();
        let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), work);
        exporter.0.lock().clone()
    }

    #[test]
    fn a_trace_goes_on_in_the_next_process_and_out_of_it_again() {
        let mut handed_on = String::new();
        let spans = traced(|| {
            let span = tracing::info_span!("work");
            set_parent(&span, PARENT);
            handed_on = span.in_scope(current_trace_parent);
        });
        assert_eq!(spans.len(), 1);
        assert_eq!(spans[0].span_context.trace_id().to_string(), "0af7651916cd43dd8448eb211c80319c");
        assert_eq!(spans[0].parent_span_id.to_string(), "b7ad6b7169203331");
        let own = spans[0].span_context.span_id();
        assert_eq!(handed_on, format!("00-0af7651916cd43dd8448eb211c80319c-{own}-01"));
    }

    #[test]
    fn a_context_that_cannot_be_read_begins_a_trace_of_its_own() {
        let spans = traced(|| {
            let span = tracing::info_span!("work");
            set_parent(&span, "00-nothing");
            span.in_scope(|| ());
        });
        assert_eq!(spans[0].parent_span_id.to_string(), "0000000000000000");
    }

    #[test]
    fn without_traces_there_is_no_context() {
        assert_eq!(current_trace_parent(), "");
        set_parent(&tracing::info_span!("work"), PARENT);
    }

    #[tokio::test]
    async fn spans_that_no_collector_takes_are_counted() {
        // Nothing listens on the discard port.
        let options = TraceOptions::to("http://127.0.0.1:9", "test");
        let (layer, traces) = layer(&options).expect("a layer");
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
            for _ in 0..5 {
                tracing::info_span!("work").in_scope(|| ());
            }
        });
        let finishing = traces.clone();
        let lost = tokio::task::spawn_blocking(move || finishing.finish()).await.expect("no panic");
        assert_eq!((traces.ended(), lost), (5, 5));
    }
}
