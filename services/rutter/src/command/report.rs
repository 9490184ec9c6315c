//! `rutter report`: makes results, tests and the report of a run again from what is stored. Opens no browser.

use super::work;
use crate::cli::{Output, Report};
use crate::exit::{Exit, Outcome};
use crate::print::{self, note};
use node::run::{self, Config, Kind};
use report::tables;
use std::time::Duration;

/// Writes the report again.
pub(crate) async fn execute(args: Report) -> Outcome {
    let (directory, config) = Config::open(&args.run)?;
    let node = run::start(&directory, &config).await?;
    let left = work::leave(&directory, &config, &node, directory.elapsed_s()).await;
    node.stop(Duration::from_secs(5)).await;
    let left = left?;
    run::mark::put_on_tests(&directory);
    match args.output.output {
        Output::Json => print::json(&left.results)?,
        Output::Table if matches!(config.kind, Kind::Explore(_)) => print::text_out(&tables::explored(&left.results))?,
        Output::Table => print::text_out(&tables::scores(&left.scores))?,
    }
    note!("report: {}", left.report.display());
    Ok(Exit::Success)
}
