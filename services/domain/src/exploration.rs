//! An exploration of a site: what each of its browsers is asked to do, and what it must leave alone.

mod guards;

pub use guards::{Exceptions, Guards, Mode};

use crate::coverage::CoverageOptions;
use crate::state::Version;
use crate::task::{Check, Parameter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The part of one browser in an exploration. Browsers of the same version share its frontier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exploration {
    /// The site, the run, and who the browser is to the site.
    pub version: Version,
    /// Where it begins: an absolute http or https URL.
    pub start_url: String,
    /// Who chooses what to try next, by name.
    pub strategy: String,
    /// Seconds after which it stops.
    pub seconds: u64,
    /// What it must leave alone.
    pub guards: Guards,
    /// How it logs in; a guest does not.
    pub login: Option<Login>,
    /// What this browser's process measures beside it.
    #[serde(default, skip_serializing_if = "CoverageOptions::is_nothing")]
    pub coverage: CoverageOptions,
}

/// How to log in: a form, what is typed into it, and how one sees that it worked. A file in YAML.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Login {
    /// Who one is then: the layer of the map.
    #[serde(default = "user")]
    pub role: String,
    /// The address of the form, absolute or relative to the start URL, where the exploration begins when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// What is typed, by the label, name or placeholder of the field.
    pub fill: BTreeMap<String, Parameter>,
    /// The button that is pressed then; the form's own when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submit: Option<String>,
    /// What holds of every page while one is logged in: an address, an element or a text. It is looked at on every page, and
    /// refuted means to log in again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logged_in: Option<Check>,
}

fn user() -> String {
    "user".to_owned()
}
