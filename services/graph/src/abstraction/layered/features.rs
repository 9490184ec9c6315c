//! The features of a page, as hashes. Texts do not leave this room in a fingerprint.

use super::super::Learnt;
use super::super::page::Page;
use super::reading::Reading;
use serde::{Deserialize, Serialize};

/// Stands for any label: of controls that are called by data.
pub(super) const ANY: u64 = u64::MAX;

/// How many hashes of words and shapes are kept: the smallest ones, which are a fair sample of all.
pub(super) const SAMPLE: usize = 64;

/// What decides the state of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Features {
    /// What can be done: each with what kind of thing it is, and what it is called; ascending.
    pub(in super::super) deeds: Vec<(u64, u64)>,
    /// How many of them stand outside the navigation.
    pub(super) own: u32,
    /// Where the page is, where that is known.
    pub(in super::super) address: Option<Address>,
    /// Headings, ascending.
    pub(super) headings: Vec<u64>,
    /// A sample of the words outside the navigation, ascending.
    pub(super) words: Vec<u64>,
    /// A sample of the shapes outside the navigation, ascending.
    pub(super) shapes: Vec<u64>,
    /// Folders that a list of the page shows several things of.
    pub(in super::super) lists: Vec<u64>,
}

/// The address of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in super::super) struct Address {
    pub(super) folder: u64,
    pub(super) last: u64,
    /// Whether some part of it is a number.
    pub(super) varies: bool,
    /// Whether its folder is the top of the site.
    pub(super) is_at_the_top: bool,
}

impl Features {
    /// The features of a page.
    pub(super) fn of(page: &Page) -> Self {
        Reading::new(page).features()
    }

    /// A hash of the kinds of things that can be done. Labels are left out, since some of them match others.
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
