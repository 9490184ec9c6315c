//! `rutter train`: trials of tasks, and what they teach a planner.

use super::{door, experience, session, trust, work};
use crate::cli::convert::WHICH_MODEL;
use crate::cli::{JudgeName, Output, Train};
use crate::exit::{Exit, OrExit as _, Outcome, failure};
use crate::print::{self, note};
use anyhow::Context as _;
use benchmarks::{Seeds, random_root};
use domain::{CampaignId, Job, JobId};
use node::Pages;
use node::experience::{Store, check_name};
use node::run::{Config, Kind, mark};
use node::training::{JudgedBy, Reviewer, TrainingConfig, TrainingRun};
use planner::LanguageModel;
use planner::hxagent::training::TrainingOptions;
use platform::shutdown;
use report::outcomes;
use serde_json::{Value, json};
use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use tokio_util::sync::CancellationToken;

/// Trains, or goes on with a training.
pub(crate) async fn execute(args: Train) -> Outcome {
    if args.planner.options.experience.is_some() {
        return failure(Exit::Usage, "--experience is what a training makes: it begins without any");
    }
    let mut training = match &args.run.resume {
        Some(path) => {
            let training = TrainingRun::open(path)?;
            trust::of_run(&training.template_directory(), &training.template, args.run.trust)?;
            session::check_secrets(&training.template)?;
            training
        }
        None => {
            let (config, template) = settings(&args)?;
            // Before anything is written.
            session::check_secrets(&template)?;
            let usual = || PathBuf::from("runs").join(template.campaign.as_str());
            TrainingRun::begin(&args.run.run_dir.clone().unwrap_or_else(usual), config, template)?
        }
    };
    if training.config.judged_by == JudgedBy::Person && !is_terminal() {
        return failure(Exit::Usage, "--judged-by person asks at a terminal, and there is none");
    }
    session::warn_of_short_secrets(&training.template);
    let path = training.directory().path();
    let Some(model) = training.template.kind.planner().map(|planner| planner.models(path)).transpose()?.flatten()
    else {
        return failure(Exit::Usage, format!("a planner learns by a language model: {WHICH_MODEL}"));
    };
    let template = &training.template;
    let pages = Pages::started(&template.browser, template.density, session::benchmark_of(&template.jobs)).await?;
    let result = match shutdown::on_signals() {
        Ok(interrupt) => through(&mut training, model.as_ref(), pages.clone(), interrupt).await,
        Err(error) => Err(error).context("listen to signals").or_exit(Exit::Internal),
    };
    // Whatever happened, no browser outlives the command.
    pages.close().await;
    match result? {
        Exit::Success => end(&training, &Store::at(&args.planner.options.store.experience_dir), args.output.output),
        other => Ok(other),
    }
}

/// What is trained, and the settings of its runs.
fn settings(args: &Train) -> Outcome<(TrainingConfig, Config)> {
    let name = args.name.clone().unwrap_or_default();
    check_name(&name)?;
    if !(0.0..=1.0).contains(&args.stop_above) {
        return failure(Exit::Usage, "--stop-above is a rate between 0 and 1, e.g. 0.9");
    }
    let options = TrainingOptions {
        trials: args.instances.into(),
        window: args.window.into(),
        stop_above: args.stop_above,
        max_examples: args.max_examples.into(),
        rules: !args.without_rules,
    };
    let planner = args.planner.config()?;
    let browser = args.browser.clone().into();
    let run_name = format!("train-{name}");
    let template = match &args.benchmark {
        Some(benchmark) => {
            let benchmark = benchmarks::by_name(benchmark).or_exit(Exit::Usage)?;
            let folder = benchmark.folder().or_exit(Exit::Environment)?;
            let suite = args.part.suite(benchmark, &folder).or_exit(Exit::Usage)?;
            let root = args.root.unwrap_or_else(random_root);
            let seeds = Seeds::Training { count: args.instances.into(), root };
            let kind = Kind::Bench {
                planner,
                suite: suite.name.clone(),
                seeds: seeds.to_string(),
                root_seed: Some(root),
                relaxed: args.part.relaxed,
            };
            session::config(run_name, kind, &args.run, browser, |campaign| {
                suite.jobs(&seeds, campaign, args.part.relaxed)
            })
        }
        None => {
            let mut loaded = tasks::load(&args.files)?;
            door::keep_passwords(&mut loaded)?;
            let jobs = |campaign: &CampaignId| -> Vec<Job> { tasks::jobs_of_tasks(loaded, campaign) };
            session::config(run_name, Kind::Tasks { planner }, &args.run, browser, jobs)
        }
    };
    let template = Config { limits: args.limits.of(), ..template };
    tasks::check_jobs(&template.jobs)?;
    let judged_by = match args.judged_by {
        JudgeName::Checks => JudgedBy::Checks,
        JudgeName::Model => JudgedBy::Model,
        JudgeName::Person => JudgedBy::Person,
    };
    Ok((TrainingConfig::new(name, options, judged_by, args.together), template))
}

