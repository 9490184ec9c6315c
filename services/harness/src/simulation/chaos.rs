//! Injects faults into components, one after another; each component recovers after a while.

use super::Kind;
use super::check;
use super::world::World;
use std::time::Duration;
use tokio::time::sleep;

/// A fault that ends.
enum Hit {
    /// A component is away.
    Gone(usize),
    /// A component is cut off.
    CutOff(String),
    /// A planner is frozen.
    Frozen(String),
}

/// Injects faults into components for some time.
pub(super) async fn rage(world: &mut World) {
    let kinds: Vec<Kind> = world.options.faults.iter().copied().filter(|kind| hits_components(*kind)).collect();
    let mut hits: Vec<(Duration, Hit)> = Vec::new();
    while world.clock_now() < world.options.rage {
        sleep(Duration::from_millis(world.schedule.pick(50..700))).await;
        let now = world.clock_now();
        let (over, lasting): (Vec<_>, Vec<_>) = hits.into_iter().partition(|(until, _)| *until <= now);
        hits = lasting;
        over.into_iter().for_each(|(_, hit)| recover(world, hit));
        if kinds.is_empty() {
            continue;
        }
        let kind = kinds[world.schedule.pick(0..kinds.len() as u64) as usize];
        if let Some(hit) = strike(world, kind).await {
            hits.push((now + Duration::from_millis(world.schedule.pick(100..2500)), hit));
        }
    }
}

/// The others are faults of calls, or of browsers.
fn hits_components(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Crash | Kind::Restart | Kind::Partition | Kind::Reorder | Kind::Skew | Kind::Empty | Kind::Freeze
    )
}

async fn strike(world: &mut World, kind: Kind) -> Option<Hit> {
    world.events += 1;
    let who = world.schedule.pick(0..world.components() as u64) as usize;
    let name = world.name_of(who);
    world.trace.write(format_args!("world {} {name}", kind.as_str()));
    match kind {
        Kind::Crash => {
            world.kill(who);
            let stage = check::stage(&world.column).await;
            // Names are those of the roles, with a number.
            let role = name.rsplit_once('-').map_or(name.as_str(), |(role, _)| role);
            world.killed.insert((role.to_owned(), stage));
            check::what_is_stored(world).await;
            Some(Hit::Gone(who))
        }
        Kind::Restart => {
            world.stop(who);
            Some(Hit::Gone(who))
        }
        Kind::Partition => {
            world.schedule.cut_off(&name, true);
            Some(Hit::CutOff(name))
        }
        Kind::Freeze => {
            let planner = world.a_planner();
            world.schedule.freeze(&planner, true);
            Some(Hit::Frozen(planner))
        }
        Kind::Skew => {
            let milliseconds = world.schedule.pick(0..12_000) as i64 - 6_000;
            world.clock_of(who).skew(milliseconds);
            None
        }
        Kind::Empty => {
            (world.column.empty)();
            None
        }
        Kind::Reorder => {
            world.column.log.rebalance();
            None
        }
        Kind::Loss | Kind::Delay | Kind::Duplicate | Kind::Browser => None,
    }
}

fn recover(world: &mut World, hit: Hit) {
    match hit {
        Hit::Gone(who) => world.start(who),
        Hit::CutOff(name) => world.schedule.cut_off(&name, false),
        Hit::Frozen(name) => world.schedule.freeze(&name, false),
    }
}
