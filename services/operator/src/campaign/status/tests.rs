//! A status says why in words, and changes only where something changed.

use super::*;
use domain::CampaignId;
use domain::campaign::{Campaign, PlannerRef, Tally};
use domain::ledger::{Cell, Count};
use domain::usage::Usage;
use domain::{SiteId, TaskId};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + second).expect("a time")
}

fn id() -> CampaignId {
    CampaignId::new("qa.shop.0a1b2c3d")
}

fn standing(wish: Wish, tally: Tally, waiting: Vec<(Waiting, u64)>) -> Standing {
    let campaign = Campaign::new(id(), PlannerRef::named("ground"));
    Standing { campaign, wish, tally, waiting, room: 0, stage: 0, usage: Usage::default() }
}

fn totals(verdicts: &[(VerdictKind, u64)]) -> Totals {
    let cell = Cell { site: SiteId::new("shop"), task: TaskId::new("buy"), planner: "ground".into() };
    let count = Count { verdicts: verdicts.iter().copied().collect(), ..Count::default() };
    Totals { cells: vec![(cell, count)], ..Totals::empty(id()) }
}

fn found(standing: Standing, totals: Totals) -> Found {
    Found::Standing { standing: Box::new(standing), totals: Box::new(totals), is_exploration: false }
}

fn told(found: &Found) -> CampaignStatus {
    status(&CampaignStatus::default(), found, Some(1), at(0))
}

#[track_caller]
fn check(
    wish: Wish,
    tally: Tally,
    waiting: Vec<(Waiting, u64)>,
    verdicts: &[(VerdictKind, u64)],
    phase: Phase,
    why: &str,
) {
    let mut totals = totals(verdicts);
    (totals.quarantined, totals.cancelled) = (tally.quarantined, tally.cancelled);
    let status = told(&found(standing(wish, tally, waiting), totals));
    assert_eq!((status.phase, status.message.as_str()), (phase, why));
}

#[test]
fn each_way_of_waiting_has_its_words() {
    let all_wait = |jobs| Tally { jobs, waiting: jobs, ..Tally::default() };
    let rate = Waiting::HostRate { host: "shop.test".into() };
    check(
        Wish::Run,
        all_wait(2),
        vec![(Waiting::Capacity, 2)],
        &[],
        Phase::Waiting,
        "2 jobs wait for a free crawler or browser",
    );
    check(
        Wish::Run,
        all_wait(1),
        vec![(rate.clone(), 1)],
        &[],
        Phase::Waiting,
        "1 job waits for the polite rate of shop.test",
    );
    let budget = "3 jobs wait for a budget: what it may cost is spent";
    check(Wish::Run, all_wait(3), vec![(Waiting::Budget, 3)], &[], Phase::Waiting, budget);
    let paused = "3 jobs wait for somebody to resume the campaign (`wish: Run`)";
    check(Wish::Pause, all_wait(3), vec![(Waiting::Resume, 3)], &[], Phase::Paused, paused);
    let retry = Waiting::RetryAt { at: at(60).into() };
    let again = "1 job waits to be tried again, the first at 2023-11-14T22:14:20Z";
    check(Wish::Run, all_wait(1), vec![(retry, 1)], &[], Phase::Waiting, again);
    let tally = Tally { jobs: 5, waiting: 3, running: 2, ..Tally::default() };
    let both = "2 jobs under way; 3 jobs wait for the polite rate of shop.test";
    check(Wish::Run, tally, vec![(rate, 3)], &[], Phase::Running, both);
}

#[test]
fn the_end_says_how_many_passed_and_what_became_of_the_others() {
    use VerdictKind::{Failed, Passed, Unverified};
    let judged = |judged| Tally { jobs: judged, judged, ..Tally::default() };
    check(Wish::Run, judged(2), vec![], &[(Passed, 2)], Phase::Succeeded, "2 of 2 passed");
    let mixed = [(Passed, 1), (Failed, 1), (Unverified, 1)];
    check(Wish::Run, judged(3), vec![], &mixed, Phase::Failed, "1 of 3 passed; 1 FAILED, 1 UNVERIFIED");
    let quarantined = Tally { jobs: 2, judged: 1, quarantined: 1, ..Tally::default() };
    check(Wish::Run, quarantined, vec![], &[(Passed, 1)], Phase::Failed, "1 of 2 passed; 1 in quarantine");
    let cancelled = Tally { jobs: 2, judged: 1, cancelled: 1, ..Tally::default() };
    check(Wish::Cancel, cancelled, vec![], &[(Passed, 1)], Phase::Cancelled, "1 of 2 passed; 1 cancelled");
    // A wish that came too late cancelled nothing.
    check(Wish::Cancel, judged(1), vec![], &[(Passed, 1)], Phase::Succeeded, "1 of 1 passed");
    let still = "every job has ended; the ledger is still counting";
    check(Wish::Run, judged(2), vec![], &[(Passed, 1)], Phase::Running, still);
}

#[test]
fn an_exploration_has_nothing_to_pass_but_can_fail_to_be_carried_through() {
    let told = |verdict| {
        let tally = Tally { jobs: 1, judged: 1, ..Tally::default() };
        let (standing, totals) = (standing(Wish::Run, tally, vec![]), totals(&[(verdict, 1)]));
        let found = Found::Standing { standing: Box::new(standing), totals: Box::new(totals), is_exploration: true };
        let status = super::status(&CampaignStatus::default(), &found, None, at(0));
        (status.phase, status.message)
    };
    assert_eq!(told(VerdictKind::Unverified), (Phase::Succeeded, "1 of 1 carried through".to_owned()));
    let failed = (Phase::Failed, "0 of 1 carried through; 1 INVALID_ENVIRONMENT".to_owned());
    assert_eq!(told(VerdictKind::InvalidEnvironment), failed);
}

#[test]
fn what_is_found_again_changes_nothing() {
    let tally = Tally { jobs: 2, judged: 2, ..Tally::default() };
    let found = found(standing(Wish::Run, tally, vec![]), totals(&[(VerdictKind::Passed, 2)]));
    let first = told(&found);
    let again = status(&first, &found, Some(1), at(500));
    assert_eq!(again, first);
    assert_eq!((first.started_at, first.ended_at), (Some(Time(at(0))), Some(Time(at(0)))));
}

#[test]
fn a_queue_that_does_not_answer_hides_nothing_that_was_known() {
    let tally = Tally { jobs: 2, running: 2, ..Tally::default() };
    let first = told(&found(standing(Wish::Run, tally, vec![]), totals(&[])));
    let away = status(&first, &Found::Unanswered("read campaign: the queue is away".into()), Some(1), at(9));
    assert_eq!((away.phase, away.progress.as_deref()), (Phase::Running, Some("0/2")));
    assert_eq!(away.message, "read campaign: the queue is away");
}

#[test]
fn of_many_mistakes_the_first_is_the_message_and_all_are_in_the_condition() {
    let text = "tasks.inline:2:5: the id is empty\ntasks.inline:3:5: unknown field `urll`\n  hint: did you mean `url`?";
    let told = told(&Found::Invalid(text.into()));
    assert_eq!((told.phase, told.message.as_str()), (Phase::Invalid, "tasks.inline:2:5: the id is empty (and 1 more)"));
    assert_eq!(told.conditions[0].message, text);
}
