//! Plans walks that repeat paths of one run that another run did not take, to see whether their ends still exist; and
//! tries controls that only the other run offers and never tried.
//!
//! It chooses the next route and reads the outcome from the map. It never touches a page.

use crate::abstraction::words::steady;
use crate::diff::{Comparison, Counterparts, Fate, Last, Side, Step, from_start};
use crate::error::Error;
use crate::merge::name_of;
use crate::service::Graph;
use crate::site::Site;
use domain::state::{EdgeTally, Opportunity, Route, Transition};
use domain::{SiteId, StateId};
use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

/// Tries of a step with varying ends.
const TRIES: u32 = 2;
/// Most controls of one name tried that only the other side has, e.g. of a list with other rows.
const OF_A_NAME: usize = 3;

/// The routes of one side to be repeated on the other.
pub struct Retracing {
    graph: Graph,
    site: SiteId,
    here: Side,
    there: Side,
    tries: BTreeMap<Step, u32>,
    /// The last route, with the earlier number of walks of each step.
    last: Vec<(Step, u64)>,
    /// The states to which a route was repeated in full.
    arrived: BTreeSet<StateId>,
    tried: TriedControls,
    walked: usize,
}

impl Retracing {
    /// Plans to repeat the routes of `here`; the walker writes the last version of `there`, which shows the outcome.
    pub fn new(graph: Graph, site: SiteId, here: Side, there: Side) -> Self {
        Self {
            graph,
            site,
            here,
            there,
            tries: BTreeMap::new(),
            last: Vec::new(),
            arrived: BTreeSet::new(),
            tried: TriedControls::default(),
            walked: 0,
        }
    }

    /// Number of routes returned so far.
    pub fn walked(&self) -> usize {
        self.walked
    }

    /// The next route from the start, considering the outcome of the last; none when nothing is left to find out.
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
        // The step at which the walk left the route; its action may be tried again.
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
            let hops = self.tried.next(&comparison);
            self.walked += usize::from(hops.is_some());
            return Ok(hops.map(route));
        }
        self.walked += 1;
        let hops: Option<Vec<Transition>> = way.iter().map(|step| sides.step(*step)).collect();
        self.last = way.into_iter().map(|step| (step, self.times_gone(&held.site, &sides, step))).collect();
        Ok(hops.map(route))
    }

    /// How often the walker took a step.
    fn times_gone(&self, site: &Site, sides: &Counterparts<'_>, step: Step) -> u64 {
        let walker = self.there.versions.last().copied();
        let there = sides.step_there(step).and_then(|(from, key, to)| site.edge(from, key, to));
        let tally = there.zip(walker).and_then(|(edge, version)| edge.in_version(version));
        tally.map_or(0, |(tally, _)| tally.count)
    }

    /// A shortest route to one of the states, without steps that are broken or were tried often enough.
    fn way(&self, sides: &Counterparts<'_>, wanted: &BTreeSet<StateId>) -> Vec<Step> {
        let is_tired = |step: &Step| self.tries.get(step).is_some_and(|tries| *tries >= TRIES);
        let is_open = |step: &Step| !is_tired(step) && sides.fate(step.0, step.1, step.2) != Fate::Broken;
        let (order, last) = from_start(sides, is_open);
        let nearest = order.into_iter().find(|state| wanted.contains(state));
        nearest.map(|state| to(&last, state)).unwrap_or_default()
    }
}

/// Tried controls that only the other side has.
#[derive(Default)]
struct TriedControls {
    /// Tries by label.
    times: BTreeMap<String, u32>,
    /// Tried controls per name.
    of_name: BTreeMap<u64, usize>,
}

impl TriedControls {
    /// The route to an untried control that only the other side has, with the control.
    fn next(&mut self, comparison: &Comparison<'_>) -> Option<Vec<Transition>> {
        let back = comparison.back();
        let (_, last) = from_start(&back, |_| true);
        for Opportunity { state, key, action } in comparison.untried() {
            let label = action.element().map(|element| format!("{} {}", element.role, steady(&element.title())));
            let label = label.unwrap_or_default();
            let (times, of_name) = (self.times.get(&label).copied(), self.of_name.entry(name_of(key)).or_default());
            let is_tired = times.map_or(*of_name >= OF_A_NAME, |times| times >= TRIES);
            let is_known = back.start() == Some(state) || last.contains_key(&state);
            if is_tired || !is_known {
                continue;
            }
            *of_name += usize::from(times.is_none());
            *self.times.entry(label).or_default() += 1;
            let mut hops: Vec<Transition> = to(&last, state).into_iter().filter_map(|step| back.step(step)).collect();
            // Its end is still unknown.
            let (tally, last_seen) = (EdgeTally::default(), SystemTime::UNIX_EPOCH);
            hops.push(Transition { from: state, key, action, to: state, tally, last_seen });
            return Some(hops);
        }
        None
    }
}

fn route(hops: Vec<Transition>) -> Route {
    Route { from_start: true, hops, reliability: 1.0, ..Route::default() }
}

fn to(last: &Last, state: StateId) -> Vec<Step> {
    let mut way: Vec<Step> = std::iter::successors(last.get(&state), |step| last.get(&step.0)).copied().collect();
    way.reverse();
    way
}
