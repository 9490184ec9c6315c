//! Coverage of a site's JavaScript, as DevTools reports it, united over pages, profiles and sessions.
//!
//! A script is identified by its address, without query and fragment, and by its length, so a reloaded script counts
//! once. Counts are V8's: a *byte* is a UTF-16 unit of the source. V8 does not report functions inside a function that
//! it never compiled, so totals grow. This module never calls a browser; the wire does.

mod scripts;

pub use domain::coverage::{JsFigures, ScriptFigures};

use parking_lot::{Mutex, MutexGuard};
use scripts::{Report, Scripts};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// Coverage of one exploration. Clones share it; every profile adds to its clone.
#[derive(Clone, Debug, Default)]
pub struct JsCoverage(Arc<Mutex<Totals>>);

#[derive(Debug, Default, Serialize, Deserialize)]
struct Totals {
    scripts: Scripts,
    /// Why a profile could not collect coverage.
    unavailable: Option<String>,
}

impl JsCoverage {
    /// Restores coverage from [`JsCoverage::to_json`].
    ///
    /// # Errors
    /// When the JSON has another form.
    pub fn from_json(json: &[u8]) -> Result<JsCoverage, serde_json::Error> {
        Ok(JsCoverage(Arc::new(Mutex::new(serde_json::from_slice(json)?))))
    }

    /// Serializes everything collected, to resume later.
    ///
    /// # Errors
    /// None is expected.
    pub fn to_json(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(&*self.lock())
    }

    /// Adds what browsers of another process collected, at the same site or an earlier time.
    ///
    /// # Errors
    /// When the JSON is not that of [`JsCoverage::to_json`].
    pub fn merge_json(&self, json: &[u8]) -> Result<(), serde_json::Error> {
        let other: Totals = serde_json::from_slice(json)?;
        let mut totals = self.lock();
        totals.scripts.merge(other.scripts);
        totals.unavailable = totals.unavailable.take().or(other.unavailable);
        Ok(())
    }

    /// What is covered so far, of all scripts together.
    pub fn figures(&self) -> JsFigures {
        let mut sum = JsFigures::default();
        for script in self.lock().scripts.figures() {
            sum.functions += script.figures.functions;
            sum.functions_covered += script.figures.functions_covered;
            sum.bytes += script.figures.bytes;
            sum.bytes_covered += script.figures.bytes_covered;
        }
        sum
    }

    /// What is covered so far of each script, by address.
    pub fn scripts(&self) -> Vec<ScriptFigures> {
        self.lock().scripts.figures().collect()
    }

    /// Why coverage could not be collected, e.g. because a session offers no DevTools.
    pub fn unavailable(&self) -> Option<String> {
        self.lock().unavailable.clone()
    }

    pub(crate) fn cannot_count(&self, cause: String) {
        self.lock().unavailable.get_or_insert(cause);
    }

    /// Adds the answer of DevTools to `Profiler.takePreciseCoverage` in a tab. Addresses are cleaned before they are kept.
    pub(crate) fn add(&self, tab: &str, answer: Value, clean: impl Fn(&mut String)) {
        match serde_json::from_value::<Report>(answer) {
            Ok(report) => self.lock().scripts.add(tab, report, clean),
            Err(error) => tracing::warn!(%error, "the browser's report of what scripts ran is not understood"),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Totals> {
        self.0.lock()
    }
}
