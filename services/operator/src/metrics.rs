//! Figures of the operator. With the backlog, KEDA or a HorizontalPodAutoscaler can scale what no fleet does.

use crate::fleet::Backlog;
use platform::Metrics;
use platform::metrics::{Counter, Gauge, Metric, Unit};

/// Jobs under way and jobs that could begin now.
pub(crate) const BACKLOG: Metric = Metric {
    name: "rutter_operator_backlog",
    unit: Unit::Count,
    help: "Jobs under way or that could begin now if there were slots, by class: what browsers can be scaled by",
    labels: &["class", "state"],
};

/// Jobs that more browsers would not speed up.
pub(crate) const HELD: Metric = Metric {
    name: "rutter_operator_held_by_rates",
    unit: Unit::Count,
    help: "Jobs that wait for the polite rate of their host, which more browsers would not speed up",
    labels: &[],
};

/// How often a resource was looked at.
pub(crate) const RECONCILED: Metric = Metric {
    name: "rutter_operator_reconciliations",
    unit: Unit::Count,
    help: "Times that a resource was looked at, by kind and whether that worked",
    labels: &["kind", "result"],
};

/// Writes to the API server.
pub(crate) const WRITES: Metric = Metric {
    name: "rutter_operator_writes",
    unit: Unit::Count,
    help: "Changes that were written to the API server, by kind of resource; none while nothing changes",
    labels: &["kind"],
};

/// The figures.
#[derive(Clone, Debug)]
pub(crate) struct Figures {
    backlog: Gauge,
    held: Gauge,
    reconciled: Counter,
    writes: Counter,
}

impl Figures {
    /// Figures that are told by these metrics.
    pub(crate) fn new(metrics: &Metrics) -> Self {
        Self {
            backlog: metrics.gauge(&BACKLOG),
            held: metrics.gauge(&HELD),
            reconciled: metrics.counter(&RECONCILED),
            writes: metrics.counter(&WRITES),
        }
    }

    /// Tells what waits.
    pub(crate) fn tell(&self, backlog: &Backlog) {
        use crate::api::campaign::Class::{Background, Interactive, Scheduled};
        for (class, name) in [(Interactive, "interactive"), (Scheduled, "scheduled"), (Background, "background")] {
            let work = backlog.classes.get(&class).copied().unwrap_or_default();
            self.backlog.set(&[name, "running"], work.running as f64);
            self.backlog.set(&[name, "ready"], work.ready as f64);
        }
        self.held.set(&[], backlog.held_by_rates as f64);
    }

    /// Counts a look at a resource.
    pub(crate) fn reconciled(&self, kind: &str, worked: bool) {
        self.reconciled.add(&[kind, if worked { "ok" } else { "failed" }], 1.0);
    }

    /// Counts a write.
    pub(crate) fn wrote(&self, kind: &str) {
        self.writes.add(&[kind], 1.0);
    }
}
