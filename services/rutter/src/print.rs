//! What goes to stdout.

use crate::exit::{Exit, OrExit, Outcome};
use anyhow::Context as _;
use serde::Serialize;
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
