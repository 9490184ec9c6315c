//! Which states can be reached by opening an address, as far as observed.
//!
//! An address may show another state depending on earlier actions, such as a chosen language or a filled basket, so
//! recent openings weigh more.

use crate::actions::address_of_page;
use domain::StateId;
use std::collections::{BTreeMap, HashMap};

/// Prior probability that a state is at its address, and its weight in openings.
const EXPECTED: f64 = 0.9;
const WEIGHT: f64 = 2.0;
/// Decay of an opening's weight with each later one.
const FADING: f64 = 0.8;
/// States with a lower probability are not reached by address.
pub(crate) const LEAST: f64 = 0.2;

/// What openings of an address found, with decaying weights.
struct Address {
    /// The expected state: the one first found.
    first: StateId,
    tries: f64,
    found: BTreeMap<StateId, f64>,
}

/// The addresses of a site at which states were found.
#[derive(Default)]
pub(crate) struct Addresses {
    known: HashMap<u64, Address>,
    /// Weighted number of openings, and of those that found the expected state.
    opened: f64,
    expected: f64,
}

impl Addresses {
    /// Records the state in which the site begins.
    pub(crate) fn begins(&mut self, state: StateId, url: &str) {
        let fresh = || Address { first: state, tries: 0.0, found: BTreeMap::new() };
        self.known.entry(address_of_page(url)).or_insert_with(fresh);
    }

    /// Records a state first reached by a link, from a page at another address or the same.
    pub(crate) fn reached_by_link(&mut self, state: StateId, url: &str, from_url: &str) {
        if address_of_page(url) != address_of_page(from_url) {
            self.begins(state, url);
        }
    }

    /// Records that opening an address found a state, which was first seen at `first_url`.
    pub(crate) fn opened(&mut self, url: &str, found: StateId, first_url: &str) {
        let name = address_of_page(url);
        let Some(address) = self.known.get_mut(&name) else { return };
        self.opened += 1.0;
        self.expected += f64::from(u8::from(address.first == found));
        address.found.values_mut().for_each(|times| *times *= FADING);
        address.tries = address.tries * FADING + 1.0;
        // Otherwise the address redirects, and the state is not known by it.
        if name == address_of_page(first_url) {
            *address.found.entry(found).or_default() += 1.0;
        }
    }

    /// The states found at an address, with the probability of finding each again.
    pub(crate) fn states(&self) -> impl Iterator<Item = (StateId, f64)> {
        let usual = (self.expected + WEIGHT * EXPECTED) / (self.opened + WEIGHT);
        let of = move |address: &Address| {
            let first = address.found.get(&address.first).copied().unwrap_or_default();
            let others = address.found.iter().filter(|(state, _)| **state != address.first);
            let all = others.map(|(state, times)| (*state, *times)).chain([(address.first, first + usual)]);
            let tries = address.tries + 1.0;
            all.map(move |(state, times)| (state, times / tries)).collect::<Vec<_>>()
        };
        self.known.values().flat_map(of).filter(|(_, chance)| *chance >= LEAST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "http://a/list";

    fn chance(addresses: &Addresses, state: u64) -> Option<f64> {
        addresses.states().find(|(of, _)| *of == StateId(state)).map(|(_, chance)| chance)
    }

    #[test]
    fn what_opens_within_a_page_has_no_address_of_its_own() {
        let mut addresses = Addresses::default();
        addresses.reached_by_link(StateId(2), LIST, "http://a/");
        addresses.reached_by_link(StateId(3), "http://a/list#more", LIST);
        addresses.reached_by_link(StateId(4), LIST, "http://a/other");
        assert!(chance(&addresses, 2).is_some());
        assert_eq!((chance(&addresses, 3), chance(&addresses, 4)), (None, None));
    }

    #[test]
    fn an_address_that_led_elsewhere_is_trusted_less_and_one_that_did_not_more() {
        let mut addresses = Addresses::default();
        addresses.reached_by_link(StateId(2), LIST, "http://a/");
        addresses.reached_by_link(StateId(3), "http://a/sent", "http://a/form");
        let before = chance(&addresses, 2);
        addresses.opened(LIST, StateId(2), LIST);
        assert!(chance(&addresses, 2) > before && chance(&addresses, 3) > before);
        addresses.opened("http://a/sent", StateId(7), "http://a/form");
        assert!(chance(&addresses, 3) < Some(0.5) && chance(&addresses, 2) > Some(0.8));
        assert_eq!(chance(&addresses, 7), None, "it is at another address");
    }

    #[test]
    fn what_was_at_an_address_lately_is_expected_there() {
        let mut addresses = Addresses::default();
        addresses.begins(StateId(1), "http://a/");
        (0..3).for_each(|_| addresses.opened("http://a/", StateId(1), "http://a/"));
        assert!(chance(&addresses, 1) > Some(0.9));
        (0..4).for_each(|_| addresses.opened("http://a/", StateId(9), "http://a/"));
        assert!(chance(&addresses, 9) > Some(0.5) && chance(&addresses, 1) < Some(0.5));
    }
}
