//! The JSON Schemas of the published file formats, generated from the types that read them.

use domain::task::TaskFile;
use domain::test::Test;
use schemars::{Schema, schema_for};

/// The schema of task files.
pub fn task() -> Schema {
    schema_for!(TaskFile)
}

/// The schema of recorded tests.
pub fn test() -> Schema {
    schema_for!(Test)
}
