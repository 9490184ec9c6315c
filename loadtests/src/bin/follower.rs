//! Serves the planner of the wizards, as the role `planner` serves others: what decides under load, at next to no cost.

#![expect(clippy::print_stdout, reason = "what it finds is its output")]

use anyhow::{Context, Result};
use clap::Parser;
use domain::campaign::PlannerRef;
use domain::service::ServiceError;
use loadtests::child;
use loadtests::decider::Follower;
use planner::Planners;
use platform::admin::{Admin, AdminOptions};
use platform::health::Health;
use platform::metrics::Metrics;
use platform::rpc::{Server, ServerOptions};
use platform::tasks::Tasks;
use platform::{runtime, shutdown};
use proto::server::Services;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// A planner role that offers one planner: `follower`, which goes through the wizards of the simulated Grid's site.
///
/// Prints one line of JSON on standard output when it is ready: the addresses for calls and for scrapers. Ends on SIGTERM,
/// or with its standard input.
#[derive(Parser)]
#[command(after_help = "Example:\n  follower --listen 127.0.0.1:7403")]
struct Arguments {
    /// Where it answers calls; port 0 takes a free one
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Where it answers scrapers; port 0 takes a free one
    #[arg(long, default_value = "127.0.0.1:0")]
    admin: SocketAddr,
    /// End when standard input ends
    #[arg(long)]
    child: bool,
}

/// That of the program whose work is measured.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<()> {
    // On as many threads as the real ones.
    runtime::run(work(Arguments::parse()))?
}

async fn work(arguments: Arguments) -> Result<()> {
    let asked = shutdown::on_signals().context("listen to signals")?;
    let options = ServerOptions::at(arguments.listen);
    let (metrics, health) = (Metrics::default(), Health::default());
    let server = Server::bind(&options).await?.measured(&metrics);
    let admin = Admin::bind(&AdminOptions { bind: arguments.admin, allow_open: false }).await?;
    let addresses = (server.address(), admin.address());
    let planners = Planners::default().with(PlannerRef::named("follower"), Arc::new(Follower));
    let routes = Services::new(options.max_message_bytes).planner(Arc::new(planners)).routes();
    let routes = routes.map_err(|error: ServiceError| anyhow::anyhow!("{error}"))?;
    let tasks = Tasks::new(asked);
    let probed = health.clone();
    tasks.spawn("admin", |shutdown| admin.serve(probed, metrics, shutdown));
    tasks.spawn("server", |shutdown| server.serve(routes, health, shutdown));
    println!(
        "{}",
        serde_json::json!({"planner": format!("http://{}", addresses.0), "admin": format!("http://{}", addresses.1)})
    );
    if arguments.child {
        child::dismissed().await;
        tasks.shutdown().cancel();
    }
    tasks.finish(Duration::from_secs(15)).await;
    Ok(())
}
