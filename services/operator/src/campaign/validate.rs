//! Whether what was declared can be done: what the rules of the schema cannot say, since it stands in texts. Pure.

use super::dereference::Texts;
use crate::api::CampaignSpec;
use crate::api::campaign::Mode as Declared;
use domain::SiteId;
use domain::coverage::CoverageOptions;
use domain::exploration::{Guards, Mode};
use domain::scope::Scope;
use domain::task::Site;
use tasks::{Explorations, Loaded};

/// What a campaign is made of, once it is known to be possible.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// Tasks.
    Tasks(Vec<Loaded>),
    /// An exploration.
    Exploration(Box<Explorations>),
}

/// Checks the texts of a campaign.
///
/// # Errors
/// Every mistake with its place and a hint.
pub(crate) fn work(spec: &CampaignSpec, texts: &Texts) -> Result<Work, tasks::Error> {
    if let Some(text) = &texts.tasks {
        return Ok(Work::Tasks(tasks::read_for_others(&text.name, &text.text)?));
    }
    let Some(wanted) = &spec.exploration else { return Err(tasks::Error::NoJobs) };
    let url = tasks::start_url(&wanted.start_url)?;
    let login = texts.login.as_ref().map(|text| tasks::read_login_for_others(&text.name, &text.text)).transpose()?;
    let settings = Site {
        scope: Scope { hosts: wanted.scope.clone() },
        accept_self_signed_certificates: wanted.accept_self_signed_certificates,
        ..Site::default()
    };
    Ok(Work::Exploration(Box::new(Explorations {
        site: SiteId::named(wanted.site.as_deref(), url.as_str()),
        start_url: url.to_string(),
        strategy: wanted.strategy.clone(),
        seconds: wanted.seconds.unsigned_abs(),
        guards: Guards { mode: mode(wanted.mode), ..Guards::default() },
        settings,
        logins: login.into_iter().collect(),
        browsers: usize::try_from(wanted.browsers).unwrap_or(1),
        coverage: CoverageOptions::default(),
    })))
}

fn mode(declared: Declared) -> Mode {
    match declared {
        Declared::ReadOnly => Mode::ReadOnly,
        Declared::Careful => Mode::Careful,
        Declared::Free => Mode::Free,
        Declared::Destructive => Mode::Destructive,
    }
}
