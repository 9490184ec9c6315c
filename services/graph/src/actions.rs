//! Interned actions of a map: an action offered on every page is stored once, with its groups.

use crate::abstraction::words::steady;
use domain::action::ActionKind;
use domain::{Action, Descriptor, Locator};
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// An action with the features that group it with similar ones.
#[derive(Debug)]
pub(crate) struct InternedAction {
    action: Action<Descriptor>,
    /// Whether it only changes a field's value.
    pub(crate) is_field: bool,
    /// Operation and kind of element.
    pub(crate) kind: u64,
    /// Place of the element, without its number among siblings: the entries of a menu share one, on every page.
    pub(crate) place: u64,
    /// The address that it leads to.
    pub(crate) address: Option<u64>,
    /// What the element is called, where it is no link: a link is where it leads.
    pub(crate) called: u64,
    /// Whether it stands in a form, so that what it does depends on the page.
    pub(crate) is_in_form: bool,
}

impl InternedAction {
    fn new(action: Action<Descriptor>) -> Self {
        let element = action.element();
        let looks = element.map(|element| (element.tag.as_str(), element.role.as_str()));
        let kind = format!("{:?} {looks:?}", action.kind());
        let path = element.and_then(|element| element.locators.iter().find_map(path)).unwrap_or_default();
        let path = without_numbers(path);
        let frames = element.map(|element| element.frames.concat()).unwrap_or_default();
        use ActionKind::{Check, Select, Type, Upload};
        Self {
            is_field: matches!(action.kind(), Check | Select | Type | Upload),
            called: element
                .filter(|element| element.address.is_none())
                .map_or(0, |element| xxh3_64(steady(&element.title()).as_bytes())),
            is_in_form: path.split('/').any(|step| step == "form"),
            place: xxh3_64(format!("{kind} {frames}{path}").as_bytes()),
            kind: xxh3_64(kind.as_bytes()),
            address: element.and_then(|element| element.address.as_deref()).map(address),
            action,
        }
    }
}

impl Deref for InternedAction {
    type Target = Action<Descriptor>;

    fn deref(&self) -> &Action<Descriptor> {
        &self.action
    }
}

fn address(url: &str) -> u64 {
    xxh3_64(url.as_bytes())
}

/// The hash of a page's address.
pub(crate) fn address_of_page(url: &str) -> u64 {
    Url::parse(url).map_or_else(|_| address(url), |url| address(domain::address::of_page(url).as_str()))
}

fn path(locator: &Locator) -> Option<&str> {
    match locator {
        Locator::XPath { path } => Some(path),
        _ => None,
    }
}

/// An XPath without the places among siblings.
fn without_numbers(path: &str) -> String {
    path.split('/').map(|step| step.split('[').next().unwrap_or_default()).collect::<Vec<_>>().join("/")
}

/// Every different action of a map.
#[derive(Default)]
pub(crate) struct ActionTable {
    known: HashMap<u64, Arc<InternedAction>>,
}

impl ActionTable {
    /// Returns the interned equal of an action.
    pub(crate) fn intern(&mut self, action: Action<Descriptor>) -> Arc<InternedAction> {
        // The debug form covers every field.
        let known = self.known.entry(xxh3_64(format!("{action:?}").as_bytes()));
        let known = known.or_insert_with(|| Arc::new(InternedAction::new(action.clone())));
        if known.action == action { known.clone() } else { Arc::new(InternedAction::new(action)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_actions_are_kept_once_and_others_apart() {
        let mut actions = ActionTable::default();
        let to = |url: &str| Action::Goto { url: url.into() };
        let (one, again, other) = (actions.intern(to("/a")), actions.intern(to("/a")), actions.intern(to("/b")));
        assert!(Arc::ptr_eq(&one, &again));
        assert_eq!((&one.action, &other.action), (&to("/a"), &to("/b")));
    }

    #[test]
    fn the_entries_of_a_menu_have_one_place_and_what_stands_elsewhere_another() {
        assert_eq!(without_numbers("/html/body/nav[2]/ul/li[17]/a"), without_numbers("/html/body/nav/ul/li/a"));
        assert_ne!(without_numbers("/html/body/nav/ul/li/a"), without_numbers("/html/body/nav/a"));
    }
}
