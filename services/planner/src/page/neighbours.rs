//! What stands near an element on the page (NaviQAte, the visual neighbours of an element).

use super::options::NeighbourOptions;
use domain::text::shorten;
use domain::{ElementId, Observation, Rect};

/// The words of what stands nearest to an element, the nearest first: neither its own, nor of what it stands in or holds.
pub(super) fn neighbours(observation: &Observation, element: ElementId, options: &NeighbourOptions) -> Vec<String> {
    let Some(node) = observation.node(element).filter(|_| options.most > 0) else { return Vec::new() };
    let around = |id: ElementId| observation.ancestors(element).any(|(ancestor, _)| ancestor == id);
    let inside = |id: ElementId| observation.ancestors(id).any(|(ancestor, _)| ancestor == element);
    let mut near: Vec<(f64, String)> = observation
        .elements()
        .filter(|(id, other)| *id != element && other.frame == node.frame && !other.label().is_empty())
        .map(|(id, other)| (gap(&node.bounds, &other.bounds), id, other))
        .filter(|(gap, id, other)| {
            *gap <= options.distance && other.label() != node.label() && !around(*id) && !inside(*id)
        })
        .map(|(gap, _, other)| (gap, shorten(other.label(), options.characters)))
        .collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut words: Vec<String> = Vec::new();
    for (_, word) in near {
        if words.len() < options.most && !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// Pixels between two boxes; 0 where they touch.
fn gap(a: &Rect, b: &Rect) -> f64 {
    let apart = |start_a: f64, size_a: f64, start_b: f64, size_b: f64| {
        (start_b - (start_a + size_a)).max(start_a - (start_b + size_b)).max(0.0)
    };
    apart(a.x, a.width, b.x, b.width).hypot(apart(a.y, a.height, b.y, b.height))
}
