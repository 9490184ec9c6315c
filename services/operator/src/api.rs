//! The resources of group `rutter.dev`: what people declare, and what they are told of it.
//!
//! The definitions in `helm/rutter/crds` are made from these types; a test says when they are stale. Whatever can be refused by a
//! rule is refused by the API server itself, with a message that says what to do.

#![allow(
    unreachable_pub,
    clippy::duplicated_attributes,
    reason = "the derivation of schemas repeats the types within a function, and columns have attributes of the same kind"
)]

pub mod campaign;
pub mod condition;
pub mod fleet;
pub mod schedule;

pub use campaign::{Campaign, CampaignSpec, CampaignStatus, Phase};
pub use fleet::{Fleet, FleetSpec, FleetStatus};
pub use schedule::{Schedule, ScheduleSpec, ScheduleStatus};

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The group of all resources.
pub const GROUP: &str = "rutter.dev";

/// The version that is stored. A later one is served beside it, and converted by a webhook, before this one goes.
pub const VERSION: &str = "v1alpha1";

/// Label of campaigns that a schedule made: its name.
pub const SCHEDULE_LABEL: &str = "rutter.dev/schedule";

/// Annotation of campaigns that a schedule made: the time that they were due.
pub const DUE_ANNOTATION: &str = "rutter.dev/due";

/// Label of pods that belong to a fleet: its name.
pub const FLEET_LABEL: &str = "rutter.dev/fleet";

/// Annotation of browser pods: which template they were made from.
pub const TEMPLATE_ANNOTATION: &str = "rutter.dev/template";

/// Annotation of browser pods that take no further session: since when.
pub const DRAINING_ANNOTATION: &str = "rutter.dev/draining-since";

/// What the operator signs its changes with.
pub const FIELD_MANAGER: &str = "rutter-operator";

/// A text in a ConfigMap of the same namespace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigMapKey {
    /// The name of the ConfigMap.
    #[schemars(length(min = 1, max = 253))]
    pub name: String,
    /// The key of the text in it.
    #[schemars(length(min = 1, max = 253))]
    pub key: String,
}

/// A value in a Secret of the same namespace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretKey {
    /// The name of the Secret.
    #[schemars(length(min = 1, max = 253))]
    pub name: String,
    /// The key of the value in it.
    #[schemars(length(min = 1, max = 253))]
    pub key: String,
}
