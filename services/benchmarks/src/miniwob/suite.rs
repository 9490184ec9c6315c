//! Named suites of tasks, and the jobs they become with seeds.

use crate::Error;
use crate::miniwob::{BENCHMARK, Seeds};
use domain::job::{BenchmarkTask, Work};
use domain::{CampaignId, Job, JobId, TaskId};
use std::path::Path;

/// What the flight tasks' names begin with.
pub const FLIGHT: &str = "flight.";

/// The 39 tasks that HxAgent shares with earlier work, then its five challenging ones.
const HXAGENT44: [&str; 44] = [
    "click-button",
    "click-checkboxes",
    "click-checkboxes-large",
    "click-checkboxes-soft",
    "click-collapsible",
    "click-option",
    "click-dialog",
    "click-dialog-2",
    "click-link",
    "click-scroll-list",
    "click-tab",
    "click-test",
    "click-test-2",
    "click-widget",
    "enter-password",
    "enter-text",
    "enter-text-2",
    "enter-text-dynamic",
    "focus-text",
    "focus-text-2",
    "grid-coordinate",
    "login-user",
    "multi-layouts",
    "multi-orderings",
    "read-table",
    "social-media-all",
    "social-media-some",
    "click-menu-2",
    "click-pie-nodelay",
    "navigate-tree",
    "click-collapsible-2-nodelay",
    "click-tab-2",
    "click-tab-2-hard",
    "social-media",
    "search-engine",
    "email-inbox",
    "email-inbox-forward-nl",
    "email-inbox-forward-nl-turk",
    "email-inbox-nl-turk",
    "choose-date",
    "book-flight-nodelay",
    "flight.Alaska",
    "flight.Alaska-auto",
    "flight.AA",
];

/// A dozen of the 44, of every kind, whose goal differs from seed to seed and cannot be met by chance.
const DEMO: [&str; 12] = [
    "click-tab",
    "click-dialog-2",
    "click-scroll-list",
    "focus-text-2",
    "grid-coordinate",
    "enter-text-2",
    "enter-password",
    "login-user",
    "read-table",
    "multi-layouts",
    "search-engine",
    "choose-date",
];

/// The names of the suites.
pub const NAMES: [&str; 3] = ["hxagent44", "demo", "all"];

/// A list of tasks with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suite {
    /// Its name; `tasks` for a selection by hand.
    pub name: String,
    /// Its tasks.
    pub tasks: Vec<TaskId>,
}

impl Suite {
    /// A suite by its name. `all` is every task that the folder of pages holds.
    ///
    /// # Errors
    /// [`Error::UnknownSuite`] with the names there are, or a folder that cannot be read.
    pub fn by_name(name: &str, folder: &Path) -> Result<Suite, Error> {
        let tasks = match name {
            "hxagent44" => HXAGENT44.map(TaskId::new).to_vec(),
            "demo" => DEMO.map(TaskId::new).to_vec(),
            "all" => all_tasks(folder)?,
            _ => {
                let known = NAMES.map(str::to_owned).to_vec();
                return Err(Error::UnknownSuite { name: name.to_owned(), known });
            }
        };
        Ok(Suite { name: name.to_owned(), tasks })
    }

    /// A selection of tasks by their names.
    ///
    /// # Errors
    /// [`Error::UnknownTask`] with similar names, or a folder that cannot be read.
    pub fn of_tasks(names: &[String], folder: &Path) -> Result<Suite, Error> {
        let there = all_tasks(folder)?;
        let tasks = names.iter().map(|name| known_task(name, &there)).collect::<Result<_, _>>()?;
        Ok(Suite { name: "tasks".to_owned(), tasks })
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
                    benchmark: BENCHMARK.to_owned(),
                    task: task.clone(),
                    seed,
                    relaxed,
                }),
            })
            .collect()
    }
}

fn known_task(name: &str, there: &[TaskId]) -> Result<TaskId, Error> {
    if let Some(task) = there.iter().find(|task| task.as_str() == name) {
        return Ok(task.clone());
    }
    let related = |task: &&TaskId| task.as_str().contains(name) || name.contains(task.as_str());
    let similar = there.iter().filter(related).take(3).map(TaskId::to_string).collect();
    Err(Error::UnknownTask { name: name.to_owned(), similar })
}

