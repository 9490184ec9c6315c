//! Checks that are mistakes are found when they are loaded.

use super::arbitrary::check;
use crate::checks::{evaluate, validate};
use crate::facts::Facts;
use domain::task::{Check, ElementCheck, TextMatch};
use proptest::prelude::*;

fn problems(check: &Check) -> Vec<String> {
    validate(check).err().unwrap_or_default().iter().map(ToString::to_string).collect()
}

#[test]
fn a_pattern_that_is_none_is_reported_with_its_place_its_fault_and_what_to_do() {
    let check = Check::All(vec![
        Check::Url(TextMatch::Contains("/".into())),
        Check::Not(Box::new(Check::Text(TextMatch::Matches("(unclosed".into())))),
    ]);
    let found = problems(&check);
    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with("check.all[1].not.text.matches: `(unclosed` is no regular expression: "),
        "{}",
        found[0]
    );
    assert!(found[0].contains("unclosed group") && found[0].contains("use `contains`"), "{}", found[0]);
}

#[test]
fn what_would_hold_for_anything_is_a_mistake() {
    for check in [
        Check::All(Vec::new()),
        Check::Any(Vec::new()),
        Check::Text(TextMatch::Contains(" ".into())),
        Check::Answer(TextMatch::Matches(String::new())),
        Check::Element(ElementCheck::default()),
    ] {
        assert_eq!(problems(&check).len(), 1, "{check:?}");
    }
}

#[test]
fn an_empty_text_to_be_equal_to_is_no_mistake() {
    assert!(problems(&Check::Answer(TextMatch::Equals(String::new()))).is_empty());
}

proptest! {
    #[test]
    fn whatever_its_shape_a_check_is_evaluated_without_panic_and_with_evidence(check in check()) {
        let _ = validate(&check);
        prop_assert!(!evaluate(&check, &Facts::default()).is_empty());
    }
}
