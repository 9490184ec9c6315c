//! Training an experience on this machine (HxAgent, the training phase): rounds of trials, each an ordinary run, and between them
//! what their trials teach.
//!
//! A round makes one trial of every task that is still in training. What it taught is written once all of its trials are judged,
//! so that a training that was killed goes on with the round that it was in, and makes no trial of an earlier one again.

mod judging;
#[cfg(test)]
mod tests;

pub use judging::Reviewer;

use crate::Error;
use crate::experience::{Stored, Trained};
use crate::run::{self, Config, Kind, RunTraffic, mark};
use crate::stored;
use domain::campaign::PlannerOptions;
use domain::{CampaignId, Job, JobId, TaskId, Usage};
use planner::hxagent::training::{Training, TrainingOptions, Trial};
use planner::registry::options;
use planner::{Experience, Registry, TaskLessons};
use report::Directory;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The version of the stored settings.
const FORMAT: u32 = 1;
/// The settings of the training, in its directory.
const SETTINGS: &str = "training.json";
/// The folder with the settings of its runs, which all rounds take theirs from.
const TEMPLATE: &str = "template";
/// What a round taught, in its directory.
const LESSONS: &str = "lessons.json";
/// Steps of the agent in a trial, where its options do not say (HxAgent: 20 in training, 15 at evaluation).
const STEPS: u32 = 20;

/// Who judges trials that no check decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JudgedBy {
    /// Nobody: they teach nothing.
    #[default]
    Checks,
    /// The model, by the steps of the trial.
    Model,
    /// A person at the terminal.
    Person,
}

/// What is trained, and how.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TrainingConfig {
    /// Version of this format.
    pub format: u32,
    /// The name of the experience that comes of it.
    pub experience: String,
    /// Parameters of the method.
    pub options: TrainingOptions,
    /// Who judges what no check decides.
    pub judged_by: JudgedBy,
    /// Whether all tasks are trained as one, so that what is learnt of one is shown at each.
    pub together: bool,
}

impl TrainingConfig {
    /// A training towards an experience of this name.
    pub fn new(experience: String, options: TrainingOptions, judged_by: JudgedBy, together: bool) -> Self {
        Self { format: FORMAT, experience, options, judged_by, together }
    }
}

/// A training: its settings, and what it learnt so far.
pub struct TrainingRun {
    /// What is trained, and how.
    pub config: TrainingConfig,
    /// The settings of its runs, with every job of the training and without experience.
    pub template: Config,
    directory: Directory,
    tasks: Vec<TaskTraining>,
    rounds: usize,
    usage: Usage,
}

/// A task in training.
struct TaskTraining {
    /// Its name; none where all tasks are trained as one.
    task: Option<String>,
    /// Its instances, in the order in which they are tried; from the first again where there are too few.
    jobs: Vec<Job>,
    /// The jobs of its trials so far.
    tried: Vec<JobId>,
    training: Training,
}

/// A round of trials that is to be made.
pub struct Round {
    /// Its number, from 1.
    pub number: usize,
    /// Where its run is kept.
    pub directory: Directory,
    /// The settings of its run.
    pub config: Config,
}

/// What a round taught, as it is kept beside its run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JudgedTrial {
    /// The job of the trial.
    pub job: JobId,
    /// What it taught.
    pub trial: Trial,
    /// What the trial and the questions about it cost.
    pub usage: Usage,
    /// Troubles that were survived.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub incidents: Vec<String>,
}

impl TrainingRun {
    /// Begins a training in a new directory.
    ///
    /// # Errors
    /// [`Error::HoldsRun`]; a planner that learns nothing; a directory that cannot be written.
    pub fn begin(path: &Path, config: TrainingConfig, template: Config) -> Result<TrainingRun, Error> {
        check_planner(&template.kind)?;
        if path.join(SETTINGS).exists() {
            return Err(Error::HoldsRun(path.to_owned()));
        }
        let unfinished = path.join(TEMPLATE);
        if unfinished.exists() {
            // Killed before its settings were written: nothing was tried yet.
            let action = || format!("remove {}", unfinished.display());
            fs::remove_dir_all(&unfinished).map_err(|source| Error::File { action: action(), source })?;
        }
        template.create(&unfinished)?;
        let directory = Directory::at(path);
        directory.write_json(SETTINGS, &config)?;
        Ok(TrainingRun::new(directory, config, template))
    }

