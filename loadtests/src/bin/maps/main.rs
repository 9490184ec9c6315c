//! Measures maps of many sites: how fast they are written, beside rows of the same kind written bare, how long locating a page
//! and finding a path take in the service, and the memory of it all. SQLite and PostgreSQL, one run.

#![expect(clippy::print_stdout, reason = "what it finds is its output")]

mod measure;

use anyhow::{Context, Result, bail};
use clap::{Parser, ValueEnum};
use loadtests::servers::Servers;
use loadtests::shop;
use measure::{Measured, Size, Store};
use procfs::{CpuInfo, Current, Meminfo};
use serde::Serialize;
use std::path::PathBuf;

/// Which store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Which {
    /// The embedded database
    Sqlite,
    /// A server
    Postgres,
    /// One after the other
    Both,
}

/// Ingest, locate and path of generated maps, and their memory.
///
/// Every state has five transitions. Prints a table and writes the results. Ends with 1 when ingest is below half of the bare
/// rate, or the 99th percentile of locate or path is 5 ms or more.
#[derive(Parser)]
#[command(after_help = "Example:\n  maps --states 50000 --sites 10 --store sqlite")]
struct Arguments {
    /// States of all sites together
    #[arg(long, default_value_t = 1_000_000, env = "MAP_STATES")]
    states: u64,
    /// Sites
    #[arg(long, default_value_t = 200, env = "MAP_SITES")]
    sites: u64,
    /// Pages located, and paths found, in each store
    #[arg(long, default_value_t = 4_000)]
    questions: usize,
    /// Where maps are kept
    #[arg(long, value_enum, default_value = "both")]
    store: Which,
    /// The file to write
    #[arg(long, default_value = "target/results/graph.json")]
    output: PathBuf,
    /// Only asks the maps at this place: what the program starts itself for, in a process of its own
    #[arg(long, hide = true)]
    ask: Option<String>,
}

/// What the whole run found.
#[derive(Serialize)]
struct Report {
    sites: u64,
    states: u64,
    transitions: u64,
    cores: usize,
    processor: String,
    memory_mib: f64,
    questions: usize,
    stores: Vec<Measured>,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    if arguments.sites == 0 || arguments.states < arguments.sites * 20 || arguments.questions == 0 {
        bail!("--sites and --questions must be at least 1, and --states at least 20 for each site");
    }
    let size = Size {
        sites: arguments.sites,
        states_each: arguments.states / arguments.sites,
        questions: arguments.questions,
    };
    if let Some(address) = &arguments.ask {
        println!("{}", serde_json::to_string(&measure::ask(address, size).await?).context("encode what was asked")?);
        return Ok(());
    }
    let mut stores = Vec::new();
    if arguments.store != Which::Postgres {
        stores.push(measure::measure(Store::Sqlite, size).await.context("measure SQLite")?);
    }
    if arguments.store != Which::Sqlite {
        let servers = Servers::start(&["postgres"])?;
        let url = servers.variable("RUTTER_TEST_POSTGRES")?;
        stores.push(measure::measure(Store::Postgres(url), size).await.context("measure PostgreSQL")?);
    }
    let states = size.sites * size.states_each;
    let report = Report {
        sites: size.sites,
        states,
        transitions: states * shop::WAYS,
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        processor: processor(),
        memory_mib: Meminfo::current().map_or(0.0, |memory| memory.mem_total as f64 / (1 << 20) as f64),
        questions: size.questions,
        stores,
    };
    print(&report);
    let folder = arguments.output.parent().context("a folder for the results")?;
    std::fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
    let text = serde_json::to_string_pretty(&report).context("encode the results")? + "\n";
    std::fs::write(&arguments.output, text).with_context(|| format!("write {}", arguments.output.display()))?;
    let failed: Vec<&str> =
        report.stores.iter().filter(|store| !store.is_good()).map(|store| store.store.as_str()).collect();
    if !failed.is_empty() {
        bail!("{}: not what it has to be", failed.join(", "));
    }
    Ok(())
}

/// What the kernel calls the processors of this machine.
fn processor() -> String {
    let processors = CpuInfo::current().ok();
    processors.as_ref().and_then(|processors| processors.model_name(0)).unwrap_or_default().to_owned()
}

fn print(report: &Report) {
    let mut table = comfy_table::Table::new();
    let header =
        ["store", "ingest rows/s", "bare rows/s", "ratio", "locate p50/p99 ms", "path p50/p99 ms", "MiB", "seconds"];
    table.load_preset(comfy_table::presets::UTF8_FULL_CONDENSED).set_header(header);
    for store in &report.stores {
        let times = |times: &measure::Times| format!("{:.2} / {:.2}", times.p50_ms, times.p99_ms);
        table.add_row([
            store.store.clone(),
            format!("{:.0}", store.ingest_rows_per_s),
            format!("{:.0}", store.bare_rows_per_s),
            format!("{:.2}", store.ratio),
            times(&store.asked.locate),
            times(&store.asked.path),
            format!("{:.0}", store.asked.memory_mib),
            format!("{:.0}", store.took_s),
        ]);
    }
    println!("{table}");
}
