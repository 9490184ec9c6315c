//! The metrics of trajectories, on the paper's own example and at their edges.

use crate::metrics::course::{
    Exact, Matcher, Semantic, WINDOW, element_accuracy, optimisation, partial_success, recovery, repetitiveness,
    step_success,
};
use domain::locator::{Locator, Position};
use domain::task::{Check, TextMatch};
use domain::verdict::{Finding, VerdictKind};
use domain::{Action, Descriptor, Evidence, Rect, Verdict};
use proptest::prelude::*;

fn click(name: &str) -> Action<Descriptor> {
    Action::click(Descriptor {
        locators: vec![Locator::Role { role: "link".into(), name: name.into() }],
        matches: vec![Position { index: 0, of: 1 }],
        role: "link".into(),
        name: name.into(),
        tag: "a".into(),
        context: String::new(),
        bounds: Rect::default(),
        frames: Vec::new(),
        address: None,
        place: String::new(),
    })
}

fn clicks(names: &[&str]) -> Vec<Action<Descriptor>> {
    names.iter().map(|name| if *name == "back" { Action::Back } else { click(name) }).collect()
}

/// Table 1 of the AI planning paper, but for its scroll, which is another link here.
#[test]
fn the_papers_example_has_the_papers_figures() {
    let gold = clicks(&["Products", "Electronics", "Smartphones"]);
    let own = clicks(&["About", "Products", "Electronics", "More", "Smartphones", "back"]);
    let planned: Vec<_> = clicks(&["About", "Products", "Electronics", "More", "Smartphones", "Smartphones"]);
    let planned: Vec<_> = planned.into_iter().map(Some).collect();
    assert_eq!(step_success(&gold, &own, &Exact), Some(1.0));
    assert_eq!(recovery(&gold, &own, &Exact, WINDOW), Some(1.0), "two deviations, two recoveries");
    assert_eq!(element_accuracy(&planned, &own, &Exact), Some(5.0 / 6.0));
    let repeated = clicks(&["About", "Products", "Electronics", "More", "Smartphones", "Smartphones"]);
    assert_eq!(repetitiveness(&repeated, &Exact), Some(5.0 / 6.0));
}

#[test]
fn gold_steps_are_fulfilled_in_order_and_each_once() {
    let success = |gold: &[&str], own: &[&str]| step_success(&clicks(gold), &clicks(own), &Exact);
    assert_eq!(success(&["a", "b"], &["b", "a"]), Some(0.5), "not in order");
    assert_eq!(success(&["a", "a"], &["a"]), Some(0.5), "once each");
    assert_eq!(success(&["x", "a", "b"], &["a", "b", "x"]), Some(2.0 / 3.0), "a missing step costs itself only");
    assert_eq!((success(&[], &["a"]), success(&["a"], &[])), (None, Some(0.0)));
}

#[test]
fn a_recovery_comes_later_and_within_the_window() {
    let rate = |own: &[&str], window| recovery(&clicks(&["a", "b", "c"]), &clicks(own), &Exact, window);
    assert_eq!(rate(&["a", "b", "c"], WINDOW), None, "no deviation, nothing to recover from");
    assert_eq!(rate(&["x", "y"], WINDOW), Some(0.0));
    assert_eq!(rate(&["x", "y", "a"], WINDOW), Some(1.0), "one step recovers from all before it");
    assert_eq!(rate(&["x", "c"], 2), Some(1.0), "a later gold step");
    assert_eq!(rate(&["x", "c"], 1), Some(0.0), "too far ahead");
    assert_eq!(rate(&["x", "a", "y"], WINDOW), Some(0.5));
    assert_eq!(rate(&["a", "b", "c", "x"], WINDOW), None, "nothing deviates from what is over");
}

#[test]
fn nothing_that_was_done_is_neither_repetitive_nor_accurate() {
    assert_eq!((repetitiveness(&[], &Exact), element_accuracy(&[], &[], &Exact)), (None, None));
    assert_eq!(element_accuracy(&[None], &clicks(&["a"]), &Exact), Some(0.0));
}

fn verdict(findings: &[(&str, Finding)]) -> Verdict {
    let check = |text: &str| Check::Text(TextMatch::Contains(text.into()));
    let evidence = |check: Check, finding| Evidence { check, finding, observed: String::new(), screenshot: None };
    let whole = Check::All(findings.iter().map(|(text, _)| Check::Not(Box::new(check(text)))).collect());
    let mut all = vec![evidence(whole, Finding::Undecided)];
    for (text, finding) in findings {
        all.push(evidence(Check::Not(Box::new(check(text))), *finding));
        all.push(evidence(check(text), Finding::Refuted));
    }
    Verdict { kind: VerdictKind::NotAchieved, reason: String::new(), evidence: all }
}

#[test]
fn partial_success_counts_required_items_and_not_their_parts() {
    let two = verdict(&[("a", Finding::Confirmed), ("b", Finding::Refuted), ("c", Finding::Undecided)]);
    assert_eq!(partial_success(&two), Some(1.0 / 3.0));
    assert_eq!(partial_success(&verdict(&[("a", Finding::Confirmed)])), None, "one item is all or nothing");
}

#[test]
fn a_success_by_fewer_steps_than_gold_is_no_better_than_gold() {
    assert_eq!((optimisation(4, 8, true), optimisation(4, 2, true)), (Some(0.5), Some(1.0)));
    assert_eq!((optimisation(4, 4, false), optimisation(0, 4, true)), (Some(0.0), None));
}

#[test]
fn steps_that_mean_the_same_match_by_their_vectors_and_class() {
    let steps = [click("Find flights"), click("Search flights"), click("Log out"), Action::Back];
    let vectors = [vec![1.0, 0.0], vec![0.9, 0.43], vec![0.0, 1.0], vec![1.0, 0.0]];
    let semantic = Semantic::new(Semantic::words(&steps).into_iter().zip(vectors), 0.8);
    assert!(semantic.same(&steps[0], &steps[1]));
    assert!(!semantic.same(&steps[0], &steps[2]), "far in meaning");
    assert!(!semantic.same(&steps[0], &steps[3]), "another class of operation");
    assert_eq!((Exact.name(), semantic.name()), ("exact", "semantic"));
}

proptest! {
    #[test]
    fn every_metric_is_a_share(own in proptest::collection::vec(0u8..4, 0..12), gold in proptest::collection::vec(0u8..4, 0..6)) {
        let steps = |of: &[u8]| of.iter().map(|name| click(&name.to_string())).collect::<Vec<_>>();
        let (gold, own) = (steps(&gold), steps(&own));
        let all = [step_success(&gold, &own, &Exact), recovery(&gold, &own, &Exact, WINDOW), repetitiveness(&own, &Exact)];
        for share in all.into_iter().flatten() {
            prop_assert!((0.0..=1.0).contains(&share));
        }
        let perfect = step_success(&gold, &gold, &Exact);
        prop_assert!(gold.is_empty() || perfect == Some(1.0));
        prop_assert_eq!(recovery(&gold, &gold, &Exact, WINDOW), None);
    }
}
