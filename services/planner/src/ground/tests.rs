//! Behaviour of the planner on hand-written pages: no browser, no weights.

use super::{Ground, GroundOptions};
use crate::test_request;
use async_trait::async_trait;
use domain::action::{Action, ActionKind, Claim};
use domain::decision::{Choice, Decision, DecisionRequest, Planner};
use domain::language::{EmbedError, Embedder};
use domain::observation::{Node, Observation, States};
use domain::{ElementId, JobId, Rect, Step};
use serde_json::Value;
use std::sync::Arc;

/// Every text is alike to itself only: what these tests show does not rest on meaning.
struct ByLetter;

#[async_trait]
impl Embedder for ByLetter {
    fn dimension(&self) -> usize {
        64
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let slot = |text: &String| text.bytes().map(usize::from).sum::<usize>() % 64;
        Ok(texts.iter().map(|text| (0..64).map(|at| if at == slot(text) { 1.0 } else { 0.0 }).collect()).collect())
    }
}

/// A page, line by line: role, label, and class; indentation by two spaces makes children.
pub(super) fn page(lines: &str) -> Observation {
    let mut nodes: Vec<Node> = Vec::new();
    let mut path: Vec<u32> = Vec::new();
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        let depth = (line.len() - line.trim_start().len()) / 2;
        path.truncate(depth);
        let (role, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let (label, class) = rest.split_once(" .").unwrap_or((rest, ""));
        let (label, closed) = label.strip_suffix(" [closed]").map_or((label, false), |label| (label, true));
        let operations = match role {
            "button" | "link" | "tab" | "option" => vec![ActionKind::Click],
            "checkbox" | "radio" => vec![ActionKind::Check, ActionKind::Click],
            "textbox" => vec![ActionKind::Type, ActionKind::Click],
            _ => Vec::new(),
        };
        let index = nodes.len() as u32;
        let selected = (role == "tab").then_some(false);
        nodes.push(Node {
            parent: path.last().copied().map(ElementId),
            role: role.into(),
            tag: "span".into(),
            name: if operations.is_empty() { String::new() } else { label.into() },
            text: label.into(),
            attributes: [("class".to_owned(), class.to_owned())].into_iter().collect(),
            states: States { expanded: closed.then_some(false), selected, ..States::default() },
            bounds: Rect { x: depth as f64 * 10.0, y: f64::from(index) * 20.0, width: 100.0, height: 16.0 },
            xpath: if operations.is_empty() { String::new() } else { format!("/node[{index}]") },
            operations,
            ..Node::default()
        });
        path.push(index);
    }
    Observation { nodes: nodes.into(), ..Observation::default() }
}

/// A page whose nodes of one role are changed.
pub(super) fn changed(page: Observation, role: &str, change: impl Fn(&mut Node)) -> Observation {
    let mut nodes: Vec<Node> = page.nodes.iter().cloned().collect();
    nodes.iter_mut().filter(|node| node.role == role).for_each(change);
    Observation { nodes: nodes.into(), ..page }
}

/// A page whose nodes of one role are called as they read.
pub(super) fn with_names(page: Observation, role: &str) -> Observation {
    changed(page, role, |node| node.name = node.text.clone())
}

pub(super) async fn ask(instruction: &str, page: &Observation, memory: Value) -> Decision {
    ask_with(GroundOptions::default(), instruction, page, memory).await
}

pub(super) async fn ask_with(options: GroundOptions, instruction: &str, page: &Observation, memory: Value) -> Decision {
    ask_after(options, instruction, page.clone(), memory, Vec::new()).await
}

/// As [`ask_with`], after these steps.
pub(super) async fn ask_after(
    options: GroundOptions,
    instruction: &str,
    page: Observation,
    memory: Value,
    history: Vec<Step>,
) -> Decision {
    let planner = Ground::new(Arc::new(ByLetter), options);
    let request = DecisionRequest {
        job: JobId::new("test"),
        instruction: instruction.into(),
        observation: Arc::new(page),
        history: Arc::new(history),
        memory,
        seed: 0,
        ..test_request::request()
    };
    planner.decide(request).await.unwrap()
}

/// The label that the first action of an instruction goes to.
pub(super) async fn clicked(instruction: &str, page: &Observation) -> (String, u32) {
    match ask(instruction, page, Value::Null).await.choice {
        Choice::Act(action) => {
            let element = *action.element().expect("an action on an element");
            (page.node(element).unwrap().text.clone(), element.0)
        }
        other => panic!("{other:?}"),
    }
}

/// Why an instruction is given up. Nothing is done to the page before; it may only be waited for.
pub(super) async fn gives_up(instruction: &str, page: &Observation) -> String {
    let mut memory = Value::Null;
    for _ in 0..6 {
        let decision = ask(instruction, page, memory).await;
        memory = decision.memory;
        match decision.choice {
            Choice::Act(Action::Wait { .. }) => {}
            Choice::Act(Action::Stop { claim: Claim::GaveUp { reason }, .. }) => return reason,
            other => panic!("{instruction}: {other:?}: {}", decision.reason),
        }
    }
    panic!("{instruction}: waits for ever")
}

