//! The one binary: reads the command line, lets the libraries do what is asked for, and says what came of it.
//!
//! Results go to stdout, everything else to stderr; exit codes are defined in [`exit`].

mod cli;
mod command;
mod exit;
mod memory;
mod print;
mod progress;

use anyhow::Context as _;
use clap::Parser as _;
use cli::{Cli, Command};
use domain::campaign::Wish;
use exit::{Exit, OrExit as _, Outcome};
use platform::{runtime, telemetry};
use std::process::ExitCode;

fn main() -> ExitCode {
    memory::give_back_at_once();
    // Before anything can open a connection: the process has one TLS provider. A second installation is no harm.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let is_json = wants_json(std::env::args());
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            if is_json && error.use_stderr() {
                // Nothing more can be done where stdout is gone.
                let _ = print::failure(Exit::Usage, &error.render().to_string());
            }
            error.exit();
        }
    };
    let exit = start(cli.command).unwrap_or_else(|failure| {
        print::line(&format!("rutter: {failure}"));
        if is_json {
            let _ = print::failure(failure.exit, &failure.to_string());
        }
        failure.exit
    });
    ExitCode::from(exit.code())
}

/// Whether the command line asks for JSON: then a failure is told in JSON, too, also one of the command line itself.
fn wants_json(arguments: impl Iterator<Item = String>) -> bool {
    let arguments: Vec<String> = arguments.collect();
    arguments.windows(2).any(|pair| pair == ["--output", "json"]) || arguments.iter().any(|one| one == "--output=json")
}

fn start(command: Command) -> Outcome {
    // What sends traces sets up its own, as its settings say.
    let has_own_logging = match &command {
        Command::Serve(_) | Command::Submit(_) => true,
        Command::Explore(args) => args.submit,
        _ => false,
    };
    if !has_own_logging {
        telemetry::init(telemetry::Format::Text).or_exit(Exit::Usage)?;
    }
    runtime::run(run(command)).context("start the runtime").or_exit(Exit::Internal)?
}

async fn run(command: Command) -> Outcome {
    match command {
        Command::Run(args) => Box::pin(command::run::execute(*args)).await,
        Command::Explore(args) => Box::pin(command::explore::execute(*args)).await,
        Command::Bench(args) => Box::pin(command::bench::execute(*args)).await,
        Command::Train(args) => Box::pin(command::train::execute(*args)).await,
        Command::Experience(command) => command::experience::execute(command),
        Command::Explain(args) => command::explain::execute(&args),
        Command::Planners(args) => command::planners::execute(&args),
        Command::Models(command) => command::models::execute(command).await,
        Command::Prompts(args) => Box::pin(command::prompts::execute(args)).await,
        Command::Replay(args) => command::replay::execute(*args).await,
        Command::Compare(args) => command::compare::execute(&args),
        Command::Report(args) => command::report::execute(args).await,
        Command::Doctor(args) => command::doctor::execute(args).await,
        Command::Schema(args) => command::schema::execute(args.format),
        Command::Eval(cli::Eval::States(args)) => command::eval::states(args).await,
        Command::Graph(command) => command::graph::execute(command).await,
        Command::Serve(args) => command::serve::execute(args).await,
        Command::Ready(args) => command::ready::execute(args).await,
        Command::Config(args) => command::config::execute(args),
        Command::Submit(args) => command::cluster::submit(*args).await,
        Command::Status(args) => command::cluster::status(args).await,
        Command::Watch(args) => command::cluster::watch(args).await,
        Command::Pause(args) => command::cluster::wish(args, Wish::Pause).await,
        Command::Resume(args) => command::cluster::wish(args, Wish::Run).await,
        Command::Cancel(args) => command::cluster::wish(args, Wish::Cancel).await,
        Command::Results(args) => command::cluster::results(args).await,
        Command::Quarantine(command) => command::cluster::quarantine(command).await,
    }
}
