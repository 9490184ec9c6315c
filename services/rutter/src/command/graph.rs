//! `rutter graph`: looking at the map of a site.

mod difference;
pub(super) mod map_source;
mod show;

use crate::cli::{Beginning, Graph, GraphExport, GraphPath, GraphSearch, MapFormat, Output};
use crate::exit::{Exit, OrExit as _, Outcome};
use crate::print::{self, note};
use anyhow::Context as _;
use domain::state::{Map, Route, State, Transition};
use domain::{RunId, StateId, listing};
use graph::export::{self, Format, described, one_line};
use map_source::MapSource;
use report::tables;
use serde_json::json;
use std::collections::BTreeMap;

/// Answers what is asked of a map.
pub(crate) async fn execute(command: Graph) -> Outcome {
    match command {
        Graph::Show(args) => {
            let source = MapSource::of(&args.map).await?;
            let shown = show::show(&source, &args).await;
            source.close().await;
            shown
        }
        Graph::Path(args) => {
            let source = MapSource::of(&args.map).await?;
            let found = path(&source, &args).await;
            source.close().await;
            found
        }
        Graph::Search(args) => {
            let source = MapSource::of(&args.map).await?;
            let found = search(&source, &args).await;
            source.close().await;
            found
        }
        Graph::Export(args) => {
            let source = MapSource::of(&args.map).await?;
            let written = write(&source, &args).await;
            source.close().await;
            written
        }
        Graph::Diff(args) => difference::execute(*args).await,
    }
}

async fn path(source: &MapSource, args: &GraphPath) -> Outcome {
    let site = source.site(args.map.site.as_deref()).await?;
    let service = source.service(&site).await?;
    let from = match args.from {
        Beginning::Start => None,
        Beginning::State(number) => Some(StateId(number)),
    };
    let route = service.shortest_path(&site, from, StateId(args.to)).await?;
    let Some(route) = route else {
        if args.output.output == Output::Json {
            print::json(&json!({"site": site, "path": null}))?;
        }
        note!("no way to state {} is known; what was never tried is no way", args.to);
        return Ok(Exit::NotPassed);
    };
    let map = service.map(&site, None).await?;
    match args.output.output {
        Output::Json => print::json(&json!({"site": site, "path": route_json(&route, &map)}))?,
        Output::Table => print::text_out(&steps(&route, StateId(args.to), &map).join("\n"))?,
    }
    note!("{} steps, {:.1} % reliable, about {:.0} ms", route.hops.len(), 100.0 * route.reliability, route.latency_ms);
    Ok(Exit::Success)
}

/// What the states of a map are called, each in one line.
fn titles(map: &Map) -> BTreeMap<StateId, String> {
    listing::titles(&map.states).into_iter().map(|(id, title)| (id, one_line(&title))).collect()
}

/// A path in words, one step a line.
fn steps(route: &Route, to: StateId, map: &Map) -> Vec<String> {
    let titles = titles(map);
    let name = |id: StateId| format!("state {id}, {}", titles.get(&id).map_or("", String::as_str));
    let begin = route.hops.first().map_or(to, |hop| hop.from);
    let url = map.states.iter().find(|state| state.id == begin).map(|state| one_line(&state.url));
    let mut lines = Vec::new();
    let verb = if route.from_start { "open" } else { "stand on" };
    lines.push(format!("{verb} {} ({})", url.unwrap_or_default(), name(begin)));
    for (number, hop) in route.hops.iter().enumerate() {
        let Transition { action, to, tally, .. } = hop;
        let mean = tally.latency_ms / tally.count.max(1);
        let (words, seen) = (one_line(&described(action)), tally.count);
        lines.push(format!(
            "{}. {words} → {}  ({} of {seen} times, {mean} ms)",
            number + 1,
            name(*to),
            tally.succeeded
        ));
    }
    if route.hops.is_empty() && !route.from_start {
        lines.push("there already".to_owned());
    }
    lines
}

fn route_json(route: &Route, map: &Map) -> serde_json::Value {
    let titles = titles(map);
    let step = |hop: &Transition| {
        json!({
            "from": hop.from, "to": hop.to, "to_title": titles.get(&hop.to), "words": one_line(&described(&hop.action)),
            "action": hop.action, "count": hop.tally.count, "succeeded": hop.tally.succeeded,
            "latency_ms": hop.tally.latency_ms / hop.tally.count.max(1),
        })
    };
    json!({
        "from_start": route.from_start, "address": route.address, "reliability": route.reliability, "latency_ms": route.latency_ms,
        "steps": route.hops.iter().map(step).collect::<Vec<_>>(),
    })
}

async fn search(source: &MapSource, args: &GraphSearch) -> Outcome {
    let site = source.site(args.map.site.as_deref()).await?;
    if let MapSource::Run { .. } = source {
        // Its weights are of this machine: said before anything else is done.
        embedding::LazyEmbedder::default().load().await.or_exit(Exit::Environment)?;
    }
    let service = source.service(&site).await?;
    let mut found = service.search(&site, &args.words, usize::from(args.limit)).await?;
    let nearest = found.first().map(|(_, likeness)| *likeness);
    found.retain(|(_, likeness)| *likeness >= args.at_least);
    match args.output.output {
        Output::Json => {
            let row = |(state, likeness): &(State, f64)| json!({"state": state.id, "title": state.title, "url": state.url, "summary": state.summary, "likeness": likeness});
            print::json(&json!({"site": site, "found": found.iter().map(row).collect::<Vec<_>>()}))?;
        }
        Output::Table => {
            let titles = titles(&service.map(&site, None).await?);
            let mut table = tables::empty(&["state", "title", "address", "likeness"]);
            for (state, likeness) in &found {
                let title = titles.get(&state.id).cloned().unwrap_or_default();
                table.add_row([state.id.to_string(), title, one_line(&state.url), format!("{likeness:.3}")]);
            }
            print::text_out(&table.to_string())?;
        }
    }
    if let (true, Some(nearest)) = (found.is_empty(), nearest) {
        note!("no state is about that; the nearest has a likeness of {nearest:.2}, which `--at-least 0` shows");
        return Ok(Exit::NotPassed);
    }
    Ok(Exit::Success)
}

async fn write(source: &MapSource, args: &GraphExport) -> Outcome {
    let site = source.site(args.map.site.as_deref()).await?;
    let run = args.seen_by.clone().map(RunId);
    let map = source.service(&site).await?.map(&site, run.as_ref()).await?;
    let format = match args.format {
        MapFormat::Json => Format::Json,
        MapFormat::Graphml => Format::GraphMl,
        MapFormat::Dot => Format::Dot,
        MapFormat::Mermaid => Format::Mermaid,
    };
    let text = export::export(&map, format);
    match &args.out {
        None => print::text_out(text.trim_end())?,
        Some(file) => {
            std::fs::write(file, text).with_context(|| format!("write {}", file.display())).or_exit(Exit::Storage)?;
            note!("{} states and {} transitions: {}", map.states.len(), map.transitions.len(), file.display());
        }
    }
    Ok(Exit::Success)
}
