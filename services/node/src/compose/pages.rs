//! Where jobs get their pages: a fresh profile for each job, in a browser that may hold profiles of other jobs.
//!
//! Tasks and the benchmarks never share a browser, since each benchmark may ask for arguments of its own.

use super::assignments::{NO_PAGE, benchmark};
use super::pace::Paced;
use super::secrets::{NamedSecrets, TaskSecrets};
use crate::Error;
use crate::config::{BrowserConfig, Density, GateConfig, WireName};
use crate::coverage::ScriptsOfJobs;
use async_trait::async_trait;
use benchmarks::Benchmark;
use browser::grid::Grid;
use browser::{
    Engine, GatePlace, JsCoverage, Lent, LoginState, Options, Pace, Pool, PoolOptions, PooledProfile, ProfileOptions,
    Protocol, Robots,
};
use crawler::SharedPace;
use crawler::worker::{self, PageSource};
use domain::campaign::{Campaign, Rate};
use domain::job::Work;
use domain::page::PageError;
use domain::scope::Scope;
use domain::storage::shared::RateLimit;
use domain::task::{Parameter, Site};
use domain::{Job, Page};
use futures::future::join_all;
use platform::listeners;
use platform::network::is_this_machine;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OnceCell, watch};
use url::Url;

impl Density {
    fn pool(self, contexts_per_browser: u32, lent: Option<Lent>) -> PoolOptions {
        PoolOptions {
            contexts_per_browser,
            profiles_per_browser: self.jobs_per_browser,
            mib_per_browser: self.mib_per_browser,
            lent,
        }
    }
}

/// For how long the sessions of a Grid are kept: others wait for them, and a node that is drained ends with its last one.
const LENT: Lent = Lent { idle: Duration::from_secs(30), age: Duration::from_mins(10) };

/// Jobs that hold a profile or wait for one, by kind; each kind has browsers of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Demand {
    pub(crate) tasks: u32,
    pub(crate) benchmarks: u32,
}

/// Browsers, and the servers of the benchmarks' pages.
#[derive(Clone)]
pub struct Pages {
    shared: Arc<SharedServices>,
    pace: Option<Politeness>,
    /// Where explorations tell what JavaScript ran.
    coverage: Option<JsCoverage>,
    /// The same of jobs that measure it themselves.
    of_jobs: ScriptsOfJobs,
    /// What this machine keeps for tasks that name it.
    secrets: NamedSecrets,
}

/// What page loads wait for.
#[derive(Clone)]
struct Politeness {
    limiter: Arc<dyn RateLimit>,
    usual: Option<Rate>,
}

struct SharedServices {
    /// Where sessions come from, which may be full or away for a while; none where browsers are started here.
    grid: Option<Grid>,
    /// Whether the gates are for the browsers of this machine only.
    is_local: bool,
    tasks: Pool,
    /// Those of each benchmark, by its name.
    benchmarks: BTreeMap<&'static str, BenchmarkPages>,
    demand: watch::Sender<Demand>,
    /// What the hosts of explorations ask robots to leave alone.
    robots: Arc<Robots>,
}

/// The browsers of a benchmark, and the server of its pages.
struct BenchmarkPages {
    pool: Pool,
    /// Started with the first job that wants it.
    served: OnceCell<benchmarks::Pages>,
}

