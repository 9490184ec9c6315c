//! Metrics of a crawler: results of attempts and slots in use. Counted by decorators over its dependencies, so the
//! worker itself does not count.

use crate::assignment::{PageSource, Profile};
use crate::recorder::Recorder;
use crate::worker::Dependencies;
use async_trait::async_trait;
use domain::campaign::{Campaign, Closing, Ticket};
use domain::decision::Screenshot;
use domain::page::{Page, PageError};
use domain::storage::StorageError;
use domain::{BlobRef, EpisodeId, Job, Step, Trajectory};
use parking_lot::Mutex;
use platform::metrics::{Counter, Gauge, Metric, Metrics, Unit};
use std::sync::Arc;

/// Judged attempts.
pub const ATTEMPTS: Metric =
    Metric { name: "rutter_attempts", unit: Unit::Count, help: "Judged attempts, by verdict", labels: &["verdict"] };

/// Lost attempts.
pub const LOST: Metric = Metric {
    name: "rutter_lost_attempts",
    unit: Unit::Count,
    help: "Attempts that were lost before they could be judged, by failure",
    labels: &["failure"],
};

/// Times that there was no browser.
pub const NO_SLOTS: Metric = Metric {
    name: "rutter_no_slots",
    unit: Unit::Count,
    help: "Times that no browser was to be had for a job, which is given back then and counts as no attempt",
    labels: &[],
};

/// Steps.
pub const STEPS: Metric = Metric { name: "rutter_steps", unit: Unit::Count, help: "Executed actions", labels: &[] };

/// Slots there are.
pub const SLOTS: Metric = Metric {
    name: "rutter_slots",
    unit: Unit::Count,
    help: "Jobs that this crawler attempts at the same time at most",
    labels: &[],
};

/// Slots in use.
pub const USED: Metric = Metric {
    name: "rutter_slots_used",
    unit: Unit::Count,
    help: "Browser profiles that jobs of this crawler hold now",
    labels: &[],
};

/// All of them.
pub const ALL: [Metric; 6] = [ATTEMPTS, LOST, NO_SLOTS, STEPS, SLOTS, USED];

/// Decorates a crawler's dependencies with metrics.
pub fn measured(dependencies: Dependencies, slots: usize, metrics: &Metrics) -> Dependencies {
    metrics.gauge(&SLOTS).set(&[], slots as f64);
    let used = SlotsInUse { count: Arc::default(), gauge: metrics.gauge(&USED) };
    used.change(0);
    let recorder = MeasuredRecorder {
        inner: dependencies.recorder,
        attempts: metrics.counter(&ATTEMPTS),
        lost: metrics.counter(&LOST),
        steps: metrics.counter(&STEPS),
    };
    let no_slots = metrics.counter(&NO_SLOTS);
    // Initialized to 0, so that the first event shows as an increase.
    no_slots.add(&[], 0.0);
    let pages = MeasuredPages { inner: dependencies.pages, used, no_slots };
    Dependencies { recorder: Arc::new(recorder), pages: Arc::new(pages), ..dependencies }
}

struct MeasuredRecorder {
    inner: Arc<dyn Recorder>,
    attempts: Counter,
    lost: Counter,
    steps: Counter,
}

#[async_trait]
impl Recorder for MeasuredRecorder {
    async fn step(&self, ticket: &Ticket, episode: EpisodeId, step: Step) -> Result<(), StorageError> {
        self.inner.step(ticket, episode, step).await?;
        self.steps.add(&[], 1.0);
        Ok(())
    }

    async fn picture(&self, picture: &Screenshot) -> Result<BlobRef, StorageError> {
        self.inner.picture(picture).await
    }

    async fn file(&self, content: &[u8]) -> Result<BlobRef, StorageError> {
        self.inner.file(content).await
    }

    async fn trajectory(&self, trajectory: &Trajectory) -> Result<BlobRef, StorageError> {
        self.inner.trajectory(trajectory).await
    }

    async fn close(&self, closing: Closing) -> Result<(), StorageError> {
        let (counter, label) = match &closing {
            Closing::Judged(outcome) => (Some(&self.attempts), outcome.verdict.kind.as_str()),
            Closing::Lost(lost) => (Some(&self.lost), lost.failure.as_str()),
            Closing::Quarantined { .. } | Closing::Cancelled { .. } | Closing::Reopened { .. } => (None, ""),
        };
        self.inner.close(closing).await?;
        if let Some(counter) = counter {
            counter.add(&[label], 1.0);
        }
        Ok(())
    }
}

/// Number of open profiles.
#[derive(Clone)]
struct SlotsInUse {
    count: Arc<Mutex<i64>>,
    gauge: Gauge,
}

impl SlotsInUse {
    fn change(&self, by: i64) {
        let mut count = self.count.lock();
        *count += by;
        self.gauge.set(&[], *count as f64);
    }
}

struct MeasuredPages {
    inner: Arc<dyn PageSource>,
    used: SlotsInUse,
    no_slots: Counter,
}

#[async_trait]
impl PageSource for MeasuredPages {
    async fn profile(&self, job: &Job, campaign: &Campaign) -> Result<Box<dyn Profile>, PageError> {
        let opened = self.inner.profile(job, campaign).await;
        if matches!(opened, Err(PageError::NoSlot(_))) {
            self.no_slots.add(&[], 1.0);
        }
        let inner = opened?;
        self.used.change(1);
        Ok(Box::new(MeasuredProfile { inner, held: InUseGuard(self.used.clone()) }))
    }
}

/// A profile that counts as in use until it is closed or dropped.
struct MeasuredProfile {
    inner: Box<dyn Profile>,
    held: InUseGuard,
}

struct InUseGuard(SlotsInUse);

impl Drop for InUseGuard {
    fn drop(&mut self) {
        self.0.change(-1);
    }
}

#[async_trait]
impl Profile for MeasuredProfile {
    fn page(&mut self) -> &mut dyn Page {
        self.inner.page()
    }

    async fn close(self: Box<Self>, is_sound: bool) {
        let Self { inner, held } = *self;
        inner.close(is_sound).await;
        drop(held);
    }
}
