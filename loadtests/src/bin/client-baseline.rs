//! Measures what an instance costs the client of the browsers alone: the same pages and the same commands as under load, with
//! no queue, no log, no planner and no ledger. What a load run costs beyond this is the pipeline's own.

#![expect(clippy::print_stdout, reason = "what it finds is its output")]

use anyhow::{Context, Result, bail, ensure};
use browser::{Options, Pool, PoolOptions, Profile, ProfileOptions, Protocol};
use clap::Parser;
use domain::scope::Scope;
use domain::{Action, Page as _};
use futures::FutureExt as _;
use futures::stream::{self, StreamExt as _};
use loadtests::{decider, process, wizard};
use platform::{Clock, SystemClock, runtime, spawn};
use std::time::Duration;
use url::Url;

/// Processor time per instance of the browser client alone, against a simulated Grid that runs already.
///
/// Prints one line of JSON. The Grid and the site are those that `simulated-grid` names in its first line of output.
#[derive(Parser)]
#[command(
    after_help = "Example:\n  client-baseline --grid http://127.0.0.1:4444 --site http://127.0.0.1:8080 --instances 1000"
)]
struct Arguments {
    /// The simulated Grid
    #[arg(long)]
    grid: Url,
    /// A host of its site
    #[arg(long)]
    site: Url,
    /// Instances of ten steps
    #[arg(long, default_value_t = 1000)]
    instances: u32,
    /// Instances at the same time
    #[arg(long, default_value_t = 100)]
    sessions: u32,
    /// Profiles in one browser
    #[arg(long, default_value_t = 10)]
    contexts: u32,
    /// Different tasks
    #[arg(long, default_value_t = 10)]
    wizards: u32,
}

/// That of the program whose work is measured.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<()> {
    // On as many threads as a crawler.
    runtime::run(work(Arguments::parse()))?
}

async fn work(arguments: Arguments) -> Result<()> {
    let Arguments { grid, site, instances, sessions, contexts, wizards } = arguments;
    ensure!(instances > 0 && sessions > 0 && contexts > 0 && wizards > 0, "all numbers must be at least 1");
    let options = Options { endpoint: Some(grid), wire: Protocol::Bidi, ..Options::default() };
    let limits =
        PoolOptions { contexts_per_browser: contexts, profiles_per_browser: u32::MAX, ..PoolOptions::default() };
    let pool = Pool::new(options, limits);
    let clock = SystemClock::default();
    let before = process::usage(std::process::id()).context("read what this process uses")?;
    // On the threads of the runtime, as a crawler's instances are, and not on the one that waits for all of them.
    let each = |number: u32| {
        let (pool, site) = (pool.clone(), site.clone());
        let walked = spawn::detached("walk", async move {
            let url = site.join(&wizard::path(number % wizards, 0))?;
            let options = ProfileOptions { scope: Scope::of(&url), ..ProfileOptions::default() };
            let mut page = pool.profile(options).await.context("open a profile")?;
            let walked = walk(&mut page, &url, &clock).await;
            page.close(walked.is_ok()).await;
            walked.with_context(|| format!("instance {number}"))
        });
        walked.map(|walked| walked.unwrap_or_else(|panicked| Err(panicked.into())))
    };
    let walks: Vec<Result<Vec<Duration>>> =
        stream::iter(0..instances).map(each).buffer_unordered(sessions as usize).collect().await;
    // A crawler under load keeps its sessions, so that what ending them costs does not count here either.
    let after = process::usage(std::process::id()).context("read what this process uses")?;
    pool.stop().await;
    let mut steps = walks.into_iter().collect::<Result<Vec<_>>>()?.concat();
    steps.sort();
    let quantile = |part: f64| steps[((steps.len() - 1) as f64 * part) as usize].as_secs_f64() * 1000.0;
    let cpu = (after.cpu - before.cpu).as_secs_f64() * 1000.0;
    println!(
        "{}",
        serde_json::json!({
            "instances": instances, "sessions": sessions, "contexts_per_browser": contexts,
            "cpu_ms_per_instance": cpu / f64::from(instances), "wall_s": clock.monotonic().as_secs_f64(),
            "peak_rss_mib": after.peak_rss_mib, "rss_mib_before": before.rss_mib,
            "step_p50_ms": quantile(0.5), "step_p99_ms": quantile(0.99),
        })
    );
    Ok(())
}

/// Looks at the page as the judge does: once before the first action and twice in the end.
async fn look(page: &mut Profile) -> Result<serde_json::Value> {
    page.examine().await?;
    Ok(page.evaluate("wizard.stage").await?)
}

/// Goes through a wizard and looks at its check; answers what each step took.
async fn walk(page: &mut Profile, url: &Url, clock: &SystemClock) -> Result<Vec<Duration>> {
    page.open(url).await?;
    page.observe().await?;
    look(page).await?;
    // An action is decided on the latest observation, and the look was one.
    let mut seen = page.observe().await?;
    let mut took = Vec::new();
    loop {
        let (action, reason) = decider::next(&seen);
        if matches!(action, Action::Stop { .. }) {
            look(page).await?;
            let stage = look(page).await?;
            if action != Action::done() || stage != wizard::ACTIONS {
                bail!("ended at stage {stage}: {reason}");
            }
            return Ok(took);
        }
        let started = clock.monotonic();
        seen = page.act(&action, &seen).await?.observation;
        took.push(clock.monotonic() - started);
    }
}
