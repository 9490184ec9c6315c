//! `rutter graph diff`: how a site changed from one run to another.

use super::place::Place;
use super::title;
use crate::cli::{GraphDiff, MapArgs, Output};
use crate::command::cluster::refused;
use crate::exit::{Exit, OrExit as _, Outcome, failure};
use crate::print;
use domain::state::{Difference, Form, Lone, State, Transition, Version};
use domain::storage::graph::Changed;
use domain::{RunId, SiteId, StateId};
use graph::export::{described, one_line};
use graph::{abstraction, together};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How one layer of a site changed.
#[derive(Serialize)]
struct Layer {
    role: String,
    before: RunId,
    after: RunId,
    states: Found<StateRow, ChangedRow>,
    transitions: Found<WayRow, ()>,
}

/// What was found of one kind of things.
#[derive(Serialize)]
struct Found<T, C> {
    appeared: Vec<T>,
    vanished: Vec<T>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed: Vec<C>,
    not_reached: NotReached<T>,
}

/// What only one run saw, and the other did not look for.
#[derive(Serialize)]
struct NotReached<T> {
    by_before: Vec<T>,
    by_after: Vec<T>,
}

#[derive(Serialize)]
struct StateRow {
    state: StateId,
    title: String,
    url: String,
}

#[derive(Serialize)]
struct ChangedRow {
    before: StateRow,
    after: StateRow,
    /// What of it, one sentence each.
    what: Vec<String>,
}

#[derive(Serialize)]
struct WayRow {
    from: StateId,
    from_title: String,
    action: String,
    to: StateId,
    to_title: String,
}

#[derive(Serialize)]
struct Answer {
    site: SiteId,
    changed: bool,
    layers: Vec<Layer>,
}

/// Compares two runs.
pub(super) async fn execute(args: GraphDiff) -> Outcome {
    let answer = match (&args.earlier, &args.later, &args.before, &args.after) {
        (Some(earlier), Some(later), None, None) => within(&args.map, earlier, later).await?,
        (None, None, Some(before), Some(after)) => apart(args.map.site.as_deref(), before, after).await?,
        _ => return failure(Exit::Usage, "name two runs of one map, or two run directories by --before and --after"),
    };
    match args.output.output {
        Output::Json => print::json(&answer)?,
        Output::Table => print::text_out(&words(&answer).join("\n"))?,
    }
    Ok(if answer.changed { Exit::NotPassed } else { Exit::Success })
}

/// Two runs of one map.
async fn within(args: &MapArgs, earlier: &str, later: &str) -> Outcome<Answer> {
    let place = Place::of(args).await?;
    let site = place.site(args.site.as_deref()).await?;
    let service = place.service(&site).await?;
    let (before, after) = (RunId::new(earlier), RunId::new(later));
    let found = service.diff(&site, &before, &after).await.map_err(refused)?;
    let map = service.map(&site, None).await.map_err(refused)?;
    let versions = service.versions(&site).await.map_err(refused)?;
    place.close().await;
    let role = versions.into_iter().find(|version| version.run == after).map(|version| version.role);
    let layer = layer(role.unwrap_or_default(), (before, &map.states), (after, &map.states), &found);
    Ok(Answer { site, changed: found.is_change(), layers: vec![layer] })
}

/// Two run directories: the last runs of each role that both have.
async fn apart(site: Option<&str>, before: &Path, after: &Path) -> Outcome<Answer> {
    let (site, before) = read(site, before).await?;
    let (_, after) = read(Some(site.as_str()), after).await?;
    let Some(abstraction) = abstraction::named(&before.abstraction) else {
        let cause =
            format!("the map of `{site}` was made with the abstraction `{}`, which is not known", before.abstraction);
        return failure(Exit::Storage, cause);
    };
    let last = |map: &Changed, role: &str| map.versions.iter().rposition(|version| version.role == role);
    let roles: BTreeSet<String> = before.versions.iter().map(|version| version.role.clone()).collect();
    let (mut layers, mut changed) = (Vec::new(), false);
    for role in roles {
        let (Some(earlier), Some(later)) = (last(&before, &role), last(&after, &role)) else {
            eprintln!("nobody has been `{role}` in both runs: nothing is said of that layer");
            continue;
        };
        let found = together::compare((before.clone(), earlier), (after.clone(), later), abstraction.as_ref());
        let found = found.or_exit(Exit::Usage)?;
        changed |= found.is_change();
        let run = |map: &Changed, place: usize| map.versions.get(place).map(|version: &Version| version.run.clone());
        let runs = (run(&before, earlier).unwrap_or(RunId::new("")), run(&after, later).unwrap_or(RunId::new("")));
        layers.push(layer(role, (runs.0, &before.states), (runs.1, &after.states), &found));
    }
    if layers.is_empty() {
        return failure(Exit::Usage, "the two runs have no role in common: there is nothing to compare");
    }
    Ok(Answer { site, changed, layers })
}

async fn read(site: Option<&str>, directory: &Path) -> Outcome<(SiteId, Changed)> {
    let place = Place::run(directory).await?;
    let site = place.site(site).await?;
    let everything = place.everything(&site).await?;
    place.close().await;
    Ok((site, everything))
}

