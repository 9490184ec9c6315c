//! Tasks of a benchmark, by the name of a suite or one by one, and the jobs they become with seeds.

use crate::{ALL, Benchmark, Error, Seeds};
use domain::job::{BenchmarkTask, Work};
use domain::{CampaignId, Job, JobId, TaskId};
use std::path::Path;

/// A list of tasks of a benchmark, with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suite {
    /// The benchmark's name.
    pub benchmark: &'static str,
    /// Its name; `tasks` for a selection by hand.
    pub name: String,
    /// Its tasks.
    pub tasks: Vec<TaskId>,
}

impl Suite {
    /// The tasks of these names; where none is named, those of the suite, else of the benchmark's first suite.
    ///
    /// # Errors
    /// [`Error::UnknownTask`] or [`Error::UnknownSuite`] with what there is instead, or a folder that cannot be read.
    pub fn chosen(
        benchmark: &dyn Benchmark,
        suite: Option<&str>,
        tasks: &[String],
        folder: &Path,
    ) -> Result<Suite, Error> {
        match tasks {
            [] => Self::by_name(benchmark, suite, folder),
            names => Self::of_tasks(benchmark, names, folder),
        }
    }

    /// A suite by its name; the benchmark's first where none is named.
    ///
    /// # Errors
    /// [`Error::UnknownSuite`] with the names there are, or a folder that cannot be read.
    pub fn by_name(benchmark: &dyn Benchmark, name: Option<&str>, folder: &Path) -> Result<Suite, Error> {
        let known = benchmark.suites();
        let name = name.or(known.first().copied()).unwrap_or(ALL);
        if !known.contains(&name) {
            return Err(Error::UnknownSuite { name: name.to_owned(), known: known.to_vec() });
        }
        let tasks = benchmark.tasks(name, folder)?;
        Ok(Suite { benchmark: benchmark.name(), name: name.to_owned(), tasks })
    }

    /// A selection of tasks by their names.
    ///
    /// # Errors
    /// [`Error::UnknownTask`] with similar names, or a folder that cannot be read.
    fn of_tasks(benchmark: &dyn Benchmark, names: &[String], folder: &Path) -> Result<Suite, Error> {
        let there = benchmark.tasks(ALL, folder)?;
        let tasks = names.iter().map(|name| known_task(benchmark.name(), name, &there)).collect::<Result<_, _>>()?;
        Ok(Suite { benchmark: benchmark.name(), name: "tasks".to_owned(), tasks })
    }

    /// One job per task and seed, task by task.
    pub fn jobs(&self, seeds: &Seeds, campaign: &CampaignId, relaxed: bool) -> Vec<Job> {
        let instances =
            self.tasks.iter().flat_map(|task| seeds.of(task.as_str()).into_iter().map(move |seed| (task, seed)));
        instances
            .map(|(task, seed)| Job {
                id: JobId::new(format!("{task}/{seed}")),
                campaign: campaign.clone(),
                work: Work::Benchmark(BenchmarkTask {
                    benchmark: self.benchmark.to_owned(),
                    task: task.clone(),
                    seed,
                    relaxed,
                }),
            })
            .collect()
    }
}

fn known_task(benchmark: &'static str, name: &str, there: &[TaskId]) -> Result<TaskId, Error> {
    if let Some(task) = there.iter().find(|task| task.as_str() == name) {
        return Ok(task.clone());
    }
    let related = |task: &&TaskId| task.as_str().contains(name) || name.contains(task.as_str());
    let similar = there.iter().filter(related).take(3).map(TaskId::to_string).collect();
    Err(Error::UnknownTask { benchmark, name: name.to_owned(), similar })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::REGISTRY;

    #[test]
    fn an_unknown_suite_is_an_error_that_lists_the_known_ones() {
        for benchmark in REGISTRY {
            let error = Suite::by_name(*benchmark, Some("hxagent"), Path::new("")).unwrap_err().to_string();
            let known = benchmark.suites().join(", ");
            assert_eq!(error, format!("unknown suite `hxagent`; there are: {known}"));
        }
    }

    #[test]
    fn unknown_tasks_are_named_with_similar_ones() {
        let there = ["click-test", "click-test-2", "flight.AA"].map(TaskId::new);
        let error = known_task("clicks", "click-tes", &there).unwrap_err().to_string();
        assert_eq!(error, "unknown task `click-tes` of clicks; did you mean click-test, click-test-2?");
        let error = known_task("clicks", "xyz", &there).unwrap_err().to_string();
        assert!(error.contains("--suite all"), "{error}");
    }

    #[test]
    fn every_task_is_expanded_by_every_seed_to_a_job_of_its_own() {
        let tasks = vec![TaskId::new("a"), TaskId::new("b")];
        let suite = Suite { benchmark: "clicks", name: "two".to_owned(), tasks };
        let jobs = suite.jobs(&Seeds::Range(3, 5), &CampaignId::new("c"), true);
        let ids: Vec<&str> = jobs.iter().map(|job| job.id.as_str()).collect();
        assert_eq!(ids, ["a/3", "a/4", "b/3", "b/4"]);
        let Work::Benchmark(task) = &jobs[3].work else { panic!("not a benchmark job") };
        assert_eq!((task.benchmark.as_str(), task.task.as_str(), task.seed, task.relaxed), ("clicks", "b", 4, true));
    }
}
