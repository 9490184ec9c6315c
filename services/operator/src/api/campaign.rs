//! `Campaign`: tasks or an exploration, handed in to the queue once and followed to their end.

use super::ConfigMapKey;
use super::condition::Condition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::{CustomResource, KubeSchema};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A set of jobs that share a planner, limits, rates and a budget.
#[derive(CustomResource, Clone, Debug, PartialEq, Serialize, Deserialize, KubeSchema)]
#[kube(
    group = "rutter.dev",
    version = "v1alpha1",
    kind = "Campaign",
    namespaced,
    status = "CampaignStatus",
    category = "rutter",
    derive = "PartialEq",
    doc = "Tasks or an exploration of a site, handed in to the queue once and followed to their end.",
    printcolumn(name = "Phase", type_ = "string", json_path = ".status.phase"),
    printcolumn(name = "Ended", type_ = "string", json_path = ".status.progress"),
    printcolumn(name = "Passed", type_ = "integer", json_path = ".status.passed"),
    printcolumn(name = "Why", type_ = "string", json_path = ".status.message"),
    printcolumn(name = "Cost", type_ = "string", json_path = ".status.cost", priority = 1),
    printcolumn(name = "Project", type_ = "string", json_path = ".spec.project", priority = 1),
    printcolumn(name = "Planner", type_ = "string", json_path = ".spec.planner.name", priority = 1),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    validation = Rule::new("self.metadata.name.size() <= 63")
        .message("the name is too long: a campaign's name has at most 63 characters, since it is used as a label"),
    validation = Rule::new("has(self.spec.tasks) == has(oldSelf.spec.tasks) && (!has(self.spec.tasks) || self.spec.tasks == oldSelf.spec.tasks)")
        .message("`tasks` are fixed once the campaign is created: create another Campaign, or a Schedule that makes them"),
    validation = Rule::new("has(self.spec.exploration) == has(oldSelf.spec.exploration) && (!has(self.spec.exploration) || self.spec.exploration == oldSelf.spec.exploration)")
        .message("`exploration` is fixed once the campaign is created: create another Campaign"),
    validation = Rule::new("self.spec.planner == oldSelf.spec.planner")
        .message("`planner` is fixed once the campaign is created: create another Campaign to compare planners"),
    validation = Rule::new("self.spec.class == oldSelf.spec.class && self.spec.share == oldSelf.spec.share")
        .message("`class` and `share` are fixed once the campaign is created: create another Campaign"),
    validation = Rule::new("has(self.spec.budget) == has(oldSelf.spec.budget) && (!has(self.spec.budget) || self.spec.budget == oldSelf.spec.budget)")
        .message("`budget` is fixed once the campaign is created: hand the rest in as another Campaign with a budget of its own"),
    validation = Rule::new("has(self.spec.rates) == has(oldSelf.spec.rates) && (!has(self.spec.rates) || self.spec.rates == oldSelf.spec.rates)")
        .message("`rates` are fixed once the campaign is created: pause it (`wish: Pause`) and create another Campaign"),
    validation = Rule::new("has(self.spec.limits) == has(oldSelf.spec.limits) && (!has(self.spec.limits) || self.spec.limits == oldSelf.spec.limits)")
        .message("`limits` are fixed once the campaign is created: create another Campaign"),
    validation = Rule::new("has(self.spec.labels) == has(oldSelf.spec.labels) && (!has(self.spec.labels) || self.spec.labels == oldSelf.spec.labels)")
        .message("`labels` of the work are fixed once the campaign is created: create another Campaign"),
    validation = Rule::new("has(self.spec.project) == has(oldSelf.spec.project) && (!has(self.spec.project) || self.spec.project == oldSelf.spec.project)")
        .message("`project` is fixed once the campaign is created: create another Campaign in the other project"),
    validation = Rule::new("oldSelf.spec.wish != 'Cancel' || self.spec.wish == 'Cancel'")
        .message("a cancelled campaign stays cancelled: create another Campaign")
)]
#[x_kube(
    validation = Rule::new("has(self.tasks) != has(self.exploration)")
        .message("a campaign has either `tasks` or an `exploration`: set exactly one of them"),
)]
#[serde(rename_all = "camelCase")]
pub struct CampaignSpec {
    /// Tasks in words, as in a task file. Either these or an exploration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<TaskSource>,
    /// An exploration of a site. Either this or tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exploration: Option<Exploration>,
    /// The project that it belongs to, with its maps and results. Where each namespace is a project, that of its namespace, which needs no
    /// naming; elsewhere `default` where none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 63))]
    #[x_kube(validation = Rule::new("self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')")
        .message("`project` is a name of lower-case letters, digits and hyphens between them, e.g. payments"))]
    pub project: Option<String>,
    /// Who decides.
    #[serde(default)]
    pub planner: Planner,
    /// Whom it yields to: interactive work goes before scheduled work, and that before background work.
    #[serde(default)]
    pub class: Class,
    /// Its part of the slots among campaigns of its class, relative to theirs.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 1000))]
    pub share: i32,
    /// Page loads of hosts. A host that is not named has the rate that the crawlers are configured with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 200))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["host".to_owned()]))]
    pub rates: Vec<HostRate>,
    /// What an attempt may take at most, whatever its task allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// What all attempts together may cost. No further job begins once it is spent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// A crawler that is set up for labels takes its jobs only if all of those are among these.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// What is asked of it: to go on, to begin no further job, or to end.
    #[serde(default)]
    pub wish: Wish,
    /// What becomes of jobs that have not ended when this resource is deleted.
    #[serde(default)]
    pub on_delete: OnDelete,
    /// Where results are written beside the ledger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results: Option<Results>,
}

