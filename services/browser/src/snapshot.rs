//! Assembles observations from the probe's replies. Pure.

use crate::node_interning;
use crate::probe::{ForeignFrame, StepReply};
use crate::wire::DocumentTarget;
use domain::observation::{Frame, Observation, Settled, Unread, UnreadCause, Visibility};
use domain::page::VisibleText;
use domain::{ElementId, Node, SharedNode};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::ops::Deref;
use std::sync::Arc;

/// The nodes of one document as last reported, so that the probe sends only differences. Observations share the nodes.
#[derive(Debug, Default)]
pub(crate) struct DocumentSnapshot {
    have: String,
    /// The keys of each node and its parent, in document order.
    order: Vec<(u64, u64)>,
    /// The nodes in the same order; parents are indexes into it.
    nodes: Vec<SharedNode>,
}

/// The origin of an element of the latest observation: its document and its key there. Each session holds hundreds of them, so
/// that elements of one document share what is the same for all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    document: Arc<OriginDocument>,
    pub(crate) key: u64,
}

/// The document of an element.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct OriginDocument {
    pub(crate) place: DocumentTarget,
    /// For a cross-origin frame: key of the frame element in the page.
    pub(crate) host: Option<u64>,
    /// For a frame nested in such a frame: the frame elements on the way to it, each with its document.
    pub(crate) within: Vec<(DocumentTarget, u64)>,
}

impl Deref for Origin {
    type Target = OriginDocument;

    fn deref(&self) -> &OriginDocument {
        &self.document
    }
}

/// A cross-origin frame and the path to it.
#[derive(Clone, Debug)]
pub(crate) struct Nested {
    /// The document that contains its element.
    pub(crate) outer: DocumentTarget,
    /// The frame as that document reports it, except that index and box are the page's.
    pub(crate) frame: ForeignFrame,
    host: u64,
    within: Vec<(DocumentTarget, u64)>,
}

impl Nested {
    /// A frame directly in the page.
    pub(crate) fn of_page(frame: ForeignFrame) -> Nested {
        Nested { outer: DocumentTarget::Page, host: frame.key, frame, within: Vec::new() }
    }
}

impl DocumentSnapshot {
    /// The version that the probe is told we hold; empty at first.
    pub(crate) fn have(&self) -> &str {
        &self.have
    }

    /// Makes the probe send everything next time. The nodes stay, for use while the page cannot be queried.
    pub(crate) fn forget(&mut self) {
        self.have.clear();
    }

    /// Applies a reply.
    ///
    /// # Errors
    /// When the reply does not fit this snapshot; the caller then requests a complete one.
    pub(crate) fn apply(&mut self, reply: &mut StepReply) -> Result<(), &'static str> {
        let DocumentSnapshot { order: before, nodes: known, .. } =
            if reply.fresh { DocumentSnapshot::default() } else { std::mem::take(self) };
        let (head, tail) = (reply.head, reply.tail);
        if head + tail > before.len() {
            return Err("the page refers to an observation that is not held");
        }
        let end = before.len() - tail;
        let middle: FxHashMap<u64, usize> = (head..end).map(|index| (before[index].0, index)).collect();
        let mut changed: FxHashMap<u64, (u64, Node)> =
            reply.changed.drain(..).map(|(key, parent, node)| (key, (parent, node))).collect();
        let between = std::mem::take(&mut reply.between);
        let count = head + between.len() + tail;
        let (mut order, mut nodes) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let there = |index: usize| (before[index].0, Some(index));
        let places = (0..head).map(there);
        let places = places.chain(between.into_iter().map(|key| (key, middle.get(&key).copied())));
        for (key, index) in places.chain((end..before.len()).map(there)) {
            let (parent, node) = match (changed.remove(&key), index) {
                (Some((parent, node)), _) => (parent, SharedNode::from(node)),
                (None, Some(index)) => (before[index].1, known[index].clone()),
                (None, None) => return Err("a node was never sent"),
            };
            order.push((key, parent));
            nodes.push(node);
        }
        // Dropped first, so that nodes no observation holds are changed in place instead of copied.
        drop(known);
        shift(&mut nodes, &reply.moved);
        let mut index_of: FxHashMap<u64, usize> = FxHashMap::with_capacity_and_hasher(count, FxBuildHasher);
        for (index, ((key, parent), node)) in order.iter().zip(&mut nodes).enumerate() {
            index_of.insert(*key, index);
            let parent = index_of.get(parent).map(|index| ElementId(*index as u32));
            if node.parent != parent {
                node.change().parent = parent;
            }
        }
        for (key, visibility) in reply.seen.drain(..) {
            if let Some(index) = index_of.get(&key) {
                nodes[*index].change().visibility = visibility;
            }
        }
        node_interning::intern(&mut nodes);
        *self = DocumentSnapshot { have: reply.have.clone(), order, nodes };
        Ok(())
    }
}

