//! Where a map is: in a run directory, or behind a service.

use crate::cli::MapArgs;
use crate::exit::{Exit, Failure, OrExit, Outcome, failure};
use backends::Embedded;
use domain::SiteId;
use domain::service::GraphService;
use domain::storage::graph::SiteDelta;
use graph::{Dependencies, Graph, Options};
use node::config::Services;
use platform::rpc::ClientOptions;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// The database of a run directory.
const DATABASE: &str = "rutter.sqlite";

/// What the command line says of the settings.
#[derive(Serialize)]
struct Flags {
    services: Services,
}

/// Maps that can be asked.
pub(in crate::command) enum MapSource {
    /// Those of a run directory, which this process holds.
    Run { opened: Embedded, name: String },
    /// Those of a service.
    Service(Arc<dyn GraphService>),
}

impl MapSource {
    /// The place that the command line names.
    ///
    /// # Errors
    /// It names none, or one that is not there.
    pub(in crate::command) async fn of(args: &MapArgs) -> Outcome<MapSource> {
        if let Some(run) = &args.run {
            return MapSource::run(run).await;
        }
        let graph = args.service.as_ref().map(ClientOptions::to);
        let flags = Flags { services: Services { graph, ..Services::default() } };
        let settings = node::config::load(args.settings.config.as_deref(), &flags)?;
        match &settings.services.graph {
            Some(options) => Ok(MapSource::Service(proto::client::graph(&node::connect(options)?))),
            None => failure(
                Exit::Usage,
                "where is the map? name a run directory by --run DIR, or the service by --service URL or by services.graph of \
                 the settings (--config)",
            ),
        }
    }

    /// A run directory.
    ///
    /// # Errors
    /// It has no map, or another process holds it.
    pub(super) async fn run(directory: &Path) -> Outcome<MapSource> {
        let name = directory.display().to_string();
        if !directory.join(DATABASE).is_file() {
            return failure(Exit::Usage, format!("{name} is no run directory: there is no {DATABASE} in it"));
        }
        Ok(MapSource::Run { opened: backends::open(directory).await?, name })
    }

    /// The sites that have a map here.
    pub(in crate::command) async fn sites(&self) -> Outcome<Vec<SiteId>> {
        match self {
            MapSource::Run { opened, .. } => Ok(opened.maps.sites().await?),
            MapSource::Service(service) => service.sites().await.map_err(Failure::from),
        }
    }

    /// The site that is meant.
    ///
    /// # Errors
    /// It is not there, or none is named where there are several.
    pub(in crate::command) async fn site(&self, named: Option<&str>) -> Outcome<SiteId> {
        let sites = self.sites().await?;
        let known = || sites.iter().map(SiteId::as_str).collect::<Vec<_>>().join(", ");
        match (named, sites.as_slice()) {
            (_, []) => failure(Exit::Usage, format!("{} has no map; `rutter explore` makes one", self.name())),
            (Some(named), sites) => match meant(named, sites).as_slice() {
                [only] => Ok((*only).clone()),
                [] => failure(Exit::Usage, format!("there is no map of site `{named}`; there are: {}", known())),
                _ => failure(Exit::Usage, format!("which site is `{named}`? name one whole by --site: {}", known())),
            },
            (None, [only]) => Ok(only.clone()),
            (None, _) => failure(Exit::Usage, format!("which site? name one by --site: {}", known())),
        }
    }

    fn name(&self) -> &str {
        match self {
            MapSource::Run { name, .. } => name,
            MapSource::Service(_) => "the service",
        }
    }

    /// Whoever answers for the map of a site. A run's map is read with the abstraction that it was made with.
    pub(in crate::command) async fn service(&self, site: &SiteId) -> Outcome<Arc<dyn GraphService>> {
        let opened = match self {
            MapSource::Service(service) => return Ok(service.clone()),
            MapSource::Run { opened, .. } => opened,
        };
        // Nothing is newer than this: only the map's own name is told.
        let SiteDelta { abstraction, .. } = opened.maps.since(site, u64::MAX).await?;
        let dependencies = Dependencies {
            store: opened.maps.clone(),
            clock: node::clock(),
            embedder: Some(Arc::new(embedding::LazyEmbedder::default())),
            history: None,
        };
        let options = Options { abstraction, ..Options::default() };
        Ok(Arc::new(Graph::new(dependencies, options).or_exit(Exit::Storage)?))
    }

    /// Everything of a site in a run directory.
    pub(super) async fn everything(&self, site: &SiteId) -> Outcome<SiteDelta> {
        match self {
            MapSource::Run { opened, .. } => Ok(opened.maps.since(site, 0).await?),
            MapSource::Service(_) => failure(Exit::Internal, "a service does not tell everything at once"),
        }
    }

    /// Lets go of it.
    pub(in crate::command) async fn close(self) {
        if let MapSource::Run { opened, .. } = self {
            opened.close().await;
        }
    }
}

/// The sites that a name may mean: the one that is called so; else those called so within their project; else those on this host.
fn meant<'a>(named: &str, sites: &'a [SiteId]) -> Vec<&'a SiteId> {
    let on_host = |site: &SiteId| {
        let url = url::Url::parse(site.own_name()).ok();
        url.is_some_and(|url| url.host_str() == Some(named))
    };
    let ways: [&dyn Fn(&SiteId) -> bool; 3] =
        [&|site| site.as_str() == named, &|site| site.own_name() == named, &on_host];
    let found = ways.iter().map(|is| sites.iter().filter(|site| is(site)).collect::<Vec<_>>());
    found.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_named_whole_or_as_far_as_it_is_the_only_one() {
        let names = [
            "http://127.0.0.1:8000",
            "http://127.0.0.1:9000",
            "a::shop",
            "b::shop",
            "wiki",
            "a::wiki",
            "http://x.test",
        ];
        let sites = names.map(SiteId::new);
        let found = |named| meant(named, &sites).into_iter().map(SiteId::as_str).collect::<Vec<_>>();
        assert_eq!(found("a::shop"), ["a::shop"]);
        assert_eq!(found("wiki"), ["wiki"], "it is called so");
        assert_eq!(found("shop"), ["a::shop", "b::shop"]);
        assert_eq!(found("x.test"), ["http://x.test"]);
        assert_eq!(found("127.0.0.1").len(), 2);
        assert_eq!(found("nowhere"), [""; 0]);
    }
}
