//! Going again the ways of one run that another did not go, to see whether what lies at their end is still there.
//!
//! It says which way to go next, and reads from the map what came of it. It never touches a page.

use crate::diff::{Comparison, Counterparts, Fate, Side};
use crate::error::Error;
use crate::service::Graph;
use crate::site::Site;
use domain::state::{ActionKey, Route, Transition};
use domain::{SiteId, StateId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How often a step that leads now here, now there is gone.
const TRIES: u32 = 2;

type Step = (StateId, ActionKey, StateId);

/// The ways of one side that are to be gone again on the other.
pub struct Retracing {
    graph: Graph,
    site: SiteId,
    here: Side,
    there: Side,
    tries: BTreeMap<Step, u32>,
    /// The last way, with how often each step of it had been gone again before.
    last: Vec<(Step, u64)>,
    /// The states to which a way was gone again to its end.
    arrived: BTreeSet<StateId>,
    walked: usize,
}

impl Retracing {
    /// The ways of `here` that are to be gone again; what comes of it is told by the last version of `there`, which the walker
    /// writes.
    pub fn new(graph: Graph, site: SiteId, here: Side, there: Side) -> Self {
        Self { graph, site, here, there, tries: BTreeMap::new(), last: Vec::new(), arrived: BTreeSet::new(), walked: 0 }
    }

    /// How many ways were given out.
    pub fn walked(&self) -> usize {
        self.walked
    }

    /// The next way from the start, by what came of the last; none when nothing is left to find out.
    ///
    /// # Errors
    /// Of the map.
    pub async fn next(&mut self) -> Result<Option<Route>, Error> {
        let (graph, site) = (self.graph.clone(), self.site.clone());
        let held = graph.fresh(&site).await?;
        let abstraction = graph.abstraction();
        let comparison = Comparison::new(&held.site, &self.here, &self.there, abstraction.as_ref());
        let sides = comparison.onward();
        let last = std::mem::take(&mut self.last);
        let gone = |step: &Step| self.times_gone(&held.site, &sides, *step);
        // Where the walk left the way. What it did is worth trying again.
        let stopped = last.iter().position(|(step, before)| gone(step) <= *before);
        for (step, _) in &last[..stopped.unwrap_or(last.len())] {
            self.tries.remove(step);
        }
        match stopped.and_then(|at| last.get(at)) {
            Some((step, _)) => *self.tries.entry(*step).or_default() += 1,
            None => self.arrived.extend(last.last().map(|((_, _, to), _)| *to)),
        }
        let wanted = comparison.unsettled();
        let way = self.way(&sides, &wanted.difference(&self.arrived).copied().collect());
        if way.is_empty() {
            return Ok(None);
        }
        self.walked += 1;
        let hops: Option<Vec<Transition>> = way.iter().map(|step| sides.step(*step)).collect();
        self.last = way.into_iter().map(|step| (step, self.times_gone(&held.site, &sides, step))).collect();
        Ok(hops.map(|hops| Route { from_start: true, hops, reliability: 1.0, latency_ms: 0.0 }))
    }

    /// How often the walker went a step.
    fn times_gone(&self, site: &Site, sides: &Counterparts<'_>, step: Step) -> u64 {
        let walker = self.there.versions.last().copied();
        let there = sides.step_there(step).and_then(|(from, key, to)| site.edge(from, key, to));
        let tally = there.zip(walker).and_then(|(edge, version)| edge.in_version(version));
        tally.map_or(0, |(tally, _)| tally.count)
    }

    /// A shortest way to one of the states, without a step that is broken or was tried often enough.
    fn way(&self, sides: &Counterparts<'_>, wanted: &BTreeSet<StateId>) -> Vec<Step> {
        let Some(start) = sides.start() else { return Vec::new() };
        let mut last: BTreeMap<StateId, Step> = BTreeMap::new();
        let mut waiting = VecDeque::from([start]);
        while let Some(from) = waiting.pop_front() {
            if wanted.contains(&from) {
                let mut way: Vec<Step> =
                    std::iter::successors(last.get(&from), |step| last.get(&step.0)).copied().collect();
                way.reverse();
                return way;
            }
            for step in sides.steps_from(from) {
                let is_tired = self.tries.get(&step).is_some_and(|tries| *tries >= TRIES);
                let is_known = step.2 == start || last.contains_key(&step.2);
                if !is_known && !is_tired && sides.fate(step.0, step.1, step.2) != Fate::Broken {
                    last.insert(step.2, step);
                    waiting.push_back(step.2);
                }
            }
        }
        Vec::new()
    }
}
