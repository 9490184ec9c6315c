//! Concurrency, catching up, suspension and history of schedules.

use super::*;
use crate::api::schedule::History;
use serde_json::json;

fn at(text: &str) -> Timestamp {
    format!("2026-05-01T{text}Z").parse().expect("a time")
}

fn every_minute(changes: serde_json::Value) -> ScheduleSpec {
    let mut spec = json!({
        "cron": "* * * * *", "timeZone": "UTC", "catchUpSeconds": 300,
        "template": {"spec": {"tasks": {"inline": "tasks: []"}}},
    });
    for (key, value) in changes.as_object().expect("an object") {
        spec[key] = value.clone();
    }
    serde_json::from_value(spec).expect("a schedule")
}

fn made(due: &str, is_over: bool) -> Made {
    Made { name: name_of("night", at(due)), due: at(due), is_over, passed: true }
}

fn decided(spec: &ScheduleSpec, last: &str, made: &[Made], now: &str) -> Decision {
    let times = Times::parse(&spec.cron, &spec.time_zone, at(last)).expect("times");
    decide("night", spec, &times, at(last), made, at(now))
}

fn outcomes(decision: &Decision) -> Vec<(String, RunOutcome, &str)> {
    let time = |run: &Run| run.due.0.to_string()[11..16].to_owned();
    decision.runs.iter().map(|run| (time(run), run.outcome, run.reason.as_str())).collect()
}

#[test]
fn before_its_time_nothing_is_done_and_the_next_time_is_known() {
    let decision = decided(&every_minute(json!({})), "10:00:10", &[], "10:00:50");
    assert_eq!(decision, Decision { next: Some(at("10:01:00")), ..Decision::default() });
}

#[test]
fn at_its_time_a_campaign_is_made_whose_name_says_the_time() {
    let decision = decided(&every_minute(json!({})), "10:00:10", &[], "10:01:01");
    assert_eq!(decision.make, Some((name_of("night", at("10:01:00")), at("10:01:00"))));
    assert_eq!(outcomes(&decision), [("10:01".to_owned(), RunOutcome::Started, "made at its time")]);
    assert_eq!((decision.last, decision.next), (Some(at("10:01:00")), Some(at("10:02:00"))));
}

#[test]
fn a_time_whose_campaign_is_there_already_is_not_taken_for_an_overlap() {
    let there = [made("10:01:00", false)];
    let decision = decided(&every_minute(json!({})), "10:00:10", &there, "10:01:02");
    assert_eq!(decision.make, None);
    assert_eq!(decision.runs[0].outcome, RunOutcome::Started);
    assert_eq!(decision.runs[0].campaign.as_deref(), Some(there[0].name.as_str()));
}

#[test]
fn an_overlap_is_skipped_allowed_or_replaces_as_declared() {
    let running = [made("10:01:00", false)];
    let with =
        |policy: &str| decided(&every_minute(json!({"concurrencyPolicy": policy})), "10:01:00", &running, "10:02:01");
    let forbidden = with("Forbid");
    assert_eq!(forbidden.make, None);
    let reason = format!("previous still running: {}", running[0].name);
    assert_eq!(outcomes(&forbidden), [("10:02".to_owned(), RunOutcome::Skipped, reason.as_str())]);
    let allowed = with("Allow");
    assert!(allowed.make.is_some() && allowed.cancel.is_empty());
    let replaced = with("Replace");
    assert!(replaced.make.is_some());
    assert_eq!(replaced.cancel, [running[0].name.clone()]);
    // One that ended is no overlap.
    let ended = [made("10:01:00", true)];
    assert!(decided(&every_minute(json!({})), "10:01:00", &ended, "10:02:01").make.is_some());
}

#[test]
fn of_times_that_passed_unnoticed_the_last_one_within_the_window_is_caught_up_with() {
    let decision = decided(&every_minute(json!({"catchUpSeconds": 90})), "10:00:00", &[], "10:04:30");
    assert_eq!(decision.make, Some((name_of("night", at("10:04:00")), at("10:04:00"))));
    let missed = |late: u32| format!("nobody was there to make it: noticed {late} s late, `catchUpSeconds` is 90");
    let expected = [
        ("10:01".to_owned(), RunOutcome::Missed, missed(210)),
        ("10:02".to_owned(), RunOutcome::Missed, missed(150)),
        ("10:03".to_owned(), RunOutcome::Missed, "a later time was caught up with instead".to_owned()),
        ("10:04".to_owned(), RunOutcome::Started, "made 30 s late".to_owned()),
    ];
    let found: Vec<(String, RunOutcome, String)> =
        outcomes(&decision).into_iter().map(|(time, outcome, reason)| (time, outcome, reason.to_owned())).collect();
    assert_eq!(found, expected);
}

#[test]
fn without_a_window_a_late_time_is_missed() {
    let decision = decided(&every_minute(json!({"catchUpSeconds": 0})), "10:00:00", &[], "10:01:20");
    assert_eq!(decision.make, None);
    assert_eq!(decision.runs[0].outcome, RunOutcome::Missed);
    assert!(decided(&every_minute(json!({"catchUpSeconds": 0})), "10:00:00", &[], "10:01:02").make.is_some());
}

#[test]
fn while_it_is_suspended_times_are_missed_and_told() {
    let decision = decided(&every_minute(json!({"suspend": true})), "10:00:00", &[], "10:01:01");
    assert_eq!(decision.make, None);
    assert_eq!(outcomes(&decision), [("10:01".to_owned(), RunOutcome::Missed, "the schedule was suspended")]);
}

#[test]
fn of_a_long_absence_the_last_times_are_told_and_the_others_counted() {
    let decision = decided(&every_minute(json!({})), "08:00:00", &[], "10:00:01");
    assert_eq!((decision.runs.len(), decision.untold), (TOLD, 100));
    assert_eq!(decision.make, Some((name_of("night", at("10:00:00")), at("10:00:00"))));
    // Longer than anybody counts: no loop over years of minutes.
    let spec = every_minute(json!({}));
    let times = Times::parse("* * * * *", "UTC", at("10:00:00")).expect("times");
    let long_ago = "2001-01-01T00:00:00Z".parse().expect("a time");
    let decision = decide("night", &spec, &times, long_ago, &[], at("10:00:30"));
    assert_eq!((decision.runs.len(), decision.next), (0, Some(at("10:01:00"))));
}

#[test]
fn the_history_keeps_the_newest_of_each_kind_and_never_removes_what_runs() {
    let mut spec = every_minute(json!({}));
    spec.history = History { succeeded: 1, failed: 0 };
    let failed = Made { passed: false, ..made("10:02:00", true) };
    let all = [made("10:00:00", true), made("10:01:00", true), failed.clone(), made("10:03:00", false)];
    assert_eq!(to_remove(&spec, &all), [all[0].name.clone(), failed.name]);
}
