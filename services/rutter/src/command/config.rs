//! `rutter config`: the settings of a role, as they are put together and as they may be.

use crate::cli::Config;
use crate::exit::{Exit, OrExit as _, Outcome, failure};
use crate::print::{self, note};
use anyhow::Context as _;
use node::config::{load, schema};
use platform::rpc::local_token;
use serde::Serialize;

/// No flag is given here.
#[derive(Serialize)]
struct Nothing {}

/// Shows, checks or describes settings.
pub(crate) fn execute(command: Config) -> Outcome {
    match command {
        Config::Show(args) => print::json(&load(args.config.as_deref(), &Nothing {})?)?,
        Config::Check(args) => {
            load(args.config.as_deref(), &Nothing {})?.check_connections()?;
            note!("the settings can be read, and `rutter serve` would take their addresses, tokens and certificates");
        }
        Config::Token(args) => {
            let server = load(args.config.as_deref(), &Nothing {})?.server;
            if !server.asks_local_token() {
                let cause = "the server of these settings does not ask for the token of this user: it has one of its own, asks for \
                             certificates, or is open";
                return failure(Exit::Usage, cause);
            }
            print::text_out(&local_token(server.bind.port()).context("read the token").or_exit(Exit::Storage)?)?;
        }
        Config::Schema => print::json(&schema())?,
    }
    Ok(Exit::Success)
}
