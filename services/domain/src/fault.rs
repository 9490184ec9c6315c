//! Faults that a browser reports about a page (Temac, section V-F: four categories, first- or third-party).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One fault, as reported by the browser.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    /// Its category.
    pub category: FaultCategory,
    /// The browser's message. Untrusted page content.
    pub message: String,
    /// Address of the script or resource that it comes from; empty where the browser does not say.
    pub source: String,
    /// Line in the source, from 1; none where the browser does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Whether the source belongs to the page's own site.
    pub first_party: bool,
}

/// The four categories of Temac, section V-F.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FaultCategory {
    /// A request failed or was answered with 4xx or 5xx.
    Network,
    /// An uncaught exception or unhandled rejection.
    JavaScript,
    /// Content security policy or cross-origin resource sharing.
    ContentSecurity,
    /// Anything else the console calls an error.
    Other,
}