/// Moves runs of neighbouring nodes; see [`StepReply::moved`].
fn shift(nodes: &mut [SharedNode], moved: &[i64]) {
    let tenths = |value: f64, by: i64| ((value * 10.0).round() + by as f64) / 10.0;
    let (runs, _) = moved.as_chunks::<6>();
    for [from, count, x, y, width, height] in runs {
        for node in nodes.iter_mut().skip(*from as usize).take(*count as usize) {
            let node = node.change();
            node.bounds.x = tenths(node.bounds.x, *x);
            node.bounds.y = tenths(node.bounds.y, *y);
            node.bounds.width = tenths(node.bounds.width, *width);
            node.bounds.height = tenths(node.bounds.height, *height);
        }
    }
}

/// An observation under construction, from the page's document and those of its foreign frames.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    pub(crate) observation: Observation,
    pub(crate) origins: Vec<Origin>,
    /// The visible texts of its documents, if requested.
    pub(crate) texts: Vec<VisibleText>,
    /// The texts as the documents spell them, where `text-transform` shows other letters.
    pub(crate) written: Vec<VisibleText>,
}

impl Assembly {
    /// Begins with the last reported nodes of the page's own document.
    pub(crate) fn of_nodes(snapshot: &DocumentSnapshot) -> Assembly {
        let document = Arc::new(OriginDocument::default());
        let origin = |(key, _): &(u64, u64)| Origin { document: document.clone(), key: *key };
        Assembly {
            observation: Observation { nodes: snapshot.nodes.iter().cloned().collect(), ..Observation::default() },
            origins: snapshot.order.iter().map(origin).collect(),
            texts: Vec::new(),
            written: Vec::new(),
        }
    }

    /// Begins with a reply of the page's own document.
    pub(crate) fn of_page(reply: StepReply, snapshot: &DocumentSnapshot) -> Assembly {
        let mut assembly = Assembly::of_nodes(snapshot);
        let observation = &mut assembly.observation;
        observation.settled = settled(reply.pending);
        observation.url = reply.url;
        observation.title = reply.title;
        observation.description = reply.description;
        observation.language = reply.language;
        observation.frames = reply.frames;
        observation.viewport = reply.viewport;
        observation.truncated = reply.truncated;
        observation.unread = reply.unread;
        let visible = |(frame, text)| VisibleText { frame, text };
        assembly.texts = reply.texts.into_iter().map(visible).collect();
        assembly.written = reply.written.into_iter().map(visible).collect();
        assembly
    }

    /// Marks a frame as unread.
    pub(crate) fn add_unread(&mut self, nested: &Nested) {
        let frame = self.observation.frames.get(nested.frame.frame as usize);
        let at = frame.map(|frame| if frame.url.is_empty() { frame.xpath.clone() } else { frame.url.clone() });
        self.observation.unread.push(Unread { why: UnreadCause::Frame, at: at.unwrap_or_default() });
    }

