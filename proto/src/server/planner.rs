//! Planners as gRPC. A request holds all that is needed for its answer: nothing is kept from one to the next.

use super::answer;
use crate::convert::decision::asked;
use crate::status::refuse;
use crate::v1;
use domain::service::{Code, PlannerService, ServiceError};
use futures::FutureExt as _;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tonic::{Request, Response, Status};

/// Hands calls to the service.
pub(super) struct Adapter {
    pub(super) service: Arc<dyn PlannerService>,
    pub(super) limit: usize,
}

#[tonic::async_trait]
impl v1::planner_service_server::PlannerService for Adapter {
    async fn decide(&self, request: Request<v1::DecideRequest>) -> Result<Response<v1::DecideResponse>, Status> {
        let (planner, request) = asked(request.into_inner()).map_err(refuse)?;
        // A panic would break the connection off, and look as if the planner had died.
        let deciding = AssertUnwindSafe(self.service.decide(&planner, request)).catch_unwind();
        let panicked = |_| Err(ServiceError::new(Code::Internal, "decide: the planner panicked"));
        let decision = deciding.await.unwrap_or_else(panicked).map_err(refuse)?;
        answer(v1::DecideResponse { decision: Some((&decision).into()) }, self.limit)
    }
}
