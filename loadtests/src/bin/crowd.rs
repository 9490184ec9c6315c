//! Measures what many browsers on one site find, beside what one finds: with simulated browsers on a site without end, where
//! nothing limits them but Rutter and this machine.

#![expect(clippy::print_stdout, reason = "what it finds is its output")]

use anyhow::{Context, Result, ensure};
use clap::Parser;
use loadtests::child::Child;
use loadtests::maze;
use loadtests::process::family_cpu;
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

/// How often the processor time of the program is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// Explores a made-up site with one simulated browser, and with many, for the same time.
///
/// The browsers are simulated (`simulated-grid`): they render nothing, take times as Chromium does, and request the site's
/// pages. Prints a table and writes crowd.json. Ends with 1 when many find less than they must.
#[derive(Parser)]
#[command(after_help = "Example:\n  crowd --rutter target/release/rutter --browsers 64 --budget 60s")]
struct Arguments {
    /// The program
    #[arg(long, default_value = "target/release/rutter")]
    rutter: PathBuf,
    /// How many are many
    #[arg(long, default_value_t = 64)]
    browsers: u32,
    /// How long, as `rutter explore` takes it
    #[arg(long, default_value = "60s")]
    budget: String,
    /// How long every page takes, in milliseconds
    #[arg(long, default_value_t = 150)]
    delay_ms: u64,
    /// How long commands take the browsers, as `simulated-grid` takes it
    #[arg(long, default_value = "chromium")]
    latency: String,
    /// How many times as many states as one browser they must find
    #[arg(long, default_value_t = 40.0)]
    at_least: f64,
    /// The file to write
    #[arg(long, default_value = "target/results/crowd.json")]
    output: PathBuf,
}

/// What some browsers found.
#[derive(Serialize)]
struct Found {
    browsers: u32,
    states: u64,
    actions: u64,
    wall_s: f64,
    states_per_minute: f64,
    /// Processor time of the program, seconds.
    cpu_s: f64,
}

#[derive(Serialize)]
struct Report {
    budget: String,
    delay_ms: u64,
    latency: String,
    cores: usize,
    found: Vec<Found>,
    /// States per minute of many, as a multiple of those of one.
    ratio: f64,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let sessions = (arguments.browsers + 1).to_string();
    let delay = arguments.delay_ms.to_string();
    let grid = ["--sessions", &sessions, "--latency", &arguments.latency, "--page-delay-ms", &delay, "--child"];
    let grid = Child::start("simulated-grid", &grid.map(str::to_owned))?;
    let mut found = Vec::new();
    for browsers in [1, arguments.browsers] {
        let some = explore(&arguments, &grid, browsers).await?;
        eprintln!("{browsers} browsers: {} states in {:.0} s", some.states, some.wall_s);
        found.push(some);
    }
    let ratio = found[1].states_per_minute / found[0].states_per_minute;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let Arguments { budget, delay_ms, latency, output, at_least, .. } = arguments;
    let report = Report { budget, delay_ms, latency, cores, found, ratio };
    print(&report);
    write(&report, &output)?;
    ensure!(ratio >= at_least, "they find {ratio:.1} times as many states as one, not {at_least}");
    Ok(())
}

async fn explore(arguments: &Arguments, grid: &Child, browsers: u32) -> Result<Found> {
    let folder = tempfile::tempdir().context("make a folder")?;
    let site = grid.said["site"][0].as_str().context("the address of the site")?;
    let url = format!("{}{}", site.trim_end_matches('/'), maze::path(0));
    let mut command = Command::new(&arguments.rutter);
    command.args(["explore", &url, "--free", "--budget", &arguments.budget, "--workers", &browsers.to_string()]);
    command.args(["--webdriver", &grid.text("grid")?, "--screenshots", "none", "--output", "json"]);
    command.arg("--run-dir").arg(folder.path().join("run"));
    let child = command.kill_on_drop(true).stdout(Stdio::piped()).spawn();
    let child = child.with_context(|| format!("start {}", arguments.rutter.display()))?;
    let process = child.id().context("the program has ended already")?;
    let ended = child.wait_with_output();
    tokio::pin!(ended);
    let mut cpu = Duration::ZERO;
    let output = loop {
        tokio::select! {
            output = &mut ended => break output.context("wait for the program")?,
            () = tokio::time::sleep(LOOK) => cpu = cpu.max(family_cpu(process)),
        }
    };
    ensure!(output.status.success(), "the exploration ended with {}", output.status);
    let told: Value = serde_json::from_slice(&output.stdout).context("read what was printed")?;
    let number = |name: &str| told[name].as_u64().with_context(|| format!("`{name}` of what was printed"));
    let (states, actions) = (number("states")?, number("actions")?);
    let wall_s = told["wall_s"].as_f64().context("`wall_s` of what was printed")?;
    let states_per_minute = states as f64 / wall_s * 60.0;
    Ok(Found { browsers, states, actions, wall_s, states_per_minute, cpu_s: cpu.as_secs_f64() })
}

fn write(report: &Report, to: &Path) -> Result<()> {
    let folder = to.parent().context("a folder for the results")?;
    std::fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
    let text = serde_json::to_string_pretty(report).context("encode the results")? + "\n";
    std::fs::write(to, text).with_context(|| format!("write {}", to.display()))
}

fn print(report: &Report) {
    let mut table = comfy_table::Table::new();
    table.load_preset(comfy_table::presets::UTF8_FULL_CONDENSED);
    table.set_header(["browsers", "states", "actions", "states a minute", "seconds", "CPU s"]);
    for found in &report.found {
        table.add_row([
            found.browsers.to_string(),
            found.states.to_string(),
            found.actions.to_string(),
            format!("{:.0}", found.states_per_minute),
            format!("{:.0}", found.wall_s),
            format!("{:.0}", found.cpu_s),
        ]);
    }
    println!("{table}\n{:.1} times as many", report.ratio);
}