/// Every task of a folder of pages, by name: pages of `miniwob/` that generate a problem, and sites of `flight/` that
/// have a wrapper.
fn all_tasks(folder: &Path) -> Result<Vec<TaskId>, Error> {
    let mut names = Vec::new();
    let pages = folder.join("miniwob");
    for file in entries(&pages)? {
        let Some(name) = file.strip_suffix(".html") else { continue };
        let path = pages.join(&file);
        let page = std::fs::read_to_string(&path).map_err(|cause| Error::Folder { folder: path, cause })?;
        if page.contains("genProblem") {
            names.push(name.to_owned());
        }
    }
    let flights = folder.join("flight");
    for site in entries(&flights)? {
        if flights.join(&site).join("wrapper.html").is_file() {
            names.push(format!("{FLIGHT}{site}"));
        }
    }
    names.sort_unstable();
    Ok(names.into_iter().map(TaskId).collect())
}

fn entries(folder: &Path) -> Result<Vec<String>, Error> {
    let failed = |cause| Error::Folder { folder: folder.to_owned(), cause };
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        names.push(entry.map_err(failed)?.file_name().to_string_lossy().into_owned());
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn folder() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, content) in [
            ("miniwob/click-test.html", "var genProblem = function() {}"),
            ("miniwob/click-test-2.html", "var genProblem = function() {}"),
            ("miniwob/index.html", "<ul>all tasks</ul>"),
            ("miniwob/style.css", "genProblem"),
            ("flight/AA/wrapper.html", ""),
            ("flight/flight-common/wrapper.js", ""),
        ] {
            let file = root.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, content).unwrap();
        }
        root
    }

    fn names(suite: &Suite) -> Vec<&str> {
        suite.tasks.iter().map(TaskId::as_str).collect()
    }

    #[test]
    fn hxagent44_has_44_different_tasks_and_the_demo_a_dozen_of_them() {
        let all: BTreeSet<&str> = HXAGENT44.into();
        assert_eq!(all.len(), 44);
        assert_eq!(BTreeSet::from(DEMO).len(), 12);
        assert!(DEMO.iter().all(|task| all.contains(task)));
    }

    #[test]
    fn all_is_every_page_that_generates_problems_and_every_flight_site() {
        let folder = folder();
        let suite = Suite::by_name("all", folder.path()).unwrap();
        assert_eq!(names(&suite), ["click-test", "click-test-2", "flight.AA"]);
    }

    #[test]
    fn an_unknown_suite_is_an_error_that_lists_the_known_ones() {
        let error = Suite::by_name("hxagent", Path::new("")).unwrap_err().to_string();
        assert_eq!(error, "unknown suite `hxagent`; there are: hxagent44, demo, all");
    }

    #[test]
    fn unknown_tasks_are_named_with_similar_ones() {
        let folder = folder();
        let error = Suite::of_tasks(&["click-tes".to_owned()], folder.path()).unwrap_err().to_string();
        assert_eq!(error, "unknown MiniWoB++ task `click-tes`; did you mean click-test, click-test-2?");
        let error = Suite::of_tasks(&["xyz".to_owned()], folder.path()).unwrap_err().to_string();
        assert!(error.contains("--suite all"), "{error}");
    }

    #[test]
    fn every_task_is_expanded_by_every_seed_to_a_job_of_its_own() {
        let suite = Suite { name: "two".to_owned(), tasks: vec![TaskId::new("a"), TaskId::new("b")] };
        let jobs = suite.jobs(&Seeds::Range(3, 5), &CampaignId::new("c"), true);
        let ids: Vec<&str> = jobs.iter().map(|job| job.id.as_str()).collect();
        assert_eq!(ids, ["a/3", "a/4", "b/3", "b/4"]);
        let Work::Benchmark(task) = &jobs[3].work else { panic!("not a benchmark job") };
        assert_eq!((task.benchmark.as_str(), task.task.as_str(), task.seed, task.relaxed), ("miniwob", "b", 4, true));
    }
}
