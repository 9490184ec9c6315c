//! What can go wrong with a map.

use domain::service::{Code, ServiceError};
use domain::storage::StorageError;

/// Why a map could not be worked with.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Stored bytes cannot be read.
    #[error("read {what}: {cause}; was it written by a newer version?")]
    Corrupt {
        /// What they should have been.
        what: &'static str,
        /// Why they are not.
        cause: String,
    },
    /// The map was made with another abstraction, which decides otherwise which pages are one state.
    #[error(
        "read a map: it was made with the abstraction `{made}`, and `{set}` is set; set `{made}` to go on with it, or map \
         the site anew in another place"
    )]
    OtherAbstraction {
        /// The one that it was made with.
        made: String,
        /// The one that is set.
        set: &'static str,
    },
    /// The request names something that does not exist.
    #[error("{0}")]
    NotFound(String),
    /// The request is invalid.
    #[error("{0}")]
    Invalid(String),
    /// Texts could not be embedded.
    #[error("embed the descriptions of states: {0}")]
    Embedding(String),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl From<Error> for ServiceError {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        let code = match error {
            Error::Storage(error) => return error.into(),
            Error::Corrupt { .. } => Code::Corrupt,
            Error::NotFound(_) => Code::NotFound,
            Error::Invalid(_) => Code::Invalid,
            Error::OtherAbstraction { .. } => Code::Conflict,
            Error::Embedding(_) => Code::Upstream,
        };
        Self::new(code, message)
    }
}