    /// The directory of the settings of its runs: what says whether they are this user's own.
    pub fn template_directory(&self) -> Directory {
        Directory::at(&self.directory.join(TEMPLATE))
    }

    /// A training that was begun before, with all that it learnt.
    ///
    /// # Errors
    /// [`Error::NoRun`]; settings or lessons that cannot be read.
    pub fn open(path: &Path) -> Result<TrainingRun, Error> {
        let file = path.join(SETTINGS);
        let text = fs::read_to_string(&file).map_err(|_| Error::NoTraining(path.to_owned()))?;
        let config = stored::parse(file, &text, FORMAT)?;
        let (_, template) = Config::open(&path.join(TEMPLATE))?;
        let mut training = TrainingRun::new(Directory::at(path), config, template);
        while let Some(lessons) = training.stored_lessons(training.rounds + 1)? {
            training.learn(&lessons);
        }
        Ok(training)
    }

    fn new(directory: Directory, config: TrainingConfig, template: Config) -> TrainingRun {
        let mut tasks: Vec<TaskTraining> = Vec::new();
        for job in &template.jobs {
            let name = (!config.together).then(|| job.names().0.0);
            match tasks.iter_mut().find(|task| task.task == name) {
                Some(task) => task.jobs.push(job.clone()),
                None => {
                    let training = Training::new(config.options);
                    tasks.push(TaskTraining { task: name, jobs: vec![job.clone()], tried: Vec::new(), training });
                }
            }
        }
        for task in tasks.iter_mut().filter(|task| task.task.is_none()) {
            in_turn(&mut task.jobs);
        }
        TrainingRun { config, template, directory, tasks, rounds: 0, usage: Usage::default() }
    }

    /// Where the training is kept.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// The next round of trials; none when every task is trained.
    ///
    /// # Errors
    /// Its directory cannot be written.
    pub fn next_round(&self) -> Result<Option<Round>, Error> {
        let number = self.rounds + 1;
        let campaign = CampaignId::new(format!("{}-{number:03}", self.template.campaign));
        let next = |task: &TaskTraining| {
            let job = &task.jobs[task.tried.len() % task.jobs.len()];
            Job { campaign: campaign.clone(), ..job.clone() }
        };
        let jobs: Vec<Job> = self.tasks.iter().filter(|task| !task.training.is_over()).map(next).collect();
        if jobs.is_empty() {
            return Ok(None);
        }
        let name = format!("{}, round {number}", self.template.name);
        let kind = self.kind_of_round(number)?;
        let config = Config { name, campaign, kind, jobs, ..self.template.clone() };
        let path = self.round(number);
        let directory = match path.join(report::directory::SETTINGS).exists() {
            true => Directory::at(&path),
            false => config.create(&path)?,
        };
        // What is made in somebody else's training stays somebody else's.
        if !mark::is_own(&self.template_directory()) {
            mark::remove(&directory);
        }
        Ok(Some(Round { number, directory, config }))
    }

    /// Keeps what a round taught.
    ///
    /// # Errors
    /// Its directory cannot be written.
    pub fn keep(&mut self, round: &Round, lessons: &[JudgedTrial]) -> Result<(), Error> {
        round.directory.write_json(LESSONS, &lessons)?;
        self.learn(lessons);
        Ok(())
    }

    /// How the training of each task stands.
    pub fn progress(&self) -> Vec<TaskProgress> {
        let of = |task: &TaskTraining| {
            let (training, (right, judged)) = (&task.training, task.training.tally());
            let task = task.task.clone();
            TaskProgress { task, trials: training.made(), right, judged, average: training.average() }
        };
        self.tasks.iter().map(of).collect()
    }

    /// What the training leaves: the best state of each task.
    pub fn stored(&self, created: String) -> Stored {
        let trained = |task: &TaskTraining| {
            let (frozen, (right, judged)) = (task.training.frozen(), task.training.tally());
            Trained {
                task: task.task.clone(),
                jobs: task.tried.clone(),
                judged,
                right,
                averages: task.training.averages().to_vec(),
                frozen_after: frozen.after,
                average: frozen.average,
                examples: frozen.lessons.examples,
                rules: frozen.lessons.rules,
            }
        };
        let planner = self.template.kind.planner();
        Stored {
            format: 0,
            name: self.config.experience.clone(),
            version: 0,
            created,
            training: format!("{} in {}", self.template.campaign, self.directory.path().display()),
            planner: self.template.kind.planner_label(),
            model: planner.and_then(|planner| planner.model.as_ref()).map(|model| model.model.clone()),
            benchmark: self.template.jobs.iter().find_map(|job| job.work.benchmark()).map(str::to_owned),
            judged_by: self.config.judged_by,
            options: self.config.options,
            usage: self.usage,
            tasks: self.tasks.iter().map(trained).collect(),
        }
    }

