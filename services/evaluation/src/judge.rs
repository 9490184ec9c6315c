//! Judges an attempt: derives the verdict from ending, check and facts. Pure, and the only place where verdicts are
//! made.
//!
//! The rules, first match wins:
//!
//! | ending | check | verdict |
//! |---|---|---|
//! | throttled | any | `THROTTLED` |
//! | browser, site, environment or planner out of order; interrupted | any | `INVALID_ENVIRONMENT` |
//! | drifted, or a test's replay cut short | any | `DRIFTED` |
//! | claimed done, or ended by the environment | confirmed, and at the start as well | `UNVERIFIED` |
//! | claimed done, or ended by the environment | confirmed, and nothing was done | `UNVERIFIED` |
//! | claimed done, or ended by the environment | confirmed | `PASSED`, `PASSED_HEALED` after healing |
//! | claimed done, or ended by the environment | refuted | `NOT_ACHIEVED`, for a test `FAILED` |
//! | claimed done, or ended by the environment | undecided or none | `UNVERIFIED` |
//! | claimed infeasible | undecided or none | `INFEASIBLE` |
//! | claimed infeasible | confirmed or refuted | `NOT_ACHIEVED` |
//! | gave up, or a limit | any | `NOT_ACHIEVED` |
//!
//! An actor that gave up or hit a limit has not done the task even if the check holds, which may be chance. The
//! evidence is kept for readers. A planner whose model is down says nothing about product or agent. A claim of
//! infeasibility stands only if no check contradicts it: a task with a decidable check is feasible by its author's
//! word.
//!
//! A check that held before the first action confirms nothing, nor does one that holds without any action. The task's
//! author may accept both; an answer counts as an action; and a test for a fault may need no step.

use crate::checks::{evaluate, finding, has_part};
use crate::facts::Facts;
use crate::reasons::reason_details;
use domain::action::Claim;
use domain::task::Check;
use domain::test::Heal;
use domain::verdict::{Finding, VerdictKind};
use domain::{Ending, Evidence, Verdict};

/// Who acted: a refuted check is the agent's failure in one case and the product's in the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
    /// An agent worked on a task.
    Agent,
    /// A test was replayed.
    Test {
        /// The locators that had to be healed.
        heals: Vec<Heal>,
    },
}

/// Judges an ended attempt.
pub fn judge(ending: &Ending, check: Option<&Check>, facts: &Facts, actor: &Actor) -> Verdict {
    let mut verdict = match beyond_judgement(ending, actor) {
        Some(verdict) => verdict,
        None => by_check(ending, check, facts, actor),
    };
    if !verdict.kind.is_success() {
        let details = reason_details(facts);
        if !details.is_empty() {
            verdict.reason = format!("{}; {details}", verdict.reason);
        }
    }
    verdict
}

fn by_check(ending: &Ending, check: Option<&Check>, facts: &Facts, actor: &Actor) -> Verdict {
    let evidence = check.map(|check| evaluate(check, facts)).unwrap_or_default();
    let finding = evidence.first().map(|root| root.finding);
    let (kind, reason) = match ending {
        Ending::Stopped { claim: Claim::Done, .. } => {
            let how = "the actor says that it is done";
            ended(finding, how, &evidence, actor, passes_for_nothing(check, facts, &evidence, actor))
        }
        Ending::EnvironmentOver => {
            let how = "the environment ended the episode";
            ended(finding, how, &evidence, actor, passes_for_nothing(check, facts, &evidence, actor))
        }
        Ending::Stopped { claim: Claim::Infeasible { reason }, .. } => infeasible(finding, reason, &evidence),
        other => {
            let held = if finding == Some(Finding::Confirmed) { "; the check holds all the same" } else { "" };
            (VerdictKind::NotAchieved, format!("{}{held}", describe(other)))
        }
    };
    Verdict { kind, reason, evidence }
}

/// Why a check that holds is still no success; none if it is one.
fn passes_for_nothing(check: Option<&Check>, facts: &Facts, evidence: &[Evidence], actor: &Actor) -> Option<String> {
    if facts.may_hold_at_start {
        return None;
    }
    let held_at_start = |start: &Facts| check.is_some_and(|check| finding(check, start) == Finding::Confirmed);
    if facts.start.as_deref().is_some_and(held_at_start) {
        return Some("the check held before anything was done".to_owned());
    }
    let is_answered =
        evidence.iter().any(|part| matches!(part.check, Check::Answer(_)) && part.finding == Finding::Confirmed);
    let needs_no_step =
        matches!(actor, Actor::Test { .. }) && facts.actions.failed == 0 && check.is_some_and(asks_for_fault);
    match facts.actions.carried_out {
        0 if is_answered || needs_no_step => None,
        0 if facts.actions.failed == 0 => Some("nothing was done: the attempt has no steps".to_owned()),
        0 => Some("nothing was done: no action could be carried out".to_owned()),
        _ => None,
    }
}

/// Whether a check, or a part of it, looks for a fault.
pub(crate) fn asks_for_fault(check: &Check) -> bool {
    has_part(check, &|part| matches!(part, Check::Fault(_)))
}

