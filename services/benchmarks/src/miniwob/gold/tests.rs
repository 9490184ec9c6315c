//! What is known of the solvers without a browser. That they solve is shown with one, in the harness.

use super::*;
use crate::miniwob::suites;
use serde_json::json;
use std::path::Path;

fn node(tag: &str, xpath: &str, frame: u32, x: f64) -> Node {
    let bounds = Rect { x, y: 10.0, width: 30.0, height: 12.0 };
    Node { tag: tag.to_owned(), xpath: xpath.to_owned(), frame, bounds, ..Node::default() }
}

fn observation() -> Observation {
    let nodes = vec![
        node("h2", "", 0, 0.0),
        node("a", "/html[1]/a[1]", 0, 50.0),
        node("a", "/html[1]/a[1]", 1, 90.0),
        node("h2", "", 1, 0.4),
    ];
    Observation { nodes: nodes.into(), ..Observation::default() }
}

fn answer(what: &str, tag: &str, xpath: &str, framed: bool) -> Value {
    let bounds = json!({ "x": 0.0, "y": 10.0, "width": 30.0, "height": 12.0 });
    json!({ "do": what, "text": "hi", "tag": tag, "xpath": xpath, "framed": framed, "bounds": bounds })
}

fn action(answer: Value) -> Action {
    next(Ok(answer), &observation()).unwrap().0
}

#[test]
fn every_task_of_hxagent44_has_a_solver_and_no_solver_is_without_a_task() {
    let tasks = suites::tasks("hxagent44", Path::new("")).unwrap();
    assert!(tasks.iter().all(|task| solver(task).is_some()));
    assert_eq!(FAMILIES.iter().map(|family| family.tasks.len()).sum::<usize>(), tasks.len());
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
fn an_interactive_element_is_found_by_its_path_in_its_own_document() {
    for (framed, expected) in [(false, 1), (true, 2)] {
        let expected = Action::Type { element: ElementId(expected), text: "hi".to_owned(), submit: false };
        assert_eq!(action(answer("type", "a", "/html[1]/a[1]", framed)), expected);
    }
}

#[test]
fn an_element_that_is_not_taken_for_interactive_is_found_by_its_box() {
    for (framed, expected) in [(false, 0), (true, 3)] {
        let expected = Action::click(ElementId(expected));
        assert_eq!(action(answer("click", "h2", "/html[1]/h2[1]", framed)), expected);
    }
}

#[test]
fn an_element_that_is_not_observed_yet_is_waited_for() {
    let (action, reason) = next(Ok(answer("click", "b", "/html[1]/b[1]", false)), &observation()).unwrap();
    assert_eq!(action, Action::Wait { milliseconds: LOOK_AGAIN_MS });
    assert!(reason.contains("/html[1]/b[1]"), "{reason}");
}

#[test]
fn nothing_left_to_do_is_done() {
    assert_eq!(action(Value::Null), Action::done());
}

#[test]
fn an_answer_that_is_no_action_and_a_script_that_throws_are_no_decision() {
    assert!(next(Ok(answer("jump", "a", "/html[1]/a[1]", false)), &observation()).is_err());
    assert!(next(Ok(json!("click")), &observation()).is_err());
    assert!(next(Err(PageError::Script("TypeError".to_owned())), &observation()).is_err());
}
