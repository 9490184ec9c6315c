//! Metrics for Prometheus. Rooms declare theirs as [`Metric`] constants, with unit and help; one [`Metrics`] per
//! process hands out the counters and renders all as text. Nothing here is global.

use parking_lot::{Mutex, MutexGuard};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge;
use prometheus_client::metrics::histogram;
use prometheus_client::registry::{Registry, Unit as Exposed};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// A metric: its name, help and labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Lower case with underscores, without unit and without `_total`: both are appended.
    pub name: &'static str,
    /// What it is measured in.
    pub unit: Unit,
    /// A sentence for people, without its full stop.
    pub help: &'static str,
    /// Names of its labels. Their values must be few.
    pub labels: &'static [&'static str],
}

/// What a figure is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Things.
    Count,
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// US dollars.
    UsDollars,
    /// A part of one.
    Ratio,
}

/// Upper bounds of buckets, in seconds.
pub const SECONDS: [f64; 14] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0, 300.0];

type Labels = Vec<(&'static str, String)>;
type CounterOf = counter::Counter<f64, AtomicU64>;
type GaugeOf = gauge::Gauge<f64, AtomicU64>;
type Build = fn() -> histogram::Histogram;

/// Goes up only. Clones share it.
#[derive(Clone, Debug)]
pub struct Counter {
    names: &'static [&'static str],
    family: Family<Labels, CounterOf>,
}

/// Goes up and down. Clones share it.
#[derive(Clone, Debug)]
pub struct Gauge {
    names: &'static [&'static str],
    family: Family<Labels, GaugeOf>,
}

/// Distribution of values over [`SECONDS`]. Clones share it.
#[derive(Clone, Debug)]
pub struct Histogram {
    names: &'static [&'static str],
    family: Family<Labels, histogram::Histogram, Build>,
}

impl Counter {
    /// Adds, for label values in the order of the metric's labels.
    pub fn add(&self, values: &[&str], count: f64) {
        self.family.get_or_create(&labels(self.names, values)).inc_by(count);
    }
}

impl Gauge {
    /// Sets, for label values in the order of the metric's labels.
    pub fn set(&self, values: &[&str], value: f64) {
        self.family.get_or_create(&labels(self.names, values)).set(value);
    }
}

impl Histogram {
    /// Counts a value in, for label values in the order of the metric's labels.
    pub fn observe(&self, values: &[&str], value: f64) {
        self.family.get_or_create(&labels(self.names, values)).observe(value);
    }
}

fn labels(names: &'static [&'static str], values: &[&str]) -> Labels {
    debug_assert_eq!(names.len(), values.len(), "each of the labels {names:?} has a value");
    names.iter().copied().zip(values.iter().map(|value| (*value).to_owned())).collect()
}

/// The metrics of a process. Clones share them.
#[derive(Clone, Default)]
pub struct Metrics {
    inner: Arc<Mutex<Families>>,
}

#[derive(Default)]
struct Families {
    registry: Registry,
    known: BTreeMap<&'static str, Registered>,
}

enum Registered {
    Counter(Counter),
    Gauge(Gauge),
    Histogram(Histogram),
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.locked().known.keys()).finish()
    }
}

impl Metrics {
    /// The counter of a metric; the same one for whoever asks again.
    pub fn counter(&self, metric: &Metric) -> Counter {
        let mut inner = self.locked();
        if let Some(Registered::Counter(counter)) = inner.known.get(metric.name) {
            return counter.clone();
        }
        let counter = Counter { names: metric.labels, family: Family::default() };
        inner.register(metric, counter.family.clone());
        inner.known.insert(metric.name, Registered::Counter(counter.clone()));
        counter
    }

    /// The gauge of a metric; the same one for whoever asks again.
    pub fn gauge(&self, metric: &Metric) -> Gauge {
        let mut inner = self.locked();
        if let Some(Registered::Gauge(gauge)) = inner.known.get(metric.name) {
            return gauge.clone();
        }
        let gauge = Gauge { names: metric.labels, family: Family::default() };
        inner.register(metric, gauge.family.clone());
        inner.known.insert(metric.name, Registered::Gauge(gauge.clone()));
        gauge
    }

    /// The histogram of a metric; the same one for whoever asks again.
    pub fn histogram(&self, metric: &Metric) -> Histogram {
        let mut inner = self.locked();
        if let Some(Registered::Histogram(histogram)) = inner.known.get(metric.name) {
            return histogram.clone();
        }
        let build: Build = || histogram::Histogram::new(SECONDS);
        let histogram = Histogram { names: metric.labels, family: Family::new_with_constructor(build) };
        inner.register(metric, histogram.family.clone());
        inner.known.insert(metric.name, Registered::Histogram(histogram.clone()));
        histogram
    }

    /// All figures as OpenMetrics text.
    pub fn render(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.locked().registry);
        text
    }

    fn locked(&self) -> MutexGuard<'_, Families> {
        self.inner.lock()
    }
}

impl Families {
    fn register(&mut self, metric: &Metric, family: impl prometheus_client::registry::Metric) {
        let unit = match metric.unit {
            Unit::Count => return self.registry.register(metric.name, metric.help, family),
            Unit::Seconds => Exposed::Seconds,
            Unit::Bytes => Exposed::Bytes,
            Unit::UsDollars => Exposed::Other("usd".to_owned()),
            Unit::Ratio => Exposed::Ratios,
        };
        self.registry.register_with_unit(metric.name, metric.help, unit, family);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALLS: Metric =
        Metric { name: "rutter_calls", unit: Unit::Count, help: "Calls answered", labels: &["method"] };
    const TIME: Metric =
        Metric { name: "rutter_call", unit: Unit::Seconds, help: "Time of calls", labels: &["method"] };
    const COST: Metric = Metric { name: "rutter_cost", unit: Unit::UsDollars, help: "What models cost", labels: &[] };

    #[test]
    fn figures_are_rendered_with_their_unit_their_help_and_their_labels() {
        let metrics = Metrics::default();
        metrics.counter(&CALLS).add(&["claim"], 2.0);
        metrics.counter(&CALLS).add(&["claim"], 1.0);
        metrics.gauge(&COST).set(&[], 0.25);
        metrics.histogram(&TIME).observe(&["claim"], 0.003);
        let text = metrics.render();
        for line in [
            "# HELP rutter_calls Calls answered.",
            "# TYPE rutter_calls counter",
            "rutter_calls_total{method=\"claim\"} 3.0",
            "# UNIT rutter_cost_usd usd",
            "rutter_cost_usd{} 0.25",
            "rutter_call_seconds_bucket{le=\"0.0025\",method=\"claim\"} 0",
            "rutter_call_seconds_bucket{le=\"0.005\",method=\"claim\"} 1",
            "# EOF",
        ] {
            assert!(text.lines().any(|found| found == line), "`{line}` is missing in:\n{text}");
        }
    }
}
