//! What the site remembers: lists of what the explorer put or made, and a count for each control.

use super::controls::{Change, Control, Role};
use super::request::Sent;
use serde::Serialize;
use std::collections::BTreeMap;

/// What was done to the site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// How often each control's request arrived.
    pub by_control: BTreeMap<String, u64>,
    /// Requests other than GET that no control sends.
    pub unknown: Vec<String>,
}

/// Records by the list that they are in, each by its fields.
pub(super) type Lists = BTreeMap<String, Vec<BTreeMap<String, String>>>;

/// The changing part of the site.
#[derive(Debug, Default)]
pub(super) struct World {
    pub(super) counts: Counts,
    lists: Lists,
    made: u64,
}

/// The number of the first record that an explorer makes; the site's own ones are smaller.
const FIRST: u64 = 100;

impl World {
    /// Counts a request and does what it says. Answers where to go on, for what was made.
    pub(super) fn receive(&mut self, controls: &[Control], sent: &Sent) -> Option<String> {
        let fitting = controls.iter().filter(|control| control.is_sent_by(sent));
        let Some(control) = fitting.max_by_key(|control| control.narrowness()) else {
            if sent.method != "GET" {
                self.counts.unknown.push(format!("{} {} {:?}", sent.method, sent.path, sent.fields));
            }
            return None;
        };
        *self.counts.by_control.entry(control.id.clone()).or_default() += 1;
        let id = sent.fields.get("id").cloned().unwrap_or_default();
        match &control.change {
            Some(Change::Make(list)) => {
                let number = FIRST + self.made;
                self.made += 1;
                let mut record = sent.fields.clone();
                record.insert("id".to_owned(), number.to_string());
                self.lists.entry(list.clone()).or_default().push(record);
                Some(format!("/{list}/{number}"))
            }
            Some(Change::Put(list)) => {
                let items = self.lists.entry(list.clone()).or_default();
                if items.iter().all(|item| item["id"] != id) {
                    items.push(BTreeMap::from([("id".to_owned(), id)]));
                }
                None
            }
            Some(Change::Take(list)) => {
                self.lists.entry(list.clone()).or_default().retain(|item| item["id"] != id);
                None
            }
            None => None,
        }
    }

    /// The lists, for the templates.
    pub(super) fn lists(&self) -> &Lists {
        &self.lists
    }

    /// The number of the first record in a list.
    pub(super) fn first(&self, list: &str) -> Option<String> {
        self.lists.get(list)?.first().map(|record| record["id"].clone())
    }
}

impl Counts {
    /// Requests of controls in a role, and how many different controls sent them.
    pub fn of(&self, controls: &[Control], role: Role) -> (u64, usize) {
        let counts: Vec<u64> = controls
            .iter()
            .filter(|control| control.role == role)
            .filter_map(|control| self.by_control.get(&control.id).copied())
            .collect();
        (counts.iter().sum(), counts.len())
    }
}
