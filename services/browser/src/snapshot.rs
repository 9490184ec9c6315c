//! Puts observations together from the probe's replies. Pure.

use crate::probe::{ForeignFrame, StepReply};
use crate::wire::Place;
use domain::observation::{Frame, Observation, Settled, Visibility};
use domain::{ElementId, Node};
use std::collections::HashMap;

/// The nodes of one document as last reported, so that only differences travel.
///
/// They are large, and whoever gets an observation has them already: so they are lent to it, and come back with it when
/// the next action is asked for.
#[derive(Debug, Default)]
pub(crate) struct Held {
    have: String,
    /// The key of each node and that of its parent, in document order.
    order: Vec<(u64, u64)>,
    /// The nodes in the same order; empty while they are lent.
    nodes: Vec<Node>,
    /// The number of the observation that they are lent to.
    lent: Option<u64>,
}

/// The nodes of an observation that came back, with its number. Those of the page's own document stand first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Returned<'o> {
    pub(crate) number: u64,
    pub(crate) nodes: &'o [Node],
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
    /// What the probe is told that we have; empty at first, and while the nodes are out of reach.
    pub(crate) fn have(&self, returned: Option<Returned<'_>>) -> &str {
        if self.base(returned).is_some() { &self.have } else { "" }
    }

    /// The nodes as last reported; none while they are out of reach.
    fn base<'n>(&'n self, returned: Option<Returned<'n>>) -> Option<&'n [Node]> {
        match (self.lent, returned) {
            (None, _) => Some(&self.nodes),
            (Some(lent), Some(Returned { number, nodes })) if lent == number => nodes.get(..self.order.len()),
            (Some(_), _) => None,
        }
    }

    /// Takes a reply in.
    ///
    /// # Errors
    /// When the reply does not fit what is held; the caller asks again from nothing.
    pub(crate) fn apply(&mut self, reply: &mut StepReply, returned: Option<Returned<'_>>) -> Result<(), &'static str> {
        if reply.fresh {
            *self = Held::default();
        }
        let before = std::mem::take(&mut self.order);
        let (head, tail) = (reply.head, reply.tail);
        if head + tail > before.len() {
            return Err("the page refers to an observation that is not held");
        }
        let mut own = if self.lent.is_none() { Some(std::mem::take(&mut self.nodes)) } else { None };
        let lent = returned.filter(|returned| self.lent == Some(returned.number)).map(|returned| returned.nodes);
        let mut kept = |index: usize| match (&mut own, lent) {
            (Some(own), _) => own.get_mut(index).map(std::mem::take),
            (None, Some(lent)) => lent.get(index).cloned(),
            (None, None) => None,
        };
        let end = before.len() - tail;
        let middle: HashMap<u64, usize> = (head..end).map(|index| (before[index].0, index)).collect();
        let mut changed: HashMap<u64, (u64, Node)> =
            reply.changed.drain(..).map(|(key, parent, node)| (key, (parent, node))).collect();
        let between = std::mem::take(&mut reply.between);
        let count = head + between.len() + tail;
        let (mut order, mut nodes) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let known = |index: usize| (before[index].0, Some(index));
        let places = (0..head).map(known);
        let places = places.chain(between.into_iter().map(|key| (key, middle.get(&key).copied())));
        for (key, index) in places.chain((end..before.len()).map(known)) {
            let (parent, node) = match (changed.remove(&key), index) {
                (Some(sent), _) => sent,
                (None, Some(index)) => (before[index].1, kept(index).ok_or(NEVER_SENT)?),
                (None, None) => return Err(NEVER_SENT),
            };
            order.push((key, parent));
            nodes.push(node);
        }
        shift(&mut nodes, &reply.moved);
        if !reply.seen.is_empty() {
            let index_of: HashMap<u64, usize> =
                order.iter().enumerate().map(|(index, (key, _))| (*key, index)).collect();
            for (key, visibility) in reply.seen.drain(..) {
                if let Some(index) = index_of.get(&key) {
                    nodes[*index].visibility = visibility;
                }
            }
        }
        *self = Held { have: reply.have.clone(), order, nodes, lent: None };
        Ok(())
    }

    /// Lends the nodes to an observation, which they are to come back with; `keeps` gives it a copy instead.
    fn lend(&mut self, number: u64, keeps: bool) -> Vec<Node> {
        if keeps {
            return self.nodes.clone();
        }
        self.lent = Some(number);
        std::mem::take(&mut self.nodes)
    }

    /// Takes the nodes of an observation back for good.
    pub(crate) fn keep(&mut self, number: u64, mut nodes: Vec<Node>) {
        if self.lent == Some(number) {
            nodes.truncate(self.order.len());
            (self.nodes, self.lent) = (nodes, None);
        }
    }

    /// Takes back what was lent, as far as it can be reached.
    pub(crate) fn recall(&mut self, returned: Option<Returned<'_>>) {
        if let (Some(_), Some(nodes)) = (self.lent, self.base(returned).map(<[Node]>::to_vec)) {
            (self.nodes, self.lent) = (nodes, None);
        }
    }
}

