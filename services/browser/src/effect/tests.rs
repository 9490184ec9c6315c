//! Effects of made-up observations.

use super::*;
use domain::observation::{Constraints, SelectOption, States, Tab};

const FIELD: ElementId = ElementId(0);

fn page(nodes: Vec<Node>) -> Observation {
    Observation { url: "http://a.org/".to_owned(), nodes: nodes.into(), ..Observation::default() }
}

fn field(value: &str) -> Node {
    Node { role: "textbox".into(), tag: "input".into(), value: Some(value.to_owned()), ..Node::default() }
}

fn effect(action: &Action, before: &Observation, after: &Observation, typed: Option<&str>) -> Effect {
    effect_of(Deed { action, before, after, target: Some(FIELD), typed, refused: None })
}

fn typing(text: &str) -> Action {
    Action::Type { element: FIELD, text: text.to_owned(), submit: false }
}

fn changed(what: &str) -> Effect {
    Effect::Changed { what: vec![what.to_owned()] }
}

#[test]
fn an_unchanged_page_is_no_change() {
    let same = page(vec![field("")]);
    assert_eq!(effect(&Action::click(FIELD), &same, &same, None), Effect::NoChange);
}

#[test]
fn text_that_stuck_changed_the_value() {
    assert_eq!(effect(&typing("x"), &page(vec![field("")]), &page(vec![field("x")]), Some("x")), changed("value"));
}

#[test]
fn text_that_the_page_formats_counts_as_taken() {
    let effect = effect(&typing("1234"), &page(vec![field("")]), &page(vec![field("12-34")]), Some("1234"));
    assert_eq!(effect, changed("value"));
}

#[test]
fn text_that_did_not_stick_failed() {
    let effect = effect(&typing("x"), &page(vec![field("")]), &page(vec![field("")]), Some("x"));
    assert!(matches!(effect, Effect::Failed { .. }), "{effect:?}");
}

#[test]
fn an_invalid_field_after_submitting_is_a_rejection_with_the_browsers_message() {
    let mut refused = field("");
    refused.states = States { invalid: true, ..States::default() };
    refused.constraints = Some(Box::new(Constraints {
        validation_message: Some("Please fill out this field.".into()),
        ..Constraints::default()
    }));
    let effect = effect(&Action::click(ElementId(1)), &page(vec![field("")]), &page(vec![refused]), None);
    assert_eq!(effect, Effect::Rejected { message: "Please fill out this field.".to_owned() });
}

#[test]
fn a_post_answered_500_failed_although_the_page_changed() {
    let mut after = page(vec![field("x")]);
    after.requests = vec![Request {
        method: "POST".into(),
        url: "http://a.org/save".into(),
        status: Some(500),
        ..Request::default()
    }];
    let effect = effect(&Action::click(FIELD), &page(vec![field("")]), &after, None);
    assert_eq!(effect, Effect::Failed { cause: "POST http://a.org/save was answered 500".to_owned() });
}

#[test]
fn a_missing_picture_is_not_a_failure() {
    let mut after = page(vec![field("")]);
    after.requests = vec![Request {
        method: "GET".into(),
        url: "http://a.org/x.png".into(),
        status: Some(404),
        ..Request::default()
    }];
    assert_eq!(effect(&Action::click(FIELD), &page(vec![field("")]), &after, None), Effect::NoChange);
}

#[test]
fn an_option_that_is_not_selected_afterwards_failed() {
    let mut select = field("a");
    select.options = vec![SelectOption { label: "A".into(), value: "a".into(), selected: true }];
    let action = Action::Select { element: FIELD, options: vec!["B".into()] };
    let effect = effect(&action, &page(vec![select.clone()]), &page(vec![select]), None);
    assert!(matches!(effect, Effect::Failed { .. }), "{effect:?}");
}

#[test]
fn leaving_the_scope_outweighs_everything_else() {
    let same = page(vec![]);
    let action = Action::click(FIELD);
    let deed = Deed {
        action: &action,
        before: &same,
        after: &same,
        target: None,
        typed: None,
        refused: Some("http://b.org/"),
    };
    assert_eq!(effect_of(deed), Effect::LeftScope { url: "http://b.org/".to_owned() });
}

#[test]
fn a_new_tab_is_a_change_of_tabs() {
    let before = page(vec![]);
    let mut after = page(vec![]);
    after.tabs = vec![Tab::default()];
    assert_eq!(effect(&Action::click(FIELD), &before, &after, None), changed("tabs"));
}
