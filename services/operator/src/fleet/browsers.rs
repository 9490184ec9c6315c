//! Browser nodes: pods that are made from a PodTemplate, drained in the Grid, and deleted once they hold no session.

use super::backlog::Backlog;
use super::hub::GridNode;
use super::plan::{Node, Patience, Plan, plan};
use super::wanted::{Bounds, Wanted, wanted};
use crate::Error;
use crate::api::fleet::{BrowserPool, PoolStatus};
use crate::api::{DRAINING_ANNOTATION, FIELD_MANAGER, FLEET_LABEL, Fleet, SecretKey, TEMPLATE_ANNOTATION};
use crate::context::Context;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::{Pod, PodTemplate, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::api::{DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams, Preconditions};
use kube::runtime::events::EventType;
use kube::{Api, Resource, ResourceExt};

/// What keeps a ReplicaSet, or whoever else chooses among pods, from others: a drained node goes first.
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// Brings the browser nodes to what is wanted.
pub(super) async fn scale(
    fleet: &Fleet,
    namespace: &str,
    pool: &BrowserPool,
    backlog: &Backlog,
    before: &PoolStatus,
    context: &Context,
) -> Result<PoolStatus, Error> {
    let client = || context.client.clone();
    let (pods, templates): (Api<Pod>, Api<PodTemplate>) =
        (Api::namespaced(client(), namespace), Api::namespaced(client(), namespace));
    let now = context.now();
    let template = templates.get(&pool.pod_template).await?;
    let version = version_of(&template);
    let labelled = ListParams::default().labels(&format!("{FLEET_LABEL}={}", fleet.name_any()));
    let found = pods.list(&labelled).await?.items;
    // Where the hub does not answer, the sessions of its nodes are unknown, and no node is deleted for having none.
    let grid = match context.grid.nodes(&pool.grid.url).await {
        Ok(nodes) => nodes,
        Err(error) => {
            tracing::warn!(%error, "the Grid does not answer: nothing is drained or deleted");
            Vec::new()
        }
    };
    let alive: Vec<&Pod> = found.iter().filter(|pod| pod.meta().deletion_timestamp.is_none()).collect();
    let nodes: Vec<Node> = alive.iter().map(|pod| node_of(pod, &grid, &version, now)).collect();
    let wanted = wanted(backlog, bounds(pool));
    let patience = Patience {
        surplus: SignedDuration::from_secs(pool.scale_down_after_seconds),
        drain: SignedDuration::from_secs(pool.drain_seconds),
    };
    let since = before.surplus_since.as_ref().map(|Time(since)| *since);
    let plan = plan(&nodes, &wanted, patience, since, now);
    let draining = Draining { fleet, namespace, pool, grid: &grid, pods: &pods, context };
    for pod in &alive {
        let is_draining = pod.annotations().contains_key(DRAINING_ANNOTATION);
        if is_draining || plan.drain.contains(&pod.name_any()) {
            draining.drain(pod, now).await?;
        }
    }
    remove(&plan, &alive, &pods, fleet, context).await?;
    make(plan.create, &template, &version, fleet, namespace, &pods, context).await?;
    Ok(status(&nodes, &plan, &wanted))
}

fn bounds(pool: &BrowserPool) -> Bounds {
    let positive = |number: i32| u64::try_from(number).unwrap_or_default();
    Bounds {
        min: positive(pool.min),
        max: positive(pool.max),
        background_max: positive(pool.background_max.unwrap_or(pool.max)),
        slots: positive(pool.slots),
    }
}

/// What names the content of a template: its generation does not grow, its resource version does with every change.
fn version_of(template: &PodTemplate) -> String {
    template.resource_version().unwrap_or_default()
}

/// A pod as a node of the Grid. Pure.
fn node_of(pod: &Pod, grid: &[GridNode], version: &str, now: Timestamp) -> Node {
    let status = pod.status.clone().unwrap_or_default();
    let at_hub = status.pod_ip.as_ref().and_then(|ip| grid.iter().find(|node| node.host == *ip));
    let is_pod_ready = status.conditions.iter().flatten().any(|one| one.type_ == "Ready" && one.status == "True");
    let has_not_started = status.phase.as_deref().is_none_or(|phase| phase == "Pending");
    let annotations = pod.annotations();
    let made_from = annotations.get(TEMPLATE_ANNOTATION).map(String::as_str);
    Node {
        name: pod.name_any(),
        created: pod.creation_timestamp().map_or(now, |Time(created)| created),
        is_ready: is_pod_ready && at_hub.is_some_and(|node| node.is_up),
        is_over: matches!(status.phase.as_deref(), Some("Succeeded" | "Failed")),
        // What has not started yet holds none, though the Grid does not know it.
        sessions: at_hub.map(|node| node.sessions).or(has_not_started.then_some(0)),
        draining_since: annotations.get(DRAINING_ANNOTATION).and_then(|since| since.parse().ok()),
        is_outdated: made_from != Some(version),
    }
}

/// How nodes are drained.
struct Draining<'a> {
    fleet: &'a Fleet,
    namespace: &'a str,
    pool: &'a BrowserPool,
    grid: &'a [GridNode],
    pods: &'a Api<Pod>,
    context: &'a Context,
}

