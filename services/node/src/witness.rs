//! Writes down what explorations see: pages in the log, pictures in the blob store, in either column. What was written is there after
//! any end of the process.

use crate::compose;
use async_trait::async_trait;
use backends::Journal;
use crawler::explore::{Visit, Witness};
use domain::harm::{self, Deed};
use domain::ledger::PageVisit;
use domain::observation::Request;
use domain::page::Page;
use domain::scope::Scope;
use domain::service::{Code, ServiceError};
use domain::storage::BlobStore;
use domain::{BlobRef, CampaignId, Job, JobId, Observation, StateId};
use parking_lot::Mutex;
use report::visits::{ArrivalRecord, DeedRecord, OBSERVATIONS, VisitRecord};
use serde::Serialize;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use url::Url;
use uuid::Uuid;

/// What is written down of a page. `scope` is what may be requested.
fn record_of(visit: &Visit<'_>, scope: &Scope, picture: Option<BlobRef>) -> VisitRecord {
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
        picture,
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

/// What a process writes down beside the pages that its explorations see.
#[derive(Clone)]
pub struct Kept {
    /// Whether each new state's picture is taken.
    pictures: bool,
    observations: Option<Arc<Mutex<File>>>,
    /// How long each browser's part has taken, by what was written of it last.
    spent: Arc<Mutex<HashMap<(CampaignId, JobId), Duration>>>,
}

impl Default for Kept {
    fn default() -> Self {
        Self { pictures: true, observations: None, spent: Arc::default() }
    }
}

impl Kept {
    /// The picture of each new state, where that is wanted.
    pub(crate) fn pictures(pictures: bool) -> Self {
        Self { pictures, ..Self::default() }
    }

    /// Whole observations too, in a file of a directory.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub(crate) fn observations(self, directory: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(directory.join(OBSERVATIONS))?;
        Ok(Self { observations: Some(Arc::new(Mutex::new(file))), ..self })
    }

    /// A browser's part has taken so long in an earlier process.
    pub(crate) fn spent(&self, campaign: CampaignId, job: JobId, time: Duration) {
        self.spent.lock().insert((campaign, job), time);
    }
}

/// Makes the witnesses of jobs.
#[derive(Clone)]
pub(crate) struct Witnesses {
    pub(crate) journal: Journal,
    pub(crate) blobs: Arc<dyn BlobStore>,
    pub(crate) kept: Kept,
}

impl Witnesses {
    /// Who writes down what the browser of a job sees.
    ///
    /// # Errors
    /// A sentence about what is wrong with the job.
    pub(crate) fn of(&self, job: &Job) -> Result<Arc<dyn Witness>, String> {
        let (campaign, id, scope) = (job.campaign.clone(), job.id.clone(), compose::scope_of(&job.work)?);
        Ok(Arc::new(JournalWitness { all: self.clone(), campaign, job: id, scope }))
    }
}

/// Writes down what the browser of one job sees.
struct JournalWitness {
    all: Witnesses,
    campaign: CampaignId,
    job: JobId,
    scope: Scope,
}

impl JournalWitness {
    /// The picture of a state that is new; none where it cannot be taken.
    async fn picture(&self, visit: &Visit<'_>, page: &mut dyn Page) -> Option<BlobRef> {
        if !self.all.kept.pictures || !visit.is_new || visit.observation.dialog.is_some() {
            return None;
        }
        let taken = page.screenshot().await;
        let picture = taken.inspect_err(|error| tracing::warn!(%error, "no picture of a state")).ok()?;
        let stored = self.all.blobs.put(&picture.png).await;
        stored.inspect_err(|error| tracing::warn!(%error, "the picture of a state could not be kept")).ok()
    }
}

#[async_trait]
impl Witness for JournalWitness {
    async fn saw(&self, visit: Visit<'_>, page: &mut dyn Page) -> Result<(), ServiceError> {
        let picture = self.picture(&visit, page).await;
        let unwritten = |error: &dyn std::fmt::Display| {
            ServiceError::new(Code::Internal, format!("write down what was seen: {error}"))
        };
        if let Some(file) = &self.all.kept.observations {
            let observed = Observed { state: visit.state, observation: visit.observation };
            append(file, &observed).map_err(|error| unwritten(&error))?;
        }
        let record = serde_json::to_string(&record_of(&visit, &self.scope, picture));
        let record = record.map_err(|error| unwritten(&error))?;
        let (campaign, job, id) = (self.campaign.clone(), self.job.clone(), Uuid::now_v7().to_string());
        self.all.journal.visit(PageVisit { campaign, job, id, record }).await?;
        self.all.kept.spent(self.campaign.clone(), self.job.clone(), visit.at);
        Ok(())
    }

    fn spent(&self, _: &str) -> Duration {
        let key = (self.campaign.clone(), self.job.clone());
        self.all.kept.spent.lock().get(&key).copied().unwrap_or_default()
    }
}

/// Appends a frame for each line: whatever is cut off, all before it can be read.
fn append(file: &Mutex<File>, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    file.lock().write_all(&zstd::bulk::compress(&line, zstd::DEFAULT_COMPRESSION_LEVEL)?)
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
    async fn saw(&self, visit: Visit<'_>, _: &mut dyn Page) -> Result<(), ServiceError> {
        self.seen.lock().push(record_of(&visit, &self.scope, None));
        Ok(())
    }

    fn spent(&self, _: &str) -> Duration {
        Duration::ZERO
    }
}
