//! Everything that can go wrong while a browser is started or asked for a profile, each with what to do about it.

use std::path::PathBuf;

/// Why a browser, a profile or a login state could not be had.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No browser is installed where one was looked for.
    #[error(
        "find a browser: none of {} exists; install one (Debian: `apt-get install chromium-headless-shell`) or name one by `binary`",
        list(.looked)
    )]
    NoBrowser {
        /// The paths that were tried.
        looked: Vec<PathBuf>,
    },
    /// No driver is installed where one was looked for.
    #[error(
        "find chromedriver: none of {} exists; install it (Debian: `apt-get install chromium-driver`) or name it by `driver`",
        list(.looked)
    )]
    NoDriver {
        /// The paths that were tried.
        looked: Vec<PathBuf>,
    },
    /// The driver does not fit the browser.
    #[error("start a session: driver and browser do not fit: {cause}; install both in the same major version")]
    VersionMismatch {
        /// The driver's own words.
        cause: String,
    },
    /// The driver process could not be started or died at once.
    #[error("start {driver}: {cause}")]
    DriverFailed {
        /// The driver's path.
        driver: String,
        /// What happened.
        cause: String,
    },
    /// Nothing answers at the WebDriver endpoint.
    #[error("connect to the WebDriver endpoint {url}: {cause}; check that it is up and reachable from this machine")]
    EndpointDown {
        /// The endpoint, without credentials.
        url: String,
        /// The connection's error.
        cause: String,
    },
    /// The endpoint answered but gave no session.
    #[error("start a session at {url}: {cause}")]
    SessionRefused {
        /// The endpoint, without credentials.
        url: String,
        /// The driver's own words.
        cause: String,
    },
    /// The browser of another machine did not come to its gate.
    #[error(
        "the browser does not reach this process at {gate}{}; name an address of this machine that the browsers' machines reach \
         (`crawler.browser.gate` of the settings, `--gate` of commands)",
        elsewhere(.others)
    )]
    GateUnreached {
        /// Where it should have come.
        gate: String,
        /// Addresses from which somebody else came, who was refused; empty when nobody did.
        others: String,
    },
    /// The session cannot do what the options ask for.
    #[error("{what} is not possible with this session: {hint}")]
    Unsupported {
        /// What was asked for.
        what: &'static str,
        /// What to do instead.
        hint: &'static str,
    },
    /// An option makes no sense.
    #[error("option `{option}`: {cause}")]
    Option {
        /// The option's name.
        option: &'static str,
        /// What is wrong with it.
        cause: String,
    },
    /// The session died or answered something unexpected.
    #[error("{doing}: {cause}")]
    Session {
        /// Verb and object.
        doing: &'static str,
        /// The driver's own words.
        cause: String,
    },
}

impl Error {
    /// A short stable name for records and exit codes.
    pub fn code(&self) -> &'static str {
        match self {
            Error::NoBrowser { .. } => "no_browser",
            Error::NoDriver { .. } => "no_driver",
            Error::VersionMismatch { .. } => "version_mismatch",
            Error::DriverFailed { .. } => "driver_failed",
            Error::EndpointDown { .. } => "endpoint_down",
            Error::SessionRefused { .. } => "session_refused",
            Error::GateUnreached { .. } => "gate_unreached",
            Error::Unsupported { .. } => "unsupported",
            Error::Option { .. } => "bad_option",
            Error::Session { .. } => "session_failed",
        }
    }

    /// Whether there is nothing wrong but that no session is free now: the endpoint is full, or away for the moment.
    pub fn is_no_slot(&self) -> bool {
        matches!(self, Error::EndpointDown { .. } | Error::SessionRefused { .. })
    }

    /// Whether the same request may succeed later without anybody changing the set-up. None of these errors leaves a
    /// browser behind.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Error::EndpointDown { .. } | Error::SessionRefused { .. } | Error::Session { .. })
    }
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

fn elsewhere(others: &str) -> String {
    if others.is_empty() { String::new() } else { format!(" (somebody else tried, from {others}, and was refused)") }
}
