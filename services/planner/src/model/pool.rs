//! Which model answers which role.

use super::{LanguageModel, ModelError, ModelOptions, ModelReply, ModelRequest, ModelRole, OptionsError, RemoteModel};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The models of the roles. A role without a model of its own is the reasoner's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PoolOptions {
    /// Plans and decides.
    pub reasoner: ModelOptions,
    /// Describes; a cheaper model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub describer: Option<ModelOptions>,
    /// Decides over pictures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vision: Option<ModelOptions>,
}

/// Sends each request to the model of its role.
#[derive(Clone)]
pub struct ModelPool {
    reasoner: Arc<dyn LanguageModel>,
    describer: Arc<dyn LanguageModel>,
    vision: Arc<dyn LanguageModel>,
}

impl ModelPool {
    /// Builds the clients. Calls nobody yet.
    ///
    /// # Errors
    /// [`OptionsError`]: a missing key, a value out of range.
    pub fn new(options: &PoolOptions) -> Result<Self, OptionsError> {
        let reasoner: Arc<dyn LanguageModel> = Arc::new(RemoteModel::new(options.reasoner.clone())?);
        let own = |model: &Option<ModelOptions>| -> Result<Arc<dyn LanguageModel>, OptionsError> {
            match model {
                Some(options) => Ok(Arc::new(RemoteModel::new(options.clone())?)),
                None => Ok(Arc::clone(&reasoner)),
            }
        };
        let (describer, vision) = (own(&options.describer)?, own(&options.vision)?);
        Ok(Self { reasoner, describer, vision })
    }
}

#[async_trait]
impl LanguageModel for ModelPool {
    async fn complete(&self, request: ModelRequest) -> Result<ModelReply, ModelError> {
        let model = match request.role {
            ModelRole::Reasoner => &self.reasoner,
            ModelRole::Describer => &self.describer,
            ModelRole::Vision => &self.vision,
        };
        model.complete(request).await
    }
}
