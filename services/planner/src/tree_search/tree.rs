//! The tree of states that were reached and of actions that may be tried from them. Pure: it decides where to go next, and asks nobody.
//!
//! Best-first: the untried action of the state with the highest value comes next, the model's favourite first, the deepest first
//! among equals.

use domain::{Action, Descriptor, StateId};
use serde::{Deserialize, Serialize};

/// A state, or an action that was not tried yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Node {
    /// The state that the action is done in; none for the start.
    pub(super) parent: Option<usize>,
    /// What leads here; none for the start.
    pub(super) action: Option<Action<Descriptor>>,
    /// How good it is as a candidate: 0 for the best of its state.
    pub(super) rank: usize,
    /// How good the state is; none before it was reached.
    pub(super) value: Option<f64>,
    /// Whether its candidates are known.
    pub(super) is_expanded: bool,
    /// Whether it cannot be reached.
    pub(super) is_dead: bool,
    /// The state of the map that it is in, where the map knows it.
    pub(super) state: Option<StateId>,
    /// Index in the history of the step that led here last.
    pub(super) step: Option<usize>,
}

impl Node {
    fn start() -> Self {
        Self {
            parent: None,
            action: None,
            rank: 0,
            value: None,
            is_expanded: false,
            is_dead: false,
            state: None,
            step: None,
        }
    }
}

/// All states of an attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    /// Where the page is.
    pub(super) at: usize,
    /// Where the search began.
    pub(super) root: usize,
    /// States that were valued since then.
    pub(super) valued: usize,
}

impl Default for Tree {
    fn default() -> Self {
        Self { nodes: vec![Node::start()], at: 0, root: 0, valued: 0 }
    }
}

impl Tree {
    pub(super) fn here(&mut self) -> &mut Node {
        &mut self.nodes[self.at]
    }

    /// The nodes from the start to a node, both included.
    pub(super) fn path(&self, to: usize) -> Vec<usize> {
        let mut path: Vec<usize> = std::iter::successors(Some(to), |node| self.nodes[*node].parent).collect();
        path.reverse();
        path
    }

    /// Steps from where the search began.
    pub(super) fn depth(&self, node: usize) -> usize {
        self.path(node).len() - self.path(self.root).len()
    }

    fn is_within(&self, node: usize) -> bool {
        self.path(node).contains(&self.root)
    }

    /// Adds the candidates of a state, the best first.
    pub(super) fn expand(&mut self, node: usize, candidates: Vec<Action<Descriptor>>) {
        self.nodes[node].is_expanded = true;
        for (rank, action) in candidates.into_iter().enumerate() {
            self.nodes.push(Node { parent: Some(node), action: Some(action), rank, ..Node::start() });
        }
    }

    /// The untried action that comes next.
    pub(super) fn next(&self, depth: usize) -> Option<usize> {
        let untried = |node: &usize| {
            let of = &self.nodes[*node];
            of.value.is_none() && !of.is_dead && of.parent.is_some() && self.is_within(*node)
        };
        let promise = |node: &usize| {
            let value = self.nodes[*node].parent.and_then(|parent| self.nodes[parent].value);
            (value.unwrap_or_default(), self.nodes[*node].rank, self.depth(*node))
        };
        let open = (0..self.nodes.len()).filter(untried).filter(|node| self.depth(*node) <= depth);
        open.max_by(|a, b| {
            let (left, right) = (promise(a), promise(b));
            let by_value = left.0.total_cmp(&right.0);
            by_value.then(right.1.cmp(&left.1)).then(left.2.cmp(&right.2)).then(b.cmp(a))
        })
    }

    /// The state that is worth committing to: the one with the highest value beyond where the search began, the nearest of equals.
    pub(super) fn best(&self) -> Option<usize> {
        let reached = |node: &usize| {
            let of = &self.nodes[*node];
            *node != self.root && of.value.is_some() && !of.is_dead && self.is_within(*node)
        };
        let value = |node: usize| self.nodes[node].value.unwrap_or_default();
        let better = |a: &usize, b: &usize| {
            value(*a).total_cmp(&value(*b)).then(self.depth(*b).cmp(&self.depth(*a))).then(b.cmp(a))
        };
        (0..self.nodes.len()).filter(reached).max_by(better)
    }

    /// Begins a new search where the page is.
    pub(super) fn commit(&mut self) {
        self.root = self.at;
        self.valued = 0;
    }

    /// What stands on the way from an ancestor of a node to it, in order; none where it is no ancestor.
    pub(super) fn way(&self, from: usize, to: usize) -> Option<Vec<usize>> {
        let path = self.path(to);
        let place = path.iter().position(|node| *node == from)?;
        Some(path[place + 1..].to_vec())
    }

    /// Gives up a node that cannot be reached, with all that follows from it.
    pub(super) fn bury(&mut self, node: usize) {
        let below: Vec<usize> = (0..self.nodes.len()).filter(|other| self.path(*other).contains(&node)).collect();
        below.into_iter().for_each(|node| self.nodes[node].is_dead = true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(milliseconds: u32) -> Action<Descriptor> {
        Action::Wait { milliseconds }
    }

    /// The start with two candidates, of which the first was reached and has two of its own.
    fn tree(values: [f64; 2]) -> Tree {
        let mut tree = Tree::default();
        tree.here().value = Some(values[0]);
        tree.expand(0, vec![wait(1), wait(2)]);
        tree.nodes[1].value = Some(values[1]);
        tree.expand(1, vec![wait(3), wait(4)]);
        tree
    }

    #[test]
    fn what_follows_from_the_best_state_comes_next_and_the_favourite_first() {
        assert_eq!(tree([0.5, 0.6]).next(4), Some(3));
        assert_eq!(tree([0.5, 0.4]).next(4), Some(2), "back to the start");
        assert_eq!(tree([0.5, 0.5]).next(4), Some(3), "the favourite before the second choice");
        assert_eq!(tree([0.5, 0.6]).next(1), Some(2), "no deeper than allowed");
    }

    #[test]
    fn the_best_state_beyond_the_root_is_committed_to() {
        let mut tree = tree([0.5, 0.4]);
        assert_eq!(tree.best(), Some(1));
        tree.nodes[3].value = Some(0.9);
        assert_eq!(tree.best(), Some(3));
        tree.at = 3;
        tree.commit();
        assert_eq!((tree.best(), tree.next(4)), (None, None), "what lies before is out of the search");
    }

    #[test]
    fn the_way_to_a_state_is_known_and_what_cannot_be_reached_is_given_up_with_what_follows() {
        let mut tree = tree([0.5, 0.6]);
        assert_eq!(tree.way(0, 4), Some(vec![1, 4]));
        assert_eq!(tree.way(2, 4), None);
        tree.bury(1);
        assert_eq!(tree.next(4), Some(2));
    }
}
