//! `rutter schema`: the JSON Schemas of the published file formats, generated from the types that read them.

use crate::cli::Format;
use crate::exit::{Exit, Outcome};
use crate::print;
use domain::task::TaskFile;
use domain::test::Test;
use schemars::{Schema, schema_for};

/// The schema of a format.
pub(crate) fn schema(format: Format) -> Schema {
    match format {
        Format::Task => schema_for!(TaskFile),
        Format::Test => schema_for!(Test),
    }
}

/// Prints a schema.
pub(crate) fn execute(format: Format) -> Outcome {
    print::json(&schema(format))?;
    Ok(Exit::Success)
}
