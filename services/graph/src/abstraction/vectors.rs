//! Embeddings of a page's texts and tags (after WebEmbed): the cosine between two pages.

use super::{Abstraction, Fingerprint, Learnt, Page, PageInput};

/// Characters of a page that are embedded; encoders cut what is longer.
const LONGEST: usize = 2_000;

/// Distance `(1 − cosine) / 2`: 0 for the same direction, 1 for the opposite one.
#[derive(Clone, Copy, Debug)]
pub struct Embedded {
    /// See [`Abstraction::threshold`].
    pub threshold: f64,
}

impl Default for Embedded {
    fn default() -> Self {
        Self { threshold: 0.025 }
    }
}

impl Embedded {
    /// The text to embed for a page: its tags in order, each before its text.
    pub fn sentence(page: &Page) -> String {
        let mut sentence = String::new();
        for element in &page.elements {
            for part in [element.tag.as_str(), element.text.as_str()].into_iter().filter(|part| !part.is_empty()) {
                sentence.push_str(part);
                sentence.push(' ');
            }
            if sentence.len() > LONGEST {
                break;
            }
        }
        sentence.chars().take(LONGEST).collect()
    }
}

impl Abstraction for Embedded {
    fn name(&self) -> &'static str {
        "embedding"
    }

    fn fingerprint(&self, seen: &PageInput<'_>) -> Fingerprint {
        Fingerprint::Vector(seen.vector.unwrap_or_default().to_vec())
    }

    fn distance(&self, one: &Fingerprint, other: &Fingerprint, _: &Learnt) -> f64 {
        match (one, other) {
            (Fingerprint::Vector(one), Fingerprint::Vector(other)) if one.len() == other.len() && !one.is_empty() => {
                let cosine: f32 = one.iter().zip(other).map(|(left, right)| left * right).sum();
                f64::from((1.0 - cosine) / 2.0).clamp(0.0, 1.0)
            }
            _ => f64::from(u8::from(one != other)),
        }
    }

    fn threshold(&self) -> f64 {
        self.threshold
    }

    fn wants_vector(&self) -> bool {
        true
    }
}
