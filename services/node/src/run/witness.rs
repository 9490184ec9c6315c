//! Writes down what an exploration sees, as it sees it: what was written is there after any end of the process.

use async_trait::async_trait;
use crawler::explore::{Visit, Witness};
use domain::harm::{self, Deed};
use domain::observation::Request;
use domain::page::Page;
use domain::scope::Scope;
use domain::{Observation, StateId};
use parking_lot::Mutex;
use report::visits::{ArrivalRecord, DeedRecord, OBSERVATIONS, PICTURES, VISITS, VisitRecord, read};
use serde::Serialize;
use std::collections::HashMap;
use std::fs::{File, OpenOptions, create_dir_all};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;
use url::Url;

/// What is written down of a page. `scope` is what may be requested.
fn seen_of(visit: &Visit<'_>, scope: &Scope) -> VisitRecord {
    let observation = visit.observation;
    let is_outside = |request: &&Request| {
        !request.refused && Url::parse(&request.url).is_ok_and(|url| url.has_host() && scope.check(&url).is_err())
    };
    VisitRecord {
        crawler: visit.crawler.to_owned(),
        at_s: visit.at.as_secs_f64(),
        state: visit.state,
        is_new: visit.is_new,
        url: observation.url.clone(),
        deed: visit.arrival.map(|arrival| ArrivalRecord {
            from: arrival.from,
            key: arrival.key,
            action: arrival.action.clone(),
            effect: arrival.effect.clone(),
            latency_ms: arrival.latency.as_secs_f64() * 1000.0,
        }),
        faults: observation.faults.clone(),
        requests: observation.requests.len(),
        refused: observation.requests.iter().filter(|request| request.refused).count(),
        out_of_scope: observation.requests.iter().filter(is_outside).count(),
        left_alone: visit.left_alone.clone(),
        refused_by_rule: visit.refused.clone(),
        sent: observation.requests.iter().filter(|request| asked_of(request).is_some()).count(),
        deeds: observation.requests.iter().filter_map(deed_of).collect(),
    }
}

/// What a request asked the site to create or change, and at which address; `None` when it only asked, or was refused on its way.
fn asked_of(request: &Request) -> Option<(Deed, Url)> {
    let url = Url::parse(&request.url).ok().filter(|_| !request.refused)?;
    Some((harm::deed_of(&request.method, &url)?, url))
}

/// What a request did that the site took.
fn deed_of(request: &Request) -> Option<DeedRecord> {
    let status = request.status.filter(|status| *status < 400)?;
    let (deed, url) = asked_of(request)?;
    Some(DeedRecord { deed, method: request.method.clone(), path: url.path().to_owned(), status })
}

/// A whole observation.
#[derive(Serialize)]
struct Observed<'a> {
    state: StateId,
    observation: &'a Observation,
}

/// What is written down, and where.
pub(crate) struct FileWitness {
    visits: Mutex<File>,
    observations: Option<Mutex<File>>,
    pictures: Option<PathBuf>,
    scope: Scope,
    /// How long each browser's part has taken, by what was written of it last.
    spent: Mutex<HashMap<String, Duration>>,
}

impl FileWitness {
    /// Goes on writing in the directory of a run. `scope` is what may be requested.
    ///
    /// # Errors
    /// When the files cannot be opened.
    pub(crate) fn open(directory: &Path, scope: Scope, keeps_observations: bool, pictures: bool) -> io::Result<Self> {
        let open = |name: &str| OpenOptions::new().create(true).append(true).open(directory.join(name)).map(Mutex::new);
        let pictures = pictures.then(|| directory.join(PICTURES));
        if let Some(folder) = &pictures {
            create_dir_all(folder)?;
        }
        let observations = if keeps_observations { Some(open(OBSERVATIONS)?) } else { None };
        let spent = read(directory)?
            .into_iter()
            .map(|seen| (seen.crawler, Duration::try_from_secs_f64(seen.at_s).unwrap_or_default()));
        let spent = Mutex::new(spent.collect());
        Ok(Self { visits: open(VISITS)?, observations, pictures, scope, spent })
    }

    fn write(&self, visit: &Visit<'_>) -> io::Result<()> {
        let observation = visit.observation;
        let seen = seen_of(visit, &self.scope);
        append(&self.visits, &line(&seen)?)?;
        self.spent.lock().insert(seen.crawler, visit.at);
        if let Some(file) = &self.observations {
            // A frame for each line: whatever is cut off, all before it can be read.
            let line = line(&Observed { state: visit.state, observation })?;
            append(file, &zstd::bulk::compress(&line, zstd::DEFAULT_COMPRESSION_LEVEL)?)?;
        }
        Ok(())
    }
}

fn line(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(line)
}

fn append(file: &Mutex<File>, bytes: &[u8]) -> io::Result<()> {
    file.lock().write_all(bytes)
}

#[async_trait]
impl Witness for FileWitness {
    async fn saw(&self, visit: Visit<'_>, page: &mut dyn Page) {
        if let Err(error) = self.write(&visit) {
            tracing::warn!(%error, "what was seen could not be written down");
        }
        let Some(folder) = self.pictures.as_ref().filter(|_| visit.is_new && visit.observation.dialog.is_none()) else {
            return;
        };
        match page.screenshot().await {
            Ok(picture) => {
                let path = folder.join(format!("{}.png", visit.state.0));
                if let Err(error) = tokio::fs::write(path, &picture.png).await {
                    tracing::warn!(%error, "the picture of a state could not be kept");
                }
            }
            Err(error) => tracing::warn!(%error, "no picture of a state"),
        }
    }

    fn spent(&self, crawler: &str) -> Duration {
        self.spent.lock().get(crawler).copied().unwrap_or_default()
    }
}

/// Keeps what is seen in memory.
pub(crate) struct MemoryWitness {
    scope: Scope,
    seen: Mutex<Vec<VisitRecord>>,
}

impl MemoryWitness {
    /// One that has seen nothing. `scope` is what may be requested.
    pub(crate) fn new(scope: Scope) -> Self {
        Self { scope, seen: Mutex::default() }
    }

    /// Everything that was seen, in order.
    pub(crate) fn take(&self) -> Vec<VisitRecord> {
        std::mem::take(&mut *self.seen.lock())
    }
}

#[async_trait]
impl Witness for MemoryWitness {
    async fn saw(&self, visit: Visit<'_>, _: &mut dyn Page) {
        self.seen.lock().push(seen_of(&visit, &self.scope));
    }

    fn spent(&self, _: &str) -> Duration {
        Duration::ZERO
    }
}
