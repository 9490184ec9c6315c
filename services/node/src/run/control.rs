//! Controls of replayed tests: the same steps where the goal is another, where they must not pass.

use crate::compose::{self, Pages};
use crawler::worker::Profile as _;
use domain::JobId;
use domain::job::{BenchmarkTask, Work};
use domain::test::{Start, Test};
use std::collections::BTreeMap;

/// How many seeds are looked at to find one whose goal is another.
const SEEDS_TRIED: u64 = 20;

/// The job that replays a test of a benchmark where the goal is another; none where no such seed is near.
///
/// # Errors
/// A sentence about why the goal of no other seed could be looked at.
pub async fn control(pages: &Pages, name: &str, test: &Test) -> Result<Option<(JobId, Work)>, String> {
    let Start::Benchmark(task) = &test.start else { return Ok(None) };
    let base = pages.benchmark(compose::benchmark(task)?).await?;
    for seed in (1..=SEEDS_TRIED).map(|offset| task.seed + offset) {
        let work = Work::Benchmark(BenchmarkTask { seed, ..task.clone() });
        let environment = compose::environment(&work, Some(base))?;
        let mut profile =
            Box::new(pages.profile_for(&work, &BTreeMap::new()).await.map_err(|error| error.to_string())?);
        let begun = environment.begin(profile.page()).await;
        profile.close(begun.is_ok()).await;
        if begun.map_err(|error| error.to_string())? != test.instruction {
            return Ok(Some((JobId::new(format!("{name}@{seed}")), work)));
        }
    }
    Ok(None)
}
