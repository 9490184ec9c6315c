//! `rutter compare`: runs of the same jobs, side by side.

use crate::cli::{Compare, Output};
use crate::exit::{Exit, Outcome, failure};
use crate::print::{self, note};
use report::compared::{Compared, Row};
use report::tables;

/// Compares runs with the first of them.
pub(crate) fn execute(args: &Compare) -> Outcome {
    for run in &args.runs {
        if !run.join("results.json").is_file() {
            let cause = format!("{} is no run directory: it has no results.json", run.display());
            return failure(Exit::Usage, cause);
        }
    }
    let runs = args.runs.iter().map(|run| Compared::read(run)).collect::<Result<Vec<_>, _>>()?;
    let rows: Vec<Row> = runs.iter().map(|run| run.beside(&runs[0])).collect();
    if let Some(row) = rows.iter().find(|row| row.jobs == 0) {
        let cause = format!("{} has no job in common with {} that both could judge", row.run, runs[0].run);
        return failure(Exit::Usage, cause);
    }
    match args.output.output {
        Output::Json => print::json(&serde_json::json!({ "rows": rows }))?,
        Output::Table => print::text_out(&table(&rows))?,
    }
    for row in &rows {
        for (jobs, what) in [
            (&row.missing, "lacks jobs of the first run"),
            (&row.additional, "has jobs that the first run lacks"),
            (&row.unjudged, "or the first run could not judge jobs"),
        ] {
            if let Some(job) = jobs.first() {
                note!("{} {what}: {} ({job}, …), left out", row.run, jobs.len());
            }
        }
    }
    Ok(Exit::Success)
}

fn table(rows: &[Row]) -> String {
    let header = [
        "run",
        "planner",
        "passed",
        "rate",
        "95 %",
        "difference",
        "95 %",
        "only first",
        "only this",
        "p",
        "tokens",
        "s",
    ];
    let mut table = tables::empty(&header);
    for (number, row) in rows.iter().enumerate() {
        let between = |[low, high]: [f64; 2]| format!("{:.1} … {:.1}", low * 100.0, high * 100.0);
        let beside = |text: String| if number == 0 { String::new() } else { text };
        table.add_row([
            row.run.clone(),
            row.planner.clone(),
            format!("{}/{}", row.successes, row.jobs),
            format!("{:.1} %", row.success_rate * 100.0),
            between(row.interval),
            beside(format!("{:+.1} ({})", row.difference * 100.0, row.finding())),
            beside(between(row.difference_interval)),
            beside(row.only_first.to_string()),
            beside(row.only_this.to_string()),
            beside(format!("{:.3}", row.p_value)),
            (row.prompt_tokens + row.completion_tokens).to_string(),
            format!("{:.1}", row.mean_s),
        ]);
    }
    table.to_string()
}
