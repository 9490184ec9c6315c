//! Measures what a map of the site is worth for tasks: `make with-map`.

#![expect(clippy::print_stdout, reason = "what it finds is its output")]

use anyhow::{Context, Result, bail};
use clap::Parser;
use harness::harbour::exploring::{Exploring, role};
use harness::harbour::ways::tasks;
use harness::harbour::{Harbour, Options};
use harness::ran;
use serde_json::{Value, json};
use std::path::PathBuf;
use tokio::process::Command;

/// The least share of the tasks that are to be done with a map.
const WITH_MAP: f64 = 0.8;

/// Explores Harbour as a guest, and has tasks done whose pages lie some steps from its front page: without the map of that exploration,
/// and with it.
///
/// Writes with-map.json. Ends with 1 when too few are done with the map.
#[derive(Parser)]
#[command(after_help = "Example:\n  measure-with-map --rutter target/release/rutter --budget 3m --keep runs/with-map")]
struct Arguments {
    /// The program
    #[arg(long, default_value = "target/release/rutter")]
    rutter: PathBuf,
    /// How long Harbour is explored, as `rutter explore` takes it
    #[arg(long, default_value = "3m")]
    budget: String,
    /// Browsers at the same time
    #[arg(long, default_value_t = 2)]
    workers: u32,
    /// Where the runs are kept; a folder that is removed when absent
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Where with-map.json goes
    #[arg(long, default_value = "target/results/with-map.json")]
    output: PathBuf,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let folder = tempfile::tempdir().context("make a folder")?;
    let keep = arguments.keep.clone().unwrap_or_else(|| folder.path().to_owned());
    let harbour = Harbour::start(Options::default()).await.context("start Harbour")?;
    let Some(guest) = role("guest") else { bail!("Harbour has no guests") };
    let exploring = Exploring {
        rutter: arguments.rutter.clone(),
        role: guest,
        budget: arguments.budget.clone(),
        workers: arguments.workers,
        strategy: "frontier".to_owned(),
    };
    let map = keep.join("map");
    exploring.explore(&harbour, &map).await.context("explore Harbour")?;
    let mut rows = Vec::new();
    let (mut share, mut wrong) = (0.0, 0);
    for with_map in [false, true] {
        let mut program = Command::new(&arguments.rutter);
        program.args(["run", "--workers", &arguments.workers.to_string()]);
        if with_map {
            program.arg("--map").arg(&map);
        }
        let all = tasks(&harbour);
        let ended = ran::run(program, &all, &keep.join(if with_map { "with" } else { "without" })).await?;
        let done: Vec<_> = ended.iter().filter(|ended| ended.is_done()).collect();
        let mean =
            |of: fn(&ran::Ended) -> f64| done.iter().map(|ended| of(ended)).sum::<f64>() / done.len().max(1) as f64;
        let (steps, seconds) = (mean(|ended| ended.steps as f64), mean(|ended| ended.seconds));
        let said = if with_map { "with the map" } else { "without" };
        println!("{said:<14}{} of {} done, {steps:.1} steps and {seconds:.1} s each", done.len(), all.len());
        for (task, ended) in all.iter().zip(&ended).filter(|(_, ended)| !ended.is_done()) {
            println!("  {}: {}: {}", task["instruction"], ended.verdict, ended.reason);
        }
        let claimed = ended.iter().filter(|ended| ended.is_claimed && ended.verdict != "PASSED").count();
        wrong += claimed;
        share = done.len() as f64 / all.len() as f64;
        let row: Value = json!({
            "site": "harbour", "map": with_map, "tasks": all.len(), "successes": done.len(), "steps": steps, "seconds": seconds,
            "claimed_wrongly": claimed,
        });
        rows.push(row);
    }
    if let Some(parent) = arguments.output.parent() {
        std::fs::create_dir_all(parent).context("make the folder of the results")?;
    }
    std::fs::write(&arguments.output, serde_json::to_vec_pretty(&json!({ "rows": rows }))?)
        .context("write with-map.json")?;
    println!("written to {}", arguments.output.display());
    if wrong > 0 {
        bail!("{wrong} were claimed to be done and were not");
    }
    if share < WITH_MAP {
        bail!("too few were done with the map: {WITH_MAP} is the bar");
    }
    Ok(())
}
