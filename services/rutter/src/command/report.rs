//! `rutter report`: makes results, tests and the report of a run again from what is stored. Opens no browser.

use crate::cli::{Output, Report};
use crate::compose::{self, Store};
use crate::exit::{Exit, Outcome};
use crate::print;
use crate::run::artifacts;
use crate::run::directory::Directory;

/// Writes the report again.
pub(crate) async fn execute(args: Report) -> Outcome {
    let (directory, config) = Directory::open(&args.run)?;
    let store = Store::open(directory.path(), compose::clock()).await?;
    let left = artifacts::leave(&directory, &config, &store, directory.elapsed_s()).await?;
    store.close().await;
    match args.output.output {
        Output::Json => print::json(&left.results)?,
        Output::Table => print::text_out(&print::scores_table(&left.scores))?,
    }
    eprintln!("report: {}", left.report.display());
    Ok(Exit::Success)
}
