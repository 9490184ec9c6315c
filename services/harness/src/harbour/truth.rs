//! What Harbour is: its states, what leads from one to another, its faults. Declared, and independent of any abstraction.
//!
//! **When two pages are one state.** When one can do the same things on them. Two products of a kind, two orders in the same
//! condition, two days or months of the calendar, the parts of a long list, a list before and after it is sorted are one
//! state: only data differs. A tab, an open section, a step, a dialog, an open calendar, a refused form, an empty result are
//! states of their own, since each offers something that the page without it does not. Text that merely folds out
//! (`<details>`), typed values and ticked boxes make no state. Who is signed in makes no state of a page that offers the
//! same in its own content; each role is explored by itself and scored against what it can reach.
//!
//! **What counts.** A state counts for a role when that role can reach it from where it starts without a destructive deed,
//! without leaving the site and without what robots.txt disallows ([`Truth::reachable`]).

mod account;
mod build;
mod checkout;
mod derive;
mod faults;
mod frames;
mod help;
mod products;
mod recognise;
mod second;
mod services;
mod shop;
mod staff;
#[cfg(test)]
mod tests;
pub mod views;
pub mod words;

pub use account::ORDERS;
pub use derive::{Control, Forbidden, How, Instance, Shown, State, Transition, address};
pub use faults::{SEEDED, Seeded, seeded_fault};
pub use frames::ways;
pub use products::KINDS;
pub use recognise::{Mark, Marks, path_matches};
pub use second::{Changes, changes};
pub use words::{Page, Role};

use super::Version;
use derive::{Derived, derive};
use domain::Observation;
use std::collections::BTreeSet;

/// Everything that is true of a version of the site.
#[derive(Clone, Debug)]
pub struct Truth {
    /// The pages, as they are drawn.
    pub pages: Vec<Page>,
    /// The states.
    pub states: Vec<State>,
    /// What leads from one to another.
    pub transitions: Vec<Transition>,
    /// What must be left alone.
    pub forbidden: Vec<Forbidden>,
    /// The faults and where they show.
    pub faults: Vec<Shown>,
    /// What is shown by the same state as others are.
    pub instances: Vec<Instance>,
}

impl Truth {
    /// The truth of a version.
    pub fn of(version: Version) -> Truth {
        let mut pages = shop::pages();
        pages.extend(products::pages());
        pages.extend(checkout::pages());
        pages.extend(services::pages());
        pages.extend(help::pages());
        pages.extend(account::pages());
        pages.extend(staff::pages());
        let pages = match version {
            Version::One => pages,
            Version::Two => second::pages(pages),
        };
        let Derived { states, transitions, forbidden, faults, instances } = derive(&pages);
        Truth { pages, states, transitions, forbidden, faults, instances }
    }

    /// The state of a name.
    pub fn state(&self, id: &str) -> Option<&State> {
        self.states.iter().find(|state| state.id == id)
    }

    /// The page of a name.
    pub fn page(&self, id: &str) -> Option<&Page> {
        self.pages.iter().find(|page| page.id == id)
    }

    /// The state that an observation shows; none where it is no page of the site, or could be several.
    pub fn recognise(&self, seen: &Observation) -> Option<&State> {
        match self.candidates(seen)[..] {
            [one] => Some(one),
            _ => None,
        }
    }

    /// The states that an observation could be taken for.
    pub fn candidates(&self, seen: &Observation) -> Vec<&State> {
        recognise::matches(&self.states, seen)
    }

    /// Where a role starts.
    pub fn start(role: Role) -> &'static str {
        match role {
            Role::Guest => "home",
            Role::Customer => "account",
            Role::Admin => "staff",
        }
    }

    /// What a role can do, without what must be left alone.
    pub fn transitions_of(&self, role: Role) -> impl Iterator<Item = &Transition> {
        self.transitions.iter().filter(move |transition| transition.roles.contains(&role))
    }

    /// The states that a role can reach without doing harm, in the order in which they are declared.
    pub fn reachable(&self, role: Role) -> Vec<&State> {
        let mut reached = BTreeSet::from([Truth::start(role)]);
        loop {
            let before = reached.len();
            for transition in self.transitions_of(role) {
                if reached.contains(transition.from.as_str()) {
                    reached.extend(transition.to.iter().map(String::as_str));
                }
            }
            if reached.len() == before {
                break;
            }
        }
        let is_seen = |state: &&State| reached.contains(state.id.as_str()) && state.roles.contains(&role);
        self.states.iter().filter(is_seen).collect()
    }

    /// The faults that a role can come across without doing harm.
    pub fn faults_of(&self, role: Role) -> Vec<&Shown> {
        let reachable: BTreeSet<&str> = self.reachable(role).into_iter().map(|state| state.id.as_str()).collect();
        self.faults.iter().filter(|fault| reachable.contains(fault.state.as_str())).collect()
    }
}
