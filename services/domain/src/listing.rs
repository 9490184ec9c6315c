//! What states are called where several are listed: by their titles, and those of one title by what only some of them show.

use crate::id::StateId;
use crate::state::State;
use std::collections::{BTreeMap, HashMap, HashSet};

/// How the parts of a state's summary are joined.
pub const BETWEEN: &str = " · ";
/// Parts of a summary that are added to a title at most.
const PARTS: usize = 3;

/// What each state is called in a list of these.
pub fn titles(states: &[State]) -> BTreeMap<StateId, String> {
    let mut alike: HashMap<&str, Vec<&State>> = HashMap::new();
    for state in states {
        alike.entry(own_title(state)).or_default().push(state);
    }
    let mut titles = BTreeMap::new();
    for (title, states) in alike {
        match states.as_slice() {
            [only] => {
                titles.insert(only.id, title.to_owned());
            }
            several => titles.extend(told_apart(title, several)),
        }
    }
    titles
}

/// What a state is called by itself: its title, or else its address.
pub fn own_title(state: &State) -> &str {
    let named = [&state.title, &state.template, &state.url].into_iter().find(|name| !name.trim().is_empty());
    named.map_or("", String::as_str)
}

/// States of one title, each with the parts of its summary that the fewest others share, and its address where that differs.
fn told_apart(title: &str, states: &[&State]) -> Vec<(StateId, String)> {
    let parts: Vec<Vec<&str>> = states.iter().map(|state| parts(state, title)).collect();
    let mut shared: HashMap<&str, usize> = HashMap::new();
    for part in parts.iter().flatten() {
        *shared.entry(part).or_default() += 1;
    }
    let addresses: HashSet<&str> = states.iter().map(|state| state.template.as_str()).collect();
    let mut called: Vec<(StateId, String)> = Vec::new();
    let mut taken: HashSet<String> = HashSet::new();
    for (state, mut parts) in states.iter().zip(parts) {
        // What stands on all of them tells nothing; of the others the first that the fewest share.
        parts.retain(|part| shared[part] < states.len());
        parts.sort_by_key(|part| shared[part]);
        let mut name = title.to_owned();
        if addresses.len() > 1 && state.template != title {
            name = format!("{name}{BETWEEN}{}", state.template);
        }
        for part in parts.into_iter().take(PARTS) {
            if !name.is_empty() && !taken.contains(&name) && name != title {
                break;
            }
            name = format!("{name}{BETWEEN}{part}");
        }
        taken.insert(name.clone());
        called.push((state.id, name));
    }
    called
}

/// The parts of a state's summary but its title, each once, in order.
fn parts<'a>(state: &'a State, title: &str) -> Vec<&'a str> {
    let mut seen = HashSet::new();
    let parts = state.summary.split(BETWEEN).filter(|part| *part != title && !part.trim().is_empty());
    parts.filter(|part| seen.insert(*part)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(id: u64, title: &str, template: &str, summary: &str) -> State {
        State {
            id: StateId(id),
            url: String::new(),
            template: template.into(),
            title: title.into(),
            summary: summary.into(),
            forms: Vec::new(),
            fingerprint: Vec::new(),
            screenshot: None,
        }
    }

    #[test]
    fn a_title_that_only_one_state_has_is_enough() {
        let titles = titles(&[state(1, "Boats", "/boats", "Boats · New"), state(2, "", "/log", "")]);
        assert_eq!((titles[&StateId(1)].as_str(), titles[&StateId(2)].as_str()), ("Boats", "/log"));
    }

    #[test]
    fn states_of_one_title_are_told_apart_by_what_only_some_show() {
        let states = [
            state(1, "Shop", "/", "Shop · Home · Log in"),
            state(2, "Shop", "/", "Shop · Home · Log in · Delete this?"),
            state(3, "Shop", "/", "Shop · Home · Basket"),
        ];
        let titles = titles(&states);
        assert_eq!(titles[&StateId(1)], "Shop · Log in");
        assert_eq!(titles[&StateId(2)], "Shop · Delete this?");
        assert_eq!(titles[&StateId(3)], "Shop · Basket");
    }

    #[test]
    fn pages_of_one_title_are_told_apart_by_their_addresses() {
        let titles = titles(&[state(1, "Shop", "/a", "Shop"), state(2, "Shop", "/b", "Shop")]);
        assert_eq!((titles[&StateId(1)].as_str(), titles[&StateId(2)].as_str()), ("Shop · /a", "Shop · /b"));
    }
}
