//! Gold solvers: they read a page's own task data and prove that every instance can be solved by real input.
//!
//! A solver is a JavaScript function without memory that only reads: from the page as it is now to the next action. The
//! action is carried out by the browser room on the node that the observation has for the element. Planners get a
//! request, never a page, so nothing here is within their reach.

use async_trait::async_trait;
use domain::action::Action;
use domain::decision::{Choice, Decider, Decision, DecisionRequest, Level, PlannerError};
use domain::geometry::Rect;
use domain::page::{Page, PageError};
use domain::{ElementId, Node, Observation, TaskId, Usage};
use serde::Deserialize;
use serde_json::Value;

const SHARED: &str = include_str!("gold/shared.js");

/// Solvers of one kind of page: their script, and the tasks it has a solver for.
struct Family {
    script: &'static str,
    tasks: &'static [&'static str],
}

const FAMILIES: [Family; 4] = [
    Family {
        script: include_str!("gold/clicks.js"),
        tasks: &[
            "click-button",
            "click-collapsible",
            "click-collapsible-2-nodelay",
            "click-dialog",
            "click-dialog-2",
            "click-link",
            "click-menu-2",
            "click-pie-nodelay",
            "click-tab",
            "click-tab-2",
            "click-tab-2-hard",
            "click-test",
            "click-test-2",
            "click-widget",
            "focus-text",
            "focus-text-2",
            "grid-coordinate",
            "navigate-tree",
        ],
    },
    Family {
        script: include_str!("gold/dates.js"),
        tasks: &["book-flight-nodelay", "choose-date", "flight.AA", "flight.Alaska", "flight.Alaska-auto"],
    },
    Family {
        script: include_str!("gold/forms.js"),
        tasks: &[
            "click-checkboxes",
            "click-checkboxes-large",
            "click-checkboxes-soft",
            "click-option",
            "click-scroll-list",
            "enter-password",
            "enter-text",
            "enter-text-2",
            "enter-text-dynamic",
            "login-user",
            "multi-layouts",
            "multi-orderings",
            "read-table",
        ],
    },
    Family {
        script: include_str!("gold/sites.js"),
        tasks: &[
            "email-inbox",
            "email-inbox-forward-nl",
            "email-inbox-forward-nl-turk",
            "email-inbox-nl-turk",
            "search-engine",
            "social-media",
            "social-media-all",
            "social-media-some",
        ],
    },
];

/// The solver of a task; `None` where there is none.
pub fn solver(task: &TaskId) -> Option<Box<dyn Decider>> {
    let family = FAMILIES.iter().find(|family| family.tasks.contains(&task.as_str()))?;
    let expression = format!("(() => {{\n{SHARED}\n{}\nreturn solvers['{task}']();\n}})()", family.script);
    Some(Box::new(Solver { expression }))
}

#[derive(Debug)]
struct Solver {
    expression: String,
}

/// The next action as a solver's script gives it.
#[derive(Debug, Deserialize)]
struct Wish {
    #[serde(flatten)]
    place: ElementPosition,
    #[serde(flatten)]
    act: Act,
}

/// Where an element is.
#[derive(Debug, Deserialize)]
struct ElementPosition {
    /// XPath within its document.
    xpath: String,
    /// Whether it is in a frame of the page.
    framed: bool,
    /// Tag name, lower case.
    tag: String,
    /// Its box in the page's viewport.
    bounds: Rect,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
enum Act {
    Click,
    Type { text: String },
    Check { checked: bool },
    Select { labels: Vec<String> },
}

#[async_trait]
impl Decider for Solver {
    fn name(&self) -> &str {
        "gold"
    }

    async fn decide(&mut self, page: &mut dyn Page, request: DecisionRequest) -> Result<Decision, PlannerError> {
        Ok(decision(next(page.evaluate(&self.expression).await, &request.observation)))
    }
}

/// How long a page that has changed since it was observed is given before it is observed again.
const LOOK_AGAIN_MS: u32 = 50;

/// The action of a script's answer on the nodes of an observation, and why.
fn next(answer: Result<Value, PageError>, observation: &Observation) -> Result<(Action, String), String> {
    let answer = answer.map_err(|error| error.to_string())?;
    let wish: Option<Wish> =
        serde_json::from_value(answer.clone()).map_err(|error| format!("the solver answered {answer}: {error}"))?;
    let Some(Wish { place, act }) = wish else { return Ok((Action::done(), "nothing is left to do".to_owned())) };
    let Some(element) = find(observation, &place) else {
        let reason = format!("the page has changed since it was observed: no {} at {}", place.tag, place.xpath);
        return Ok((Action::Wait { milliseconds: LOOK_AGAIN_MS }, reason));
    };
    let action = match act {
        Act::Click => Action::click(element),
        Act::Type { text } => Action::Type { element, text, submit: false },
        Act::Check { checked } => Action::Check { element, checked },
        Act::Select { labels } => Action::Select { element, options: labels },
    };
    Ok((action, "the page's own task data says so".to_owned()))
}

/// The node at a place: by XPath, which interactive nodes have, else by tag and box.
fn find(observation: &Observation, place: &ElementPosition) -> Option<ElementId> {
    let in_document = |node: &Node| (node.frame != 0) == place.framed;
    let by_path = |node: &Node| in_document(node) && node.xpath == place.xpath;
    let by_box = |node: &Node| in_document(node) && node.tag == place.tag && is_same(&node.bounds, &place.bounds);
    let mut elements = observation.elements();
    let found = elements.find(|(_, node)| by_path(node));
    found.or_else(|| observation.elements().find(|(_, node)| by_box(node))).map(|(id, _)| id)
}

fn is_same(a: &Rect, b: &Rect) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() < 1.0;
    near(a.x, b.x) && near(a.y, b.y) && near(a.width, b.width) && near(a.height, b.height)
}

fn decision(next: Result<(Action, String), String>) -> Decision {
    let (choice, reason) = match next {
        Ok((action, reason)) => (Choice::Act(action), reason),
        Err(cause) => (Choice::Invalid { cause }, "the solver does not fit the page".to_owned()),
    };
    Decision {
        choice,
        reason,
        confidence: 1.0,
        level: Level::Gold,
        usage: Usage::default(),
        incidents: Vec::new(),
        memory: Value::Null,
    }
}

#[cfg(test)]
mod tests;
