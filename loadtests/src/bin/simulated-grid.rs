//! Runs the simulated Grid as a process, with its site.
//!
//! Its browsers are no browsers. What is measured with it is Rutter's own cost, never that of a page.

#![expect(clippy::print_stdout, reason = "what it finds is its output")]

use anyhow::{Context, Result};
use clap::Parser;
use loadtests::child;
use loadtests::grid::{Failures, Grid, Latencies, Nature, Options};
use loadtests::site::Site;
use loadtests::tasks;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// A Selenium Grid of simulated browsers, and the site whose pages they know.
///
/// Prints one line of JSON on standard output when it is ready: the Grid's address, and those of the site's hosts. What
/// happened so far is at /simulation/figures; DELETE /simulation/nodes/N kills a node, POST brings it back. Ends on Ctrl-C,
/// or with its standard input.
#[derive(Parser)]
#[command(after_help = "Example:\n  simulated-grid --nodes 10 --sessions 100 --latency chromium --tasks tasks.jsonl")]
struct Arguments {
    /// Where the Grid listens; port 0 takes a free one
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Nodes of the Grid
    #[arg(long, default_value_t = 1)]
    nodes: u32,
    /// Sessions that each node holds at once
    #[arg(long, default_value_t = 1000)]
    sessions: u32,
    /// Seconds that a request for a session waits for a free slot
    #[arg(long, default_value_t = 5)]
    patience: u64,
    /// Seed of all times and failures
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How long commands take: none, chromium, or WORK=P50:P99,… in milliseconds
    #[arg(long, default_value = "none")]
    latency: Latencies,
    /// What fails: none, or FAILURE=PROBABILITY,… of no_slot, session_lost, page_crash, slow
    #[arg(long, default_value = "none")]
    fail: Failures,
    /// Hosts of the site
    #[arg(long, default_value_t = 1)]
    hosts: usize,
    /// Milliseconds that a page of the maze takes
    #[arg(long, default_value_t = 0)]
    page_delay_ms: u64,
    /// Where to write the tasks, one per line
    #[arg(long)]
    tasks: Option<PathBuf>,
    /// How many tasks to write
    #[arg(long, default_value_t = 10)]
    wizards: u32,
    /// End when standard input ends, instead of on Ctrl-C
    #[arg(long)]
    child: bool,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let options = Options {
        listen: arguments.listen,
        nodes: arguments.nodes,
        sessions: arguments.sessions,
        seed: arguments.seed,
        nature: Nature { latency: arguments.latency, failures: arguments.fail },
        patience: Duration::from_secs(arguments.patience),
    };
    let grid = Grid::start(options).await.with_context(|| format!("listen on {}", arguments.listen))?;
    let delay = Duration::from_millis(arguments.page_delay_ms);
    let site = Site::start_slow(arguments.hosts, delay).await.context("start the site")?;
    if let Some(path) = &arguments.tasks {
        let tasks = tasks::tasks(&site.urls(), arguments.wizards);
        std::fs::write(path, tasks::lines(&tasks)).with_context(|| format!("write {}", path.display()))?;
    }
    println!("{}", serde_json::json!({"grid": grid.url(), "site": site.urls()}));
    match arguments.child {
        true => child::dismissed().await,
        false => tokio::signal::ctrl_c().await.context("wait for Ctrl-C")?,
    }
    eprintln!("{}", serde_json::to_string(&grid.figures())?);
    Ok(())
}
