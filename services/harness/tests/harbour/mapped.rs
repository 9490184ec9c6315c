//! What our own map makes of the walk: every observation is located in it, and the truth says which were taken for another.

use backends::map::MemoryMaps;
use domain::service::GraphService;
use domain::state::{LocateRequest, Version};
use domain::{Observation, RunId, SiteId};
use graph::{Dependencies, Graph, Options};
use harness::harbour::score::{Recognised, Score};
use harness::harbour::truth::{Role, Truth};
use platform::SystemClock;
use std::sync::Arc;

/// A map of the walk.
pub(crate) struct Mapped {
    graph: Graph,
    seen: Recognised,
}

impl Mapped {
    pub(crate) fn new() -> Mapped {
        let (store, clock) = (Arc::new(MemoryMaps::default()), Arc::new(SystemClock::default()));
        let dependencies = Dependencies { store, clock, embedder: None, history: None };
        Mapped { graph: Graph::new(dependencies, Options::default()).unwrap(), seen: Recognised::default() }
    }

    pub(crate) async fn add(&mut self, truth: &Truth, observation: &Observation) {
        let request = LocateRequest {
            version: Version { site: SiteId::new("harbour"), run: RunId::new("walk"), role: "guest".to_owned() },
            observation: Arc::new(observation.clone()),
            vector: None,
            arrival: None,
            reload_of: None,
            opened: None,
            ticket: None,
            screenshot: None,
        };
        let located = self.graph.locate(request).await.unwrap();
        self.seen.add(truth, located.state.0, observation);
    }

    pub(crate) fn score(&self, truth: &Truth, role: Role) -> Score {
        self.seen.score(truth, role, &[])
    }
}
