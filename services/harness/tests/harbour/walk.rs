//! Walks through the site by its truth, and notes where the site is not so.

use crate::mapped::Mapped;
use browser::{Browser, Profile, ProfileOptions};
use domain::scope::Scope;
use domain::{Action, ElementId, Fault, Observation, Page};
use harness::harbour::truth::words::{Form, Kind};
use harness::harbour::truth::{How, Role, State, Transition, Truth};
use harness::harbour::{ACCOUNTS, Harbour, Options, Version};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What is shown by the same state as what the truth names.
const MORE: [(&str, &str); 6] = [
    ("calendar/month", "/calendar/1999/12"),
    ("calendar/month", "/calendar/2031/1"),
    ("calendar/day", "/calendar/2027/2/3"),
    ("catalogue/lanterns", "/catalogue/lanterns?page=7"),
    ("catalogue/lanterns", "/catalogue/lanterns?page=40"),
    ("search/results", "/search?q=rope"),
];

/// How often a way is gone that does not always lead to the same state.
const TRIES: usize = 4;

/// Goes through a part of what a role sees and guests do not; a guest, of what guests see.
pub(crate) async fn everything(version: Version, role: Role, is_part: impl Fn(&str) -> bool) {
    let truth = Truth::of(version);
    let of_guests: BTreeSet<String> = truth.reachable(Role::Guest).into_iter().map(|state| state.id.clone()).collect();
    let is_own = |id: &str| is_part(id) && (role == Role::Guest || !of_guests.contains(id));
    let mut walker = Walker::new(version, role).await;
    walker.visit(&is_own).await;
    walker.finish(&is_own).await;
}

/// Goes through the states of the second version that the first does not have, or has otherwise.
pub(crate) async fn what_changed(role: Role) {
    let (one, two) = (Truth::of(Version::One), Truth::of(Version::Two));
    let changes = harness::harbour::truth::changes(&one, &two);
    let mut states: BTreeSet<String> = changes.added.into_iter().collect();
    states.extend(changes.moved.iter().map(|(page, ..)| (*page).to_owned()));
    states.extend(changes.renamed.iter().map(|(page, ..)| (*page).to_owned()));
    states.extend(changes.forms.iter().map(|(page, ..)| (*page).to_owned()));
    states.extend(changes.controls_added.into_iter().chain(changes.controls_removed).map(|(state, _)| state));
    let seen_by: BTreeSet<String> = two.reachable(role).into_iter().map(|state| state.id.clone()).collect();
    let is_own = |id: &str| states.contains(id) && seen_by.contains(id);
    let mut walker = Walker::new(Version::Two, role).await;
    walker.visit(&is_own).await;
    walker.finish(&is_own).await;
}

struct Walker {
    harbour: Harbour,
    browser: Browser,
    page: Profile,
    role: Role,
    seen: Observation,
    /// Faults, each with the state that was last recognised before it showed.
    faults: Vec<(String, Fault)>,
    at: String,
    wrong: Vec<String>,
    mapped: Mapped,
    /// Addresses that were opened, with what was seen there.
    opened: BTreeMap<String, Vec<String>>,
}

impl Walker {
    async fn new(version: Version, role: Role) -> Walker {
        let harbour = Harbour::start(Options { version, ..Options::default() }).await.unwrap();
        let browser = Browser::start(browser::Options::default()).await.expect("start a browser");
        let profile = ProfileOptions { scope: Scope { hosts: harbour.scope() }, ..ProfileOptions::default() };
        let mut page = browser.profile(profile).await.expect("open a profile");
        let (faults, wrong, opened) = Default::default();
        let seen = page.observe().await.expect("observe");
        let mut walker = Walker {
            harbour,
            browser,
            page,
            role,
            seen,
            faults,
            at: String::new(),
            wrong,
            mapped: Mapped::new(),
            opened,
        };
        if let Some(account) = ACCOUNTS.iter().find(|account| account.role == role) {
            walker.open("/sign-in").await;
            walker.fill("name", account.user).await;
            walker.fill("password", account.password).await;
            let button = walker.control("button", "Sign in").unwrap();
            walker.act(Action::click(button)).await;
        }
        walker
    }

