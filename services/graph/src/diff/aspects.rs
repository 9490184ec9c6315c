//! What is different about a state that both versions have.

use super::counterparts::Counterparts;
use super::seen::{Control, Label, Seen};
use crate::abstraction::words::steady;
use domain::StateId;
use domain::action::ActionKind;
use domain::state::{ActionKey, Aspect, Form, Part};
use std::collections::{BTreeMap, BTreeSet};

/// Controls that come and go by themselves: in states that are the same all the same.
pub(super) fn noise(before: &Seen<'_>, after: &Seen<'_>, successors: &BTreeMap<StateId, StateId>) -> BTreeSet<Label> {
    let same = successors.iter().filter(|(was, is)| was == is).map(|(state, _)| *state);
    let own = |seen: &Seen<'_>, other: &Seen<'_>, state: StateId| -> Vec<Label> {
        let (Some(these), Some(others)) = (seen.controls.get(&state), other.controls.get(&state)) else {
            return Vec::new();
        };
        // What has the same key and another name was given another name.
        let own = these.iter().filter(|(key, _)| !others.contains_key(key));
        own.map(|(_, control)| control.label.clone()).collect()
    };
    same.flat_map(|state| [own(before, after, state), own(after, before, state)].concat()).collect()
}

/// What is known of all states when one is looked at.
pub(super) struct Known {
    /// Controls that come and go by themselves.
    pub(super) noise: BTreeSet<Label>,
    /// States of either version that the other surely does not have.
    pub(super) lone: BTreeSet<StateId>,
}

/// What is different between a state and its counterpart.
pub(super) fn aspects(
    onward: &Counterparts<'_>,
    back: &Counterparts<'_>,
    (was, is): (StateId, StateId),
    known: &Known,
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

/// Whether a control of the same name is another one by what it is done with: a link that leads to what has moved.
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
    known: &'a Known,
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
        // Of a list, and of a page that is the same all the same, only what leads to what the other side does not have.
        if is_data || (is_same && same.is_none()) {
            return leads_to_own(sides, state, **key, known) || sides.renamed(state, **key).is_some();
        }
        is_same || !known.noise.contains(&control.label)
    });
    own.map(|(_, control)| control)
}

/// Whether an action leads to a state that surely only this side has.
fn leads_to_own(sides: &Counterparts<'_>, state: StateId, key: ActionKey, known: &Known) -> bool {
    let ends = sides.here.led.get(&(state, key));
    ends.is_some_and(|ends| !ends.is_disjoint(&known.lone))
}

/// Whether no address of a state is one of its counterpart, and nobody knows why.
pub(super) fn stands_elsewhere(onward: &Counterparts<'_>, was: StateId) -> bool {
    let Some(is) = onward.states.get(&was) else { return false };
    let addresses = onward.here.addresses.get(&was).zip(onward.there.addresses.get(is));
    addresses.is_some_and(|(stood, stands)| stood.is_disjoint(stands)) && moved(onward, (was, *is)).is_none()
}

/// Whether a state stands at another address: no address of it is the same, and a control of one name leads to both.
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
