//! What a process has at hand for its planners, and what a planner needs of it.

use super::BuildError;
use crate::model::{LanguageModel, ModelRole};
use crate::remote::Dialer;
use domain::language::Embedder;
use domain::marks::Marker;
use domain::service::GraphService;
use serde::Serialize;
use std::sync::Arc;

/// Whether something is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// Never used.
    No,
    /// Used where it is there.
    Useful,
    /// The planner cannot be built without it.
    Required,
}

/// What a planner needs beside the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Needs {
    /// Roles of language models; the first must have a model, the others take that of the first where they have none.
    pub roles: &'static [ModelRole],
    /// The map of the site.
    pub map: Need,
    /// The sentence encoder.
    pub embedder: Need,
    /// Marks drawn on pictures.
    pub marks: Need,
}

impl Needs {
    /// A planner that decides from the request alone.
    pub const NOTHING: Needs = Needs { roles: &[], map: Need::No, embedder: Need::No, marks: Need::No };

    /// Whether a language model is asked.
    pub fn asks_model(&self) -> bool {
        !self.roles.is_empty()
    }
}

/// What a process has at hand.
#[derive(Clone, Default)]
pub struct Parts {
    /// Answers all roles.
    pub model: Option<Arc<dyn LanguageModel>>,
    /// Turns texts into vectors.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Draws marks.
    pub marker: Option<Arc<dyn Marker>>,
    /// Knows the maps of sites.
    pub map: Option<Arc<dyn GraphService>>,
    /// Calls planners in other processes.
    pub dialer: Option<Arc<dyn Dialer>>,
}

impl Parts {
    /// The model.
    ///
    /// # Errors
    /// There is none.
    pub fn model(&self, planner: &'static str) -> Result<Arc<dyn LanguageModel>, BuildError> {
        self.model.clone().ok_or(BuildError::Missing { planner, part: "a language model" })
    }

    /// The embedder.
    ///
    /// # Errors
    /// There is none.
    pub fn embedder(&self, planner: &'static str) -> Result<Arc<dyn Embedder>, BuildError> {
        self.embedder.clone().ok_or(BuildError::Missing { planner, part: "the sentence encoder" })
    }

    /// The map.
    ///
    /// # Errors
    /// There is none.
    pub fn map(&self, planner: &'static str) -> Result<Arc<dyn GraphService>, BuildError> {
        self.map.clone().ok_or(BuildError::Missing { planner, part: "the map of the site" })
    }
    /// What calls planners in other processes.
    ///
    /// # Errors
    /// There is none.
    pub fn dialer(&self, planner: &'static str) -> Result<Arc<dyn Dialer>, BuildError> {
        self.dialer.clone().ok_or(BuildError::Missing { planner, part: "a way to call other processes" })
    }
}