const NEVER_SENT: &str = "a node was never sent";

/// Moves runs of neighbours; see [`StepReply::moved`].
fn shift(nodes: &mut [Node], moved: &[i64]) {
    let tenths = |value: f64, by: i64| ((value * 10.0).round() + by as f64) / 10.0;
    let (runs, _) = moved.as_chunks::<6>();
    for [from, count, x, y, width, height] in runs {
        for node in nodes.iter_mut().skip(*from as usize).take(*count as usize) {
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
}

impl Assembly {
    /// The nodes of the page's own document as last reported, and nothing else. They stay held.
    pub(crate) fn of_nodes(held: &Held) -> Assembly {
        let mut assembly = Assembly::default();
        assembly.add(&held.order, held.nodes.clone(), &Place::Page, None, 0, (0.0, 0.0), None);
        assembly
    }

    /// Begins with the page's own document, whose nodes are lent to the observation of this number, or copied.
    pub(crate) fn of_page(reply: StepReply, held: &mut Held, number: u64, keeps: bool) -> Assembly {
        let mut assembly = Assembly::default();
        let nodes = held.lend(number, keeps);
        assembly.add(&held.order, nodes, &Place::Page, None, 0, (0.0, 0.0), None);
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
        let host = parent.map(|index| ElementId(index as u32));
        self.add(&held.order, held.nodes.clone(), place, host, base, (at.x, at.y), Some(at));
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

    #[expect(clippy::too_many_arguments, reason = "what a document is, and where it stands")]
    fn add(
        &mut self,
        order: &[(u64, u64)],
        nodes: Vec<Node>,
        place: &Place,
        host: Option<ElementId>,
        base: u32,
        offset: (f64, f64),
        within: Option<&ForeignFrame>,
    ) {
        let mut index_of = HashMap::with_capacity(order.len());
        self.origins.reserve_exact(order.len());
        let mut described = Vec::with_capacity(nodes.len());
        for ((key, parent), mut node) in order.iter().zip(nodes) {
            let index = ElementId(self.origins.len() as u32);
            index_of.insert(*key, index);
            node.parent = index_of.get(parent).copied().or(host);
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
            self.origins.push(Origin { place: place.clone(), key: *key, host: within.map(|frame| frame.key) });
            described.push(node);
        }
        match self.observation.nodes.is_empty() {
            true => self.observation.nodes = described,
            false => self.observation.nodes.append(&mut described),
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
            "truncated": false, "pending": [], "waited": [], "late": false, "downloads": 0, "errors": 0,
            "violations": [], "settle_ms": 0.0, "observe_ms": 0.0,
        }))
        .unwrap()
    }

    fn texts(observation: &Observation) -> Vec<&str> {
        observation.nodes.iter().map(|node| node.text.as_str()).collect()
    }

    /// Held nodes that were lent to observation 1.
    fn lent() -> (Held, Observation) {
        let mut held = Held::default();
        let mut first = reply(true, &[(1, 0, "a"), (2, 1, "b"), (3, 0, "c")], (0, 0), &[1, 2, 3]);
        held.apply(&mut first, None).unwrap();
        let seen = Assembly::of_page(first, &mut held, 1, false).observation;
        (held, seen)
    }

    #[test]
    fn what_did_not_change_comes_from_the_observation_that_was_returned() {
        let (mut held, seen) = lent();
        assert_eq!((texts(&seen), seen.nodes[1].parent), (vec!["a", "b", "c"], Some(ElementId(0))));
        let returned = Some(Returned { number: 1, nodes: &seen.nodes });
        assert_eq!((held.have(None), held.have(returned)), ("", "1:1"));
        let mut next = reply(false, &[(4, 0, "new")], (1, 1), &[4, 2]);
        held.apply(&mut next, returned).unwrap();
        let seen = Assembly::of_page(next, &mut held, 2, false).observation;
        assert_eq!((texts(&seen), seen.nodes[2].parent), (vec!["a", "new", "b", "c"], Some(ElementId(0))));
    }

    #[test]
    fn another_observation_than_the_latest_is_no_help() {
        let (mut held, seen) = lent();
        let stranger = Some(Returned { number: 7, nodes: &seen.nodes });
        assert_eq!(held.have(stranger), "");
        assert!(held.apply(&mut reply(false, &[], (3, 0), &[]), stranger).is_err());
    }

    #[test]
    fn nodes_that_were_kept_or_recalled_are_there_again() {
        let (mut held, seen) = lent();
        held.recall(Some(Returned { number: 1, nodes: &seen.nodes }));
        assert_eq!((held.have(None), texts(&Assembly::of_nodes(&held).observation)), ("1:1", vec!["a", "b", "c"]));
        let (mut held, seen) = lent();
        held.keep(1, seen.nodes);
        held.apply(&mut reply(false, &[], (3, 0), &[]), None).unwrap();
        assert_eq!(texts(&Assembly::of_nodes(&held).observation), ["a", "b", "c"]);
    }
}
