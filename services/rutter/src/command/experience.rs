//! `rutter experience`: what was learnt, by name and version.

use crate::cli::{Experience, ExperienceOne, Output};
use crate::exit::{Exit, Outcome};
use crate::print::{self, note};
use node::experience::{Store, Stored};
use report::tables;
use serde_json::json;
use std::fmt::Write as _;

/// Lists, shows or forgets experience.
pub(crate) fn execute(command: Experience) -> Outcome {
    match command {
        Experience::List(args) => list(&Store::at(&args.store.experience_dir), args.output.output),
        Experience::Show(args) => show(&args),
        Experience::Forget(args) => forget(&args),
    }
}

fn list(store: &Store, output: Output) -> Outcome {
    let all = store.list()?;
    match output {
        Output::Json => print::json(&all.iter().map(summary).collect::<Vec<_>>())?,
        Output::Table => {
            let header = ["experience", "stored", "planner", "model", "tasks", "examples", "rules", "tokens"];
            let mut table = tables::empty(&header);
            for stored in &all {
                let tokens = stored.usage.prompt_tokens + stored.usage.completion_tokens;
                table.add_row([
                    stored.reference(),
                    stored.created.clone(),
                    stored.planner.clone(),
                    stored.model.clone().unwrap_or_default(),
                    stored.tasks.len().to_string(),
                    stored.tasks.iter().map(|task| task.examples.len()).sum::<usize>().to_string(),
                    stored.tasks.iter().map(|task| task.rules.len()).sum::<usize>().to_string(),
                    tokens.to_string(),
                ]);
            }
            print::text_out(&table.to_string())?;
        }
    }
    Ok(Exit::Success)
}

fn summary(stored: &Stored) -> serde_json::Value {
    json!({
        "experience": stored.reference(),
        "created": stored.created,
        "planner": stored.planner,
        "model": stored.model,
        "benchmark": stored.benchmark,
        "judged_by": stored.judged_by,
        "usage": stored.usage,
        "tasks": stored.tasks.iter().map(|task| json!({
            "task": task.task,
            "judged": task.judged,
            "right": task.right,
            "average": task.average,
            "examples": task.examples.len(),
            "rules": task.rules.len(),
        })).collect::<Vec<_>>(),
    })
}

fn show(args: &ExperienceOne) -> Outcome {
    let stored = Store::at(&args.store.experience_dir).get(&args.experience)?;
    match args.output.output {
        Output::Json => print::json(&stored)?,
        Output::Table => {
            print::text_out(&trained(&stored))?;
            print::text_out(lessons(&stored).trim_end())?;
        }
    }
    Ok(Exit::Success)
}

fn forget(args: &ExperienceOne) -> Outcome {
    let forgotten = Store::at(&args.store.experience_dir).forget(&args.experience)?;
    match args.output.output {
        Output::Json => print::json(&json!({ "forgotten": forgotten }))?,
        Output::Table => note!("forgotten: {}", forgotten.join(", ")),
    }
    Ok(Exit::Success)
}

/// How the training of each task went.
pub(super) fn trained(stored: &Stored) -> String {
    let header = ["task", "right", "judged", "trials", "best average", "after", "examples", "rules"];
    let mut table = tables::empty(&header);
    for task in &stored.tasks {
        let average = task.average.map_or_else(|| "-".to_owned(), |average| format!("{average:.2}"));
        table.add_row([
            name(task.task.as_deref()).to_owned(),
            task.right.to_string(),
            task.judged.to_string(),
            task.jobs.len().to_string(),
            average,
            task.frozen_after.to_string(),
            task.examples.len().to_string(),
            task.rules.len().to_string(),
        ]);
    }
    table.to_string()
}

fn lessons(stored: &Stored) -> String {
    let mut page = String::new();
    for task in &stored.tasks {
        // Writing to memory does not fail.
        let _ = writeln!(page, "\n{}", name(task.task.as_deref()));
        for rule in &task.rules {
            let _ = writeln!(page, "  rule: {rule}");
        }
        for (number, example) in (1..).zip(&task.examples) {
            let _ = writeln!(page, "  example {number}:\n    {}", example.replace('\n', "\n    "));
        }
    }
    page
}

fn name(task: Option<&str>) -> &str {
    task.unwrap_or("all tasks")
}
