//! When two observations of a site show the same state (METHODS section 6).
//!
//! Every abstraction makes a fingerprint of a page and says how far two fingerprints are apart; up to its threshold they
//! are of one state. Ours is [`Layered`]; the others are those of the literature, to be selected and compared. Nothing in
//! here reads a clock, a file or the network, and no page is ever executed.

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

/// Decides what one state is.
///
/// Contract: the same page always has the same fingerprint. A distance is in 0..=1, 0 for equal fingerprints, and the same
/// in both directions. What was learnt of a site changes distances, never fingerprints.
pub trait Abstraction: Send + Sync {
    /// Its name in settings and results.
    fn name(&self) -> &'static str;

    /// What of a page decides its state.
    fn fingerprint(&self, seen: &Seen<'_>) -> Fingerprint;

    /// How far two pages are apart. Fingerprints of another abstraction are as far as can be.
    fn distance(&self, one: &Fingerprint, other: &Fingerprint, learnt: &Learnt) -> f64;

    /// Up to this distance two pages are one state.
    fn threshold(&self) -> f64;

    /// Whether its threshold has to be fitted to a site by somebody who knows its states.
    fn is_fitted(&self) -> bool {
        true
    }

    /// Fingerprints of different buckets are never of one state; `None` when that cannot be told so cheaply.
    fn bucket(&self, _fingerprint: &Fingerprint, _learnt: &Learnt) -> Option<u64> {
        None
    }

    /// Whether it needs [`Seen::vector`].
    fn wants_vector(&self) -> bool {
        false
    }

    /// Whether it needs [`Seen::picture`].
    fn wants_picture(&self) -> bool {
        false
    }
}

/// A page, with what others made of it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The page.
    pub page: &'a Page,
    /// The embedding of [`Embedded::sentence`], for an abstraction that wants one.
    pub vector: Option<&'a [f32]>,
    /// The picture of it, for an abstraction that wants one.
    pub picture: Option<&'a DynamicImage>,
}

/// What an abstraction keeps of a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Fingerprint {
    /// A hash of everything that counts.
    Hash(u64),
    /// A text.
    Text(String),
    /// A tree: of every node its parent, and a hash of its label.
    Tree(Vec<(Option<u32>, u64)>),
    /// Bits that change little when the page does.
    Bits(u64),
    /// A digest of another format.
    Digest(Vec<u8>),
    /// Hashes of parts, ascending.
    Parts(Vec<u64>),
    /// A unit vector.
    Vector(Vec<f32>),
    /// What can be done on the page, and what it says.
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

/// How much two ascending lists share, 1 when they are equal (Jaccard).
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
