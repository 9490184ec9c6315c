//! Nodes shared between observations.

use crate::observation::{Node, States};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A node that observations share. Clones share one allocation; changing one copies it first.
#[derive(Clone)]
pub struct SharedNode(Arc<Hashed>);

struct Hashed {
    node: Node,
    /// 0 until computed.
    content: AtomicU64,
}

impl From<Node> for Hashed {
    fn from(node: Node) -> Self {
        Self { node, content: AtomicU64::new(0) }
    }
}

impl Clone for Hashed {
    /// A copy is about to change, so its hash is computed anew.
    fn clone(&self) -> Self {
        self.node.clone().into()
    }
}

impl SharedNode {
    /// A hash that is equal for nodes with the same role, name, value, state, and text where there is no name. Focus
    /// and boxes are excluded: they change without an action.
    ///
    /// Stable within a process only; it is never stored.
    pub fn content(&self) -> u64 {
        let content = &self.0.content;
        match content.load(Ordering::Relaxed) {
            0 => {
                let found = content_hash(self);
                content.store(found, Ordering::Relaxed);
                found
            }
            known => known,
        }
    }

    /// The node, mutably; copied first if it is shared.
    pub fn change(&mut self) -> &mut Node {
        let Hashed { node, content } = Arc::make_mut(&mut self.0);
        *content.get_mut() = 0;
        node
    }

    /// Whether both share one allocation. Two that do not may still be equal.
    pub fn is_same(&self, other: &SharedNode) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Number of references.
    pub fn holders(&self) -> usize {
        Arc::strong_count(&self.0)
    }
}

fn content_hash(node: &Node) -> u64 {
    let Node { role, name, value, text, states, .. } = node;
    let States { checked, selected, expanded, pressed, disabled, readonly, focused: _, invalid } = states;
    let mut hasher = DefaultHasher::new();
    (role, name, value, name.is_empty().then_some(text)).hash(&mut hasher);
    (checked, selected, expanded, pressed, disabled, readonly, invalid).hash(&mut hasher);
    hasher.finish()
}

impl From<Node> for SharedNode {
    fn from(node: Node) -> Self {
        Self(Arc::new(node.into()))
    }
}

impl Deref for SharedNode {
    type Target = Node;

    fn deref(&self) -> &Node {
        &self.0.node
    }
}

impl fmt::Debug for SharedNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.node.fmt(f)
    }
}

impl PartialEq for SharedNode {
    fn eq(&self, other: &SharedNode) -> bool {
        self.is_same(other) || **self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node() -> SharedNode {
        Node { text: "a".to_owned(), ..Node::default() }.into()
    }

    #[test]
    fn a_change_stays_with_whoever_made_it() {
        let one = node();
        let mut copy = one.clone();
        assert!(one.is_same(&copy) && one.holders() == 2);
        copy.change().text.push('?');
        assert_eq!((one.text.as_str(), copy.text.as_str()), ("a", "a?"));
        assert!(!one.is_same(&copy));
    }

    #[test]
    fn nodes_that_show_the_same_have_the_same_content() {
        let (one, mut other) = (node(), node());
        assert_eq!(one.content(), other.content());
        other.change().states.focused = true;
        other.change().bounds.x += 1.0;
        assert_eq!(one.content(), other.content());
        other.change().states.disabled = true;
        assert_ne!(one.content(), other.content());
        let mut copy = one.clone();
        copy.change().value = Some("typed".to_owned());
        assert_ne!(one.content(), copy.content());
    }
}
