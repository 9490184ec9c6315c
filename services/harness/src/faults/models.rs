//! Planners and embedders as callers meet them, decorated.

use super::Faulty;
use async_trait::async_trait;
use domain::campaign::PlannerRef;
use domain::decision::{Decision, DecisionRequest};
use domain::language::{EmbedError, Embedder};
use domain::service::{PlannerService, ServiceError};

#[async_trait]
impl<T: PlannerService + ?Sized> PlannerService for Faulty<T> {
    async fn decide(&self, planner: &PlannerRef, request: DecisionRequest) -> Result<Decision, ServiceError> {
        self.link.call("decide", || self.inner.decide(planner, request.clone())).await
    }

    async fn ready(&self) -> Result<(), ServiceError> {
        self.link.call("ready", || self.inner.ready()).await
    }
}

#[async_trait]
impl<T: Embedder + ?Sized> Embedder for Faulty<T> {
    fn dimension(&self) -> usize {
        self.inner.dimension()
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.link.call("embed", || self.inner.embed(texts)).await
    }
}
