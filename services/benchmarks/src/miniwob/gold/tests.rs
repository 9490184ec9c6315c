//! What is known of the solvers without a browser. That they solve is shown with one, in the harness.

use super::*;
use crate::miniwob::Suite;
use serde_json::json;
use std::path::Path;

fn observation() -> Observation {
    let node = |xpath: &str, frame: u32| Node { xpath: xpath.to_owned(), frame, ..Node::default() };
    Observation {
        nodes: vec![node("", 0), node("/html[1]/a[1]", 0), node("/html[1]/a[1]", 1)],
        ..Observation::default()
    }
}

#[test]
fn every_task_of_hxagent44_has_a_solver_and_no_solver_is_without_a_task() {
    let suite = Suite::by_name("hxagent44", Path::new("")).unwrap();
    assert!(suite.tasks.iter().all(|task| solver(task).is_some()));
    assert_eq!(FAMILIES.iter().map(|family| family.tasks.len()).sum::<usize>(), suite.tasks.len());
}

#[test]
fn every_listed_task_stands_in_the_script_of_its_family() {
    for family in &FAMILIES {
        for task in family.tasks {
            assert!(family.script.contains(&format!("\n  '{task}': ")), "{task}");
        }
    }
}

#[test]
fn a_task_without_a_solver_has_none() {
    assert!(solver(&TaskId::new("draw-circle")).is_none());
}

#[test]
fn the_element_is_found_in_its_own_document() {
    for (framed, expected) in [(false, 1), (true, 2)] {
        let answer = json!({ "do": "type", "text": "hi", "xpath": "/html[1]/a[1]", "framed": framed });
        let expected = Action::Type { element: ElementId(expected), text: "hi".to_owned(), submit: false };
        assert_eq!(next(Ok(answer), &observation()), Ok(expected));
    }
}

#[test]
fn nothing_left_to_do_is_done() {
    assert_eq!(next(Ok(Value::Null), &observation()), Ok(Action::done()));
}

#[test]
fn an_element_that_is_not_observed_is_no_decision() {
    let answer = json!({ "do": "click", "xpath": "/html[1]/b[1]", "framed": false });
    let cause = next(Ok(answer), &observation()).unwrap_err();
    assert!(cause.contains("/html[1]/b[1]"), "{cause}");
}

#[test]
fn an_answer_that_is_no_action_and_a_script_that_throws_are_no_decision() {
    assert!(next(Ok(json!({ "do": "jump", "xpath": "", "framed": false })), &observation()).is_err());
    assert!(next(Ok(json!("click")), &observation()).is_err());
    assert!(next(Err(PageError::Script("TypeError".to_owned())), &observation()).is_err());
}
