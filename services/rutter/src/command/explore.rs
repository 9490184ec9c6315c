//! `rutter explore`: a site is gone through by browsers that share its map.

use super::{cluster, door, session};
use crate::cli::{CoverageArgs, Explore};
use crate::exit::{Exit, OrExit as _, Outcome, failure};
use anyhow::Context as _;
use domain::SiteId;
use domain::coverage::{CoverageOptions, ReportPlace};
use domain::exploration::{Guards, Login, Mode};
use domain::scope::Scope;
use domain::task::Site;
use node::run::{Config, CoverageConfig, ExploreConfig, Kind};
use std::time::Duration;
use tasks::Explorations;
use url::Url;

/// Explores a site.
pub(crate) async fn execute(args: Explore) -> Outcome {
    if let Some(run) = &args.run.resume {
        return session::resume(run, &args.run, args.output.output, None).await;
    }
    let config = config(&args)?;
    if args.submit {
        return cluster::explore(config, &args).await;
    }
    session::begin(config, &args.run, args.output.output, None).await
}

fn config(args: &Explore) -> Outcome<Config> {
    let url = tasks::start_url(args.url.as_deref().unwrap_or_default())?;
    if args.budget < Duration::from_secs(1) {
        return failure(Exit::Usage, "--budget: it must be at least one second, e.g. 10m");
    }
    let scope = Scope { hosts: args.scope.clone() };
    if let Err(cause) = scope.validate() {
        return failure(Exit::Usage, format!("--scope: {cause}"));
    }
    let project = &args.cluster.project;
    let name = args.site.clone().unwrap_or_else(|| url.host_str().unwrap_or("site").to_owned());
    let site = project.site(SiteId::named(args.site.as_deref(), url.as_str()).as_str());
    let logins = args.login.iter().map(|file| tasks::load_login(file)).collect::<Result<Vec<Login>, _>>()?;
    let login_state = match args.login_state.as_deref().map(std::path::absolute).transpose() {
        Ok(Some(path)) if !path.is_file() => {
            return failure(Exit::Usage, format!("--login-state: there is no file {}", path.display()));
        }
        Ok(path) => path,
        Err(error) => return failure(Exit::Usage, format!("--login-state: {error}")),
    };
    let settings = Site {
        scope,
        login_state,
        accept_self_signed_certificates: args.accept_self_signed_certificates,
        ..Site::default()
    };
    let guards = guards(args)?;
    let mut start_url = url.to_string();
    door::keep_password(&mut start_url)?;
    let mut logins = logins;
    for url in logins.iter_mut().filter_map(|login| login.url.as_mut()) {
        door::keep_password(url)?;
    }
    let (wanted, measured) = coverage(&args.coverage, &settings.scope.beside(&url))?;
    // In a cluster the crawlers measure; here this process does.
    let (coverage, of_crawlers) =
        if args.submit { (CoverageConfig::default(), measured) } else { (wanted, CoverageOptions::default()) };
    let kind = Kind::Explore(ExploreConfig {
        strategy: args.strategy.clone(),
        url: start_url.clone(),
        site: site.clone(),
        keep_observations: args.keep_observations,
        coverage,
    });
    let mut config = session::config(name.clone(), kind, &args.run, args.browser.clone().into(), |_| Vec::new());
    let campaign = args.campaign.as_deref().unwrap_or(config.campaign.as_str());
    config.campaign = project.campaign(campaign);
    let wanted = Explorations {
        site,
        start_url,
        strategy: args.strategy.clone(),
        seconds: args.budget.as_secs(),
        guards,
        settings,
        logins,
        browsers: config.workers,
        coverage: of_crawlers,
    };
    config.jobs = tasks::jobs_of_explorations(&wanted, &config.campaign);
    Ok(config)
}

/// What the exploration must leave alone.
fn guards(args: &Explore) -> Outcome<Guards> {
    let mode = match (args.safety.read_only, args.safety.free, args.safety.allow_destructive) {
        (true, ..) => Mode::ReadOnly,
        (false, _, true) => Mode::Destructive,
        (false, true, false) => Mode::Free,
        (false, false, false) => Mode::Careful,
    };
    let mut guards =
        Guards { mode, ignore_robots: args.ignore_robots, dry_run: args.safety.dry_run, ..Guards::default() };
    for (option, written, list) in
        [("--allow", &args.safety.allow, &mut guards.allow), ("--deny", &args.safety.deny, &mut guards.deny)]
    {
        for written in written {
            if let Err(cause) = list.add(written) {
                return failure(Exit::Usage, format!("{option}: {cause}"));
            }
        }
    }
    Ok(guards)
}

/// What is measured: as a run's settings store it, and as it is measured.
fn coverage(args: &CoverageArgs, scope: &Scope) -> Outcome<(CoverageConfig, CoverageOptions)> {
    if args.coverage_every < Duration::from_secs(1) {
        return failure(Exit::Usage, "--coverage-every: it must be at least one second, e.g. 10s");
    }
    let coverage = CoverageConfig {
        command: args.coverage_command.clone(),
        reports: args.coverage_report.iter().map(|written| report_place(written, scope)).collect::<Outcome<_>>()?,
        every: args.coverage_every,
        javascript: args.js_coverage,
    };
    match coverage.options() {
        Ok(options) => Ok((coverage, options)),
        Err(cause) => failure(Exit::Usage, format!("--coverage-command: {cause}")),
    }
}

fn report_place(written: &str, scope: &Scope) -> Outcome<ReportPlace> {
    match ReportPlace::from(written.to_owned()) {
        ReportPlace::File(path) => {
            let path = std::path::absolute(path).context("--coverage-report").or_exit(Exit::Usage)?;
            Ok(ReportPlace::File(path))
        }
        ReportPlace::Address(address) => {
            let refused = match Url::parse(&address) {
                Ok(url) if !url.username().is_empty() || url.password().is_some() => {
                    Some("a report is read without a name and a password: leave them out of its address".to_owned())
                }
                Ok(url) => scope.check(&url).err().map(|refused| refused.to_string()),
                Err(error) => Some(error.to_string()),
            };
            match refused {
                None => Ok(ReportPlace::Address(address)),
                Some(cause) => failure(Exit::Usage, format!("--coverage-report {address}: {cause}")),
            }
        }
    }
}
