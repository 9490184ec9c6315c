//! The cluster, and how one seed is played on it: set up, let things fail, let them heal, look.

use super::balancer::{Balancer, Balancers};
use super::check;
use super::client::Client;
use super::clock::SimulatedClock;
use super::column::Column;
use super::crawlers::Crawler;
use super::services::Service;
use super::witness::Witness;
use super::{Kind, Options, Report, chaos};
use crate::faults::{Faulty, Life, Link, Odds, Schedule, Trace};
use domain::service::{CampaignService, PlannerService};
use platform::spawn;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// Instances of each service.
const INSTANCES: usize = 2;
/// Crawlers.
const CRAWLERS: usize = 3;

/// For how long a cluster that is whole may need to end everything.
const PATIENCE: Duration = Duration::from_secs(600);

/// Everything there is.
pub(super) struct World {
    pub(super) options: Options,
    pub(super) clock: SimulatedClock,
    pub(super) trace: Trace,
    pub(super) schedule: Schedule,
    pub(super) witness: Witness,
    pub(super) column: Column,
    pub(super) balancers: Balancers,
    pub(super) services: Vec<Service>,
    pub(super) crawlers: Vec<Crawler>,
    pub(super) events: u64,
    /// What was killed in which stage of the campaign that has some.
    pub(super) killed: BTreeSet<(String, u32)>,
}

/// Plays one seed.
pub(super) async fn play(options: &Options) -> Report {
    let mut world = World::new(options);
    world.begin();
    let client = spawn::detached("client", Client::of(&world).hand_in());
    chaos::rage(&mut world).await;
    world.heal();
    if let Ok(Ok(())) = timeout(PATIENCE, client).await {
        world.come_to_rest().await;
    } else {
        world.witness.violated("the client could not hand its work in".to_owned());
    }
    check::everything(&world).await;
    let (redeliveries, lost_attempts) = check::figures(&world).await;
    Report {
        seed: options.seed,
        faults: options.faults.iter().copied().collect(),
        violations: world.witness.violations(),
        digest: world.trace.digest(),
        trace: world.trace.last(),
        struck: world.schedule.struck(),
        events: world.events,
        killed: world.killed,
        redeliveries,
        lost_attempts,
        unanswered: world.balancers.planner.unanswered(),
    }
}

impl World {
    fn new(options: &Options) -> Self {
        let clock = SimulatedClock::start();
        let trace = Trace::new(Arc::new(clock.clone()), options.trace);
        let schedule = Schedule::new(options.seed, trace.clone());
        let witness = Witness::default();
        let balancers = Balancers {
            queue: Arc::new(Balancer::new(INSTANCES, schedule.clone(), witness.clone())),
            planner: Arc::new(Balancer::new(INSTANCES, schedule.clone(), witness.clone())),
        };
        Self {
            options: options.clone(),
            column: (options.column)(&clock),
            services: Vec::new(),
            crawlers: Vec::new(),
            events: 0,
            killed: BTreeSet::new(),
            clock,
            trace,
            schedule,
            witness,
            balancers,
        }
    }

    /// Starts every component, and lets faults happen.
    fn begin(&mut self) {
        for index in 0..INSTANCES {
            self.services.push(Service::queue(self, index));
            self.services.push(Service::ledger(self, index));
            self.services.push(Service::planner(self, index));
        }
        for index in 0..CRAWLERS {
            self.crawlers.push(Crawler::hire(self, index));
        }
        self.schedule.set_odds(odds(&self.options));
    }

    /// The queue, as a component reaches it.
    pub(super) fn queue_of(&self, who: &str, life: &Life) -> Arc<dyn CampaignService> {
        Arc::new(Faulty::new(Arc::clone(&self.balancers.queue), Link::new(self.schedule.clone(), who, life.clone())))
    }

    /// The planners, as a component reaches them.
    pub(super) fn planners_of(&self, who: &str, life: &Life) -> Arc<dyn PlannerService> {
        Arc::new(Faulty::new(Arc::clone(&self.balancers.planner), Link::new(self.schedule.clone(), who, life.clone())))
    }

    /// Lets nothing fail any more.
    fn heal(&mut self) {
        self.trace.write(format_args!("world heals"));
        self.schedule.set_odds(Odds::default());
        for who in 0..self.components() {
            self.clock_of(who).skew(0);
            self.schedule.cut_off(&self.name_of(who), false);
            self.schedule.freeze(&self.name_of(who), false);
            self.start(who);
        }
    }

    /// How many components there are: services first, then crawlers.
    pub(super) fn components(&self) -> usize {
        self.services.len() + self.crawlers.len()
    }

    /// The name of a planner.
    pub(super) fn a_planner(&self) -> String {
        Service::planner_name(self.schedule.pick(0..INSTANCES as u64) as usize)
    }

    pub(super) fn name_of(&self, who: usize) -> String {
        let crawler = || self.crawlers[who - self.services.len()].name();
        self.services.get(who).map_or_else(crawler, Service::name).to_owned()
    }

    pub(super) fn clock_of(&self, who: usize) -> &SimulatedClock {
        let crawler = || self.crawlers[who - self.services.len()].clock();
        self.services.get(who).map_or_else(crawler, Service::clock)
    }

    /// Starts a component unless it runs.
    pub(super) fn start(&mut self, who: usize) {
        if let Some(service) = self.services.get_mut(who) {
            service.start(&self.column, &self.balancers, &self.schedule);
            return;
        }
        let mut crawlers = std::mem::take(&mut self.crawlers);
        crawlers[who - self.services.len()].start(self);
        self.crawlers = crawlers;
    }

    /// Ends a component at once.
    pub(super) fn kill(&mut self, who: usize) {
        match self.services.get_mut(who) {
            Some(service) => service.kill(&self.balancers),
            None => self.crawlers[who - self.services.len()].kill(),
        }
    }

    /// Asks a component to end.
    pub(super) fn stop(&mut self, who: usize) {
        match self.services.get_mut(who) {
            Some(service) => service.stop(&self.balancers),
            None => self.crawlers[who - self.services.len()].stop(&self.schedule),
        }
    }

    /// Waits until every job has ended and everything is read; then dismisses the crawlers, and waits again.
    async fn come_to_rest(&mut self) {
        self.wait_until_all_is_read().await;
        for crawler in &mut self.crawlers {
            crawler.kill();
        }
        self.wait_until_all_is_read().await;
    }

    async fn wait_until_all_is_read(&self) {
        let deadline = self.clock_now() + PATIENCE;
        while let Err(what) = check::is_at_rest(&self.column).await {
            if self.clock_now() > deadline {
                self.witness.violated(format!("it does not come to rest: {what}"));
                return;
            }
            sleep(Duration::from_millis(200)).await;
        }
    }

    pub(super) fn clock_now(&self) -> Duration {
        platform::clock::Clock::monotonic(&self.clock)
    }
}

/// How likely the faults of calls are.
fn odds(options: &Options) -> Odds {
    let one = |kind, odds| if options.has(kind) { odds } else { 0.0 };
    Odds {
        latency: Duration::from_millis(8),
        before: one(Kind::Loss, 0.04),
        after: one(Kind::Loss, 0.04),
        late: one(Kind::Delay, 0.2),
        longest: Duration::from_millis(1500),
        twice: one(Kind::Duplicate, 0.1),
        reorder: one(Kind::Reorder, 0.5),
    }
}
