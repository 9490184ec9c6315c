//! What an exploration saw: one record for each page. The ledger has them; the directory of a run gets them as lines of a file, and
//! the pictures of its states.

use crate::directory::SETTINGS;
use crate::run::{Run, Sources};
use crate::{Directory, Error};
use domain::effect::Effect;
use domain::harm::{Deed, LeftAlone, RefusedRequest};
use domain::service::{AggregatorService, ServiceError};
use domain::state::ActionKey;
use domain::{Action, BlobRef, CampaignId, Descriptor, Fault, StateId};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::io;
use std::path::Path;

/// The file of what was seen: one [`VisitRecord`] a line.
pub const VISITS: &str = "visits.jsonl";
/// The file of whole observations, each with its state: one a line, compressed.
pub const OBSERVATIONS: &str = "observations.jsonl.zst";
/// The folder of pictures, by the numbers of states.
pub const PICTURES: &str = "pictures";

/// A page that was seen.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VisitRecord {
    /// The browser.
    pub crawler: String,
    /// Seconds since the browser's part began.
    pub at_s: f64,
    /// The state.
    pub state: StateId,
    /// Whether nobody saw it before.
    pub is_new: bool,
    /// Its address.
    pub url: String,
    /// What led there; none after opening the site, logging in or waiting.
    pub deed: Option<ArrivalRecord>,
    /// Its picture, where one was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<BlobRef>,
    /// The faults since the page before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
    /// Requests since the page before.
    pub requests: usize,
    /// Those that were refused.
    pub refused: usize,
    /// Those that were not, though they are outside the scope. There must not be any.
    pub out_of_scope: usize,
    /// Controls that are left alone there, which were not told of before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_alone: Vec<LeftAlone>,
    /// Requests that a rule refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused_by_rule: Vec<RefusedRequest>,
    /// Requests that were to create or change something, whatever the site answered.
    #[serde(default)]
    pub sent: usize,
    /// Requests that created or changed something.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deeds: Vec<DeedRecord>,
}

/// A request that created or changed something.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DeedRecord {
    /// What it did.
    pub deed: Deed,
    /// Its method.
    pub method: String,
    /// Its path.
    pub path: String,
    /// Its answer.
    pub status: u16,
}

impl VisitRecord {
    /// A page that was merely opened.
    #[cfg(test)]
    pub(crate) fn example() -> Self {
        Self {
            crawler: "guest/1".into(),
            at_s: 0.0,
            state: StateId(1),
            is_new: true,
            url: "http://shop.test/".into(),
            deed: None,
            picture: None,
            faults: Vec::new(),
            requests: 0,
            refused: 0,
            out_of_scope: 0,
            left_alone: Vec::new(),
            refused_by_rule: Vec::new(),
            sent: 0,
            deeds: Vec::new(),
        }
    }

    /// What tells it from others: the browser, and when it saw it.
    fn place(&self) -> (String, u64) {
        (self.crawler.clone(), (self.at_s * 1000.0).round() as u64)
    }

    /// The state in which was done what led there.
    pub fn from(&self) -> Option<StateId> {
        self.deed.as_ref().map(|deed| deed.from)
    }
}

/// What led to a page.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ArrivalRecord {
    /// From which state.
    pub from: StateId,
    /// The action's name in the map, where it is one of it.
    pub key: Option<ActionKey>,
    /// What was done.
    pub action: Action<Descriptor>,
    /// What it did.
    pub effect: Effect,
    /// Milliseconds from the action to the settled page.
    pub latency_ms: f64,
}

/// Visits read at once.
const PAGE: usize = 100;

/// All records of one form that a campaign's explorations left, in order, by the ledger: what they saw, as [`VisitRecord`], or what was
/// measured beside them, as [`LookRecord`](crate::coverage::LookRecord).
///
/// # Errors
/// Of the ledger.
pub async fn of_campaign<T: DeserializeOwned>(
    ledger: &dyn AggregatorService,
    campaign: &CampaignId,
) -> Result<Vec<T>, ServiceError> {
    let mut found = Vec::new();
    let mut last: Option<String> = None;
    loop {
        let page = ledger.visits(campaign, last.as_deref(), PAGE).await?;
        found.extend(page.iter().filter_map(|visit| serde_json::from_str(&visit.record).ok()));
        match page.last() {
            Some(visit) if page.len() == PAGE => last = Some(visit.id.clone()),
            _ => return Ok(found),
        }
    }
}

/// Everything that a campaign's explorations saw, in order, which is written down in the directory with its pictures. What an older
/// program wrote down there alone comes first.
pub(crate) async fn collect(
    directory: &Directory,
    run: &Run<'_>,
    sources: &Sources,
) -> Result<Vec<VisitRecord>, Error> {
    let mut found: Vec<VisitRecord> = of_campaign(sources.aggregator.as_ref(), run.campaign).await?;
    found.retain(|visit| run.jobs.iter().any(|job| job.id.as_str() == visit.crawler));
    let known: HashSet<(String, u64)> = found.iter().map(VisitRecord::place).collect();
    let file = |source| Error::File { action: "read what was seen".to_owned(), source };
    // Only a run of this machine has a past of its own here; whatever else stands there is made again.
    let is_run = directory.join(SETTINGS).exists();
    let mut all = if is_run { read(directory.path()).map_err(file)? } else { Vec::new() };
    all.retain(|visit| !known.contains(&visit.place()));
    all.extend(found);
    let mut lines = Vec::new();
    for visit in &all {
        let written = serde_json::to_writer(&mut lines, visit);
        written.map_err(|source| Error::Encode { action: "encode what was seen", source })?;
        lines.push(b'\n');
    }
    directory.write(VISITS, &lines)?;
    for visit in &all {
        let Some(picture) = &visit.picture else { continue };
        let name = format!("{PICTURES}/{}.png", visit.state.0);
        if !(is_run && directory.join(&name).exists())
            && let Some(png) = sources.blobs.get(picture).await?
        {
            directory.write(&name, &png)?;
        }
    }
    Ok(all)
}

/// What was seen, from the directory of a run, in order. A last line that was cut off by the end of the process is left out.
///
/// # Errors
/// When the file is there and cannot be read.
pub fn read(directory: &Path) -> io::Result<Vec<VisitRecord>> {
    match std::fs::read_to_string(directory.join(VISITS)) {
        Ok(text) => Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}
