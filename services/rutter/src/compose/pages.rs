//! Where jobs get their pages: one browser for each worker, a fresh profile for each job.
//!
//! A browser is used again for the next job, never for two at a time, and replaced after a number of jobs, so that what a
//! browser leaks does not add up.

use super::secrets::TaskSecrets;
use crate::cli::{BrowserArgs, WireName};
use crate::exit::{Exit, OrExit, Outcome, failure};
use crate::run::config::BrowserConfig;
use anyhow::Context as _;
use async_trait::async_trait;
use benchmarks::miniwob;
use browser::{Browser, Engine, LoginState, Options, Profile, ProfileOptions, Wire};
use crawler::worker::{self, PageSource};
use domain::job::Work;
use domain::page::PageError;
use domain::scope::Scope;
use domain::task::Site;
use domain::{Job, Page, Task};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::Mutex;
use url::Url;

/// Jobs after which a browser is replaced.
const JOBS_PER_BROWSER: u32 = 200;

/// Browsers, and the server of the benchmark's pages where there is one.
#[derive(Clone)]
pub(crate) struct Pages {
    shared: Arc<Shared>,
}

struct Shared {
    options: Options,
    idle: Mutex<Vec<Idle>>,
    benchmark: Option<miniwob::Pages>,
}

/// A browser that waits for its next job.
struct Idle {
    browser: Browser,
    jobs: u32,
}

impl Pages {
    /// Starts the first browser, so that a machine that has none is told before anything else happens.
    ///
    /// # Errors
    /// No browser, no driver, versions that do not fit, an endpoint that is down; or the benchmark's pages are missing.
    pub(crate) async fn open(config: &BrowserConfig, serves_benchmark: bool) -> Outcome<Pages> {
        let mut options = options(config)?;
        let benchmark = match serves_benchmark {
            false => None,
            true => {
                options.arguments.extend(miniwob::BROWSER_ARGUMENTS.map(str::to_owned));
                let folder = miniwob::pages::find().or_exit(Exit::Environment)?;
                Some(miniwob::Pages::start(&folder).await.or_exit(Exit::Environment)?)
            }
        };
        let browser = Browser::start(options.clone()).await.or_exit(Exit::Environment)?;
        let idle = Mutex::new(vec![Idle { browser, jobs: 0 }]);
        Ok(Pages { shared: Arc::new(Shared { options, idle, benchmark }) })
    }

    /// The address of the benchmark's pages.
    pub(crate) fn benchmark(&self) -> Option<&Url> {
        self.shared.benchmark.as_ref().map(miniwob::Pages::base)
    }

    /// Ends every browser and waits until its processes are gone.
    pub(crate) async fn close(&self) {
        for idle in std::mem::take(&mut *self.shared.idle.lock().await) {
            idle.browser.stop().await;
        }
    }

    /// A fresh profile for a piece of work.
    ///
    /// # Errors
    /// The browser cannot be started, or the profile not be made as the site wants it.
    pub(crate) async fn profile_for(&self, work: &Work) -> Result<JobProfile, PageError> {
        let options = self.profile_options(work).map_err(PageError::Driver)?;
        let waiting = self.shared.idle.lock().await.pop();
        if let Some(idle) = waiting {
            match idle.browser.profile(options.clone()).await {
                Ok(profile) => return Ok(JobProfile { profile, idle, pages: self.clone() }),
                Err(error) => {
                    tracing::debug!(%error, "a used browser gives no profile any more, another one is started");
                    idle.browser.stop().await;
                }
            }
        }
        let browser = Browser::start(self.shared.options.clone()).await.map_err(lost)?;
        match browser.profile(options).await {
            Ok(profile) => Ok(JobProfile { profile, idle: Idle { browser, jobs: 0 }, pages: self.clone() }),
            Err(error) => {
                browser.stop().await;
                Err(lost(error))
            }
        }
    }

    fn profile_options(&self, work: &Work) -> Result<ProfileOptions, String> {
        match work {
            Work::Task { task, site } => task_profile(task, site),
            Work::Benchmark(task) => {
                let base = self.benchmark().ok_or("no benchmark pages are served")?;
                let scope = miniwob::environment(task, base).map_err(|error| error.to_string())?.scope();
                Ok(ProfileOptions { scope, ..ProfileOptions::default() })
            }
        }
    }

    async fn give_back(&self, idle: Idle) {
        if idle.jobs < JOBS_PER_BROWSER {
            self.shared.idle.lock().await.push(idle);
        } else {
            idle.browser.stop().await;
        }
    }
}

fn lost(error: browser::Error) -> PageError {
    PageError::SessionLost(error.to_string())
}

fn task_profile(task: &Task, site: &Site) -> Result<ProfileOptions, String> {
    let start = Url::parse(&task.start_url).map_err(|error| format!("{}: {error}", task.start_url))?;
    let mut scope = Scope::of(&start);
    scope.hosts.extend(site.scope.hosts.iter().cloned());
    let login_state = site.login_state.as_deref().map(login_state).transpose().map_err(|error| format!("{error:#}"))?;
    Ok(ProfileOptions {
        scope,
        secrets: Arc::new(TaskSecrets::of(task)),
        locale: site.locale.clone(),
        proxy: site.proxy.clone(),
        accept_self_signed_certificates: site.accept_self_signed_certificates,
        login_state,
    })
}

fn login_state(path: &Path) -> anyhow::Result<LoginState> {
    let text = std::fs::read_to_string(path).with_context(|| format!("read the log-in state {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("read the log-in state {}", path.display()))
}

/// The browser room's options for what the command line asks for.
pub(crate) fn options(config: &BrowserConfig) -> Outcome<Options> {
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
        return failure(
            Exit::Usage,
            "--headed: the headless shell has no window; leave --browser out, or name chromium or chrome",
        );
    }
    options.endpoint = match config.webdriver.as_deref().map(Url::parse) {
        None => None,
        Some(Ok(url)) if matches!(url.scheme(), "http" | "https") => Some(url),
        Some(_) => return failure(Exit::Usage, "--webdriver is no http or https address, e.g. http://127.0.0.1:4444/"),
    };
    options.wire = match config.wire {
        WireName::Auto => Wire::Auto,
        WireName::Bidi => Wire::Bidi,
        WireName::Classic => Wire::Classic,
    };
    Ok(options)
}

impl From<BrowserArgs> for BrowserConfig {
    fn from(args: BrowserArgs) -> Self {
        Self {
            headed: args.headed,
            browser: args.browser,
            driver: args.driver,
            webdriver: args.webdriver,
            wire: args.wire,
        }
    }
}

#[async_trait]
impl PageSource for Pages {
    async fn profile(&self, job: &Job) -> Result<Box<dyn worker::Profile>, PageError> {
        Ok(Box::new(self.profile_for(&job.work).await?))
    }
}

/// The profile of one job, and the browser that it belongs to.
pub(crate) struct JobProfile {
    profile: Profile,
    idle: Idle,
    pages: Pages,
}

#[async_trait]
impl worker::Profile for JobProfile {
    fn page(&mut self) -> &mut dyn Page {
        &mut self.profile
    }

    async fn close(self: Box<Self>) {
        self.profile.close().await;
        let Idle { browser, jobs } = self.idle;
        self.pages.give_back(Idle { browser, jobs: jobs + 1 }).await;
    }
}
