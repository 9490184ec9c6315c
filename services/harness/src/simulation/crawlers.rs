//! The crawlers of a cluster: the real worker, with made-up browsers.

use super::clock::SimulatedClock;
use super::site::{Browsers, CountUp, Counted};
use super::world::World;
use super::{Kind, Options};
use crate::faults::{Faulty, Life, Link, Schedule};
use backends::Journal;
use crawler::JournalRecorder;
use crawler::worker::{Dependencies, Options as CrawlerOptions, StopSignals, work};
use domain::storage::shared::RateLimit;
use platform::clock::Clock;
use platform::spawn;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::unbounded_channel;
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// Jobs that one crawler attempts at the same time.
const SLOTS: usize = 2;

/// One crawler.
pub(super) struct Crawler {
    name: String,
    clock: SimulatedClock,
    rest: StopSignals,
    life: Life,
    running: Option<JoinHandle<()>>,
}

impl Crawler {
    pub(super) fn hire(world: &World, index: usize) -> Self {
        let (rest, life) = (StopSignals::default(), Life::default());
        let mut crawler =
            Self { name: format!("crawler-{index}"), clock: world.clock.another(), rest, life, running: None };
        crawler.start(world);
        crawler
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn clock(&self) -> &SimulatedClock {
        &self.clock
    }

    /// Starts it unless it runs; one that is shutting down runs beside it until it has ended.
    pub(super) fn start(&mut self, world: &World) {
        let is_asked_to_end = self.rest.drain.is_cancelled() || self.rest.interrupt.is_cancelled();
        if self.running.is_some() && !is_asked_to_end {
            return;
        }
        (self.rest, self.life) = (StopSignals::default(), Life::default());
        let (crew, ways, rest) = (self.crew(world), self.ways(), self.rest.clone());
        self.running = Some(spawn::detached("crawler", async move {
            let studies = keep_working(&crew, ways.of_studies(), &rest);
            futures::future::join(keep_working(&crew, ways, &rest), studies).await;
        }));
    }

    fn crew(&self, world: &World) -> Dependencies {
        let World { schedule, witness, column, .. } = world;
        let link = Link::new(schedule.clone(), &self.name, self.life.clone());
        let clock: Arc<dyn Clock> = Arc::new(self.clock.clone());
        let log = Arc::new(Faulty::new(Arc::new(column.log.clone()), link.clone()));
        let blobs = Arc::new(Faulty::new(Arc::clone(&column.blobs), link.clone()));
        let counted =
            Counted { limiter: Arc::clone(&column.limiter), witness: witness.clone(), clock: Arc::clone(&clock) };
        let limiter: Arc<dyn RateLimit> = Arc::new(Faulty::new(Arc::new(counted), link));
        let pages = Browsers { limiter, schedule: schedule.clone(), trouble: trouble(&world.options) };
        Dependencies {
            campaigns: world.queue_of(&self.name, &self.life),
            recorder: Arc::new(JournalRecorder::new(Journal::new(log, Arc::clone(&clock)), blobs)),
            pages: Arc::new(pages),
            assignments: Arc::new(CountUp { planners: world.planners_of(&self.name, &self.life) }),
            clock,
        }
    }

    fn ways(&self) -> CrawlerOptions {
        CrawlerOptions {
            slots: SLOTS,
            idle: Duration::from_millis(200),
            heartbeat: Duration::from_millis(900),
            ..CrawlerOptions::new(&self.name)
        }
    }

    /// Ends it at once, in the middle of whatever it does.
    pub(super) fn kill(&mut self) {
        self.life.end();
        if let Some(running) = self.running.take() {
            running.abort();
        }
    }

    /// Asks it to end: after its attempts, or by giving them back.
    pub(super) fn stop(&mut self, schedule: &Schedule) {
        if schedule.happens(0.5) { self.rest.drain.cancel() } else { self.rest.interrupt.cancel() }
    }
}

/// Works until asked to end.
async fn keep_working(crew: &Dependencies, ways: CrawlerOptions, rest: &StopSignals) {
    while !rest.drain.is_cancelled() && !rest.interrupt.is_cancelled() {
        let (news, _) = unbounded_channel();
        if work(crew.clone(), ways.clone(), news, rest.clone()).await.is_err() {
            // A supervisor would restart a crawler that gave up.
            sleep(Duration::from_millis(500)).await;
        }
    }
}

fn trouble(options: &Options) -> f64 {
    if options.has(Kind::Browser) { 0.04 } else { 0.0 }
}
