//! Gathers the facts that a task's check needs, before and after an attempt, and nothing else.
//!
//! It never judges; `evaluation` does. Expressions come from the task's author only.
//!
//! At the end the page is examined twice: whatever differs was still changing. Before that, it waits for requests that
//! the page depends on. Both happen once per attempt.

use crate::drive::{Finished, ends_with_a_page};
use crate::judging;
use domain::action::{ActionKind, Claim};
use domain::observation::Request;
use domain::page::{Page, PageError};
use domain::task::Check;
use domain::trajectory::Step;
use domain::{Action, Effect, Ending};
use evaluation::facts::{Facts, Moment, Needs, PageLook};
use evaluation::messages;
use evaluation::reasons::ActionSummary;
use evaluation::requests::{
    RequestHistory, asks_again, counts_on, first_change, in_flight, is_unfinished, merge, tells_of_work,
};
use serde_json::Value;
use std::time::Duration;
use tokio::time::sleep;

/// Pause between two examinations.
const PAUSE: Duration = Duration::from_millis(500);
/// Examinations for which open requests, busy indicators and what the page says to be under way are waited for: ten seconds of
/// pauses.
const REQUESTS: u32 = 20;
/// Examinations for which a page is watched that has sent something: two and a half seconds of pauses.
const TAKEN_BACK: u32 = 5;
/// Without a repeated question in so many examinations, a page no longer asks for the end of a job: four seconds of pauses.
const ASKING: usize = 9;
/// Examinations for which what came late has to stay: six seconds of pauses.
const STAYS: u32 = 12;
/// Further examinations of a page that keeps changing.
const CHANGES: u32 = 6;

/// How often a page is examined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Watch {
    /// At the start, and twice at the end.
    #[default]
    Closely,
    /// Once at the end, for pages that judge themselves.
    Once,
}

/// Examinations for which a page that is still loading is waited for at the start, unless the check holds before: five seconds of pauses.
const LOADING: u32 = 10;

/// The facts before the first action; none where the check does not depend on the page. What is still being loaded is waited for: what
/// comes by itself later is not what the attempt did.
///
/// # Errors
/// A failure of the browser.
pub async fn at_start(page: &mut dyn Page, check: &Check) -> Result<Option<Facts>, PageError> {
    let needs = Needs::of(check);
    if needs.is_nothing() {
        return Ok(None);
    }
    let mut facts = facts_at_start(page, &needs).await?;
    for _ in 0..LOADING {
        if facts.in_flight.is_empty() || judging::is_confirmed(page, check, &facts).await {
            break;
        }
        sleep(PAUSE).await;
        let now = facts_at_start(page, &needs).await?;
        let (requests, faults) = (std::mem::take(&mut facts.requests), std::mem::take(&mut facts.faults));
        facts = Facts {
            requests: merge(requests.into_iter().chain(now.requests)),
            faults: faults.into_iter().chain(now.faults).collect(),
            ..now
        };
    }
    Ok(Some(facts))
}

/// The facts of one look before the first action.
async fn facts_at_start(page: &mut dyn Page, needs: &Needs) -> Result<Facts, PageError> {
    let mut facts = Facts { moment: Moment::Start, ..Facts::of_look(look(page, needs).await?) };
    facts.in_flight =
        facts.observation().map(|observation| in_flight(observation, &RequestHistory::default())).unwrap_or_default();
    Ok(facts)
}

