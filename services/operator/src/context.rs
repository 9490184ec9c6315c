//! What all reconcilers share: the ways to the API server, the queue and the ledger, the time, and what they tell.

use crate::Error;
use crate::api::FIELD_MANAGER;
use crate::fleet::GridClient;
use crate::metrics::Figures;
use domain::service::{AggregatorService, CampaignService};
use jiff::Timestamp;
use kube::api::{Patch, PatchParams};
use kube::runtime::controller::Action;
use kube::runtime::events::{Event, EventType, Recorder};
use kube::{Api, Client, Resource, ResourceExt};
use platform::clock::Clock;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

/// What all reconcilers share.
#[derive(Clone)]
pub(crate) struct Context {
    /// The API server.
    pub(crate) client: Client,
    /// The queue.
    pub(crate) queue: Arc<dyn CampaignService>,
    /// The ledger.
    pub(crate) ledger: Arc<dyn AggregatorService>,
    /// Hubs of Selenium Grids.
    pub(crate) grid: GridClient,
    /// The time.
    pub(crate) clock: Arc<dyn Clock>,
    /// Publishes events.
    pub(crate) recorder: Recorder,
    /// Figures.
    pub(crate) figures: Figures,
    /// Time between two looks at what changes outside of the API server.
    pub(crate) poll: Duration,
    /// Whether each namespace is a project of the queue.
    pub(crate) namespaces_are_projects: bool,
}

impl Context {
    /// The time of day in whole seconds, as resources have it.
    pub(crate) fn now(&self) -> Timestamp {
        let now = Timestamp::try_from(self.clock.wall()).unwrap_or(Timestamp::UNIX_EPOCH);
        Timestamp::from_second(now.as_second()).unwrap_or(now)
    }

    /// Writes a status, unless it is the one that is there.
    pub(crate) async fn tell<K, S>(
        &self,
        api: &Api<K>,
        resource: &K,
        before: Option<&S>,
        status: &S,
    ) -> Result<bool, Error>
    where
        K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Debug,
        S: Serialize + PartialEq + Sync,
    {
        if before == Some(status) {
            return Ok(false);
        }
        let applied = serde_json::json!({
            "apiVersion": K::api_version(&()), "kind": K::kind(&()), "status": status,
        });
        let manager = PatchParams::apply(FIELD_MANAGER).force();
        api.patch_status(&resource.name_any(), &manager, &Patch::Apply(applied)).await?;
        self.figures.wrote(&K::kind(&()));
        Ok(true)
    }

    /// Publishes an event about a resource. One that cannot be published is logged, and nothing else: it is news, not state.
    pub(crate) async fn announce<K>(&self, resource: &K, type_: EventType, reason: &str, note: &str)
    where
        K: Resource<DynamicType = ()>,
    {
        let mut note = note.to_owned();
        while note.len() > 1000 {
            note.pop();
        }
        let event =
            Event { type_, reason: reason.into(), note: Some(note), action: "Reconcile".into(), secondary: None };
        if let Err(error) = self.recorder.publish(&event, &resource.object_ref(&())).await {
            tracing::warn!(%error, reason, "event could not be published");
        }
    }

    /// What is done after a failure: it is logged and counted, and tried again.
    pub(crate) fn failed<K>(&self, resource: &K, error: &Error) -> Action
    where
        K: Resource<DynamicType = ()>,
    {
        let (kind, name) = (K::kind(&()), resource.name_any());
        let namespace = resource.namespace().unwrap_or_default();
        tracing::warn!(%kind, namespace, name, %error, "reconciliation failed, trying again");
        self.figures.reconciled(&kind, false);
        Action::requeue(self.poll)
    }
}

/// Namespace, name and uid of a resource.
pub(crate) fn identity<K>(resource: &K) -> Result<(String, String, String), Error>
where
    K: Resource<DynamicType = ()>,
{
    let named = (resource.namespace(), resource.meta().name.clone(), resource.uid());
    match named {
        (Some(namespace), Some(name), Some(uid)) => Ok((namespace, name, uid)),
        _ => Err(Error::Unnamed("a resource")),
    }
}
