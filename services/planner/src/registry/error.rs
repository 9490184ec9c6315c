//! Why a planner cannot be built.

use super::options::Mistake;

/// Why a planner cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// There is no planner of this name.
    #[error("there is no planner `{name}`; there are: {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// An option does not exist, or its value cannot be.
    #[error("planner `{planner}`: {mistake}")]
    Option {
        /// The planner.
        planner: &'static str,
        /// Which option, and what is possible.
        mistake: Mistake,
    },
    /// The planner needs something that is not there.
    #[error("planner `{planner}` needs {part}, and there is none")]
    Missing {
        /// The planner.
        planner: &'static str,
        /// What it needs.
        part: &'static str,
    },
}

impl BuildError {
    pub(super) fn option(planner: &'static str, mistake: Mistake) -> Self {
        BuildError::Option { planner, mistake }
    }
}
