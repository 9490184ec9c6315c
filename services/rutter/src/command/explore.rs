//! `rutter explore`: a site is gone through by browsers that share its map.

use super::{cluster, session};
use crate::cli::{CoverageArgs, Explore};
use crate::exit::{Exit, OrExit as _, Outcome, failure};
use crate::run::config::{Config, ExploreConfig, Kind};
use crate::run::coverage::CoverageConfig;
use crate::tasks;
use anyhow::Context as _;
use domain::exploration::{Exploration, Guards, Login};
use domain::job::Work;
use domain::scope::Scope;
use domain::state::Version;
use domain::task::Site;
use domain::{CampaignId, JobId, RunId, SiteId};
use std::path::Path;
use std::time::Duration;

/// The role of who does not log in.
const GUEST: &str = "guest";

/// Explores a site.
pub(crate) async fn execute(args: Explore) -> Outcome {
    if let Some(run) = &args.run.resume {
        return session::resume(run, args.output.output, None).await;
    }
    let config = config(&args)?;
    if args.submit {
        return cluster::explore(config, &args.cluster, args.watch, args.output.output).await;
    }
    session::begin(config, &args.run, args.output.output, None).await
}

fn config(args: &Explore) -> Outcome<Config> {
    let url = match tasks::start_url(args.url.as_deref().unwrap_or_default()) {
        Ok(url) => url,
        Err((message, hint)) => return failure(Exit::Usage, format!("{message}; {hint}")),
    };
    if args.budget < Duration::from_secs(1) {
        return failure(Exit::Usage, "--budget: it must be at least one second, e.g. 10m");
    }
    let name = args.site.clone().unwrap_or_else(|| url.host_str().unwrap_or("site").to_owned());
    let logins = args.login.iter().map(|file| login(file)).collect::<Outcome<Vec<Login>>>()?;
    let mut who: Vec<(String, Option<Login>)> =
        logins.into_iter().map(|login| (login.role.clone(), Some(login))).collect();
    if who.is_empty() {
        let role = if args.login_state.is_some() { "user" } else { GUEST };
        who.push((role.to_owned(), None));
    }
    let login_state = match args.login_state.as_deref().map(std::path::absolute).transpose() {
        Ok(Some(path)) if !path.is_file() => {
            return failure(Exit::Usage, format!("--login-state: there is no file {}", path.display()));
        }
        Ok(path) => path,
        Err(error) => return failure(Exit::Usage, format!("--login-state: {error}")),
    };
    let site = Site {
        scope: Scope { hosts: args.scope.clone() },
        login_state,
        accept_self_signed_certificates: args.accept_self_signed_certificates,
        ..Site::default()
    };
    let guards = Guards {
        read_only: args.read_only,
        ignore_robots: args.ignore_robots,
        allow_destructive: args.allow_destructive,
    };
    let kind = Kind::Explore(ExploreConfig {
        strategy: args.strategy.clone(),
        url: url.to_string(),
        site: SiteId::new(&name),
        keep_observations: args.keep_observations,
        coverage: coverage(&args.coverage)?,
    });
    let mut config = session::config(name.clone(), kind, &args.run, args.browser.clone().into(), Vec::new());
    if let Some(name) = &args.campaign {
        config.campaign = CampaignId::new(name);
    }
    for (role, login) in who {
        for browser in 1..=config.workers {
            let version =
                Version { site: SiteId::new(&name), run: RunId::new(config.campaign.as_str()), role: role.clone() };
            let exploration = Exploration {
                version,
                start_url: url.to_string(),
                strategy: args.strategy.clone(),
                seconds: args.budget.as_secs(),
                guards,
                login: login.clone(),
            };
            let work = Work::Exploration { exploration: Box::new(exploration), site: Box::new(site.clone()) };
            let id = JobId::new(format!("{role}/{browser}"));
            config.jobs.push(domain::Job { id, campaign: config.campaign.clone(), work });
        }
    }
    Ok(config)
}

fn coverage(args: &CoverageArgs) -> Outcome<CoverageConfig> {
    if args.coverage_every < Duration::from_secs(1) {
        return failure(Exit::Usage, "--coverage-every: it must be at least one second, e.g. 10s");
    }
    let absolute = |path| std::path::absolute(path).context("--coverage-report").or_exit(Exit::Usage);
    Ok(CoverageConfig {
        command: args.coverage_command.clone(),
        reports: args.coverage_report.iter().map(absolute).collect::<Outcome<_>>()?,
        every: args.coverage_every,
        javascript: args.js_coverage,
    })
}

fn login(file: &Path) -> Outcome<Login> {
    tasks::load_login(file).or_exit(Exit::Usage)
}
