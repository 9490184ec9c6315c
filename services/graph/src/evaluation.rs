//! Scores abstractions on labelled pairs of pages, as in "Near-duplicate detection in web app model inference"
//! (Yandrapally, Stocco and Mesbah, ICSE 2020).
//!
//! A fitted threshold is chosen on other page templates than it is judged on: for each template in turn, it is the one
//! of best F1 over the pairs without that template. Ours has a built-in threshold and is judged with that. What is
//! learnt of a site from its pages without labels is open to every abstraction.

use crate::abstraction::{Abstraction, Fingerprint, Learnt};
use std::collections::{BTreeMap, BTreeSet};

/// A labelled pair of pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// One page, by its place in the list of pages.
    pub one: usize,
    /// The other.
    pub other: usize,
    /// Whether they are duplicates of each other.
    pub is_duplicate: bool,
}

/// Precision and recall of the class *duplicate*.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// Of the pairs that were called duplicates, the share that are.
    pub precision: f64,
    /// Of the duplicates, the share that was found.
    pub recall: f64,
}

impl Score {
    /// The harmonic mean of precision and recall.
    pub fn f1(&self) -> f64 {
        let sum = self.precision + self.recall;
        if sum == 0.0 { 0.0 } else { 2.0 * self.precision * self.recall / sum }
    }
}

/// Confusion counts. A pair of two templates is judged once for each of them, and counts half each time.
#[derive(Clone, Copy, Debug, Default)]
struct ConfusionCounts {
    right: f64,
    wrong: f64,
    missed: f64,
}

impl ConfusionCounts {
    fn add(&mut self, is_duplicate: bool, is_called_so: bool, weight: f64) {
        match (is_duplicate, is_called_so) {
            (true, true) => self.right += weight,
            (false, true) => self.wrong += weight,
            (true, false) => self.missed += weight,
            (false, false) => {}
        }
    }

    fn score(&self) -> Score {
        let share = |of: f64| if self.right + of == 0.0 { 0.0 } else { self.right / (self.right + of) };
        Score { precision: share(self.wrong), recall: share(self.missed) }
    }
}

/// The score of an abstraction: with its own threshold, or with fitted ones where it needs that.
pub fn score(abstraction: &dyn Abstraction, distances: &[f64], pairs: &[Pair]) -> Score {
    if abstraction.is_fitted() { cross_validated(distances, pairs) } else { as_it_is(abstraction, distances, pairs) }
}

/// The score of an abstraction with its own threshold.
fn as_it_is(abstraction: &dyn Abstraction, distances: &[f64], pairs: &[Pair]) -> Score {
    let mut counts = ConfusionCounts::default();
    for (pair, distance) in pairs.iter().zip(distances) {
        counts.add(pair.is_duplicate, *distance <= abstraction.threshold(), 1.0);
    }
    counts.score()
}

/// The score with thresholds chosen leaving one template out.
fn cross_validated(distances: &[f64], pairs: &[Pair]) -> Score {
    let templates = templates(pairs);
    let of = |pair: &Pair| (templates[&pair.one], templates[&pair.other]);
    let mut counts = ConfusionCounts::default();
    for left_out in templates.values().copied().collect::<BTreeSet<usize>>() {
        let touches = |pair: &Pair| of(pair).0 == left_out || of(pair).1 == left_out;
        let known = pairs.iter().zip(distances).filter(|(pair, _)| !touches(pair));
        let threshold = best_threshold(known.map(|(pair, distance)| (*distance, pair.is_duplicate)).collect());
        for (pair, distance) in pairs.iter().zip(distances).filter(|(pair, _)| touches(pair)) {
            let weight = if of(pair).0 == of(pair).1 { 1.0 } else { 0.5 };
            counts.add(pair.is_duplicate, *distance <= threshold, weight);
        }
    }
    counts.score()
}

/// The threshold of best F1; below 0 when calling no pair a duplicate is best.
fn best_threshold(mut known: Vec<(f64, bool)>) -> f64 {
    known.sort_by(|one, other| one.0.total_cmp(&other.0));
    let all = known.iter().filter(|(_, is_duplicate)| *is_duplicate).count() as f64;
    let (mut best, mut threshold, mut right) = (0.0, -1.0, 0.0);
    for (count, (distance, is_duplicate)) in known.iter().enumerate() {
        right += f64::from(u8::from(*is_duplicate));
        let next = known.get(count + 1).map(|(distance, _)| *distance);
        if next == Some(*distance) {
            continue;
        }
        let f1 = 2.0 * right / (count as f64 + 1.0 + all);
        if f1 > best {
            best = f1;
            // Half way to the next distance.
            threshold = next.map_or(*distance, |next| (distance + next) / 2.0);
        }
    }
    threshold
}

/// The template of every page: the connected component of duplicates.
fn templates(pairs: &[Pair]) -> BTreeMap<usize, usize> {
    let mut templates: BTreeMap<usize, usize> =
        pairs.iter().flat_map(|pair| [pair.one, pair.other]).map(|page| (page, page)).collect();
    for pair in pairs.iter().filter(|pair| pair.is_duplicate) {
        let (keep, give_up) = (templates[&pair.one], templates[&pair.other]);
        templates.values_mut().filter(|template| **template == give_up).for_each(|template| *template = keep);
    }
    templates
}

/// Learns from pages without labels.
fn learn(fingerprints: &[Fingerprint]) -> Learnt {
    let mut learnt = Learnt::default();
    for fingerprint in fingerprints {
        learnt.page(fingerprint);
    }
    learnt
}

/// The distances of all pairs.
pub fn distances(abstraction: &dyn Abstraction, fingerprints: &[Fingerprint], pairs: &[Pair]) -> Vec<f64> {
    let learnt = learn(fingerprints);
    let distance = |pair: &Pair| abstraction.distance(&fingerprints[pair.one], &fingerprints[pair.other], &learnt);
    pairs.iter().map(distance).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(one: usize, other: usize, is_duplicate: bool) -> Pair {
        Pair { one, other, is_duplicate }
    }

    #[test]
    fn the_best_threshold_lies_between_what_is_to_be_kept_apart() {
        let known = vec![(0.1, true), (0.2, true), (0.4, false), (0.9, false), (0.95, false), (0.99, false)];
        assert!((best_threshold(known) - 0.3).abs() < 1e-9);
        assert!(best_threshold(vec![(0.0, false), (0.0, false)]) < 0.0);
    }

    #[test]
    fn a_threshold_is_never_chosen_on_the_template_that_it_is_judged_on() {
        // Two templates of two pages each; what separates the first would call everything of the second distinct.
        let pairs = [pair(0, 1, true), pair(2, 3, true), pair(0, 2, false), pair(1, 3, false)];
        let distances = [0.1, 0.5, 0.3, 0.9];
        let score = cross_validated(&distances, &pairs);
        // Left out the first: chosen on (2, 3) alone, 0.5, which calls (0, 2) one state. Left out the second: 0.1.
        assert_eq!(score.recall, 0.5);
        assert!((score.precision - 1.0 / 1.5).abs() < 1e-9, "{score:?}");
    }

    #[test]
    fn duplicates_of_duplicates_are_of_one_template() {
        let found = templates(&[pair(0, 1, true), pair(2, 1, true), pair(3, 0, false)]);
        assert_eq!(found[&0], found[&2]);
        assert_ne!(found[&0], found[&3]);
    }
}
