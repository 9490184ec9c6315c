//! Which states can be gone to by opening an address, as far as that was seen.
//!
//! What is at an address may depend on what a browser did before – on a language that it chose, on a basket that it filled –, so the
//! last times count more.

use crate::shared::address_of_page;
use domain::StateId;
use std::collections::{BTreeMap, HashMap};

/// How often a state is expected to be at its address before any was opened, and how many tries that counts for.
const EXPECTED: f64 = 0.9;
const WEIGHT: f64 = 2.0;
/// What a try counts for after the next one.
const FADING: f64 = 0.8;
/// States that are there less often are not gone to so.
pub(crate) const LEAST: f64 = 0.2;

/// What was found at an address. Tries fade.
struct Address {
    /// Who is expected there: the state that was first found.
    first: StateId,
    tries: f64,
    found: BTreeMap<StateId, f64>,
}

/// The addresses of a site at which states were found.
#[derive(Default)]
pub(crate) struct Addresses {
    known: HashMap<u64, Address>,
    /// How often an address was opened, and how often what was expected was there.
    opened: f64,
    expected: f64,
}

impl Addresses {
    /// A site begins with a state.
    pub(crate) fn begins(&mut self, state: StateId, url: &str) {
        let fresh = || Address { first: state, tries: 0.0, found: BTreeMap::new() };
        self.known.entry(address_of_page(url)).or_insert_with(fresh);
    }

    /// A state was come to for the first time by a link, from a page at another address or the same.
    pub(crate) fn came(&mut self, state: StateId, url: &str, from_url: &str) {
        if address_of_page(url) != address_of_page(from_url) {
            self.begins(state, url);
        }
    }

    /// An address was opened, and a state was there, which was first seen at `first_url`.
    pub(crate) fn opened(&mut self, url: &str, found: StateId, first_url: &str) {
        let name = address_of_page(url);
        let Some(address) = self.known.get_mut(&name) else { return };
        self.opened += 1.0;
        self.expected += f64::from(u8::from(address.first == found));
        address.found.values_mut().for_each(|times| *times *= FADING);
        address.tries = address.tries * FADING + 1.0;
        // Else it leads on to another address, by which the state is not known.
        if name == address_of_page(first_url) {
            *address.found.entry(found).or_default() += 1.0;
        }
    }

    /// The states that were found at an address, with the chance that they are there when it is opened.
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
        addresses.came(StateId(2), LIST, "http://a/");
        addresses.came(StateId(3), "http://a/list#more", LIST);
        addresses.came(StateId(4), LIST, "http://a/other");
        assert!(chance(&addresses, 2).is_some());
        assert_eq!((chance(&addresses, 3), chance(&addresses, 4)), (None, None));
    }

    #[test]
    fn an_address_that_led_elsewhere_is_trusted_less_and_one_that_did_not_more() {
        let mut addresses = Addresses::default();
        addresses.came(StateId(2), LIST, "http://a/");
        addresses.came(StateId(3), "http://a/sent", "http://a/form");
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