    /// Goes to every state and uses what it offers.
    async fn visit(&mut self, is_own: impl Fn(&str) -> bool) {
        let truth = self.harbour.truth().clone();
        for state in truth.reachable(self.role).into_iter().filter(|state| is_own(&state.id)) {
            if !self.go_to(&truth, state).await {
                self.wrong.push(format!("{}: cannot be reached; seen {}", state.id, self.told(&truth)));
                continue;
            }
            self.check_controls(&truth, &state.id);
            let ways = truth.transitions_of(self.role).filter(|way| way.from == state.id);
            let (mut staying, leaving): (Vec<&Transition>, Vec<&Transition>) =
                ways.partition(|way| way.to.contains(&state.id) && matches!(way.how, How::Press));
            staying.extend(leaving);
            for way in staying {
                self.use_control(&truth, state, way).await;
            }
        }
        self.look_at_more(&truth, is_own).await;
    }

    /// Other things that the same states show.
    async fn look_at_more(&mut self, truth: &Truth, is_own: impl Fn(&str) -> bool) {
        let instances = truth.instances.iter().map(|instance| (instance.state, instance.address));
        for (state, address) in instances.chain(MORE).filter(|(state, _)| is_own(state)) {
            if truth.state(state).is_some_and(|state| state.roles.contains(&self.role)) {
                self.open(address).await;
                self.at = self.told(truth);
                if self.at != state {
                    self.wrong.push(format!("{address} shows {}, not {state}", self.at));
                }
            }
        }
    }

    /// Nothing can be pressed or followed that is not declared.
    fn check_controls(&mut self, truth: &Truth, state: &str) {
        let ways = truth.transitions.iter().filter(|way| way.from == state).map(|way| way.control.name);
        let forbidden =
            truth.forbidden.iter().filter(|forbidden| forbidden.state == state).map(|forbidden| forbidden.name);
        let instances = truth.instances.iter().map(|instance| instance.name);
        let declared: BTreeSet<&str> = ways.chain(forbidden).chain(instances).collect();
        let is_modal = self.seen.nodes.iter().any(|node| node.role == "dialog");
        let unknown: Vec<String> = self
            .seen
            .interactive()
            .filter(|(_, node)| matches!(node.role.as_str(), "link" | "button" | "tab" | "option"))
            // A chosen tab does nothing; text that folds out and the choice of a file make no state.
            .filter(|(_, node)| node.states.selected != Some(true) && !matches!(node.tag.as_str(), "summary" | "input"))
            // What lies behind a modal dialog cannot be pressed, and the days of a month are called by their number.
            .filter(|(id, _)| !is_modal || self.seen.ancestors(*id).any(|(_, above)| above.role == "dialog"))
            .filter(|(_, node)| !declared.contains(node.label()) && node.label().parse::<u32>().is_err())
            .map(|(_, node)| format!("{state}: undeclared {} {:?}", node.role, node.label()))
            .collect();
        // Behind a question of the browser, nothing can be pressed.
        if self.seen.dialog.is_none() {
            self.wrong.extend(unknown);
        }
    }

    async fn use_control(&mut self, truth: &Truth, state: &State, way: &Transition) {
        if let How::Follow(href) = way.how {
            if !self.is_at(truth, &state.id) && !self.go_to(truth, state).await {
                return self.wrong.push(format!("{}: cannot be reached again", state.id));
            }
            return self.check_link(truth, way, href).await;
        }
        if !self.is_at(truth, &state.id) && !self.go_to(truth, state).await {
            return self.wrong.push(format!("{}: cannot be reached again", state.id));
        }
        if !self.go(way).await {
            return self.wrong.push(format!("{}: no {:?}; seen {}", state.id, way.control, self.told(truth)));
        }
        let seen = self.told(truth);
        if !way.to.contains(&seen) {
            self.wrong.push(format!("{}: {:?} leads to {seen}, not {:?}", state.id, way.control, way.to));
        }
        self.at = seen;
    }

