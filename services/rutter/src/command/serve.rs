//! `rutter serve`: one role of the cluster, or all of them.

use crate::cli::Serve;
use crate::exit::{Exit, OrExit, Outcome};
use crate::print::note;
use anyhow::Context as _;
use node::Role;
use node::serve::Rested;
use platform::shutdown;
use platform::telemetry::{self, Traces};
use serde::Serialize;
use std::net::SocketAddr;

/// What the command line says of the settings.
#[derive(Serialize)]
struct Flags {
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<Bind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    admin: Option<Bind>,
}

#[derive(Serialize)]
struct Bind {
    bind: SocketAddr,
}

/// Runs roles until asked to end.
pub(crate) async fn execute(args: Serve) -> Outcome {
    let bind = args.listen.map(|bind| Bind { bind });
    let admin = args.admin.map(|bind| Bind { bind });
    let settings = node::config::load(args.settings.config.as_deref(), &Flags { server: bind, admin })?;
    let roles = args.role.roles();
    let names = Role::names(&roles);
    let traces = settings.traces_of(&names.replace(", ", "-"));
    let traces = telemetry::start(args.log.into(), std::io::stderr, false, traces.as_ref()).or_exit(Exit::Usage)?;
    let asked = shutdown::on_signals().context("listen to signals").or_exit(Exit::Internal)?;
    let serving = |address| note!("serving {names} at {address}");
    let rested = node::serve::serve(&settings, &roles, asked, serving).await;
    finish(traces).await;
    Ok(match rested? {
        Rested::Asked => Exit::Success,
        Rested::Failed => Exit::Internal,
    })
}

/// Sends the spans that wait, and says how many never arrived.
pub(super) async fn finish(traces: Traces) {
    let lost = tokio::task::spawn_blocking(move || traces.finish()).await.unwrap_or_default();
    if lost > 0 {
        tracing::warn!(spans = lost, "spans were lost");
    }
}