    /// Adds the document of a cross-origin frame; returns the further cross-origin frames in it.
    pub(crate) fn add_frame(
        &mut self,
        reply: StepReply,
        snapshot: &DocumentSnapshot,
        place: &DocumentTarget,
        nested: &Nested,
        inner: Vec<ForeignFrame>,
    ) -> Vec<Nested> {
        let at = &nested.frame;
        let base = self.observation.frames.len() as u32;
        let index_of = |frame: u32| if frame == 0 { at.frame } else { base + frame - 1 };
        let parent = self.origins.iter().position(|origin| origin.place == nested.outer && origin.key == at.key);
        let host = parent.map(|index| ElementId(index as u32));
        self.add(snapshot, place, host, base, nested);
        self.observation.unread.extend(reply.unread);
        let visible = |(frame, text)| VisibleText { frame: index_of(frame), text };
        self.texts.extend(reply.texts.into_iter().map(visible));
        self.written.extend(reply.written.into_iter().map(visible));
        for (index, frame) in reply.frames.into_iter().enumerate() {
            // The frame's document reuses the entry of its element; nested ones are appended.
            if index == 0 {
                if let Some(own) = self.observation.frames.get_mut(at.frame as usize) {
                    own.url = frame.url;
                }
            } else {
                let parent = frame.parent.map(index_of);
                self.observation.frames.push(Frame { parent, cross_origin: true, ..frame });
            }
        }
        self.observation.truncated |= reply.truncated;
        if let Settled::Never { pending } = settled(reply.pending) {
            match &mut self.observation.settled {
                Settled::Never { pending: known } => known.extend(pending),
                quiet => *quiet = Settled::Never { pending },
            }
        }
        let way = |key: u64| nested.within.iter().cloned().chain([(place.clone(), key)]).collect();
        let placed = |frame: ForeignFrame| Nested {
            outer: place.clone(),
            host: nested.host,
            within: way(frame.key),
            frame: ForeignFrame { frame: index_of(frame.frame), x: frame.x + at.x, y: frame.y + at.y, ..frame },
        };
        inner.into_iter().map(placed).collect()
    }

    /// Adds a document's nodes in page coordinates.
    fn add(
        &mut self,
        snapshot: &DocumentSnapshot,
        place: &DocumentTarget,
        host: Option<ElementId>,
        base: u32,
        nested: &Nested,
    ) {
        let at = &nested.frame;
        let first = self.origins.len() as u32;
        let (host_key, within) = (Some(nested.host), nested.within.clone());
        let document = Arc::new(OriginDocument { place: place.clone(), host: host_key, within });
        for ((key, _), node) in snapshot.order.iter().zip(&snapshot.nodes) {
            let mut node = Node::clone(node);
            node.parent = node.parent.map(|parent| ElementId(first + parent.0)).or(host);
            node.frame = if node.frame == 0 { at.frame } else { base + node.frame - 1 };
            node.bounds.x += at.x;
            node.bounds.y += at.y;
            let middle = node.bounds.center();
            let outside = middle.x >= at.x + at.width || middle.y >= at.y + at.height;
            if outside && node.visibility == Visibility::Visible {
                node.visibility = Visibility::Offscreen;
            }
            self.origins.push(Origin { document: document.clone(), key: *key });
            self.observation.nodes.push(node);
        }
    }
}

