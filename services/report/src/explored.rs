//! What an exploration leaves behind beside its map: figures, faults with the shortest way to them, the report.

use crate::artifacts::{self, Left};
use crate::changes::Changes;
use crate::coverage::Measured;
use crate::directory::{Directory, file_name};
use crate::effort::{self, Effort};
use crate::run::{Exploration, Run, Sources};
use crate::scores::Scores;
use crate::unjudged::Unjudged;
use crate::visits::{self, VisitRecord};
use crate::{Error, fault_tests, map_report, outcomes, words};
use domain::action::ActionKind;
use domain::service::{Code, GraphService};
use domain::state::Map;
use domain::{Action, Descriptor, Fault, RunId, StateId, Usage};
use evaluation::faults::{self, FaultSighting};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeSet;

/// A fault, and how to see it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Found {
    /// As the browser reported it first.
    #[serde(flatten)]
    pub(crate) fault: Fault,
    /// How often it was seen.
    pub(crate) times: usize,
    /// The address where it was seen first.
    pub(crate) url: String,
    /// The state in which the action was done that it follows; none when it follows opening the site.
    pub(crate) state: Option<StateId>,
    /// The shortest known way to it, in words; empty when opening the site is enough.
    pub(crate) path: Vec<String>,
    /// The test that goes this way again and passes once the fault does not show any more, in the run directory.
    pub(crate) test: String,
    /// The same way, with what is filled in on it.
    #[serde(skip)]
    pub(crate) steps: Vec<Action<Descriptor>>,
}

/// Everything that an exploration found.
#[derive(Default)]
pub(crate) struct Explored {
    pub(crate) map: Map,
    pub(crate) seen: Vec<VisitRecord>,
    pub(crate) faults: Vec<Found>,
    /// Where the time went.
    pub(crate) regions: Vec<Effort>,
    pub(crate) coverage: Measured,
    pub(crate) wall_s: f64,
}

/// Writes what follows from the map and from what was seen.
///
/// # Errors
/// A service that cannot be asked, a file that cannot be read or written.
pub async fn leave(
    directory: &Directory,
    run: &Run<'_>,
    explore: Exploration<'_>,
    sources: &Sources,
    coverage: Measured,
    wall_s: f64,
) -> Result<Left, Error> {
    let mut outcomes = outcomes::all(sources.aggregator.as_ref(), run.campaign, 1000).await?;
    outcomes.retain(|outcome| run.jobs.iter().any(|job| job.id == outcome.job));
    let Unjudged { rows, pending } = artifacts::unjudged(run, sources, outcomes.iter()).await?;
    let unjudged = rows.iter().map(|row| row.job.clone()).collect();
    outcomes.extend(rows);
    let found = Explored { coverage, wall_s, ..Explored::default() };
    let explored = explored(directory, run, explore, sources, found).await?;
    let results = results(directory, run, explore, &explored, &outcomes, pending);
    directory.write_json("results.json", &results)?;
    directory.write_json("map.json", &explored.map)?;
    for found in &explored.faults {
        let name = found.test.trim_start_matches("tests/fault-");
        directory.write_json(&format!("faults/{name}"), found)?;
        if let Some(test) = fault_tests::test(run, explore, found) {
            directory.write_json(&found.test, &test)?;
        }
    }
    let report = map_report::write(directory, run, explore, &explored, &outcomes)?;
    let tests = explored.faults.len();
    Ok(Left { outcomes, scores: Scores::of(&[], wall_s), pending, unjudged, results, report, tests })
}

/// Adds to what was measured the map, what was seen, and its faults.
async fn explored(
    directory: &Directory,
    run: &Run<'_>,
    explore: Exploration<'_>,
    sources: &Sources,
    measured: Explored,
) -> Result<Explored, Error> {
    let graph = sources.graph.as_ref();
    let seen = visits::collect(directory, run, sources).await?;
    let run = RunId::new(run.campaign.as_str());
    let map = match graph.map(explore.site, Some(&run)).await {
        Ok(map) => map,
        // Nothing was seen before it ended.
        Err(error) if error.code == Code::NotFound => Map::default(),
        Err(error) => return Err(error.into()),
    };
    let sighted =
        seen.iter().flat_map(|seen| seen.faults.iter().map(move |fault| FaultSighting { fault, place: seen }));
    let mut found = Vec::new();
    for group in faults::deduplicated(sighted) {
        let mut best: Option<(Vec<Action<Descriptor>>, &VisitRecord)> = None;
        // The way to a state is the same whatever was seen there.
        let mut asked = BTreeSet::new();
        for place in group.places.iter().filter(|place| asked.insert((place.from(), place.state))) {
            let Some(steps) = steps(graph, explore, &seen, place).await? else { continue };
            if best.as_ref().is_none_or(|(shortest, _)| steps.len() < shortest.len()) {
                best = Some((steps, place));
            }
        }
        let number = found.len() + 1;
        let name = file_name(&format!("fault-{number:03}-{:?}", group.fault.category).to_lowercase());
        let place = best.as_ref().map(|(_, place)| *place).or(group.places.first().copied());
        let url = place.map(|place| place.url.clone()).unwrap_or_default();
        let state = place.and_then(VisitRecord::from);
        let steps = best.map(|(steps, _)| steps).unwrap_or_default();
        let path = steps.iter().map(words::action).collect();
        let (fault, times, test) = (group.fault.clone(), group.places.len(), format!("tests/{name}.json"));
        found.push(Found { fault, times, url, state, path, test, steps });
    }
    let regions = effort::by_region(&map, &seen);
    Ok(Explored { map, seen, faults: found, regions, ..measured })
}

