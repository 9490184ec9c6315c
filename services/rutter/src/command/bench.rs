//! `rutter bench`: a suite of a public benchmark, and its scores.

use super::session;
use crate::cli::{Bench, Miniwob};
use crate::exit::{Exit, OrExit, Outcome, failure};
use benchmarks::miniwob::{self, Seeds, Suite, gold};
use domain::TaskId;
use node::compose::GOLD;
use node::run::Kind;

/// Runs a benchmark.
pub(crate) async fn execute(bench: Bench) -> Outcome {
    let Bench::Miniwob(args) = bench;
    if args.at_least.is_some_and(|rate| !(0.0..=1.0).contains(&rate)) {
        return failure(Exit::Usage, "--at-least is a rate between 0 and 1, e.g. 0.65");
    }
    if let Some(run) = &args.run.resume {
        return session::resume(run, args.output.output, args.at_least).await;
    }
    miniwob(*args).await
}

async fn miniwob(args: Miniwob) -> Outcome {
    let folder = miniwob::pages::find().or_exit(Exit::Environment)?;
    let suite = match args.task.as_slice() {
        [] => Suite::by_name(&args.suite, &folder),
        tasks => Suite::of_tasks(tasks, &folder),
    }
    .or_exit(Exit::Usage)?;
    let planner = args.planner.config()?;
    if args.planner.planner == GOLD {
        let unsolved: Vec<&str> = suite.tasks.iter().filter(|task| !has_gold(task)).map(TaskId::as_str).collect();
        if !unsolved.is_empty() {
            return failure(Exit::Usage, format!("there is no gold solver for: {}", unsolved.join(", ")));
        }
    }
    let root_seed = match &args.seeds {
        Seeds::Fresh { root, .. } => Some(*root),
        Seeds::Range(..) | Seeds::List(_) => None,
    };
    let kind = Kind::Bench {
        planner,
        suite: suite.name.clone(),
        seeds: args.seeds.to_string(),
        root_seed,
        relaxed: args.relaxed,
    };
    let browser = args.browser.clone().into();
    let config = session::config(format!("miniwob-{}", suite.name), kind, &args.run, browser, |campaign| {
        suite.jobs(&args.seeds, campaign, args.relaxed)
    });
    session::begin(config, &args.run, args.output.output, args.at_least).await
}

fn has_gold(task: &TaskId) -> bool {
    gold::solver(task).is_some()
}
