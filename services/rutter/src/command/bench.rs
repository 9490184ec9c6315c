//! `rutter bench`: a suite of a public benchmark, and its scores; or which benchmarks there are.

use super::session;
use crate::cli::{Bench, Output};
use crate::exit::{Exit, OrExit, Outcome, failure};
use crate::print;
use benchmarks::{Benchmark, REGISTRY, Seeds};
use domain::TaskId;
use node::compose::GOLD;
use node::run::{Config, Kind};
use report::tables;
use serde_json::{Value, json};

/// Runs a benchmark, or lists them.
pub(crate) async fn execute(args: Bench) -> Outcome {
    if args.list {
        return list(args.output.output);
    }
    if args.at_least.is_some_and(|rate| !(0.0..=1.0).contains(&rate)) {
        return failure(Exit::Usage, "--at-least is a rate between 0 and 1, e.g. 0.65");
    }
    if let Some(run) = &args.run.resume {
        return session::resume(run, &args.run, args.output.output, args.at_least).await;
    }
    let benchmark = benchmarks::by_name(args.benchmark.as_deref().unwrap_or_default()).or_exit(Exit::Usage)?;
    Box::pin(run(benchmark, args)).await
}

async fn run(benchmark: &dyn Benchmark, args: Bench) -> Outcome {
    let folder = benchmark.folder().or_exit(Exit::Environment)?;
    let suite = args.part.suite(benchmark, &folder).or_exit(Exit::Usage)?;
    let planner = args.planner.config()?;
    if args.planner.planner == GOLD {
        let has_gold = |task: &&TaskId| benchmark.gold(task).is_some();
        let unsolved: Vec<&str> = suite.tasks.iter().filter(|task| !has_gold(task)).map(TaskId::as_str).collect();
        if !unsolved.is_empty() {
            return failure(Exit::Usage, format!("there is no gold solver for: {}", unsolved.join(", ")));
        }
    }
    let root_seed = match &args.seeds {
        Seeds::Fresh { root, .. } | Seeds::Training { root, .. } => Some(*root),
        Seeds::Range(..) | Seeds::List(_) => None,
    };
    let kind = Kind::Bench {
        planner,
        suite: suite.name.clone(),
        seeds: args.seeds.to_string(),
        root_seed,
        relaxed: args.part.relaxed,
    };
    let browser = args.browser.clone().into();
    let name = format!("{}-{}", benchmark.name(), suite.name);
    let limits = args.limits.of();
    let config = session::config(name, kind, &args.run, browser, |campaign| {
        suite.jobs(&args.seeds, campaign, args.part.relaxed)
    });
    let config = Config { limits, ..config };
    args.planner.options.check_unseen(&config.jobs)?;
    session::begin(config, &args.run, args.output.output, args.at_least).await
}

fn list(output: Output) -> Outcome {
    match output {
        Output::Json => {
            let entry = |benchmark: &&dyn Benchmark| json!({ "name": benchmark.name(), "help": benchmark.help(), "suites": benchmark.suites() });
            print::json(&REGISTRY.iter().map(entry).collect::<Vec<Value>>())?;
        }
        Output::Table => {
            let mut table = tables::empty(&["benchmark", "suites", "what it is"]);
            for benchmark in REGISTRY {
                table.add_row([benchmark.name(), &benchmark.suites().join(", "), benchmark.help()]);
            }
            print::text_out(&table.to_string())?;
        }
    }
    Ok(Exit::Success)
}
