//! The crawler of a process: works jobs through until asked to end, beside tasks that tell others of it.

use crate::compose::{self, Pages};
use crate::{Error, Kept, Node, NodeConfig};
use browser::grid::Grid;
use crawler::worker::{self, Dependencies, Options, StopSignals};
use platform::metrics::Metrics;
use platform::spawn;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// For how long a crawler asks a queue that does not answer: until somebody ends it.
const PATIENCE: Duration = Duration::from_secs(365 * 24 * 3600);

/// The role under which crawlers are listed.
const ROLE: &str = "crawler";

/// Pause after storage failed.
const AGAIN: Duration = Duration::from_secs(1);

/// Works jobs through until asked to end; then what is under way may end in its time, and is given back after it.
pub(super) async fn crawl(
    settings: &NodeConfig,
    node: &Node,
    metrics: &Metrics,
    asked: CancellationToken,
) -> Result<(), Error> {
    let crawler = &settings.crawler;
    let name = name(settings);
    let pages = Pages::new(&crawler.browser, crawler.density, Some(name.clone()))?;
    let grid = pages.grid();
    // A Grid is asked first what it has room for.
    let (room, at_most) = watch::channel(if grid.is_some() { 0 } else { usize::MAX });
    let options = Options {
        slots: crawler.slots,
        at_most,
        labels: crawler.labels.clone(),
        idle: Duration::from_millis(250),
        patience: PATIENCE,
        heartbeat: Duration::from_secs(crawler.heartbeat_seconds.max(1)),
        ..Options::new(name.clone())
    };
    let rest = StopSignals { drain: asked.clone(), interrupt: CancellationToken::new() };
    interrupt_in_time(node, &rest, Duration::from_secs(crawler.drain_seconds));
    let presence = node.storage.shared.presence.clone();
    let (member, slots) = (name.clone(), format!("slots={}", crawler.slots));
    node.tasks.spawn("presence", move |shutdown| async move {
        compose::stay_present(presence, ROLE, member, slots, shutdown).await;
        Ok::<(), Infallible>(())
    });
    if let Some(grid) = grid {
        watch_grid(settings, node, &pages, grid, room);
    }
    let latch = Arc::new(node.health.latch("crawler"));
    let crew = node.crew(crawler, pages.clone(), BTreeMap::new(), Kept::default())?;
    let (assignments, planners) = (crew.assignments.clone(), node.health.latch("crawler: planners"));
    node.tasks.spawn("readiness of planners", move |shutdown| async move {
        compose::tell_planners(assignments, planners, shutdown).await;
        Ok::<(), Infallible>(())
    });
    let crew = compose::telling(crawler::metrics::measured(crew, options.slots, metrics), latch.clone());
    let studying = spawn::owned("studies", studies(crew.clone(), options.of_studies(), rest.clone()));
    let worked = loop {
        // Nobody watches here: the news is in the log.
        let (news, _) = mpsc::unbounded_channel();
        match worker::work(crew.clone(), options.clone(), news, rest.clone()).await {
            Ok(()) => break Ok(()),
            Err(error) if !asked.is_cancelled() => {
                latch.wait(error.to_string());
                tracing::error!(%error, "storage failed, beginning again in a moment");
                tokio::select! {
                    () = tokio::time::sleep(AGAIN) => {}
                    () = asked.cancelled() => {}
                }
            }
            Err(error) => break Err(error),
        }
    };
    pages.close().await;
    // It ends by the same signals; a panic of it was told of where it happened.
    let _ = studying.await;
    Ok(worked?)
}

/// Works through what needs no browser, beside the crawler: whatever the Grid has room for.
async fn studies(crew: Dependencies, options: Options, rest: StopSignals) {
    while !rest.drain.is_cancelled() && !rest.interrupt.is_cancelled() {
        let (news, _) = mpsc::unbounded_channel();
        if let Err(error) = worker::work(crew.clone(), options.clone(), news, rest.clone()).await {
            tracing::error!(%error, "storage failed, studies begin again in a moment");
            tokio::select! {
                () = tokio::time::sleep(AGAIN) => {}
                () = rest.drain.cancelled() => {}
            }
        }
    }
}

/// Interrupts attempts that have not ended when the time for it is over; at once where a part of the process has failed, since
/// they may stand on it.
fn interrupt_in_time(node: &Node, rest: &StopSignals, drain: Duration) {
    let StopSignals { drain: asked, interrupt } = rest.clone();
    node.tasks.spawn("drain", move |shutdown| async move {
        tokio::select! {
            () = async { asked.cancelled().await; tokio::time::sleep(drain).await } => {}
            () = shutdown.cancelled() => {}
        }
        interrupt.cancel();
        Ok::<(), Infallible>(())
    });
}

/// Follows what the Grid has room for, and ends what crawlers that are gone have left on it.
fn watch_grid(settings: &NodeConfig, node: &Node, pages: &Pages, grid: Grid, room: watch::Sender<usize>) {
    let (asked, pages, density) = (grid.clone(), pages.clone(), settings.crawler.density);
    let latch = node.health.latch("crawler: Grid");
    node.tasks.spawn("capacity", move |shutdown| async move {
        compose::tell_capacity(asked, pages, density, room, latch, shutdown).await;
        Ok::<(), Infallible>(())
    });
    let (presence, clock) = (node.storage.shared.presence.clone(), compose::clock());
    node.tasks.spawn("reaper", move |shutdown| async move {
        compose::reap(grid, presence, ROLE, clock, shutdown).await;
        Ok::<(), Infallible>(())
    });
}

/// Unique among all starts of all crawlers: machine, address, this start and, as its last part, the process. A container that
/// is started again has the machine, the address and the process of before; what it left on a Grid must not look as its own.
pub(super) fn name(settings: &NodeConfig) -> String {
    let machine = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let machine = machine.trim();
    let machine = if machine.is_empty() { "machine" } else { machine };
    let (port, start) = (settings.server.bind.port(), Uuid::now_v7().simple());
    format!("{machine}-{port}-{start}-{}", std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_start_has_a_name_of_its_own_which_ends_with_the_process() {
        let settings = NodeConfig::default();
        let (one, another) = (name(&settings), name(&settings));
        assert_ne!(one, another);
        for name in [one, another] {
            let process = name.rsplit('-').next().map(str::parse::<u32>);
            assert_eq!(process, Some(Ok(std::process::id())), "{name}");
        }
    }
}
