//! Our abstraction. A state is **what can be done** on a page, not what data it shows: two product pages are one state,
//! the same form with and without a refused field are two.
//!
//! Three layers, the cheapest first:
//!
//! 1. *Features*: the controls, forms, fields, messages of refusal, dialogs and chosen tabs of a page, without its data.
//!    Lists are folded by the features themselves, which are a set: ten rows with a button have the feature once.
//!    When the sets differ, so do the states. Their hash is the bucket in which a state is looked up.
//! 2. *Address*: pages with the same features are one state when their addresses are of one kind.
//! 3. *Content*, for what is left – pages that have nothing but navigation, or addresses of different kinds –: whether
//!    headings, words and shapes are mostly the same.
//!
//! Content that comes and goes on its own, and folders that hold things of one kind, are learnt per site ([`Learnt`])
//! and considered in comparisons. Nothing has to be set per site: layer 1 counts differences without weighing them
//! against page size, and layer 3 asks for a majority.

mod compare;
mod features;
mod reading;

pub use features::Features;

use super::{Abstraction, Fingerprint, Learnt, Page, PageInput};

/// The controls of a page by index, each with a name that is equal wherever the control does the same. Controls that do
/// the same to different data share a name.
pub fn names(page: &Page) -> Vec<(usize, u64)> {
    reading::Reading::new(page).names()
}

/// Compares controls, then address, then content.
#[derive(Clone, Copy, Debug)]
pub struct Layered;

impl Abstraction for Layered {
    fn name(&self) -> &'static str {
        "layered"
    }

    fn fingerprint(&self, seen: &PageInput<'_>) -> Fingerprint {
        Fingerprint::Features(Features::of(seen.page))
    }

    fn distance(&self, one: &Fingerprint, other: &Fingerprint, learnt: &Learnt) -> f64 {
        match (one, other) {
            (Fingerprint::Features(one), Fingerprint::Features(other)) => compare::distance(one, other, learnt),
            _ => 1.0,
        }
    }

    fn threshold(&self) -> f64 {
        0.5
    }

    fn is_fitted(&self) -> bool {
        false
    }

    fn bucket(&self, fingerprint: &Fingerprint, learnt: &Learnt) -> Option<u64> {
        match fingerprint {
            Fingerprint::Features(features) => Some(features.bucket(learnt)),
            _ => None,
        }
    }
}
