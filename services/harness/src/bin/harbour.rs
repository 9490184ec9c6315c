//! Runs Harbour, the test site of exploration, as a process.

#![expect(clippy::print_stdout, reason = "what it finds is its output")]

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};
use harness::harbour::{Harbour, Options, Version};
use platform::shutdown;
use std::net::SocketAddr;
use std::time::Duration;

/// A small but nasty shop of which everything is known, to be explored.
///
/// Prints one line of JSON on standard output: the shop's address, the hosts that belong to it, the accounts that can sign
/// in, and the control address, where /counters, /reset and /truth.json are. Ends on SIGINT or SIGTERM.
#[derive(Parser)]
#[command(after_help = "Example:\n  harbour --listen 127.0.0.1:8300 --version 2 --delay-ms 150")]
struct Arguments {
    /// Where the shop listens; port 0 takes a free one
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Which site it is
    #[arg(long, value_enum, default_value = "1")]
    version: Site,
    /// How long every document takes, in milliseconds
    #[arg(long, default_value_t = 0)]
    delay_ms: u64,
    /// What seems to be chance
    #[arg(long, default_value_t = 7)]
    seed: u64,
}

#[derive(Clone, Copy, ValueEnum)]
enum Site {
    /// The first
    #[value(name = "1")]
    One,
    /// The second: things moved, were renamed, added, removed and broken
    #[value(name = "2")]
    Two,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let options = Options {
        listen: arguments.listen,
        version: match arguments.version {
            Site::One => Version::One,
            Site::Two => Version::Two,
        },
        delay: Duration::from_millis(arguments.delay_ms),
        seed: arguments.seed,
    };
    let harbour = Harbour::start(options).await.with_context(|| format!("listen on {}", arguments.listen))?;
    let stop = shutdown::on_signals().context("listen for signals")?;
    println!("{}", harbour.card());
    stop.cancelled().await;
    let counted = harbour.counters();
    eprintln!("served {} documents, harm done {}", counted.pages.values().sum::<u64>(), counted.harm());
    Ok(())
}