impl Pages {
    /// Sets up the pools; starts nothing. On a Grid, sessions are labelled with their owner.
    ///
    /// # Errors
    /// Options that cannot be meant.
    pub fn new(config: &BrowserConfig, density: Density, owner: Option<String>) -> Result<Pages, Error> {
        let mut for_tasks = options(config)?;
        for_tasks.owner = owner.filter(|_| for_tasks.endpoint.is_some());
        // The browser beside a crawler is its own.
        let lent = for_tasks.endpoint.as_ref().filter(|_| !for_tasks.gate.is_local()).map(|_| LENT);
        let of_benchmark = |benchmark: &&'static dyn Benchmark| {
            let mut options = for_tasks.clone();
            options.arguments.extend(benchmark.browser_arguments().iter().map(|argument| (*argument).to_owned()));
            let pool = Pool::new(options, density.pool(density.benchmark_contexts_per_browser, lent));
            (benchmark.name(), BenchmarkPages { pool, served: OnceCell::new() })
        };
        let benchmarks = benchmarks::REGISTRY.iter().map(of_benchmark).collect();
        let shared = SharedServices {
            grid: for_tasks.endpoint.clone().map(Grid::new).transpose()?,
            is_local: for_tasks.gate.is_local(),
            tasks: Pool::new(for_tasks, density.pool(density.task_contexts_per_browser, lent)),
            benchmarks,
            demand: watch::Sender::default(),
            robots: Arc::default(),
        };
        let (of_jobs, secrets) = (ScriptsOfJobs::default(), NamedSecrets::default());
        Ok(Pages { shared: Arc::new(shared), pace: None, coverage: None, of_jobs, secrets })
    }

    /// The same, with the first browser started: one for the benchmark of that name, or one for tasks.
    ///
    /// # Errors
    /// As [`Pages::new`] and [`Pages::warm_up`].
    pub async fn started(config: &BrowserConfig, density: Density, benchmark: Option<&str>) -> Result<Pages, Error> {
        let pages = Pages::new(config, density, None)?;
        match pages.warm_up(benchmark).await {
            Ok(()) => Ok(pages),
            Err(error) => {
                pages.close().await;
                Err(error)
            }
        }
    }

    /// What this machine keeps for tasks that name it.
    pub(crate) fn named_secrets(&self) -> &NamedSecrets {
        &self.secrets
    }

    /// What JavaScript ran in the browsers of jobs that measure it themselves.
    pub(crate) fn scripts_of_jobs(&self) -> ScriptsOfJobs {
        self.of_jobs.clone()
    }

    /// The Grid that sessions come from; none where browsers are started here.
    pub(crate) fn grid(&self) -> Option<Grid> {
        self.shared.grid.clone()
    }

    /// Follows how many jobs hold or await a profile.
    pub(crate) fn demand(&self) -> watch::Receiver<Demand> {
        self.shared.demand.subscribe()
    }

    /// The same browsers, whose page loads wait for a limiter that all crawlers share. `usual` is the rate of hosts that a
    /// campaign names none for.
    pub fn paced(self, limiter: Arc<dyn RateLimit>, usual: Option<Rate>) -> Pages {
        Pages { pace: Some(Politeness { limiter, usual }), ..self }
    }

    /// The same browsers, which type secrets that this machine keeps.
    pub(crate) fn knowing(self, secrets: NamedSecrets) -> Pages {
        Pages { secrets, ..self }
    }

    /// The same browsers, whose explorations tell what JavaScript they ran.
    pub(crate) fn covering(self, coverage: Option<JsCoverage>) -> Pages {
        Pages { coverage, ..self }
    }

    /// Starts the first browser, and the server of a benchmark's pages where they will be wanted, so that a machine that
    /// lacks something is told before anything else happens.
    ///
    /// # Errors
    /// No browser, no driver, versions that do not fit, an endpoint that is down; or the benchmark's pages are missing.
    pub async fn warm_up(&self, benchmark: Option<&str>) -> Result<(), Error> {
        let pool = match benchmark {
            Some(name) => {
                let benchmark = benchmarks::by_name(name).map_err(|error| Error::Settings(error.to_string()))?;
                self.benchmark(benchmark).await.map_err(Error::BenchmarkPages)?;
                &self.of(benchmark).map_err(Error::BenchmarkPages)?.pool
            }
            None => &self.shared.tasks,
        };
        pool.warm_up().await?;
        Ok(self.reach().await?)
    }

    /// Whether the browsers of other machines find this one: one is asked for, and comes to its gate. Nothing is tried where the gates
    /// are for this machine only.
    ///
    /// # Errors
    /// As [`browser::Pool::profile`].
    pub(crate) async fn reach(&self) -> Result<(), browser::Error> {
        if self.shared.is_local {
            return Ok(());
        }
        self.shared.tasks.profile(ProfileOptions::default()).await?.close(true).await;
        Ok(())
    }

    /// The address of a benchmark's pages.
    ///
    /// # Errors
    /// They are not on this machine, or cannot be served.
    pub async fn benchmark(&self, benchmark: &dyn Benchmark) -> Result<&Url, String> {
        let served = self.of(benchmark)?.served.get_or_try_init(|| benchmark.serve());
        served.await.map(benchmarks::Pages::base).map_err(|error| error.to_string())
    }

    fn of(&self, benchmark: &dyn Benchmark) -> Result<&BenchmarkPages, String> {
        let name = benchmark.name();
        self.shared.benchmarks.get(name).ok_or_else(|| format!("benchmark {name} is not in the registry"))
    }

    /// Ends every browser and waits until its processes are gone.
    pub async fn close(&self) {
        let of_benchmarks = self.shared.benchmarks.values().map(|benchmark| benchmark.pool.stop());
        tokio::join!(self.shared.tasks.stop(), join_all(of_benchmarks));
    }

    /// A fresh profile for a piece of work.
    ///
    /// # Errors
    /// The browser cannot be started, or the profile not be made as the site wants it.
    pub async fn profile_for(&self, work: &Work, rates: &BTreeMap<String, Rate>) -> Result<JobProfile, PageError> {
        let asked = Asked::of(work, &self.shared);
        let (pool, mut options) = match work {
            Work::Task { site, .. } => {
                (&self.shared.tasks, profile(work, site, &self.secrets).map_err(PageError::Driver)?)
            }
            Work::Exploration { exploration, site } => {
                let guards = &exploration.guards;
                let options = profile(work, site, &self.secrets).map_err(PageError::Driver)?;
                let robots = (!guards.ignore_robots).then(|| self.shared.robots.clone());
                let coverage = self.coverage.clone();
                let guards = Some(guards.clone());
                (&self.shared.tasks, ProfileOptions { robots, coverage, guards, ..options })
            }
            Work::Benchmark(task) => {
                let benchmark = benchmark(task).map_err(PageError::Driver)?;
                let base = self.benchmark(benchmark).await.map_err(PageError::Driver)?;
                let (scope, patience) = (benchmark.scope(task, base), benchmark.patience());
                let pool = &self.of(benchmark).map_err(PageError::Driver)?.pool;
                (pool, ProfileOptions { scope, patience, ..ProfileOptions::default() })
            }
            Work::Study(_) => return Err(PageError::Driver(NO_PAGE.to_owned())),
        };
        options.pace = self.pace.as_ref().map(|Politeness { limiter, usual }| {
            let shared = SharedPace { limiter: limiter.clone(), rates: rates.clone(), usual: *usual };
            Arc::new(Paced(shared)) as Arc<dyn Pace>
        });
        match pool.profile(options).await {
            Ok(profile) => Ok(JobProfile { profile, asked }),
            Err(error) if self.shared.grid.is_some() && error.is_no_slot() => Err(PageError::NoSlot(error.to_string())),
            Err(error) => Err(PageError::SessionLost(error.to_string())),
        }
    }
}

