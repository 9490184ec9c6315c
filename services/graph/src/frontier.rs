//! Ranks untried actions by novelty × reachability ÷ cost.
//!
//! *Novelty* is the probability that an action leads to an unseen state, estimated from the results of similar actions:
//! those of its name, those at the same place on other pages or in the same menu, and those of its kind; nearer groups
//! weigh more. So what the navigation does is known after the first page, and what a list of equal things does after a
//! few entries. A link to a visited address promises little, and so does an action in one more state of a known shape,
//! such as the same page in another language. An action whose outcome is known – a link to where somebody was, a control that
//! did the same in other states – gets a small share of the tries, and the further records of a list what time is left in the end. *Reachability* is the reliability of the path to the action's state.
//! *Cost* is the time the path takes, from the current state or by opening an address: the site's start, or one at
//! which a state was found.

use crate::addresses::LEAST;
use crate::novelty::NoveltyEvidence;
use crate::path::ShortestPaths;
use crate::site::Site;
use domain::StateId;
use domain::state::{ActionKey, Opportunity, Progress, Route};
use rustc_hash::{FxHashMap, FxHashSet};

/// Approximate milliseconds of trying an action; only its ratio to measured latencies matters.
const TRY_MS: f64 = 150.0;

/// An untried action with the path to it.
#[derive(Clone, Debug)]
pub struct Prospect {
    /// The action.
    pub opportunity: Opportunity,
    /// The way to its state.
    pub path: Route,
    /// What it promises; more is better.
    pub gain: f64,
}

/// An action with what speaks for it.
struct Rated {
    gain: f64,
    /// Whether an address must be opened first.
    is_anew: bool,
    /// Whether its outcome is known.
    is_known: bool,
    /// Whether it leads to an address where nobody was.
    is_unvisited: bool,
    /// The control that it is, in whichever state.
    control: u64,
    /// States of the shape of the one that offers it.
    alike: u32,
    action: (StateId, ActionKey),
}

impl Rated {
    /// The list that it is an entry of.
    fn list(&self) -> (StateId, u64) {
        (self.action.0, self.control)
    }
}

/// States of one shape whose lists are each looked into, such as the tabs of a page; there are more of what repeats itself.
const FEW: u32 = 4;

/// The reachable, unclaimed, untried actions of a version, best first, at most `limit`.
pub fn prospects(
    site: &Site,
    version: usize,
    at: Option<StateId>,
    limit: usize,
    is_free: impl Fn(StateId, ActionKey) -> bool,
) -> Vec<Prospect> {
    let from_here = at.map(|at| ShortestPaths::from(site, at, None));
    // The start address is an option whatever it shows by now.
    let by_opening = ShortestPaths::by_opening(site, Some(version), LEAST, None);
    let cost = |state: StateId| {
        let here = from_here.as_ref().and_then(|ways| ways.cost(state)).map(|cost| (cost, false));
        let anew = by_opening.cost(state).map(|cost| (cost, true));
        [here, anew].into_iter().flatten().min_by(|one, other| one.0.total_cmp(&other.0))
    };
    let is_open = |(state, key, _, progress): &(_, _, _, _)| *progress != Progress::Done && is_free(*state, *key);
    let open = site.offered_by(version).filter(is_open);
    let mut rated: Vec<Rated> = open
        .filter_map(|(state, key, action, _)| {
            // The path's cost already includes its reliability.
            let (cost, is_anew) = cost(state)?;
            let known = site.known_of(version, state, key, action);
            let gain = novelty(&known) / (TRY_MS + cost);
            let is_unvisited = action.address.is_some() && known.visits == 0;
            let control = site.control_of(version, state, key, action);
            let (is_known, alike, action) = (known.is_known(), known.alike, (state, key));
            Some(Rated { gain, is_anew, is_known, is_unvisited, control, alike, action })
        })
        .collect();
    if !site.may_repeat(version) {
        match rated.iter().all(|rated| rated.is_known) {
            true => keep_rest_of_lists(&mut rated, site, version),
            false => rated.retain(|rated| !rated.is_known),
        }
    }
    let better =
        |one: &Rated, other: &Rated| other.gain.total_cmp(&one.gain).then_with(|| one.action.cmp(&other.action));
    // Only the requested ones need sorting.
    if limit < rated.len() {
        rated.select_nth_unstable_by(limit, better);
        rated.truncate(limit);
    }
    rated.sort_by(better);
    let prospect = |Rated { gain, is_anew, action: (state, key), .. }: Rated| {
        let path = if is_anew { by_opening.opened_route(site, state) } else { from_here.as_ref()?.route(site, state) }?;
        Some(Prospect { opportunity: site.opportunity(version, state, key)?, path, gain })
    };
    rated.into_iter().filter_map(prospect).collect()
}

