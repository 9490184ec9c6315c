//! Abstractions over the picture of a page: perceptual hashes, which change little when the picture does, and its colours.
//!
//! They serve for comparison: a picture costs more than all of the page's text and says less about its controls.

use super::{Abstraction, Fingerprint, Learnt, PageInput};
use image::DynamicImage;
use image_hasher::{HashAlg, HasherConfig};

/// Histogram bins per colour channel.
const LEVELS: usize = 8;

/// How a picture is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Perceptual,
    Difference,
    BlockMean,
}

/// The share of bits in which the hashes of two pictures differ.
#[derive(Clone, Copy, Debug)]
pub struct PictureHash {
    kind: Kind,
    /// See [`Abstraction::threshold`].
    pub threshold: f64,
}

impl PictureHash {
    /// The signs of the lowest frequencies of a picture (pHash): 64 bits.
    pub fn perceptual() -> Self {
        Self { kind: Kind::Perceptual, threshold: 0.1 }
    }

    /// Where a picture becomes brighter from left to right (dHash): 64 bits.
    pub fn difference() -> Self {
        Self { kind: Kind::Difference, threshold: 0.1 }
    }

    /// Which blocks of a picture are brighter than most of their band: 256 bits.
    pub fn block_mean() -> Self {
        Self { kind: Kind::BlockMean, threshold: 0.1 }
    }
}

impl Abstraction for PictureHash {
    fn name(&self) -> &'static str {
        match self.kind {
            Kind::Perceptual => "picture-phash",
            Kind::Difference => "picture-dhash",
            Kind::BlockMean => "picture-blocks",
        }
    }

    fn fingerprint(&self, seen: &PageInput<'_>) -> Fingerprint {
        let Some(picture) = seen.picture else { return Fingerprint::Digest(Vec::new()) };
        let config = HasherConfig::new();
        let hasher = match self.kind {
            Kind::Perceptual => config.hash_alg(HashAlg::Median).preproc_dct().to_hasher(),
            Kind::Difference => config.hash_alg(HashAlg::Gradient).to_hasher(),
            Kind::BlockMean => config.hash_alg(HashAlg::Blockhash).hash_size(16, 16).to_hasher(),
        };
        Fingerprint::Digest(hasher.hash_image(picture).as_bytes().to_vec())
    }

    fn distance(&self, one: &Fingerprint, other: &Fingerprint, _: &Learnt) -> f64 {
        match (one, other) {
            (Fingerprint::Digest(one), Fingerprint::Digest(other)) if one.len() == other.len() => {
                let differing: u32 = one.iter().zip(other).map(|(one, other)| (one ^ other).count_ones()).sum();
                f64::from(differing) / (one.len() as f64 * 8.0).max(1.0)
            }
            _ => 1.0,
        }
    }

    fn threshold(&self) -> f64 {
        self.threshold
    }

    fn wants_picture(&self) -> bool {
        true
    }
}

/// The share of points whose colours only one of two pictures has.
#[derive(Clone, Copy, Debug)]
pub struct Colours {
    /// See [`Abstraction::threshold`].
    pub threshold: f64,
}

impl Default for Colours {
    fn default() -> Self {
        Self { threshold: 0.02 }
    }
}

impl Abstraction for Colours {
    fn name(&self) -> &'static str {
        "picture-colours"
    }

    fn fingerprint(&self, seen: &PageInput<'_>) -> Fingerprint {
        Fingerprint::Vector(seen.picture.map(histogram).unwrap_or_default())
    }

    fn distance(&self, one: &Fingerprint, other: &Fingerprint, _: &Learnt) -> f64 {
        match (one, other) {
            (Fingerprint::Vector(one), Fingerprint::Vector(other)) if one.len() == other.len() => {
                let differing: f32 = one.iter().zip(other).map(|(one, other)| (one - other).abs()).sum();
                f64::from(differing / 2.0).min(1.0)
            }
            _ => 1.0,
        }
    }

    fn threshold(&self) -> f64 {
        self.threshold
    }

    fn wants_picture(&self) -> bool {
        true
    }
}

/// The share of a picture's points that each colour has.
fn histogram(picture: &DynamicImage) -> Vec<f32> {
    let picture = picture.to_rgb8();
    let mut counts = vec![0u32; LEVELS * LEVELS * LEVELS];
    let level = |value: u8| usize::from(value) * LEVELS / 256;
    for point in picture.pixels() {
        let [red, green, blue] = point.0;
        counts[(level(red) * LEVELS + level(green)) * LEVELS + level(blue)] += 1;
    }
    let all = (picture.width() * picture.height()).max(1) as f32;
    counts.into_iter().map(|count| count as f32 / all).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abstraction::{Page, pictures};
    use image::{Rgb, RgbImage};

    /// A page with a bar at a height, over a background.
    fn picture(bar: u32, ground: u8) -> DynamicImage {
        let draw = |x: u32, y: u32| {
            if y / 20 == bar { Rgb([20, 40, 200]) } else { Rgb([ground, ground, (x / 2) as u8]) }
        };
        RgbImage::from_fn(320, 240, draw).into()
    }

    fn distance(abstraction: &dyn Abstraction, one: &DynamicImage, other: &DynamicImage) -> f64 {
        let page = Page::default();
        let print = |picture| abstraction.fingerprint(&PageInput { page: &page, vector: None, picture: Some(picture) });
        abstraction.distance(&print(one), &print(other), &Learnt::default())
    }

    #[test]
    fn equal_pictures_are_of_one_state_and_others_further_apart_than_like_ones() {
        for abstraction in pictures() {
            let (page, like, other) = (picture(2, 255), picture(2, 250), picture(9, 90));
            let name = abstraction.name();
            assert_eq!(distance(abstraction.as_ref(), &page, &page), 0.0, "{name}");
            let (near, far) =
                (distance(abstraction.as_ref(), &page, &like), distance(abstraction.as_ref(), &page, &other));
            assert!(near < far && far <= 1.0, "{name}: {near} and {far}");
            assert!(abstraction.wants_picture());
        }
    }
}
