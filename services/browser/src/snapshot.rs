//! Puts observations together from the probe's replies. Pure.

use crate::probe::{ForeignFrame, StepReply};
use crate::shared;
use crate::wire::Place;
use domain::observation::{Frame, Observation, Settled, Unread, UnreadCause, Visibility};
use domain::page::VisibleText;
use domain::{ElementId, Node, SharedNode};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// The nodes of one document as last reported, so that only differences travel. Observations share them.
#[derive(Debug, Default)]
pub(crate) struct Held {
    have: String,
    /// The key of each node and that of its parent, in document order.
    order: Vec<(u64, u64)>,
    /// The nodes in the same order, their parents by their places in it.
    nodes: Vec<SharedNode>,
}

/// Where an element of the latest observation lives: the document that knows it and its key there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) place: Place,
    pub(crate) key: u64,
    /// For a frame of another origin: key of the frame element in the page.
    pub(crate) host: Option<u64>,
    /// For a frame within such a frame: the frame elements on the way from there, each in its document.
    pub(crate) within: Vec<(Place, u64)>,
}

/// A frame of another origin, and the way to it.
#[derive(Clone, Debug)]
pub(crate) struct Nested {
    /// The document that its element is in.
    pub(crate) outer: Place,
    /// The frame as that document tells of it, but for its index and its box, which are the page's.
    pub(crate) frame: ForeignFrame,
    host: u64,
    within: Vec<(Place, u64)>,
}

impl Nested {
    /// A frame that stands in the page itself.
    pub(crate) fn of_page(frame: ForeignFrame) -> Nested {
        Nested { outer: Place::Page, host: frame.key, frame, within: Vec::new() }
    }
}

impl Held {
    /// What the probe is told that we have; empty at first.
    pub(crate) fn have(&self) -> &str {
        &self.have
    }

    /// Has the probe tell everything next time. The nodes stay, for as long as the page cannot be asked.
    pub(crate) fn forget(&mut self) {
        self.have.clear();
    }

    /// Takes a reply in.
    ///
    /// # Errors
    /// When the reply does not fit what is held; the caller asks again from nothing.
    pub(crate) fn apply(&mut self, reply: &mut StepReply) -> Result<(), &'static str> {
        let Held { order: before, nodes: known, .. } = if reply.fresh { Held::default() } else { std::mem::take(self) };
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
        // What no observation has any more need not be copied where it changes.
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
        shared::share(&mut nodes);
        *self = Held { have: reply.have.clone(), order, nodes };
        Ok(())
    }
}

/// Moves runs of neighbours; see [`StepReply::moved`].
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
    /// The visible texts of its documents, if they were asked for.
    pub(crate) texts: Vec<VisibleText>,
    /// The same as the documents write them, where style shows other letters.
    pub(crate) written: Vec<VisibleText>,
}

impl Assembly {
    /// The nodes of the page's own document as last reported, and nothing else.
    pub(crate) fn of_nodes(held: &Held) -> Assembly {
        let origin = |(key, _): &(u64, u64)| Origin { place: Place::Page, key: *key, host: None, within: Vec::new() };
        Assembly {
            observation: Observation { nodes: held.nodes.iter().cloned().collect(), ..Observation::default() },
            origins: held.order.iter().map(origin).collect(),
            texts: Vec::new(),
            written: Vec::new(),
        }
    }

