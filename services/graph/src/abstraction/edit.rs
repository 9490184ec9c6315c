//! Tree edit distance (APTED): the share of elements that must be removed, added or renamed to make one page the other.

use super::words::hash;
use super::{Abstraction, Fingerprint, Learnt, PageInput};
use apted::{APTED, CostModel, Node};

/// Larger trees are truncated: the distance takes quadratic time and memory.
const LARGEST: usize = 1_500;

/// Tree edit distance over tags, divided by the size of both trees.
#[derive(Clone, Copy, Debug)]
pub struct TreeEdit {
    /// See [`Abstraction::threshold`].
    pub threshold: f64,
}

impl Default for TreeEdit {
    fn default() -> Self {
        Self { threshold: 0.1 }
    }
}

impl Abstraction for TreeEdit {
    fn name(&self) -> &'static str {
        "tree-edit"
    }

    fn fingerprint(&self, seen: &PageInput<'_>) -> Fingerprint {
        let nodes = seen.page.elements.iter().take(LARGEST).map(|element| {
            let parent = element.parent.and_then(|parent| u32::try_from(parent).ok());
            (parent, hash(&[&element.tag]))
        });
        Fingerprint::Tree(nodes.collect())
    }

    fn distance(&self, one: &Fingerprint, other: &Fingerprint, _: &Learnt) -> f64 {
        let (Fingerprint::Tree(one), Fingerprint::Tree(other)) = (one, other) else { return 1.0 };
        if one == other {
            return 0.0;
        }
        let both = (one.len() + other.len()) as f64;
        f64::from(APTED::new(Unit).compute_edit_distance(&tree(one), &tree(other))) / both
    }

    fn threshold(&self) -> f64 {
        self.threshold
    }
}

/// Builds a tree from the list, under a root common to both trees.
fn tree(nodes: &[(Option<u32>, u64)]) -> Node<u64> {
    let mut built: Vec<Option<Node<u64>>> = nodes.iter().map(|(_, label)| Some(Node::new(*label))).collect();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut tops = Vec::new();
    for (place, (parent, _)) in nodes.iter().enumerate() {
        match parent {
            Some(parent) => children[*parent as usize].push(place),
            None => tops.push(place),
        }
    }
    for place in (0..nodes.len()).rev() {
        let inner: Vec<Node<u64>> = children[place].iter().filter_map(|child| built[*child].take()).collect();
        if let Some(node) = &mut built[place] {
            inner.into_iter().for_each(|child| node.add_child(child));
        }
    }
    let mut root = Node::new(0);
    tops.into_iter().filter_map(|top| built[top].take()).for_each(|top| root.add_child(top));
    root
}

/// Every change costs one.
struct Unit;

impl CostModel<u64> for Unit {
    fn del(&self, _: &Node<u64>) -> f32 {
        1.0
    }

    fn ins(&self, _: &Node<u64>) -> f32 {
        1.0
    }

    fn ren(&self, one: &Node<u64>, other: &Node<u64>) -> f32 {
        f32::from(u8::from(one.node_data() != other.node_data()))
    }
}
