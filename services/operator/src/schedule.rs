//! Schedules: campaigns are made at their times, and what became of each time is told.

mod decide;
mod times;

use crate::Error;
use crate::api::condition::{Finding, follow};
use crate::api::schedule::{Counts, Run, RunOutcome};
use crate::api::{Campaign, DUE_ANNOTATION, Phase, SCHEDULE_LABEL, Schedule, ScheduleStatus};
use crate::context::{Context, identity};
use decide::{Decision, Made};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::api::{DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::runtime::controller::Action;
use kube::runtime::events::EventType;
use kube::{Api, Resource, ResourceExt};
use std::sync::Arc;
use std::time::Duration;
use times::Times;

/// Times that the status tells of.
const TOLD: usize = 20;

/// The longest sleep before the clock is looked at again: it may be set meanwhile.
const LONGEST: Duration = Duration::from_secs(300);

/// Looks after one schedule.
pub(crate) async fn reconcile(schedule: Arc<Schedule>, context: Arc<Context>) -> Result<Action, Error> {
    let (namespace, name, _) = identity(schedule.as_ref())?;
    if schedule.meta().deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let now = context.now();
    let schedules: Api<Schedule> = Api::namespaced(context.client.clone(), &namespace);
    let campaigns: Api<Campaign> = Api::namespaced(context.client.clone(), &namespace);
    let before = schedule.status.clone().unwrap_or_default();
    let times = match Times::parse(&schedule.spec.cron, &schedule.spec.time_zone, now) {
        Ok(times) => times,
        Err(error) => {
            let status = refused(&schedule, &before, &error, now);
            if context.tell(&schedules, schedule.as_ref(), schedule.status.as_ref(), &status).await? {
                context.announce(schedule.as_ref(), EventType::Warning, "Invalid", &status.message).await;
            }
            return Ok(Action::await_change());
        }
    };
    let labelled = ListParams::default().labels(&format!("{SCHEDULE_LABEL}={name}"));
    let mut made: Vec<Made> = campaigns.list(&labelled).await?.items.iter().filter_map(known).collect();
    let created = schedule.meta().creation_timestamp.clone().map_or(now, |Time(created)| created);
    let last = before.last_time.as_ref().map_or(created, |Time(last)| *last);
    let decision = decide::decide(&name, &schedule.spec, &times, last, &made, now);
    carry_out(&schedule, &campaigns, &decision, &mut made, &context).await?;
    for gone in decide::to_remove(&schedule.spec, &made) {
        match campaigns.delete(&gone, &DeleteParams::default()).await {
            Ok(_) => context.figures.wrote("Campaign"),
            Err(error) if Error::is_gone(&error) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let status = told(&schedule, &before, &decision, &made, now);
    context.tell(&schedules, schedule.as_ref(), schedule.status.as_ref(), &status).await?;
    for run in &decision.runs {
        let (kind, reason) = match run.outcome {
            RunOutcome::Started => (EventType::Normal, "Started"),
            RunOutcome::Skipped => (EventType::Warning, "Skipped"),
            RunOutcome::Missed => (EventType::Warning, "Missed"),
        };
        context.announce(schedule.as_ref(), kind, reason, &format!("{}: {}", run.due.0, run.reason)).await;
    }
    context.figures.reconciled("Schedule", true);
    let wait = decision.next.and_then(|next| Duration::try_from(next.duration_since(now)).ok()).unwrap_or(LONGEST);
    // Just after the full second, since the clock is read in whole seconds.
    Ok(Action::requeue(wait.min(LONGEST) + Duration::from_millis(50)))
}

/// What is known of a campaign of the schedule.
fn known(campaign: &Campaign) -> Option<Made> {
    let due: Timestamp = campaign.annotations().get(DUE_ANNOTATION)?.parse().ok()?;
    let phase = campaign.status.as_ref().map_or(Phase::Pending, |status| status.phase);
    // One that is being deleted may still cancel its jobs, but nobody waits for it.
    let is_over = phase.is_over() || campaign.meta().deletion_timestamp.is_some();
    Some(Made { name: campaign.name_any(), due, is_over, passed: phase == Phase::Succeeded })
}

/// Cancels and makes what was decided.
async fn carry_out(
    schedule: &Schedule,
    campaigns: &Api<Campaign>,
    decision: &Decision,
    made: &mut Vec<Made>,
    context: &Context,
) -> Result<(), Error> {
    for name in &decision.cancel {
        let cancelled = serde_json::json!({"spec": {"wish": "Cancel"}});
        match campaigns.patch(name, &PatchParams::default(), &Patch::Merge(cancelled)).await {
            Ok(_) => context.figures.wrote("Campaign"),
            Err(error) if Error::is_gone(&error) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let Some((name, due)) = &decision.make else { return Ok(()) };
    match campaigns.create(&PostParams::default(), &build(schedule, name, *due)).await {
        Ok(_) => context.figures.wrote("Campaign"),
        // Whoever made it was ended before it could say so.
        Err(error) if Error::is_conflict(&error) => {}
        Err(error) => return Err(error.into()),
    }
    made.push(Made { name: name.clone(), due: *due, is_over: false, passed: false });
    Ok(())
}

/// The campaign of a time. Pure.
fn build(schedule: &Schedule, name: &str, due: Timestamp) -> Campaign {
    let template = &schedule.spec.template;
    let mut labels = template.labels.clone();
    labels.insert(SCHEDULE_LABEL.to_owned(), schedule.name_any());
    let mut annotations = template.annotations.clone();
    annotations.insert(DUE_ANNOTATION.to_owned(), due.to_string());
    let metadata = ObjectMeta {
        name: Some(name.to_owned()),
        namespace: schedule.namespace(),
        labels: Some(labels),
        annotations: Some(annotations),
        owner_references: schedule.controller_owner_ref(&()).map(|owner| vec![owner]),
        ..ObjectMeta::default()
    };
    Campaign { metadata, spec: template.spec.clone(), status: None }
}

/// The status after a decision. Pure.
fn told(
    schedule: &Schedule,
    before: &ScheduleStatus,
    decision: &Decision,
    made: &[Made],
    now: Timestamp,
) -> ScheduleStatus {
    let active: Vec<String> = made.iter().filter(|made| !made.is_over).map(|made| made.name.clone()).collect();
    let of = |outcome: RunOutcome| count(decision.runs.iter().filter(|run| run.outcome == outcome).count());
    let counts = Counts {
        active: count(active.len()),
        started: before.counts.started + of(RunOutcome::Started),
        skipped: before.counts.skipped + of(RunOutcome::Skipped),
        missed: before.counts.missed + of(RunOutcome::Missed) + decision.untold,
    };
    let runs: Vec<Run> = decision.runs.iter().rev().chain(&before.runs).take(TOLD).cloned().collect();
    let (holds, reason, message) = if schedule.spec.suspend {
        (false, "Suspended", "suspended: no campaign is made (`suspend: false` goes on)".to_owned())
    } else {
        let last = runs.first().map(|run| format!("; {} was {}", run.due.0, past(run))).unwrap_or_default();
        let next = decision.next.map(|next| format!("next at {next}")).unwrap_or_default();
        (true, "Waiting", format!("{next}{last}"))
    };
    let generation = schedule.meta().generation;
    let finding = Finding::new("Scheduling", holds, reason, message.clone());
    ScheduleStatus {
        observed_generation: generation,
        message,
        last_time: decision.last.map(Time).or_else(|| before.last_time.clone()),
        next_time: decision.next.map(Time),
        active,
        runs,
        counts,
        conditions: follow(&before.conditions, vec![finding], generation, now),
    }
}

fn past(run: &Run) -> String {
    match run.outcome {
        RunOutcome::Started => "started".to_owned(),
        RunOutcome::Skipped => format!("skipped: {}", run.reason),
        RunOutcome::Missed => format!("missed: {}", run.reason),
    }
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn refused(schedule: &Schedule, before: &ScheduleStatus, error: &times::Error, now: Timestamp) -> ScheduleStatus {
    let generation = schedule.meta().generation;
    let finding = Finding::new("Scheduling", false, "Invalid", error.to_string());
    ScheduleStatus {
        observed_generation: generation,
        message: error.to_string(),
        next_time: None,
        conditions: follow(&before.conditions, vec![finding], generation, now),
        ..before.clone()
    }
}
