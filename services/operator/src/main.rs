//! The binary of the operator: reads its command line, then runs or prints the definitions of its resources.

use anyhow::Context as _;
use clap::{Parser, Subcommand};
use operator::{config, crds};
use platform::admin::AdminOptions;
use platform::{runtime, shutdown, telemetry};
use serde::Serialize;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Turns Kubernetes resources of group rutter.dev into campaigns, and scales what works through them.
#[derive(Parser)]
#[command(name = "rutter-operator", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Looks after the resources of a cluster, e.g. `rutter-operator run --config rutter.toml`
    Run {
        /// Settings: the file of the roles, of which services.campaigns, services.aggregator, admin and operator are read
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
        /// Where it answers probes and scrapers, instead of `admin.bind` of the settings
        #[arg(long, value_name = "ADDRESS")]
        admin: Option<SocketAddr>,
        /// Writes log lines as JSON
        #[arg(long)]
        json_log: bool,
    },
    /// Prints the definitions of the resources, for `kubectl apply -f -`
    Crds,
}

#[derive(Serialize)]
struct Flags {
    #[serde(skip_serializing_if = "Option::is_none")]
    admin: Option<AdminOptions>,
}

fn main() -> anyhow::Result<()> {
    // Before anything can open a connection: the process has one TLS provider. A second installation is no harm.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    match Cli::parse().command {
        Command::Crds => {
            for (_, text) in crds::files()? {
                std::io::stdout().write_all(text.as_bytes()).context("write the definitions")?;
            }
            Ok(())
        }
        Command::Run { config, admin, json_log } => {
            let format = if json_log { telemetry::Format::Json } else { telemetry::Format::Text };
            telemetry::init(format)?;
            let allow_open = admin.is_some_and(|address| !address.ip().is_loopback());
            let flags = Flags { admin: admin.map(|bind| AdminOptions { bind, allow_open }) };
            let settings = config::load(config.as_deref(), &flags)?;
            runtime::run(run(settings)).context("start the runtime")?
        }
    }
}

async fn run(settings: config::Config) -> anyhow::Result<()> {
    let asked = shutdown::on_signals().context("listen to signals")?;
    let client = kube::Client::try_default().await.context("find the API server: run in a pod, or set KUBECONFIG")?;
    Ok(operator::run::run(&settings, client, asked).await?)
}
