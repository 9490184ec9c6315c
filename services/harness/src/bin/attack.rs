//! Attacks the program with every way out of the scope: `make attack`.

#![expect(clippy::print_stdout, reason = "what it finds is its output")]

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};
use harness::attack::measure::{Attack, every_combination, is_of_the_short_version};
use harness::attack::{place, stand_in};
use std::path::PathBuf;

/// The least number of ways that must be shown to lead out of a bare browser.
const WAYS: u64 = 150;

/// Lets the program run and explore on a hostile site, over both wires, plain and encrypted, and counts what reaches a canary.
///
/// Prints a table and writes attack.json. Ends with 1 when anything reached the canary or a driver. Everything happens in a network
/// of its own, in which there is only loopback.
#[derive(Parser)]
#[command(after_help = "Example:\n  attack --rutter target/release/rutter --budget 90 --only run:bidi:http")]
struct Arguments {
    #[command(subcommand)]
    stand_in: Option<StandIn>,
    /// The program
    #[arg(long, default_value = "target/release/rutter")]
    rutter: PathBuf,
    /// The driver
    #[arg(long, default_value = "/usr/bin/chromedriver")]
    driver: PathBuf,
    /// The browser
    #[arg(long, default_value = "/usr/lib/chromium/chromium-headless-shell")]
    browser: PathBuf,
    /// Seconds of each exploration
    #[arg(long, default_value_t = 120)]
    budget: u64,
    /// One combination, MODE:WIRE:SCHEME, instead of all; may be repeated
    #[arg(long)]
    only: Vec<String>,
    /// A dozen ways instead of all
    #[arg(long)]
    short: bool,
    /// Keeps what the program wrote in this folder
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Where attack.json goes
    #[arg(long, default_value = "target/results/attack.json")]
    output: PathBuf,
    /// Is within the network of its own already
    #[arg(long, hide = true)]
    inside: bool,
}

#[derive(Subcommand)]
enum StandIn {
    /// Is a driver or a browser behind a port that counts
    #[command(hide = true)]
    StandIn {
        /// `driver` or `browser`
        #[arg(long)]
        what: String,
        /// The real program
        #[arg(long)]
        real: PathBuf,
        /// Where ports and requests are written down
        #[arg(long)]
        folder: PathBuf,
        /// Its arguments
        #[arg(last = true)]
        arguments: Vec<String>,
    },
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    if let Some(StandIn::StandIn { what, real, folder, arguments }) = &arguments.stand_in {
        return match what.as_str() {
            "driver" => stand_in::driver(real, folder, arguments).await.context("stand in for the driver"),
            _ => stand_in::browser(real, folder, arguments).await.context("stand in for the browser"),
        };
    }
    if !arguments.inside {
        let given: Vec<String> = std::env::args().skip(1).collect();
        std::process::exit(place::go(&given)?);
    }
    measure(arguments).await
}

async fn measure(arguments: Arguments) -> Result<()> {
    let mut combinations = every_combination();
    let is_whole = arguments.only.is_empty() && !arguments.short;
    if !arguments.only.is_empty() {
        combinations.retain(|(mode, wire, encrypted)| {
            let scheme = if *encrypted { "https" } else { "http" };
            arguments.only.contains(&format!("{mode}:{wire}:{scheme}"))
        });
    }
    if combinations.is_empty() {
        bail!("--only: there is no such combination; write e.g. `run:bidi:http` or `explore:classic:https`");
    }
    let absolute = |path: &PathBuf| std::path::absolute(path).context("find a path");
    let attack = Attack {
        rutter: absolute(&arguments.rutter)?,
        driver: arguments.driver,
        browser: arguments.browser,
        budget: arguments.budget,
        wanted: if arguments.short { is_of_the_short_version } else { |_| true },
        combinations,
    };
    let folder = tempfile::tempdir().context("make a folder")?;
    let kept = match &arguments.keep {
        Some(folder) => absolute(folder)?,
        None => folder.path().to_owned(),
    };
    std::fs::create_dir_all(&kept).context("make the folder to keep")?;
    let result = attack.measure(&kept).await?;
    if let Some(parent) = arguments.output.parent() {
        std::fs::create_dir_all(parent).context("make the folder of the results")?;
    }
    std::fs::write(&arguments.output, serde_json::to_vec_pretty(&result)?).context("write attack.json")?;
    for name in ["ways", "tried", "tried_in_every_combination", "canary_hits", "driver_hits"] {
        println!("{:<28}{}", name.replace('_', " "), result[name]);
    }
    println!("written to {}", arguments.output.display());
    let of = |name: &str| result[name].as_u64().unwrap_or_default();
    if of("canary_hits") + of("driver_hits") > 0 {
        bail!("something outside the scope was asked");
    }
    if is_whole && of("ways") < WAYS {
        bail!("fewer than {WAYS} ways lead out of a bare browser");
    }
    if is_whole && of("tried") < of("ways") {
        bail!("not every way was tried: {}", result["not_tried"]);
    }
    Ok(())
}
