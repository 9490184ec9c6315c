//! The features of a page, as hashes. No text leaves this room in a fingerprint.

use super::super::Learnt;
use super::super::page::Page;
use super::reading::Reading;
use serde::{Deserialize, Serialize};

/// Wildcard label, for controls labelled by data.
pub(super) const ANY: u64 = u64::MAX;

/// Number of hashes kept of words and shapes: the smallest ones (MinHash), which sample all of them evenly.
pub(super) const SAMPLE: usize = 64;

/// Everything that decides the state of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Features {
    /// The controls, as kind and label, ascending.
    pub(in super::super) deeds: Vec<(u64, u64)>,
    /// Number of controls outside the navigation.
    pub(super) own: u32,
    /// The page's address, where known.
    pub(in super::super) address: Option<Address>,
    /// Headings, ascending.
    pub(super) headings: Vec<u64>,
    /// A sample of the words outside the navigation, ascending.
    pub(super) words: Vec<u64>,
    /// A sample of the shapes outside the navigation, ascending.
    pub(super) shapes: Vec<u64>,
    /// Folders of which a list on the page shows several things.
    pub(in super::super) lists: Vec<u64>,
}

/// The address of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in super::super) struct Address {
    pub(super) folder: u64,
    pub(super) last: u64,
    /// Whether some part of it is a number.
    pub(super) varies: bool,
    /// Whether its folder is the site's top folder.
    pub(super) is_at_the_top: bool,
}

impl Features {
    /// The features of a page.
    pub(super) fn of(page: &Page) -> Self {
        Reading::new(page).features()
    }

    /// A hash of the kinds of controls. Labels are omitted, since wildcards match several of them.
    pub(super) fn bucket(&self, learnt: &Learnt) -> u64 {
        let mut kinds: Vec<String> = self
            .deeds
            .iter()
            .filter(|(kind, _)| !learnt.volatile.contains(kind))
            .map(|(kind, _)| kind.to_string())
            .collect();
        kinds.dedup();
        super::super::words::hash(&kinds.iter().map(String::as_str).collect::<Vec<_>>())
    }
}