impl Draining<'_> {
    /// Marks the pod first, so that a drain that was cut short goes on, then asks the hub.
    async fn drain(&self, pod: &Pod, now: Timestamp) -> Result<(), Error> {
        let name = pod.name_any();
        if !pod.annotations().contains_key(DRAINING_ANNOTATION) {
            let marks = serde_json::json!({"metadata": {"annotations": {
                DRAINING_ANNOTATION: now.to_string(), DELETION_COST: "-1000",
            }}});
            self.pods.patch(&name, &PatchParams::default(), &Patch::Merge(marks)).await?;
            self.context.figures.wrote("Pod");
            self.context
                .announce(self.fleet, EventType::Normal, "Draining", &format!("{name} takes no further session"))
                .await;
        }
        let ip = pod.status.as_ref().and_then(|status| status.pod_ip.clone());
        let at_hub = self.grid.iter().find(|node| node.is_up && Some(&node.host) == ip.as_ref());
        let Some(node) = at_hub else { return Ok(()) };
        let secret = self.secret().await?;
        self.context.grid.drain(&self.pool.grid.url, &node.id, &secret).await
    }

    async fn secret(&self) -> Result<String, Error> {
        let Some(SecretKey { name, key }) = &self.pool.grid.registration_secret else { return Ok(String::new()) };
        let secrets: Api<Secret> = Api::namespaced(self.context.client.clone(), self.namespace);
        let secret = secrets.get(name).await?;
        let value = secret.data.as_ref().and_then(|data| data.get(key));
        let missing = || Error::Settings(format!("Secret `{name}` has no key `{key}`, which the fleet names"));
        let value = String::from_utf8(value.ok_or_else(missing)?.0.clone()).map_err(|_| missing())?;
        // Made from a file, it ends with a line break.
        Ok(value.trim_end().to_owned())
    }
}

/// Deletes what the plan says: exactly the pods that were looked at, not others that have their names by now.
async fn remove(plan: &Plan, alive: &[&Pod], pods: &Api<Pod>, fleet: &Fleet, context: &Context) -> Result<(), Error> {
    for pod in alive {
        let name = pod.name_any();
        let is_overdue = plan.overdue.contains(&name);
        if !is_overdue && !plan.delete.contains(&name) {
            continue;
        }
        // One that changed meanwhile may have begun to serve: it is looked at again.
        let exactly = Preconditions { uid: pod.uid(), resource_version: pod.resource_version() };
        let how = DeleteParams { preconditions: Some(exactly), ..DeleteParams::default() };
        match pods.delete(&name, &how).await {
            Ok(_) => context.figures.wrote("Pod"),
            Err(error) if Error::is_gone(&error) || Error::is_conflict(&error) => continue,
            Err(error) => return Err(error.into()),
        }
        if is_overdue {
            let note = format!("{name} was deleted with sessions, whose deadline (`drainSeconds`) has passed");
            context.announce(fleet, EventType::Warning, "Overdue", &note).await;
        }
    }
    Ok(())
}

