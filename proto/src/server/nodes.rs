//! Nodes that callers need not send again. Sessions of one site show much the same, and most of a page is what it was a step
//! ago: a page of hundreds of elements comes over as the few that are new.

use crate::convert::decision::{RUN, numbers};
use crate::error::Error;
use crate::v1::NodeNumbers;
use domain::{Node, Nodes, SharedNode};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes that all kept nodes may hold.
const KEPT_BYTES: u64 = 128 << 20;

/// Bytes of a run, about; only for a first guess of how many there will be.
const RUN_BYTES: u64 = RUN * 1024;

/// The process that gave numbers, and which run of them.
type Key = (u64, u64);

/// Nodes by their numbers, those used lately. Nodes of one page were numbered together, so they are kept in runs.
pub(super) struct KeptNodes(Cache<Key, Weighed, Weight>);

impl Default for KeptNodes {
    fn default() -> Self {
        Self(Cache::with_weighter((KEPT_BYTES / RUN_BYTES) as usize, KEPT_BYTES, Weight))
    }
}

/// A run with what it weighed when it was put where it is: the cache must find the same when it takes it out.
#[derive(Clone, Default)]
struct Weighed {
    run: Arc<Run>,
    weight: u64,
}

/// Nodes of neighbouring numbers.
#[derive(Default)]
struct Run(Mutex<Held>);

#[derive(Default)]
struct Held {
    /// Each at its number's place; empty, or room for all.
    nodes: Vec<Option<SharedNode>>,
    bytes: u64,
}

impl Run {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn weight(&self) -> u64 {
        size_of::<Held>() as u64 + RUN * size_of::<Option<SharedNode>>() as u64 + self.held().bytes
    }

    fn get(&self, number: u64) -> Option<SharedNode> {
        self.held().nodes.get((number % RUN) as usize).cloned().flatten()
    }

    fn put(&self, number: u64, node: &SharedNode) {
        let mut held = self.held();
        held.nodes.resize(RUN as usize, None);
        let before = held.nodes[(number % RUN) as usize].replace(node.clone());
        held.bytes += bytes(node) - before.map_or(0, |before| bytes(&before));
    }
}

/// Runs on the way through a page: most nodes are in the run of the one before.
struct Runs<'k> {
    kept: &'k KeptNodes,
    source: u64,
    last: Option<(u64, Arc<Run>)>,
}

impl Runs<'_> {
    fn get(&mut self, number: u64) -> Option<SharedNode> {
        let place = number / RUN;
        if self.last.as_ref().is_none_or(|(last, _)| *last != place) {
            self.last = Some((place, self.kept.0.get(&(self.source, place))?.run));
        }
        self.last.as_ref()?.1.get(number)
    }
}

impl KeptNodes {
    /// Keeps the nodes of a whole page.
    ///
    /// # Errors
    /// [`Error::Invalid`] when there are not as many numbers as nodes.
    pub(super) fn keep(&self, told: &NodeNumbers, nodes: &Nodes) -> Result<(), Error> {
        fits(told.steps.len(), nodes.len(), "decide.nodes.steps")?;
        self.put(told.source, &numbers(told).zip(nodes.shared()).collect::<Vec<_>>());
        Ok(())
    }

    fn put(&self, source: u64, nodes: &[(u64, &SharedNode)]) {
        for of_run in nodes.chunk_by(|(one, _), (next, _)| one / RUN == next / RUN) {
            let key = (source, of_run[0].0 / RUN);
            // Whoever comes at the same moment gets the same run.
            let Ok(Weighed { run, .. }) = self.0.get_or_insert_with(&key, || Ok::<_, Infallible>(Weighed::default()));
            of_run.iter().for_each(|(number, node)| run.put(*number, node));
            // Again, where it was there: it weighs more now.
            let weight = run.weight();
            self.0.insert(key, Weighed { run, weight });
        }
    }

