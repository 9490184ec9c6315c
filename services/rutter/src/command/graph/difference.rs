//! `rutter graph diff`: how a site changed from one run to another.

mod faults;
mod replay;
mod rows;
mod sides;

use super::map_source::MapSource;
use crate::cli::{GraphDiff, MapArgs, Output};
use crate::exit::{Exit, OrExit as _, Outcome, failure};
use crate::print::{self, note};
use domain::RunId;
use domain::state::Version;
use graph::abstraction::{self, Abstraction};
use graph::combined::{RunMap, combine};
use graph::diff::Comparison;
use node::config::BrowserConfig;
use node::run::retrace::Direction;
use replay::Replay;
use rows::{DifferenceReport, Layer, Numbers};
use sides::Recorded;
use std::collections::BTreeSet;

/// Compares two runs.
pub(super) async fn execute(args: GraphDiff) -> Outcome {
    let answer = match (&args.earlier, &args.later, &args.before, &args.after) {
        (Some(earlier), Some(later), None, None) => within(&args.map, earlier, later).await?,
        (None, None, Some(_), Some(_)) => apart(&args).await?,
        _ => return failure(Exit::Usage, "name two runs of one map, or two run directories by --before and --after"),
    };
    match args.output.output {
        Output::Json => print::json(&answer)?,
        Output::Table => print::text_out(&rows::words(&answer).join("\n"))?,
    }
    Ok(if answer.changed { Exit::NotPassed } else { Exit::Success })
}

/// Two runs of one map.
async fn within(args: &MapArgs, earlier: &str, later: &str) -> Outcome<DifferenceReport> {
    let source = MapSource::of(args).await?;
    let site = source.site(args.site.as_deref()).await?;
    let service = source.service(&site).await?;
    let (before, after) = (RunId::new(earlier), RunId::new(later));
    let found = service.diff(&site, &before, &after).await?;
    let map = service.map(&site, None).await?;
    let versions = service.versions(&site).await?;
    source.close().await;
    let role = versions.into_iter().find(|version| version.run == after).map(|version| version.role);
    let numbers = Numbers::of(&map.states);
    let layer = Layer::new(role.unwrap_or_default(), (before, after), &found, &numbers, &numbers);
    Ok(DifferenceReport { site, changed: found.is_change(), layers: vec![layer] })
}

/// Two run directories: the last runs of each role that both have.
async fn apart(args: &GraphDiff) -> Outcome<DifferenceReport> {
    let (Some(before), Some(after)) = (&args.before, &args.after) else {
        return failure(Exit::Internal, "two run directories are compared that are not named");
    };
    let before = Recorded::read(args.map.site.as_deref(), before).await?;
    let after = Recorded::read(args.map.site.as_deref(), after).await?;
    for (replay, recorded) in [(&args.replay, &after), (&args.replay_before, &before)] {
        if replay.is_some() {
            recorded.is_trusted(args.trust)?;
        }
    }
    let Some(abstraction) = abstraction::named(&before.map.abstraction) else {
        let (site, name) = (&before.site, &before.map.abstraction);
        return failure(
            Exit::Storage,
            format!("the map of `{site}` was made with the abstraction `{name}`, which is not known"),
        );
    };
    let roles: BTreeSet<String> = before.map.versions.iter().map(|version| version.role.clone()).collect();
    let (mut layers, mut changed) = (Vec::new(), false);
    for role in roles {
        let (Some(earlier), Some(later)) = (before.run(&role), after.run(&role)) else {
            note!("nobody has been `{role}` in both runs: nothing is said of that layer");
            continue;
        };
        let (layer, is_change) = layer(args, role, (&before, earlier), (&after, later), abstraction.as_ref()).await?;
        changed |= is_change;
        layers.push(layer);
    }
    if layers.is_empty() {
        return failure(Exit::Usage, "the two runs have no role in common: there is nothing to compare");
    }
    Ok(DifferenceReport { site: before.site, changed, layers })
}

/// Compares what one role saw.
async fn layer(
    args: &GraphDiff,
    role: String,
    (before, earlier): (&Recorded, RunMap),
    (after, later): (&Recorded, RunMap),
    abstraction: &dyn Abstraction,
) -> Outcome<(Layer, bool)> {
    let name = |run: &RunMap| run.map.versions.get(run.version).map(|version: &Version| version.run.clone());
    let runs = (name(&earlier).unwrap_or(RunId::new("")), name(&later).unwrap_or(RunId::new("")));
    let mut both = combine(earlier, later, abstraction).or_exit(Exit::Usage)?;
    let mut seen = (before.seen_by(&role), after.seen_by(&role));
    seen.1.iter_mut().for_each(|seen| sides::renumber(seen, &both));
    let browser = BrowserConfig::from(args.browser.clone());
    let wanted = [(&args.replay, after, Direction::Onward), (&args.replay_before, before, Direction::Back)];
    for (url, recorded, direction) in wanted {
        let Some(url) = url else { continue };
        let (budget, scope) = (args.replay_budget, args.scope.as_slice());
        let replay = Replay { role: &role, recorded, url, scope, budget, browser: &browser, direction };
        let found = Box::pin(replay.go(&mut both)).await?;
        note!("{} ways were gone again on the site of {}", found.walked, recorded.name);
        match direction {
            Direction::Onward => seen.1.extend(found.seen),
            Direction::Back => seen.0.extend(found.seen),
        }
    }
    let site = both.site(abstraction).or_exit(Exit::Storage)?;
    let comparison = Comparison::new(&site, &both.before, &both.after, abstraction);
    let found = comparison.difference();
    let hosts = (before.host.as_deref(), after.host.as_deref());
    let faults = faults::difference((&seen.0, &seen.1), hosts, &comparison, &found);
    let states = || both.all.states.iter();
    let before = Numbers::new(states(), |id| both.number_before(id));
    let after = Numbers::new(states(), |id| both.number_after(id));
    let is_change = found.is_change() || faults.is_change();
    let layer = Layer::new(role, runs, &found, &before, &after).with(faults.rows(&before, &after));
    Ok((layer, is_change))
}
