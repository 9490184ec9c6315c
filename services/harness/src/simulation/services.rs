//! The services of a cluster: they start, die, are asked to end, and start again.

use super::balancer::Balancers;
use super::clock::SimulatedClock;
use super::column::Column;
use super::planners::planners;
use super::world::World;
use crate::faults::{Faulty, Life, Link, Schedule};
use campaigns::Options;
use domain::storage::log::EventLog;
use platform::clock::Clock;
use platform::health::Health;
use platform::tasks::Tasks;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// One instance of a service.
pub(super) struct Service {
    name: String,
    role: Role,
    /// The clock of its machine.
    clock: SimulatedClock,
    running: Option<(Life, Tasks)>,
}

#[derive(Clone, Copy)]
enum Role {
    /// The queue, behind this place of the door.
    Queue(usize),
    Ledger,
    /// The pool of planners, behind this place of its door. It calls nobody.
    Planners(usize),
}

impl Service {
    pub(super) fn queue(world: &World, index: usize) -> Self {
        Self::new(world, format!("campaigns-{index}"), Role::Queue(index))
    }

    pub(super) fn ledger(world: &World, index: usize) -> Self {
        Self::new(world, format!("aggregator-{index}"), Role::Ledger)
    }

    pub(super) fn planner(world: &World, index: usize) -> Self {
        Self::new(world, Self::planner_name(index), Role::Planners(index))
    }

    pub(super) fn planner_name(index: usize) -> String {
        format!("planner-{index}")
    }

    fn new(world: &World, name: String, role: Role) -> Self {
        let mut service = Self { name, role, clock: world.clock.another(), running: None };
        service.start(&world.column, &world.balancers, &world.schedule);
        service
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn clock(&self) -> &SimulatedClock {
        &self.clock
    }

    /// Starts it unless it runs.
    pub(super) fn start(&mut self, column: &Column, balancers: &Balancers, schedule: &Schedule) {
        if self.running.is_some() {
            return;
        }
        let (life, tasks, health) = (Life::default(), Tasks::new(CancellationToken::new()), Health::default());
        let link = Link::new(schedule.clone(), &self.name, life.clone());
        let log: Arc<dyn EventLog> = Arc::new(Faulty::new(Arc::new(column.log.clone()), link.clone()));
        let clock: Arc<dyn Clock> = Arc::new(self.clock.clone());
        match self.role {
            Role::Queue(place) => {
                let jobs = Arc::new(Faulty::new(Arc::clone(&column.jobs), link));
                let queue = campaigns::start(
                    options(),
                    campaigns::Dependencies { jobs, log, clock, health, presence: None },
                    &tasks,
                );
                balancers.queue.open(place, &self.name, Arc::new(queue), life.clone());
            }
            Role::Ledger => {
                let results = Arc::new(Faulty::new(Arc::clone(&column.results), link));
                aggregator::start(aggregator::Dependencies { results, log, clock, health }, &tasks);
            }
            Role::Planners(place) => {
                balancers.planner.open(place, &self.name, Arc::new(planners(schedule)), life.clone())
            }
        }
        self.running = Some((life, tasks));
    }

    /// Ends it at once, in the middle of whatever it does.
    pub(super) fn kill(&mut self, balancers: &Balancers) {
        if let Some((life, tasks)) = self.leave(balancers) {
            life.end();
            tasks.shutdown().cancel();
        }
    }

    /// Asks it to end; it ends what it is at.
    pub(super) fn stop(&mut self, balancers: &Balancers) {
        if let Some((_, tasks)) = self.leave(balancers) {
            tasks.shutdown().cancel();
        }
    }

    fn leave(&mut self, balancers: &Balancers) -> Option<(Life, Tasks)> {
        match self.role {
            Role::Queue(place) => balancers.queue.close(place),
            Role::Planners(place) => balancers.planner.close(place),
            Role::Ledger => {}
        }
        self.running.take()
    }
}

fn options() -> Options {
    Options {
        lease_seconds: 4.0,
        retry_seconds: 0.2,
        longest_retry_seconds: 2.0,
        look_seconds: 0.5,
        ..Options::default()
    }
}
