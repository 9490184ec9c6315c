//! How long each hop takes: exactly, from what attempts wrote down of themselves, and by bounds, from the figures that
//! servers show of the calls they answered.

use crate::follow::Course;
use crate::log::Records;
use anyhow::{Context, Result};
use domain::JobId;
use std::collections::BTreeMap;
use std::time::SystemTime;

/// What servers call the time until a call's answer began.
const ANSWERED: &str = "rutter_rpc_server_seconds_bucket{";

/// A hop.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hop {
    /// From where to where.
    pub(crate) name: String,
    /// How often it was gone.
    pub(crate) count: u64,
    /// Median.
    pub(crate) p50: Time,
    /// What one in a hundred exceeds.
    pub(crate) p99: Time,
    /// Whether the numbers are those of buckets, with what lies within a bucket in proportion.
    pub(crate) by_buckets: bool,
}

/// A time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Time {
    pub(crate) ms: f64,
    /// Whether it is only known to be no more than that: it lies in the lowest bucket.
    pub(crate) is_at_most: bool,
}

/// What a job waits for, a slot above all: it says how long the queue was, and nothing of how fast the queue is.
const WAITED: &str = "handed in → first attempt begun (the queue is long: waiting for a slot)";

/// What is only known as often as is looked. Times in the log are from before the append, so that it is part of this.
const TO_QUEUE: &str = "outcome written → known to the queue (age of the oldest that is not, at looks 1 s apart)";
const TO_LEDGER: &str = "outcome written → known to the ledger (age of the oldest that is not, at looks 1 s apart)";

/// All hops of a run.
///
/// # Errors
/// A server does not show its figures.
pub(crate) async fn hops(
    records: &Records,
    handed_in: &BTreeMap<JobId, SystemTime>,
    course: &Course,
    admins: &[String],
) -> Result<Vec<Hop>> {
    let mut exact = vec![(WAITED, records.waited(handed_in))];
    exact.extend(records.hops());
    exact.push((TO_QUEUE, records.behind(&course.known_to_queue)));
    exact.push((TO_LEDGER, records.behind(&course.known_to_ledger)));
    let mut hops: Vec<Hop> = exact.into_iter().filter_map(|(name, times)| exactly(name.to_owned(), times)).collect();
    for admin in admins {
        let answer = reqwest::get(format!("{admin}/metrics")).await.context("ask a role for its figures")?;
        hops.extend(of_calls(&answer.text().await.context("read a role's figures")?));
    }
    Ok(hops)
}

fn exactly(name: String, mut times: Vec<f64>) -> Option<Hop> {
    times.sort_by(f64::total_cmp);
    let at = |part: f64| {
        let ms = *times.get(((times.len().checked_sub(1)?) as f64 * part).round() as usize)?;
        Some(Time { ms, is_at_most: false })
    };
    Some(Hop { name, count: times.len() as u64, p50: at(0.5)?, p99: at(0.99)?, by_buckets: false })
}

/// The calls that a server answered, by their methods.
fn of_calls(figures: &str) -> Vec<Hop> {
    let mut calls: BTreeMap<String, Vec<(f64, u64)>> = BTreeMap::new();
    for line in figures.lines().filter_map(|line| line.strip_prefix(ANSWERED)) {
        let Some((labels, count)) = line.rsplit_once("} ") else { continue };
        let of = |label: &str| labels.split_once(&format!("{label}=\""))?.1.split('"').next();
        let (Some(method), Some(bound), Ok(count)) = (of("method"), of("le"), count.parse()) else { continue };
        let bound = bound.parse().unwrap_or(f64::INFINITY);
        calls.entry(method.to_owned()).or_default().push((bound, count));
    }
    calls.retain(|method, _| method.starts_with("/rutter."));
    calls.into_iter().filter_map(|(method, buckets)| by_buckets(&method, &buckets)).collect()
}

fn by_buckets(method: &str, buckets: &[(f64, u64)]) -> Option<Hop> {
    let count = buckets.last()?.1;
    let name = format!("call {}", method.rsplit('.').next()?);
    Some(Hop { name, count, p50: quantile(buckets, 0.5)?, p99: quantile(buckets, 0.99)?, by_buckets: true })
}

/// The time that a part of all lies below, with what lies within a bucket in proportion; of the lowest bucket its bound, since
/// nothing is known of where in it most are. Bounds are in seconds, and counts include those of the buckets before.
fn quantile(buckets: &[(f64, u64)], part: f64) -> Option<Time> {
    let wanted = buckets.last()?.1 as f64 * part;
    let mut from = (0.0, 0.0);
    for (bound, count) in buckets {
        let to = (*bound, *count as f64);
        if to.1 >= wanted && to.1 > from.1 {
            let is_at_most = from.0 == 0.0 && bound.is_finite();
            let within = if is_at_most { 1.0 } else { (wanted - from.1) / (to.1 - from.1) };
            let seconds = if bound.is_finite() { from.0 + (to.0 - from.0) * within } else { from.0 };
            return Some(Time { ms: seconds * 1000.0, is_at_most });
        }
        from = to;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read_from_a_servers_figures() {
        let figures = "# TYPE rutter_rpc_server_seconds histogram\n\
            rutter_rpc_server_seconds_bucket{le=\"0.001\",method=\"/rutter.v1.CampaignService/Claim\"} 50\n\
            rutter_rpc_server_seconds_bucket{le=\"0.0025\",method=\"/rutter.v1.CampaignService/Claim\"} 98\n\
            rutter_rpc_server_seconds_bucket{le=\"+Inf\",method=\"/rutter.v1.CampaignService/Claim\"} 100\n\
            rutter_rpc_server_seconds_bucket{le=\"+Inf\",method=\"/grpc.health.v1.Health/Check\"} 3\n";
        let hops = of_calls(figures);
        assert_eq!(hops.len(), 1);
        assert_eq!((hops[0].name.as_str(), hops[0].count), ("call CampaignService/Claim", 100));
        let bounded = |ms| Time { ms, is_at_most: false };
        assert_eq!((hops[0].p50, hops[0].p99), (Time { ms: 1.0, is_at_most: true }, bounded(2.5)));
    }

    #[test]
    fn what_lies_in_the_lowest_bucket_is_known_by_its_bound_only() {
        let buckets = [(0.001, 90), (0.003, 100), (f64::INFINITY, 100)];
        assert_eq!(quantile(&buckets, 0.5), Some(Time { ms: 1.0, is_at_most: true }));
        assert_eq!(quantile(&buckets, 0.95), Some(Time { ms: 2.0, is_at_most: false }));
    }

    #[test]
    fn exact_times_need_no_buckets() {
        let hop = exactly("x".to_owned(), (0..=100).rev().map(f64::from).collect()).unwrap();
        assert_eq!((hop.p50.ms, hop.p99.ms, hop.p50.is_at_most), (50.0, 99.0, false));
        assert_eq!(exactly("nothing".to_owned(), Vec::new()), None);
    }
}