fn layer(role: String, before: (RunId, &[State]), after: (RunId, &[State]), found: &Difference) -> Layer {
    let titles = |states: &[State]| -> BTreeMap<StateId, String> {
        states.iter().map(|state| (state.id, title(state))).collect()
    };
    let (there, here) = (titles(before.1), titles(after.1));
    let ways = |lone: &[Lone<Transition>], titles: &BTreeMap<StateId, String>, is_sure: bool| {
        lone.iter().filter(|lone| lone.is_sure == is_sure).map(|lone| way(&lone.it, titles)).collect()
    };
    let states = |lone: &[Lone<State>], is_sure: bool| {
        lone.iter().filter(|lone| lone.is_sure == is_sure).map(|lone| row(&lone.it)).collect()
    };
    let changed = |(was, is): &(State, State)| ChangedRow { before: row(was), after: row(is), what: what(was, is) };
    Layer {
        role,
        before: before.0,
        after: after.0,
        states: Found {
            appeared: states(&found.appeared, true),
            vanished: states(&found.missing, true),
            changed: found.changed.iter().map(changed).collect(),
            not_reached: NotReached {
                by_before: states(&found.appeared, false),
                by_after: states(&found.missing, false),
            },
        },
        transitions: Found {
            appeared: ways(&found.appeared_transitions, &here, true),
            vanished: ways(&found.missing_transitions, &there, true),
            changed: Vec::new(),
            not_reached: NotReached {
                by_before: ways(&found.appeared_transitions, &here, false),
                by_after: ways(&found.missing_transitions, &there, false),
            },
        },
    }
}

fn row(state: &State) -> StateRow {
    StateRow { state: state.id, title: title(state), url: one_line(&state.url) }
}

fn way(transition: &Transition, titles: &BTreeMap<StateId, String>) -> WayRow {
    let name = |id: StateId| titles.get(&id).cloned().unwrap_or_default();
    let Transition { from, to, action, .. } = transition;
    let action = one_line(&described(action));
    WayRow { from: *from, from_title: name(*from), action, to: *to, to_title: name(*to) }
}

/// What is different about a state, one sentence each.
fn what(was: &State, is: &State) -> Vec<String> {
    let mut said = Vec::new();
    if was.title != is.title {
        said.push(format!("its title was \"{}\" and is \"{}\"", one_line(&was.title), one_line(&is.title)));
    }
    let named = |form: &Form| {
        if form.name.is_empty() { "the form".to_owned() } else { format!("form `{}`", one_line(&form.name)) }
    };
    let same = |form: &Form, forms: &[Form]| forms.iter().find(|other| other.name == form.name).cloned();
    for form in &was.forms {
        let Some(now) = same(form, &is.forms) else {
            said.push(format!("{} is gone", named(form)));
            continue;
        };
        let list =
            |fields: Vec<&String>| fields.into_iter().map(|field| one_line(field)).collect::<Vec<_>>().join(", ");
        let lost = list(form.fields.iter().filter(|field| !now.fields.contains(field)).collect());
        let won = list(now.fields.iter().filter(|field| !form.fields.contains(field)).collect());
        if !lost.is_empty() {
            said.push(format!("{} has no {lost} any more", named(form)));
        }
        if !won.is_empty() {
            said.push(format!("{} has {won} now", named(form)));
        }
    }
    for form in is.forms.iter().filter(|form| same(form, &was.forms).is_none()) {
        said.push(format!("{} is new", named(form)));
    }
    if said.is_empty() {
        said.push("something else can be done there".to_owned());
    }
    said
}

/// A difference in words, one thing a line.
fn words(answer: &Answer) -> Vec<String> {
    let mut lines = Vec::new();
    for layer in &answer.layers {
        let Layer { role, before, after, states, transitions } = layer;
        lines.push(format!("{}, as {role}: from {before} to {after}", answer.site));
        list(&mut lines, "appeared", states.appeared.iter().map(state_words));
        list(&mut lines, "vanished", states.vanished.iter().map(state_words));
        let changed = |row: &ChangedRow| format!("{}: {}", state_words(&row.before), row.what.join("; "));
        list(&mut lines, "changed", states.changed.iter().map(changed));
        list(&mut lines, "ways that appeared", transitions.appeared.iter().map(way_words));
        list(&mut lines, "ways that vanished", transitions.vanished.iter().map(way_words));
        for (run, states, ways) in [
            (before, &states.not_reached.by_before, &transitions.not_reached.by_before),
            (after, &states.not_reached.by_after, &transitions.not_reached.by_after),
        ] {
            let both = states.iter().map(state_words).chain(ways.iter().map(way_words));
            list(&mut lines, &format!("not reached by {run}, which says nothing about them"), both);
        }
    }
    lines.push(if answer.changed { "something changed" } else { "nothing changed" }.to_owned());
    lines
}

fn list(lines: &mut Vec<String>, heading: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.map(|item| format!("    {item}")).collect();
    if !items.is_empty() {
        lines.push(format!("  {heading}"));
        lines.extend(items);
    }
}

fn state_words(row: &StateRow) -> String {
    format!("state {}, {} ({})", row.state, row.title, row.url)
}

fn way_words(row: &WayRow) -> String {
    format!("{} on {} → {}", row.action, row.from_title, row.to_title)
}
