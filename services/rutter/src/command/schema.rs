//! `rutter schema`: the JSON Schemas of the published file formats.

use crate::cli::Format;
use crate::exit::{Exit, Outcome};
use crate::print;

/// Prints a schema.
pub(crate) fn execute(format: Format) -> Outcome {
    print::json(&match format {
        Format::Task => tasks::schema::task(),
        Format::Test => tasks::schema::test(),
    })?;
    Ok(Exit::Success)
}
