//! Results for people and for machines, on stdout.

use crate::exit::{Exit, OrExit, Outcome};
use crate::run::scores::{Scores, TaskScore};
use anyhow::Context as _;
use chrono::{DateTime, Local};
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, Table};
use domain::campaign::{CampaignStatus, Quarantined, Waiting};
use domain::job::Outcome as JobOutcome;
use serde::Serialize;
use serde_json::Value;
use std::io::Write as _;

/// Prints one JSON object.
pub(crate) fn json(value: &impl Serialize) -> Outcome<()> {
    let text = serde_json::to_string_pretty(value).context("encode JSON").or_exit(Exit::Internal)?;
    text_out(&text)
}

/// Prints text. A reader that went away (`| head`) is no error.
pub(crate) fn text_out(text: &str) -> Outcome<()> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(error).context("write to stdout").or_exit(Exit::Storage)
        }
        _ => Ok(()),
    }
}

/// The score of each task, and of all.
pub(crate) fn scores_table(scores: &Scores) -> String {
    let with_reward = scores.mean_raw_reward.is_some();
    let mut header = vec!["task", "passed", "rate", "95 % interval", "steps"];
    if with_reward {
        header.push("reward");
    }
    let mut table = empty_table(&header);
    for task in &scores.tasks {
        table.add_row(score_row(task, with_reward));
    }
    if scores.tasks.len() > 1 {
        let all = TaskScore {
            task: "all".into(),
            episodes: scores.episodes,
            successes: scores.successes,
            mean_raw_reward: scores.mean_raw_reward,
            success_rate: scores.success_rate,
            interval: scores.interval,
            mean_steps: scores.mean_steps,
        };
        let bold = |cell: String| Cell::new(cell).add_attribute(Attribute::Bold);
        table.add_row(score_row(&all, with_reward).into_iter().map(bold));
    }
    align_numbers(&mut table);
    table.to_string()
}

/// The figures of an exploration.
pub(crate) fn explored_table(results: &Value) -> String {
    let mut table = empty_table(&["found", ""]);
    for name in ["states", "transitions", "actions", "requests", "requests_refused", "requests_out_of_scope"] {
        table.add_row(vec![name.replace('_', " "), results[name].to_string()]);
    }
    let faults = results["faults"].as_array().map(Vec::len).unwrap_or_default();
    table.add_row(vec!["faults".to_owned(), faults.to_string()]);
    for (name, curve, of, covered) in [
        ("lines that ran", &results["coverage"], "lines", "covered"),
        ("functions that ran in the browser", &results["js_coverage"]["curve"], "functions", "functions_covered"),
    ] {
        if let Some(last) = curve.as_array().and_then(|points| points.last()) {
            table.add_row(vec![name.to_owned(), format!("{} of {}", last[covered], last[of])]);
        }
    }
    if let Some(cause) = results["js_coverage"]["unavailable"].as_str() {
        table.add_row(vec!["functions that ran in the browser".to_owned(), cause.to_owned()]);
    }
    align_numbers(&mut table);
    table.to_string()
}

fn score_row(score: &TaskScore, with_reward: bool) -> Vec<String> {
    let mut row = vec![
        score.task.clone(),
        format!("{}/{}", score.successes, score.episodes),
        percent(score.success_rate),
        format!("{}–{}", percent(score.interval[0]).trim_end_matches(" %"), percent(score.interval[1])),
        format!("{:.1}", score.mean_steps),
    ];
    if with_reward {
        row.push(score.mean_raw_reward.map(|reward| format!("{reward:.2}")).unwrap_or_default());
    }
    row
}

fn percent(rate: f64) -> String {
    format!("{:.1} %", rate * 100.0)
}

/// The verdict of each task, and why.
pub(crate) fn verdicts_table(outcomes: &[JobOutcome]) -> String {
    let mut table = empty_table(&["task", "verdict", "steps", "because"]);
    for outcome in outcomes {
        table.add_row([
            Cell::new(&outcome.job),
            verdict_cell(outcome, true),
            Cell::new(outcome.steps),
            Cell::new(because(outcome)),
        ]);
    }
    table.to_string()
}

/// Why an outcome is what it is, with the troubles on the way.
pub(crate) fn because(outcome: &JobOutcome) -> String {
    let lines = std::iter::once(&outcome.verdict.reason).chain(&outcome.incidents);
    lines.map(String::as_str).collect::<Vec<_>>().join("\n")
}

