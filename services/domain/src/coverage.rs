//! What of a site's JavaScript has run.

use serde::{Deserialize, Serialize};

/// What is covered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JsFigures {
    /// Functions that are known.
    pub functions: u64,
    /// Those that ran.
    pub functions_covered: u64,
    /// Length of all scripts.
    pub bytes: u64,
    /// Those that lie in blocks that ran.
    pub bytes_covered: u64,
}

/// What is covered of one script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptFigures {
    /// Its address, without query and fragment; for a script within a page, that of the page.
    pub url: String,
    /// Its figures.
    #[serde(flatten)]
    pub figures: JsFigures,
}
