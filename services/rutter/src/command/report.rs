//! `rutter report`: makes results, tests and the report of a run again from what is stored. Opens no browser.

use crate::cli::{Output, Report};
use crate::exit::{Exit, Outcome};
use crate::print;
use crate::run::artifacts;
use crate::run::directory::Directory;
use crate::run::execute;
use std::time::Duration;

/// Writes the report again.
pub(crate) async fn execute(args: Report) -> Outcome {
    let (directory, config) = Directory::open(&args.run)?;
    let node = execute::open(&directory, &config).await?;
    let left = artifacts::leave(&directory, &config, &node, directory.elapsed_s()).await;
    node.stop(Duration::from_secs(5)).await;
    let left = left?;
    match args.output.output {
        Output::Json => print::json(&left.results)?,
        Output::Table => print::text_out(&print::scores_table(&left.scores))?,
    }
    eprintln!("report: {}", left.report.display());
    Ok(Exit::Success)
}
