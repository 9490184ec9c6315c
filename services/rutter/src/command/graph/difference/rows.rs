//! A difference as it is printed: as JSON, and in words.

use super::faults::FaultRows;
use domain::listing::own_title;
use domain::state::{Aspect, Change, Difference, Lone, Part, State, Transition};
use domain::{RunId, SiteId, StateId};
use graph::export::{described, one_line};
use serde::Serialize;
use std::collections::BTreeMap;

/// How a site changed.
#[derive(Serialize)]
pub(super) struct DifferenceReport {
    pub(super) site: SiteId,
    pub(super) changed: bool,
    pub(super) layers: Vec<Layer>,
}

/// How one layer of a site changed.
#[derive(Serialize)]
pub(super) struct Layer {
    role: String,
    before: RunId,
    after: RunId,
    states: States,
    transitions: Found<WayRow>,
    faults: FaultRows,
}

#[derive(Serialize)]
struct States {
    #[serde(flatten)]
    found: Found<LoneRow>,
    changed: Vec<ChangedRow>,
}

/// What was found of one kind of things.
#[derive(Serialize)]
pub(super) struct Found<T> {
    pub(super) appeared: Vec<T>,
    pub(super) vanished: Vec<T>,
    pub(super) not_reached: NotReached<T>,
}

impl<T> Default for Found<T> {
    fn default() -> Self {
        Self {
            appeared: Vec::new(),
            vanished: Vec::new(),
            not_reached: NotReached { by_before: Vec::new(), by_after: Vec::new() },
        }
    }
}

/// What only one run saw, and the other did not look for.
#[derive(Serialize)]
pub(super) struct NotReached<T> {
    pub(super) by_before: Vec<T>,
    pub(super) by_after: Vec<T>,
}

/// A state.
#[derive(Clone, Serialize)]
pub(super) struct StateRow {
    /// Its number in the map of its run; none when it was seen by a replay alone.
    state: Option<StateId>,
    title: String,
    url: String,
}

#[derive(Serialize)]
struct LoneRow {
    #[serde(flatten)]
    state: StateRow,
    /// The step at which the way there breaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    broke_at: Option<WayRow>,
}

#[derive(Serialize)]
struct ChangedRow {
    before: StateRow,
    after: StateRow,
    what: Vec<Aspect>,
}

#[derive(Serialize)]
struct WayRow {
    from: Option<StateId>,
    from_title: String,
    action: String,
    to: Option<StateId>,
    to_title: String,
}

/// What the states of a run are called, and which numbers they have in its own map.
pub(super) struct Numbers(BTreeMap<StateId, StateRow>);

impl Numbers {
    /// Of states that may have other numbers in their own map, or none.
    pub(super) fn new<'a>(states: impl Iterator<Item = &'a State>, own: impl Fn(StateId) -> Option<StateId>) -> Self {
        let row = |state: &State| StateRow {
            state: own(state.id),
            title: one_line(own_title(state)),
            url: one_line(&state.url),
        };
        Self(states.map(|state| (state.id, row(state))).collect())
    }

    /// Of states with the numbers that they have.
    pub(super) fn of(states: &[State]) -> Self {
        Self::new(states.iter(), Some)
    }

    /// A state that may be called otherwise here than in the map.
    fn row(&self, state: &State) -> StateRow {
        let number = self.0.get(&state.id).and_then(|row| row.state);
        StateRow { state: number, title: one_line(own_title(state)), url: one_line(&state.url) }
    }

    /// A state by its number.
    pub(super) fn named(&self, id: StateId) -> StateRow {
        self.0.get(&id).cloned().unwrap_or(StateRow { state: None, title: String::new(), url: String::new() })
    }

    fn way(&self, transition: &Transition) -> WayRow {
        let (from, to) = (self.named(transition.from), self.named(transition.to));
        let action = one_line(&described(&transition.action));
        WayRow { from: from.state, from_title: from.title, action, to: to.state, to_title: to.title }
    }

    fn lone(&self, lone: &Lone<State>) -> LoneRow {
        LoneRow { state: self.row(&lone.it), broke_at: lone.broke_at.as_ref().map(|way| self.way(way)) }
    }
}