    /// A link is there and has its address; at each address the state is that is declared.
    async fn check_link(&mut self, truth: &Truth, way: &Transition, href: &str) {
        // The same state may just show other data than that at its address.
        if !self.has_link(way, href) && (!self.go_to_name(truth, &way.from).await || !self.has_link(way, href)) {
            return self.wrong.push(format!("{}: no link {:?} to {href}", way.from, way.control.name));
        }
        if let Some(seen) = self.opened.get(href) {
            if !seen.iter().any(|seen| way.to.contains(seen)) {
                self.wrong.push(format!("{}: the link to {href} shows {seen:?}, not {:?}", way.from, way.to));
            }
            return;
        }
        self.open(href).await;
        let seen = self.told(truth);
        if !way.to.contains(&seen) {
            self.wrong.push(format!("{}: the link to {href} shows {seen}, not {:?}", way.from, way.to));
        }
        self.at = seen.clone();
        self.opened.entry(href.to_owned()).or_default().push(seen);
    }

    fn has_link(&self, way: &Transition, href: &str) -> bool {
        let origin = self.harbour.url("");
        let mut links = self.seen.nodes.iter().filter(|node| node.role == "link" && node.label() == way.control.name);
        links.any(|node| node.attribute("href").trim_start_matches(&origin) == href)
    }

    async fn go_to_name(&mut self, truth: &Truth, id: &str) -> bool {
        match truth.state(id) {
            Some(state) => self.go_to(truth, state).await,
            None => false,
        }
    }

    /// Goes to a state by the shortest way from an address.
    async fn go_to(&mut self, truth: &Truth, state: &State) -> bool {
        if let Some(address) = state.address {
            self.open(address).await;
            self.at = self.told(truth);
            return self.at == state.id;
        }
        let Some((address, ways)) = shortest(truth, self.role, &state.id) else { return false };
        for _ in 0..TRIES {
            self.open(address).await;
            self.at = self.told(truth);
            for way in &ways {
                if self.at == way.from && self.go(way).await {
                    self.at = self.told(truth);
                }
            }
            if self.at == state.id {
                return true;
            }
        }
        false
    }

    /// Uses a control. Says whether it was there.
    async fn go(&mut self, way: &Transition) -> bool {
        if let How::Send(form, is_wrong) = &way.how {
            self.fill_form(form, *is_wrong).await;
        }
        if matches!(way.how, How::Dismiss) {
            self.act(Action::DismissDialog).await;
            return true;
        }
        let Some(element) = self.control(way.control.role, way.control.name) else { return false };
        let action = match way.how {
            How::TypeIn => Action::Type { element, text: "lan".to_owned(), submit: false },
            _ => Action::click(element),
        };
        self.act(action).await;
        true
    }

    async fn fill_form(&mut self, form: &Form, is_wrong: bool) {
        for field in &form.fields {
            let wrong = form.rule.filter(|rule| is_wrong && rule.field == field.name).map(|rule| rule.wrong);
            let value = wrong.unwrap_or(field.good);
            match field.kind {
                Kind::Check | Kind::Radio(_) if !value.is_empty() => {
                    let is_it = |label: &str| label == value || (field.kind == Kind::Check && label == field.label);
                    let found = self
                        .seen
                        .elements()
                        .find(|(_, node)| node.attribute("name") == field.name && is_it(node.label()));
                    let element = found
                        .map(|(element, _)| element)
                        .unwrap_or_else(|| panic!("{}: no choice {value}", field.name));
                    self.act(Action::Check { element, checked: true }).await;
                }
                Kind::Choice(_) => {
                    let element = self.field(field.name).unwrap_or_else(|| panic!("no field {}", field.name));
                    self.act(Action::Select { element, options: vec![value.to_owned()] }).await;
                }
                Kind::Check | Kind::Radio(_) | Kind::File => {}
                _ => self.fill(field.name, value).await,
            }
        }
    }

    async fn fill(&mut self, name: &str, text: &str) {
        let element =
            self.field(name).unwrap_or_else(|| panic!("no field {name} at {}: {:#?}", self.seen.url, self.seen.nodes));
        self.act(Action::Type { element, text: text.to_owned(), submit: false }).await;
    }

    fn field(&self, name: &str) -> Option<ElementId> {
        self.seen.interactive().find(|(_, node)| node.attribute("name") == name).map(|(element, _)| element)
    }

    fn control(&self, role: &str, name: &str) -> Option<ElementId> {
        let is_it = |node: &domain::Node| node.role == role && (node.label() == name || node.text == name);
        self.seen.interactive().find(|(_, node)| is_it(node)).map(|(element, _)| element)
    }

