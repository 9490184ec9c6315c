//! Requests, pages and steps of the planners' tests.

use domain::action::ActionKind;
use domain::decision::Level;
use domain::observation::{SelectOption, Stamp, Viewport};
use domain::{Action, DecisionRequest, Descriptor, Effect, EpisodeId, JobId, Node, Observation, Rect, Step, Usage};
use serde_json::Value;
use std::sync::Arc;
use uuid::Uuid;

/// A request for the first action on an empty page.
pub(crate) fn request() -> DecisionRequest {
    DecisionRequest {
        episode: EpisodeId(Uuid::nil()),
        job: JobId::new("a"),
        instruction: "Click on the button.".to_owned(),
        observation: Arc::new(Observation::default()),
        history: Arc::default(),
        memory: Value::Null,
        screenshot: None,
        steps_left: 10,
        seed: 7,
        refusal: None,
        position: None,
        context: Arc::default(),
    }
}

/// An element at a height.
pub(crate) fn element(role: &str, tag: &str, name: &str, operations: &[ActionKind], y: f64) -> Node {
    Node {
        role: role.into(),
        tag: tag.into(),
        name: name.into(),
        text: if tag == "input" { String::new() } else { name.into() },
        operations: operations.to_vec(),
        xpath: format!("/html/body/{tag}[{y}]"),
        bounds: Rect { x: 10.0, y, width: 80.0, height: 20.0 },
        ..Node::default()
    }
}

/// A form on which a trip is booked: a field, two equal days, a list of fares, a button and a box to check.
pub(crate) fn page() -> Observation {
    let select = Node {
        options: ["Adult", "Child"]
            .map(|label| SelectOption { label: label.into(), value: label.to_lowercase(), selected: false })
            .into(),
        ..element("combobox", "select", "Fare", &[ActionKind::Select], 90.0)
    };
    Observation {
        stamp: Stamp { session: "s".into(), number: 1 },
        url: "http://travel.test/book".into(),
        title: "Book".into(),
        nodes: vec![
            element("heading", "h1", "Book a trip", &[], 0.0),
            element("textbox", "input", "Passenger", &[ActionKind::Click, ActionKind::Type], 30.0),
            element("link", "a", "Day 1", &[ActionKind::Click], 60.0),
            element("link", "a", "Day 1", &[ActionKind::Click], 61.0),
            select,
            element("button", "button", "Book", &[ActionKind::Click], 120.0),
            element("checkbox", "input", "Return", &[ActionKind::Click, ActionKind::Check], 150.0),
        ]
        .into(),
        viewport: Viewport { width: 300.0, height: 200.0, scroll_y: 0.0, scroll_height: 200.0 },
        ..Observation::default()
    }
}

/// A request for an action on this page.
pub(crate) fn request_for(observation: Observation) -> DecisionRequest {
    DecisionRequest {
        job: JobId::new("trip/1"),
        instruction: "Book a trip for Anna with ${secret:CARD}".into(),
        observation: Arc::new(observation),
        steps_left: 30,
        seed: 1,
        ..request()
    }
}

/// A step that changed something.
pub(crate) fn step(number: u32, action: Action<Descriptor>) -> Step {
    Step {
        number,
        stamp: Stamp::default(),
        url: String::new(),
        title: "Book".into(),
        summary: format!("the page before step {number}"),
        action,
        reason: String::new(),
        confidence: 0.5,
        level: Level::Reason,
        effect: Effect::Changed { what: vec!["value".into()] },
        usage: Usage::default(),
        decide_ms: 0.0,
        act_ms: 0.0,
        at_ms: 0.0,
        difference: Default::default(),
        requests: Vec::new(),
        faults: Vec::new(),
        incidents: Vec::new(),
        screenshot: None,
    }
}

/// A page of buttons with these names, far from each other.
pub(crate) fn buttons(names: &[&str]) -> Observation {
    let button =
        |(row, name): (usize, &&str)| element("button", "button", name, &[ActionKind::Click], row as f64 * 100.0);
    Observation { nodes: names.iter().enumerate().map(button).collect::<Vec<_>>().into(), ..page() }
}
