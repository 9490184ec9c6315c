//! Typed identifiers. Two ids of different kinds never mix: swapping them does not compile.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use uuid::Uuid;

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            /// Wraps a text as this kind of id.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_id! {
    /// A web application under test, as named in a task file; by default the origin of its start URL.
    SiteId
}
text_id! {
    /// A task, unique within its file or suite.
    TaskId
}
text_id! {
    /// One task instance to be worked through: unique within its campaign, stable over re-submission.
    JobId
}
text_id! {
    /// A set of jobs submitted together. See [`crate::project`].
    CampaignId
}
text_id! {
    /// One exploration of a site: the name of a version of its map.
    RunId
}
text_id! {
    /// The BLAKE3 hash of a stored blob, in lower-case hexadecimal: equal content has an equal reference.
    BlobRef
}

/// One attempt at a job. Time-ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct EpisodeId(pub Uuid);

impl fmt::Display for EpisodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A fencing token: the number of the claim that an attempt runs under. Grows by one with every claim of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Fence(pub u64);

impl Fence {
    /// Whether both may name the same claim: records that were written before they had a fence have 0 in its place.
    pub fn may_be(self, other: Fence) -> bool {
        self == other || self.0 == 0 || other.0 == 0
    }
}

/// The number of a state within its site, from 1 in the order in which states were found. Stable over runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct StateId(pub u64);

impl fmt::Display for StateId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The index of a node in the one observation it came from. It means nothing in any other observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ElementId(pub u32);

impl ElementId {
    /// The position in [`crate::Observation::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for ElementId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