    /// Begins with the page's own document.
    pub(crate) fn of_page(reply: StepReply, held: &Held) -> Assembly {
        let mut assembly = Assembly::of_nodes(held);
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

    /// Says that a frame could not be read.
    pub(crate) fn add_unread(&mut self, nested: &Nested) {
        let frame = self.observation.frames.get(nested.frame.frame as usize);
        let at = frame.map(|frame| if frame.url.is_empty() { frame.xpath.clone() } else { frame.url.clone() });
        self.observation.unread.push(Unread { why: UnreadCause::Frame, at: at.unwrap_or_default() });
    }

    /// Adds the document of a frame of another origin; answers the frames of yet others that it holds.
    pub(crate) fn add_frame(
        &mut self,
        reply: StepReply,
        held: &Held,
        place: &Place,
        nested: &Nested,
        inner: Vec<ForeignFrame>,
    ) -> Vec<Nested> {
        let at = &nested.frame;
        let base = self.observation.frames.len() as u32;
        let index_of = |frame: u32| if frame == 0 { at.frame } else { base + frame - 1 };
        let parent = self.origins.iter().position(|origin| origin.place == nested.outer && origin.key == at.key);
        let host = parent.map(|index| ElementId(index as u32));
        self.add(held, place, host, base, nested);
        self.observation.unread.extend(reply.unread);
        let visible = |(frame, text)| VisibleText { frame: index_of(frame), text };
        self.texts.extend(reply.texts.into_iter().map(visible));
        self.written.extend(reply.written.into_iter().map(visible));
        for (index, frame) in reply.frames.into_iter().enumerate() {
            // The frame's own document takes the entry that its element already has; those within it follow.
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

    /// Adds a document's nodes as they stand within the page.
    fn add(&mut self, held: &Held, place: &Place, host: Option<ElementId>, base: u32, nested: &Nested) {
        let at = &nested.frame;
        let first = self.origins.len() as u32;
        for ((key, _), node) in held.order.iter().zip(&held.nodes) {
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
            let within = nested.within.clone();
            self.origins.push(Origin { place: place.clone(), key: *key, host: Some(nested.host), within });
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
    fn held() -> (Held, Observation) {
        let mut held = Held::default();
        let mut first = reply(true, &[(1, 0, "a"), (2, 1, "b"), (3, 0, "c")], (0, 0), &[1, 2, 3]);
        held.apply(&mut first).unwrap();
        let seen = Assembly::of_page(first, &held).observation;
        (held, seen)
    }

    #[test]
    fn what_did_not_change_is_shared_with_the_observation_before() {
        let (mut held, before) = held();
        assert_eq!((texts(&before), before.nodes[1].parent), (vec!["a", "b", "c"], Some(ElementId(0))));
        assert_eq!(held.have(), "1:1");
        let mut next = reply(false, &[(4, 0, "new")], (1, 1), &[2, 4]);
        held.apply(&mut next).unwrap();
        let after = Assembly::of_page(next, &held).observation;
        assert_eq!((texts(&after), after.nodes[1].parent), (vec!["a", "b", "new", "c"], Some(ElementId(0))));
        let replaced: Vec<_> = before.nodes.replaced(&after.nodes).map(|(old, new)| [&old.text, &new.text]).collect();
        assert_eq!(replaced, [["c", "new"]]);
    }

    #[test]
    fn what_moves_is_seen_elsewhere_only_from_then_on() {
        let (mut held, before) = held();
        let mut next = StepReply { moved: vec![1, 1, 0, 50, 0, 0], ..reply(false, &[], (3, 0), &[]) };
        held.apply(&mut next).unwrap();
        let after = Assembly::of_page(next, &held).observation;
        assert_eq!((before.nodes[1].bounds.y, after.nodes[1].bounds.y), (0.0, 5.0));
        assert_eq!(before.nodes.replaced(&after.nodes).count(), 1);
    }

    #[test]
    fn a_parent_is_told_by_its_place_although_others_came_before_it() {
        let (mut held, _) = held();
        let mut next = reply(false, &[(4, 0, "new")], (0, 3), &[4]);
        held.apply(&mut next).unwrap();
        let after = Assembly::of_page(next, &held).observation;
        assert_eq!((texts(&after), after.nodes[2].parent), (vec!["new", "a", "b", "c"], Some(ElementId(1))));
    }

    #[test]
    fn a_reply_that_does_not_fit_is_refused() {
        assert!(Held::default().apply(&mut reply(false, &[], (3, 0), &[])).is_err());
        let (mut held, _) = held();
        assert!(held.apply(&mut reply(false, &[], (0, 0), &[9])).is_err());
    }
}
