//! The slots of the Grid's nodes. Pure.

/// Nodes and how full they are.
#[derive(Clone, Debug)]
pub(super) struct Nodes {
    nodes: Vec<Node>,
    slots: u32,
}

/// One node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) taken: u32,
    /// Whether it takes sessions.
    pub(super) is_up: bool,
}

impl Nodes {
    pub(super) fn new(nodes: u32, slots: u32) -> Nodes {
        Nodes { nodes: (0..nodes).map(|_| Node { taken: 0, is_up: true }).collect(), slots }
    }

    /// Slots of each node.
    pub(super) fn slots(&self) -> u32 {
        self.slots
    }

    /// All nodes, by number.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, Node)> {
        (0..).zip(self.nodes.iter().copied())
    }

    /// Slots of all nodes that are up.
    pub(super) fn capacity(&self) -> u32 {
        self.slots * self.nodes.iter().filter(|node| node.is_up).count() as u32
    }

    /// Takes a slot of the emptiest node.
    pub(super) fn take(&mut self) -> Option<u32> {
        let free = (0..).zip(&mut self.nodes).filter(|(_, node)| node.is_up && node.taken < self.slots);
        let (number, node) = free.min_by_key(|(_, node)| node.taken)?;
        node.taken += 1;
        Some(number)
    }

    /// Gives a slot back.
    pub(super) fn leave(&mut self, number: u32) {
        if let Some(node) = self.nodes.get_mut(number as usize) {
            node.taken = node.taken.saturating_sub(1);
        }
    }

    /// Takes a node out.
    pub(super) fn kill(&mut self, number: u32) {
        if let Some(node) = self.nodes.get_mut(number as usize) {
            node.is_up = false;
        }
    }

    /// Brings a node back.
    pub(super) fn revive(&mut self, number: u32) {
        if let Some(node) = self.nodes.get_mut(number as usize) {
            node.is_up = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_spread_and_a_dead_node_takes_none() {
        let mut nodes = Nodes::new(2, 2);
        assert_eq!((nodes.take(), nodes.take()), (Some(0), Some(1)));
        nodes.kill(0);
        assert_eq!((nodes.capacity(), nodes.take(), nodes.take()), (2, Some(1), None));
        nodes.leave(1);
        assert_eq!(nodes.take(), Some(1));
        nodes.revive(0);
        assert_eq!(nodes.take(), Some(0));
    }
}
