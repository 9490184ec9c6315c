//! `rutter config`: the settings of a role, as they are put together and as they may be.

use crate::cli::Config;
use crate::exit::{Exit, Outcome};
use crate::print;
use node::config::{load, schema};
use serde::Serialize;

/// No flag is given here.
#[derive(Serialize)]
struct Nothing {}

/// Shows, checks or describes settings.
pub(crate) fn execute(command: Config) -> Outcome {
    match command {
        Config::Show(args) => print::json(&load(args.config.as_deref(), &Nothing {})?)?,
        Config::Check(args) => {
            load(args.config.as_deref(), &Nothing {})?;
            eprintln!("the settings can be read");
        }
        Config::Schema => print::json(&schema())?,
    }
    Ok(Exit::Success)
}