/// Gathers the facts of a finished attempt.
///
/// # Errors
/// A failure of the browser. An expression that throws is no failure but a missing fact.
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
            .map(|observation| PageLook { observation, ..PageLook::default() })
            .into_iter()
            .collect(),
        requests: merge(finished.requests.iter().cloned()),
        faults: finished.faults.clone(),
        answer: finished.answer.clone(),
        start: finished.start.clone(),
        actions: ActionSummary::of(&finished.trajectory.steps),
        ..Facts::default()
    };
    let Some(needs) = check.map(Needs::of).filter(|needs| !needs.is_nothing()) else { return Ok(facts) };
    if !ends_with_a_page(&finished.trajectory.ending) {
        return Ok(facts);
    }
    // The page may have changed while the decider was deciding.
    let settled = facts.looks.pop();
    let mut looking = PageWatcher { page, needs, last_action: last_action(&finished.trajectory.steps), ended: 0 };
    looking.examine_again(&mut facts).await?;
    looking.ended = 1 + newest(&facts);
    if watch == Watch::Once {
        return Ok(facts);
    }
    let Some(check) = check else { return Ok(facts) };
    // A message may go before the page is looked at for a second time: the page as it settled after the last action counts too.
    let mut held = HeldLooks::default();
    if let Some(settled) = settled {
        facts.looks.insert(0, settled);
        held.look(&mut *looking.page, check, &facts).await;
        facts.looks.remove(0);
    }
    for _ in 0..REQUESTS {
        if facts.looks.len() > 1 && facts.in_flight.is_empty() && !is_under_way(&facts) {
            break;
        }
        sleep(PAUSE).await;
        looking.examine_again(&mut facts).await?;
        held.look(&mut *looking.page, check, &facts).await;
    }
    let begun = first_action(&finished.trajectory.steps);
    look_for_late(&mut looking, finished, check, &mut facts, &mut held).await?;
    let mut newest_at_look = Vec::new();
    for looks_since in 0..REQUESTS {
        newest_at_look.push(newest(&facts));
        let is_sure = !may_be_taken_back(&facts, begun, looks_since, &newest_at_look);
        if is_sure || !judging::is_confirmed(&mut *looking.page, check, &facts).await {
            break;
        }
        sleep(PAUSE).await;
        looking.examine_again(&mut facts).await?;
        held.look(&mut *looking.page, check, &facts).await;
    }
    for _ in 0..CHANGES {
        if judging::rests(&mut *looking.page, check, &facts).await {
            break;
        }
        sleep(PAUSE).await;
        looking.examine_again(&mut facts).await?;
        held.look(&mut *looking.page, check, &facts).await;
    }
    if let Some(held) = held.0
        && judging::is_refuted(&mut *looking.page, check, &facts).await
        && !was_refused(&facts)
    {
        facts.looks = held;
    }
    Ok(facts)
}

/// Looks on where what the last action did may show only now: nothing was seen of it yet, or the page asks what became of it.
async fn look_for_late(
    looking: &mut PageWatcher<'_>,
    finished: &Finished,
    check: &Check,
    facts: &mut Facts,
    held: &mut HeldLooks,
) -> Result<(), PageError> {
    let begun = first_action(&finished.trajectory.steps);
    let is_silent = has_shown_nothing(finished);
    let mut newest_at_look = vec![0];
    let mut stays = 0;
    for _ in 0..REQUESTS {
        newest_at_look.push(newest(facts));
        let may_come = is_silent || is_asked_for(facts, begun, &newest_at_look);
        if !may_come || held.0.is_some() || !judging::is_refuted(&mut *looking.page, check, facts).await {
            break;
        }
        stays = STAYS;
        sleep(PAUSE).await;
        looking.examine_again(facts).await?;
        held.look(&mut *looking.page, check, facts).await;
    }
    // What only passes by, as pictures that take turns, is no outcome of what was done.
    for _ in 0..stays {
        if judging::is_refuted(&mut *looking.page, check, facts).await {
            *held = HeldLooks::default();
            break;
        }
        sleep(PAUSE).await;
        looking.examine_again(facts).await?;
    }
    Ok(())
}

/// The last two looks by which the check was confirmed, since when nothing but messages went: a message stands for some seconds and goes
/// by itself, and what it told is not taken back by that.
#[derive(Default)]
struct HeldLooks(Option<Vec<PageLook>>);

impl HeldLooks {
    /// Takes the last look into account.
    async fn look(&mut self, page: &mut dyn Page, check: &Check, facts: &Facts) {
        let start = facts.start.as_deref().and_then(Facts::observation);
        // What tells of work that goes on tells of nothing that is done.
        let is_work = facts.observation().is_none_or(|seen| tells_of_work(seen, start));
        if !is_work && judging::is_confirmed(page, check, facts).await {
            self.0 = Some(facts.looks.clone());
            return;
        }
        let before = self.0.as_ref().and_then(|looks| looks.last());
        let stays = before.zip(facts.looks.last()).is_some_and(|(before, now)| messages::only_they_went(before, now));
        if !stays {
            self.0 = None;
        }
    }
}

/// Whether the site refused something that was sent, or did not answer it.
fn was_refused(facts: &Facts) -> bool {
    facts.requests.iter().any(|request| !request.is_safe() && request.status.is_none_or(|status| status >= 400))
}

