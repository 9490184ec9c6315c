//! Observes every fence and permission given, and reports violations.

use domain::campaign::{Grant, Rate, Ticket};
use parking_lot::{Mutex, MutexGuard};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// Everything observed. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Witness(Arc<Mutex<WitnessState>>);

#[derive(Default)]
struct WitnessState {
    claims: BTreeSet<Ticket>,
    permissions: BTreeMap<String, (Rate, Vec<Duration>)>,
    violations: Vec<String>,
}

impl Witness {
    /// A claim was answered.
    pub(super) fn granted(&self, grants: &[Grant]) {
        let mut seen = self.seen();
        for ticket in grants.iter().map(Grant::ticket) {
            let Ticket { campaign, job, fence } = &ticket;
            let said = format!("fence {} of job {campaign}/{job} was given twice", fence.0);
            if !seen.claims.insert(ticket) {
                seen.violations.push(said);
            }
        }
    }

    /// A page load of a host was permitted.
    pub(super) fn permitted(&self, host: &str, rate: Rate, now: Duration) {
        let mut seen = self.seen();
        seen.permissions.entry(host.to_owned()).or_insert_with(|| (rate, Vec::new())).1.push(now);
    }

    /// Something else that must not have been.
    pub(super) fn violated(&self, what: String) {
        self.seen().violations.push(what);
    }

    /// Everything that must not have been.
    pub(super) fn violations(&self) -> Vec<String> {
        let seen = self.seen();
        let mut violations = seen.violations.clone();
        violations.extend(seen.permissions.iter().filter_map(|(host, (rate, given))| too_fast(host, *rate, given)));
        violations
    }

    fn seen(&self) -> MutexGuard<'_, WitnessState> {
        self.0.lock()
    }
}

/// Checks that no interval has more permissions than the burst plus the rate allow.
fn too_fast(host: &str, rate: Rate, given: &[Duration]) -> Option<String> {
    for (first, from) in given.iter().enumerate() {
        for (last, to) in given.iter().enumerate().skip(first) {
            let count = last - first + 1;
            let seconds = (*to - *from).as_secs_f64();
            if count as f64 > f64::from(rate.burst) + rate.per_second * seconds + 1e-6 {
                let Rate { per_second, burst } = rate;
                return Some(format!(
                    "host {host} was visited {count} times within {seconds} s, at a rate of {per_second} per second with a \
                     burst of {burst}"
                ));
            }
        }
    }
    None
}