#[tokio::test]
async fn quoted_text_is_bound_letter_for_letter() {
    let page = page("link eget\nlink Eget\nlink Eget nunc");
    assert_eq!(clicked("Click on the link \"Eget\".", &page).await, ("Eget".into(), 1));
    assert_eq!(clicked("Click on the link \"eget\".", &page).await, ("eget".into(), 0));
}

#[tokio::test]
async fn a_control_is_called_without_the_controls_within_it() {
    let page = page("button Season 2 Erase\n  button Erase\nbutton Season 22");
    assert_eq!(clicked("Click \"Season 2\".", &page).await, ("Season 2 Erase".into(), 0));
    assert_eq!(clicked("Click \"Erase\".", &page).await, ("Erase".into(), 1));
}

#[tokio::test]
async fn a_control_is_that_of_the_entry_that_is_named_or_counted() {
    let orders = page(
        "list\n  listitem Red shirt\n    button Edit\n  listitem Blue shirt\n    text Sold out\n  listitem Cap\n    button Edit",
    );
    assert_eq!(clicked("Click \"Edit\" of the third order.", &orders).await.1, 6);
    gives_up("Click \"Edit\" of the second order.", &orders).await;
    let shirts = page("list\n  listitem Red shirt\n    button Edit\n  listitem Blue shirt\n    text Sold out");
    assert_eq!(clicked("Click \"Edit\" of the red shirt.", &shirts).await.1, 2);
    gives_up("Click \"Edit\" of the blue shirt.", &shirts).await;
}

#[tokio::test]
async fn a_day_behind_a_name_counts_nothing_and_is_the_day_of_the_entry() {
    let away = page(
        "table Away\n  row Mr Brand 14 May\n    cell Mr Brand\n    cell 14 May\n    button Assign\n  row Mr Brandt 4 May\n    cell Mr Brandt\n    cell 4 May\n    button Assign\n  row Mr Brandt 14 May\n    cell Mr Brandt\n    cell 14 May\n    button Assign",
    );
    assert_eq!(clicked("Click \"Assign\" for Mr Brandt on 14 May.", &away).await.1, 12);
    gives_up("Click \"Assign\" for Mr Brandt on 24 May.", &away).await;
    let only = page("table Away\n  row Mr Brandt 4 May\n    cell Mr Brandt\n    cell 4 May\n    button Assign");
    let decision = ask("Click \"Assign\" for Mr Brandt on 14 May.", &only, Value::Null).await;
    assert!(!matches!(decision.choice, Choice::Act(Action::Click { .. })), "{:?}", decision.choice);
    let posts = page("list\n  listitem All Saints\n    button Open\n  listitem Trinity\n    button Open");
    assert_eq!(clicked("Click \"Open\" for All Saints.", &posts).await.1, 2);
}

#[tokio::test]
async fn what_is_hidden_is_sought_before_something_similar_is_taken() {
    let page = page("tab Tab 1\ntab Tab 2\nlink eget");
    assert_eq!(clicked("Switch between the tabs to find and click on the link \"Eget\".", &page).await.0, "Tab 1");
}

#[tokio::test]
async fn what_was_tried_is_remembered_and_the_nearest_is_taken_in_the_end() {
    let page = page("tab Tab 1\ntab Tab 2\nlink eget");
    let instruction = "Click on the link \"Eget\".";
    let mut memory = Value::Null;
    let mut visited = Vec::new();
    for _ in 0..3 {
        let decision = ask(instruction, &page, memory).await;
        memory = decision.memory;
        if let Choice::Act(Action::Click { element, .. }) = decision.choice {
            visited.push(page.node(element).unwrap().text.clone());
        }
    }
    assert_eq!(visited, ["Tab 1", "Tab 2", "eget"]);
}

#[tokio::test]
async fn an_element_is_taken_from_the_record_that_is_named() {
    let page = page(
        "text @ann .user\nbutton  .reply\nbutton  .like\ntext @bob .user\nbutton  .reply\nbutton  .like\nbutton Submit",
    );
    assert_eq!(clicked("For the user @bob, click on the \"Like\" button.", &page).await.1, 5);
    assert_eq!(clicked("Click the \"Reply\" button on all posts by @ann and then click Submit.", &page).await.1, 1);
}

#[tokio::test]
async fn a_page_that_repeats_the_instruction_does_not_bind_to_the_repetition() {
    let page = page(
        "text Find the email by Ann and click the star icon to mark it as important.\n  text Ann\ntext Bob .from\nbutton  .star\ntext Ann .from\nbutton  .star",
    );
    let instruction = "Find the email by Ann and click the star icon to mark it as important.";
    assert_eq!(clicked(instruction, &page).await.1, 5);
}

#[tokio::test]
async fn where_nothing_fits_it_gives_up_and_says_what_it_missed() {
    let reason = gives_up("Click on the \"Checkout\" button.", &page("text Welcome\nlink Imprint")).await;
    assert!(reason.contains("Checkout") && reason.contains("after waiting 3 s"), "{reason}");
}

#[tokio::test]
async fn nothing_that_deletes_or_sends_is_tried_in_search_of_something_else() {
    let page = page("button Delete [closed] .menu\nbutton Send [closed] .menu\nlink Imprint");
    assert!(gives_up("Click on the link \"Prices\".", &page).await.contains("Prices"));
}
