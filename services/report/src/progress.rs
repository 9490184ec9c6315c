//! How an exploration goes while it goes on: states, faults and coverage so far, from what the ledger hears.
//!
//! Crawlers name what they see by their own clocks, so that a record may come after one that is named later. Those of the last half
//! minute are asked for again each time.

use crate::coverage::{Look, LookRecord, Measured, ScriptLook};
use crate::visits::VisitRecord;
use domain::coverage::JsFigures;
use domain::ledger::PageVisit;
use domain::service::{AggregatorService, ServiceError};
use domain::{CampaignId, Fault};
use evaluation::faults::{FaultSighting, deduplicated};
use std::collections::BTreeSet;
use uuid::Uuid;

/// Records read with one call.
const AT_ONCE: usize = 200;

/// By how much the clocks of crawlers may differ, and a record be late, in milliseconds.
const LATE_MS: u64 = 30_000;

/// The least id: everything comes after it, and the ledger does not wait for what is under way.
const FIRST: &str = "0";

/// How far an exploration is.
#[derive(Debug, Default)]
pub struct Progress {
    states: usize,
    faults: Vec<Fault>,
    /// The latest look at the lines of the application: when, how many there are, how many ran.
    lines: Option<(f64, u64, u64)>,
    /// What the browser with the most of it ran of JavaScript.
    scripts: Option<JsFigures>,
    /// Ids that may be told again.
    heard: BTreeSet<String>,
    latest_ms: u64,
}

impl Progress {
    /// Hears what is new.
    ///
    /// # Errors
    /// Of the ledger.
    pub async fn hear(&mut self, ledger: &dyn AggregatorService, campaign: &CampaignId) -> Result<(), ServiceError> {
        let mut after = self.begin();
        loop {
            let page = ledger.visits(campaign, Some(&after), AT_ONCE).await?;
            self.add(&page);
            match page.last() {
                Some(last) if page.len() == AT_ONCE => after = last.id.clone(),
                _ => break,
            }
        }
        let begin = self.begin();
        self.heard.retain(|id| *id > begin);
        Ok(())
    }

    /// After which id it is asked again.
    fn begin(&self) -> String {
        match self.latest_ms.checked_sub(LATE_MS) {
            Some(ms) => uuid::Builder::from_unix_timestamp_millis(ms, &[0; 10]).into_uuid().to_string(),
            None => FIRST.to_owned(),
        }
    }

    fn add(&mut self, page: &[PageVisit]) {
        for visit in page {
            if !self.heard.insert(visit.id.clone()) {
                continue;
            }
            let (seconds, nanos) =
                Uuid::parse_str(&visit.id).ok().and_then(|id| id.get_timestamp()).map_or((0, 0), |at| at.to_unix());
            self.latest_ms = self.latest_ms.max(seconds * 1000 + u64::from(nanos) / 1_000_000);
            if let Ok(seen) = serde_json::from_str::<VisitRecord>(&visit.record) {
                self.saw(seen);
            } else if let Ok(look) = serde_json::from_str::<LookRecord>(&visit.record) {
                self.looked(look);
            }
        }
    }

    fn saw(&mut self, seen: VisitRecord) {
        self.states += usize::from(seen.is_new);
        if seen.faults.is_empty() {
            return;
        }
        self.faults.extend(seen.faults);
        let sighted = self.faults.iter().map(|fault| FaultSighting { fault, place: () });
        self.faults = deduplicated(sighted).into_iter().map(|distinct| distinct.fault.clone()).collect();
    }

    fn looked(&mut self, record: LookRecord) {
        let at = record.epoch_s();
        match record.look {
            Look::Lines(found) if self.lines.is_none_or(|(known, ..)| known <= at) => {
                self.lines = Some((at, found.lines, found.covered));
            }
            Look::Scripts(ScriptLook { figures, .. }) => {
                let most = self.scripts.as_ref().map_or(0, |figures| figures.bytes_covered);
                if figures.bytes_covered >= most {
                    self.scripts = Some(figures);
                }
            }
            Look::Lines(_) | Look::Trouble(_) => {}
        }
    }

    /// Takes over what this process measures itself.
    pub fn measured(&mut self, measured: &Measured) {
        if let Some(last) = measured.lines.last() {
            self.lines = Some((last.at_s, last.lines, last.covered));
        }
        self.scripts = measured.scripts.last().map(|last| last.figures.clone()).or(self.scripts.take());
    }

    /// What there is to say, in a few words; nothing before anything was seen.
    pub fn told(&self) -> String {
        if self.states == 0 {
            return String::new();
        }
        let mut told = format!("{}, {}", counted(self.states, "state"), counted(self.faults.len(), "fault"));
        if let Some((_, lines, covered)) = self.lines {
            told.push_str(&format!(", {covered} of {lines} lines"));
        }
        if let Some(JsFigures { bytes, bytes_covered, .. }) = self.scripts.as_ref().filter(|figures| figures.bytes > 0)
        {
            told.push_str(&format!(", {:.0} % of JavaScript", *bytes_covered as f64 * 100.0 / *bytes as f64));
        }
        told
    }
}

fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::LineLook;
    use domain::{BlobRef, JobId};

    fn record(id: &str, record: serde_json::Value) -> PageVisit {
        let (campaign, job) = (CampaignId::new("run"), JobId::new("guest/1"));
        PageVisit { campaign, job, id: id.to_owned(), record: record.to_string() }
    }

    fn id(ms: u64) -> String {
        uuid::Builder::from_unix_timestamp_millis(ms, &[7; 10]).into_uuid().to_string()
    }

    #[test]
    fn what_is_told_twice_counts_once_and_the_latest_look_counts() {
        let seen = serde_json::to_value(VisitRecord::example()).unwrap();
        let known = serde_json::to_value(VisitRecord { is_new: false, ..VisitRecord::example() }).unwrap();
        let look = |at_s: f64, covered: u64| {
            let lines = LineLook { lines: 40, covered, files: BlobRef::new("files") };
            let (crawler, session) = ("guest/1".to_owned(), "session".to_owned());
            serde_json::to_value(LookRecord { crawler, session, began_ms: 1000, at_s, look: Look::Lines(lines) })
                .unwrap()
        };
        let mut progress = Progress::default();
        assert_eq!(progress.told(), "");
        let page =
            [record(&id(100_000), seen.clone()), record(&id(100_001), known), record(&id(100_002), look(9.0, 30))];
        progress.add(&page);
        progress.add(&page);
        assert_eq!(progress.told(), "1 state, 0 faults, 30 of 40 lines");
        progress.add(&[record(&id(99_000), seen), record(&id(100_003), look(2.0, 10))]);
        assert_eq!(progress.told(), "2 states, 0 faults, 30 of 40 lines");
        assert_eq!(progress.latest_ms, 100_003);
        assert!(progress.begin() < id(70_004) && progress.begin() > id(70_002));
    }
}
