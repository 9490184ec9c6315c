//! Measures how the two versions of Harbour are compared: `make harbour-diff`.

#![expect(clippy::print_stdout, reason = "what it finds is its output")]

use anyhow::{Context, Result, bail};
use clap::Parser;
use harness::harbour::compared::{Sides, compared};
use harness::harbour::exploring::{Exploring, role, true_states};
use harness::harbour::truth::changes;
use harness::harbour::{Harbour, Options, Version};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use tokio::process::Command;

/// Explores both versions of Harbour, lets `rutter graph diff` compare them, and scores what it names against what is declared.
///
/// The later version is asked again for what its exploration did not reach, and so is the earlier one. Prints what was missed
/// and what was told too much, and writes harbour-diff.json. Ends with 1 when not all declared changes were named, or anything
/// else was.
#[derive(Parser)]
#[command(
    after_help = "Example:\n  measure-harbour-diff --rutter target/release/rutter --budget 3m --keep runs/harbour-diff"
)]
struct Arguments {
    /// The program
    #[arg(long, default_value = "target/release/rutter")]
    rutter: PathBuf,
    /// Who explores: guest, customer or admin
    #[arg(long, default_value = "customer")]
    role: String,
    /// How long each version is explored, as `rutter explore` takes it
    #[arg(long, default_value = "3m")]
    budget: String,
    /// Browsers at the same time
    #[arg(long, default_value_t = 2)]
    workers: u32,
    /// Where the runs are kept, as `before` and `after`; what is there already is not explored again
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Compares without going again to what was not reached
    #[arg(long)]
    no_replay: bool,
    /// Where harbour-diff.json goes
    #[arg(long, default_value = "target/results/harbour-diff.json")]
    output: PathBuf,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let Some(role) = role(&arguments.role) else {
        bail!("--role: there is no `{}`; there are guest, customer and admin", arguments.role);
    };
    let exploring = Exploring {
        rutter: arguments.rutter.clone(),
        role,
        budget: arguments.budget.clone(),
        workers: arguments.workers,
        strategy: "frontier".to_owned(),
    };
    let folder = tempfile::tempdir().context("make a folder")?;
    let keep = arguments.keep.clone().unwrap_or_else(|| folder.path().to_owned());
    let (one, before) = (start(Version::One).await?, keep.join("before"));
    let (two, after) = (start(Version::Two).await?, keep.join("after"));
    let states = json!({
        "before": explored(&exploring, &one, &before).await?,
        "after": explored(&exploring, &two, &after).await?,
    });
    let mut command = Command::new(&arguments.rutter);
    command.args(["graph", "diff", "--output", "json", "--before"]).arg(&before).arg("--after").arg(&after);
    if !arguments.no_replay {
        command.arg(format!("--replay={}", two.url("/"))).arg(format!("--replay-before={}", one.url("/")));
        // Kept runs used other ports.
        for host in one.scope().into_iter().chain(two.scope()) {
            command.args(["--scope", &host]);
        }
    }
    let (code, answer) = exploring.told(command, &[0, 1]).await.context("compare the two")?;
    let sides = Sides {
        one: one.truth(),
        two: two.truth(),
        before: &true_states(one.truth(), &before).context("read what was seen before")?,
        after: &true_states(two.truth(), &after).context("read what was seen after")?,
    };
    let named = compared(sides, role, &changes(one.truth(), two.truth()), &answer);
    let harm = one.counters().harm() + two.counters().harm();
    let mut result = json!({
        "role": arguments.role, "budget": arguments.budget, "workers": arguments.workers, "replay": !arguments.no_replay,
        "states": states, "exit_code": code, "harm": harm, "answer": answer,
    });
    if let (Value::Object(all), Value::Object(scored)) = (&mut result, serde_json::to_value(&named)?) {
        all.extend(scored);
    }
    if let Some(parent) = arguments.output.parent() {
        std::fs::create_dir_all(parent).context("make the folder of the results")?;
    }
    std::fs::write(&arguments.output, serde_json::to_vec_pretty(&result)?).context("write harbour-diff.json")?;
    println!("declared changes  {}", named.declared);
    println!("recall            {:.1} %", named.recall * 100.0);
    println!("precision         {:.1} %", named.precision * 100.0);
    println!("exit code         {code}");
    println!("harm done         {harm}");
    for missed in &named.missed {
        let why = if named.not_reached.contains(missed) { " (not reached)" } else { "" };
        println!("missed            {missed}{why}");
    }
    named.too_much.iter().for_each(|too_much| println!("too much          {too_much}"));
    println!("written to {}", arguments.output.display());
    if named.recall < 1.0 || named.precision < 1.0 || code != 1 || harm > 0 {
        bail!("the changes were not named as they are declared, or harm was done");
    }
    Ok(())
}

async fn start(version: Version) -> Result<Harbour> {
    let options = Options { listen: SocketAddr::from(([127, 0, 0, 1], 0)), version, ..Options::default() };
    Harbour::start(options).await.context("start Harbour")
}

/// Explores a version unless its run is kept; returns the number of states.
async fn explored(exploring: &Exploring, harbour: &Harbour, run: &Path) -> Result<Value> {
    let results = run.join("results.json");
    if !results.exists() {
        let run_name = run.display();
        exploring.explore(harbour, run).await.with_context(|| format!("explore Harbour into {run_name}"))?;
    }
    let text = std::fs::read(&results).with_context(|| format!("read {}", results.display()))?;
    let told: Value = serde_json::from_slice(&text).context("read the results")?;
    Ok(told["states"].clone())
}
