//! Why a node cannot be put together, or cannot go on.

use domain::decision::PlannerError;
use domain::page::PageError;
use domain::service::ServiceError;
use domain::storage::StorageError;
use std::io;
use std::path::PathBuf;

/// Why a node cannot be put together, or cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Settings that are missing or cannot be meant, and what to do about it.
    #[error("{0}")]
    Settings(String),
    /// Settings that cannot be read.
    #[error(transparent)]
    Config(#[from] platform::config::Error),
    /// Another process that cannot be connected to as the settings say.
    #[error(transparent)]
    Connection(platform::rpc::Error),
    /// A model that cannot be asked as the settings say.
    #[error(transparent)]
    Model(#[from] planner::model::OptionsError),
    /// A map that cannot be kept as the settings say.
    #[error(transparent)]
    Map(#[from] graph::Error),
    /// The map of a run directory cannot be worked with.
    #[error(transparent)]
    StoredMap(graph::Error),
    /// A map that nobody else knows was changed by somebody else.
    #[error("a map of its own was changed by somebody else")]
    MapChanged,
    /// No page can be opened.
    #[error("open a page")]
    Page(#[source] PageError),
    /// The ways of a run cannot be gone on the site of another.
    #[error("the ways could not be gone again on the site of {name}: {cause}")]
    NotRetraced {
        /// The run whose site was gone to.
        name: String,
        /// Why not.
        cause: String,
    },
    /// Somebody asked for the end before anything can be said.
    #[error("interrupted: nothing is said of what was under way")]
    Interrupted,
    /// An address that this process cannot be reached at.
    #[error(transparent)]
    Server(platform::rpc::Error),
    /// An address that probes cannot reach.
    #[error(transparent)]
    Admin(#[from] platform::admin::Error),
    /// The sentence encoder cannot be loaded.
    #[error(transparent)]
    Encoder(#[from] embedding::Error),
    /// No browser can be started.
    #[error(transparent)]
    Browser(#[from] browser::Error),
    /// The benchmark's pages cannot be served.
    #[error("{0}")]
    BenchmarkPages(String),
    /// A store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// A store that no role of this process needs was asked for.
    #[error("{0} was not opened, since no role of this process needs it")]
    NotOpened(&'static str),
    /// A service refused, or is away.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// The services of this process cannot be offered.
    #[error(transparent)]
    Routes(ServiceError),
    /// A file of the run directory cannot be read or written.
    #[error(transparent)]
    Directory(#[from] report::Error),
    /// A file or folder of the run cannot be opened or made.
    #[error("{action}")]
    File {
        /// What was attempted, as verb and object.
        action: String,
        /// Why it failed.
        source: io::Error,
    },
    /// The directory is taken by another run.
    #[error(
        "{path} holds a run already; go on with it by --resume {path}, or name another directory",
        path = .0.display()
    )]
    HoldsRun(PathBuf),
    /// The directory holds no run.
    #[error("{} is no run directory: it has no readable {}", .0.display(), report::directory::SETTINGS)]
    NoRun(PathBuf),
    /// The directory holds no training.
    #[error("{} is no run directory of a training: it has no readable training.json", .0.display())]
    NoTraining(PathBuf),
    /// The model that is asked about trials does not answer.
    #[error("ask the model what a trial teaches")]
    Teacher(#[source] PlannerError),
    /// The stored settings of a run cannot be read.
    #[error("read {}", file.display())]
    RunSettings {
        /// Where they are.
        file: PathBuf,
        /// Why they cannot be read.
        source: serde_json::Error,
    },
    /// The stored settings of a run are of another version.
    #[error("{}: written by another version (format {format}, this one reads {known})", file.display())]
    RunFormat {
        /// Where they are.
        file: PathBuf,
        /// Their version.
        format: u32,
        /// The version that is known here.
        known: u32,
    },
    /// A part of the process panicked.
    #[error("{part} died: {cause}")]
    Died {
        /// Which part.
        part: &'static str,
        /// How.
        cause: tokio::task::JoinError,
    },
}
