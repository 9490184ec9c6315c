//! Runs jobs and takes their times, verdicts and memory.

use anyhow::{Context, Result};
use browser::{Options, Pool, PoolOptions, ProfileOptions};
use domain::page::PageError;
use domain::scope::Scope;
use domain::{Action, Page as _};
use futures::StreamExt as _;
use futures::stream;
use loadtests::site::Site;
use loadtests::{clicks, process};
use platform::{Clock, SystemClock};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::sleep;
use url::Url;

/// Jobs after which a shared browser is replaced; more than any round has.
const MANY: u32 = 100_000;
/// Between two looks at memory.
const LOOK: Duration = Duration::from_millis(200);

/// How jobs get their browsers.
pub(crate) struct Setting {
    pub(crate) name: &'static str,
    /// Profiles in one browser.
    pub(crate) contexts: u32,
    pub(crate) options: Options,
    /// The session of the Grid's node, where the browser is a Grid's.
    pub(crate) node: Option<u32>,
}

/// What came of a setting.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) jobs: u32,
    pub(crate) took: Duration,
    /// The most memory that all browsers held together, in MiB.
    pub(crate) peak_mib: f64,
    /// By job.
    pub(crate) verdicts: BTreeMap<u32, String>,
}

impl Setting {
    /// Runs jobs, several at once, and takes their time from the first to the end of the last browser.
    pub(crate) async fn run(&self, site: &Site, at_once: u32, jobs: u32, tally: &mut Tally) -> Result<()> {
        let clock = SystemClock::default();
        let pool = self.pool();
        let verdicts = self.jobs(&pool, site, at_once, jobs).await;
        pool.stop().await;
        tally.took += clock.monotonic();
        tally.jobs += jobs;
        self.keep(verdicts?, tally);
        Ok(())
    }

    /// Runs jobs and looks at the browsers' memory all the while.
    pub(crate) async fn weigh(&self, site: &Site, at_once: u32, jobs: u32, tally: &mut Tally) -> Result<()> {
        let pool = self.pool();
        let mut peak: f64 = 0.0;
        let verdicts = {
            let work = self.jobs(&pool, site, at_once, jobs);
            tokio::pin!(work);
            loop {
                tokio::select! {
                    verdicts = &mut work => break verdicts,
                    () = sleep(LOOK) => {}
                }
                // A page of `/proc` takes the kernel a while; the jobs go on meanwhile.
                let (pool, node) = (pool.clone(), self.node);
                let weighed = tokio::task::spawn_blocking(move || match node {
                    Some(node) => process::followers_mib(node),
                    None => pool.memory_mib() as f64,
                });
                peak = peak.max(weighed.await.context("look at memory")?);
            }
        };
        pool.stop().await;
        tally.peak_mib = tally.peak_mib.max(peak);
        self.keep(verdicts?, tally);
        Ok(())
    }

    fn pool(&self) -> Pool {
        let profiles_per_browser = if self.contexts == 1 { 1 } else { MANY };
        let contexts_per_browser = self.contexts;
        Pool::new(
            self.options.clone(),
            PoolOptions { contexts_per_browser, profiles_per_browser, ..PoolOptions::default() },
        )
    }

    /// A job that ends one way in one round and another way in the next has both verdicts.
    fn keep(&self, verdicts: Vec<(u32, &'static str)>, tally: &mut Tally) {
        for (job, verdict) in verdicts {
            let kept = tally.verdicts.entry(job).or_insert_with(|| verdict.to_owned());
            if !kept.split(" or ").any(|known| known == verdict) {
                *kept = format!("{kept} or {verdict}");
            }
        }
    }

    async fn jobs(&self, pool: &Pool, site: &Site, at_once: u32, jobs: u32) -> Result<Vec<(u32, &'static str)>> {
        let urls = site.urls();
        let host = urls.first().context("the site has no host")?;
        let each = |job: u32| {
            let url = host.join(&clicks::path(job));
            async move {
                let verdict = run_job(pool, &url?).await.with_context(|| format!("job {job}, {}", self.name))?;
                anyhow::Ok((job, verdict))
            }
        };
        let verdicts: Vec<Result<_>> =
            stream::iter(0..jobs).map(each).buffer_unordered(at_once as usize).collect().await;
        verdicts.into_iter().collect()
    }
}

/// One navigation and ten clicks; answers the verdict.
async fn run_job(pool: &Pool, url: &Url) -> Result<&'static str> {
    let options = ProfileOptions { scope: Scope::of(url), ..ProfileOptions::default() };
    let mut page = pool.profile(options).await.context("open a profile")?;
    let counted = click_through(&mut page, url).await;
    page.close(counted.is_ok()).await;
    Ok(if counted? == u64::from(clicks::CLICKS) { "PASSED" } else { "NOT_ACHIEVED" })
}

async fn click_through(page: &mut browser::Profile, url: &Url) -> Result<u64, PageError> {
    page.open(url).await?;
    let mut seen = page.observe().await?;
    for _ in 0..clicks::CLICKS {
        let button = seen.elements().find(|(_, node)| node.name == "Confirm").map(|(element, _)| element);
        let Some(button) = button else { return Ok(0) };
        seen = page.act(&Action::click(button), &seen).await?.observation;
    }
    // What another job's cookies or storage would spoil, if they met.
    let own =
        page.evaluate("document.cookie === 'clicks=' + clicks && localStorage.clicks == clicks ? clicks : 0").await?;
    Ok(own.as_u64().unwrap_or(0))
}
