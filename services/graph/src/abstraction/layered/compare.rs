//! Distance of the features of two pages.

use super::super::{Learnt, shared};
use super::features::{ANY, Features};
use std::collections::BTreeSet;

/// Distance from which two pages are different states.
const APART: f64 = 0.5;

/// As [`super::super::Abstraction::distance`].
pub(super) fn distance(one: &Features, other: &Features, learnt: &Learnt) -> f64 {
    let differing = Features::differing(one, other, learnt).len();
    if differing > 0 {
        let all = one.deeds.len().max(other.deeds.len()).max(differing);
        return APART + f64::EPSILON + (1.0 - APART - f64::EPSILON) * differing as f64 / all as f64;
    }
    let content = 1.0 - alike(one, other);
    // Pages of one kind may differ in content.
    if are_of_one_kind(one, other, learnt) { content * APART } else { content }
}

/// Whether the addresses alone make the pages one state, whatever their content.
fn are_of_one_kind(one: &Features, other: &Features, learnt: &Learnt) -> bool {
    let (Some(here), Some(there)) = (&one.address, &other.address) else { return one.own > 0 };
    if here.folder != there.folder {
        return false;
    }
    if here.last == there.last {
        return one.own > 0 || here.varies;
    }
    learnt.families.contains(&here.folder) || (one.own > 0 && !here.is_at_the_top)
}

/// Similarity of content and structure, in 0..=1.
fn alike(one: &Features, other: &Features) -> f64 {
    let mut parts = vec![shared(&one.words, &other.words), shared(&one.shapes, &other.shapes)];
    if !one.headings.is_empty() || !other.headings.is_empty() {
        parts.push(shared(&one.headings, &other.headings));
    }
    parts.iter().sum::<f64>() / parts.len() as f64
}

impl Features {
    /// The kinds of controls that only one of two pages has, or labels differently.
    pub(in super::super) fn differing(one: &Features, other: &Features, learnt: &Learnt) -> BTreeSet<u64> {
        if one.deeds == other.deeds {
            return BTreeSet::new();
        }
        let (mut at, mut there) = (0, 0);
        let mut differing = BTreeSet::new();
        while at < one.deeds.len() || there < other.deeds.len() {
            let kinds = [one.deeds.get(at), other.deeds.get(there)].into_iter().flatten().map(|(kind, _)| *kind);
            let Some(kind) = kinds.min() else { break };
            let left = of_kind(&one.deeds[at..], kind);
            let right = of_kind(&other.deeds[there..], kind);
            at += left.len();
            there += right.len();
            let is_any = |deeds: &[(u64, u64)]| deeds.iter().any(|(_, label)| *label == ANY);
            let is_free = learnt.families.contains(&kind) || is_any(left) || is_any(right);
            let is_same = left == right || (!left.is_empty() && !right.is_empty() && is_free);
            if !is_same && !learnt.volatile.contains(&kind) {
                differing.insert(kind);
            }
        }
        differing
    }
}

/// The controls of a kind at the beginning of a sorted list.
fn of_kind(deeds: &[(u64, u64)], kind: u64) -> &[(u64, u64)] {
    let end = deeds.iter().position(|(other, _)| *other != kind).unwrap_or(deeds.len());
    &deeds[..end]
}
