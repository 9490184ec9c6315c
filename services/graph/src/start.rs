//! Starts the role: the service, and a task that reports whether its store can be reached.

use crate::error::Error;
use crate::options::Options;
use crate::service::{Dependencies, Graph};
use platform::health::Health;
use platform::tasks::Tasks;
use std::convert::Infallible;
use std::time::Duration;

/// Interval of the store check.
const EVERY: Duration = Duration::from_secs(5);

/// Serves maps. Reports to health whether the store can be reached, for as long as the tasks run.
///
/// # Errors
/// [`Error::Invalid`] when the options name no abstraction.
pub fn start(options: Options, dependencies: Dependencies, health: &Health, tasks: &Tasks) -> Result<Graph, Error> {
    let store = dependencies.store.clone();
    let maps = Graph::new(dependencies, options)?;
    let latch = health.latch("map: store");
    tasks.spawn("look after the map's store", |shutdown| async move {
        let mut is_away = false;
        while !shutdown.is_cancelled() {
            match store.sites().await {
                Ok(_) => {
                    latch.set();
                    if std::mem::take(&mut is_away) {
                        tracing::info!("the map's store answers again");
                    }
                }
                Err(error) => {
                    latch.wait(error.to_string());
                    if !std::mem::replace(&mut is_away, true) {
                        tracing::error!(%error, "the map's store does not answer now, trying again");
                    }
                }
            }
            tokio::select! {
                () = tokio::time::sleep(EVERY) => {}
                () = shutdown.cancelled() => {}
            }
        }
        Ok::<_, Infallible>(())
    });
    Ok(maps)
}
