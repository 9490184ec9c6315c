//! A made-up site of any size: pages of many kinds, each of which can be told from all others by what can be done on it.

use domain::action::ActionKind;
use domain::observation::Stamp;
use domain::state::{ActionKey, Arrival, EdgeTally, LocateRequest, State, Transition, Version};
use domain::storage::graph::{Changes, Sighting};
use domain::{Action, Descriptor, Effect, ElementId, Node, Observation, RunId, SiteId, StateId};
use graph::abstraction::{Abstraction, Layered, Page, PageInput};
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// States of one kind of page.
const ALIKE: u64 = 20;

/// Transitions from each state.
pub const WAYS: u64 = 5;

/// So many of them by buttons of the page, the others by links of its frame.
const BUTTONS: u64 = 2;

/// What stands in the frame of every page.
const FRAME: [&str; 6] = ["Home", "Search", "Basket", "Account", "Help", "Contact"];

/// A site of a number of states.
pub struct Shop {
    /// Its name, with the first run as a guest.
    pub version: Version,
    states: u64,
    seed: u64,
}

/// A number as a word: names must not differ by numbers only, which are data.
pub(crate) fn word(mut number: u64) -> String {
    const SYLLABLES: [&str; 16] =
        ["ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va"];
    let mut word = String::new();
    loop {
        word.push_str(SYLLABLES[(number % 16) as usize]);
        number /= 16;
        if number == 0 {
            return word;
        }
    }
}

fn node(role: &str, tag: &str, name: &str, operation: Option<ActionKind>) -> Node {
    Node {
        role: role.into(),
        tag: tag.into(),
        name: name.into(),
        text: name.into(),
        operations: operation.into_iter().collect(),
        ..Node::default()
    }
}

fn with(mut node: Node, attribute: &str, value: &str) -> Node {
    node.attributes.insert(attribute.to_owned(), value.to_owned());
    node
}

impl Shop {
    /// The site of a number, always the same one.
    pub fn new(number: u64, states: u64) -> Self {
        let site = SiteId::new(format!("shop-{number}"));
        let version = Version { site, run: RunId::new("first"), role: "guest".into() };
        Self { version, states, seed: number }
    }

    /// The kind of a state's page, and its number among them.
    fn kind(state: u64) -> (u64, u64) {
        (state / ALIKE, state % ALIKE)
    }

    /// What the page of a state shows; states are numbered from 1.
    pub fn page(&self, state: u64, stamp: Stamp) -> Observation {
        let (kind, number) = Self::kind(state);
        let (folder, name) = (word(kind), word(number));
        let url = format!("http://{}/{folder}/{name}", self.version.site);
        let mut nodes = vec![with(node("navigation", "nav", "", None), "class", "nav")];
        for label in FRAME {
            let link = node("link", "a", label, Some(ActionKind::Click));
            let link = with(link, "href", &format!("/{}", label.to_lowercase()));
            nodes.push(Node { parent: Some(ElementId(0)), ..link });
        }
        nodes.push(node("heading", "h1", &format!("{folder} {name}"), None));
        nodes.push(with(node("textbox", "input", &format!("Your {folder}"), Some(ActionKind::Type)), "name", &folder));
        for way in 0..BUTTONS {
            nodes.push(node("button", "button", &format!("{} {name}", word(way)), Some(ActionKind::Click)));
        }
        let text = node("paragraph", "p", &format!("Everything about {folder}, and {name} above all."), None);
        nodes.push(text);
        Observation { stamp, url, title: format!("{folder} {name}"), nodes: nodes.into(), ..Observation::default() }
    }

    /// The element that leads away from a page by one of its ways.
    fn element(page: &Observation, way: u64) -> ElementId {
        let (role, place) = if way < BUTTONS { ("button", way) } else { ("link", way - BUTTONS) };
        let mut found = page.elements().filter(|(_, node)| node.role == role).map(|(id, _)| id);
        found.nth(place as usize).unwrap_or(ElementId(0))
    }

    /// Where a way leads: the first one to the next state, the others anywhere.
    fn target(&self, state: u64, way: u64) -> u64 {
        if way == 0 {
            return state % self.states + 1;
        }
        SmallRng::seed_from_u64(self.seed << 40 | state << 8 | way).random_range(1..=self.states)
    }

