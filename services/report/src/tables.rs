//! Results as tables for a terminal.

use crate::outcomes;
use crate::scores::{Scores, TaskScore};
use chrono::{DateTime, Local};
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, Table};
use domain::JobId;
use domain::campaign::{CampaignStatus, Quarantined, Waiting, Wish};
use domain::job::Outcome;
use serde_json::Value;

/// The score of each task, and of all.
pub fn scores(scores: &Scores) -> String {
    let with_reward = scores.mean_raw_reward.is_some();
    let mut header = vec!["task", "passed", "rate", "95 % interval", "steps"];
    if with_reward {
        header.push("reward");
    }
    let mut table = empty(&header);
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
pub fn explored(results: &Value) -> String {
    let mut table = empty(&["found", ""]);
    for name in ["states", "transitions", "actions", "requests", "requests_refused", "requests_out_of_scope"] {
        table.add_row(vec![name.replace('_', " "), results[name].to_string()]);
    }
    let changes = &results["changes"];
    for name in ["created", "changed"] {
        let times = changes[name].as_array().into_iter().flatten().filter_map(|change| change["times"].as_u64());
        table.add_row(vec![name.to_owned(), times.sum::<u64>().to_string()]);
    }
    if let Some(would) = changes["would_press"].as_array().filter(|would| !would.is_empty()) {
        table.add_row(vec!["would be pressed".to_owned(), would.len().to_string()]);
    }
    for (rule, left) in changes["left_alone"].as_object().into_iter().flatten() {
        let count = |name: &str| left[name].as_u64().unwrap_or_default();
        let said = format!("{} controls, {} requests", count("controls"), count("requests"));
        table.add_row(vec![format!("left alone: {}", rule.replace('_', " ")), said]);
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
pub fn verdicts(outcomes: &[Outcome]) -> String {
    let mut table = empty(&["task", "verdict", "steps", "because"]);
    for outcome in outcomes {
        table.add_row([
            Cell::new(&outcome.job),
            verdict_cell(outcome, true),
            Cell::new(outcome.steps),
            Cell::new(outcomes::because(outcome)),
        ]);
    }
    table.to_string()
}

/// One row a test: its verdict on its own instance, and on the one where it must not pass.
pub fn replays(outcomes: &[Outcome], controls: &[JobId]) -> String {
    let mut header = vec!["test", "verdict"];
    if !controls.is_empty() {
        header.extend(["seed with another goal", "verdict there (must not pass)"]);
    }
    header.push("because");
    let mut table = empty(&header);
    for outcome in outcomes.iter().filter(|outcome| !controls.contains(&outcome.job)) {
        let mut row = vec![Cell::new(&outcome.job), verdict_cell(outcome, true)];
        let prefix = format!("{}@", outcome.job);
        let control = |other: &&Outcome| controls.contains(&other.job) && other.job.as_str().starts_with(&prefix);
        let mut because = outcomes::because(outcome);
        match outcomes.iter().find(control) {
            Some(control) => {
                row.push(Cell::new(&control.job.as_str()[prefix.len()..]));
                row.push(verdict_cell(control, false));
                because.push_str(&format!("\nthere: {}", outcomes::because(control)));
            }
            None if !controls.is_empty() => row.extend([Cell::new("none"), Cell::new("")]),
            None => {}
        }
        row.push(Cell::new(because));
        table.add_row(row);
    }
    let (own, other): (Vec<&Outcome>, Vec<&Outcome>) =
        outcomes.iter().partition(|outcome| !controls.contains(&outcome.job));
    let passed = |outcomes: &[&Outcome]| outcomes.iter().filter(|one| one.verdict.kind.is_success()).count();
    let mut text = format!("{table}\n{} of {} tests passed", passed(&own), own.len());
    if !other.is_empty() {
        text.push_str(&format!("; {} of {} passed where the goal is another", passed(&other), other.len()));
    }
    text
}

/// One row a campaign.
pub fn campaigns(campaigns: &[CampaignStatus]) -> String {
    let mut table = empty(&["campaign", "jobs", "judged", "running", "waiting", "quarantined", "cancelled", "now"]);
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
pub fn standing(status: &CampaignStatus) -> String {
    let tally = &status.tally;
    let stages = status.campaign.stages.as_ref();
    let missing = stages.map_or(0, |stages| stages.jobs.saturating_sub(tally.jobs));
    if tally.ended() == tally.jobs && (missing == 0 || status.wish == Wish::Cancel) {
        return "ended".to_owned();
    }
    let stage = stages.zip(status.stage.checked_sub(1)).map(|(stages, place)| {
        format!("stage {} of {}, `{}`", status.stage, stages.count(), stages.name(place as usize))
    });
    let missing = (missing > 0).then(|| format!("{missing} jobs are still to be handed in"));
    let reasons = status.waiting.iter().map(|(waiting, jobs)| format!("{jobs} wait for {}", waiting_for(waiting)));
    let running = (tally.running > 0).then(|| format!("{} running", tally.running));
    stage.into_iter().chain(missing).chain(running).chain(reasons).collect::<Vec<_>>().join(", ")
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
pub fn quarantine(jobs: &[Quarantined]) -> String {
    let mut table = empty(&["job", "site", "failure", "causes"]);
    for job in jobs {
        table.add_row([job.job.as_str(), job.site.as_str(), job.failure.as_str(), &job.causes.join("\n")]);
    }
    table.to_string()
}

/// A verdict in its colour: green where it is what was wanted.
fn verdict_cell(outcome: &Outcome, passing_is_wanted: bool) -> Cell {
    let wanted = outcome.verdict.kind.is_success() == passing_is_wanted;
    Cell::new(outcome.verdict.kind).fg(if wanted { Color::Green } else { Color::Red })
}

/// A table with nothing in it yet.
pub fn empty(header: &[&str]) -> Table {
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
            prompt_tokens: 0,
            completion_tokens: 0,
            wall_s: 1.0,
            tasks: vec![score("click-test", 4), score("login-user", 1)],
            mean_steps: 2.0,
            mean_episode_s: 0.4,
            prompt_tokens_per_episode: 0.0,
            cost_usd: 0.0,
            verdicts: std::collections::BTreeMap::new(),
        };
        let table = super::scores(&scores);
        let line = |name: &str| table.lines().find(|line| line.contains(name)).expect("a row").to_owned();
        assert!(line("click-test").contains("4/4"), "{table}");
        assert!(line("all").contains("62.5 %") && line("all").contains("30.0–86.0 %"), "{table}");
    }
}