/// Endings that say nothing about whether the task was done.
fn beyond_judgement(ending: &Ending, actor: &Actor) -> Option<Verdict> {
    let kind = match ending {
        Ending::Throttled { .. } => VerdictKind::Throttled,
        Ending::BrowserFailed { .. }
        | Ending::SiteUnreachable { .. }
        | Ending::EnvironmentFailed { .. }
        | Ending::PlannerFailed { .. }
        | Ending::Interrupted => VerdictKind::InvalidEnvironment,
        Ending::Drifted { .. } => VerdictKind::Drifted,
        Ending::Stopped { claim: Claim::Done, .. } | Ending::EnvironmentOver => return None,
        _ if matches!(actor, Actor::Test { .. }) => VerdictKind::Drifted,
        _ => return None,
    };
    Some(Verdict { kind, reason: describe(ending), evidence: Vec::new() })
}

fn ended(
    finding: Option<Finding>,
    how: &str,
    evidence: &[Evidence],
    actor: &Actor,
    for_nothing: Option<String>,
) -> (VerdictKind, String) {
    let observed = decisive(evidence).map(|evidence| evidence.observed.as_str()).unwrap_or_default();
    if let (Some(Finding::Confirmed), Some(cause)) = (finding, for_nothing) {
        return (VerdictKind::Unverified, format!("{cause}; {observed}"));
    }
    match (finding, actor) {
        (Some(Finding::Confirmed), Actor::Test { heals }) if !heals.is_empty() => {
            let locators = if heals.len() == 1 { "locator was" } else { "locators were" };
            (VerdictKind::PassedHealed, format!("confirmed: {observed}; {} {locators} healed", heals.len()))
        }
        (Some(Finding::Confirmed), _) => (VerdictKind::Passed, format!("confirmed: {observed}")),
        (Some(Finding::Refuted), Actor::Agent) => (VerdictKind::NotAchieved, format!("{how}, but {observed}")),
        (Some(Finding::Refuted), Actor::Test { .. }) => (VerdictKind::Failed, format!("refuted: {observed}")),
        (Some(Finding::Undecided), _) => (VerdictKind::Unverified, format!("{how}; nothing confirms it: {observed}")),
        (None, _) => (VerdictKind::Unverified, format!("{how}; there is no check that could confirm it")),
    }
}

fn infeasible(finding: Option<Finding>, claimed: &str, evidence: &[Evidence]) -> (VerdictKind, String) {
    let observed = decisive(evidence).map(|evidence| evidence.observed.as_str()).unwrap_or_default();
    match finding {
        None | Some(Finding::Undecided) => {
            (VerdictKind::Infeasible, format!("the actor says that it cannot be done: {claimed}"))
        }
        Some(Finding::Refuted) => (
            VerdictKind::NotAchieved,
            format!("the actor says that it cannot be done: {claimed}; the check says that it was not: {observed}"),
        ),
        Some(Finding::Confirmed) => (
            VerdictKind::NotAchieved,
            format!("the actor says that it cannot be done: {claimed}; yet the check holds: {observed}"),
        ),
    }
}

/// The first evidence of a leaf check that agrees with the whole.
fn decisive(evidence: &[Evidence]) -> Option<&Evidence> {
    let root = evidence.first()?;
    let is_leaf = |evidence: &&Evidence| !matches!(evidence.check, Check::All(_) | Check::Any(_) | Check::Not(_));
    if matches!(root.check, Check::All(_) | Check::Any(_)) {
        evidence.iter().filter(is_leaf).find(|part| part.finding == root.finding).or(Some(root))
    } else {
        Some(root)
    }
}

/// An ending in words.
pub fn describe(ending: &Ending) -> String {
    match ending {
        Ending::Stopped { claim: Claim::Done, .. } => "the actor says that it is done".to_owned(),
        Ending::Stopped { claim: Claim::Infeasible { reason }, .. } => format!("the actor says infeasible: {reason}"),
        Ending::Stopped { claim: Claim::GaveUp { reason }, .. } => format!("the actor gave up: {reason}"),
        Ending::EnvironmentOver => "the environment ended the episode".to_owned(),
        Ending::StepLimit { steps } => format!("the limit of {steps} steps was reached"),
        Ending::TimeLimit { seconds } => format!("the limit of {seconds} s was reached"),
        Ending::RepeatedAction { times } => {
            format!("the same action was tried {times} times on an unchanged page, and chosen again")
        }
        Ending::InvalidDecisions { cause } => format!("too many invalid decisions, the last: {cause}"),
        Ending::LeftScope { url } => format!("left the scope: {url}"),
        Ending::PlannerFailed { cause } => format!("the planner could not answer: {cause}"),
        Ending::Throttled { cause } if cause.trim().is_empty() => "the provider throttled the run".to_owned(),
        Ending::Throttled { cause } => cause.clone(),
        Ending::SiteUnreachable { cause } => format!("the site could not be reached: {cause}"),
        Ending::EnvironmentFailed { cause } => format!("the task could not begin: {cause}"),
        Ending::BrowserFailed { cause } => format!("the browser failed: {cause}"),
        Ending::DialogLoop { dialogs } => format!("the page opened {dialogs} dialogs in a row"),
        Ending::Drifted { step, cause } => format!("recorded step {step} no longer fits the page: {cause}"),
        Ending::Interrupted => "the attempt was interrupted".to_owned(),
    }
}
