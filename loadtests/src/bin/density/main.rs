//! Measures what sharing a browser is worth: the same jobs with a browser for each, with several in one browser, and with
//! several in one slot of a Grid. Real browsers, real pages, one run.

#![expect(clippy::print_stdout, reason = "what it finds is its output")]

mod grid_slot;
mod measure;
mod report;

use anyhow::{Context, Result, bail};
use browser::{Options, Protocol};
use clap::Parser;
use grid_slot::GridSlot;
use loadtests::site::Site;
use measure::{Setting, Tally};

/// Waves of jobs after which memory is looked at.
const WAVES: u32 = 3;

/// Jobs per second and memory per job of shared browsers, against a browser per job.
///
/// Each job is one navigation and ten clicks, in a profile of its own. Prints a table and writes results/density.json in the
/// target directory. Ends with 1 when verdicts differ or say nothing, or the gain is less than it must be. Memory is that of a browser which
/// is the only one on its machine, as in a container of its own, with one job or with several; what browsers with a job each
/// hold where they stand side by side is told too. Processor time is that of the whole machine but this program's own, so that
/// nothing else may run meanwhile; what the pipeline costs beside it is told where `load` has measured it.
#[derive(Parser)]
#[command(after_help = "Example:\n  density --jobs 32 --rounds 2")]
struct Arguments {
    /// Jobs that run at the same time, and profiles in the shared browser
    #[arg(long, default_value_t = 8)]
    contexts: u32,
    /// Jobs of one round
    #[arg(long, default_value_t = 32)]
    jobs: u32,
    /// Rounds of each setting, taken in turns
    #[arg(long, default_value_t = 2)]
    rounds: u32,
    /// A further argument of every browser; may be given several times
    #[arg(long, value_name = "ARGUMENT", allow_hyphen_values = true)]
    browser: Vec<String>,
    /// Leave the Grid out
    #[arg(long)]
    no_grid: bool,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    if arguments.contexts < 2 || arguments.jobs < arguments.contexts || arguments.rounds == 0 {
        bail!("--contexts must be at least 2, --jobs at least as many as --contexts, --rounds at least 1");
    }
    let slot = if arguments.no_grid { None } else { Some(GridSlot::start()?) };
    let site = Site::start(1).await.context("start the site")?;
    let local = Options { wire: Protocol::Bidi, arguments: arguments.browser, ..Options::default() };
    let mut settings = vec![
        Setting { name: "a browser per job", contexts: 1, options: local.clone(), node: None },
        Setting { name: "one browser", contexts: arguments.contexts, options: local.clone(), node: None },
    ];
    if let Some(slot) = &slot {
        settings.push(Setting {
            name: "one slot of a Grid",
            contexts: arguments.contexts,
            options: Options { endpoint: Some(slot.url.clone()), ..local },
            node: Some(slot.node),
        });
    }
    let mut tallies: Vec<Tally> = settings.iter().map(|_| Tally::default()).collect();
    for round in 0..arguments.rounds {
        for (setting, tally) in settings.iter().zip(&mut tallies) {
            eprintln!("round {} of {}: {}", round + 1, arguments.rounds, setting.name);
            setting.run(&site, arguments.contexts, arguments.jobs, tally).await?;
        }
    }
    // Looking at memory costs time, so it is looked at in waves of their own.
    for (setting, tally) in settings.iter().zip(&mut tallies) {
        eprintln!("memory: {}", setting.name);
        setting.weigh(&site, arguments.contexts, WAVES, tally).await?;
    }
    let mut alone = Tally::default();
    settings[0].weigh(&site, 1, 1, &mut alone).await?;
    drop(slot);
    let report = report::Report::of(arguments.contexts, &settings, &tallies, alone.peak_mib);
    report.print();
    report.print_costs()?;
    report.write()?;
    report.judge()
}
