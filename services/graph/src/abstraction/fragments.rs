//! Compares pages by their fragments (after FragGen): two pages are near when they consist of the same parts.
//!
//! FragGen also compares pictures of fragments; here a fragment is its shape of tags alone.

use super::plain::folded_shapes;
use super::{Abstraction, Fingerprint, Learnt, Page, PageInput, shared};

/// Tags and roles that begin a fragment.
const BLOCKS: [&str; 20] = [
    "article", "aside", "dialog", "div", "dl", "fieldset", "footer", "form", "header", "li", "main", "nav", "ol", "p",
    "section", "table", "tbody", "td", "tr", "ul",
];

/// Least width and height of a fragment in CSS pixels, where known, as FragGen has it.
const LEAST: f64 = 50.0;

/// Distance: the share of fragments that only one of two pages has.
#[derive(Clone, Copy, Debug)]
pub struct Fragments {
    /// See [`Abstraction::threshold`].
    pub threshold: f64,
}

impl Default for Fragments {
    fn default() -> Self {
        Self { threshold: 0.1 }
    }
}

impl Abstraction for Fragments {
    fn name(&self) -> &'static str {
        "fragments"
    }

    fn fingerprint(&self, seen: &PageInput<'_>) -> Fingerprint {
        let shapes = folded_shapes(seen.page);
        let mut parts: Vec<u64> = fragments(seen.page).map(|place| shapes[place]).collect();
        parts.sort_unstable();
        parts.dedup();
        Fingerprint::Parts(parts)
    }

    fn distance(&self, one: &Fingerprint, other: &Fingerprint, _: &Learnt) -> f64 {
        match (one, other) {
            (Fingerprint::Parts(one), Fingerprint::Parts(other)) => 1.0 - shared(one, other),
            _ => 1.0,
        }
    }

    fn threshold(&self) -> f64 {
        self.threshold
    }
}

fn fragments(page: &Page) -> impl Iterator<Item = usize> {
    page.elements.iter().enumerate().filter_map(|(place, element)| {
        let is_large = element.size.is_none_or(|(width, height)| width >= LEAST && height >= LEAST);
        (BLOCKS.contains(&element.tag.as_str()) && is_large).then_some(place)
    })
}