/// The shortest way to what was seen: to the state before it, and then the action; to the state itself where its page was
/// merely loaded again.
async fn steps(
    graph: &dyn GraphService,
    explore: Exploration<'_>,
    all: &[VisitRecord],
    place: &VisitRecord,
) -> Result<Option<Vec<Action<Descriptor>>>, Error> {
    let to = place.from().unwrap_or(place.state);
    let Some(route) = graph.shortest_path(explore.site, None, to).await? else { return Ok(None) };
    let opened = route.address.map(|url| Action::Goto { url });
    let mut steps: Vec<Action<Descriptor>> = opened.into_iter().collect();
    for hop in route.hops {
        steps.extend(fault_tests::filled_before(all, |seen, deed| {
            (deed.from, deed.key, seen.state) == (hop.from, Some(hop.key), hop.to)
        }));
        steps.push(hop.action);
    }
    if let Some(deed) = &place.deed {
        steps.extend(fault_tests::filled_before(all, |seen, _| std::ptr::eq(seen, place)));
        steps.push(deed.action.clone());
    }
    Ok(Some(steps))
}

fn results(
    directory: &Directory,
    run: &Run<'_>,
    explore: Exploration<'_>,
    explored: &Explored,
    outcomes: &[domain::job::Outcome],
    pending: usize,
) -> serde_json::Value {
    let sum = |of: fn(&VisitRecord) -> usize| explored.seen.iter().map(of).sum::<usize>();
    json!({
        "run": directory.path().display().to_string(),
        "site": explore.site,
        "url": explore.url,
        "strategy": explore.strategy,
        "workers": run.workers,
        "pending": pending,
        "wall_s": explored.wall_s,
        "states": explored.map.states.len(),
        "transitions": explored.map.transitions.len(),
        "actions": actions(&explored.seen),
        "faults": explored.faults,
        "requests": sum(|seen| seen.requests),
        "requests_refused": sum(|seen| seen.refused),
        "requests_out_of_scope": sum(|seen| seen.out_of_scope),
        "changes": Changes::of(run.jobs, &explored.seen, words::action),
        "effort": effort::total(&explored.regions),
        "regions": explored.regions,
        "states_over_time": states_over_time(&explored.seen),
        "usage": usage(outcomes),
        "coverage": explored.coverage.lines,
        "js_coverage": js_coverage(&explored.coverage),
        "incidents": incidents(outcomes),
        "outcomes": outcomes.iter().map(outcomes::json).collect::<Vec<_>>(),
    })
}

/// What choosing cost all browsers together.
pub(crate) fn usage(outcomes: &[domain::job::Outcome]) -> Usage {
    outcomes.iter().fold(Usage::default(), |mut sum, outcome| {
        sum += outcome.usage;
        sum
    })
}

/// What is covered of JavaScript; null where nobody counted.
fn js_coverage(measured: &Measured) -> serde_json::Value {
    match &measured.javascript {
        Some(known) => json!({
            "curve": measured.scripts, "scripts": known.scripts, "unavailable": known.unavailable,
        }),
        None => serde_json::Value::Null,
    }
}

/// What pages did to those who looked at them, by the browser's part.
fn incidents(outcomes: &[domain::job::Outcome]) -> Vec<serde_json::Value> {
    let of = |outcome: &domain::job::Outcome| {
        let told = |incident: &String| json!({"crawler": outcome.job, "incident": incident});
        outcome.incidents.iter().map(told).collect::<Vec<_>>()
    };
    outcomes.iter().flat_map(of).collect()
}

/// Actions that were carried out on pages; waiting is none.
pub(crate) fn actions(seen: &[VisitRecord]) -> usize {
    let is_action = |seen: &&VisitRecord| seen.deed.as_ref().is_some_and(|deed| deed.action.kind() != ActionKind::Wait);
    seen.iter().filter(is_action).count()
}

/// How many states were known when, in seconds: a point for each that was new to the run.
pub(crate) fn states_over_time(seen: &[VisitRecord]) -> Vec<(f64, usize)> {
    let mut known = std::collections::HashSet::new();
    let mut points = Vec::new();
    for seen in seen {
        if known.insert(seen.state) {
            points.push(((seen.at_s * 10.0).round() / 10.0, known.len()));
        }
    }
    points
}