/// What a piece of work may request; nothing of a benchmark, whose environment knows.
///
/// # Errors
/// A start URL that is no address.
pub fn scope_of(work: &Work) -> Result<Scope, String> {
    let (start_url, site) = match work {
        Work::Task { task, site } => (&task.start_url, site),
        Work::Exploration { exploration, site } => (&exploration.start_url, site),
        Work::Benchmark(_) | Work::Study(_) => return Ok(Scope::default()),
    };
    let start = Url::parse(start_url).map_err(|error| format!("{start_url}: {error}"))?;
    Ok(site.scope.beside(&start))
}

fn profile(work: &Work, site: &Site, named: &NamedSecrets) -> Result<ProfileOptions, String> {
    let login_state = site.login_state.as_deref().map(login_state).transpose()?;
    Ok(ProfileOptions {
        scope: scope_of(work)?,
        secrets: Arc::new(TaskSecrets::of(work, named)),
        files: files_of(work),
        downloads: matches!(work, Work::Task { task, .. } if task.downloads),
        pace: None,
        robots: None,
        coverage: None,
        guards: None,
        patience: match work {
            Work::Task { task, .. } => Duration::from_secs(task.limits.patience),
            Work::Exploration { .. } | Work::Benchmark(_) | Work::Study(_) => Duration::ZERO,
        },
        locale: site.locale.clone(),
        proxy: site.proxy.clone(),
        accept_self_signed_certificates: site.accept_self_signed_certificates,
        login_state,
    })
}

