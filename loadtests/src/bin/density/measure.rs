//! Runs jobs and takes their times, verdicts and memory.

use anyhow::{Context, Result};
use browser::{Options, Pool, PoolOptions, PooledProfile, ProfileOptions};
use domain::page::PageError;
use domain::scope::Scope;
use domain::{Action, Page as _};
use futures::future::join_all;
use futures::stream::{self, StreamExt as _};
use loadtests::site::Site;
use loadtests::{clicks, machine, process};
use platform::{Clock, SystemClock};
use std::collections::BTreeMap;
use std::time::Duration;
use url::Url;

/// Jobs after which a shared browser is replaced; more than any round has.
const MANY: u32 = 100_000;

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
    /// Processor time of the machine meanwhile but that of this program, which is the site and the browsers' client.
    pub(crate) cpu: Duration,
    /// The most memory that all browsers held together when all jobs of a wave were done, in MiB.
    pub(crate) peak_mib: f64,
    /// By job.
    pub(crate) verdicts: BTreeMap<u32, String>,
}

impl Setting {
    /// Runs jobs, several at once, and takes their time from the first to the end of the last browser.
    pub(crate) async fn run(&self, site: &Site, at_once: u32, jobs: u32, tally: &mut Tally) -> Result<()> {
        let clock = SystemClock::default();
        let (machine, own) = (machine::busy(), own_cpu());
        let pool = self.pool();
        let verdicts = self.jobs(&pool, site, at_once, jobs).await;
        pool.stop().await;
        tally.took += clock.monotonic();
        let (machine, own) = (machine::busy().saturating_sub(machine), own_cpu().saturating_sub(own));
        tally.cpu += machine.saturating_sub(own);
        tally.jobs += jobs;
        self.keep(verdicts?, tally);
        Ok(())
    }

    /// Looks at the browsers' memory when as many jobs as run at once have done everything and none has closed its profile
    /// yet, in several waves: what a shared browser keeps of jobs that are over counts.
    pub(crate) async fn weigh(&self, site: &Site, at_once: u32, waves: u32, tally: &mut Tally) -> Result<()> {
        let pool = self.pool();
        for wave in 0..waves {
            let numbers: Vec<u32> = (wave * at_once..(wave + 1) * at_once).collect();
            let jobs = numbers.iter().map(|number| start_job(&pool, site, *number));
            let started = join_all(jobs).await.into_iter().collect::<Result<Vec<_>>>()?;
            let (weighed, node) = (pool.clone(), self.node);
            let mib = tokio::task::spawn_blocking(move || match node {
                Some(node) => process::followers_mib(node),
                None => weighed.memory_mib() as f64,
            });
            tally.peak_mib = tally.peak_mib.max(mib.await.context("look at memory")?);
            let verdicts: Vec<_> = numbers.into_iter().zip(started.iter().map(|(_, verdict)| *verdict)).collect();
            for (page, _) in started {
                page.close(true).await;
            }
            self.keep(verdicts, tally);
        }
        pool.stop().await;
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
        let each = |job: u32| async move {
            let (page, verdict) =
                start_job(pool, site, job).await.with_context(|| format!("job {job}, {}", self.name))?;
            page.close(true).await;
            anyhow::Ok((job, verdict))
        };
        let verdicts: Vec<Result<_>> =
            stream::iter(0..jobs).map(each).buffer_unordered(at_once as usize).collect().await;
        verdicts.into_iter().collect()
    }
}

fn own_cpu() -> Duration {
    process::usage(std::process::id()).map_or(Duration::ZERO, |usage| usage.cpu)
}

/// One navigation and ten clicks; answers the open profile and the verdict.
async fn start_job(pool: &Pool, site: &Site, job: u32) -> Result<(PooledProfile, &'static str)> {
    let url = site.urls().first().context("the site has no host")?.join(&clicks::path(job))?;
    let options = ProfileOptions { scope: Scope::of(&url), ..ProfileOptions::default() };
    let mut page = pool.profile(options).await.context("open a profile")?;
    match click_through(&mut page, &url).await {
        Ok(counted) if counted == u64::from(clicks::CLICKS) => Ok((page, "PASSED")),
        Ok(_) => Ok((page, "NOT_ACHIEVED")),
        Err(error) => {
            page.close(false).await;
            Err(error.into())
        }
    }
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
