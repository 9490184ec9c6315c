//! Explorations: what is explored, how one logs in, and what is left alone.

use crate::error::{Error, required};
use crate::v1;
use domain::coverage::{CoverageOptions, ReportPlace};
use domain::exploration::{Exceptions, Exploration, Guards, Login, Mode};
use domain::state::Version;
use domain::{RunId, SiteId};

impl From<&Exploration> for v1::Exploration {
    fn from(exploration: &Exploration) -> Self {
        let Exploration { version, start_url, strategy, seconds, guards, login, coverage } = exploration;
        Self {
            site: version.site.0.clone(),
            run: version.run.0.clone(),
            role: version.role.clone(),
            start_url: start_url.clone(),
            strategy: strategy.clone(),
            seconds: *seconds,
            guards: Some(guards.into()),
            login: login.as_ref().map(Into::into),
            coverage: (!coverage.is_nothing()).then(|| coverage.into()),
        }
    }
}

impl TryFrom<v1::Exploration> for Exploration {
    type Error = Error;

    fn try_from(message: v1::Exploration) -> Result<Self, Error> {
        let v1::Exploration { site, run, role, start_url, strategy, seconds, guards, login, coverage } = message;
        Ok(Self {
            version: Version { site: SiteId(site), run: RunId(run), role },
            start_url,
            strategy,
            seconds,
            guards: required(guards, "exploration.guards")?.into(),
            login: login.map(TryInto::try_into).transpose()?,
            coverage: coverage.map(Into::into).unwrap_or_default(),
        })
    }
}

impl From<&CoverageOptions> for v1::CoverageOptions {
    fn from(options: &CoverageOptions) -> Self {
        let CoverageOptions { command, reports, every_s, javascript } = options.clone();
        Self { command, reports: reports.into_iter().map(String::from).collect(), every_s, javascript }
    }
}

impl From<v1::CoverageOptions> for CoverageOptions {
    fn from(message: v1::CoverageOptions) -> Self {
        let v1::CoverageOptions { command, reports, every_s, javascript } = message;
        Self { command, reports: reports.into_iter().map(ReportPlace::from).collect(), every_s, javascript }
    }
}

impl From<&Guards> for v1::Guards {
    fn from(guards: &Guards) -> Self {
        let Guards { mode, ignore_robots, dry_run, allow, deny } = guards;
        Self {
            read_only: *mode == Mode::ReadOnly,
            ignore_robots: *ignore_robots,
            allow_destructive: *mode == Mode::Destructive,
            free: *mode == Mode::Free,
            dry_run: *dry_run,
            allow: Some(allow.into()),
            deny: Some(deny.into()),
        }
    }
}

impl From<v1::Guards> for Guards {
    fn from(message: v1::Guards) -> Self {
        let v1::Guards { read_only, ignore_robots, allow_destructive, free, dry_run, allow, deny } = message;
        let mode = match (read_only, allow_destructive, free) {
            (true, ..) => Mode::ReadOnly,
            (false, true, _) => Mode::Destructive,
            (false, false, true) => Mode::Free,
            (false, false, false) => Mode::Careful,
        };
        // Explorations that were handed in before there were exceptions have none.
        let (allow, deny) = (allow.unwrap_or_default().into(), deny.unwrap_or_default().into());
        Self { mode, ignore_robots, dry_run, allow, deny }
    }
}

impl From<&Exceptions> for v1::Exceptions {
    fn from(exceptions: &Exceptions) -> Self {
        let Exceptions { paths, controls, methods } = exceptions.clone();
        Self { paths, controls, methods }
    }
}

impl From<v1::Exceptions> for Exceptions {
    fn from(message: v1::Exceptions) -> Self {
        let v1::Exceptions { paths, controls, methods } = message;
        Self { paths, controls, methods }
    }
}

impl From<&Login> for v1::Login {
    fn from(login: &Login) -> Self {
        let Login { role, url, fill, submit, logged_in } = login;
        Self {
            role: role.clone(),
            url: url.clone(),
            fill: fill.iter().map(|(field, value)| (field.clone(), value.into())).collect(),
            submit: submit.clone(),
            logged_in: logged_in.as_ref().map(Into::into),
        }
    }
}

impl TryFrom<v1::Login> for Login {
    type Error = Error;

    fn try_from(message: v1::Login) -> Result<Self, Error> {
        let v1::Login { role, url, fill, submit, logged_in } = message;
        let value = |(field, value): (String, v1::Parameter)| Ok((field, value.try_into()?));
        Ok(Self {
            role,
            url,
            fill: fill.into_iter().map(value).collect::<Result<_, Error>>()?,
            submit,
            logged_in: logged_in.map(TryInto::try_into).transpose()?,
        })
    }
}
