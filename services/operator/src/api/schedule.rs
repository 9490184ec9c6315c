//! `Schedule`: makes campaigns at the times of a cron expression.

use super::CampaignSpec;
use super::condition::Condition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// When campaigns are made, and of what.
#[derive(CustomResource, Clone, Debug, PartialEq, Serialize, Deserialize, KubeSchema)]
#[kube(
    group = "rutter.dev",
    version = "v1alpha1",
    kind = "Schedule",
    namespaced,
    status = "ScheduleStatus",
    category = "rutter",
    derive = "PartialEq",
    doc = "Makes campaigns at the times of a cron expression, and tells what became of each time.",
    printcolumn(name = "Cron", type_ = "string", json_path = ".spec.cron"),
    printcolumn(name = "Zone", type_ = "string", json_path = ".spec.timeZone"),
    printcolumn(name = "Suspended", type_ = "boolean", json_path = ".spec.suspend"),
    printcolumn(name = "Active", type_ = "integer", json_path = ".status.counts.active"),
    printcolumn(name = "Last", type_ = "date", json_path = ".status.lastTime"),
    printcolumn(name = "Next", type_ = "string", json_path = ".status.nextTime"),
    printcolumn(name = "Skipped", type_ = "integer", json_path = ".status.counts.skipped"),
    printcolumn(name = "Missed", type_ = "integer", json_path = ".status.counts.missed"),
    printcolumn(name = "Why", type_ = "string", json_path = ".status.message"),
    validation = Rule::new("self.metadata.name.size() <= 50")
        .message("the name is too long: a schedule's name has at most 50 characters, since its campaigns add a time to it")
)]
#[serde(rename_all = "camelCase")]
pub struct ScheduleSpec {
    /// Minute, hour, day of month, month, day of week; or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`.
    #[schemars(length(min = 1, max = 128))]
    #[x_kube(
        validation = Rule::new("!self.contains('TZ=')").message("write the time zone into `timeZone`, not into `cron`"),
        validation = Rule::new("self.contains('TZ=') || self.matches('^(@(hourly|daily|weekly|monthly|yearly|annually)|[^ @]+( +[^ ]+){4})$')")
            .message("`cron` has five fields (minute, hour, day of month, month, day of week), e.g. `0 6 * * 1-5`, or is one of @hourly, @daily, @weekly, @monthly, @yearly"),
    )]
    pub cron: String,
    /// The time zone that the fields are meant in, by its name in the IANA database.
    #[serde(default = "utc")]
    #[schemars(length(min = 1, max = 64))]
    #[x_kube(validation = Rule::new("self.matches('^(Etc/|[A-Z][A-Za-z_]+/)[A-Za-z0-9_+/-]+$') || self == 'UTC'")
        .message("`timeZone` is a name of the IANA database, e.g. Europe/Berlin or UTC: abbreviations, offsets and `Local` do not say what daylight saving does"))]
    pub time_zone: String,
    /// What becomes of a time when a campaign of an earlier time has not ended.
    #[serde(default)]
    pub concurrency_policy: ConcurrencyPolicy,
    /// How many seconds late a campaign may still be made, e.g. after the operator was away. Of several such times only the last one
    /// is caught up with; the others are missed.
    #[serde(default = "catch_up")]
    #[schemars(range(min = 0, max = 604_800))]
    #[x_kube(validation = Rule::new("self == 0 || self >= 10")
        .message("`catchUpSeconds` is 0 (never late) or at least 10: the operator may take some seconds to notice a time"))]
    pub catch_up_seconds: i64,
    /// Whether no further campaign is made. Times that pass meanwhile are missed.
    #[serde(default)]
    pub suspend: bool,
    /// How many ended campaigns are kept as resources. Their results stay in the ledger.
    #[serde(default)]
    pub history: History,
    /// What is made.
    pub template: Template,
}

fn utc() -> String {
    "UTC".to_owned()
}

fn catch_up() -> i64 {
    300
}

/// What becomes of a time when a campaign of an earlier time has not ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ConcurrencyPolicy {
    /// Both work side by side.
    Allow,
    /// The time is skipped, which is said.
    #[default]
    Forbid,
    /// The earlier one is cancelled.
    Replace,
}

/// How many ended campaigns are kept as resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct History {
    /// Of those in which every job passed.
    #[schemars(range(min = 0, max = 100))]
    pub succeeded: i32,
    /// Of the others.
    #[schemars(range(min = 0, max = 100))]
    pub failed: i32,
}

impl Default for History {
    fn default() -> Self {
        Self { succeeded: 3, failed: 3 }
    }
}

/// What is made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct Template {
    /// Labels of the campaigns as resources.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Annotations of the campaigns as resources.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    /// The campaign.
    #[x_kube(validation = Rule::new("self.wish != 'Cancel'")
        .message("campaigns of a schedule cannot begin cancelled: set `suspend: true` on the schedule"))]
    pub spec: CampaignSpec,
}

/// What became of the times of a schedule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScheduleStatus {
    /// The generation that this was found for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// What it waits for, in a sentence.
    #[serde(default)]
    pub message: String,
    /// The last time that was decided upon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_time: Option<Time>,
    /// The next time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_time: Option<Time>,
    /// Campaigns that have not ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub active: Vec<String>,
    /// The last twenty times, the newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<Run>,
    /// All times, counted.
    #[serde(default)]
    pub counts: Counts,
    /// What holds of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

/// What became of one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    /// The time.
    pub due: Time,
    /// What became of it.
    pub outcome: RunOutcome,
    /// The campaign, where one was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub campaign: Option<String>,
    /// Why, in a sentence.
    pub reason: String,
}

/// What became of one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum RunOutcome {
    /// A campaign was made.
    Started,
    /// None was made, because an earlier one had not ended.
    Skipped,
    /// None was made, because nobody was there to make it in time, or the schedule was suspended.
    Missed,
}

/// Times, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Counts {
    /// Campaigns that have not ended.
    pub active: i64,
    /// Campaigns that were made.
    pub started: i64,
    /// Times that were skipped.
    pub skipped: i64,
    /// Times that were missed.
    pub missed: i64,
}