/// One outcome, as scripts read it.
pub(crate) fn outcome_json(outcome: &JobOutcome) -> serde_json::Value {
    serde_json::json!({
        "job": outcome.job, "task": outcome.task, "verdict": outcome.verdict.kind, "reason": outcome.verdict.reason,
        "ending": outcome.ending, "steps": outcome.steps, "wall_ms": outcome.wall_ms, "incidents": outcome.incidents,
    })
}

/// One row a campaign.
pub(crate) fn campaigns_table(campaigns: &[CampaignStatus]) -> String {
    let mut table =
        empty_table(&["campaign", "jobs", "judged", "running", "waiting", "quarantined", "cancelled", "now"]);
    for status in campaigns {
        let tally = &status.tally;
        let counts = [tally.jobs, tally.judged, tally.running, tally.waiting, tally.quarantined, tally.cancelled];
        let mut row = vec![Cell::new(&status.campaign.id)];
        row.extend(counts.map(Cell::new));
        row.push(Cell::new(standing(status)));
        table.add_row(row);
    }
    table.to_string()
}

/// What a campaign is doing, and what its jobs wait for.
pub(crate) fn standing(status: &CampaignStatus) -> String {
    let tally = &status.tally;
    if tally.ended() == tally.jobs {
        return "ended".to_owned();
    }
    let reasons = status.waiting.iter().map(|(waiting, jobs)| format!("{jobs} wait for {}", waiting_for(waiting)));
    let running = (tally.running > 0).then(|| format!("{} running", tally.running));
    running.into_iter().chain(reasons).collect::<Vec<_>>().join(", ")
}

fn waiting_for(waiting: &Waiting) -> String {
    match waiting {
        Waiting::Capacity => "a free slot".to_owned(),
        Waiting::HostRate { host } => format!("the rate of {host}"),
        Waiting::Resume => "`rutter resume`".to_owned(),
        Waiting::Budget => "a larger budget".to_owned(),
        Waiting::RetryAt { at } => {
            let at: DateTime<Local> = (*at).into();
            format!("their next attempt ({})", at.format("%H:%M:%S"))
        }
    }
}

/// One row a job in quarantine.
pub(crate) fn quarantine_table(jobs: &[Quarantined]) -> String {
    let mut table = empty_table(&["job", "site", "failure", "causes"]);
    for job in jobs {
        table.add_row([job.job.as_str(), job.site.as_str(), job.failure.as_str(), &job.causes.join("\n")]);
    }
    table.to_string()
}

/// A verdict in its colour: green where it is what was wanted.
pub(crate) fn verdict_cell(outcome: &JobOutcome, passing_is_wanted: bool) -> Cell {
    let wanted = outcome.verdict.kind.is_success() == passing_is_wanted;
    Cell::new(outcome.verdict.kind).fg(if wanted { Color::Green } else { Color::Red })
}

/// A table with nothing in it yet.
pub(crate) fn empty_table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic).set_header(header);
    table
}

/// Puts every column but the first to the right.
fn align_numbers(table: &mut Table) {
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_score_table_holds_every_task_and_the_sum() {
        let score = |task: &str, successes| TaskScore {
            task: task.into(),
            episodes: 4,
            successes,
            mean_raw_reward: Some(0.5),
            success_rate: f64::from(successes as u32) / 4.0,
            interval: [0.1, 0.9],
            mean_steps: 2.0,
        };
        let scores = Scores {
            episodes: 8,
            successes: 5,
            success_rate: 0.625,
            interval: [0.3, 0.86],
            mean_raw_reward: Some(0.25),
            tokens: 0,
            wall_s: 1.0,
            tasks: vec![score("click-test", 4), score("login-user", 1)],
            mean_steps: 2.0,
            mean_episode_s: 0.4,
            prompt_tokens_per_episode: 0.0,
            cost_usd: 0.0,
            verdicts: std::collections::BTreeMap::new(),
        };
        let table = scores_table(&scores);
        let line = |name: &str| table.lines().find(|line| line.contains(name)).expect("a row").to_owned();
        assert!(line("click-test").contains("4/4"), "{table}");
        assert!(line("all").contains("62.5 %") && line("all").contains("30.0–86.0 %"), "{table}");
    }
}
