//! Before and after an attempt: reads from the page what the task's check needs, and nothing that it does not need.
//!
//! It gathers and never judges; the judging is `evaluation`'s. Expressions come from the task's author only.
//!
//! At the end the page is looked at twice: what only one of the looks shows was still changing. Before that, requests that
//! the page waits for are given the time to be answered. Both happen once an attempt.

use crate::drive::{Finished, ends_with_a_page};
use domain::Action;
use domain::observation::Request;
use domain::page::{Page, PageError};
use domain::task::Check;
use domain::trajectory::Step;
use evaluation::checks::is_at_rest;
use evaluation::facts::{Facts, Look, Moment, Needs};
use evaluation::requests::{History, in_flight, merge};
use evaluation::said::Deeds;
use serde_json::Value;
use std::time::Duration;
use tokio::time::sleep;

/// Pause between two looks.
const PAUSE: Duration = Duration::from_millis(500);
/// Looks for which open requests, and what says that it is busy, are waited for: ten seconds of pauses.
const REQUESTS: u32 = 20;
/// Further looks at a page that differs from look to look.
const CHANGES: u32 = 6;

/// How closely a page is watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Watch {
    /// At the start, and twice at the end.
    #[default]
    Closely,
    /// Once at the end: of pages that judge themselves.
    Once,
}

/// What holds before the first action; none where the check asks nothing of the page.
///
/// # Errors
/// A failure of the browser.
pub async fn at_start(page: &mut dyn Page, check: &Check) -> Result<Option<Facts>, PageError> {
    let needs = Needs::of(check);
    if needs.is_nothing() {
        return Ok(None);
    }
    let mut facts = Facts { moment: Moment::Start, ..Facts::of_look(look(page, &needs).await?) };
    facts.in_flight =
        facts.observation().map(|observation| in_flight(observation, &History::default())).unwrap_or_default();
    Ok(Some(facts))
}

/// Gathers the facts of a finished attempt.
///
/// # Errors
/// A failure of the browser. An expression that throws is no failure: it is a fact that could not be had.
pub async fn gather(
    page: &mut dyn Page,
    finished: &Finished,
    check: Option<&Check>,
    watch: Watch,
) -> Result<Facts, PageError> {
    let mut facts = Facts {
        looks: finished
            .observation
            .clone()
            .map(|observation| Look { observation, ..Look::default() })
            .into_iter()
            .collect(),
        requests: merge(finished.requests.iter().cloned()),
        faults: finished.faults.clone(),
        answer: finished.answer.clone(),
        start: finished.start.clone(),
        deeds: Deeds::of(&finished.trajectory.steps),
        ..Facts::default()
    };
    let Some(needs) = check.map(Needs::of).filter(|needs| !needs.is_nothing()) else { return Ok(facts) };
    if !ends_with_a_page(&finished.trajectory.ending) {
        return Ok(facts);
    }
    // The page may have moved on while the decider was thinking about its last word.
    facts.looks.clear();
    let mut looking = Looking { page, needs, last_action: last_action(&finished.trajectory.steps), ended: 0 };
    looking.again(&mut facts).await?;
    looking.ended = 1 + facts.requests.iter().map(|request| request.number).max().unwrap_or_default();
    if watch == Watch::Once {
        return Ok(facts);
    }
    for _ in 0..REQUESTS {
        if facts.in_flight.is_empty() {
            break;
        }
        sleep(PAUSE).await;
        looking.again(&mut facts).await?;
    }
    if facts.looks.len() < 2 {
        sleep(PAUSE).await;
        looking.again(&mut facts).await?;
    }
    for _ in 0..CHANGES {
        if check.is_none_or(|check| is_at_rest(check, &facts)) {
            break;
        }
        sleep(PAUSE).await;
        looking.again(&mut facts).await?;
    }
    Ok(facts)
}

/// One look after the other at the same page.
struct Looking<'a> {
    page: &'a mut dyn Page,
    needs: Needs,
    last_action: u64,
    ended: u64,
}

impl Looking<'_> {
    /// Looks, and adds to the facts what is new. Only the last two looks are kept.
    async fn again(&mut self, facts: &mut Facts) -> Result<(), PageError> {
        let look = look(self.page, &self.needs).await?;
        let told = std::mem::take(&mut facts.requests);
        facts.requests = merge(told.into_iter().chain(look.observation.requests.iter().cloned()));
        facts.faults.extend(look.observation.faults.iter().cloned());
        let Looking { last_action, ended, .. } = *self;
        let start = facts.start.as_deref().and_then(Facts::observation);
        let history = History { requests: &facts.requests, last_action, ended, start };
        facts.in_flight = in_flight(&look.observation, &history);
        if facts.looks.len() > 1 {
            facts.looks.remove(0);
        }
        facts.looks.push(look);
        Ok(())
    }
}

async fn look(page: &mut dyn Page, needs: &Needs) -> Result<Look, PageError> {
    let mut look = if needs.page { Look::of(page.examine().await?) } else { Look::default() };
    for expression in &needs.expressions {
        let value = match look.observation.dialog {
            Some(_) => Err("a dialog is open, which stops every script of the page".to_owned()),
            None => evaluate(page, expression).await?,
        };
        look.page_states.insert(expression.clone(), value);
    }
    Ok(look)
}

async fn evaluate(page: &mut dyn Page, expression: &str) -> Result<Result<Value, String>, PageError> {
    match page.evaluate(expression).await {
        Ok(value) => Ok(Ok(value)),
        Err(PageError::Script(cause)) => Ok(Err(cause)),
        Err(other) => Err(other),
    }
}

/// Number of the first request that the last action caused, waiting aside; 0 where that is not known.
fn last_action(steps: &[Step]) -> u64 {
    let is_deed = |step: &&Step| !matches!(step.action, Action::Wait { .. });
    let number = |request: &Request| request.number;
    let last = steps.iter().rev().find(is_deed);
    last.and_then(|step| step.requests.iter().map(number).filter(|number| *number > 0).min()).unwrap_or_default()
}
