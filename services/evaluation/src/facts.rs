//! What was seen at the end of an attempt: all that a check may be decided by.

use domain::observation::Request;
use domain::task::Check;
use domain::{Fault, Observation};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The facts of an ended attempt. What is absent was not gathered, and decides nothing.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// What the page shows in the end.
    pub observation: Option<Arc<Observation>>,
    /// The whole visible text, white space as it is.
    pub text: Option<String>,
    /// The value of each expression, or why it has none.
    pub page_states: BTreeMap<String, Result<Value, String>>,
    /// Every request of the attempt, oldest first.
    pub requests: Vec<Request>,
    /// Every fault of the attempt, oldest first.
    pub faults: Vec<Fault>,
    /// The answer that came with the claim to be done.
    pub answer: Option<String>,
}

/// Which facts a check asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The latest observation: address, elements, values, requests.
    pub observation: bool,
    /// The whole visible text.
    pub text: bool,
    /// Expressions to be evaluated, each once.
    pub expressions: Vec<String>,
}

impl Needs {
    /// The facts that a check asks for, its parts included.
    pub fn of(check: &Check) -> Needs {
        let mut needs = Needs::default();
        needs.collect(check);
        needs
    }

    fn collect(&mut self, check: &Check) {
        match check {
            Check::Url(_) | Check::Element(_) | Check::Value(_) | Check::Request(_) | Check::Fault(_) => {
                self.observation = true
            }
            Check::Text(_) => {
                self.observation = true;
                self.text = true;
            }
            Check::Answer(_) => {}
            Check::PageState(state) if self.expressions.contains(&state.expression) => {}
            Check::PageState(state) => self.expressions.push(state.expression.clone()),
            Check::All(parts) | Check::Any(parts) => parts.iter().for_each(|part| self.collect(part)),
            Check::Not(part) => self.collect(part),
        }
    }
}
