//! The report of an exploration: one HTML file that needs nothing beside it, with the map to look at and to walk.

use crate::changes::Changes;
use crate::directory::Directory;
use crate::effort::Effort;
use crate::explored::{Explored, Found, actions, states_over_time, usage};
use crate::outcomes::{is_trouble, trouble};
use crate::run::{Exploration, Run};
use crate::visits::PICTURES;
use crate::{Error, html, words};
use domain::coverage::JsFigures;
use domain::{StateId, Usage};
use serde::Serialize;
use serde_json::json;
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;

/// Pictures in the report, in bytes; those of the states that were found first are kept.
const MOST_PICTURES: usize = 12 * 1024 * 1024;
/// Width of a picture in the report, in pixels.
const WIDTH: u32 = 480;

/// What the template shows.
#[derive(Serialize)]
struct View {
    title: String,
    created: String,
    settings: Vec<(String, String)>,
    figures: Vec<(String, String)>,
    /// What kept browsers from exploring their part.
    troubles: Vec<String>,
    faults: Vec<FaultView>,
    /// Where the time went.
    regions: Vec<Effort>,
    /// What was created and changed, and what was left alone.
    changes: Changes,
    /// What grew over time.
    curves: Vec<Curve>,
    /// The map for the script: read as data, never as markup.
    data: serde_json::Value,
    left_out: usize,
}

/// A curve over time.
#[derive(Serialize)]
struct Curve {
    name: &'static str,
    /// How it ended.
    last: String,
    /// Its points, as an SVG path in a box of 600 × 120.
    path: String,
}

#[derive(Serialize)]
struct FaultView {
    category: String,
    message: String,
    source: String,
    party: &'static str,
    times: usize,
    path: Vec<String>,
}

impl From<&Found> for FaultView {
    fn from(found: &Found) -> Self {
        let category = serde_json::to_value(found.fault.category).ok();
        Self {
            category: category.and_then(|name| name.as_str().map(|name| name.replace('_', " "))).unwrap_or_default(),
            message: found.fault.message.clone(),
            source: found.fault.source.clone(),
            party: if found.fault.first_party { "first" } else { "third" },
            times: found.times,
            path: found.path.clone(),
        }
    }
}

/// Writes the report and says where.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn write(
    directory: &Directory,
    run: &Run<'_>,
    explore: Exploration<'_>,
    explored: &Explored,
    outcomes: &[domain::job::Outcome],
) -> Result<PathBuf, Error> {
    let (pictures, left_out) = pictures(directory, explored);
    let map = &explored.map;
    let depths = depths(explored);
    let titles = domain::listing::titles(&map.states);
    let states: Vec<_> = map
        .states
        .iter()
        .map(|state| {
            json!({
                "id": state.id, "url": state.url, "title": titles.get(&state.id), "summary": state.summary,
                "depth": depths.get(&state.id), "picture": pictures.get(&state.id),
            })
        })
        .collect();
    let transitions: Vec<_> = map
        .transitions
        .iter()
        .map(|edge| {
            json!({
                "from": edge.from, "to": edge.to, "action": words::action(&edge.action),
                "count": edge.tally.count, "succeeded": edge.tally.succeeded,
                "ms": edge.tally.latency_ms / edge.tally.count.max(1),
            })
        })
        .collect();
    let figure = |name: &str, value: String| (name.to_owned(), value);
    let refused: usize = explored.seen.iter().map(|seen| seen.refused).sum();
    let outside: usize = explored.seen.iter().map(|seen| seen.out_of_scope).sum();
    let view = View {
        title: run.name.to_owned(),
        created: run.created.to_owned(),
        settings: vec![
            figure("start", explore.url.to_owned()),
            figure("strategy", explore.strategy.to_owned()),
            figure("browsers", run.workers.to_string()),
        ],
        figures: vec![
            figure("states", map.states.len().to_string()),
            figure("transitions", map.transitions.len().to_string()),
            figure("actions", actions(&explored.seen).to_string()),
            figure("faults", explored.faults.len().to_string()),
            figure("requests refused", refused.to_string()),
            figure("requests out of scope", outside.to_string()),
            figure("time", words::duration(explored.wall_s * 1000.0)),
        ]
        .into_iter()
        .chain(cost(usage(outcomes)))
        .collect(),
        troubles: outcomes.iter().filter(|outcome| is_trouble(outcome)).map(trouble).collect(),
        faults: explored.faults.iter().map(FaultView::from).collect(),
        regions: explored.regions.clone(),
        changes: Changes::of(run.jobs, &explored.seen, words::action),
        curves: curves(explored),
        data: json!({"start": map.start, "states": states, "transitions": transitions}),
        left_out,
    };
    let html = html::render_map(&view)?;
    directory.write("report.html", html.as_bytes())?;
    Ok(directory.join("report.html"))
}

