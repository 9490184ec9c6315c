//! `--map`: what the map of a site knows becomes an option of the planner.

use super::graph::map_source::MapSource;
use crate::cli::{MapArgs, SettingsArgs, Submit, planner_options};
use crate::exit::{Exit, Outcome, failure};
use crate::print::note;
use domain::SiteId;
use domain::address::origin;
use domain::campaign::{Campaign, PlannerOptions};
use planner::SiteGuide;
use serde_json::json;
use std::path::{Path, PathBuf};

/// The options of a planner with what a map knows: that of a run directory, or of a site by its name. `start` is where its tasks begin,
/// which says the site where a run explored several.
///
/// # Errors
/// There is no such map, or the planner does not find its way by one.
pub(crate) async fn add(
    options: &PlannerOptions,
    planner: &str,
    map: &str,
    settings: &SettingsArgs,
    start: Option<&str>,
) -> Outcome<PlannerOptions> {
    let directory = Path::new(map);
    let (run, site) = match directory.is_dir() {
        true => (Some(PathBuf::from(directory)), None),
        false => (None, Some(map.to_owned())),
    };
    if run.is_none() && map.contains('/') && !map.contains("://") {
        return failure(Exit::Usage, format!("--map: {map} is no run directory"));
    }
    let source = MapSource::of(&MapArgs { run, service: None, settings: settings.clone(), site: None }).await?;
    let guide = known(&source, site.as_deref(), start).await;
    source.close().await;
    let guide = guide?;
    if start.and_then(origin).is_some_and(|start| start != guide.origin) {
        return failure(
            Exit::Usage,
            format!("--map {map} is a map of {}; what is known of it says nothing of other sites", guide.origin),
        );
    }
    note!("the map of {} knows {} pages", guide.of, guide.pages.len());
    planner_options::with(options, &format!("--map {map}"), planner, &json!({ "map": guide }))
}

/// A campaign whose planner finds its way by a map, where one is named.
///
/// # Errors
/// As [`add`].
pub(crate) async fn shown_to(mut campaign: Campaign, args: &Submit) -> Outcome<Campaign> {
    if let Some(map) = &args.map {
        let planner = &mut campaign.planner;
        planner.options = add(&planner.options, &planner.name, map, &args.cluster.settings, None).await?;
    }
    Ok(campaign)
}

async fn known(source: &MapSource, site: Option<&str>, start: Option<&str>) -> Outcome<SiteGuide> {
    let sites = source.sites().await?;
    let of_start = || start.and_then(origin).filter(|_| sites.len() > 1);
    let named = site.map(str::to_owned).or_else(of_start);
    let site: SiteId = source.site(named.as_deref()).await?;
    let map = source.service(&site).await?.map(&site, None).await?;
    Ok(SiteGuide::of(site.own_name(), &map))
}
