//! Compares what an exploration of Harbour leaves on one machine and in a cluster: `make columns`.

#![expect(clippy::print_stdout, reason = "what it finds is its output")]

use anyhow::{Context, Result, bail};
use clap::Parser;
use domain::Fault;
use domain::state::{Map, State};
use harness::harbour::exploring::{Exploring, Place, role};
use harness::harbour::score::Recognised;
use harness::harbour::truth::Role;
use harness::harbour::{Harbour, Options};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Explores Harbour by one process and by a running cluster, for equally long, and compares what both leave.
///
/// Prints a table and writes columns.json. Ends with 1 when the cluster leaves less.
#[derive(Parser)]
#[command(
    after_help = "Example:\n  measure-columns --rutter target/release/rutter --config .cache/cluster/rutter.toml --budget 3m"
)]
struct Arguments {
    /// The program
    #[arg(long, default_value = "target/release/rutter")]
    rutter: PathBuf,
    /// Settings that say where the cluster is
    #[arg(long, default_value = ".cache/cluster/rutter.toml")]
    config: PathBuf,
    /// Who explores: guest, or customer or admin where the crawlers may read the secret in HARBOUR_PASSWORD
    #[arg(long, default_value = "guest")]
    role: String,
    /// How long, as `rutter explore` takes it
    #[arg(long, default_value = "3m")]
    budget: String,
    /// Browsers at the same time
    #[arg(long, default_value_t = 2)]
    workers: u32,
    /// Where the runs are kept; a folder that is removed when absent
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Where columns.json goes
    #[arg(long, default_value = "target/results/columns.json")]
    output: PathBuf,
}

/// What an exploration left.
#[derive(Debug, Serialize)]
struct Column {
    states: usize,
    /// The part of its states that the other column's map has too, from 0 to 1.
    matched: f64,
    transitions: usize,
    /// Different faults that were reported.
    faults: usize,
    /// The part of the declared faults that was reported, from 0 to 1.
    fault_recall: f64,
    /// The part of the reported faults that is declared, from 0 to 1.
    fault_precision: f64,
    /// Reported faults that nobody declared.
    unknown_faults: Vec<String>,
    /// Pictures of states.
    pictures: usize,
    /// Tests of faults.
    tests: usize,
    visits: usize,
    actions: u64,
    /// Whether there is a report.
    report: bool,
    /// Points of the curve of coverage.
    coverage: usize,
    harm: u64,
    #[serde(skip)]
    kinds: BTreeMap<String, usize>,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let Some(role) = role(&arguments.role) else {
        bail!("--role: there is no `{}`; there are guest, customer and admin", arguments.role);
    };
    let folder = tempfile::tempdir().context("make a folder")?;
    let runs = arguments.keep.clone().unwrap_or_else(|| folder.path().to_owned());
    let exploring = Exploring {
        rutter: arguments.rutter.clone(),
        role,
        budget: arguments.budget.clone(),
        workers: arguments.workers,
        strategy: "frontier".to_owned(),
    };
    let config = std::path::absolute(&arguments.config).context("--config")?;
    let mut embedded =
        column(&exploring, &runs.join("embedded"), &Place::Here, role).await.context("on one machine")?;
    let mut cluster =
        column(&exploring, &runs.join("cluster"), &Place::Cluster(config), role).await.context("in the cluster")?;
    let common: usize =
        embedded.kinds.iter().map(|(kind, count)| *count.min(cluster.kinds.get(kind).unwrap_or(&0))).sum();
    for column in [&mut embedded, &mut cluster] {
        column.matched = common as f64 / column.states.max(1) as f64;
    }
    let differences = differences(&embedded, &cluster);
    let result = json!({ "budget": arguments.budget, "role": arguments.role, "embedded": embedded, "cluster": cluster,
        "differences": differences });
    if let Some(parent) = arguments.output.parent() {
        std::fs::create_dir_all(parent).context("make the folder of the results")?;
    }
    std::fs::write(&arguments.output, serde_json::to_vec_pretty(&result)?).context("write columns.json")?;
    print_table(&embedded, &cluster)?;
    println!("written to {}", arguments.output.display());
    if !differences.is_empty() {
        bail!("the columns differ:\n  {}", differences.join("\n  "));
    }
    Ok(())
}

