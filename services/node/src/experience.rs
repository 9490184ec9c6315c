//! The store of experience: a folder for each name, a file for each version of it. A version is never changed.

use crate::Error;
use crate::stored;
use crate::training::JudgedBy;
use domain::job::Work;
use domain::{Job, JobId, Usage};
use planner::hxagent::training::TrainingOptions;
use planner::{Experience, TaskLessons};
use report::Directory;
use report::directory::file_name;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The version of the format of stored experience.
const FORMAT: u32 = 1;
/// The file beside the versions of a name that keeps the highest one that was forgotten.
const HIGHEST: &str = "highest";

/// A version of an experience, and how it came about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stored {
    /// Version of this format.
    pub format: u32,
    /// Its name.
    pub name: String,
    /// Its version, from 1.
    pub version: u32,
    /// When it was stored, for people.
    pub created: String,
    /// The training that it comes from: one training makes one version.
    pub training: String,
    /// Who decided in the trials.
    pub planner: String,
    /// The model behind it.
    pub model: Option<String>,
    /// The benchmark whose tasks were trained; none for tasks of files.
    pub benchmark: Option<String>,
    /// Who judged trials.
    pub judged_by: JudgedBy,
    /// The parameters of the training.
    pub options: TrainingOptions,
    /// What trials and lessons cost.
    pub usage: Usage,
    /// What was learnt, task by task.
    pub tasks: Vec<Trained>,
}

/// What came of the training of a task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trained {
    /// The task; none where all tasks were trained as one.
    pub task: Option<String>,
    /// The jobs that its trials did.
    pub jobs: Vec<JobId>,
    /// How many trials could be judged, and how many of those were right.
    pub judged: usize,
    /// How many were right.
    pub right: usize,
    /// The moving average, from the first trial that it could be told after.
    pub averages: Vec<f64>,
    /// How many trials led to the state that is kept.
    pub frozen_after: usize,
    /// The moving average then.
    pub average: Option<f64>,
    /// Successful trials, each as text.
    pub examples: Vec<String>,
    /// Rules extracted from failures.
    pub rules: Vec<String>,
}

impl Stored {
    /// `NAME@VERSION`.
    pub fn reference(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }

    /// What the planner is shown of it.
    pub fn experience(&self) -> Experience {
        let mut experience = Experience { name: Some(self.reference()), ..Experience::default() };
        for trained in &self.tasks {
            let (examples, rules) = (trained.examples.clone(), trained.rules.clone());
            match &trained.task {
                Some(task) => experience.tasks.push(TaskLessons { task: task.clone(), examples, rules }),
                None => (experience.examples, experience.rules) = (examples, rules),
            }
        }
        experience
    }

    /// The instances of a benchmark among these jobs that it was trained on.
    pub fn trained_on(&self, jobs: &[Job]) -> Vec<JobId> {
        let known: BTreeSet<&JobId> = self.tasks.iter().flat_map(|trained| &trained.jobs).collect();
        let is_known = |job: &&Job| match &job.work {
            Work::Benchmark(task) => Some(&task.benchmark) == self.benchmark.as_ref() && known.contains(&job.id),
            Work::Task { .. } | Work::Exploration { .. } | Work::Study(_) => false,
        };
        jobs.iter().filter(is_known).map(|job| job.id.clone()).collect()
    }
}

/// A folder of experience.
#[derive(Clone, Debug)]
pub struct Store(PathBuf);

