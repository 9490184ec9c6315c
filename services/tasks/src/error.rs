//! Why what was handed in cannot be done.

use crate::problem::Problems;
use domain::JobId;
use std::io;

/// Why what was handed in cannot be done. All of it is for whoever handed it in to mend.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Mistakes in files.
    #[error(transparent)]
    Problems(#[from] Problems),
    /// An address that no task can start at.
    #[error("{message}; {hint}")]
    Address {
        /// What is wrong with it.
        message: String,
        /// What to do.
        hint: String,
    },
    /// A check that cannot be read.
    #[error("{0}")]
    Check(String),
    /// No job at all.
    #[error("there is nothing to do: of no task at all, none can pass")]
    NoJobs,
    /// Two jobs of one name, of which only one would be done.
    #[error("two jobs are named `{0}`, and only one of them would be done; name each once")]
    SameName(JobId),
    /// A file or folder that cannot be read.
    #[error("{action}")]
    File {
        /// What was attempted, as verb and object.
        action: String,
        /// Why it failed.
        source: io::Error,
    },
    /// A file that does not hold what it should.
    #[error("{action}")]
    Json {
        /// What was attempted, as verb and object.
        action: String,
        /// Why it failed.
        source: serde_json::Error,
    },
    /// Recorded tests that cannot be replayed as asked for.
    #[error("{0}")]
    Tests(String),
}
