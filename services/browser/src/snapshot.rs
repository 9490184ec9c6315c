//! Puts observations together from the probe's replies. Pure.

use crate::probe::{ForeignFrame, StepReply};
use crate::wire::Place;
use domain::observation::{Frame, Observation, Settled, Visibility};
use domain::{ElementId, Node};
use std::collections::HashMap;

/// The nodes of one document as last reported, kept so that only differences travel.
#[derive(Debug, Default)]
pub(crate) struct Held {
    have: String,
    order: Vec<u64>,
    nodes: HashMap<u64, (u64, Node)>,
}

/// Where an element of the latest observation lives: the document that knows it and its key there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) place: Place,
    pub(crate) key: u64,
    /// For a frame of another origin: key of the frame element in the page.
    pub(crate) host: Option<u64>,
}

impl Held {
    /// What the probe is told that we have; empty at first.
    pub(crate) fn have(&self) -> &str {
        &self.have
    }

    /// Takes a reply in.
    ///
    /// # Errors
    /// When the reply does not fit what is held; the caller asks again from nothing.
    pub(crate) fn apply(&mut self, reply: &mut StepReply) -> Result<(), &'static str> {
        if reply.fresh {
            *self = Held::default();
        }
        let kept = reply.head + reply.tail;
        if kept > self.order.len() {
            return Err("the page refers to an observation that is not held");
        }
        let tail = self.order.split_off(self.order.len() - reply.tail);
        self.order.truncate(reply.head);
        self.order.append(&mut reply.between);
        self.order.extend(tail);
        for (key, parent, node) in reply.changed.drain(..) {
            self.nodes.insert(key, (parent, node));
        }
        self.shift(&reply.moved);
        for (key, visibility) in reply.seen.drain(..) {
            if let Some((_, node)) = self.nodes.get_mut(&key) {
                node.visibility = visibility;
            }
        }
        if self.nodes.len() > 2 * self.order.len() + 100 {
            let order: std::collections::HashSet<u64> = self.order.iter().copied().collect();
            self.nodes.retain(|key, _| order.contains(key));
        }
        self.have.clone_from(&reply.have);
        if self.order.iter().all(|key| self.nodes.contains_key(key)) { Ok(()) } else { Err("a node was never sent") }
    }

    /// Moves runs of neighbours; see [`StepReply::moved`].
    fn shift(&mut self, moved: &[i64]) {
        let tenths = |value: f64, by: i64| ((value * 10.0).round() + by as f64) / 10.0;
        let (runs, _) = moved.as_chunks::<6>();
        for [from, count, x, y, width, height] in runs {
            for key in self.order.iter().skip(*from as usize).take(*count as usize) {
                if let Some((_, node)) = self.nodes.get_mut(key) {
                    node.bounds.x = tenths(node.bounds.x, *x);
                    node.bounds.y = tenths(node.bounds.y, *y);
                    node.bounds.width = tenths(node.bounds.width, *width);
                    node.bounds.height = tenths(node.bounds.height, *height);
                }
            }
        }
    }

    fn nodes(&self) -> impl Iterator<Item = (u64, u64, &Node)> {
        self.order.iter().filter_map(|key| self.nodes.get(key).map(|(parent, node)| (*key, *parent, node)))
    }
}

/// An observation under construction, from the page's document and those of its foreign frames.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    pub(crate) observation: Observation,
    pub(crate) origins: Vec<Origin>,
}

impl Assembly {
    /// The nodes of the page's own document as last reported, and nothing else.
    pub(crate) fn of_nodes(held: &Held) -> Assembly {
        let mut assembly = Assembly::default();
        assembly.add(held, &Place::Page, None, 0, (0.0, 0.0), None);
        assembly
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
        assembly
    }

    /// Adds the document of a frame of another origin.
    pub(crate) fn add_frame(&mut self, reply: StepReply, held: &Held, place: &Place, at: &ForeignFrame) {
        let base = self.observation.frames.len() as u32;
        let parent = self.origins.iter().position(|origin| origin.place == Place::Page && origin.key == at.key);
        self.add(held, place, parent.map(|index| ElementId(index as u32)), base, (at.x, at.y), Some(at));
        for (index, frame) in reply.frames.into_iter().enumerate() {
            // The frame's own document takes the entry that its element already has; those within it follow.
            if index == 0 {
                if let Some(own) = self.observation.frames.get_mut(at.frame as usize) {
                    own.url = frame.url;
                }
            } else {
                let parent = frame.parent.map(|parent| if parent == 0 { at.frame } else { base + parent - 1 });
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
    }

    fn add(
        &mut self,
        held: &Held,
        place: &Place,
        host: Option<ElementId>,
        base: u32,
        offset: (f64, f64),
        within: Option<&ForeignFrame>,
    ) {
        let mut index_of = HashMap::with_capacity(held.order.len());
        for (key, parent, node) in held.nodes() {
            let index = ElementId(self.origins.len() as u32);
            index_of.insert(key, index);
            let mut node = node.clone();
            node.parent = index_of.get(&parent).copied().or(host);
            if let Some(frame) = within {
                node.frame = if node.frame == 0 { frame.frame } else { base + node.frame - 1 };
                node.bounds.x += offset.0;
                node.bounds.y += offset.1;
                let middle = node.bounds.center();
                let outside = middle.x >= frame.x + frame.width || middle.y >= frame.y + frame.height;
                if outside && node.visibility == Visibility::Visible {
                    node.visibility = Visibility::Offscreen;
                }
            }
            self.origins.push(Origin { place: place.clone(), key, host: within.map(|frame| frame.key) });
            self.observation.nodes.push(node);
        }
    }
}

fn settled(pending: Vec<String>) -> Settled {
    if pending.is_empty() { Settled::Quiet } else { Settled::Never { pending } }
}
