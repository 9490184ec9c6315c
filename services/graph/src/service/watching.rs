//! Streams the status of a map.

use super::Graph;
use domain::SiteId;
use domain::service::ServiceError;
use domain::state::MapStatus;
use futures::stream::{self, BoxStream, StreamExt};
use platform::spawn;
use std::time::Duration;
use tokio::sync::watch;
use tracing::Instrument;

/// Changes within this time are reported together.
const TOGETHER: Duration = Duration::from_millis(50);

/// An observer of a map.
pub(super) struct MapWatcher {
    pub(super) graph: Graph,
    pub(super) site: SiteId,
    pub(super) changes: watch::Receiver<u64>,
    pub(super) last: MapStatus,
    pub(super) is_over: bool,
}

impl MapWatcher {
    /// The current status, then every new one.
    pub(super) fn statuses(self) -> BoxStream<'static, Result<MapStatus, ServiceError>> {
        let last = self.last;
        stream::once(async move { Ok(last) }).chain(stream::unfold(self, MapWatcher::next)).boxed()
    }

    /// The next status that differs from the last one; none after an error.
    async fn next(mut self) -> Option<(Result<MapStatus, ServiceError>, Self)> {
        while !self.is_over {
            tokio::time::sleep(TOGETHER).await;
            // Other instances also write, without notifying us.
            let _ = tokio::time::timeout(self.graph.options.look(), self.changes.changed()).await;
            match self.look().await {
                Ok(status) if status == self.last => {}
                Ok(status) => {
                    self.last = status;
                    return Some((Ok(status), self));
                }
                Err(error) => {
                    self.is_over = true;
                    return Some((Err(error), self));
                }
            }
        }
        None
    }

    /// Reads the status in a task of its own: a stream that is not polled must not hold a map that others wait for.
    async fn look(&self) -> Result<MapStatus, ServiceError> {
        let (graph, site) = (self.graph.clone(), self.site.clone());
        let look = spawn::detached("look at a map", async move { graph.status(&site).await }.in_current_span());
        look.await.unwrap_or_else(|error| Err(ServiceError::new(domain::service::Code::Internal, error.to_string())))
    }
}
