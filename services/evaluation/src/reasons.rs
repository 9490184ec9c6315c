//! Explains an unsuccessful verdict: what the site said during the attempt, and what went wrong. Pure.
//!
//! Page content is quoted, cut, and never acted upon.

use crate::facts::{Facts, PageLook};
use crate::text::excerpt;
use domain::observation::RequestKind;
use domain::text::fold;
use domain::trajectory::Step;
use domain::{Effect, Node, Observation};
use std::collections::HashSet;

/// Most messages quoted.
const MESSAGES: usize = 3;
const LONGEST: usize = 200;
/// Most error responses named.
const ANSWERS: usize = 2;
/// Roles of elements that show messages.
const TELLING: [&str; 5] = ["alert", "alertdialog", "status", "log", "dialog"];

/// What an attempt did, as far as verdicts depend on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActionSummary {
    /// Actions that were carried out.
    pub carried_out: usize,
    /// Actions that could not be carried out.
    pub failed: usize,
    /// Why the last ineffective action failed, as a sentence.
    pub trouble: Option<String>,
    /// What appeared after the last action that changed something.
    pub appeared: Vec<String>,
}

impl ActionSummary {
    /// Summarizes steps.
    pub fn of(steps: &[Step]) -> ActionSummary {
        let failed = steps.iter().filter(|step| matches!(step.effect, Effect::Failed { .. })).count();
        let appeared = steps.iter().rev().map(|step| &step.difference.appeared).find(|appeared| !appeared.is_empty());
        ActionSummary {
            carried_out: steps.len() - failed,
            failed,
            trouble: steps.iter().rev().find_map(trouble),
            appeared: appeared.cloned().unwrap_or_default(),
        }
    }
}

fn trouble(step: &Step) -> Option<String> {
    let kind = format!("{:?}", step.action.kind()).to_lowercase();
    match &step.effect {
        Effect::Failed { cause } => Some(format!("step {} ({kind}) failed: {}", step.number, excerpt(cause, LONGEST))),
        Effect::Unconfirmed { cause } => {
            Some(format!("step {} ({kind}) is not confirmed: {}", step.number, excerpt(cause, LONGEST)))
        }
        Effect::Rejected { message } => {
            Some(format!("step {} ({kind}) was rejected: \"{}\"", step.number, excerpt(message, LONGEST)))
        }
        Effect::Changed { .. } | Effect::NoChange | Effect::LeftScope { .. } => None,
    }
}

/// Details for the reason of an unsuccessful verdict; empty if there are none.
pub fn reason_details(facts: &Facts) -> String {
    let mut parts = Vec::new();
    let messages = messages(facts);
    if !messages.is_empty() {
        let quoted: Vec<String> = messages.iter().map(|message| format!("\"{message}\"")).collect();
        parts.push(format!("the site says: {}", quoted.join(", ")));
    }
    parts.extend(error_answers(facts));
    parts.extend(facts.actions.trouble.clone());
    parts.join("; ")
}

/// The last requests with an error response, without subresources of documents.
fn error_answers(facts: &Facts) -> Vec<String> {
    let counts = |request: &&domain::observation::Request| {
        let is_of_the_page = match request.kind {
            RequestKind::Resource | RequestKind::Stream => false,
            RequestKind::Document | RequestKind::Script | RequestKind::Beacon => true,
            RequestKind::Other => request.method != "GET",
        };
        !request.refused && is_of_the_page && request.status.is_some_and(|status| status >= 400)
    };
    let mut answers: Vec<String> = Vec::new();
    for request in facts.requests.iter().rev().filter(counts) {
        let path = request.url.splitn(4, '/').nth(3).map_or(request.url.clone(), |path| format!("/{path}"));
        let status = request.status.unwrap_or_default();
        let answer = format!("{} {} was answered {status}", request.method, excerpt(&path, 100));
        if answers.len() < ANSWERS && !answers.contains(&answer) {
            answers.push(answer);
        }
    }
    answers.reverse();
    answers
}

/// The messages on the page: elements with a message role, validation messages, and new text.
fn messages(facts: &Facts) -> Vec<String> {
    let Some(last) = facts.last() else { return Vec::new() };
    let start = facts.start.as_deref().and_then(Facts::last);
    let observation = &last.observation;
    let mut found = Found::default();
    if let Some(dialog) = &observation.dialog {
        found.add(&dialog.message);
    }
    let at_start: HashSet<String> = start.map(told_by_role).unwrap_or_default().into_iter().collect();
    let (old, new): (Vec<String>, Vec<String>) =
        told_by_role(last).into_iter().partition(|told| at_start.contains(told));
    new.iter().for_each(|told| found.add(told));
    for node in &observation.nodes {
        let message = node.constraints.as_ref().and_then(|constraints| constraints.validation_message.as_deref());
        if let Some(message) = message.filter(|_| node.states.invalid) {
            found.add(&format!("{}: {message}", node.label()));
        }
    }
    if found.messages.is_empty() {
        new_lines(facts, start, last).iter().for_each(|line| found.add(line));
    }
    if found.messages.is_empty() {
        facts.actions.appeared.iter().for_each(|appeared| found.add(appeared));
    }
    if found.messages.is_empty() {
        old.iter().for_each(|told| found.add(told));
    }
    found.messages
}

#[derive(Default)]
struct Found {
    messages: Vec<String>,
}

impl Found {
    fn add(&mut self, message: &str) {
        let message = excerpt(message, LONGEST);
        let is_told = self.messages.iter().any(|told| told.contains(&message));
        if !message.is_empty() && !is_told && self.messages.len() < MESSAGES {
            self.messages.push(message);
        }
    }
}

fn told_by_role(look: &PageLook) -> Vec<String> {
    let tells = |node: &&Node| TELLING.contains(&node.role.as_str());
    let told = look.observation.nodes.iter().filter(tells).map(|node| {
        let text = if node.text.is_empty() { &node.name } else { &node.text };
        fold(text)
    });
    told.filter(|text| !text.is_empty()).collect()
}

/// Lines that were not on the page at the start and do not tick; for another page its title.
fn new_lines(facts: &Facts, start: Option<&PageLook>, last: &PageLook) -> Vec<String> {
    let Some(start) = start else { return Vec::new() };
    if page_of(&start.observation) != page_of(&last.observation) {
        let heading = last.observation.nodes.iter().find(|node| node.role == "heading" && !node.label().is_empty());
        return vec![heading.map_or(last.observation.title.clone(), |heading| heading.label().to_owned())];
    }
    let lines = |look: &PageLook| -> Vec<String> {
        let texts = look.texts.iter().flatten();
        texts.flat_map(|text| text.text.lines().map(fold).collect::<Vec<_>>()).filter(|line| !line.is_empty()).collect()
    };
    let known: HashSet<String> = lines(start).into_iter().collect();
    let before = facts.looks.iter().rev().nth(1).unwrap_or(last);
    let stays: HashSet<String> = lines(before).into_iter().collect();
    lines(last).into_iter().filter(|line| !known.contains(line) && stays.contains(line)).collect()
}

fn page_of(observation: &Observation) -> &str {
    observation.url.split(['?', '#']).next().unwrap_or_default()
}
