//! `Fleet`: how many crawlers, planners and browser nodes there are, by what there is to do.

use super::SecretKey;
use super::condition::Condition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bounds of what is scaled.
#[derive(CustomResource, Clone, Debug, PartialEq, Serialize, Deserialize, KubeSchema)]
#[kube(
    group = "rutter.dev",
    version = "v1alpha1",
    kind = "Fleet",
    namespaced,
    status = "FleetStatus",
    category = "rutter",
    derive = "PartialEq",
    doc = "Scales crawlers, planners and browser nodes by what waits in the queue. A browser node is drained before it is deleted.",
    printcolumn(name = "Browsers", type_ = "integer", json_path = ".status.browsers.serving"),
    printcolumn(name = "Wanted", type_ = "integer", json_path = ".status.browsers.wanted"),
    printcolumn(name = "Draining", type_ = "integer", json_path = ".status.browsers.draining"),
    printcolumn(name = "Crawlers", type_ = "integer", json_path = ".status.crawlers.wanted"),
    printcolumn(name = "Planners", type_ = "integer", json_path = ".status.planners.wanted"),
    printcolumn(name = "Why", type_ = "string", json_path = ".status.message"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[x_kube(
    validation = Rule::new("has(self.crawlers) || has(self.planners) || has(self.browsers)")
        .message("a fleet scales something: set `browsers`, `crawlers` or `planners`"),
)]
#[serde(rename_all = "camelCase")]
pub struct FleetSpec {
    /// Browser nodes of a Selenium Grid: pods that the operator makes and deletes itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub browsers: Option<BrowserPool>,
    /// Crawlers: a Deployment whose replicas the operator sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crawlers: Option<WorkerPool>,
    /// Planners: a Deployment whose replicas the operator sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planners: Option<WorkerPool>,
    /// Whether nothing is changed.
    #[serde(default)]
    pub suspend: bool,
}

/// Replicas of a Deployment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, KubeSchema)]
#[x_kube(
    validation = Rule::new("self.min <= self.max").message("`min` must not be above `max`"),
    validation = Rule::new("!has(self.backgroundMax) || self.backgroundMax <= self.max")
        .message("`backgroundMax` must not be above `max`"),
)]
#[serde(rename_all = "camelCase")]
pub struct WorkerPool {
    /// The Deployment, in the same namespace.
    #[schemars(length(min = 1, max = 253))]
    pub deployment: String,
    /// The fewest replicas. With 0 there is none while nothing waits.
    #[serde(default)]
    #[schemars(range(min = 0, max = 5000))]
    pub min: i32,
    /// The most replicas.
    #[schemars(range(min = 1, max = 5000))]
    pub max: i32,
    /// The most replicas while nothing but background work waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 5000))]
    pub background_max: Option<i32>,
    /// Jobs that one replica serves at the same time.
    #[schemars(range(min = 1, max = 10_000))]
    pub slots: i32,
    /// Seconds for which fewer must be enough before there are fewer.
    #[serde(default = "patience")]
    #[schemars(range(min = 0, max = 86_400))]
    pub scale_down_after_seconds: i64,
}

/// Browser nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, KubeSchema)]
#[x_kube(
    validation = Rule::new("self.min <= self.max").message("`min` must not be above `max`"),
    validation = Rule::new("!has(self.backgroundMax) || self.backgroundMax <= self.max")
        .message("`backgroundMax` must not be above `max`"),
)]
#[serde(rename_all = "camelCase")]
pub struct BrowserPool {
    /// The PodTemplate, in the same namespace, that nodes are made from. A changed one replaces them, drained one after the other.
    #[schemars(length(min = 1, max = 253))]
    pub pod_template: String,
    /// The hub that the nodes join.
    pub grid: Grid,
    /// The fewest nodes. With 0 there is none while nothing waits.
    #[serde(default)]
    #[schemars(range(min = 0, max = 5000))]
    pub min: i32,
    /// The most nodes.
    #[schemars(range(min = 1, max = 5000))]
    pub max: i32,
    /// The most nodes while nothing but background work waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 5000))]
    pub background_max: Option<i32>,
    /// Sessions that one node serves at the same time.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 100))]
    pub slots: i32,
    /// Seconds for which fewer must be enough before there are fewer.
    #[serde(default = "patience")]
    #[schemars(range(min = 0, max = 86_400))]
    pub scale_down_after_seconds: i64,
    /// Seconds that sessions of a drained node may take to end. Then the node is deleted all the same, which is told by an event.
    #[serde(default = "an_hour")]
    #[schemars(range(min = 1, max = 604_800))]
    pub drain_seconds: i64,
}

fn one() -> i32 {
    1
}

fn patience() -> i64 {
    120
}

fn an_hour() -> i64 {
    3600
}

/// The hub of a Selenium Grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct Grid {
    /// Its address, e.g. `http://rutter-grid:4444`.
    #[schemars(length(min = 1, max = 2048))]
    #[x_kube(validation = Rule::new("isURL(self) && url(self).getScheme() in ['http', 'https'] && url(self).getHost() != ''")
        .message("`url` must be the http or https address of the hub, e.g. http://rutter-grid:4444"))]
    pub url: String,
    /// The registration secret, without which nobody drains a node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registration_secret: Option<SecretKey>,
}

/// What is there, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FleetStatus {
    /// The generation that this was found for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Why there are as many as there are, in a sentence.
    #[serde(default)]
    pub message: String,
    /// The browser nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub browsers: Option<PoolStatus>,
    /// The crawlers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crawlers: Option<PoolStatus>,
    /// The planners.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planners: Option<PoolStatus>,
    /// What holds of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

/// One kind of what is scaled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PoolStatus {
    /// How many there should be.
    pub wanted: i64,
    /// How many take work, or will once they have started.
    pub serving: i64,
    /// How many take no further session.
    pub draining: i64,
    /// Since when fewer would be enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surplus_since: Option<Time>,
    /// Why there should be as many.
    #[serde(default)]
    pub reason: String,
}