    /// The nodes of a whole page from those that were sent, which are kept from now on, and those that are kept; none when
    /// one is not kept any more.
    ///
    /// # Errors
    /// [`Error::Invalid`] when there are not as many places as nodes, or a place is not on the page.
    pub(super) fn restore(&self, told: &NodeNumbers, sent: &Nodes) -> Result<Option<Nodes>, Error> {
        fits(told.held.len(), sent.len(), "decide.nodes.held")?;
        let mut fresh = told.held.iter().zip(sent.shared()).peekable();
        let mut runs = Runs { kept: self, source: told.source, last: None };
        let mut whole = Vec::with_capacity(told.steps.len());
        let mut new = Vec::with_capacity(sent.len());
        for (place, number) in numbers(told).enumerate() {
            if let Some((_, node)) = fresh.next_if(|(held, _)| **held as usize == place) {
                whole.push(node.clone());
                new.push((number, node));
                continue;
            }
            let Some(node) = runs.get(number) else { return Ok(None) };
            whole.push(node);
        }
        fits(fresh.count(), 0, "decide.nodes.held")?;
        self.put(told.source, &new);
        Ok(Some(whole.into()))
    }
}

fn fits(told: usize, there: usize, field: &'static str) -> Result<(), Error> {
    if told == there {
        return Ok(());
    }
    Err(Error::Invalid { field, cause: format!("{told} are told where there are {there}") })
}

/// Bytes of memory that a node holds, about.
fn bytes(node: &Node) -> u64 {
    let Node { role, tag, name, text, value, attributes, options, context, xpath, .. } = node;
    let texts = [role, tag, name, text, context, xpath].into_iter().chain(value).map(String::len);
    let attributes = attributes.iter().map(|(name, value)| 2 * size_of::<String>() + name.len() + value.len());
    let options = options.iter().map(|option| 2 * size_of::<String>() + option.label.len() + option.value.len());
    (size_of::<Node>() + texts.chain(attributes).chain(options).sum::<usize>()) as u64
}

#[derive(Clone)]
struct Weight;

impl Weighter<Key, Weighed> for Weight {
    fn weight(&self, _: &Key, kept: &Weighed) -> u64 {
        kept.weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::decision::Telling;

    fn nodes(texts: &[&str]) -> Nodes {
        texts.iter().map(|text| Node { text: (*text).to_owned(), ..Node::default() }).collect()
    }

    fn told(source: u64, numbers: &[u64], sent: Option<&[u32]>) -> NodeNumbers {
        Telling { source, numbers, sent }.into()
    }

    #[test]
    fn a_page_is_restored_from_what_is_kept_and_what_is_new() {
        let kept = KeptNodes::default();
        kept.keep(&told(7, &[3, 4, 900], None), &nodes(&["a", "b", "c"])).unwrap();
        let next = told(7, &[900, 5, 3], Some(&[1]));
        assert_eq!(kept.restore(&next, &nodes(&["new"])), Ok(Some(nodes(&["c", "new", "a"]))));
        let again = told(7, &[5, 5, u64::MAX], Some(&[2]));
        assert_eq!(kept.restore(&again, &nodes(&["last"])), Ok(Some(nodes(&["new", "new", "last"]))));
        assert_eq!(kept.restore(&told(7, &[], Some(&[])), &nodes(&[])), Ok(Some(nodes(&[]))));
    }

    #[test]
    fn numbers_of_another_process_are_other_numbers() {
        let kept = KeptNodes::default();
        kept.keep(&told(7, &[3], None), &nodes(&["a"])).unwrap();
        assert_eq!(kept.restore(&told(8, &[3], Some(&[])), &nodes(&[])), Ok(None));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let kept = KeptNodes::default();
        assert!(kept.keep(&told(7, &[3, 4], None), &nodes(&["a"])).is_err());
        assert!(kept.restore(&told(7, &[3, 4], Some(&[0])), &nodes(&["a", "b"])).is_err());
        kept.keep(&told(7, &[3, 4], None), &nodes(&["a", "b"])).unwrap();
        for places in [[0, 2], [1, 0], [1, 1]] {
            assert!(kept.restore(&told(7, &[3, 4], Some(&places)), &nodes(&["c", "d"])).is_err(), "{places:?}");
        }
    }

    #[test]
    fn no_more_is_kept_than_there_is_room_for() {
        let kept = KeptNodes(Cache::with_weighter(64, 1 << 20, Weight));
        for number in 0..10_000 {
            kept.keep(&told(7, &[number], None), &nodes(&["some text"])).unwrap();
        }
        assert!(kept.0.weight() <= 1 << 20 && kept.0.len() > 8, "{} runs", kept.0.len());
    }
}