/// When nothing else is left, there is time for the rest of lists: one record may be unlike those that were opened. Kept are links to where
/// nobody was: entries of a list that was begun in its state, and of each list that one of a few states of a shape shows. What they lead to
/// is not gone on from in the same way: a calendar has no end.
fn keep_rest_of_lists(rated: &mut Vec<Rated>, site: &Site, version: usize) {
    let opened = site.offered_by(version).filter(|(.., progress)| *progress == Progress::Done);
    let begun: FxHashSet<(StateId, u64)> =
        opened.map(|(state, key, action, _)| (state, site.control_of(version, state, key, action))).collect();
    rated.retain(|rated| rated.is_unvisited);
    let mut entries: FxHashMap<(StateId, u64), u32> = FxHashMap::default();
    rated.iter().for_each(|rated| *entries.entry(rated.list()).or_default() += 1);
    let is_list = |rated: &Rated| entries.get(&rated.list()).is_some_and(|entries| *entries > 1);
    rated.retain(|rated| begun.contains(&rated.list()) || (rated.alike <= FEW && is_list(rated)));
}

/// The probability that an action leads to an unseen state, from the results of similar actions. Each group's prior is
/// the estimate of the wider one. Squared, because an action whose like led nowhere twice hardly ever leads to
/// something new.
fn novelty(known: &NoveltyEvidence) -> f64 {
    let after = |expected: f64, tries: u32, states: f64| {
        let tries = f64::from(tries);
        (states.clamp(0.0, tries) + WEIGHT * expected) / (tries + WEIGHT)
    };
    let [kind, place, name] = known.like_it;
    let chance = after(if known.is_field { OF_A_FIELD } else { 1.0 }, kind.tries, kind.states);
    let chance = after(chance, place.tries, place.states);
    // If the first action of a name led to a new state, the second leads to the same one.
    let chance = match name.tries {
        0 => chance,
        tries => after(AGAIN * chance, tries - 1, name.states - 1.0),
    };
    // The same control in another state does the same, as far as it did so far.
    let chance = match known.same.tries {
        0 => chance,
        tries => chance.min(after(AGAIN * chance, tries - 1, f64::from(known.same.outcomes) - 1.0)),
    };
    let visits = 1.0 + f64::from(known.visits);
    (chance / visits).powi(2) / f64::from(known.alike.max(1)).sqrt()
}

/// Weight of a wider group's estimate, in tries.
const WEIGHT: f64 = 0.5;
/// Prior for changing a field, whose value rarely makes a new state.
const OF_A_FIELD: f64 = 0.5;
/// Factor for an action that was tried elsewhere.
const AGAIN: f64 = 0.5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::novelty::{OutcomeCounts, TryCounts};

    fn of(kind: (u32, f64), place: (u32, f64), name: (u32, f64)) -> NoveltyEvidence {
        let like_it = [kind, place, name].map(|(tries, states)| TryCounts { tries, states });
        NoveltyEvidence { like_it, is_field: false, visits: 0, alike: 1, same: OutcomeCounts::default() }
    }

    #[test]
    fn what_always_leads_to_something_new_stays_new_and_what_never_does_is_soon_left() {
        let of = |tries, states| novelty(&of((tries, states), (tries, states), (tries, states)));
        assert_eq!(of(0, 0.0), 1.0);
        assert!(of(5, 5.0) > 0.8 && of(1, 1.0) < 0.5 && of(1, 1.0) > 0.2);
        assert!(of(1, 0.0) < 0.2 && of(5, 1.0) < 0.1);
        assert!(of(3, 2.0) > of(6, 2.0));
    }

    #[test]
    fn fields_are_expected_to_lead_nowhere_until_one_does() {
        let field = |kind| novelty(&NoveltyEvidence { is_field: true, ..of(kind, (0, 0.0), (0, 0.0)) });
        assert!(field((0, 0.0)) < 0.3 && field((4, 4.0)) > 0.8);
    }

    #[test]
    fn what_was_never_tried_is_judged_by_its_neighbours_and_then_by_itself() {
        let untried = novelty(&of((40, 10.0), (30, 1.0), (0, 0.0)));
        assert!(untried < novelty(&of((40, 10.0), (0, 0.0), (0, 0.0))) / 4.0);
        assert!(novelty(&of((40, 10.0), (30, 1.0), (2, 2.0))) > 4.0 * untried);
    }

    #[test]
    fn a_link_to_where_somebody_was_and_one_more_page_of_a_known_shape_promise_little() {
        let new = of((0, 0.0), (0, 0.0), (0, 0.0));
        assert!(novelty(&NoveltyEvidence { visits: 2, ..new }) < 0.2);
        assert!(novelty(&NoveltyEvidence { alike: 9, ..new }) < 0.4);
    }
}
