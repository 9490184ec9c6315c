//! Interns nodes across sessions. A crawler has a thousand sessions of one site, whose pages are much alike; equal
//! nodes share one allocation.

use domain::{Node, Rect, SharedNode};
use hashbrown::HashTable;
use parking_lot::Mutex;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Unused nodes are swept only above this many nodes.
const FEW: usize = 4096;

/// The interned nodes of this process.
static NODES: Mutex<NodeTable> = Mutex::new(NodeTable { nodes: HashTable::new(), sweep_at: FEW });

/// Replaces each uniquely held node by its interned equal, or interns it.
pub(crate) fn intern(nodes: &mut [SharedNode]) {
    let mut table = NODES.lock();
    for node in nodes {
        if node.holders() == 1 {
            table.intern(node);
        }
    }
}

struct NodeTable {
    nodes: HashTable<SharedNode>,
    /// Number of nodes at which unused ones are swept.
    sweep_at: usize,
}

impl NodeTable {
    fn intern(&mut self, node: &mut SharedNode) {
        let hash = hash(node);
        if let Some(known) = self.nodes.find(hash, |known| known == node) {
            *node = known.clone();
            return;
        }
        if self.nodes.len() >= self.sweep_at {
            self.nodes.retain(|node| node.holders() > 1);
            self.sweep_at = FEW.max(2 * self.nodes.len());
        }
        self.nodes.insert_unique(hash, node.clone(), |node| self::hash(node));
    }
}

/// Hashes only the fields that differ most often.
fn hash(node: &Node) -> u64 {
    let Rect { x, y, width, height } = node.bounds;
    let mut hasher = FxHasher::default();
    (node.parent, &node.tag, &node.name, &node.text, &node.value, &node.xpath).hash(&mut hasher);
    [x, y, width, height].map(f64::to_bits).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(text: &str, x: f64) -> SharedNode {
        Node { text: text.to_owned(), bounds: Rect { x, ..Rect::default() }, ..Node::default() }.into()
    }

    #[test]
    fn equal_nodes_of_two_sessions_are_one_and_a_change_stays_with_whoever_made_it() {
        let (mut one, mut other) = ([node("shared", 1.0), node("own", 1.0)], [node("shared", 1.0), node("own", 2.0)]);
        intern(&mut one);
        intern(&mut other);
        assert!(one[0].is_same(&other[0]) && !one[1].is_same(&other[1]));
        one[0].change().text.push('!');
        assert_eq!((one[0].text.as_str(), other[0].text.as_str()), ("shared!", "shared"));
    }

    #[test]
    fn nodes_that_nobody_has_any_more_go() {
        let mut table = NodeTable { nodes: HashTable::new(), sweep_at: 2 };
        let mut held = node("held", 0.0);
        table.intern(&mut held);
        for number in 0..=FEW {
            table.intern(&mut node("gone", number as f64));
        }
        assert!(table.nodes.len() <= FEW, "{}", table.nodes.len());
        let mut again = node("held", 0.0);
        table.intern(&mut again);
        assert!(held.is_same(&again));
    }
}