impl Layer {
    /// A difference between two runs.
    pub(super) fn new(
        role: String,
        (before, after): (RunId, RunId),
        found: &Difference,
        was: &Numbers,
        is: &Numbers,
    ) -> Self {
        let states = |lone: &[Lone<State>], numbers: &Numbers, is_sure: bool| {
            lone.iter().filter(|lone| lone.is_sure == is_sure).map(|lone| numbers.lone(lone)).collect()
        };
        let ways = |lone: &[Lone<Transition>], numbers: &Numbers, is_sure: bool| {
            lone.iter().filter(|lone| lone.is_sure == is_sure).map(|lone| numbers.way(&lone.it)).collect()
        };
        let changed = |change: &Change| ChangedRow {
            before: was.row(&change.before),
            after: is.row(&change.after),
            what: change.what.clone(),
        };
        Self {
            role,
            before,
            after,
            states: States {
                found: Found {
                    appeared: states(&found.appeared, is, true),
                    vanished: states(&found.missing, was, true),
                    not_reached: NotReached {
                        by_before: states(&found.appeared, is, false),
                        by_after: states(&found.missing, was, false),
                    },
                },
                changed: found.changed.iter().map(changed).collect(),
            },
            transitions: Found {
                appeared: ways(&found.appeared_transitions, is, true),
                vanished: ways(&found.missing_transitions, was, true),
                not_reached: NotReached {
                    by_before: ways(&found.appeared_transitions, is, false),
                    by_after: ways(&found.missing_transitions, was, false),
                },
            },
            faults: FaultRows::default(),
        }
    }

    /// With how its faults changed.
    pub(super) fn with(self, faults: FaultRows) -> Self {
        Self { faults, ..self }
    }
}

/// What is different about a state, in a sentence.
fn sentence(aspect: &Aspect, row: &ChangedRow) -> String {
    let part = |part: &Part| match part {
        Part::Control { role, name } => format!("{role} \"{}\"", one_line(name)),
        Part::Form { name } if name.is_empty() => "a form".to_owned(),
        Part::Form { name } => format!("form `{}`", one_line(name)),
        Part::Field { form, name } => format!("{} in form `{}`", one_line(name), one_line(form)),
    };
    match aspect {
        Aspect::Moved { before, after } => {
            format!("it stood at {} and stands at {}", one_line(before), one_line(after))
        }
        Aspect::Renamed => format!("its title was \"{}\" and is \"{}\"", row.before.title, row.after.title),
        Aspect::Lost(lost) => format!("{} is gone", part(lost)),
        Aspect::Won(won) => format!("{} is new", part(won)),
        Aspect::Otherwise => "something else can be done there".to_owned(),
    }
}

/// A difference in words, one thing a line.
pub(super) fn words(answer: &DifferenceReport) -> Vec<String> {
    let mut lines = Vec::new();
    for layer in &answer.layers {
        let Layer { role, before, after, states, transitions, faults } = layer;
        lines.push(format!("{}, as {role}: from {before} to {after}", answer.site));
        list(&mut lines, "appeared", states.found.appeared.iter().map(lone_words));
        list(&mut lines, "vanished", states.found.vanished.iter().map(lone_words));
        let changed = |row: &ChangedRow| {
            let what: Vec<String> = row.what.iter().map(|aspect| sentence(aspect, row)).collect();
            format!("{}: {}", state_words(&row.before), what.join("; "))
        };
        list(&mut lines, "changed", states.changed.iter().map(changed));
        list(&mut lines, "ways that lead elsewhere now", transitions.appeared.iter().map(way_words));
        list(&mut lines, "where they led", transitions.vanished.iter().map(way_words));
        list(&mut lines, "faults that appeared", faults.appeared().map(|fault| fault.words()));
        list(&mut lines, "faults that vanished", faults.vanished().map(|fault| fault.words()));
        for (run, states, ways, faults) in [
            (before, &states.found.not_reached.by_before, &transitions.not_reached.by_before, faults.unseen_before()),
            (after, &states.found.not_reached.by_after, &transitions.not_reached.by_after, faults.unseen_after()),
        ] {
            let all =
                states.iter().map(|lone| state_words(&lone.state)).chain(faults.iter().map(|fault| fault.words()));
            let number = ways.len();
            let all = all.chain((number > 0).then(|| format!("{number} ways between states that it knows")));
            list(&mut lines, &format!("not reached by {run}, which says nothing about them"), all);
        }
    }
    lines.push(if answer.changed { "something changed" } else { "nothing changed" }.to_owned());
    lines
}

fn list(lines: &mut Vec<String>, heading: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.map(|item| format!("    {item}")).collect();
    if !items.is_empty() {
        lines.push(format!("  {heading}"));
        lines.extend(items);
    }
}

/// A state in words.
pub(super) fn state_words(row: &StateRow) -> String {
    match row.state {
        Some(state) => format!("state {state}, {} ({})", row.title, row.url),
        None => format!("{} ({})", row.title, row.url),
    }
}

fn lone_words(row: &LoneRow) -> String {
    match &row.broke_at {
        Some(way) => {
            format!("{}; only the one run could {} on {}", state_words(&row.state), way.action, way.from_title)
        }
        None => state_words(&row.state),
    }
}

fn way_words(row: &WayRow) -> String {
    format!("{} on {} → {}", row.action, row.from_title, row.to_title)
}
