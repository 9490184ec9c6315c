//! What is done about the times of a schedule that have come. Pure: the same inputs always lead to the same decision, so that an
//! operator that was killed between two stages decides the same again.

use super::times::Times;
use crate::api::schedule::{ConcurrencyPolicy, Run, RunOutcome, ScheduleSpec};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

/// Times that are told one by one. Of more than that, the oldest are only counted.
const TOLD: usize = 20;

/// Times that are counted one by one. Whoever was away for longer than these is told of no more.
const COUNTED: usize = 10_000;

/// A campaign of the schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Made {
    /// Its name.
    pub(crate) name: String,
    /// The time that it was made for.
    pub(crate) due: Timestamp,
    /// Whether it has ended.
    pub(crate) is_over: bool,
    /// Whether every job passed, once it has ended.
    pub(crate) passed: bool,
}

/// What is to be done.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Decision {
    /// The campaign to make: its name and its time.
    pub(crate) make: Option<(String, Timestamp)>,
    /// Campaigns to cancel first.
    pub(crate) cancel: Vec<String>,
    /// What became of the times that have come, the oldest first.
    pub(crate) runs: Vec<Run>,
    /// Times that were missed and are too many to be told one by one.
    pub(crate) untold: i64,
    /// The last time that was decided upon.
    pub(crate) last: Option<Timestamp>,
    /// The next time.
    pub(crate) next: Option<Timestamp>,
}

/// The name of the campaign of a time: the same one however often it is made.
pub(crate) fn name_of(schedule: &str, due: Timestamp) -> String {
    format!("{schedule}-{}", due.as_second() / 60)
}

/// Decides about the times after `last` up to `now`.
pub(crate) fn decide(
    schedule: &str,
    spec: &ScheduleSpec,
    times: &Times,
    last: Timestamp,
    made: &[Made],
    now: Timestamp,
) -> Decision {
    let mut due: Vec<Timestamp> = Vec::new();
    let mut next = times.after(last);
    while let Some(time) = next.filter(|time| *time <= now) {
        due.push(time);
        if due.len() > COUNTED {
            due.clear();
            next = times.after(now);
            break;
        }
        next = times.after(time);
    }
    let mut decision = Decision { next, last: due.last().copied(), ..Decision::default() };
    let Some(latest) = decision.last else { return decision };
    let untold = due.len().saturating_sub(TOLD);
    decision.untold = i64::try_from(untold).unwrap_or(i64::MAX);
    for time in due.into_iter().skip(untold) {
        let run = match made.iter().find(|made| made.due == time) {
            // It was made, and whoever made it could not say so any more.
            Some(made) => run(time, RunOutcome::Started, Some(made.name.clone()), "made at its time".to_owned()),
            None => of_time(schedule, spec, time, latest, made, now, &mut decision),
        };
        decision.runs.push(run);
    }
    decision
}

fn of_time(
    schedule: &str,
    spec: &ScheduleSpec,
    time: Timestamp,
    latest: Timestamp,
    made: &[Made],
    now: Timestamp,
    decision: &mut Decision,
) -> Run {
    let late = now.duration_since(time);
    if spec.suspend {
        return run(time, RunOutcome::Missed, None, "the schedule was suspended".to_owned());
    }
    if late > SignedDuration::from_secs(spec.catch_up_seconds.max(GRACE)) {
        let reason = format!(
            "nobody was there to make it: noticed {} s late, `catchUpSeconds` is {}",
            late.as_secs(),
            spec.catch_up_seconds
        );
        return run(time, RunOutcome::Missed, None, reason);
    }
    if time < latest {
        return run(time, RunOutcome::Missed, None, "a later time was caught up with instead".to_owned());
    }
    let active: Vec<&Made> = made.iter().filter(|made| !made.is_over && made.due < time).collect();
    let names = active.iter().map(|made| made.name.as_str()).collect::<Vec<_>>().join(", ");
    let reason = match (spec.concurrency_policy, active.is_empty()) {
        (_, true) if late > SignedDuration::from_secs(GRACE) => format!("made {} s late", late.as_secs()),
        (_, true) => "made at its time".to_owned(),
        (ConcurrencyPolicy::Forbid, false) => {
            return run(time, RunOutcome::Skipped, None, format!("previous still running: {names}"));
        }
        (ConcurrencyPolicy::Allow, false) => format!("made beside {names}"),
        (ConcurrencyPolicy::Replace, false) => {
            decision.cancel = active.iter().map(|made| made.name.clone()).collect();
            format!("made instead of {names}, which was cancelled")
        }
    };
    let name = name_of(schedule, time);
    decision.make = Some((name.clone(), time));
    run(time, RunOutcome::Started, Some(name), reason)
}

/// Seconds that the operator may take to notice a time, which is not late.
const GRACE: i64 = 10;

fn run(due: Timestamp, outcome: RunOutcome, campaign: Option<String>, reason: String) -> Run {
    Run { due: Time(due), outcome, campaign, reason }
}

/// The ended campaigns that the history has no room for, the oldest first.
pub(crate) fn to_remove(spec: &ScheduleSpec, made: &[Made]) -> Vec<String> {
    let mut removed: Vec<&Made> = Vec::new();
    for (passed, keep) in [(true, spec.history.succeeded), (false, spec.history.failed)] {
        let mut ended: Vec<&Made> = made.iter().filter(|made| made.is_over && made.passed == passed).collect();
        ended.sort_by_key(|made| made.due);
        let surplus = ended.len().saturating_sub(usize::try_from(keep).unwrap_or_default());
        removed.extend(ended.into_iter().take(surplus));
    }
    removed.sort_by_key(|made| made.due);
    removed.into_iter().map(|made| made.name.clone()).collect()
}

#[cfg(test)]
mod tests;
