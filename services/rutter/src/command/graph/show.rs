//! `rutter graph show`: what there is.

use super::map_source::MapSource;
use super::titles;
use crate::cli::{GraphShow, Output};
use crate::exit::{Exit, Outcome};
use crate::print;
use domain::service::GraphService;
use domain::state::{Map, MapStatus, State, Transition};
use domain::{RunId, SiteId};
use futures::StreamExt as _;
use graph::export::{described, one_line};
use report::tables;
use serde::Serialize;

/// A site in figures.
#[derive(Serialize)]
struct Site {
    site: SiteId,
    versions: Vec<Run>,
    #[serde(flatten)]
    status: MapStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    map: Option<Map>,
}

/// A version in figures.
#[derive(Serialize)]
struct Run {
    run: RunId,
    role: String,
    states: usize,
    transitions: usize,
}

#[derive(Serialize)]
struct Sites {
    sites: Vec<Site>,
}

/// Shows all sites, or one with its states and transitions.
pub(super) async fn show(source: &MapSource, args: &GraphShow) -> Outcome {
    let sites = source.sites().await?;
    if sites.len() != 1 && args.map.site.is_none() && args.seen_by.is_none() {
        let mut rows = Vec::new();
        for site in sites {
            rows.push(figures(source.service(&site).await?.as_ref(), site).await?);
        }
        match args.output.output {
            Output::Json => print::json(&Sites { sites: rows })?,
            Output::Table => print::text_out(&sites_table(&rows))?,
        }
        return Ok(Exit::Success);
    }
    let site = source.site(args.map.site.as_deref()).await?;
    let service = source.service(&site).await?;
    let run = args.seen_by.clone().map(RunId);
    let map = service.map(&site, run.as_ref()).await?;
    let shown = Site { map: Some(map), ..figures(service.as_ref(), site).await? };
    match (&shown.map, args.output.output) {
        (Some(map), Output::Table) => {
            let tables =
                [sites_table(std::slice::from_ref(&shown)), runs_table(&shown), states_table(map), ways_table(map)];
            print::text_out(&tables.join("\n"))?;
        }
        _ => print::json(&Sites { sites: vec![shown] })?,
    }
    Ok(Exit::Success)
}

async fn figures(service: &dyn GraphService, site: SiteId) -> Outcome<Site> {
    let mut versions = Vec::new();
    for version in service.versions(&site).await? {
        let map = service.map(&site, Some(&version.run)).await?;
        let (states, transitions) = (map.states.len(), map.transitions.len());
        versions.push(Run { run: version.run, role: version.role, states, transitions });
    }
    let status = service.watch(&site).await?.next().await;
    let status = status.transpose()?.unwrap_or_default();
    Ok(Site { site, versions, status, map: None })
}

fn sites_table(sites: &[Site]) -> String {
    let mut table = tables::empty(&["site", "runs", "states", "transitions", "to try", "being tried", "tried"]);
    for Site { site, versions, status, .. } in sites {
        let MapStatus { states, transitions, open, claimed, done } = *status;
        let mut row = vec![site.to_string(), versions.len().to_string()];
        row.extend([states, transitions, open, claimed, done].map(|count| count.to_string()));
        table.add_row(row);
    }
    table.to_string()
}

fn runs_table(site: &Site) -> String {
    let mut table = tables::empty(&["run", "role", "states", "transitions"]);
    for Run { run, role, states, transitions } in &site.versions {
        table.add_row([run.to_string(), role.clone(), states.to_string(), transitions.to_string()]);
    }
    table.to_string()
}

fn states_table(map: &Map) -> String {
    let mut table = tables::empty(&["state", "title", "address", "forms"]);
    let titles = titles(map);
    for State { id, url, forms, .. } in &map.states {
        let forms: Vec<String> =
            forms.iter().map(|form| one_line(if form.name.is_empty() { "(no name)" } else { &form.name })).collect();
        let title = titles.get(id).cloned().unwrap_or_default();
        table.add_row([id.to_string(), title, one_line(url), forms.join(", ")]);
    }
    table.to_string()
}

fn ways_table(map: &Map) -> String {
    let mut table = tables::empty(&["from", "action", "to", "times", "succeeded", "ms"]);
    for Transition { from, action, to, tally, .. } in &map.transitions {
        let mean = tally.latency_ms / tally.count.max(1);
        table.add_row([
            from.to_string(),
            one_line(&described(action)),
            to.to_string(),
            tally.count.to_string(),
            tally.succeeded.to_string(),
            mean.to_string(),
        ]);
    }
    table.to_string()
}
