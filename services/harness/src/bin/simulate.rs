//! Plays seeds of the simulated cluster and prints violated invariants.

#![expect(clippy::print_stdout, reason = "what it finds is its output")]

use clap::Parser;
use harness::simulation::{Kind, Options, run};
use parking_lot::Mutex;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

/// Plays seeds of a simulated cluster in which things fail. Ends with 1 when something did not hold.
///
/// Example: simulate --seeds 10000
#[derive(Parser)]
struct Arguments {
    /// How many seeds to play: in turn, one with everything failing and one with a single kind of fault.
    #[arg(long, default_value_t = 1000)]
    seeds: u64,
    /// Plays this seed only.
    #[arg(long)]
    seed: Option<u64>,
    /// Kinds of fault, separated by commas, or `none`; without it, the seeds take turns.
    #[arg(long, value_parser = Kind::parse)]
    faults: Option<BTreeSet<Kind>>,
    /// Lines of the trace to print of a seed with a violation; of a single seed in any case.
    #[arg(long, default_value_t = 40)]
    trace: usize,
    /// Writes the result as JSON.
    #[arg(long)]
    output: Option<PathBuf>,
}

impl Arguments {
    /// Every second seed has all faults at once; the others have one kind each, in turn.
    fn faults_of(&self, seed: u64) -> BTreeSet<Kind> {
        match &self.faults {
            Some(faults) => faults.clone(),
            None if seed.is_multiple_of(2) => Kind::ALL.iter().copied().collect(),
            None => [Kind::ALL[(seed / 2) as usize % Kind::ALL.len()]].into(),
        }
    }
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let (first, count) = arguments.seed.map_or((0, arguments.seeds), |seed| (seed, 1));
    let next = AtomicU64::new(first);
    let violated = Mutex::new(Vec::new());
    let (happened, redeliveries, lost) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let play = &|| {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= first + count {
                return;
            }
            let options = Options { trace: arguments.trace, ..Options::new(seed, arguments.faults_of(seed)) };
            let report = run(&options);
            happened.fetch_add(report.struck + report.events, Ordering::Relaxed);
            redeliveries.fetch_add(report.redeliveries, Ordering::Relaxed);
            lost.fetch_add(report.lost_attempts, Ordering::Relaxed);
            if count == 1 {
                println!("{}", report.trace.join("\n"));
                println!("digest {}", report.digest);
            }
            if !report.violations.is_empty() {
                println!("{report}\n");
                violated.lock().push(report);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(play))));

    let mut violated = violated.into_inner();
    violated.sort_by_key(|report| report.seed);
    let violations: Vec<_> = violated
        .iter()
        .flat_map(|report| {
            let faults: Vec<&str> = report.faults.iter().map(|kind| kind.as_str()).collect();
            report.violations.iter().map(move |what| json!({"seed": report.seed, "faults": faults, "violation": what}))
        })
        .collect();
    let (happened, redeliveries, lost) = (happened.into_inner(), redeliveries.into_inner(), lost.into_inner());
    println!("seeds: {count}");
    println!("faults that struck: {happened}; redeliveries: {redeliveries}; lost attempts: {lost}");
    println!("violations: {}", violations.len());
    let is_clean = violations.is_empty();
    if let Some(path) = &arguments.output {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, format!("{:#}\n", json!({"seeds": count, "violations": violations})))?;
    }
    Ok(if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
