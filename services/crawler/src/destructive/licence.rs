//! What the requests of an action may do in a careful exploration. Whatever shows no sign that it creates something may only read.

use super::control::{sent_to, stays_on_page};
use super::existing::{fields, is_search, is_text, names_one, owns_form, says_collection, shown_by};
use super::{Memory, form, is_dialog, is_submit, label, leads_somewhere, only_asks, posts_itself, words_of_path};
use domain::action::ActionKind;
use domain::destructive::command;
use domain::harm::{
    Licence, Rule, creates, decides, hands_in, is_of_settings, only_looks, only_tries, posts, puts_into_collection,
    updates,
};
use domain::{Action, ElementId, Node, Observation};

/// What the requests of an action may do.
pub(super) fn of_action(action: &Action, page: &Observation, memory: &Memory) -> Licence {
    let Some(element) = action.element().copied() else { return Licence::Creating };
    let Some(node) = page.node(element) else { return Licence::Creating };
    if memory.may_delete(page, element) || owns_form(page, element, memory) {
        return Licence::Own;
    }
    let of_form = form(page, element).and_then(|form| page.node(form));
    let is_sent = is_submit(node) && of_form.is_some();
    match action {
        Action::Type { submit: true, .. } => Licence::Creating,
        Action::Click { .. } if leads_somewhere(node) && !posts_itself(node) => Licence::Creating,
        Action::Click { .. } if only_tries(&label(node)) => Licence::Trying(Rule::Unclear),
        Action::Click { .. } if is_sent && !of_form.is_some_and(only_asks) && only_looks(&label(node)) => {
            Licence::Trying(Rule::Unclear)
        }
        Action::Click { .. } if is_sent => match has_to_fill(page, element) || keeps(page, element, node) {
            true => Licence::Creating,
            false => Licence::Reading(Rule::ExistingRecord),
        },
        Action::Click { .. } => of_button(page, element, node, memory).map_or(Licence::Adding, Licence::Reading),
        // A form that is sent by one of its choices asks for something, or saves it.
        _ if of_form.is_some_and(only_asks) && !of_form.is_some_and(|form| form.attribute("method").is_empty()) => {
            Licence::Creating
        }
        _ => Licence::Reading(Rule::SavesAtOnce),
    }
}

/// The rule by which the requests of a button that sends no form are refused, where it concerns what was there before.
fn of_button(page: &Observation, element: ElementId, node: &Node, memory: &Memory) -> Option<Rule> {
    let label = label(node);
    // `Delete account` that unfolds a part of the page may show that part and send nothing.
    let unfolds = node.states.expanded.is_some() && command(&label).is_some();
    if stays_on_page(node) || unfolds {
        return Some(Rule::Deletes);
    }
    if posts(&label) {
        return Some(Rule::Sends);
    }
    let is_switch =
        matches!(node.role.as_str(), "switch" | "checkbox" | "radio" | "menuitemcheckbox" | "menuitemradio" | "slider");
    if is_switch || node.states.pressed.is_some() || node.states.checked.is_some() {
        return Some(Rule::SavesAtOnce);
    }
    if creates(&label) || puts_into_collection(&label) {
        return None;
    }
    let is_record = page.item(element).is_some_and(|item| page.node(item).is_some_and(|item| !is_dialog(item)));
    if is_record || ((decides(&label) || updates(&label)) && names_one(page)) {
        return Some(Rule::ExistingRecord);
    }
    if is_of_settings(&words_of_path(&page.url)) {
        return Some(Rule::Settings);
    }
    // Whoever creates something says what: by its own words, or by fields that were filled in.
    if !hands_in(&label) {
        return Some(Rule::Unclear);
    }
    (!is_filled_around(page, element, memory)).then_some(Rule::ExistingRecord)
}

/// Whether the form that a button sends asks for something to be filled in, or only asks by its address.
fn has_to_fill(page: &Observation, element: ElementId) -> bool {
    let Some(of_form) = form(page, element) else { return false };
    let asks = page.node(of_form).is_some_and(|node| node.attribute("method").eq_ignore_ascii_case("get"));
    asks || fields(page, of_form)
        .any(|(_, node)| (is_text(node) && !is_search(node)) || node.allows(ActionKind::Upload))
}

/// Whether a button, or the address that it sends its form to, says that something is added.
fn keeps(page: &Observation, element: ElementId, node: &Node) -> bool {
    let label = label(node);
    // `Close the register`: what settles something keeps nothing, whatever it is called.
    let begins = label.split_whitespace().next().unwrap_or_default();
    (!decides(&label) || creates(begins))
        && (creates(&label) || puts_into_collection(&label) || says_collection(&sent_to(page, element)))
}

/// Whether the nearest fields around a button show what this exploration filled in.
fn is_filled_around(page: &Observation, element: ElementId, memory: &Memory) -> bool {
    let is_asked = |node: &Node| is_text(node) && !is_search(node);
    let around =
        page.ancestors(element).map(|(id, _)| id).find(|id| fields(page, *id).any(|(_, field)| is_asked(field)));
    around.is_some_and(|around| {
        let mut all = fields(page, around).map(|(_, field)| field).filter(|field| is_asked(field));
        all.any(|field| !shown_by(field).is_empty() && memory.is_ours(shown_by(field)))
    })
}