async fn make(
    count: u64,
    template: &PodTemplate,
    version: &str,
    fleet: &Fleet,
    namespace: &str,
    pods: &Api<Pod>,
    context: &Context,
) -> Result<(), Error> {
    let pod = build(template, version, fleet, namespace);
    for _ in 0..count {
        pods.create(&PostParams { field_manager: Some(FIELD_MANAGER.to_owned()), ..PostParams::default() }, &pod)
            .await?;
        context.figures.wrote("Pod");
    }
    Ok(())
}

/// A pod of the template. The API server gives it its name. Pure.
fn build(template: &PodTemplate, version: &str, fleet: &Fleet, namespace: &str) -> Pod {
    let content = template.template.clone().unwrap_or_default();
    let metadata = content.metadata.unwrap_or_default();
    let mut labels = metadata.labels.unwrap_or_default();
    labels.insert(FLEET_LABEL.to_owned(), fleet.name_any());
    let mut annotations = metadata.annotations.unwrap_or_default();
    annotations.insert(TEMPLATE_ANNOTATION.to_owned(), version.to_owned());
    Pod {
        metadata: ObjectMeta {
            generate_name: Some(format!("{}-browser-", fleet.name_any())),
            namespace: Some(namespace.to_owned()),
            labels: Some(labels),
            annotations: Some(annotations),
            owner_references: fleet.controller_owner_ref(&()).map(|owner| vec![owner]),
            ..ObjectMeta::default()
        },
        spec: content.spec,
        status: None,
    }
}

fn status(nodes: &[Node], plan: &Plan, wanted: &Wanted) -> PoolStatus {
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let removed = |node: &&Node| plan.delete.contains(&node.name) || plan.overdue.contains(&node.name);
    let left: Vec<&Node> = nodes.iter().filter(|node| !removed(node)).collect();
    let draining = left.iter().filter(|node| node.draining_since.is_some() || plan.drain.contains(&node.name)).count();
    PoolStatus {
        wanted: i64::try_from(wanted.count).unwrap_or(i64::MAX),
        serving: number(left.len() - draining) + i64::try_from(plan.create).unwrap_or(i64::MAX),
        draining: number(draining),
        surplus_since: plan.surplus_since.map(Time),
        reason: wanted.why.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pod(phase: &str, ip: &str) -> Pod {
        let annotations = json!({TEMPLATE_ANNOTATION: "7"});
        let ready = json!([{"type": "Ready", "status": if phase == "Running" { "True" } else { "False" }}]);
        let value = json!({
            "metadata": {"name": "browser-1", "annotations": annotations},
            "status": {"phase": phase, "podIP": ip, "conditions": ready},
        });
        serde_json::from_value(value).expect("a pod")
    }

    fn at_hub(ip: &str, sessions: u64) -> GridNode {
        GridNode { id: "n".into(), host: ip.into(), is_up: true, sessions }
    }

    fn seen(pod: &Pod, grid: &[GridNode]) -> (bool, bool, Option<u64>) {
        let node = node_of(pod, grid, "7", Timestamp::UNIX_EPOCH);
        assert!(!node.is_outdated && node_of(pod, grid, "8", Timestamp::UNIX_EPOCH).is_outdated);
        (node.is_ready, node.is_over, node.sessions)
    }

    #[test]
    fn a_pod_is_the_node_of_its_address_and_its_sessions_are_what_the_hub_says() {
        let grid = [at_hub("10.0.0.1", 2)];
        assert_eq!(seen(&pod("Running", "10.0.0.1"), &grid), (true, false, Some(2)));
        assert_eq!(seen(&pod("Running", "10.0.0.2"), &grid), (false, false, None), "running, and unknown to the hub");
        assert_eq!(seen(&pod("Pending", "10.0.0.2"), &grid), (false, false, Some(0)), "not started: it holds none");
        assert_eq!(seen(&pod("Succeeded", "10.0.0.2"), &grid), (false, true, None));
    }
}
