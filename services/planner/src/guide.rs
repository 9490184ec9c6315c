//! What a map knows of a site, as far as whoever looks for something there needs it: which pages there are, what they are about, and how
//! one gets to them. Made of a map, it is an option of a planner and travels as options do.

use domain::address::{is_route, of_page, origin};
use domain::destructive::{spaced, words};
use domain::exploration::Guards;
use domain::harm::{Licence, Opens, Sent, is_doubtful, refused};
use domain::listing::BETWEEN;
use domain::state::{Map, State, Transition};
use domain::{Action, Descriptor, StateId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use url::Url;

/// Pages that are kept at most, those first that were seen first.
const PAGES: usize = 400;
/// Texts of one kind that are kept of a page at most, and their characters.
const TEXTS: usize = 24;
const CHARACTERS: usize = 80;
/// What stands on more than one in so many pages says nothing about any: the navigation, the foot.
const COMMON: usize = 4;
/// Parameters that let somebody in, or prove who follows: what they hold belongs into no guide.
const LETTING_IN: [&str; 14] = [
    "token",
    "sess",
    "session",
    "sid",
    "phpsessid",
    "jsessionid",
    "csrf",
    "xsrf",
    "nonce",
    "wpnonce",
    "hash",
    "signature",
    "auth",
    "key",
];
/// Steps from an address to a page at most.
const STEPS: usize = 4;

/// What a map knows of a site. Untrusted page content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SiteGuide {
    /// Which map, for results: its site.
    pub of: String,
    /// Scheme, host and port of its pages: elsewhere nothing is known.
    pub origin: String,
    /// The pages.
    pub pages: Vec<KnownPage>,
}

/// A page of the map: a state of the site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct KnownPage {
    /// The number of the state.
    pub state: u64,
    /// Its title.
    pub title: String,
    /// Its address within the site: path, query, and the route of a page that changes by script.
    pub address: String,
    /// What the controls are called that led there.
    pub names: Vec<String>,
    /// What stands on it and not on most other pages: headings and controls.
    pub says: Vec<String>,
    /// The fields of its forms.
    pub fields: Vec<String>,
    /// The last step to it, where opening its address shows another state; none where that shows it.
    pub step: Option<KnownStep>,
}

/// A control that leads from one page to another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct KnownStep {
    /// The state that it stands in.
    pub from: u64,
    /// Its role.
    pub role: String,
    /// Its name.
    pub name: String,
}

impl SiteGuide {
    /// What a map knows of the site of this name. Addresses that say themselves that they change something are left out.
    pub fn of(site: &str, map: &Map) -> Self {
        let start = map.start.and_then(|start| map.states.iter().find(|state| state.id == start));
        let origin = start.or(map.states.first()).and_then(|state| origin(&state.url)).unwrap_or_default();
        let of_site = |state: &&State| self::origin(&state.url).as_ref() == Some(&origin);
        let mut states: Vec<(&State, String)> =
            map.states.iter().filter(of_site).filter_map(|state| Some((state, address_of(state)?))).collect();
        states.sort_by_key(|(state, _)| state.id);
        let mut ways: BTreeMap<StateId, Vec<&Transition>> = BTreeMap::new();
        for transition in map.transitions.iter().filter(|way| way.from != way.to && way.tally.succeeded > 0) {
            ways.entry(transition.to).or_default().push(transition);
        }
        let common = common(&states);
        let mut opened: BTreeSet<&str> = BTreeSet::new();
        let mut pages = Vec::new();
        for (state, address) in &states {
            let ways = ways.get(&state.id).map(Vec::as_slice).unwrap_or_default();
            let step = match opened.insert(address) {
                true => None,
                false => match last_step(ways) {
                    Some(step) => Some(step),
                    None => continue,
                },
            };
            pages.push(KnownPage {
                state: state.id.0,
                title: state.title.trim().to_owned(),
                address: address.clone(),
                names: few(ways.iter().filter_map(|way| pressed(&way.action)).map(|(_, name)| name)),
                says: few(says(state).filter(|part| !common.contains(part))),
                fields: few(state.forms.iter().flat_map(|form| &form.fields).map(|field| field_name(field))),
                step,
            });
        }
        pages.truncate(PAGES);
        Self { of: site.to_owned(), origin, pages }
    }

    /// The way to a page: the page whose address is opened, and the controls that are pressed from there. None where no address leads there.
    pub fn way<'a>(&'a self, to: &'a KnownPage) -> Option<(&'a KnownPage, Vec<&'a KnownStep>)> {
        let (mut at, mut steps) = (to, Vec::new());
        while let Some(step) = &at.step {
            steps.push(step);
            at = self.pages.iter().find(|page| page.state == step.from).filter(|_| steps.len() <= STEPS)?;
        }
        steps.reverse();
        Some((at, steps))
    }
}

/// The address of a state within its site; none where opening it may change something.
fn address_of(state: &State) -> Option<String> {
    let url = Url::parse(&state.url).ok().filter(|url| url.has_host())?;
    let sent = Sent { method: "GET", url: &url, instead: None, fields: Vec::new(), opens: Opens::Page };
    let is_plain = refused(&sent, Licence::Creating, &Guards::default()).is_none() && !is_doubtful(&url);
    let lets_in = |name: &str| words(&spaced(name)).iter().any(|word| LETTING_IN.contains(&word.as_str()));
    let is_open = !url.query_pairs().any(|(name, _)| lets_in(&name));
    // `//elsewhere.example/x` would be another site.
    Some(within_site(url))
        .filter(|address| is_plain && is_open && address.starts_with('/') && !address.starts_with("//"))
}

