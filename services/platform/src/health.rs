//! Whether a process is ready: when all its latches are set. And whether it is alive: until it says that it is not.
//!
//! Each part of a process holds a latch and says by it whether it can do its work. Probes and balancers read the sum.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::watch;

/// The health of one process. Clones share it.
#[derive(Clone, Debug)]
pub struct Health {
    latches: Arc<Mutex<BTreeMap<String, State>>>,
    standing: Arc<watch::Sender<Standing>>,
}

/// What is said to probes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// What the process still waits for, or has lost; empty when it is ready.
    pub waiting_for: Vec<String>,
    /// Why the process must be started again; none while it is alive.
    pub dead: Option<String>,
}

impl Standing {
    /// Whether work may be sent here.
    pub fn is_ready(&self) -> bool {
        self.waiting_for.is_empty() && self.dead.is_none()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    Waiting(String),
    Ready,
}

/// One part's word. Dropping it takes the part back as not ready: whatever held it has ended.
#[derive(Debug)]
pub struct Latch {
    name: String,
    health: Health,
}

impl Default for Health {
    fn default() -> Self {
        Self { latches: Arc::default(), standing: Arc::new(watch::Sender::new(Standing::default())) }
    }
}

impl Health {
    /// Adds a part that is not ready yet.
    pub fn latch(&self, name: impl Into<String>) -> Latch {
        let latch = Latch { name: name.into(), health: self.clone() };
        latch.wait("it has not begun");
        latch
    }

    /// How the process stands.
    pub fn standing(&self) -> Standing {
        self.standing.borrow().clone()
    }

    /// Follows how the process stands.
    pub fn follow(&self) -> watch::Receiver<Standing> {
        self.standing.subscribe()
    }

    /// Waits until all latches are set.
    pub async fn ready(&self) {
        let mut standing = self.follow();
        // The sender lives as long as `self`.
        let _ = standing.wait_for(Standing::is_ready).await;
    }

    /// Says that the process cannot go on and must be started again.
    pub fn die(&self, why: impl Into<String>) {
        let why = why.into();
        self.standing.send_modify(|standing| standing.dead = Some(why));
    }

    fn set(&self, name: &str, state: State) {
        let mut latches = self.latches.lock();
        latches.insert(name.to_owned(), state);
        let waiting_for = latches
            .iter()
            .filter_map(|(name, state)| match state {
                State::Waiting(why) => Some(format!("{name}: {why}")),
                State::Ready => None,
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
    /// This part can do its work.
    pub fn set(&self) {
        self.health.set(&self.name, State::Ready);
    }

    /// This part cannot do its work now, and why.
    pub fn wait(&self, why: impl Into<String>) {
        self.health.set(&self.name, State::Waiting(why.into()));
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
