//! Abstractions over the stripped markup: equality, equality of folded tags, edit distance, and two hashes that change
//! little when the page does.

use super::words::hash;
use super::{Abstraction, Fingerprint, Learnt, Page, PageInput};
use rapidfuzz::distance::levenshtein;

/// Equal markup, texts included.
#[derive(Clone, Copy, Debug)]
pub struct Exact;

impl Abstraction for Exact {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn fingerprint(&self, seen: &PageInput<'_>) -> Fingerprint {
        Fingerprint::Hash(hash(&[&seen.page.markup()]))
    }

    fn distance(&self, one: &Fingerprint, other: &Fingerprint, _: &Learnt) -> f64 {
        f64::from(u8::from(one != other))
    }

    fn threshold(&self) -> f64 {
        0.0
    }

    fn is_fitted(&self) -> bool {
        false
    }

    fn bucket(&self, fingerprint: &Fingerprint, _: &Learnt) -> Option<u64> {
        of_hash(fingerprint)
    }
}

/// Equal trees of tags, with neighbours of the same shape folded into one (WebExplor's sequence of tags is of this kind).
#[derive(Clone, Copy, Debug)]
pub struct TagTree;

impl Abstraction for TagTree {
    fn name(&self) -> &'static str {
        "tag-tree"
    }

    fn fingerprint(&self, seen: &PageInput<'_>) -> Fingerprint {
        let shapes = folded_shapes(seen.page);
        let tops: Vec<String> = seen.page.tops().map(|top| shapes[top].to_string()).collect();
        Fingerprint::Hash(hash(&tops.iter().map(String::as_str).collect::<Vec<_>>()))
    }

    fn distance(&self, one: &Fingerprint, other: &Fingerprint, _: &Learnt) -> f64 {
        f64::from(u8::from(one != other))
    }

    fn threshold(&self) -> f64 {
        0.0
    }

    fn is_fitted(&self) -> bool {
        false
    }

    fn bucket(&self, fingerprint: &Fingerprint, _: &Learnt) -> Option<u64> {
        of_hash(fingerprint)
    }
}

fn of_hash(fingerprint: &Fingerprint) -> Option<u64> {
    match fingerprint {
        Fingerprint::Hash(hash) => Some(*hash),
        _ => None,
    }
}

/// The shape of every element: its tag and the shapes of its children, neighbours of the same shape folded into one.
pub(super) fn folded_shapes(page: &Page) -> Vec<u64> {
    let children = page.children();
    let mut shapes = vec![0u64; page.elements.len()];
    // Children stand behind their parents.
    for place in (0..page.elements.len()).rev() {
        let mut inner: Vec<u64> = children[place].iter().map(|child| shapes[*child]).collect();
        inner.dedup();
        let inner: Vec<String> = inner.iter().map(u64::to_string).collect();
        shapes[place] = hash(&[&page.elements[place].tag, &inner.join(" ")]);
    }
    shapes
}

/// The share of characters that must be changed to make one markup the other.
#[derive(Clone, Copy, Debug)]
pub struct Levenshtein {
    /// See [`Abstraction::threshold`].
    pub threshold: f64,
}

impl Default for Levenshtein {
    fn default() -> Self {
        Self { threshold: 0.1 }
    }
}

impl Abstraction for Levenshtein {
    fn name(&self) -> &'static str {
        "levenshtein"
    }

    fn fingerprint(&self, seen: &PageInput<'_>) -> Fingerprint {
        Fingerprint::Text(seen.page.markup())
    }

    fn distance(&self, one: &Fingerprint, other: &Fingerprint, _: &Learnt) -> f64 {
        match (one, other) {
            (Fingerprint::Text(one), Fingerprint::Text(other)) => {
                levenshtein::normalized_distance(one.chars(), other.chars())
            }
            _ => 1.0,
        }
    }

    fn threshold(&self) -> f64 {
        self.threshold
    }
}

/// Charikar's hash over runs of three tags or words: the share of bits that differ.
#[derive(Clone, Copy, Debug)]
pub struct SimHash {
    /// See [`Abstraction::threshold`].
    pub threshold: f64,
}

impl Default for SimHash {
    fn default() -> Self {
        Self { threshold: 3.0 / 64.0 }
    }
}

impl Abstraction for SimHash {
    fn name(&self) -> &'static str {
        "simhash"
    }

    fn fingerprint(&self, seen: &PageInput<'_>) -> Fingerprint {
        let mut tokens: Vec<&str> = Vec::new();
        for element in &seen.page.elements {
            tokens.push(&element.tag);
            tokens.extend(element.text.split_whitespace());
        }
        let mut votes = [0i64; 64];
        for run in tokens.windows(3) {
            let bits = hash(run);
            for (bit, vote) in votes.iter_mut().enumerate() {
                *vote += if bits >> bit & 1 == 1 { 1 } else { -1 };
            }
        }
        let bits = votes.iter().enumerate().filter(|(_, vote)| **vote > 0).fold(0u64, |bits, (bit, _)| bits | 1 << bit);
        Fingerprint::Bits(bits)
    }

    fn distance(&self, one: &Fingerprint, other: &Fingerprint, _: &Learnt) -> f64 {
        match (one, other) {
            (Fingerprint::Bits(one), Fingerprint::Bits(other)) => f64::from((one ^ other).count_ones()) / 64.0,
            _ => 1.0,
        }
    }

    fn threshold(&self) -> f64 {
        self.threshold
    }
}

/// Trend Micro's locality-sensitive hash of the markup.
#[derive(Clone, Copy, Debug)]
pub struct Tlsh {
    /// See [`Abstraction::threshold`].
    pub threshold: f64,
}

/// Differences of TLSH from which on two texts have nothing in common, by its authors.
const TLSH_UNRELATED: f64 = 300.0;

impl Default for Tlsh {
    fn default() -> Self {
        Self { threshold: 0.1 }
    }
}

impl Abstraction for Tlsh {
    fn name(&self) -> &'static str {
        "tlsh"
    }

    fn fingerprint(&self, seen: &PageInput<'_>) -> Fingerprint {
        let markup = seen.page.markup();
        // It has no digest for a text that is too short: that stands for itself then.
        match tlsh2::TlshDefaultBuilder::build_from(markup.as_bytes()) {
            Some(digest) => Fingerprint::Digest(digest.hash().to_vec()),
            None => Fingerprint::Text(markup),
        }
    }

    fn distance(&self, one: &Fingerprint, other: &Fingerprint, _: &Learnt) -> f64 {
        match (digest(one), digest(other)) {
            (Some(one), Some(other)) => (f64::from(one.diff(&other, true)) / TLSH_UNRELATED).min(1.0),
            _ => f64::from(u8::from(one != other)),
        }
    }

    fn threshold(&self) -> f64 {
        self.threshold
    }
}

fn digest(fingerprint: &Fingerprint) -> Option<tlsh2::TlshDefault> {
    match fingerprint {
        Fingerprint::Digest(bytes) => std::str::from_utf8(bytes).ok()?.parse().ok(),
        _ => None,
    }
}
