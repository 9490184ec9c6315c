//! Compares a state with its counterpart.

use super::counterparts::Counterparts;
use super::side::{Control, Label, SideIndex};
use crate::abstraction::words::steady;
use domain::StateId;
use domain::action::ActionKind;
use domain::state::{ActionKey, Aspect, Form, Part};
use std::collections::{BTreeMap, BTreeSet};

/// Labels of controls that come and go on their own: those that differ between otherwise equal states.
pub(super) fn noise(
    before: &SideIndex<'_>,
    after: &SideIndex<'_>,
    successors: &BTreeMap<StateId, StateId>,
) -> BTreeSet<Label> {
    let same = successors.iter().filter(|(was, is)| was == is).map(|(state, _)| *state);
    let own = |seen: &SideIndex<'_>, other: &SideIndex<'_>, state: StateId| -> Vec<Label> {
        let (Some(these), Some(others)) = (seen.controls.get(&state), other.controls.get(&state)) else {
            return Vec::new();
        };
        // A control with the same key and another label was renamed.
        let own = these.iter().filter(|(key, _)| !others.contains_key(key));
        own.map(|(_, control)| control.label.clone()).collect()
    };
    same.flat_map(|state| [own(before, after, state), own(after, before, state)].concat()).collect()
}

/// Facts about all states that the comparison of one state needs.
pub(super) struct DiffContext {
    /// Labels of controls that come and go on their own.
    pub(super) noise: BTreeSet<Label>,
    /// States of either version that the other certainly lacks.
    pub(super) lone: BTreeSet<StateId>,
}

/// The differences between a state and its counterpart.
pub(super) fn aspects(
    onward: &Counterparts<'_>,
    back: &Counterparts<'_>,
    (was, is): (StateId, StateId),
    known: &DiffContext,
) -> Vec<Aspect> {
    let (before, after) = (onward.here, onward.there);
    let (Some(earlier), Some(later)) = (before.state(was), after.state(is)) else { return Vec::new() };
    let mut what: Vec<Aspect> = moved(onward, (was, is)).into_iter().collect();
    let is_of_data = earlier.template.contains(['#', '*']) || (what.is_empty() && earlier.template != later.template);
    if let (Some(had), Some(has)) = (before.title(was), after.title(is))
        && !is_of_data
        && steady(had) != steady(has)
    {
        what.push(Aspect::Renamed);
    }
    let fields: Vec<Aspect> = forms(&earlier.forms, &later.forms, Aspect::Lost)
        .chain(forms(&later.forms, &earlier.forms, Aspect::Won))
        .collect();
    let has_fields = !fields.is_empty();
    what.extend(fields);
    let named = |sides: &Counterparts<'_>, state: StateId, aspect: fn(Part) -> Aspect| -> BTreeSet<Aspect> {
        let parts = own_controls(sides, state, was == is, known).filter(|control| !(has_fields && is_field(control)));
        parts.map(|control| aspect(Part::Control { role: control.role.clone(), name: control.name.clone() })).collect()
    };
    what.extend(named(onward, was, Aspect::Lost));
    what.extend(named(back, is, Aspect::Won));
    if what.is_empty() && was != is && !has_other_keys(onward, was) {
        what.push(Aspect::Otherwise);
    }
    what
}

/// Whether a control of the same label has another key, as a link whose address has changed.
fn has_other_keys(sides: &Counterparts<'_>, state: StateId) -> bool {
    let there = sides.states.get(&state).and_then(|there| sides.there.controls.get(there));
    let is_other = |key: &ActionKey| sides.key_there(state, *key).is_some_and(|other| other != *key);
    let keys = sides.here.controls.get(&state).into_iter().flat_map(BTreeMap::keys);
    keys.filter(|key| there.is_some_and(|there| !there.contains_key(key))).any(is_other)
}

fn is_field(control: &Control) -> bool {
    matches!(control.kind, ActionKind::Type | ActionKind::Select | ActionKind::Check | ActionKind::Upload)
}

/// The controls that only this side has.
fn own_controls<'a>(
    sides: &'a Counterparts<'a>,
    state: StateId,
    is_same: bool,
    known: &'a DiffContext,
) -> impl Iterator<Item = &'a Control> {
    let there = sides.states.get(&state).copied();
    let controls_there = there.and_then(|there| sides.there.controls.get(&there));
    let labels: BTreeSet<&Label> = controls_there.into_iter().flatten().map(|(_, control)| &control.label).collect();
    let controls = sides.here.controls.get(&state).into_iter().flatten();
    let own = controls.filter(move |(key, control)| {
        if labels.contains(&control.label) {
            return false;
        }
        let same = controls_there.and_then(|there| there.get(key));
        let is_data = control.is_data || same.is_some_and(|same| same.is_data);
        // In lists, and in pages that are otherwise equal, only controls that lead to a state without counterpart
        // count.
        if is_data || (is_same && same.is_none()) {
            return leads_to_own(sides, state, **key, known) || sides.renamed(state, **key).is_some();
        }
        is_same || !known.noise.contains(&control.label)
    });
    own.map(|(_, control)| control)
}

/// Whether an action leads to a state that certainly only this side has.
fn leads_to_own(sides: &Counterparts<'_>, state: StateId, key: ActionKey, known: &DiffContext) -> bool {
    let ends = sides.here.led.get(&(state, key));
    ends.is_some_and(|ends| !ends.is_disjoint(&known.lone))
}

/// Whether a state shares no address with its counterpart for an unknown reason.
pub(super) fn stands_elsewhere(onward: &Counterparts<'_>, was: StateId) -> bool {
    let Some(is) = onward.states.get(&was) else { return false };
    let addresses = onward.here.addresses.get(&was).zip(onward.there.addresses.get(is));
    addresses.is_some_and(|(stood, stands)| stood.is_disjoint(stands)) && moved(onward, (was, *is)).is_none()
}

/// Whether a state has moved: it shares no address with its counterpart, and a control of one label leads to both.
fn moved(onward: &Counterparts<'_>, (was, is): (StateId, StateId)) -> Option<Aspect> {
    let (before, after) = (onward.here, onward.there);
    let (stood, stands) = (before.addresses.get(&was)?, after.addresses.get(&is)?);
    if !stood.is_disjoint(stands) {
        return None;
    }
    let ways = before.led_to.keys().filter(|(_, _, to)| *to == was);
    ways.filter_map(|(from, label, _)| {
        let from_there = *onward.states.get(from)?;
        let before = before.led_away_to(*from, label, was)?.clone();
        let after = after.led_away_to(from_there, label, is)?.clone();
        Some(Aspect::Moved { before, after })
    })
    .next()
}

/// The forms and fields that only the first of two lists has.
fn forms<'a>(these: &'a [Form], others: &'a [Form], aspect: fn(Part) -> Aspect) -> impl Iterator<Item = Aspect> + 'a {
    these.iter().flat_map(move |form| {
        let name = form.name.clone();
        let Some(other) = others.iter().find(|other| steady(&other.name) == steady(&form.name)) else {
            return vec![aspect(Part::Form { name })];
        };
        let own = form.fields.iter().filter(|field| !other.fields.contains(field));
        own.map(|field| aspect(Part::Field { form: name.clone(), name: field.clone() })).collect()
    })
}
