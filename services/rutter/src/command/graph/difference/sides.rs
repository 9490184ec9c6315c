//! A run directory that is compared: its map, how it was explored, and what was seen.

use super::super::map_source::MapSource;
use crate::command::trust;
use crate::exit::{Exit, OrExit as _, Outcome};
use anyhow::Context as _;
use domain::SiteId;
use domain::storage::graph::SiteDelta;
use graph::combined::{CombinedMap, RunMap};
use node::run::retrace::arrived;
use node::run::{Config, Kind};
use report::Directory;
use report::visits::{self, VisitRecord};
use std::path::Path;
use url::Url;

/// A run directory.
pub(super) struct Recorded {
    pub(super) name: String,
    pub(super) site: SiteId,
    pub(super) map: SiteDelta,
    /// How it was explored; none of a directory that holds nothing but a map.
    pub(super) config: Option<Config>,
    /// The host of the site.
    pub(super) host: Option<String>,
    seen: Vec<VisitRecord>,
}

impl Recorded {
    /// Reads a run directory.
    ///
    /// # Errors
    /// It has no map, or another process holds it.
    pub(super) async fn read(site: Option<&str>, directory: &Path) -> Outcome<Self> {
        let source = MapSource::run(directory).await?;
        let site = source.site(site).await?;
        let map = source.everything(&site).await?;
        source.close().await;
        let seen = visits::read(directory).context("read what was seen").or_exit(Exit::Storage)?;
        // What only holds a map has no settings.
        let config = Config::open(directory).ok().map(|(_, config)| config);
        let url = config.as_ref().and_then(|config| match &config.kind {
            Kind::Explore(explore) => Url::parse(&explore.url).ok(),
            _ => None,
        });
        let host = url.and_then(|url| url.host_str().map(str::to_owned));
        Ok(Self { name: directory.display().to_string(), site, map, config, host, seen })
    }

    /// Lets its site be gone to with what the run names of this machine.
    ///
    /// # Errors
    /// Somebody else made it, and it is not trusted.
    pub(super) fn is_trusted(&self, trusts: bool) -> Outcome<()> {
        let config = self.config.as_ref();
        config.map_or(Ok(()), |config| trust::of_run(&Directory::at(Path::new(&self.name)), config, trusts))
    }

    /// The last run of a role.
    pub(super) fn run(&self, role: &str) -> Option<RunMap> {
        let version = self.map.versions.iter().rposition(|version| version.role == role)?;
        let seen = self.seen.iter().filter(|seen| is_of(seen, role));
        Some(RunMap { map: self.map.clone(), version, arrived: seen.map(arrived).collect() })
    }

    /// What a role saw.
    pub(super) fn seen_by(&self, role: &str) -> Vec<VisitRecord> {
        self.seen.iter().filter(|seen| is_of(seen, role)).cloned().collect()
    }
}

/// Browsers of an exploration are called by their role.
fn is_of(seen: &VisitRecord, role: &str) -> bool {
    seen.crawler.rsplit_once('/').is_some_and(|(of, _)| of == role)
}

/// Gives what the later run saw the numbers that its states have beside those of the earlier one.
pub(super) fn renumber(seen: &mut VisitRecord, both: &CombinedMap) {
    seen.state = both.here(seen.state);
    if let Some(deed) = &mut seen.deed {
        deed.from = both.here(deed.from);
    }
}
