//! Health of a process: it is ready when all its latches are set, and alive until it declares itself dead.
//!
//! Each part of a process holds a latch and reports through it whether it can work. Probes and load balancers read the
//! sum.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::watch;

/// The health of one process. Clones share it.
#[derive(Clone, Debug)]
pub struct Health {
    latches: Arc<Mutex<BTreeMap<String, PartState>>>,
    standing: Arc<watch::Sender<HealthReport>>,
}

/// The answer to probes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HealthReport {
    /// What the process still waits for, or has lost; empty when it is ready.
    pub waiting_for: Vec<String>,
    /// Why the process must be started again; none while it is alive.
    pub dead: Option<String>,
}

impl HealthReport {
    /// Whether work may be sent here.
    pub fn is_ready(&self) -> bool {
        self.waiting_for.is_empty() && self.dead.is_none()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PartState {
    Waiting(String),
    Ready,
}

/// The readiness of one part. Dropping it marks the part as not ready, since its holder has ended.
#[derive(Debug)]
pub struct Latch {
    name: String,
    health: Health,
}

impl Default for Health {
    fn default() -> Self {
        Self { latches: Arc::default(), standing: Arc::new(watch::Sender::new(HealthReport::default())) }
    }
}

impl Health {
    /// Adds a part that is not ready yet.
    pub fn latch(&self, name: impl Into<String>) -> Latch {
        let latch = Latch { name: name.into(), health: self.clone() };
        latch.wait("it has not begun");
        latch
    }

    /// The current report.
    pub fn standing(&self) -> HealthReport {
        self.standing.borrow().clone()
    }

    /// Subscribes to reports.
    pub fn follow(&self) -> watch::Receiver<HealthReport> {
        self.standing.subscribe()
    }

    /// Waits until all latches are set.
    pub async fn ready(&self) {
        let mut standing = self.follow();
        // The sender lives as long as `self`.
        let _ = standing.wait_for(HealthReport::is_ready).await;
    }

    /// Declares the process dead: it must be restarted.
    pub fn die(&self, why: impl Into<String>) {
        let why = why.into();
        self.standing.send_modify(|standing| standing.dead = Some(why));
    }

    fn set(&self, name: &str, state: PartState) {
        let mut latches = self.latches.lock();
        latches.insert(name.to_owned(), state);
        let waiting_for = latches
            .iter()
            .filter_map(|(name, state)| match state {
                PartState::Waiting(why) => Some(format!("{name}: {why}")),
                PartState::Ready => None,
            })
            .collect();
        self.standing.send_if_modified(|standing| {
            let changed = standing.waiting_for != waiting_for;
            standing.waiting_for = waiting_for;
            changed
        });
    }
}

impl Latch {
    /// Reports that this part can work.
    pub fn set(&self) {
        self.health.set(&self.name, PartState::Ready);
    }

    /// Reports that this part cannot work now, and why.
    pub fn wait(&self, why: impl Into<String>) {
        self.health.set(&self.name, PartState::Waiting(why.into()));
    }
}

impl Drop for Latch {
    fn drop(&mut self) {
        self.wait("it has ended");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_process_is_ready_when_every_part_is() {
        let health = Health::default();
        let (log, queue) = (health.latch("log"), health.latch("queue"));
        log.set();
        assert_eq!(health.standing().waiting_for, ["queue: it has not begun"]);
        queue.set();
        health.ready().await;
        assert!(health.standing().is_ready());
        log.wait("the broker is away");
        assert_eq!(health.standing().waiting_for, ["log: the broker is away"]);
    }

    #[test]
    fn a_part_that_ended_is_not_ready() {
        let health = Health::default();
        let latch = health.latch("log");
        latch.set();
        drop(latch);
        assert_eq!(health.standing().waiting_for, ["log: it has ended"]);
    }

    #[test]
    fn a_process_that_cannot_go_on_is_neither_ready_nor_alive() {
        let health = Health::default();
        health.die("the database has another version");
        assert!(!health.standing().is_ready());
        assert_eq!(health.standing().dead.as_deref(), Some("the database has another version"));
    }
}