/// The files that a piece of work gives to its site, by the names of its parameters.
fn files_of(work: &Work) -> BTreeMap<String, PathBuf> {
    let file = |parameter| match parameter {
        Parameter::File { file } => Some(file),
        Parameter::Text(_) | Parameter::Secret { .. } => None,
    };
    work.parameters().into_iter().filter_map(|(name, value)| Some((name, file(value)?))).collect()
}

fn login_state(path: &Path) -> Result<LoginState, String> {
    let failed = |cause: &dyn Display| format!("read the log-in state {}: {cause}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| failed(&error))?;
    serde_json::from_str(&text).map_err(|error| failed(&error))
}

/// The browser room's options for what the settings ask for.
///
/// # Errors
/// [`Error::Settings`]: they contradict each other, or name no address.
pub fn options(config: &BrowserConfig) -> Result<Options, Error> {
    let mut options = Options { headed: config.headed, driver: config.driver.clone(), ..Options::default() };
    if config.headed {
        options.engine = Engine::Chromium;
    }
    match config.browser.as_deref().map(|browser| (browser, browser.to_str())) {
        None => {}
        Some((_, Some("headless-shell"))) => options.engine = Engine::HeadlessShell,
        Some((_, Some("chromium"))) => options.engine = Engine::Chromium,
        Some((_, Some("chrome"))) => options.engine = Engine::Chrome,
        Some((path, _)) => {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let shell = name.contains("headless-shell") || name.contains("headless_shell");
            options.engine = if shell { Engine::HeadlessShell } else { Engine::Chromium };
            options.binary = Some(path.to_owned());
        }
    }
    if options.headed && options.engine == Engine::HeadlessShell {
        let cause = "--headed: the headless shell has no window; leave --browser out, or name chromium or chrome";
        return Err(Error::Settings(cause.to_owned()));
    }
    options.endpoint = match config.webdriver.as_deref().map(Url::parse) {
        None => None,
        Some(Ok(url)) if matches!(url.scheme(), "http" | "https") => Some(url),
        Some(_) => {
            let cause = "--webdriver is no http or https address, e.g. http://127.0.0.1:4444/";
            return Err(Error::Settings(cause.to_owned()));
        }
    };
    options.gate = gate(&config.gate)?;
    let is_elsewhere = |url: &&Url| !url.host_str().is_some_and(is_this_machine);
    if let Some(url) = options.endpoint.as_ref().filter(is_elsewhere).filter(|_| options.gate.is_local()) {
        return Err(Error::Settings(format!(
            "the browsers of {} are on another machine and do not reach this one, through which they visit every site; say by which \
             host they do: `crawler.browser.gate.host` of the settings, `--gate HOST` of commands",
            url.host_str().unwrap_or_default()
        )));
    }
    options.wire = match config.wire {
        WireName::Auto => Protocol::Auto,
        WireName::Bidi => Protocol::Bidi,
        WireName::Classic => Protocol::Classic,
    };
    Ok(options)
}

/// Where the gates are.
///
/// # Errors
/// [`Error::Settings`]: nobody could reach what is named.
fn gate(config: &GateConfig) -> Result<GatePlace, Error> {
    let GateConfig { host, bind } = config;
    let place = match (host, bind) {
        (None, None) => GatePlace::default(),
        (None, Some(bind)) => GatePlace { bind: *bind, advertised: Some(bind.to_string()) },
        (Some(host), bind) => {
            let of_this_machine = host.parse::<IpAddr>().ok().filter(|address| listeners::is_here(*address));
            let bind = bind.or(of_this_machine).unwrap_or(Ipv4Addr::UNSPECIFIED.into());
            GatePlace { bind, advertised: Some(host.clone()) }
        }
    };
    place.check().map_err(|error| Error::Settings(error.to_string()))?;
    Ok(place)
}

#[async_trait]
impl PageSource for Pages {
    async fn profile(&self, job: &Job, campaign: &Campaign) -> Result<Box<dyn worker::Profile>, PageError> {
        let pages = self.clone();
        let coverage = self.of_jobs.of(job).or(pages.coverage);
        let secrets = self.secrets.of_project(&job.campaign.project());
        Ok(Box::new(Pages { coverage, secrets, ..pages }.profile_for(&job.work, &campaign.rates).await?))
    }
}

/// The profile of one job.
pub struct JobProfile {
    profile: PooledProfile,
    asked: Asked,
}

#[async_trait]
impl worker::Profile for JobProfile {
    fn page(&mut self) -> &mut dyn Page {
        &mut *self.profile
    }

    async fn close(self: Box<Self>, is_sound: bool) {
        let Self { profile, asked } = *self;
        profile.close(is_sound).await;
        drop(asked);
    }
}

/// Counts a job among those that want a profile, until dropped.
struct Asked {
    shared: Arc<SharedServices>,
    is_benchmark: bool,
}

impl Asked {
    fn of(work: &Work, shared: &Arc<SharedServices>) -> Self {
        let asked = Self { shared: shared.clone(), is_benchmark: matches!(work, Work::Benchmark(_)) };
        asked.change(|jobs| jobs + 1);
        asked
    }

    fn change(&self, by: impl FnOnce(u32) -> u32) {
        self.shared.demand.send_modify(|demand| {
            let jobs = if self.is_benchmark { &mut demand.benchmarks } else { &mut demand.tasks };
            *jobs = by(*jobs);
        });
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.change(|jobs| jobs.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(webdriver: &str, host: Option<&str>, bind: Option<&str>) -> Result<GatePlace, String> {
        let gate = GateConfig { host: host.map(str::to_owned), bind: bind.map(|bind| bind.parse().unwrap()) };
        let config = BrowserConfig { webdriver: Some(webdriver.to_owned()), gate, ..BrowserConfig::default() };
        options(&config).map(|options| options.gate).map_err(|error| error.to_string())
    }

    #[test]
    fn browsers_of_another_machine_need_a_host_by_which_they_reach_this_one() {
        let refused = at("http://grid.test:4444/", None, None).unwrap_err();
        assert!(refused.contains("grid.test") && refused.contains("crawler.browser.gate.host"), "{refused}");
        assert!(at("http://127.0.0.1:4444/", None, None).unwrap().is_local());
        let place = at("http://grid.test:4444/", Some("crawler.test"), None).unwrap();
        assert_eq!((place.bind, place.is_local()), (Ipv4Addr::UNSPECIFIED.into(), false));
        // An address of this machine is listened on alone; another one, behind which it stands, is only told.
        assert_eq!(at("http://grid.test/", Some("127.0.0.1"), None).unwrap().bind, IpAddr::from(Ipv4Addr::LOCALHOST));
        assert_eq!(
            at("http://grid.test/", Some("203.0.113.9"), None).unwrap().bind,
            IpAddr::from(Ipv4Addr::UNSPECIFIED)
        );
        assert_eq!(at("http://grid.test/", None, Some("127.0.0.3")).unwrap().advertised.as_deref(), Some("127.0.0.3"));
    }

    #[test]
    fn a_gate_that_nobody_could_reach_is_refused_at_the_start() {
        for (host, bind) in [(Some("0.0.0.0"), None), (None, Some("0.0.0.0")), (Some("http://a.test:80/"), None)] {
            let refused = at("http://grid.test/", host, bind).unwrap_err();
            assert!(refused.contains("gate"), "{host:?} {bind:?}: {refused}");
        }
    }
}