fn settled(pending: Vec<String>) -> Settled {
    if pending.is_empty() { Settled::Quiet } else { Settled::Never { pending } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A reply with these nodes changed, by key, and the rest as it says.
    fn reply(fresh: bool, changed: &[(u64, u64, &str)], (head, tail): (usize, usize), between: &[u64]) -> StepReply {
        let changed: Vec<_> = changed
            .iter()
            .map(|(key, parent, text)| {
                json!([key, parent, {"role": "text", "tag": "p", "text": text,
                "bounds": {"x": 0.0, "y": 0.0, "width": 1.0, "height": 1.0}}])
            })
            .collect();
        serde_json::from_value(json!({
            "have": "1:1", "fresh": fresh, "url": "", "title": "", "description": "", "language": "",
            "changed": changed, "moved": [], "seen": [], "head": head, "tail": tail, "between": between,
            "frames": [], "foreign": [], "viewport": {"width": 1.0, "height": 1.0, "scroll_y": 0.0, "scroll_height": 1.0},
            "truncated": false, "scripted": true, "unread": [], "texts": [], "pending": [], "waited": [], "late": false, "downloads": 0, "errors": 0,
            "violations": [], "settle_ms": 0.0, "observe_ms": 0.0,
        }))
        .unwrap()
    }

    fn texts(observation: &Observation) -> Vec<&str> {
        observation.nodes.iter().map(|node| node.text.as_str()).collect()
    }

    /// Held nodes, and the observation that has them.
    fn snapshot() -> (DocumentSnapshot, Observation) {
        let mut snapshot = DocumentSnapshot::default();
        let mut first = reply(true, &[(1, 0, "a"), (2, 1, "b"), (3, 0, "c")], (0, 0), &[1, 2, 3]);
        snapshot.apply(&mut first).unwrap();
        let seen = Assembly::of_page(first, &snapshot).observation;
        (snapshot, seen)
    }

    #[test]
    fn what_did_not_change_is_shared_with_the_observation_before() {
        let (mut snapshot, before) = snapshot();
        assert_eq!((texts(&before), before.nodes[1].parent), (vec!["a", "b", "c"], Some(ElementId(0))));
        assert_eq!(snapshot.have(), "1:1");
        let mut next = reply(false, &[(4, 0, "new")], (1, 1), &[2, 4]);
        snapshot.apply(&mut next).unwrap();
        let after = Assembly::of_page(next, &snapshot).observation;
        assert_eq!((texts(&after), after.nodes[1].parent), (vec!["a", "b", "new", "c"], Some(ElementId(0))));
        let replaced: Vec<_> = before.nodes.replaced(&after.nodes).map(|(old, new)| [&old.text, &new.text]).collect();
        assert_eq!(replaced, [["c", "new"]]);
    }

    #[test]
    fn the_elements_of_one_document_share_what_is_said_of_it() {
        let (snapshot, _) = snapshot();
        let origins = Assembly::of_nodes(&snapshot).origins;
        assert_eq!(origins.iter().map(|origin| origin.key).collect::<Vec<_>>(), [1, 2, 3]);
        assert!(origins.iter().all(|origin| Arc::ptr_eq(&origin.document, &origins[0].document)));
        assert!(size_of::<Origin>() <= 16, "a session holds one for each node of its page");
    }

    #[test]
    fn what_moves_is_seen_elsewhere_only_from_then_on() {
        let (mut snapshot, before) = snapshot();
        let mut next = StepReply { moved: vec![1, 1, 0, 50, 0, 0], ..reply(false, &[], (3, 0), &[]) };
        snapshot.apply(&mut next).unwrap();
        let after = Assembly::of_page(next, &snapshot).observation;
        assert_eq!((before.nodes[1].bounds.y, after.nodes[1].bounds.y), (0.0, 5.0));
        assert_eq!(before.nodes.replaced(&after.nodes).count(), 1);
    }

    #[test]
    fn a_parent_is_told_by_its_place_although_others_came_before_it() {
        let (mut snapshot, _) = snapshot();
        let mut next = reply(false, &[(4, 0, "new")], (0, 3), &[4]);
        snapshot.apply(&mut next).unwrap();
        let after = Assembly::of_page(next, &snapshot).observation;
        assert_eq!((texts(&after), after.nodes[2].parent), (vec!["new", "a", "b", "c"], Some(ElementId(1))));
    }

    #[test]
    fn a_reply_that_does_not_fit_is_refused() {
        assert!(DocumentSnapshot::default().apply(&mut reply(false, &[], (3, 0), &[])).is_err());
        let (mut snapshot, _) = snapshot();
        assert!(snapshot.apply(&mut reply(false, &[], (0, 0), &[9])).is_err());
    }
}