    fn key(state: u64, way: u64) -> ActionKey {
        ActionKey((state * WAYS + way).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn action(page: &Observation, way: u64) -> Action<Descriptor> {
        let element = Descriptor::of(page, Self::element(page, way));
        element.map_or(Action::Back, Action::click)
    }

    /// Where trying an opportunity of a state leads: by one of its ways, or nowhere.
    pub fn tried(&self, state: u64, action: &Action<Descriptor>) -> u64 {
        let page = self.page(state, Stamp::default());
        let name = |way: u64| page.node(Self::element(&page, way)).map(|node| node.name.clone());
        let tried = action.element().map(|element| element.name.clone());
        let way = (0..WAYS).find(|way| name(*way) == tried);
        way.map_or(state, |way| self.target(state, way))
    }

    /// Everything of a range of states.
    pub fn changes(&self, known: u64, states: std::ops::RangeInclusive<u64>, now: SystemTime) -> Changes {
        let mut changes = Changes { known, abstraction: Layered.name().to_owned(), ..Changes::default() };
        for id in states {
            let page = self.page(id, Stamp::default());
            let read = Page::from(&page);
            let fingerprint = Layered.fingerprint(&PageInput { page: &read, vector: None, picture: None });
            changes.states.push(State {
                id: StateId(id),
                url: page.url.clone(),
                template: format!("/{}/*", word(Self::kind(id).0)),
                title: page.title.clone(),
                summary: page.nodes.iter().map(|node| node.name.as_str()).collect::<Vec<_>>().join(" · "),
                forms: Vec::new(),
                fingerprint: graph::encoded(&fingerprint).unwrap_or_default(),
                screenshot: None,
            });
            let (state, title) = (StateId(id), page.title.clone());
            changes.sightings.push(Sighting { state, title, forms: Vec::new(), visits: 1 });
            for way in 0..WAYS {
                let tally = EdgeTally { count: 10, succeeded: 10 - (id + way) % 3, latency_ms: 1_000 + id % 700 };
                changes.transitions.push(Transition {
                    from: state,
                    key: Self::key(id, way),
                    action: Self::action(&page, way),
                    to: StateId(self.target(id, way)),
                    tally,
                    last_seen: now,
                });
            }
        }
        changes
    }

    /// The report of a browser that went a known way.
    pub fn visit(&self, session: &str, number: u64, from: u64, way: u64) -> (LocateRequest, StateId) {
        let to = self.target(from, way);
        let stamp = Stamp { session: session.to_owned(), number };
        let before = self.page(from, Stamp::default());
        let arrival = Arrival {
            from: StateId(from),
            action: Self::action(&before, way),
            key: Some(Self::key(from, way)),
            effect: Effect::Changed { what: vec!["url".into()] },
            latency: Duration::from_millis(120),
        };
        let request = LocateRequest {
            version: self.version.clone(),
            observation: Arc::new(self.page(to, stamp)),
            vector: None,
            arrival: Some(arrival),
            reload_of: None,
            opened: None,
            ticket: None,
            screenshot: None,
        };
        (request, StateId(to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_page_is_a_state_of_its_own_and_every_way_an_action_of_its_own() {
        let shop = Shop::new(3, 100);
        let changes = shop.changes(0, 1..=100, SystemTime::UNIX_EPOCH);
        let mut site = graph::site::Site::default();
        let versions = vec![shop.version.clone()];
        let changed = domain::storage::graph::SiteDelta {
            change: 1,
            states: changes.states,
            versions,
            ..domain::storage::graph::SiteDelta::default()
        };
        site.apply(changed, &Layered).expect("a map");
        for id in 1..=100 {
            let page = shop.page(id, Stamp::default());
            let read = Page::from(&page);
            let fingerprint = Layered.fingerprint(&PageInput { page: &read, vector: None, picture: None });
            assert_eq!(site.find(&fingerprint, &Layered), Some(StateId(id)));
        }
        let keys: BTreeSet<ActionKey> = changes.transitions.iter().map(|way| way.key).collect();
        assert_eq!(keys.len(), 500);
        let reached: BTreeSet<StateId> = changes.transitions.iter().map(|way| way.to).collect();
        assert_eq!(reached.len(), 100);
    }
}
