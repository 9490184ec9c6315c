//! The composition root: from a run's stored settings to running rooms. Here, and only here, rooms meet.

mod assignments;
mod pages;
mod planner;
mod recorder;
mod secrets;

pub(crate) use assignments::{check_of, environment};
pub(crate) use pages::{Pages, options as browser_options};
pub(crate) use planner::{config as planner_config, name as planner_name};

use crate::cli::WhichPictures;
use crate::exit::Outcome;
use crate::run::config::Config;
use assignments::Assignments;
use backends::{Embedded, Journal};
use crawler::Screenshots;
use crawler::worker::Crew;
use domain::storage::{BlobStore, JobStore};
use platform::clock::{Clock, SystemClock};
use recorder::StoreRecorder;
use std::path::Path;
use std::sync::Arc;

/// The clock of the process.
pub(crate) fn clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock::default())
}

/// What holds a run's bytes.
pub(crate) struct Store {
    pub(crate) jobs: Arc<dyn JobStore>,
    pub(crate) blobs: Arc<dyn BlobStore>,
    embedded: Embedded,
}

impl Store {
    /// Opens the store of a run directory.
    ///
    /// # Errors
    /// Another process holds it, or it cannot be read.
    pub(crate) async fn open(directory: &Path, clock: Arc<dyn Clock>) -> Outcome<Store> {
        let embedded = backends::open(directory, clock).await?;
        Ok(Store { jobs: embedded.jobs.clone(), blobs: embedded.blobs.clone(), embedded })
    }

    /// Closes it.
    pub(crate) async fn close(self) {
        self.embedded.close().await;
    }
}

/// Everything that the worker stands on.
///
/// # Errors
/// The planner cannot be made: no weights, no model.
pub(crate) async fn crew(config: &Config, store: &Store, pages: Pages, clock: Arc<dyn Clock>) -> Outcome<Crew> {
    let journal = Journal::new(store.embedded.log.clone(), clock.clone());
    Ok(Crew {
        jobs: store.jobs.clone(),
        blobs: store.blobs.clone(),
        recorder: Arc::new(StoreRecorder { journal, blobs: store.blobs.clone() }),
        assignments: Arc::new(Assignments::new(config, &pages).await?),
        pages: Arc::new(pages),
        clock,
    })
}

/// Which pictures the crawler keeps.
pub(crate) fn screenshots(which: WhichPictures) -> Screenshots {
    match which {
        WhichPictures::None => Screenshots::None,
        WhichPictures::Failures => Screenshots::Failures,
        WhichPictures::All => Screenshots::All,
    }
}
