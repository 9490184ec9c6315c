//! The nodes of an observation. An action changes few of the thousands of nodes of a page; unchanged nodes share one
//! allocation between observations.

use crate::observation::Node;
use crate::shared_node::SharedNode;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::{Deref, Index, IndexMut};
use std::slice;

/// Nodes in document order. Clones share them; changing a node copies it first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nodes(Vec<SharedNode>);

/// Iterates over nodes.
pub type Iter<'n> = std::iter::Map<slice::Iter<'n, SharedNode>, fn(&'n SharedNode) -> &'n Node>;

impl Nodes {
    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The node at an index.
    pub fn get(&self, place: usize) -> Option<&Node> {
        self.0.get(place).map(SharedNode::deref)
    }

    /// All nodes.
    pub fn iter(&self) -> Iter<'_> {
        self.0.iter().map(SharedNode::deref)
    }

    /// All nodes as shared references.
    pub fn shared(&self) -> slice::Iter<'_, SharedNode> {
        self.0.iter()
    }

    /// All nodes, mutably.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Node> {
        self.0.iter_mut().map(SharedNode::change)
    }

    /// Appends a node.
    pub fn push(&mut self, node: impl Into<SharedNode>) {
        self.0.push(node.into());
    }

    /// Index-wise pairs whose `Arc`s differ; their content may still be equal.
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
