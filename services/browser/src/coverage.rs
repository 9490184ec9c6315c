//! What of a site's JavaScript has run, as DevTools tells it: united over pages, profiles and sessions.
//!
//! A script is told by its address, without query and fragment, and by its length: what is loaded again is the same script.
//! Counts are those of V8: a *byte* is a UTF-16 unit of the source, and a function that stands inside of one that was never
//! compiled is not known yet, so that totals grow. Never asks a browser itself; that is the wire's part.

mod scripts;

pub use domain::coverage::{JsFigures, ScriptFigures};

use parking_lot::{Mutex, MutexGuard};
use scripts::{Report, Scripts};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// The coverage of one exploration; every profile that is given a clone adds to it.
#[derive(Clone, Debug, Default)]
pub struct JsCoverage(Arc<Mutex<Ledger>>);

#[derive(Debug, Default, Serialize, Deserialize)]
struct Ledger {
    scripts: Scripts,
    /// Why a profile could not count.
    unavailable: Option<String>,
}

impl JsCoverage {
    /// Goes on with what [`JsCoverage::to_json`] gave.
    ///
    /// # Errors
    /// When it is something else.
    pub fn from_json(json: &[u8]) -> Result<JsCoverage, serde_json::Error> {
        Ok(JsCoverage(Arc::new(Mutex::new(serde_json::from_slice(json)?))))
    }

    /// Everything that is known, to go on with later.
    ///
    /// # Errors
    /// None that is known of.
    pub fn to_json(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(&*self.lock())
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

    /// Why a session could not count, where one could not: it offers no DevTools.
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

    fn lock(&self) -> MutexGuard<'_, Ledger> {
        self.0.lock()
    }
}
