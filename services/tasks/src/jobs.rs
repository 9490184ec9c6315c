//! From what was handed in to the jobs of a campaign. Pure.

use crate::{Error, Loaded};
use domain::coverage::CoverageOptions;
use domain::exploration::{Exploration, Guards, Login};
use domain::job::Work;
use domain::state::Version;
use domain::task::Site;
use domain::{CampaignId, Job, JobId, RunId, SiteId};
use std::collections::BTreeSet;

/// The role of who does not log in.
const GUEST: &str = "guest";

/// The role of who does not log in, and comes with the cookies of somebody who has.
const USER: &str = "user";

/// The jobs of tasks, each named as its task.
pub fn jobs_of_tasks(loaded: Vec<Loaded>, campaign: &CampaignId) -> Vec<Job> {
    let job = |Loaded { task, site }| Job {
        id: JobId::new(task.id.as_str()),
        campaign: campaign.clone(),
        work: Work::Task { task: Box::new(task), site: Box::new(site) },
    };
    loaded.into_iter().map(job).collect()
}

/// How a site is explored.
#[derive(Clone, Debug)]
pub struct Explorations {
    /// The site's name in the map; that of the campaign's project is made of it.
    pub site: SiteId,
    /// Where it begins.
    pub start_url: String,
    /// Who chooses what is tried next.
    pub strategy: String,
    /// How long each role is explored.
    pub seconds: u64,
    /// What must be left alone.
    pub guards: Guards,
    /// The site's settings.
    pub settings: Site,
    /// How to log in; with several, each role is explored in turn and is a layer of the map.
    pub logins: Vec<Login>,
    /// Browsers that share the work of a role.
    pub browsers: usize,
    /// What crawlers measure beside it: reports are read beside the first browser of each role, JavaScript is counted in all.
    pub coverage: CoverageOptions,
}

/// The jobs that explore a site: one for each browser of each role, named `ROLE/NUMBER`.
pub fn jobs_of_explorations(wanted: &Explorations, campaign: &CampaignId) -> Vec<Job> {
    let mut roles: Vec<(&str, Option<&Login>)> =
        wanted.logins.iter().map(|login| (login.role.as_str(), Some(login))).collect();
    if roles.is_empty() {
        roles.push((if wanted.settings.login_state.is_some() { USER } else { GUEST }, None));
    }
    let mut jobs = Vec::new();
    for (role, login) in roles {
        for browser in 1..=wanted.browsers {
            let mut coverage = wanted.coverage.clone();
            if browser > 1 {
                (coverage.reports, coverage.command) = (Vec::new(), Vec::new());
            }
            let exploration = Exploration {
                version: Version {
                    site: campaign.project().site(wanted.site.as_str()),
                    run: RunId::new(campaign.as_str()),
                    role: role.to_owned(),
                },
                start_url: wanted.start_url.clone(),
                strategy: wanted.strategy.clone(),
                seconds: wanted.seconds,
                guards: wanted.guards.clone(),
                login: login.cloned(),
                coverage,
            };
            jobs.push(Job {
                id: JobId::new(format!("{role}/{browser}")),
                campaign: campaign.clone(),
                work: Work::Exploration { exploration: Box::new(exploration), site: Box::new(wanted.settings.clone()) },
            });
        }
    }
    jobs
}

/// That there is something to do, and that no job hides another.
///
/// # Errors
/// [`Error::NoJobs`], or [`Error::SameName`].
pub fn check_jobs(jobs: &[Job]) -> Result<(), Error> {
    if jobs.is_empty() {
        return Err(Error::NoJobs);
    }
    let mut names = BTreeSet::new();
    match jobs.iter().find(|job| !names.insert(&job.id)) {
        Some(twice) => Err(Error::SameName(twice.id.clone())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn shop() -> Explorations {
        Explorations {
            site: SiteId::new("shop"),
            start_url: "http://shop.test/".into(),
            strategy: "systematic".into(),
            seconds: 60,
            guards: Guards::default(),
            settings: Site::default(),
            logins: Vec::new(),
            browsers: 2,
            coverage: CoverageOptions::default(),
        }
    }

    fn names(wanted: &Explorations) -> Vec<String> {
        jobs_of_explorations(wanted, &CampaignId::new("run")).iter().map(|job| job.id.to_string()).collect()
    }

    #[test]
    fn a_site_is_explored_by_every_browser_as_the_role_that_logs_in() {
        assert_eq!(names(&shop()), ["guest/1", "guest/2"]);
        let settings = Site { login_state: Some(PathBuf::from("cookies.json")), ..Site::default() };
        assert_eq!(names(&Explorations { settings, browsers: 1, ..shop() }), ["user/1"]);
    }

    #[test]
    fn reports_are_read_beside_one_browser_and_scripts_counted_in_all() {
        let reports = vec!["http://shop.test/coverage".to_owned().into()];
        let coverage = CoverageOptions { reports, every_s: 10, javascript: true, command: vec!["refresh".to_owned()] };
        let jobs = jobs_of_explorations(&Explorations { coverage, ..shop() }, &CampaignId::new("run"));
        let measured = jobs.iter().map(|job| match &job.work {
            Work::Exploration { exploration, .. } => (
                exploration.coverage.reports.len(),
                exploration.coverage.command.len(),
                exploration.coverage.javascript,
            ),
            _ => panic!("it is no exploration"),
        });
        assert_eq!(measured.collect::<Vec<_>>(), [(1, 1, true), (0, 0, true)]);
    }

    #[test]
    fn no_job_and_two_jobs_of_one_name_are_refused() {
        assert!(matches!(check_jobs(&[]), Err(Error::NoJobs)));
        let mut jobs = jobs_of_explorations(&shop(), &CampaignId::new("run"));
        assert!(check_jobs(&jobs).is_ok());
        jobs.push(jobs[0].clone());
        assert!(check_jobs(&jobs).unwrap_err().to_string().starts_with("two jobs are named `guest/1`"));
    }
}