/// The part of an address that tells pages of one site apart.
pub(crate) fn within_site(url: Url) -> String {
    let url = of_page(url);
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let route = url.fragment().filter(|fragment| is_route(fragment)).map(|route| format!("#{route}"));
    format!("{}{query}{}", url.path(), route.unwrap_or_default())
}

/// The parts of a state's summary beside its title.
fn says(state: &State) -> impl Iterator<Item = &str> {
    state.summary.split(BETWEEN).map(str::trim).filter(|part| !part.is_empty() && *part != state.title)
}

/// What stands on too many pages to tell one from another.
fn common<'a>(states: &[(&'a State, String)]) -> BTreeSet<&'a str> {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for (state, _) in states {
        for part in says(state).collect::<BTreeSet<_>>() {
            *count.entry(part).or_default() += 1;
        }
    }
    count.into_iter().filter(|(_, times)| *times > 2 && times * COMMON > states.len()).map(|(part, _)| part).collect()
}

/// The control that led to a state most reliably, where it has a name.
fn last_step(ways: &[&Transition]) -> Option<KnownStep> {
    let reliable = |way: &&Transition| (way.tally.succeeded * 1_000 / way.tally.count.max(1), way.tally.succeeded);
    let mut named: Vec<(&Transition, (&str, &str))> =
        ways.iter().filter_map(|way| Some((*way, pressed(&way.action)?))).collect();
    named.sort_by_key(|(way, _)| std::cmp::Reverse(reliable(way)));
    let (way, (role, name)) = named.first()?;
    Some(KnownStep { from: way.from.0, role: (*role).to_owned(), name: (*name).to_owned() })
}

/// Role and name of what an action presses.
fn pressed(action: &Action<Descriptor>) -> Option<(&str, &str)> {
    let Action::Click { element, .. } = action else { return None };
    (!element.name.trim().is_empty()).then_some((element.role.as_str(), element.name.as_str()))
}

/// The name of a field without its role: `textbox email`.
fn field_name(field: &str) -> &str {
    field.split_once(' ').map_or(field, |(_, name)| name)
}

fn few<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for text in texts.map(clip).filter(|text| !text.is_empty()) {
        if kept.len() < TEXTS && !kept.contains(&text) {
            kept.push(text);
        }
    }
    kept
}

fn clip(text: &str) -> String {
    text.trim().chars().take(CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::state::{ActionKey, EdgeTally, Form};
    use domain::{ElementId, Observation};
    use std::time::SystemTime;

    fn state(id: u64, path: &str, title: &str, says: &str) -> State {
        State {
            id: StateId(id),
            url: format!("http://shop.test{path}"),
            template: path.to_owned(),
            title: title.to_owned(),
            summary: format!("{title}{BETWEEN}Home{BETWEEN}{says}"),
            forms: vec![Form { name: String::new(), fields: vec![format!("textbox {title} name")] }],
            fingerprint: Vec::new(),
            screenshot: None,
        }
    }

    fn way(from: u64, to: u64, name: &str) -> Transition {
        let nodes = vec![crate::test_request::element("link", "a", name, &[], 0.0)];
        let page = Observation { nodes: nodes.into(), ..Observation::default() };
        Transition {
            from: StateId(from),
            key: ActionKey(from * 100 + to),
            action: Action::click(Descriptor::of(&page, ElementId(0)).expect("described")),
            to: StateId(to),
            tally: EdgeTally { count: 1, succeeded: 1, latency_ms: 9 },
            last_seen: SystemTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn a_guide_knows_pages_by_their_own_words_and_the_ways_to_them() {
        let map = Map {
            states: vec![
                state(1, "/", "Shop", "Offers"),
                state(2, "/units", "Units of measure", "Add a unit"),
                state(3, "/units", "Units of measure", "Symbol"),
                state(4, "/units/7/delete", "Gone", "Deleted"),
                state(5, "/units", "Units of measure", "nowhere"),
            ],
            transitions: vec![way(1, 2, "Measures"), way(2, 3, "New unit")],
            start: Some(StateId(1)),
        };
        let guide = SiteGuide::of("shop", &map);
        assert_eq!(guide.origin, "http://shop.test");
        let known: Vec<u64> = guide.pages.iter().map(|page| page.state).collect();
        assert_eq!(known, [1, 2, 3], "without what an address deletes, and without what nothing leads to");
        let units = &guide.pages[1];
        assert_eq!((units.address.as_str(), units.names.as_slice()), ("/units", ["Measures".to_owned()].as_slice()));
        assert_eq!(units.says, ["Add a unit"], "what stands on every page tells none");
        assert_eq!(units.fields, ["Units of measure name"]);
        let (opened, steps) = guide.way(&guide.pages[2]).expect("a way");
        assert_eq!((opened.state, steps.len(), steps[0].name.as_str()), (2, 1, "New unit"));
    }
}