/// Makes rounds until every task is trained.
async fn through(
    training: &mut TrainingRun,
    model: &dyn LanguageModel,
    pages: Pages,
    interrupt: CancellationToken,
) -> Outcome {
    while let Some(round) = training.next_round()? {
        note!("round {}: {} trials", round.number, round.config.jobs.len());
        let ended = work::through(&round.directory, &round.config, pages.clone(), interrupt.clone()).await?;
        mark::put_on_tests(&round.directory);
        if ended.interrupted {
            note!(
                "interrupted in round {}; go on with --resume {}",
                round.number,
                training.directory().path().display()
            );
            return Ok(Exit::Interrupted);
        }
        // Trials that no attempt was judged of, all of them, say nothing of the task: they can be made again.
        if let Some(outcome) = ended.left.outcomes.iter().find(|outcome| outcomes::is_trouble(outcome))
            && (ended.left.pending > 0 || ended.left.outcomes.iter().all(outcomes::is_trouble))
        {
            note!("{}", outcomes::trouble(outcome));
            let path = training.directory().path().display();
            note!(
                "no trial of round {} could be made: once that is mended, begin anew, or go on with --resume {path}",
                round.number
            );
            return Ok(session::verdict_exit(outcome));
        }
        let lessons = training.judge(&round, &ended.left.outcomes, model, &mut AtTerminal).await?;
        for lesson in &lessons {
            for incident in &lesson.incidents {
                note!("{}: {incident}", lesson.job);
            }
        }
        training.keep(&round, &lessons)?;
        let progress = training.progress();
        let (right, judged): (usize, usize) =
            (progress.iter().map(|task| task.right).sum(), progress.iter().map(|task| task.judged).sum());
        note!("{right} of {judged} trials right so far");
    }
    Ok(Exit::Success)
}

/// Keeps what was learnt, and says it.
fn end(training: &TrainingRun, store: &Store, output: Output) -> Outcome {
    let path = training.directory().path().display();
    let progress = training.progress();
    if progress.iter().all(|task| task.judged == 0) {
        return failure(
            Exit::NotPassed,
            format!(
                "no trial could be judged, and nothing was learnt: tasks need checks, or --judged-by model or person; {path} says why"
            ),
        );
    }
    let stored = store.keep(training.stored(training.template.created.clone()))?;
    match output {
        Output::Json => {
            let mut told = serde_json::to_value(&stored).context("encode JSON").or_exit(Exit::Internal)?;
            if let Value::Object(fields) = &mut told {
                fields.insert("run".to_owned(), json!(path.to_string()));
            }
            print::json(&told)?;
        }
        Output::Table => print::text_out(&experience::trained(&stored))?,
    }
    for task in progress.iter().filter(|task| task.judged == 0) {
        note!("{}: no trial could be judged; nothing was learnt of it", task.task.as_deref().unwrap_or("all tasks"));
    }
    note!("experience: {} (use it by --experience {0}; rutter experience show {0})", stored.reference());
    let all_judged = progress.iter().all(|task| task.judged > 0);
    Ok(if all_judged { Exit::Success } else { Exit::NotPassed })
}

fn is_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks the person at the terminal.
struct AtTerminal;

impl Reviewer for AtTerminal {
    fn is_right(&mut self, job: &JobId, task: &str, steps: &[String], end: &str) -> Result<Option<bool>, node::Error> {
        note!("\n{job}: {task}");
        for step in steps {
            note!("  {step}");
        }
        note!("  {end}");
        loop {
            // Without a prompt the question is still answered.
            let _ = write!(std::io::stderr(), "Was it done right? [y]es, [n]o, [s]kip: ")
                .and_then(|()| std::io::stderr().flush());
            let mut answer = String::new();
            if std::io::stdin().read_line(&mut answer).map_or(true, |read| read == 0) {
                return Err(node::Error::Interrupted);
            }
            match answer.trim().to_lowercase().as_str() {
                "y" | "yes" => return Ok(Some(true)),
                "n" | "no" => return Ok(Some(false)),
                "s" | "skip" => return Ok(None),
                _ => {}
            }
        }
    }
}