fn one() -> i32 {
    1
}

/// Where tasks stand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, KubeSchema)]
#[x_kube(
    validation = Rule::new("has(self.inline) != has(self.configMap)")
        .message("tasks stand either in the resource (`inline`) or in a ConfigMap (`configMap`): set exactly one of them")
)]
#[serde(rename_all = "camelCase")]
pub struct TaskSource {
    /// A task file in YAML, with `sites` and `tasks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 262_144))]
    #[x_kube(validation = Rule::new("self.contains('tasks:')")
        .message("`inline` holds a task file: a mapping with the field `tasks`, and a list below it"))]
    pub inline: Option<String>,
    /// A ConfigMap of the same namespace; a key that ends in `.jsonl` holds one task a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_map: Option<ConfigMapKey>,
}

/// How a site is explored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct Exploration {
    /// Where it begins.
    #[schemars(length(min = 1, max = 2048))]
    #[x_kube(validation = Rule::new("isURL(self) && url(self).getScheme() in ['http', 'https'] && url(self).getHost() != ''")
        .message("`startUrl` must be an absolute http or https address, e.g. https://shop.example/"))]
    pub start_url: String,
    /// The site's name in the map; the origin of the start URL when absent: scheme, host and port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub site: Option<String>,
    /// Further hosts that belong to it; nothing else is ever requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100), inner(length(min = 1, max = 253)))]
    pub scope: Vec<String>,
    /// Who chooses what is tried next.
    #[serde(default = "frontier")]
    #[schemars(length(min = 1, max = 63))]
    pub strategy: String,
    /// Seconds after which it stops.
    #[schemars(range(min = 1, max = 604_800))]
    pub seconds: i64,
    /// Browsers that share the work.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 500))]
    pub browsers: i32,
    /// How much it may change.
    #[serde(default)]
    pub mode: Mode,
    /// A log-in recipe in a ConfigMap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub login: Option<ConfigMapKey>,
    /// Whether certificates that nobody signed are accepted.
    #[serde(default)]
    pub accept_self_signed_certificates: bool,
}

/// How much an exploration may change. Each mode may do what the one before it may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Mode {
    /// Nothing is sent but plain readings.
    ReadOnly,
    /// What was there before is left as it is.
    #[default]
    Careful,
    /// Existing things are changed too: for test systems with a reset.
    Free,
    /// Everything is pressed, also what deletes, pays, sends or logs out.
    Destructive,
}

fn frontier() -> String {
    "frontier".to_owned()
}

/// Who decides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Planner {
    /// Its name, as `rutter planners` lists it.
    #[serde(default = "ground")]
    #[schemars(length(min = 1, max = 63))]
    pub name: String,
    /// The model, by the name that the planners' settings give it; for planners that ask one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub model: Option<String>,
    /// Its options.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schemars(schema_with = "anything")]
    pub options: Map<String, Value>,
}

impl Default for Planner {
    fn default() -> Self {
        Self { name: ground(), model: None, options: Map::new() }
    }
}

fn ground() -> String {
    "ground".to_owned()
}

