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
pub(super) enum MapSource {
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
    pub(super) async fn of(args: &MapArgs) -> Outcome<MapSource> {
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
    pub(super) async fn sites(&self) -> Outcome<Vec<SiteId>> {
        match self {
            MapSource::Run { opened, .. } => Ok(opened.maps.sites().await?),
            MapSource::Service(service) => service.sites().await.map_err(Failure::from),
        }
    }

    /// The site that is meant.
    ///
    /// # Errors
    /// It is not there, or none is named where there are several.
    pub(super) async fn site(&self, named: Option<&str>) -> Outcome<SiteId> {
        let sites = self.sites().await?;
        let known = || sites.iter().map(SiteId::as_str).collect::<Vec<_>>().join(", ");
        match (named, sites.as_slice()) {
            (Some(named), _) if sites.iter().any(|site| site.as_str() == named) => Ok(SiteId::new(named)),
            (_, []) => failure(Exit::Usage, format!("{} has no map; `rutter explore` makes one", self.name())),
            (Some(named), _) => {
                failure(Exit::Usage, format!("there is no map of site `{named}`; there are: {}", known()))
            }
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
    pub(super) async fn service(&self, site: &SiteId) -> Outcome<Arc<dyn GraphService>> {
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
    pub(super) async fn close(self) {
        if let MapSource::Run { opened, .. } = self {
            opened.close().await;
        }
    }
}
