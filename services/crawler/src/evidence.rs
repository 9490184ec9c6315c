//! After the end of an attempt: reads from the page what the task's check needs, and nothing that it does not need.
//!
//! It gathers and never judges; the judging is `evaluation`'s. Expressions come from the task's author only.

use crate::drive::{Finished, ends_with_a_page};
use domain::page::{Examination, Page, PageError};
use domain::task::Check;
use evaluation::facts::{Facts, Needs};
use serde_json::Value;

/// Gathers the facts of a finished attempt.
///
/// # Errors
/// A failure of the browser. An expression that throws is no failure: it is a fact that could not be had.
pub async fn gather(page: &mut dyn Page, finished: &Finished, check: Option<&Check>) -> Result<Facts, PageError> {
    let mut facts = Facts {
        observation: finished.observation.clone(),
        requests: finished.requests.clone(),
        faults: finished.faults.clone(),
        answer: finished.answer.clone(),
        ..Facts::default()
    };
    let Some(check) = check else { return Ok(facts) };
    if !ends_with_a_page(&finished.trajectory.ending) {
        return Ok(facts);
    }
    let needs = Needs::of(check);
    if needs.observation {
        // The page may have moved on while the decider was thinking about its last word.
        let Examination { observation: latest, texts } = page.examine().await?;
        facts.requests.extend(latest.requests.iter().cloned());
        facts.faults.extend(latest.faults.iter().cloned());
        if latest.dialog.is_none() {
            facts.text = Some(texts.into_iter().map(|text| text.text).collect::<Vec<_>>().join("\n"));
        }
        facts.observation = Some(latest.into());
    }
    let dialog = facts.observation.as_ref().is_some_and(|observation| observation.dialog.is_some());
    for expression in needs.expressions {
        let value = match dialog {
            true => Err("a dialog is open, which stops every script of the page".to_owned()),
            false => evaluate(page, &expression).await?,
        };
        facts.page_states.insert(expression, value);
    }
    Ok(facts)
}

async fn evaluate(page: &mut dyn Page, expression: &str) -> Result<Result<Value, String>, PageError> {
    match page.evaluate(expression).await {
        Ok(value) => Ok(Ok(value)),
        Err(PageError::Script(cause)) => Ok(Err(cause)),
        Err(other) => Err(other),
    }
}
