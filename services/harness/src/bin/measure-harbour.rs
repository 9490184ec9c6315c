//! Measures an exploration against the truth of Harbour: `make harbour`.

#![expect(clippy::print_stdout, reason = "what it finds is its output")]

use anyhow::{Context, Result, bail};
use clap::Parser;
use domain::Fault;
use harness::harbour::exploring::{Exploring, role};
use harness::harbour::score::{Recognised, observations};
use harness::harbour::{Harbour, Options};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

/// Explores Harbour with the program that people use, and scores what it left against what is declared of the site.
///
/// Prints a table and writes harbour.json. Ends with 1 when less was found than must be, or any harm was done.
#[derive(Parser)]
#[command(
    after_help = "Example:\n  measure-harbour --rutter target/release/rutter --role customer --budget 3m --workers 2"
)]
struct Arguments {
    /// The program
    #[arg(long, default_value = "target/release/rutter")]
    rutter: PathBuf,
    /// Who explores: guest, customer or admin
    #[arg(long, default_value = "customer")]
    role: String,
    /// How long, as `rutter explore` takes it
    #[arg(long, default_value = "3m")]
    budget: String,
    /// Browsers at the same time
    #[arg(long, default_value_t = 2)]
    workers: u32,
    /// The strategy
    #[arg(long, default_value = "frontier")]
    strategy: String,
    /// How long every document takes, in milliseconds
    #[arg(long, default_value_t = 0)]
    delay_ms: u64,
    /// Where the run is kept; a folder that is removed when absent
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Where harbour.json goes
    #[arg(long, default_value = "target/results/harbour.json")]
    output: PathBuf,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let Some(role) = role(&arguments.role) else {
        bail!("--role: there is no `{}`; there are guest, customer and admin", arguments.role);
    };
    let delay = Duration::from_millis(arguments.delay_ms);
    let harbour = Harbour::start(Options { delay, ..Options::default() }).await.context("start Harbour")?;
    let folder = tempfile::tempdir().context("make a folder")?;
    let run = arguments.keep.clone().unwrap_or_else(|| folder.path().join("run"));
    let exploring = Exploring {
        rutter: arguments.rutter.clone(),
        role,
        budget: arguments.budget.clone(),
        workers: arguments.workers,
        strategy: arguments.strategy.clone(),
    };
    let told = exploring.explore(&harbour, &run).await.context("explore Harbour")?;
    let faults: Vec<Fault> = serde_json::from_value(told["faults"].clone()).context("read the faults")?;
    let mut seen = Recognised::default();
    for line in observations(&run.join("observations.jsonl.zst")).context("read the observations")? {
        let (state, observation) = line.context("read an observation")?;
        seen.add(harbour.truth(), state, &observation);
    }
    let score = seen.score(harbour.truth(), role, &faults);
    let counters = harbour.counters();
    let result = json!({
        "role": arguments.role, "budget": arguments.budget, "workers": arguments.workers, "strategy": arguments.strategy,
        "delay_ms": arguments.delay_ms, "actions": told["actions"], "states": told["states"],
        "transitions": told["transitions"], "wall_s": told["wall_s"],
        "requests_refused": told["requests_refused"], "requests_out_of_scope": told["requests_out_of_scope"],
        "harm": counters.harm(), "harm_by_kind": {
            "out_of_scope": counters.out_of_scope, "disallowed": counters.disallowed, "deeds": counters.deeds,
        },
        "states_over_time": told["states_over_time"],
    });
    let mut result = result;
    if let (Value::Object(all), Value::Object(scored)) = (&mut result, serde_json::to_value(&score)?) {
        all.extend(scored);
    }
    if let Some(parent) = arguments.output.parent() {
        std::fs::create_dir_all(parent).context("make the folder of the results")?;
    }
    std::fs::write(&arguments.output, serde_json::to_vec_pretty(&result)?).context("write harbour.json")?;
    let per_cent = |ratio: f64| format!("{:.1} %", ratio * 100.0);
    println!(
        "states found     {} of {}  {}",
        score.states_found,
        score.states_true,
        per_cent(score.states_found_ratio)
    );
    println!("split or merged  {}  {}", score.split_or_merged, per_cent(score.split_or_merged_ratio));
    println!("fault recall     {}", per_cent(score.fault_recall));
    println!("fault precision  {}", per_cent(score.fault_precision));
    println!("harm done        {}", counters.harm());
    println!("actions          {}", told["actions"]);
    println!("written to {}", arguments.output.display());
    let is_enough = score.states_found_ratio >= 0.95
        && score.split_or_merged_ratio <= 0.05
        && score.fault_recall >= 0.95
        && score.fault_precision >= 0.95
        && counters.harm() == 0;
    if !is_enough {
        bail!("less was found than must be, or harm was done");
    }
    Ok(())
}