/// What choosing cost; nothing where no model was asked.
fn cost(usage: Usage) -> Vec<(String, String)> {
    let Usage { prompt_tokens, completion_tokens, cost_usd, calls: _ } = usage;
    let tokens = (prompt_tokens + completion_tokens > 0).then(|| (prompt_tokens + completion_tokens).to_string());
    let dollars = (cost_usd > 0.0).then(|| format!("${cost_usd:.4}"));
    let named = |name: &str, value: Option<String>| value.map(|value| (name.to_owned(), value));
    named("tokens", tokens).into_iter().chain(named("cost", dollars)).collect()
}

/// How many actions each state is away from the start, where a way is known.
fn depths(explored: &Explored) -> HashMap<StateId, u32> {
    let map = &explored.map;
    let mut next: HashMap<StateId, Vec<StateId>> = HashMap::new();
    for edge in &map.transitions {
        next.entry(edge.from).or_default().push(edge.to);
    }
    let mut depths = HashMap::new();
    let mut waiting: VecDeque<(StateId, u32)> = map.start.into_iter().map(|start| (start, 0)).collect();
    while let Some((state, depth)) = waiting.pop_front() {
        if depths.contains_key(&state) {
            continue;
        }
        depths.insert(state, depth);
        waiting.extend(next.get(&state).into_iter().flatten().map(|to| (*to, depth + 1)));
    }
    depths
}

/// States over time, and coverage where it was measured.
fn curves(explored: &Explored) -> Vec<Curve> {
    let states: Vec<(f64, f64)> =
        states_over_time(&explored.seen).into_iter().map(|(at, count)| (at, count as f64)).collect();
    let most = states.last().map_or(1.0, |(_, count)| *count);
    let mut curves = vec![Curve {
        name: "States over time",
        last: format!("{} states", explored.map.states.len()),
        path: path(&states, most, explored.wall_s),
    }];
    let coverage = &explored.coverage;
    if let Some(last) = coverage.lines.last() {
        let points: Vec<_> = coverage.lines.iter().map(|at| (at.at_s, share(at.covered, at.lines))).collect();
        let last = format!("{} of {} lines, {}", last.covered, last.lines, percent(last.covered, last.lines));
        curves.push(Curve {
            name: "Lines of the application that ran",
            last,
            path: path(&points, 1.0, explored.wall_s),
        });
    }
    if let Some(last) = coverage.scripts.last() {
        let points: Vec<_> =
            coverage.scripts.iter().map(|at| (at.at_s, share(at.figures.bytes_covered, at.figures.bytes))).collect();
        let JsFigures { functions, functions_covered, bytes, bytes_covered } = last.figures;
        let unavailable = coverage.javascript.as_ref().and_then(|known| known.unavailable.clone());
        let last = unavailable.unwrap_or_else(|| {
            let share = percent(bytes_covered, bytes);
            format!("{functions_covered} of {functions} functions, {bytes_covered} of {bytes} bytes, {share}")
        });
        curves.push(Curve { name: "JavaScript that ran", last, path: path(&points, 1.0, explored.wall_s) });
    }
    curves
}

fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.1} %", share(part, whole) * 100.0)
}

/// A curve in steps, in a box that is as high as `most`.
fn path(points: &[(f64, f64)], most: f64, wall_s: f64) -> String {
    let mut path = String::from("M0,120");
    for (at, value) in points {
        let (x, y) = ((at / wall_s.max(1.0)).min(1.0) * 600.0, 120.0 - value / most.max(f64::MIN_POSITIVE) * 115.0);
        path.push_str(&format!(" H{x:.1} V{y:.1}"));
    }
    path.push_str(" H600");
    path
}

/// The pictures of states as data addresses, and how many are left out.
fn pictures(directory: &Directory, explored: &Explored) -> (HashMap<StateId, String>, usize) {
    let (mut pictures, mut size, mut left_out) = (HashMap::new(), 0, 0);
    for state in &explored.map.states {
        let Ok(png) = std::fs::read(directory.join(&format!("{PICTURES}/{}.png", state.id.0))) else { continue };
        let Some(picture) = html::small_picture(&png, WIDTH) else { continue };
        if size + picture.len() > MOST_PICTURES {
            left_out += 1;
            continue;
        }
        size += picture.len();
        pictures.insert(state.id, picture);
    }
    (pictures, left_out)
}
