//! What is measured beside an exploration by the crawler that has its browser, in either column: each look is a record among what
//! explorations see.

use super::files::by_file;
use super::{Sampler, Sink};
use async_trait::async_trait;
use backends::Journal;
use browser::{JsCoverage, JsFigures, Route};
use crawler::worker::Companion;
use domain::coverage::CoverageOptions;
use domain::job::Work;
use domain::ledger::PageVisit;
use domain::storage::BlobStore;
use domain::{BlobRef, CampaignId, Job, JobId};
use evaluation::coverage::Coverage;
use parking_lot::Mutex;
use platform::clock::Clock;
use platform::spawn;
use report::coverage::{FileLines, LineLook, Look, LookRecord, ScriptLook};
use serde::Serialize;
use std::collections::HashMap;
use std::fmt::Display;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Makes the samplers of a crawler's explorations.
#[derive(Clone)]
pub(crate) struct Measurers {
    pub(crate) journal: Journal,
    pub(crate) blobs: Arc<dyn BlobStore>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) scripts: ScriptsOfJobs,
}

/// What JavaScript ran in the browsers of the explorations that are under way here.
#[derive(Clone, Default)]
pub(crate) struct ScriptsOfJobs(Arc<Mutex<SessionByJob>>);

/// The session that measures beside each job, and what it hears.
type SessionByJob = HashMap<(CampaignId, JobId), (String, JsCoverage)>;

impl ScriptsOfJobs {
    /// Where the profiles of a job tell what JavaScript they ran; none where it is not counted.
    pub(crate) fn of(&self, job: &Job) -> Option<JsCoverage> {
        self.0.lock().get(&(job.campaign.clone(), job.id.clone())).map(|(_, scripts)| scripts.clone())
    }

    /// Forgets what a session told, where no other one of the same job has begun since.
    fn forget(&self, job: &(CampaignId, JobId), session: &str) {
        let mut all = self.0.lock();
        if all.get(job).is_some_and(|(known, _)| known == session) {
            all.remove(job);
        }
    }
}

impl Measurers {
    /// What measures beside a job, once it is begun; none where nothing is to be measured.
    pub(crate) fn beside(&self, job: &Job) -> Result<Option<Box<dyn Companion>>, String> {
        let Work::Exploration { exploration, site } = &job.work else { return Ok(None) };
        let options: &CoverageOptions = &exploration.coverage;
        if options.is_nothing() {
            return Ok(None);
        }
        let route = Route::to(site, crate::compose::scope_of(&job.work)?);
        let key = (job.campaign.clone(), job.id.clone());
        let session = Uuid::now_v7().to_string();
        let scripts = options.javascript.then(JsCoverage::default);
        if let Some(scripts) = &scripts {
            self.scripts.0.lock().insert(key.clone(), (session.clone(), scripts.clone()));
        }
        let sink = Records {
            journal: self.journal.clone(),
            blobs: self.blobs.clone(),
            job: key.clone(),
            session: session.clone(),
            began_ms: self.clock.wall().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64,
            files: None,
            scripts: None,
        };
        let clock = self.clock.clone();
        let sampler = Sampler::new(options.clone(), route, scripts, Box::new(sink), clock, Duration::ZERO);
        let done = CancellationToken::new();
        Ok(Some(Box::new(Beside {
            sampler: Some(sampler),
            running: None,
            done,
            scripts: self.scripts.clone(),
            key,
            session,
        })))
    }
}

/// A sampler beside an attempt.
struct Beside {
    /// Before it runs.
    sampler: Option<Sampler>,
    running: Option<JoinHandle<()>>,
    done: CancellationToken,
    scripts: ScriptsOfJobs,
    key: (CampaignId, JobId),
    session: String,
}

#[async_trait]
impl Companion for Beside {
    async fn begin(&mut self) {
        let Some(mut sampler) = self.sampler.take() else { return };
        sampler.look_first().await;
        self.running = Some(spawn::detached("sampler of coverage", sampler.run(self.done.clone())));
    }

    async fn end(mut self: Box<Self>) {
        self.done.cancel();
        if let Some(running) = &mut self.running
            && let Err(error) = running.await
        {
            tracing::warn!(%error, "measuring coverage ended early");
        }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if let Some(running) = &self.running {
            running.abort();
        }
        self.scripts.forget(&self.key, &self.session);
    }
}

/// Keeps looks as records of the log; what is large is in the blob store.
struct Records {
    journal: Journal,
    blobs: Arc<dyn BlobStore>,
    job: (CampaignId, JobId),
    session: String,
    began_ms: u64,
    /// What was stored last, and of which figures: a look at which nothing is new stores nothing.
    files: Option<(Vec<FileLines>, BlobRef)>,
    scripts: Option<(JsFigures, Option<String>, BlobRef)>,
}

impl Records {
    async fn keep(&self, at_s: f64, look: Look) -> Result<(), String> {
        let (campaign, job) = self.job.clone();
        let (session, began_ms) = (self.session.clone(), self.began_ms);
        let record = LookRecord { crawler: job.to_string(), session, began_ms, at_s, look };
        let record = serde_json::to_string(&record).map_err(said)?;
        let visit = PageVisit { campaign, job, id: Uuid::now_v7().to_string(), record };
        self.journal.visit(visit).await.map_err(said)
    }

    async fn store(&self, value: &impl Serialize) -> Result<BlobRef, String> {
        self.blobs.put(&serde_json::to_vec(value).map_err(said)?).await.map_err(said)
    }
}

fn said(error: impl Display) -> String {
    error.to_string()
}

#[async_trait]
impl Sink for Records {
    async fn lines(&mut self, at_s: f64, coverage: &Coverage) -> Result<(), String> {
        let (lines, covered) = (coverage.lines(), coverage.covered());
        let by_file = by_file(coverage);
        let files = match &self.files {
            Some((known, files)) if *known == by_file => files.clone(),
            _ => self.store(&by_file).await?,
        };
        self.files = Some((by_file, files.clone()));
        self.keep(at_s, Look::Lines(LineLook { lines, covered, files })).await
    }

    async fn scripts(&mut self, at_s: f64, scripts: &JsCoverage) -> Result<(), String> {
        let (figures, unavailable) = (scripts.figures(), scripts.unavailable());
        let stored = match &self.scripts {
            Some((known, cause, stored)) if *known == figures && *cause == unavailable => stored.clone(),
            _ => self.blobs.put(&scripts.to_json().map_err(said)?).await.map_err(said)?,
        };
        self.scripts = Some((figures.clone(), unavailable, stored.clone()));
        self.keep(at_s, Look::Scripts(ScriptLook { figures, scripts: stored })).await
    }

    async fn complain(&mut self, at_s: f64, cause: String) {
        tracing::warn!(cause, "coverage could not be measured");
        if let Err(cause) = self.keep(at_s, Look::Trouble(cause)).await {
            tracing::warn!(cause, "that coverage could not be measured is not written down");
        }
    }
}
