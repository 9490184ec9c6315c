//! Logs: lower-case, structured, on stderr, filtered by `RUTTER_LOG`. And traces, where somebody collects them.
//!
//! Nothing finer than `debug` is ever logged, and of libraries nothing finer than `info`: below that they log the traffic itself,
//! including page content and typed text.

mod traces;

pub use traces::{TRACE_PARENT, TraceOptions, Traces, current_trace_parent, set_parent};

use std::io::{self, IsTerminal};
use tracing::Metadata;
use tracing_subscriber::filter::{FilterExt, LevelFilter, filter_fn};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Registry, fmt};

/// The environment variable that says what is logged, e.g. `info` or `warn,crawler=debug`.
pub const FILTER_VARIABLE: &str = "RUTTER_LOG";

/// What is logged where the variable says nothing.
const DEFAULT_FILTER: &str = "warn";

/// The finest level that is logged, whatever the variable says.
const FINEST: LevelFilter = LevelFilter::DEBUG;

/// The finest level that is logged of libraries.
const FINEST_OF_LIBRARIES: LevelFilter = LevelFilter::INFO;

/// Our own rooms, whose logs hold no traffic.
const ROOMS: [&str; 17] = [
    "aggregator",
    "backends",
    "benchmarks",
    "browser",
    "campaigns",
    "crawler",
    "domain",
    "embedding",
    "evaluation",
    "graph",
    "node",
    "operator",
    "planner",
    "platform",
    "report",
    "rutter",
    "tasks",
];

/// Whether something is logged at all, whatever the variable says.
fn is_harmless(metadata: &Metadata<'_>) -> bool {
    let target = metadata.target().split("::").next().unwrap_or_default();
    let finest = if ROOMS.contains(&target) { FINEST } else { FINEST_OF_LIBRARIES };
    *metadata.level() <= finest
}

/// How log lines look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// Why logging could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The filter cannot be read.
    #[error("{FILTER_VARIABLE}=`{filter}`: {cause}; write for example `info` or `warn,crawler=debug`")]
    Filter {
        /// The filter.
        filter: String,
        /// What is wrong.
        cause: String,
    },
    /// Traces cannot be sent.
    #[error("send traces to `{endpoint}`: {cause}; write for example `http://127.0.0.1:4317`")]
    Traces {
        /// The collector.
        endpoint: String,
        /// What is wrong.
        cause: String,
    },
    /// It was set up before.
    #[error("set up logging: {0}")]
    Twice(String),
}

/// Sets up logging to stderr for the whole process.
///
/// # Errors
/// [`Error`].
pub fn init(format: Format) -> Result<(), Error> {
    init_to(format, io::stderr, io::stderr().is_terminal())
}

/// Sets up logging to a writer, such as one that keeps a progress bar whole.
///
/// # Errors
/// [`Error`].
pub fn init_to<W>(format: Format, writer: W, colours: bool) -> Result<(), Error>
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    start(format, writer, colours, None).map(|_| ())
}

/// Sets up logging to a writer, and sends traces where a collector is named. Needs a runtime when it does.
///
/// # Errors
/// [`Error`].
pub fn start<W>(format: Format, writer: W, colours: bool, traces: Option<&TraceOptions>) -> Result<Traces, Error>
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let filter = filter(std::env::var(FILTER_VARIABLE).ok().as_deref())?;
    let lines = fmt::layer::<Registry>().with_writer(writer).with_ansi(colours);
    let lines = match format {
        Format::Text => lines.boxed(),
        Format::Json => lines.json().boxed(),
    };
    let (layer, traces) = match traces {
        Some(options) => traces::layer(options).map(|(layer, traces)| (Some(layer), traces))?,
        None => (None, Traces::default()),
    };
    let layers: Vec<Box<dyn Layer<Registry> + Send + Sync>> =
        layer.into_iter().chain([lines.with_filter(filter.and(filter_fn(is_harmless))).boxed()]).collect();
    let done = tracing_subscriber::registry().with(layers).try_init();
    done.map_err(|error| Error::Twice(error.to_string()))?;
    Ok(traces)
}

fn filter(variable: Option<&str>) -> Result<EnvFilter, Error> {
    let filter = variable.filter(|text| !text.trim().is_empty()).unwrap_or(DEFAULT_FILTER);
    EnvFilter::try_new(filter).map_err(|error| Error::Filter { filter: filter.to_owned(), cause: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use parking_lot::Mutex;
    use std::sync::Arc;

    #[derive(Default)]
    struct Written(Mutex<Vec<u8>>);

    impl io::Write for &Written {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            self.0.lock().extend_from_slice(text);
            Ok(text.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn without_a_variable_only_warnings_are_logged() {
        assert_eq!(filter(None).expect("default filter").to_string(), "warn");
        assert_eq!(filter(Some(" ")).expect("default filter").to_string(), "warn");
    }

    #[test]
    fn every_room_is_known_and_nothing_else_is_one() {
        let services = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        let entries = std::fs::read_dir(services).expect("the services").flatten();
        let mut rooms: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        // What only tests use logs nothing of its own.
        rooms.retain(|room| room != "harness" && room != "fuzzing");
        rooms.sort();
        assert_eq!(rooms, ROOMS);
    }

    #[test]
    fn libraries_log_no_traffic_whatever_the_variable_says() {
        let lines = Arc::new(Written::default());
        let layer = fmt::layer::<Registry>().with_writer(lines.clone()).with_ansi(false);
        let filter = filter(Some("trace")).expect("a filter").and(filter_fn(is_harmless));
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer.with_filter(filter)), || {
            tracing::debug!(target: "thirtyfour::session::http", "webdriver request: typed");
            tracing::trace!(target: "browser::wire", "typed");
            tracing::debug!(target: "browser::wire", "kept one");
            tracing::info!(target: "thirtyfour", "kept two");
        });
        let logged = String::from_utf8(lines.0.lock().clone()).expect("text");
        assert!(!logged.contains("typed") && logged.contains("kept one") && logged.contains("kept two"), "{logged}");
    }

    #[test]
    fn a_filter_that_cannot_be_read_is_reported_with_an_example() {
        let error = filter(Some("crawler=loud")).expect_err("no such level").to_string();
        assert!(error.contains("RUTTER_LOG=`crawler=loud`"), "{error}");
        assert!(error.contains("warn,crawler=debug"), "{error}");
    }
}
