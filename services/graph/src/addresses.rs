//! Which states can be gone to by opening their address, as far as that was seen.

use crate::shared::address_of_page;
use domain::StateId;
use std::collections::{BTreeMap, HashMap};

/// How often states are expected to be there again before any was opened, and how many tries that counts for.
const EXPECTED: f64 = 0.9;
const WEIGHT: f64 = 2.0;

/// How often an address was opened, and how often that led to its state.
#[derive(Clone, Copy, Debug, Default)]
struct Opened {
    times: u32,
    arrived: u32,
}

/// The addresses of states.
#[derive(Default)]
pub(crate) struct Addresses {
    /// The state that was come to first at an address.
    state_at: HashMap<u64, StateId>,
    of: BTreeMap<StateId, (u64, Opened)>,
    all: Opened,
}

impl Addresses {
    /// A state was come to for the first time by a link, from a page at another address or the same.
    pub(crate) fn came(&mut self, state: StateId, url: &str, from_url: &str) {
        let address = address_of_page(url);
        if address != address_of_page(from_url) && !self.state_at.contains_key(&address) {
            self.state_at.insert(address, state);
            self.of.insert(state, (address, Opened::default()));
        }
    }

    /// An address was opened, and a state was there.
    pub(crate) fn opened(&mut self, url: &str, found: StateId) {
        let Some(state) = self.state_at.get(&address_of_page(url)) else { return };
        let Some((_, known)) = self.of.get_mut(state) else { return };
        for opened in [known, &mut self.all] {
            opened.times += 1;
            opened.arrived += u32::from(*state == found);
        }
    }

    /// The states that have an address of their own, with the chance that they are there when it is opened.
    pub(crate) fn states(&self) -> impl Iterator<Item = (StateId, f64)> {
        let chance = |Opened { times, arrived }: Opened, expected: f64, weight: f64| {
            (f64::from(arrived) + weight * expected) / (f64::from(times) + weight)
        };
        let usual = chance(self.all, EXPECTED, WEIGHT);
        self.of.iter().map(move |(state, (_, opened))| (*state, chance(*opened, usual, 1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chance(addresses: &Addresses, state: u64) -> Option<f64> {
        addresses.states().find(|(of, _)| *of == StateId(state)).map(|(_, chance)| chance)
    }

    #[test]
    fn what_opens_within_a_page_has_no_address_of_its_own() {
        let mut addresses = Addresses::default();
        addresses.came(StateId(2), "http://a/list", "http://a/");
        addresses.came(StateId(3), "http://a/list#more", "http://a/list");
        addresses.came(StateId(4), "http://a/list", "http://a/other");
        assert!(chance(&addresses, 2).is_some());
        assert_eq!((chance(&addresses, 3), chance(&addresses, 4)), (None, None));
    }

    #[test]
    fn an_address_that_led_elsewhere_is_trusted_less_and_one_that_did_not_more() {
        let mut addresses = Addresses::default();
        addresses.came(StateId(2), "http://a/list", "http://a/");
        addresses.came(StateId(3), "http://a/sent", "http://a/form");
        let before = chance(&addresses, 2);
        addresses.opened("http://a/list", StateId(2));
        assert!(chance(&addresses, 2) > before && chance(&addresses, 3) > before);
        addresses.opened("http://a/sent", StateId(7));
        assert!(chance(&addresses, 3) < Some(0.5) && chance(&addresses, 2) > Some(0.8));
    }
}
