//! Nodes that sessions have in common. Sessions of one site see much the same, and a crawler has a thousand of them: nodes that
//! are equal are one in memory, whichever session saw them.

use domain::{Node, Rect, SharedNode};
use hashbrown::HashTable;
use parking_lot::Mutex;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Nodes below which nobody looks for those that no observation has any more.
const FEW: usize = 4096;

/// The nodes of this process.
static NODES: Mutex<Table> = Mutex::new(Table { nodes: HashTable::new(), sweep_at: FEW });

/// Puts nodes that only this list has in the place where equal ones are found, or takes the equal ones that are there.
pub(crate) fn share(nodes: &mut [SharedNode]) {
    let mut table = NODES.lock();
    for node in nodes {
        if node.holders() == 1 {
            table.share(node);
        }
    }
}

struct Table {
    nodes: HashTable<SharedNode>,
    /// How many nodes there may be before the next look.
    sweep_at: usize,
}

impl Table {
    fn share(&mut self, node: &mut SharedNode) {
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

/// Of what tells nodes apart most often.
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
        share(&mut one);
        share(&mut other);
        assert!(one[0].is_same(&other[0]) && !one[1].is_same(&other[1]));
        one[0].change().text.push('!');
        assert_eq!((one[0].text.as_str(), other[0].text.as_str()), ("shared!", "shared"));
    }

    #[test]
    fn nodes_that_nobody_has_any_more_go() {
        let mut table = Table { nodes: HashTable::new(), sweep_at: 2 };
        let mut held = node("held", 0.0);
        table.share(&mut held);
        for number in 0..=FEW {
            table.share(&mut node("gone", number as f64));
        }
        assert!(table.nodes.len() <= FEW, "{}", table.nodes.len());
        let mut again = node("held", 0.0);
        table.share(&mut again);
        assert!(held.is_same(&again));
    }
}
