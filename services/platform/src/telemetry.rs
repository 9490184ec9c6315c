//! Logs: lower-case, structured, on stderr, filtered by `RUTTER_LOG`. And traces, where somebody collects them.
//!
//! Nothing finer than `debug` is ever logged: at `trace`, libraries log the traffic itself, including page content and
//! typed text.

mod traces;

pub use traces::{TRACE_PARENT, TraceOptions, Traces, current_trace_parent, set_parent};

use std::io::{self, IsTerminal};
use tracing_subscriber::filter::{FilterExt, LevelFilter};
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
        layer.into_iter().chain([lines.with_filter(filter.and(FINEST)).boxed()]).collect();
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

    #[test]
    fn without_a_variable_only_warnings_are_logged() {
        assert_eq!(filter(None).expect("default filter").to_string(), "warn");
        assert_eq!(filter(Some(" ")).expect("default filter").to_string(), "warn");
    }

    #[test]
    fn a_filter_that_cannot_be_read_is_reported_with_an_example() {
        let error = filter(Some("crawler=loud")).expect_err("no such level").to_string();
        assert!(error.contains("RUTTER_LOG=`crawler=loud`"), "{error}");
        assert!(error.contains("warn,crawler=debug"), "{error}");
    }
}
