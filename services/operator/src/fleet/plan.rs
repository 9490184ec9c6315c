//! Which browser nodes are made, drained and deleted. Pure.
//!
//! A node is deleted only after it was drained and its sessions have ended, or after their deadline. What nobody knows the sessions
//! of is taken to have some.

use super::wanted::Wanted;
use jiff::{SignedDuration, Timestamp};

/// A browser node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    /// The name of its pod.
    pub(crate) name: String,
    /// When the pod was made.
    pub(crate) created: Timestamp,
    /// Whether it takes sessions: its pod is ready and the Grid knows it.
    pub(crate) is_ready: bool,
    /// Whether its pod came to an end by itself.
    pub(crate) is_over: bool,
    /// Its sessions, where the Grid knows it.
    pub(crate) sessions: Option<u64>,
    /// Since when it takes no further session.
    pub(crate) draining_since: Option<Timestamp>,
    /// Whether it was made from another template than there is now.
    pub(crate) is_outdated: bool,
}

impl Node {
    fn serves(&self) -> bool {
        self.draining_since.is_none() && !self.is_over
    }
}

/// How patiently nodes are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patience {
    /// For how long fewer must be enough.
    pub(crate) surplus: SignedDuration,
    /// How long sessions of a drained node may take to end.
    pub(crate) drain: SignedDuration,
}

/// What is done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    /// How many nodes are made.
    pub(crate) create: u64,
    /// Which nodes take no further session from now on.
    pub(crate) drain: Vec<String>,
    /// Which pods are deleted: they have no session.
    pub(crate) delete: Vec<String>,
    /// Which pods are deleted although their sessions have not ended: their deadline has passed.
    pub(crate) overdue: Vec<String>,
    /// Since when fewer would be enough.
    pub(crate) surplus_since: Option<Timestamp>,
}

/// Decides. `surplus_since` is what the plan before said.
pub(crate) fn plan(
    nodes: &[Node],
    wanted: &Wanted,
    patience: Patience,
    surplus_since: Option<Timestamp>,
    now: Timestamp,
) -> Plan {
    let mut plan = Plan::default();
    for node in nodes {
        let is_overdue = node.draining_since.is_some_and(|since| now.duration_since(since) >= patience.drain);
        if node.is_over || (node.draining_since.is_some() && node.sessions == Some(0)) {
            plan.delete.push(node.name.clone());
        } else if is_overdue {
            plan.overdue.push(node.name.clone());
        }
    }
    let mut serving: Vec<&Node> = nodes.iter().filter(|node| node.serves()).collect();
    let count = |nodes: &[&Node]| u64::try_from(nodes.len()).unwrap_or(u64::MAX);
    let fresh = serving.iter().filter(|node| !node.is_outdated).count() as u64;
    let outdated = count(&serving) - fresh;
    if count(&serving) < wanted.count {
        plan.create = wanted.count - count(&serving);
        return plan;
    }
    let surplus = count(&serving) - wanted.count;
    // Replaced one by one: one more than wanted is there until it serves, then one of the others is drained.
    if outdated > 0 && wanted.count > 0 && surplus == 0 {
        plan.create = 1;
        return plan;
    }
    if surplus == 0 {
        return plan;
    }
    serving.sort_by_key(|node| removal_order(node));
    if outdated > 0 {
        let ready_fresh = serving.iter().any(|node| !node.is_outdated && node.is_ready);
        if ready_fresh || wanted.count == 0 {
            plan.drain.extend(
                serving.iter().filter(|node| node.is_outdated).take(surplus as usize).map(|node| node.name.clone()),
            );
        }
        return plan;
    }
    let since = surplus_since.unwrap_or(now);
    plan.surplus_since = Some(since);
    if now.duration_since(since) >= patience.surplus {
        plan.drain.extend(serving.iter().take(surplus as usize).map(|node| node.name.clone()));
    }
    plan
}

/// Outdated nodes go first, then those that do not serve yet, then those with the fewest sessions, then the youngest.
fn removal_order(node: &Node) -> (bool, bool, u64, std::cmp::Reverse<Timestamp>) {
    let sessions = if node.is_ready { node.sessions.unwrap_or(u64::MAX) } else { 0 };
    (!node.is_outdated, node.is_ready, sessions, std::cmp::Reverse(node.created))
}

#[cfg(test)]
mod tests;
