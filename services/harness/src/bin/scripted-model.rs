//! Runs the scripted model server as a process, answering from the gold trajectories of a run.
//!
//! What it answers is scripted. A result obtained with it is never the result of a model.

#![expect(clippy::print_stdout, reason = "what it finds is its output")]

use anyhow::{Context, Result, ensure};
use clap::Parser;
use harness::model::{Dialect, FromGold, ModelServer};
use std::net::SocketAddr;
use std::path::PathBuf;

/// The oracle, a scripted stand-in for a language model: answers the questions of any planner from gold trajectories.
///
/// Not a model: its answers are looked up. Prints the base URL for OpenAI-compatible clients on standard output; the same
/// port speaks Anthropic (/v1) and Gemini (/v1beta). Clients must send the job by `job_header = true`. Ends on Ctrl-C.
#[derive(Parser)]
#[command(after_help = "Example:\n  scripted-model --gold runs/gold --listen 127.0.0.1:8099")]
struct Options {
    /// A run's directory, or a file with one trajectory per line
    #[arg(long)]
    gold: PathBuf,
    /// Where to listen; port 0 takes a free one
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// The API key that clients must send; any where absent
    #[arg(long)]
    key: Option<String>,
}

#[tokio::main]
async fn main() -> Result<()> {
    let options = Options::parse();
    let gold = FromGold::read(&options.gold)?;
    ensure!(!gold.is_empty(), "{}: no trajectories", options.gold.display());
    let jobs = gold.len();
    let listen = options.listen;
    let server = ModelServer::listen(listen, options.key, gold).await.with_context(|| format!("listen on {listen}"))?;
    println!("{}", server.base_url(Dialect::OpenAi));
    eprintln!("scripted answers for {jobs} jobs (not a model); Ctrl-C ends");
    tokio::signal::ctrl_c().await.context("wait for Ctrl-C")?;
    eprintln!("answered {} requests, refused {}", server.asked().len(), server.refused().len());
    for cause in server.refused().iter().take(5) {
        eprintln!("refused: {cause}");
    }
    Ok(())
}