/// Whether the actor claims to be done, and nothing was seen of what its last action did.
fn has_shown_nothing(finished: &Finished) -> bool {
    let last = last_deed(&finished.trajectory.steps);
    let claims = matches!(finished.trajectory.ending, Ending::Stopped { claim: Claim::Done, .. });
    let is_nothing = |what: &String| matches!(what.as_str(), "focus" | "scroll" | "request");
    let is_press = |step: &&Step| !matches!(step.action.kind(), ActionKind::Hover | ActionKind::Scroll);
    claims
        && last.filter(is_press).is_some_and(|step| match &step.effect {
            Effect::NoChange => true,
            Effect::Changed { what } => what.iter().all(is_nothing),
            _ => false,
        })
}

/// Whether the page asks again and again for the end of what the attempt set going.
fn is_asked_for(facts: &Facts, begun: u64, newest_at_look: &[u64]) -> bool {
    let at = newest_at_look.len().saturating_sub(ASKING);
    let lately = newest_at_look.get(at).copied().unwrap_or_default();
    let change = first_change(&facts.requests, begun).filter(|_| begun > 0);
    change.is_some_and(|change| asks_again(&facts.requests, change.number, lately))
}

/// Whether what the attempt made the page send may yet be taken back: by a page that looks again a moment later, or by the end of a job
/// that the page asks for again and again.
fn may_be_taken_back(facts: &Facts, begun: u64, looks_since: u32, newest_at_look: &[u64]) -> bool {
    let has_changed = begun > 0 && first_change(&facts.requests, begun).is_some();
    (has_changed && looks_since < TAKEN_BACK) || is_asked_for(facts, begun, newest_at_look)
}

/// Examines the same page repeatedly.
struct PageWatcher<'a> {
    page: &'a mut dyn Page,
    needs: Needs,
    last_action: u64,
    ended: u64,
}

impl PageWatcher<'_> {
    /// Examines the page and adds new facts. Keeps only the last two examinations.
    async fn examine_again(&mut self, facts: &mut Facts) -> Result<(), PageError> {
        let look = look(self.page, &self.needs).await?;
        let told = std::mem::take(&mut facts.requests);
        facts.requests = merge(told.into_iter().chain(look.observation.requests.iter().cloned()));
        facts.faults.extend(look.observation.faults.iter().cloned());
        let PageWatcher { last_action, ended, .. } = *self;
        let start = facts.start.as_deref().and_then(Facts::observation);
        let history = RequestHistory { requests: &facts.requests, last_action, ended, start };
        facts.in_flight = in_flight(&look.observation, &history);
        if facts.looks.len() > 1 {
            facts.looks.remove(0);
        }
        facts.looks.push(look);
        Ok(())
    }
}

/// Whether the page says, in words that it did not show at the start, that something is still under way; or counts a percentage on.
fn is_under_way(facts: &Facts) -> bool {
    let start = facts.start.as_deref().and_then(Facts::observation);
    let before = facts.looks.iter().rev().nth(1).map(|look| look.observation.as_ref());
    facts
        .observation()
        .is_some_and(|seen| is_unfinished(seen, start) || before.is_some_and(|before| counts_on(before, seen)))
}

async fn look(page: &mut dyn Page, needs: &Needs) -> Result<PageLook, PageError> {
    let mut look = if needs.page { PageLook::of(page.examine().await?) } else { PageLook::default() };
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

/// Number of the first request caused by an action; 0 where none caused any.
fn first_action(steps: &[Step]) -> u64 {
    let numbers = steps.iter().flat_map(|step| &step.requests).map(|request| request.number);
    numbers.filter(|number| *number > 0).min().unwrap_or_default()
}

/// The last action other than waiting.
fn last_deed(steps: &[Step]) -> Option<&Step> {
    steps.iter().rfind(|step| !matches!(step.action, Action::Wait { .. }))
}

/// Number of the newest request that is known; 0 where none is.
fn newest(facts: &Facts) -> u64 {
    facts.requests.iter().map(|request| request.number).max().unwrap_or_default()
}

/// Number of the first request caused by the last action other than waiting; 0 where unknown.
fn last_action(steps: &[Step]) -> u64 {
    let number = |request: &Request| request.number;
    last_deed(steps)
        .and_then(|step| step.requests.iter().map(number).filter(|number| *number > 0).min())
        .unwrap_or_default()
}