impl Store {
    /// The store in this folder, which need not be there yet.
    pub fn at(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    /// Keeps an experience as the next version of its name. The version of a training that was kept before is told again instead.
    ///
    /// # Errors
    /// The folder cannot be read or written.
    pub fn keep(&self, mut stored: Stored) -> Result<Stored, Error> {
        check_name(&stored.name)?;
        // A version that was forgotten is not given again: results name it.
        let mut next = self.highest(&stored.name)? + 1;
        for version in self.versions(&stored.name)? {
            let there = self.read(&stored.name, version)?;
            if there.training == stored.training {
                return Ok(there);
            }
            next = next.max(version + 1);
        }
        (stored.format, stored.version) = (FORMAT, next);
        Directory::at(&self.0).write_json(&format!("{}/{next}.json", stored.name), &stored)?;
        Ok(stored)
    }

    /// An experience by `NAME`, the latest of its versions, or by `NAME@VERSION`.
    ///
    /// # Errors
    /// There is none, which is said with those that there are; it cannot be read.
    pub fn get(&self, reference: &str) -> Result<Stored, Error> {
        let (name, version) = parse(reference)?;
        let versions = self.versions(&name)?;
        match version.or(versions.last().copied()) {
            Some(version) if versions.contains(&version) => self.read(&name, version),
            _ => Err(self.unknown(reference)),
        }
    }

    /// Everything that is kept: names in order, versions of each from the first.
    ///
    /// # Errors
    /// The folder, or a file in it, cannot be read.
    pub fn list(&self) -> Result<Vec<Stored>, Error> {
        let mut all = Vec::new();
        for name in self.names()? {
            for version in self.versions(&name)? {
                all.push(self.read(&name, version)?);
            }
        }
        Ok(all)
    }

    /// Removes a version, or all versions of a name, and tells which.
    ///
    /// # Errors
    /// There is none of it; it cannot be removed.
    pub fn forget(&self, reference: &str) -> Result<Vec<String>, Error> {
        let (name, version) = parse(reference)?;
        let wanted: Vec<u32> =
            self.versions(&name)?.into_iter().filter(|there| version.is_none_or(|version| version == *there)).collect();
        if wanted.is_empty() {
            return Err(self.unknown(reference));
        }
        for version in &wanted {
            let file = self.file(&name, *version);
            fs::remove_file(&file).map_err(|source| in_file("remove", &file, source))?;
        }
        let highest = wanted.last().copied().unwrap_or_default().max(self.highest(&name)?);
        Directory::at(&self.0).write(&format!("{name}/{HIGHEST}"), highest.to_string().as_bytes())?;
        Ok(wanted.iter().map(|version| format!("{name}@{version}")).collect())
    }

    /// The highest version that was ever forgotten of a name.
    fn highest(&self, name: &str) -> Result<u32, Error> {
        let file = self.0.join(name).join(HIGHEST);
        match fs::read_to_string(&file) {
            Ok(text) => Ok(text.trim().parse().unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
            Err(source) => Err(in_file("read", &file, source)),
        }
    }

    fn read(&self, name: &str, version: u32) -> Result<Stored, Error> {
        let file = self.file(name, version);
        let text = fs::read_to_string(&file).map_err(|source| in_file("read", &file, source))?;
        stored::parse(file, &text, FORMAT)
    }

    fn names(&self) -> Result<Vec<String>, Error> {
        let mut names = entries(&self.0)?;
        names.retain(|name| self.0.join(name).is_dir());
        names.sort();
        Ok(names)
    }

    fn versions(&self, name: &str) -> Result<Vec<u32>, Error> {
        let of = |file: &String| file.strip_suffix(".json").and_then(|stem| stem.parse().ok());
        let mut versions: Vec<u32> = entries(&self.0.join(name))?.iter().filter_map(of).collect();
        versions.sort_unstable();
        Ok(versions)
    }

    fn file(&self, name: &str, version: u32) -> PathBuf {
        self.0.join(name).join(format!("{version}.json"))
    }

    fn unknown(&self, reference: &str) -> Error {
        let known = self.list().unwrap_or_default().iter().map(Stored::reference).collect::<Vec<_>>().join(", ");
        let known = if known.is_empty() { "none; `rutter train` makes one".to_owned() } else { known };
        Error::Settings(format!("there is no experience `{reference}` in {}; there are: {known}", self.0.display()))
    }
}

/// Whether a name can be one of an experience.
///
/// # Errors
/// It says what is wrong with it.
pub fn check_name(name: &str) -> Result<(), Error> {
    let is_plain = !name.is_empty() && !name.contains('@') && file_name(name) == name;
    let cause = || format!("`{name}` cannot be the name of an experience: letters, digits, `-`, `_` and `.` only");
    if is_plain { Ok(()) } else { Err(Error::Settings(cause())) }
}

fn parse(reference: &str) -> Result<(String, Option<u32>), Error> {
    let (name, version) = match reference.split_once('@') {
        Some((name, version)) => (name, Some(version)),
        None => (reference, None),
    };
    check_name(name)?;
    let number = |text: &str| {
        text.parse().map_err(|_| Error::Settings(format!("`{reference}`: a version is a number, such as `{name}@1`")))
    };
    Ok((name.to_owned(), version.map(number).transpose()?))
}

/// The names in a folder; none where it is not there.
fn entries(folder: &Path) -> Result<Vec<String>, Error> {
    let listed = match fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(in_file("read", folder, source)),
    };
    let name = |entry: io::Result<fs::DirEntry>| match entry {
        Ok(entry) => Ok(entry.file_name().into_string().ok()),
        Err(source) => Err(in_file("read", folder, source)),
    };
    listed.filter_map(|entry| name(entry).transpose()).collect()
}

fn in_file(verb: &str, file: &Path, source: io::Error) -> Error {
    Error::File { action: format!("{verb} {}", file.display()), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::CampaignId;
    use domain::TaskId;
    use domain::job::BenchmarkTask;

    fn stored(name: &str, training: &str) -> Stored {
        let trained = |task: Option<&str>, rule: &str| Trained {
            task: task.map(str::to_owned),
            jobs: vec![JobId::new("click/5001")],
            rules: vec![rule.into()],
            ..Trained::default()
        };
        Stored {
            name: name.into(),
            training: training.into(),
            benchmark: Some("clicks".into()),
            tasks: vec![trained(Some("click"), "of click"), trained(None, "of all")],
            ..Stored::default()
        }
    }

    #[test]
    fn each_training_makes_one_version_and_the_latest_is_meant_where_none_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::at(&folder.path().join("experience"));
        assert!(store.list().expect("nothing").is_empty());
        let kept = |training| store.keep(stored("shop", training)).expect("kept").version;
        assert_eq!([kept("a"), kept("b"), kept("a")], [1, 2, 1]);
        assert_eq!(store.get("shop").expect("there").reference(), "shop@2");
        assert_eq!(store.get("shop@1").expect("there").training, "a");
        assert_eq!(store.forget("shop@2").expect("there"), ["shop@2"]);
        assert_eq!(store.get("shop").expect("there").reference(), "shop@1");
        let refused = store.get("shop@2").expect_err("gone").to_string();
        assert!(refused.contains("`shop@2`") && refused.contains("there are: shop@1"), "{refused}");
        assert_eq!(store.forget("shop").expect("there"), ["shop@1"]);
        assert!(store.forget("shop").is_err());
        assert_eq!(kept("c"), 3, "results name the versions that are forgotten");
    }

    #[test]
    fn names_never_leave_the_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::at(folder.path());
        for name in ["../x", "", "a/b", "."] {
            assert!(store.get(name).is_err() && store.keep(stored(name, "a")).is_err(), "{name}");
        }
        assert!(store.get("a@b").expect_err("no number").to_string().contains("`a@1`"));
    }

    #[test]
    fn the_planner_is_shown_what_was_learnt_of_its_task_and_of_all() {
        let experience = Stored { version: 3, ..stored("shop", "a") }.experience();
        assert_eq!(experience.name.as_deref(), Some("shop@3"));
        assert_eq!(experience.of_task("click").1, ["of click"]);
        assert_eq!(experience.of_task("another").1, ["of all"]);
    }

    #[test]
    fn instances_that_were_trained_on_are_known_again() {
        let job = |benchmark: &str, seed: u64| Job {
            id: JobId::new(format!("click/{seed}")),
            campaign: CampaignId::new("c"),
            work: Work::Benchmark(BenchmarkTask {
                benchmark: benchmark.into(),
                task: TaskId::new("click"),
                seed,
                relaxed: false,
            }),
        };
        let jobs = [job("clicks", 1), job("clicks", 5001), job("other", 5001)];
        assert_eq!(stored("shop", "a").trained_on(&jobs), [JobId::new("click/5001")]);
    }
}
