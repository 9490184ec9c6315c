//! Gold solvers: they read a page's own task data and prove that every instance can be solved by real input.
//!
//! A solver is a JavaScript function without memory that only reads: from the page as it is now to the next action. The
//! action is carried out by the browser room on the node that the observation has for the element. Planners get a
//! request, never a page, so nothing here is within their reach.

use async_trait::async_trait;
use domain::action::Action;
use domain::decision::{Choice, Decider, Decision, DecisionRequest, Level, PlannerError};
use domain::geometry::Point;
use domain::page::{Page, PageError};
use domain::{ElementId, Node, Observation, TaskId, Usage};
use serde::Deserialize;
use serde_json::Value;

const SHARED: &str = include_str!("shared.js");

/// Solvers of one kind of page: their script, and the tasks it has a solver for.
struct Family {
    script: &'static str,
    tasks: &'static [&'static str],
}

const FAMILIES: [Family; 4] = [
    Family {
        script: include_str!("clicks.js"),
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
        script: include_str!("dates.js"),
        tasks: &["book-flight-nodelay", "choose-date", "flight.AA", "flight.Alaska", "flight.Alaska-auto"],
    },
    Family {
        script: include_str!("forms.js"),
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
        script: include_str!("sites.js"),
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
    /// XPath of the element within its document.
    xpath: String,
    /// Whether the element is in a frame of the page.
    framed: bool,
    #[serde(flatten)]
    act: Act,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
enum Act {
    Click { at: Option<Point> },
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

/// The action of a script's answer on the nodes of an observation.
fn next(answer: Result<Value, PageError>, observation: &Observation) -> Result<Action, String> {
    let answer = answer.map_err(|error| error.to_string())?;
    let wish: Option<Wish> =
        serde_json::from_value(answer.clone()).map_err(|error| format!("the solver answered {answer}: {error}"))?;
    let Some(Wish { xpath, framed, act }) = wish else { return Ok(Action::done()) };
    let element = find(observation, &xpath, framed)
        .ok_or_else(|| format!("the observation has no interactive element at {xpath}"))?;
    Ok(match act {
        Act::Click { at } => Action::Click { element, at, count: 1 },
        Act::Type { text } => Action::Type { element, text, submit: false },
        Act::Check { checked } => Action::Check { element, checked },
        Act::Select { labels } => Action::Select { element, options: labels },
    })
}

fn find(observation: &Observation, xpath: &str, framed: bool) -> Option<ElementId> {
    let is_it = |node: &Node| node.xpath == xpath && (node.frame != 0) == framed;
    observation.elements().find(|(_, node)| is_it(node)).map(|(id, _)| id)
}

fn decision(next: Result<Action, String>) -> Decision {
    let (choice, reason) = match next {
        Ok(action) => (Choice::Act(action), "the page's own task data says so".to_owned()),
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