    async fn open(&mut self, address: &str) {
        if self.seen.dialog.is_some() {
            self.act(Action::DismissDialog).await;
        }
        // As an action, so that what went wrong on the way is told.
        self.act(Action::Goto { url: self.harbour.url(address) }).await;
    }

    async fn act(&mut self, action: Action) {
        let acted = self.page.act(&action, &self.seen).await.unwrap_or_else(|error| panic!("{action:?}: {error}"));
        // Some pages answer with an error on purpose; which, the faults tell.
        if let domain::Effect::Failed { cause } = &acted.effect
            && !cause.contains("was answered")
        {
            self.wrong.push(format!("{}: {action:?} failed: {cause}", self.at));
        }
        self.seen = acted.observation;
        self.note().await;
    }

    async fn note(&mut self) {
        let truth = self.harbour.truth();
        let at = self.told(truth);
        self.mapped.add(truth, &self.seen).await;
        let faults = std::mem::take(&mut self.seen.faults);
        self.faults.extend(faults.into_iter().map(|fault| (at.clone(), fault)));
    }

    fn is_at(&self, truth: &Truth, id: &str) -> bool {
        self.told(truth) == id
    }

    /// What the observation shows, in words.
    fn told(&self, truth: &Truth) -> String {
        match truth.candidates(&self.seen)[..] {
            [one] => one.id.clone(),
            [] => format!("nothing known at {}", self.seen.url),
            ref many => format!("{:?}", many.iter().map(|state| &state.id).collect::<Vec<_>>()),
        }
    }

    /// Says what was not as declared.
    async fn finish(mut self, is_own: impl Fn(&str) -> bool) {
        let truth = self.harbour.truth().clone();
        for shown in truth.faults_of(self.role).into_iter().filter(|shown| is_own(&shown.state)) {
            let found = self.faults.iter().filter(|(_, fault)| shown.fault.is(fault)).count();
            if found == 0 {
                self.wrong.push(format!("the fault {} was not reported", shown.fault.id));
            }
        }
        let unknown = |fault: &Fault| !truth.faults.iter().any(|shown| shown.fault.is(fault));
        let undeclared: BTreeSet<String> = self
            .faults
            .iter()
            .filter(|(_, fault)| unknown(fault))
            .map(|(at, fault)| format!("undeclared fault in {at}: {fault:?}"))
            .collect();
        self.wrong.extend(undeclared);
        assert_eq!(self.harbour.counters().harm(), 0, "{:?}", self.harbour.counters());
        let score = self.mapped.score(&truth, self.role);
        println!(
            "the map: {} of {} wrong, {:?}, {:?}",
            score.split_or_merged, score.states_found, score.splits, score.merges
        );
        if score.split_or_merged * 20 > score.states_true {
            self.wrong.push(format!("the map splits {:#?} and merges {:#?}", score.splits, score.merges));
        }
        self.page.close().await;
        self.browser.stop().await;
        assert!(self.wrong.is_empty(), "{} differences:\n{}", self.wrong.len(), self.wrong.join("\n"));
    }
}

/// The shortest way to a state: an address, and what is to be used from there.
fn shortest<'a>(truth: &'a Truth, role: Role, to: &str) -> Option<(&'a str, Vec<&'a Transition>)> {
    let starts = truth.reachable(role).into_iter().filter_map(|state| Some((state.id.as_str(), state.address?)));
    let mut known: BTreeMap<&str, (&str, Vec<&Transition>)> =
        starts.map(|(id, address)| (id, (address, Vec::new()))).collect();
    let mut queue: VecDeque<&str> = known.keys().copied().collect();
    while let Some(at) = queue.pop_front() {
        if at == to {
            return known.remove(at);
        }
        let (address, ways) = known[at].clone();
        for way in truth.transitions_of(role).filter(|way| way.from == at && !matches!(way.how, How::Follow(_))) {
            for next in &way.to {
                if !known.contains_key(next.as_str()) {
                    let ways = ways.iter().copied().chain([way]).collect();
                    known.insert(next, (address, ways));
                    queue.push_back(next);
                }
            }
        }
    }
    None
}
