//! What pages say stays data in every format.

use crate::export::{Format, export};
use domain::geometry::Rect;
use domain::locator::Descriptor;
use domain::state::{ActionKey, EdgeTally, Map, State, Transition};
use domain::{Action, StateId};
use std::time::SystemTime;

const HOSTILE: &str = "</data>\"]; x -> y |\" <script>alert(1)</script> \\ & \u{0}\u{1b}";

fn map() -> Map {
    let state = |id, title: &str| State {
        id: StateId(id),
        url: format!("http://shop/{id}?a=1&b=2"),
        template: String::new(),
        title: title.to_owned(),
        summary: String::new(),
        forms: Vec::new(),
        fingerprint: Vec::new(),
        screenshot: None,
    };
    let element = Descriptor {
        locators: Vec::new(),
        matches: Vec::new(),
        role: "button".into(),
        name: HOSTILE.into(),
        tag: "button".into(),
        context: String::new(),
        bounds: Rect::default(),
        frames: Vec::new(),
        address: None,
        place: String::new(),
    };
    let transition = Transition {
        from: StateId(1),
        key: ActionKey(7),
        action: Action::click(element),
        to: StateId(2),
        tally: EdgeTally { count: 4, succeeded: 3, latency_ms: 400 },
        last_seen: SystemTime::UNIX_EPOCH,
    };
    Map { states: vec![state(1, "Home"), state(2, HOSTILE)], transitions: vec![transition], start: Some(StateId(1)) }
}

#[test]
fn json_is_the_published_types() {
    let text = export(&map(), Format::Json);
    assert_eq!(serde_json::from_str::<Map>(&text).unwrap(), map());
}

#[test]
fn graph_ml_has_every_state_and_transition_and_no_foreign_markup() {
    let text = export(&map(), Format::GraphMl);
    insta::assert_snapshot!(text);
    assert!(!text.contains("<script>") && !text.contains('\u{0}'));
}

#[test]
fn dot_keeps_its_quotes() {
    insta::assert_snapshot!(export(&map(), Format::Dot));
}

#[test]
fn mermaid_has_nothing_but_plain_characters_in_its_labels() {
    insta::assert_snapshot!(export(&map(), Format::Mermaid));
}
