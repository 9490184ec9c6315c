//! Where the time of an exploration went: by region of the application, what was done there and what came of it. Pure.

use crate::visits::{ArrivalRecord, VisitRecord};
use domain::action::ActionKind;
use domain::state::Map;
use domain::{Descriptor, Effect, Locator, StateId};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Regions that are listed; the others are counted together.
const LISTED: usize = 25;

/// What was done in a part of the application, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Effort {
    /// The address of its pages without what differs between pages of a kind, as `/owners/#`.
    pub(crate) region: String,
    /// Seconds of all browsers.
    pub(crate) seconds: f64,
    /// Actions, without waiting.
    pub(crate) actions: usize,
    /// Presses of a control that had been pressed before, here or on another page, and that led to nothing new.
    pub(crate) known_outcomes: usize,
    /// States that were found from here.
    pub(crate) new_states: usize,
    /// How often something was sent that creates or changes.
    pub(crate) forms_sent: usize,
    /// Of these, how often the site took it.
    pub(crate) forms_accepted: usize,
}

impl Effort {
    fn add(&mut self, other: &Effort) {
        self.seconds += other.seconds;
        self.actions += other.actions;
        self.known_outcomes += other.known_outcomes;
        self.new_states += other.new_states;
        self.forms_sent += other.forms_sent;
        self.forms_accepted += other.forms_accepted;
    }
}

/// The effort in each region, the longest first.
pub(crate) fn by_region(map: &Map, seen: &[VisitRecord]) -> Vec<Effort> {
    let templates: HashMap<StateId, &str> =
        map.states.iter().map(|state| (state.id, state.template.as_str())).collect();
    let mut latest: HashMap<&str, f64> = HashMap::new();
    let mut pressed: HashSet<String> = HashSet::new();
    let mut found: HashSet<StateId> = HashSet::new();
    let mut regions: BTreeMap<&str, Effort> = BTreeMap::new();
    for visit in seen {
        let since = latest.insert(&visit.crawler, visit.at_s).unwrap_or(visit.at_s);
        let is_new = found.insert(visit.state);
        let at = visit.from().unwrap_or(visit.state);
        let effort = regions.entry(templates.get(&at).copied().unwrap_or_default()).or_default();
        effort.seconds += (visit.at_s - since).max(0.0);
        effort.new_states += usize::from(is_new);
        let Some(deed) = visit.deed.as_ref().filter(|deed| deed.action.kind() != ActionKind::Wait) else { continue };
        effort.actions += 1;
        let was_pressed = control(deed).is_some_and(|control| !pressed.insert(control));
        effort.known_outcomes += usize::from(was_pressed && !is_new);
        let is_rejected = matches!(deed.effect, Effect::Rejected { .. });
        let is_sent = is_rejected || visit.sent > 0;
        effort.forms_sent += usize::from(is_sent);
        effort.forms_accepted += usize::from(is_sent && !is_rejected && !visit.deeds.is_empty());
    }
    let mut all: Vec<Effort> =
        regions.into_iter().map(|(region, effort)| Effort { region: region.to_owned(), ..effort }).collect();
    all.sort_by(|one, other| other.seconds.total_cmp(&one.seconds).then_with(|| one.region.cmp(&other.region)));
    let others = all.split_off(LISTED.min(all.len()));
    if !others.is_empty() {
        let mut together = Effort { region: format!("{} others", others.len()), ..Effort::default() };
        others.iter().for_each(|other| together.add(other));
        all.push(together);
    }
    all
}

/// The effort in all regions.
pub(crate) fn total(regions: &[Effort]) -> Effort {
    let mut total = Effort { region: "all".to_owned(), ..Effort::default() };
    regions.iter().for_each(|region| total.add(region));
    total
}

/// A pressed control, by what is the same wherever it is shown; `None` for what presses nothing.
fn control(deed: &ArrivalRecord) -> Option<String> {
    let element = deed.action.element().filter(|_| deed.action.kind() == ActionKind::Click)?;
    let Descriptor { role, name, address, place, .. } = element;
    let path = element.locators.iter().find_map(|locator| match locator {
        Locator::XPath { path } => Some(path.chars().filter(|letter| !letter.is_ascii_digit()).collect::<String>()),
        _ => None,
    });
    // A link is where it leads; anything else is where it stands.
    let where_to = address.clone().or(path).unwrap_or_default();
    Some(format!("{role}\n{name}\n{place}\n{where_to}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::state::State;
    use domain::{Action, Rect};

    fn state(id: u64, template: &str) -> State {
        State {
            id: StateId(id),
            url: String::new(),
            template: template.to_owned(),
            title: String::new(),
            summary: String::new(),
            forms: Vec::new(),
            fingerprint: Vec::new(),
            screenshot: None,
        }
    }

    fn press(name: &str, from: u64, to: u64, at_s: f64) -> VisitRecord {
        let element = Descriptor {
            locators: vec![Locator::XPath { path: format!("/html/body/nav/a[{from}]") }],
            matches: Vec::new(),
            role: "button".into(),
            name: name.into(),
            tag: "button".into(),
            context: String::new(),
            bounds: Rect { x: 0.0, y: 0.0, width: 1.0, height: 1.0 },
            frames: Vec::new(),
            address: None,
            place: String::new(),
        };
        let deed = ArrivalRecord {
            from: StateId(from),
            key: None,
            action: Action::click(element),
            effect: Effect::Changed { what: vec!["content".into()] },
            latency_ms: 1.0,
        };
        VisitRecord { at_s, state: StateId(to), deed: Some(deed), ..VisitRecord::example() }
    }

    #[test]
    fn a_control_that_was_pressed_elsewhere_and_led_to_nothing_new_counts_as_known() {
        let map = Map { states: vec![state(1, "/"), state(2, "/list")], ..Map::default() };
        let seen = [
            VisitRecord { state: StateId(1), ..VisitRecord::example() },
            press("Help", 1, 2, 1.0),
            press("Help", 2, 2, 4.0),
            press("More", 2, 3, 5.0),
        ];
        let regions = by_region(&map, &seen);
        let of = |region: &str| regions.iter().find(|effort| effort.region == region).unwrap();
        assert_eq!(regions[0].region, "/list", "the longest comes first");
        assert_eq!((of("/").actions, of("/").new_states, of("/").known_outcomes), (1, 2, 0));
        assert_eq!((of("/list").actions, of("/list").new_states, of("/list").known_outcomes), (2, 1, 1));
        assert_eq!((of("/list").seconds, total(&regions).actions), (4.0, 3));
    }

    #[test]
    fn a_form_is_accepted_when_the_site_took_it_and_the_page_does_not_refuse_it() {
        let map = Map { states: vec![state(1, "/")], ..Map::default() };
        let mut refused = press("Save", 1, 1, 1.0);
        refused.sent = 1;
        refused.deed.as_mut().unwrap().effect = Effect::Rejected { message: "Name is missing".into() };
        let total = total(&by_region(&map, &[refused]));
        assert_eq!((total.forms_sent, total.forms_accepted), (1, 0));
    }
}
