//! A planner at an address: any program that answers `PlannerService` of `proto/v1/planner.proto`, in whatever language it is
//! written.
//!
//! This room knows no wire: who puts a process together hands it a [`Dialer`]. What such a planner decides passes the same
//! rules as any other decision, that on secrets among them.

use crate::registry::options::Mistake;
use crate::registry::{BuildError, Needs, Parts, Registered};
use crate::service::Served;
use async_trait::async_trait;
use domain::campaign::{PlannerOptions, PlannerRef};
use domain::decision::PlannerError;
use domain::service::PlannerService;
use domain::{Decision, DecisionRequest, Planner};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Where a planner is, and how it is called there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RemoteOptions {
    /// Where it answers, e.g. `http://127.0.0.1:7071`; `https` speaks TLS.
    pub address: String,
    /// The name that it is asked for by; one program may hold several planners.
    pub name: String,
    /// Its own options, passed on as they are.
    pub options: PlannerOptions,
    /// How large requests are compressed; gRPC for Python knows no zstd.
    pub compression: Compression,
    /// How long it may take over one decision.
    #[schemars(range(min = 1))]
    pub timeout_seconds: u32,
    /// Allows an address beyond this machine in plain text.
    pub allow_open: bool,
}

impl Default for RemoteOptions {
    fn default() -> Self {
        Self {
            address: "http://127.0.0.1:7071".to_owned(),
            name: "planner".to_owned(),
            options: PlannerOptions::default(),
            compression: Compression::None,
            timeout_seconds: 120,
            allow_open: false,
        }
    }
}

/// How requests are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Compression {
    /// Not at all, which every gRPC library understands.
    None,
    /// From 16 KiB on with zstd.
    Zstd,
}

/// Calls planners in other processes.
pub trait Dialer: Send + Sync {
    /// The planners at an address. The connection is made with the first call.
    ///
    /// # Errors
    /// The address cannot be used; says why.
    fn dial(&self, to: &RemoteOptions) -> Result<Arc<dyn PlannerService>, String>;
}

/// The planner at an address.
pub struct Remote {
    planner: Served,
    address: String,
}

impl Registered for Remote {
    const NAME: &'static str = "remote";
    const HELP: &'static str = "A program of your own, in any language, asked over gRPC at `address`";
    const NEEDS: Needs = Needs::NOTHING;
    type Options = RemoteOptions;

    fn build(options: RemoteOptions, parts: &Parts) -> Result<Arc<dyn Planner>, BuildError> {
        let refused =
            |cause| BuildError::Option { planner: Self::NAME, mistake: Mistake { key: "address".to_owned(), cause } };
        let service = parts.dialer(Self::NAME)?.dial(&options).map_err(refused)?;
        let RemoteOptions { address, name, options, .. } = options;
        let planner = PlannerRef { options, ..PlannerRef::named(name) };
        Ok(Arc::new(Remote { planner: Served::new(service, planner).called(Self::NAME), address }))
    }
}

impl Remote {
    /// What to do about a planner that does not answer.
    fn advice(&self) -> String {
        format!("start the planner at {}, or set its option `address` to where it listens", self.address)
    }
}

#[async_trait]
impl Planner for Remote {
    fn name(&self) -> &str {
        self.planner.name()
    }

    async fn decide(&self, request: DecisionRequest) -> Result<Decision, PlannerError> {
        self.planner.decide(request).await.map_err(|error| match error {
            PlannerError::Away { cause, usage } => {
                PlannerError::Away { cause: format!("{cause}; {}", self.advice()), usage }
            }
            other => other,
        })
    }
}

#[cfg(test)]
mod tests;
