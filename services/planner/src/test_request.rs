//! The request of tests to which it matters little what is asked.

use domain::{DecisionRequest, EpisodeId, JobId, Observation};
use serde_json::Value;
use std::sync::Arc;
use uuid::Uuid;

/// A request for the first action on an empty page.
pub(crate) fn request() -> DecisionRequest {
    DecisionRequest {
        episode: EpisodeId(Uuid::nil()),
        job: JobId::new("a"),
        instruction: "Click on the button.".to_owned(),
        observation: Arc::new(Observation::default()),
        history: Arc::default(),
        memory: Value::Null,
        screenshot: None,
        steps_left: 10,
        seed: 7,
        refusal: None,
        position: None,
        context: Arc::default(),
    }
}
