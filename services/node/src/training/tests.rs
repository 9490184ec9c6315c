//! How rounds follow each other, and what is known again of a training that was killed.

use super::*;
use crate::config::{BrowserConfig, Density};
use crate::run::{FORMAT as RUN_FORMAT, PlannerConfig, WhichPictures};
use domain::TaskId;
use domain::job::{BenchmarkTask, Work};

fn template(planner: &str, tasks: &[&str]) -> Config {
    let campaign = CampaignId::new("train");
    let job = |task: &str, seed: u64| Job {
        id: JobId::new(format!("{task}/{seed}")),
        campaign: campaign.clone(),
        work: Work::Benchmark(BenchmarkTask {
            benchmark: "clicks".into(),
            task: TaskId::new(task),
            seed,
            relaxed: false,
        }),
    };
    let planner = PlannerConfig::new(planner, None);
    Config {
        format: RUN_FORMAT,
        name: "train-shop".into(),
        created: String::new(),
        campaign: campaign.clone(),
        kind: Kind::Tasks { planner },
        workers: 1,
        screenshots: WhichPictures::None,
        browser: BrowserConfig::default(),
        density: Density::default(),
        limits: domain::campaign::AttemptLimits::default(),
        again: 0,
        jobs: tasks.iter().flat_map(|task| [job(task, 5001), job(task, 5002)]).collect(),
    }
}

fn begin(path: &Path, tasks: &[&str], together: bool) -> TrainingRun {
    let options = TrainingOptions { trials: 3, window: 2, ..TrainingOptions::default() };
    let config = TrainingConfig::new("shop".into(), options, JudgedBy::Checks, together);
    TrainingRun::begin(path, config, template("hxagent", tasks)).expect("begun")
}

fn jobs(round: &Round) -> Vec<&str> {
    round.config.jobs.iter().map(|job| job.id.as_str()).collect()
}

fn next(training: &TrainingRun) -> Round {
    training.next_round().expect("written").expect("a round")
}

/// Keeps the same lesson of every trial of a round.
fn keep(training: &mut TrainingRun, round: &Round, trial: &Trial) {
    let lesson = |job: &Job| JudgedTrial {
        job: job.id.clone(),
        trial: trial.clone(),
        usage: Usage { calls: 1, ..Usage::default() },
        incidents: Vec::new(),
    };
    let lessons: Vec<JudgedTrial> = round.config.jobs.iter().map(lesson).collect();
    training.keep(round, &lessons).expect("kept");
}

fn wrong(rule: &str) -> Trial {
    Trial::Wrong { rule: Some(rule.into()) }
}

fn right() -> Trial {
    Trial::Right { example: "TASK: it".into() }
}

fn experience(round: &Round) -> Experience {
    let options = round.config.kind.planner().expect("a planner").options.to_value();
    serde_json::from_value(options["experience"].clone()).expect("experience")
}

#[test]
fn each_round_tries_every_task_once_with_what_the_rounds_before_taught_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut training = begin(&folder.path().join("t"), &["a", "b"], false);
    let round = next(&training);
    assert_eq!(jobs(&round), ["a/5001", "b/5001"]);
    assert_eq!(
        (experience(&round), &round.config.kind.planner().expect("one").options.to_value()["steps"]),
        (Experience::default(), &json!(20))
    );
    keep(&mut training, &round, &wrong("look first"));
    let round = next(&training);
    assert_eq!(jobs(&round), ["a/5002", "b/5002"]);
    assert_eq!(round.config.campaign.as_str(), "train-002");
    assert_eq!(experience(&round).of_task("b").1, ["look first"]);
    keep(&mut training, &round, &right());
    // There are fewer instances than trials: the first is tried again.
    assert_eq!(jobs(&next(&training)), ["a/5001", "b/5001"]);
}

#[test]
fn a_training_that_was_killed_goes_on_with_the_round_that_it_was_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t");
    let mut training = begin(&path, &["a"], false);
    let round = next(&training);
    keep(&mut training, &round, &wrong("look first"));
    let begun = next(&training);
    drop(training);
    let mut training = TrainingRun::open(&path).expect("there");
    let again = next(&training);
    assert_eq!((again.number, jobs(&again), &again.config.campaign), (2, jobs(&begun), &begun.config.campaign));
    assert_eq!(experience(&again).of_task("a").1, ["look first"]);
    keep(&mut training, &again, &right());
    let round = next(&training);
    keep(&mut training, &round, &right());
    let training = TrainingRun::open(&path).expect("there");
    assert!(training.next_round().expect("written").is_none(), "three trials were made");
    let stored = training.stored(String::new());
    assert_eq!((stored.usage.calls, stored.benchmark.as_deref()), (3, Some("clicks")));
    let trained = &stored.tasks[0];
    assert_eq!((trained.right, trained.judged, trained.averages.as_slice()), (2, 3, &[0.5, 1.0][..]));
    assert_eq!(trained.jobs, ["a/5001", "a/5002", "a/5001"].map(JobId::new));
}

#[test]
fn tasks_that_are_trained_together_take_turns_and_share_what_they_learn() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut training = begin(&folder.path().join("t"), &["a", "b"], true);
    let round = next(&training);
    assert_eq!(jobs(&round), ["a/5001"]);
    keep(&mut training, &round, &wrong("look first"));
    let round = next(&training);
    assert_eq!((jobs(&round), experience(&round).rules), (vec!["b/5001"], vec!["look first".to_owned()]));
    keep(&mut training, &round, &right());
    assert_eq!(jobs(&next(&training)), ["a/5002"]);
}

#[test]
fn a_planner_that_learns_nothing_and_a_directory_that_holds_no_training_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = TrainingConfig::new("shop".into(), TrainingOptions::default(), JudgedBy::Checks, false);
    let path = folder.path().join("t");
    let refused = TrainingRun::begin(&path, config, template("ground", &["a"])).err().expect("refused").to_string();
    assert!(refused.contains("`ground` learns nothing") && refused.contains("hxagent"), "{refused}");
    assert!(TrainingRun::open(&path).err().expect("none").to_string().contains("no run directory of a training"));
    begin(&path, &["a"], false);
    assert!(matches!(next_again(&path), Err(Error::HoldsRun(_))));
}

fn next_again(path: &Path) -> Result<TrainingRun, Error> {
    let config = TrainingConfig::new("shop".into(), TrainingOptions::default(), JudgedBy::Checks, false);
    TrainingRun::begin(path, config, template("hxagent", &["a"]))
}
