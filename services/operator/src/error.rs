//! Why a resource could not be reconciled, or the operator not be run.

use domain::service::ServiceError;

/// What failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The API server refused, or cannot be reached.
    #[error("ask the API server: {0}")]
    Kube(#[source] Box<kube::Error>),
    /// Queue or ledger refused, or cannot be reached.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// A resource without a name, a namespace or a uid, which an API server does not give out.
    #[error("read {0}: the API server gave it no namespace, name or uid")]
    Unnamed(&'static str),
    /// The finalizer of a campaign.
    #[error("finish campaign: {0}")]
    Finalizer(String),
    /// The Grid does not answer, or answers something else.
    #[error("{doing} at {url}: {cause}")]
    Grid {
        /// Verb and object.
        doing: &'static str,
        /// The hub.
        url: String,
        /// What went wrong.
        cause: String,
    },
    /// A setting that cannot be worked with.
    #[error("settings: {0}")]
    Settings(String),
    /// Who leads cannot be found out.
    #[error("take the lease `{lease}`: {cause}")]
    Lease {
        /// Its name.
        lease: String,
        /// What went wrong.
        cause: String,
    },
    /// Another instance leads now; this one must begin anew.
    #[error("the lease `{0}` was lost to another instance; this one ends, to begin anew")]
    LostLease(String),
}

impl From<kube::Error> for Error {
    fn from(error: kube::Error) -> Self {
        Error::Kube(Box::new(error))
    }
}

impl Error {
    /// Whether the API server says that something is there already.
    pub fn is_conflict(error: &kube::Error) -> bool {
        matches!(error, kube::Error::Api(status) if status.code == 409)
    }

    /// Whether the API server says that something is not there.
    pub fn is_gone(error: &kube::Error) -> bool {
        matches!(error, kube::Error::Api(status) if status.code == 404)
    }
}