    fn learn(&mut self, lessons: &[JudgedTrial]) {
        self.rounds += 1;
        for lesson in lessons {
            self.usage += lesson.usage;
            let is_of = |task: &&mut TaskTraining| task.jobs.iter().any(|job| job.id == lesson.job);
            if let Some(task) = self.tasks.iter_mut().find(is_of) {
                task.tried.push(lesson.job.clone());
                task.training.learn(&lesson.trial);
            }
        }
    }

    /// The planner of the next round: with what was learnt so far, and with the steps of a training.
    fn kind_of_round(&self, number: usize) -> Result<Kind, Error> {
        let mut experience = Experience::default();
        for task in &self.tasks {
            let lessons = task.training.lessons().clone();
            match &task.task {
                Some(task) => experience.tasks.push(TaskLessons {
                    task: task.clone(),
                    examples: lessons.examples,
                    rules: lessons.rules,
                }),
                None => (experience.examples, experience.rules) = (lessons.examples, lessons.rules),
            }
        }
        experience.tasks.retain(|lessons| !lessons.examples.is_empty() || !lessons.rules.is_empty());
        let mut kind = self.template.kind.clone();
        if let Kind::Tasks { planner } | Kind::Bench { planner, .. } = &mut kind {
            let mut all = json!({ "steps": STEPS });
            let over = |mistake: options::Mistake| Error::Settings(mistake.to_string());
            options::overlay(&mut all, &planner.options.to_value()).map_err(over)?;
            options::overlay(&mut all, &json!({ "experience": experience })).map_err(over)?;
            planner.options = PlannerOptions::from(all.as_object().cloned().unwrap_or_default());
            if let Some(RunTraffic::Replay(training)) = &mut planner.traffic {
                // Another training recorded each of its rounds where that round's run is kept.
                *training = round_path(training, number);
            }
        }
        Ok(kind)
    }

    fn round(&self, number: usize) -> PathBuf {
        round_path(self.directory.path(), number)
    }

    fn stored_lessons(&self, round: usize) -> Result<Option<Vec<JudgedTrial>>, Error> {
        let file = self.round(round).join(LESSONS);
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(Error::File { action: format!("read {}", file.display()), source }),
        };
        serde_json::from_str(&text).map(Some).map_err(|source| Error::RunSettings { file, source })
    }
}

/// Puts jobs in an order in which their tasks take turns.
fn in_turn(jobs: &mut Vec<Job>) {
    let mut seen: BTreeMap<TaskId, usize> = BTreeMap::new();
    let mut numbered: Vec<(usize, Job)> = Vec::new();
    for job in jobs.drain(..) {
        let turn = seen.entry(job.names().0).or_default();
        numbered.push((*turn, job));
        *turn += 1;
    }
    numbered.sort_by_key(|(turn, _)| *turn);
    jobs.extend(numbered.into_iter().map(|(_, job)| job));
}

/// Where the run of a round is kept in a training's directory.
fn round_path(training: &Path, number: usize) -> PathBuf {
    training.join("rounds").join(format!("{number:03}"))
}

/// How the training of a task stands.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskProgress {
    /// The task; none where all tasks are trained as one.
    pub task: Option<String>,
    /// Trials that were made.
    pub trials: usize,
    /// Those of the judged ones that were right.
    pub right: usize,
    /// Those that could be judged.
    pub judged: usize,
    /// The share of right ones among the last trials; none as long as there are too few.
    pub average: Option<f64>,
}

/// Whether the planner of a run draws from experience.
fn check_planner(kind: &run::Kind) -> Result<(), Error> {
    let name = kind.planner().map(|planner| planner.name.as_str()).unwrap_or_default();
    let registry = Registry::default();
    let learns =
        |entry: &planner::registry::Entry| entry.options().iter().any(|row| row.key.starts_with("experience."));
    if registry.entry(name).is_ok_and(learns) {
        return Ok(());
    }
    let those: Vec<&str> = registry.entries().iter().filter(|entry| learns(entry)).map(|entry| entry.name).collect();
    Err(Error::Settings(format!(
        "the planner `{name}` learns nothing from experience; those that do: {}",
        those.join(", ")
    )))
}
