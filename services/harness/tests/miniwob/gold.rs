//! Gold solves every task of `hxagent44` by real input at the official time limits.

use crate::rig::{Ended, PATIENCE, Rig, folder, instance};
use benchmarks::miniwob::{gold, suites};
use domain::job::BenchmarkTask;
use domain::verdict::VerdictKind;
use std::sync::Arc;
use tokio::sync::Mutex;
use tokio::time::timeout;

/// Steps that HxAgent gives an episode at evaluation.
const STEPS: usize = 15;

/// Seeds per task; the suite's acceptance is 0..5, which this variable asks for.
fn seeds() -> u64 {
    std::env::var("RUTTER_GOLD_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gold_solves_every_task_of_hxagent44_within_fifteen_steps() {
    let suite = suites::tasks("hxagent44", &folder()).unwrap();
    let seeds = seeds();
    let tasks: Vec<BenchmarkTask> =
        suite.iter().flat_map(|task| (0..seeds).map(|seed| instance(task.as_str(), seed))).collect();
    let count = tasks.len();
    let rig = Arc::new(Rig::start().await);
    let queue = Arc::new(Mutex::new(tasks.into_iter()));
    let workers = [0, 1].map(|_| platform::spawn::detached("gold", work(Arc::clone(&rig), Arc::clone(&queue))));
    let mut ended = Vec::new();
    for worker in workers {
        ended.extend(timeout(PATIENCE * 4, worker).await.unwrap().unwrap());
    }
    Arc::into_inner(rig).unwrap().stop().await;
    let wrong: Vec<String> = ended.iter().filter(|ended| !is_solved(ended)).map(Ended::line).collect();
    assert_eq!(ended.len(), count);
    assert!(wrong.is_empty(), "{} of {count} not solved:\n{}", wrong.len(), wrong.join("\n"));
}

async fn work(rig: Arc<Rig>, queue: Arc<Mutex<std::vec::IntoIter<BenchmarkTask>>>) -> Vec<Ended> {
    let mut ended = Vec::new();
    loop {
        let next = queue.lock().await.next();
        let Some(task) = next else { return ended };
        let mut solver = gold::solver(&task.task).expect("a solver for every task of the suite");
        ended.push(rig.attempt(&task, solver.as_mut()).await);
    }
}

fn is_solved(ended: &Ended) -> bool {
    ended.verdict.kind == VerdictKind::Passed
        && ended.reward == Some(1.0)
        && ended.was_ended_by_the_page()
        && ended.trajectory.steps.len() <= STEPS
}
