//! State abstraction: when two observations of a site show the same state.
//!
//! An abstraction computes a fingerprint of a page and a distance between two fingerprints; up to its threshold two
//! pages are one state (near-duplicate detection: Yandrapally, Stocco and Mesbah, ICSE 2020). Ours is [`Layered`]; the
//! others come from the literature, for selection and comparison. Nothing here reads a clock, a file or the network,
//! and no page is ever executed.

mod edit;
mod fragments;
mod html;
mod layered;
mod learnt;
mod observed;
mod page;
mod pictures;
mod plain;
mod vectors;
pub(crate) mod words;

pub use edit::TreeEdit;
pub use fragments::Fragments;
pub use layered::{Features, Layered, names};
pub use learnt::Learnt;
pub(crate) use observed::places;
pub use page::{Element, Page};
pub use pictures::{Colours, PictureHash};
pub use plain::{Exact, Levenshtein, SimHash, TagTree, Tlsh};
pub use vectors::Embedded;

use image::DynamicImage;
use serde::{Deserialize, Serialize};

/// Decides which pages are one state.
///
/// Contract: equal pages have equal fingerprints. A distance lies in 0..=1, is 0 for equal fingerprints, and is
/// symmetric. What is learnt of a site changes distances, never fingerprints.
pub trait Abstraction: Send + Sync {
    /// Its name in settings and results.
    fn name(&self) -> &'static str;

    /// Computes the part of a page that decides its state.
    fn fingerprint(&self, seen: &PageInput<'_>) -> Fingerprint;

    /// The distance of two pages; 1 for fingerprints of another abstraction.
    fn distance(&self, one: &Fingerprint, other: &Fingerprint, learnt: &Learnt) -> f64;

    /// Up to this distance two pages are one state.
    fn threshold(&self) -> f64;

    /// Whether its threshold must be fitted to labelled pages of a site.
    fn is_fitted(&self) -> bool {
        true
    }

    /// Lookup key: fingerprints in different buckets are never one state. `None` if the abstraction has no such key.
    fn bucket(&self, _fingerprint: &Fingerprint, _learnt: &Learnt) -> Option<u64> {
        None
    }

    /// Whether it needs [`PageInput::vector`].
    fn wants_vector(&self) -> bool {
        false
    }

    /// Whether it needs [`PageInput::picture`].
    fn wants_picture(&self) -> bool {
        false
    }
}

/// The input of an abstraction: a page, with its embedding and picture where wanted.
#[derive(Clone, Copy, Debug)]
pub struct PageInput<'a> {
    /// The page.
    pub page: &'a Page,
    /// The embedding of [`Embedded::sentence`], for an abstraction that wants one.
    pub vector: Option<&'a [f32]>,
    /// The picture of it, for an abstraction that wants one.
    pub picture: Option<&'a DynamicImage>,
}

/// The part of a page that an abstraction compares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Fingerprint {
    /// A hash of all relevant content.
    Hash(u64),
    /// A text.
    Text(String),
    /// A tree: of every node its parent, and a hash of its label.
    Tree(Vec<(Option<u32>, u64)>),
    /// A locality-sensitive hash.
    Bits(u64),
    /// A digest of another format.
    Digest(Vec<u8>),
    /// Hashes of parts, ascending.
    Parts(Vec<u64>),
    /// A unit vector.
    Vector(Vec<f32>),
    /// Controls and content of the page.
    Features(Features),
}

/// Every abstraction that looks at the document, ours first.
pub fn all() -> Vec<Box<dyn Abstraction>> {
    vec![
        Box::new(Layered),
        Box::new(Exact),
        Box::new(TagTree),
        Box::new(TreeEdit::default()),
        Box::new(Levenshtein::default()),
        Box::new(SimHash::default()),
        Box::new(Tlsh::default()),
        Box::new(Fragments::default()),
        Box::new(Embedded::default()),
    ]
}

impl Fingerprint {
    /// What a page has and another has not, and the reverse, as a hash: equal where the same control did the same to two pages.
    /// `None` where the fingerprints do not list what pages have.
    pub(crate) fn change_from(&self, before: &Fingerprint) -> Option<u64> {
        let (Fingerprint::Features(after), Fingerprint::Features(before)) = (self, before) else { return None };
        let only = |one: &[(u64, u64)], other: &[(u64, u64)]| {
            one.iter().filter(|feature| other.binary_search(feature).is_err()).copied().collect::<Vec<_>>()
        };
        let change = (only(&after.deeds, &before.deeds), only(&before.deeds, &after.deeds));
        let is_nothing = change.0.is_empty() && change.1.is_empty();
        (!is_nothing).then(|| words::hash(&[&format!("{change:?}")]))
    }
}

/// Every abstraction that looks at the picture.
pub fn pictures() -> Vec<Box<dyn Abstraction>> {
    vec![
        Box::new(PictureHash::perceptual()),
        Box::new(PictureHash::difference()),
        Box::new(PictureHash::block_mean()),
        Box::new(Colours::default()),
    ]
}

/// The abstraction of a name.
pub fn named(name: &str) -> Option<Box<dyn Abstraction>> {
    all().into_iter().find(|abstraction| abstraction.name() == name)
}

/// Jaccard similarity of two ascending lists.
fn shared<T: Ord>(one: &[T], other: &[T]) -> f64 {
    let (mut at, mut there, mut both) = (0, 0, 0usize);
    while let (Some(left), Some(right)) = (one.get(at), other.get(there)) {
        match left.cmp(right) {
            std::cmp::Ordering::Less => at += 1,
            std::cmp::Ordering::Greater => there += 1,
            std::cmp::Ordering::Equal => {
                both += 1;
                at += 1;
                there += 1;
            }
        }
    }
    let all = one.len() + other.len() - both;
    if all == 0 { 1.0 } else { both as f64 / all as f64 }
}

#[cfg(test)]
mod tests;
