//! Measures how instructions of several little tasks are done: `make compositions`.

#![expect(clippy::print_stdout, reason = "what it finds is its output")]

use anyhow::{Context, Result, bail};
use clap::Parser;
use harness::compositions::measured::measure;
use harness::compositions::{Order, compositions};
use serde_json::{Value, json};
use std::path::PathBuf;
use tokio::process::Command;

/// The least shares that are to be done: said in the order in which things are done, and otherwise.
const IN_ORDER: f64 = 0.85;
const OTHERWISE: f64 = 0.75;

/// Puts little tasks of one page together to instructions, has the program do them, and counts those of which everything was done, in
/// the right order, and nothing else.
///
/// Writes compositions.json. Ends with 1 when too few were done, or any was claimed to be done and was not.
#[derive(Parser)]
#[command(after_help = "Example:\n  measure-compositions --rutter target/release/rutter --seed 7 --of-each 50")]
struct Arguments {
    /// The program
    #[arg(long, default_value = "target/release/rutter")]
    rutter: PathBuf,
    /// What the instructions are drawn by; by chance when absent
    #[arg(long)]
    seed: Option<u64>,
    /// Instructions of each order
    #[arg(long, default_value_t = 50)]
    of_each: usize,
    /// Browsers at the same time
    #[arg(long, default_value_t = 2)]
    workers: u32,
    /// Where the run is kept; a folder that is removed when absent
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Where compositions.json goes
    #[arg(long, default_value = "target/results/compositions.json")]
    output: PathBuf,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let seed = arguments.seed.unwrap_or_else(rand::random);
    let folder = tempfile::tempdir().context("make a folder")?;
    let keep = arguments.keep.clone().unwrap_or_else(|| folder.path().to_owned());
    let all = compositions(seed, arguments.of_each);
    let mut program = Command::new(&arguments.rutter);
    program.args(["run", "--workers", &arguments.workers.to_string()]);
    let measured = measure(&all, program, &keep).await?;
    let mut figures = json!({ "seed": seed });
    if let (Value::Object(figures), Value::Object(found)) = (&mut figures, serde_json::to_value(&measured)?) {
        figures.extend(found);
    }
    if let Some(parent) = arguments.output.parent() {
        std::fs::create_dir_all(parent).context("make the folder of the results")?;
    }
    std::fs::write(&arguments.output, serde_json::to_vec_pretty(&figures)?).context("write compositions.json")?;
    for row in &measured.rows {
        let share = measured.rate(row.order) * 100.0;
        println!("{:<10} {} of {} done ({share:.1} %)", row.order.as_ref(), row.successes, row.episodes);
    }
    measured.missed.iter().for_each(|missed| println!("missed     {missed}"));
    println!(
        "claimed wrongly: {}; seed {seed}; written to {}",
        measured.claimed_wrongly.len(),
        arguments.output.display()
    );
    if !measured.claimed_wrongly.is_empty() {
        bail!("claimed to be done, and was not: {:#?}", measured.claimed_wrongly);
    }
    let is_short = |order: Order, least: f64| measured.rate(order) < least;
    if is_short(Order::InOrder, IN_ORDER) || is_short(Order::Reversed, OTHERWISE) || is_short(Order::Mixed, OTHERWISE) {
        bail!("too few were done: {IN_ORDER} in order and {OTHERWISE} otherwise are the bars");
    }
    Ok(())
}
