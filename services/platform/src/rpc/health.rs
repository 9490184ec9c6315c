//! The gRPC health service over the latches of the process.

use crate::health::{Health, HealthReport};
use tokio_stream::wrappers::WatchStream;
use tokio_stream::{Stream, StreamExt};
use tonic::{Request, Response, Status};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_server::{Health as HealthService, HealthServer};
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

/// Reports the health of the process for every service.
#[derive(Clone, Debug)]
pub(super) struct OfProcess(Health);

impl OfProcess {
    pub(super) fn service(health: Health) -> HealthServer<Self> {
        HealthServer::new(Self(health))
    }
}

fn answer(standing: &HealthReport) -> HealthCheckResponse {
    let status = if standing.is_ready() { ServingStatus::Serving } else { ServingStatus::NotServing };
    HealthCheckResponse { status: status.into() }
}

#[tonic::async_trait]
impl HealthService for OfProcess {
    async fn check(&self, _: Request<HealthCheckRequest>) -> Result<Response<HealthCheckResponse>, Status> {
        Ok(Response::new(answer(&self.0.standing())))
    }

    type WatchStream = std::pin::Pin<Box<dyn Stream<Item = Result<HealthCheckResponse, Status>> + Send>>;

    async fn watch(&self, _: Request<HealthCheckRequest>) -> Result<Response<Self::WatchStream>, Status> {
        let standings = WatchStream::new(self.0.follow());
        Ok(Response::new(Box::pin(standings.map(|standing| Ok(answer(&standing))))))
    }
}