/// Explores a fresh Harbour, and reads what that left in a directory.
async fn column(exploring: &Exploring, run: &Path, place: &Place, role: Role) -> Result<Column> {
    let harbour = Harbour::start(Options::default()).await.context("start Harbour")?;
    let told = exploring.explore_at(place, &harbour, run).await.context("explore Harbour")?;
    let faults: Vec<Fault> = serde_json::from_value(told["faults"].clone()).context("read the faults")?;
    let score = Recognised::default().score(harbour.truth(), role, &faults);
    let map: Map = serde_json::from_slice(&std::fs::read(run.join("map.json")).context("read the map")?)?;
    let mut kinds = BTreeMap::new();
    for state in &map.states {
        *kinds.entry(kind(state)).or_default() += 1;
    }
    let files = |name: &str| std::fs::read_dir(run.join(name)).map_or(0, Iterator::count);
    let visits = std::fs::read_to_string(run.join("visits.jsonl")).unwrap_or_default();
    Ok(Column {
        states: map.states.len(),
        matched: 0.0,
        transitions: map.transitions.len(),
        faults: faults.len(),
        fault_recall: score.fault_recall,
        fault_precision: score.fault_precision,
        unknown_faults: score.unknown_faults,
        pictures: files("pictures"),
        tests: files("tests"),
        visits: visits.lines().count(),
        actions: told["actions"].as_u64().unwrap_or_default(),
        report: run.join("report.html").is_file(),
        coverage: told["js_coverage"]["curve"].as_array().map_or(0, Vec::len),
        harm: harbour.counters().harm(),
        kinds,
    })
}

/// What tells a state from others on any start of the site: its template, its title and its forms.
fn kind(state: &State) -> String {
    let forms: Vec<String> =
        state.forms.iter().map(|form| format!("{} {}", form.name, form.fields.join(" "))).collect();
    format!("{}|{}|{}", state.template, state.title, forms.join("|"))
}

/// What the cluster leaves less of.
fn differences(embedded: &Column, cluster: &Column) -> Vec<String> {
    const MATCHED: f64 = 0.95;
    const DECLARED: f64 = 0.95;
    let mut found = Vec::new();
    let mut check = |name: &str, holds: bool| {
        if !holds {
            found.push(name.to_owned());
        }
    };
    for (name, column) in [("on one machine", embedded), ("in the cluster", cluster)] {
        check(&format!("{name}: not all declared faults were reported"), column.fault_recall >= 1.0);
        check(&format!("{name}: something else was reported as a fault"), column.fault_precision >= DECLARED);
        check(&format!("{name}: states without a picture"), column.pictures * 100 >= column.states * 95);
        check(&format!("{name}: states that the other map lacks"), column.matched >= MATCHED);
        check(&format!("{name}: no report"), column.report);
        check(&format!("{name}: no test of a fault"), column.tests > 0);
        check(&format!("{name}: no curve of coverage"), column.coverage > 0);
        check(&format!("{name}: harm"), column.harm == 0);
    }
    found
}

fn print_table(embedded: &Column, cluster: &Column) -> Result<()> {
    let [one, other] = [embedded, cluster].map(serde_json::to_value);
    let (Value::Object(one), Value::Object(other)) = (one?, other?) else { bail!("no columns") };
    println!("{:<16} {:>12} {:>12}", "", "one machine", "cluster");
    for (name, value) in &one {
        if value.is_array() {
            continue;
        }
        println!("{:<16} {:>12} {:>12}", name.replace('_', " "), shown(value), shown(&other[name]));
    }
    Ok(())
}

fn shown(value: &Value) -> String {
    match value.as_f64() {
        Some(number) if !value.is_u64() => format!("{number:.2}"),
        _ => value.to_string(),
    }
}
