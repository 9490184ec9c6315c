//! Which untried actions promise most: novelty × reachability ÷ cost (METHODS section 5).
//!
//! *Novelty* is the chance that it leads to something that nobody has seen: by what came of actions of its name, of those in its
//! place on other pages or in the same menu, and of those of its kind, the nearer the more. What the navigation does is known
//! after the first page, and of a list of equal things after a few. A link to an address that was visited promises little, and
//! so does what is offered in one more state of a known shape, as the same page in another language.
//! *Reachability* is the reliability of the way to the action's state, and *cost* the time it takes, from where the browser is
//! or by opening an address: that at which the site begins, or one at which a state was found.

use crate::addresses::LEAST;
use crate::path::{RETRY_MS, Ways};
use crate::site::Site;
use crate::yields::Known;
use domain::StateId;
use domain::state::{ActionKey, Opportunity, Progress, Route};

/// Milliseconds that trying an action takes by itself, and opening an address, about: what matters is how they compare with
/// the latencies that were measured.
const TRY_MS: f64 = 150.0;
const OPEN_MS: f64 = 250.0;

/// An untried action, and how to get to it.
#[derive(Clone, Debug)]
pub struct Prospect {
    /// The action.
    pub opportunity: Opportunity,
    /// The way to its state.
    pub path: Route,
    /// What it promises; more is better.
    pub gain: f64,
}

/// What an action promises, whether an address must be opened for it, and the action.
type Rated = (f64, bool, (StateId, ActionKey));

/// The untried actions of a version that can be reached and that nobody is about to try, best first, at most `limit`.
pub fn prospects(
    site: &Site,
    version: usize,
    at: Option<StateId>,
    limit: usize,
    is_free: impl Fn(StateId, ActionKey) -> bool,
) -> Vec<Prospect> {
    let Some(start) = site.start() else { return Vec::new() };
    let from_here = at.map(|at| Ways::from(site, at, None));
    // Whatever is found at the start, there is no other place to begin.
    let opening = site.openable(version).chain([(start, LEAST)]);
    let opening = opening.map(|(state, chance)| (state, OPEN_MS - RETRY_MS * chance.ln()));
    let by_opening = Ways::among(site, opening, None);
    let cost = |state: StateId| {
        let here = from_here.as_ref().and_then(|ways| ways.cost(state)).map(|cost| (cost, false));
        let anew = by_opening.cost(state).map(|cost| (cost, true));
        [here, anew].into_iter().flatten().min_by(|one, other| one.0.total_cmp(&other.0))
    };
    let is_open = |(state, key, _, progress): &(_, _, _, _)| *progress != Progress::Done && is_free(*state, *key);
    let open = site.offered_by(version).filter(is_open);
    let mut rated: Vec<Rated> = open
        .filter_map(|(state, key, action, _)| {
            // The cost of the way holds its reliability already.
            let (cost, is_anew) = cost(state)?;
            let known = site.known_of(version, state, key, action);
            Some((novelty(&known) / (TRY_MS + cost), is_anew, (state, key)))
        })
        .collect();
    let better = |one: &Rated, other: &Rated| other.0.total_cmp(&one.0).then_with(|| one.2.cmp(&other.2));
    // Only those that are asked for have to be in order.
    if limit < rated.len() {
        rated.select_nth_unstable_by(limit, better);
        rated.truncate(limit);
    }
    rated.sort_by(better);
    let prospect = |(gain, is_anew, (state, key)): Rated| {
        let ways = if is_anew { Some(&by_opening) } else { from_here.as_ref() };
        let route = ways?.route(site, state)?;
        let begin = route.hops.first().map_or(state, |hop| hop.from);
        let address = site.state(begin).filter(|_| is_anew && begin != start).map(|begin| begin.url.clone());
        let path = Route { from_start: is_anew, address, ..route };
        Some(Prospect { opportunity: site.opportunity(version, state, key)?, path, gain })
    };
    rated.into_iter().filter_map(prospect).collect()
}

/// The chance that an action leads to a state that nobody has seen, by what came of its like. Each group starts with what the
/// wider one expects. Squared, because what led nowhere twice is hardly ever the way to something new.
fn novelty(known: &Known) -> f64 {
    let after = |expected: f64, tries: u32, states: f64| {
        let tries = f64::from(tries);
        (states.clamp(0.0, tries) + WEIGHT * expected) / (tries + WEIGHT)
    };
    let [kind, place, name] = known.like_it;
    let chance = after(if known.is_field { OF_A_FIELD } else { 1.0 }, kind.tries, kind.states);
    let chance = after(chance, place.tries, place.states);
    // That the first of a name led to something new says nothing of the second: it leads there too.
    let chance = match name.tries {
        0 => chance,
        tries => after(AGAIN * chance, tries - 1, name.states - 1.0),
    };
    let visits = 1.0 + f64::from(known.visits);
    (chance / visits).powi(2) / f64::from(known.alike.max(1)).sqrt()
}

/// How many tries what a wider group expects counts for.
const WEIGHT: f64 = 0.5;
/// What is expected of changing a field before anything was tried: what stands in it rarely makes a state.
const OF_A_FIELD: f64 = 0.5;
/// What is expected of an action that was done elsewhere, out of what was expected of it there.
const AGAIN: f64 = 0.5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yields::Yield;

    fn of(kind: (u32, f64), place: (u32, f64), name: (u32, f64)) -> Known {
        let like_it = [kind, place, name].map(|(tries, states)| Yield { tries, states });
        Known { like_it, is_field: false, visits: 0, alike: 1 }
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
        let field = |kind| novelty(&Known { is_field: true, ..of(kind, (0, 0.0), (0, 0.0)) });
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
        assert!(novelty(&Known { visits: 2, ..new }) < 0.2);
        assert!(novelty(&Known { alike: 9, ..new }) < 0.4);
    }
}
