//! Why results cannot be read or written.

use domain::service::ServiceError;
use domain::storage::StorageError;
use std::io;

/// Why results cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A service refused, or is away.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// A store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// A file of the run directory cannot be read or written.
    #[error("{action}")]
    File {
        /// What was attempted, as verb and object.
        action: String,
        /// Why it failed.
        source: io::Error,
    },
    /// Stored bytes are not what they should be.
    #[error("{action}")]
    Stored {
        /// What was attempted, as verb and object.
        action: String,
        /// Why it failed.
        source: serde_json::Error,
    },
    /// A value of ours that has no JSON.
    #[error("{action}")]
    Encode {
        /// What was attempted, as verb and object.
        action: &'static str,
        /// Why it failed.
        source: serde_json::Error,
    },
    /// A template of ours that is broken.
    #[error("{action}")]
    Template {
        /// What was attempted, as verb and object.
        action: &'static str,
        /// Why it failed.
        source: minijinja::Error,
    },
}