fn anything(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})
}

/// Whom a campaign yields to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum Class {
    /// Somebody waits for it.
    Interactive,
    /// It should be done in its time.
    #[default]
    Scheduled,
    /// It takes what is left.
    Background,
}

/// How fast a host may be visited, over all crawlers together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostRate {
    /// The host, with its port where that is not the default one.
    #[schemars(length(min = 1, max = 260))]
    #[x_kube(validation = Rule::new("!self.contains('/')")
        .message("`host` is a host, with a port where it has one of its own: leave out the scheme and the path"))]
    pub host: String,
    /// Page loads per second.
    #[x_kube(validation = Rule::new("self > 0.0")
        .message("`perSecond` must be above 0: to leave a host alone, leave its tasks out"))]
    pub per_second: f64,
    /// Page loads that may follow each other at once.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 1000))]
    pub burst: i32,
}

/// What an attempt may take at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[x_kube(
    validation = Rule::new("has(self.steps) || has(self.seconds)")
        .message("`limits` limits nothing: set `steps` or `seconds`, or leave it out")
)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Executed actions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100_000))]
    pub steps: Option<i32>,
    /// Wall time in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 604_800))]
    pub seconds: Option<i64>,
}

/// What all attempts together may cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, KubeSchema)]
#[x_kube(
    validation = Rule::new("has(self.usd) || has(self.tokens)")
        .message("`budget` limits nothing: set `usd` or `tokens`, or leave it out"),
)]
#[serde(rename_all = "camelCase")]
pub struct Budget {
    /// US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = Rule::new("self > 0.0")
        .message("`usd` must be above 0: a campaign without a budget could not begin"))]
    pub usd: Option<f64>,
    /// Prompt and completion tokens together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub tokens: Option<i64>,
}

/// What is asked of a campaign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Wish {
    /// Its jobs are claimed.
    #[default]
    Run,
    /// No further job is claimed; attempts under way go on to their end.
    Pause,
    /// What has not ended ends as cancelled.
    Cancel,
}

/// What becomes of jobs that have not ended when the resource is deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum OnDelete {
    /// They end as cancelled. What has ended stays in the ledger.
    #[default]
    Cancel,
    /// They go on; `rutter status` still tells of them.
    Leave,
}

/// Where results are written beside the ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Results {
    /// The ConfigMap that gets the totals as `results.json`; it is removed with the campaign.
    #[schemars(length(min = 1, max = 253))]
    pub config_map: String,
}

/// How a campaign stands, in one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Phase {
    /// The queue does not have it yet.
    #[default]
    Pending,
    /// It cannot be handed in as it is.
    Invalid,
    /// Jobs are under way.
    Running,
    /// Jobs wait, and none is under way.
    Waiting,
    /// Somebody paused it.
    Paused,
    /// Every job ended, and passed.
    Succeeded,
    /// Every job ended, and not all passed.
    Failed,
    /// It was cancelled before every job had ended.
    Cancelled,
}

impl Phase {
    /// Whether nothing more happens.
    pub fn is_over(self) -> bool {
        matches!(self, Phase::Invalid | Phase::Succeeded | Phase::Failed | Phase::Cancelled)
    }
}

/// How a campaign stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CampaignStatus {
    /// The generation that this was found for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// In one word.
    #[serde(default)]
    pub phase: Phase,
    /// Why, in a sentence.
    #[serde(default)]
    pub message: String,
    /// Its name in the queue and the ledger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub campaign: Option<String>,
    /// Whether all its jobs were handed in.
    #[serde(default)]
    pub submitted: bool,
    /// Jobs that have ended, of all, e.g. `3/12`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<String>,
    /// Its jobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobs: Option<Jobs>,
    /// Jobs that passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed: Option<i64>,
    /// Ended jobs by verdict.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub verdicts: BTreeMap<String, i64>,
    /// What it cost in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<String>,
    /// When it was handed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Time>,
    /// When its last job had ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Time>,
    /// What holds of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

/// How far a campaign is: each job is counted in exactly one of these beside `total`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Jobs {
    /// All.
    pub total: i64,
    /// Not under way and not ended.
    pub waiting: i64,
    /// Under way.
    pub running: i64,
    /// Ended with a verdict.
    pub judged: i64,
    /// Ended in quarantine.
    pub quarantined: i64,
    /// Ended by cancellation.
    pub cancelled: i64,
}
