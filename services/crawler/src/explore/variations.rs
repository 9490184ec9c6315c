//! Forms that are sent once more with other choices, when nothing else promises anything new: what a server does depends on what it
//! is sent.

use super::deciding::opportunity;
use super::filling;
use crate::destructive;
use domain::action::ActionKind;
use domain::state::{Offer, Opportunity};
use domain::{Observation, StateId};
use std::collections::HashSet;

/// How often one browser sends a form with other choices.
const TIMES: u32 = 3;
/// Forms that are remembered.
const FORMS: usize = 300;

/// The forms that were seen and have something to choose.
#[derive(Debug, Default)]
pub(super) struct Variations {
    names: HashSet<String>,
    forms: Vec<KnownForm>,
}

#[derive(Debug)]
struct KnownForm {
    send: Opportunity,
    times: u32,
}

impl Variations {
    /// Remembers the forms of a page, each kind once.
    pub(super) fn saw(&mut self, seen: &Observation, state: StateId, offers: &[Offer]) {
        for offer in offers.iter().filter(|offer| offer.kind == ActionKind::Click) {
            let Some(button) = seen.node(offer.element).filter(|node| destructive::is_submit(node)) else { continue };
            let Some(form) = destructive::form(seen, offer.element) else { continue };
            let Some(fields) = filling::choices(seen, form) else { continue };
            let name: String = format!("{} {fields}", button.label());
            let name = name.chars().filter(|letter| !letter.is_ascii_digit()).collect();
            if self.forms.len() < FORMS
                && self.names.insert(name)
                && let Some(send) = opportunity(seen, state, offer)
            {
                self.forms.push(KnownForm { send, times: 0 });
            }
        }
    }

    /// What to send next, and with which choices; the form that was sent least comes first.
    pub(super) fn next(&mut self) -> Option<(Opportunity, u32)> {
        let form = self.forms.iter_mut().filter(|form| form.times < TIMES).min_by_key(|form| form.times)?;
        form.times += 1;
        Some((form.send.clone(), form.times))
    }
}
