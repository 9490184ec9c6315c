//! The nodes of an observation. An action changes few of them, and a page may have thousands: what stays the same from one
//! observation to the next is the same in memory.

use crate::observation::Node;
use crate::shared_node::SharedNode;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::{Deref, Index, IndexMut};
use std::slice;

/// Nodes in document order. Copies share them; a node that is changed becomes one of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nodes(Vec<SharedNode>);

/// Goes through nodes.
pub type Iter<'n> = std::iter::Map<slice::Iter<'n, SharedNode>, fn(&'n SharedNode) -> &'n Node>;

impl Nodes {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One by its place.
    pub fn get(&self, place: usize) -> Option<&Node> {
        self.0.get(place).map(SharedNode::deref)
    }

    /// All of them.
    pub fn iter(&self) -> Iter<'_> {
        self.0.iter().map(SharedNode::deref)
    }

    /// All of them, as they are shared.
    pub fn shared(&self) -> slice::Iter<'_, SharedNode> {
        self.0.iter()
    }

    /// All of them, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Node> {
        self.0.iter_mut().map(SharedNode::change)
    }

    /// Adds one at the end.
    pub fn push(&mut self, node: impl Into<SharedNode>) {
        self.0.push(node.into());
    }

    /// Those that stand in the same place in both and are not the same in memory; their content may be equal still.
    pub fn replaced<'n>(&'n self, later: &'n Nodes) -> impl Iterator<Item = (&'n Node, &'n Node)> {
        let pairs = self.0.iter().zip(&later.0).filter(|(old, new)| !old.is_same(new));
        pairs.map(|(old, new)| (&**old, &**new))
    }
}

impl Index<usize> for Nodes {
    type Output = Node;

    fn index(&self, place: usize) -> &Node {
        &self.0[place]
    }
}

impl IndexMut<usize> for Nodes {
    fn index_mut(&mut self, place: usize) -> &mut Node {
        self.0[place].change()
    }
}

impl<'n> IntoIterator for &'n Nodes {
    type Item = &'n Node;
    type IntoIter = Iter<'n>;

    fn into_iter(self) -> Iter<'n> {
        self.iter()
    }
}

impl<N: Into<SharedNode>> FromIterator<N> for Nodes {
    fn from_iter<I: IntoIterator<Item = N>>(nodes: I) -> Self {
        Self(nodes.into_iter().map(Into::into).collect())
    }
}

impl<N: Into<SharedNode>> Extend<N> for Nodes {
    fn extend<I: IntoIterator<Item = N>>(&mut self, nodes: I) {
        self.0.extend(nodes.into_iter().map(Into::into));
    }
}

impl<N: Into<SharedNode>> From<Vec<N>> for Nodes {
    fn from(nodes: Vec<N>) -> Self {
        nodes.into_iter().collect()
    }
}

impl Serialize for Nodes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}

impl<'de> Deserialize<'de> for Nodes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<Node>::deserialize(deserializer).map(Self::from)
    }
}

impl JsonSchema for Nodes {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Nodes".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<Node>::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes() -> Nodes {
        ["a", "b"].map(|text| Node { text: text.to_owned(), ..Node::default() }).into_iter().collect()
    }

    #[test]
    fn a_changed_node_is_one_of_its_own_and_the_others_stay_shared() {
        let before = nodes();
        let mut after = before.clone();
        after[1].text.push('!');
        assert_eq!((before[1].text.as_str(), after[1].text.as_str()), ("b", "b!"));
        let replaced: Vec<_> =
            before.replaced(&after).map(|(old, new)| (old.text.as_str(), new.text.as_str())).collect();
        assert_eq!(replaced, [("b", "b!")]);
        assert_eq!(nodes().replaced(&nodes()).count(), 2, "equal nodes that came apart are told as replaced");
    }

    #[test]
    fn they_are_written_as_a_list_of_nodes() {
        let text = serde_json::to_string(&nodes()).unwrap();
        assert_eq!(text, serde_json::to_string(&nodes().iter().collect::<Vec<_>>()).unwrap());
        assert_eq!(serde_json::from_str::<Nodes>(&text).unwrap(), nodes());
    }
}
