//! Walks through the site by its truth, and notes where the site is not so.

use crate::mapped::Mapped;
use domain::Fault;
use harness::harbour::Version;
use harness::harbour::truth::{How, Role, State, Transition, Truth};
use harness::harbour::walk::{MORE, Walk, told};
use std::collections::{BTreeMap, BTreeSet};

/// Goes through a part of what a role sees and guests do not; a guest, of what guests see.
pub(crate) async fn everything(version: Version, role: Role, is_part: impl Fn(&str) -> bool) {
    let truth = Truth::of(version);
    let of_guests: BTreeSet<String> = truth.reachable(Role::Guest).into_iter().map(|state| state.id.clone()).collect();
    let is_own = |id: &str| is_part(id) && (role == Role::Guest || !of_guests.contains(id));
    let mut walker = Walker::new(version, role).await;
    walker.visit(&is_own).await;
    Box::pin(walker.finish(&is_own)).await;
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
    Box::pin(walker.finish(&is_own)).await;
}

struct Walker {
    walk: Walk,
    /// Faults, each with the state that was last recognised before it showed.
    faults: Vec<(String, Fault)>,
    wrong: Vec<String>,
    mapped: Mapped,
    /// Addresses that were opened, with what was seen there.
    opened: BTreeMap<String, Vec<String>>,
}

impl Walker {
    async fn new(version: Version, role: Role) -> Walker {
        let walk = Box::pin(Walk::begin(version, role)).await.unwrap();
        let (faults, wrong, opened) = Default::default();
        let mut walker = Walker { walk, faults, wrong, mapped: Mapped::new(), opened };
        walker.note().await;
        walker
    }

    /// Goes to every state and uses what it offers.
    async fn visit(&mut self, is_own: impl Fn(&str) -> bool) {
        let truth = self.walk.harbour.truth().clone();
        for state in truth.reachable(self.walk.role).into_iter().filter(|state| is_own(&state.id)) {
            if !self.go_to(state).await {
                self.wrong.push(format!("{}: cannot be reached; seen {}", state.id, self.told()));
                continue;
            }
            self.check_controls(&truth, &state.id);
            let ways = truth.transitions_of(self.walk.role).filter(|way| way.from == state.id);
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
            if truth.state(state).is_some_and(|state| state.roles.contains(&self.walk.role)) {
                self.open(address).await;
                let shown = self.told();
                if shown != state {
                    self.wrong.push(format!("{address} shows {shown}, not {state}"));
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
        let is_modal = self.walk.seen.nodes.iter().any(|node| node.role == "dialog");
        let unknown: Vec<String> = self
            .walk
            .seen
            .interactive()
            .filter(|(_, node)| matches!(node.role.as_str(), "link" | "button" | "tab" | "option"))
            // A chosen tab does nothing; text that folds out and the choice of a file make no state.
            .filter(|(_, node)| node.states.selected != Some(true) && !matches!(node.tag.as_str(), "summary" | "input"))
            // What lies behind a modal dialog cannot be pressed, and the days of a month are called by their number.
            .filter(|(id, _)| !is_modal || self.walk.seen.ancestors(*id).any(|(_, above)| above.role == "dialog"))
            .filter(|(_, node)| !declared.contains(node.label()) && node.label().parse::<u32>().is_err())
            .map(|(_, node)| format!("{state}: undeclared {} {:?}", node.role, node.label()))
            .collect();
        // Behind a question of the browser, nothing can be pressed.
        if self.walk.seen.dialog.is_none() {
            self.wrong.extend(unknown);
        }
    }

    async fn use_control(&mut self, truth: &Truth, state: &State, way: &Transition) {
        if let How::Follow(href) = way.how {
            if self.told() != state.id && !self.go_to(state).await {
                return self.wrong.push(format!("{}: cannot be reached again", state.id));
            }
            return self.check_link(truth, way, href).await;
        }
        if self.told() != state.id && !self.go_to(state).await {
            return self.wrong.push(format!("{}: cannot be reached again", state.id));
        }
        if !self.go(way).await {
            return self.wrong.push(format!("{}: no {:?}; seen {}", state.id, way.control, self.told()));
        }
        let seen = self.told();
        if !way.to.contains(&seen) {
            self.wrong.push(format!("{}: {:?} leads to {seen}, not {:?}", state.id, way.control, way.to));
        }
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
        let seen = self.told();
        if !way.to.contains(&seen) {
            self.wrong.push(format!("{}: the link to {href} shows {seen}, not {:?}", way.from, way.to));
        }
        self.opened.entry(href.to_owned()).or_default().push(seen);
    }

    fn has_link(&self, way: &Transition, href: &str) -> bool {
        let origin = self.walk.harbour.url("");
        let mut links =
            self.walk.seen.nodes.iter().filter(|node| node.role == "link" && node.label() == way.control.name);
        links.any(|node| node.attribute("href").trim_start_matches(&origin) == href)
    }

    async fn go_to_name(&mut self, truth: &Truth, id: &str) -> bool {
        match truth.state(id) {
            Some(state) => self.go_to(state).await,
            None => false,
        }
    }

    async fn go_to(&mut self, state: &State) -> bool {
        let reached = self.walk.go_to(state).await;
        self.note().await;
        reached.unwrap_or_else(|error| panic!("{}: {error:#}", state.id))
    }

    async fn go(&mut self, way: &Transition) -> bool {
        let gone = self.walk.go(way).await;
        self.note().await;
        gone.unwrap_or_else(|error| panic!("{}: {error:#}", way.from))
    }

    async fn open(&mut self, address: &str) {
        let opened = self.walk.open(address).await;
        self.note().await;
        opened.unwrap_or_else(|error| panic!("{address}: {error:#}"));
    }

    /// Takes in what was seen on the way.
    async fn note(&mut self) {
        let truth = self.walk.harbour.truth().clone();
        for mut seen in self.walk.take_passed() {
            self.mapped.add(&truth, &seen).await;
            let at = told(&truth, &seen);
            self.faults.extend(std::mem::take(&mut seen.faults).into_iter().map(|fault| (at.clone(), fault)));
        }
        self.wrong.extend(self.walk.take_failed());
    }

    fn told(&self) -> String {
        self.walk.told()
    }

    /// Says what was not as declared.
    async fn finish(mut self, is_own: impl Fn(&str) -> bool) {
        let truth = self.walk.harbour.truth().clone();
        for shown in truth.faults_of(self.walk.role).into_iter().filter(|shown| is_own(&shown.state)) {
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
        assert_eq!(self.walk.harbour.counters().harm(), 0, "{:?}", self.walk.harbour.counters());
        let score = self.mapped.score(&truth, self.walk.role);
        eprintln!(
            "the map: {} of {} wrong, {:?}, {:?}",
            score.split_or_merged, score.states_found, score.splits, score.merges
        );
        if score.split_or_merged * 20 > score.states_true {
            self.wrong.push(format!("the map splits {:#?} and merges {:#?}", score.splits, score.merges));
        }
        self.walk.end().await;
        assert!(self.wrong.is_empty(), "{} differences:\n{}", self.wrong.len(), self.wrong.join("\n"));
    }
}
