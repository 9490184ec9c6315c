//! Which verdict follows from what. A false `PASSED` would be the worst of all faults.

use super::arbitrary::{check, ending, facts};
use crate::checks::finding;
use crate::facts::{Facts, Moment, PageLook};
use crate::judge::{Actor, judge};
use crate::reasons::ActionSummary;
use domain::action::Claim;
use domain::locator::Locator;
use domain::observation::Request;
use domain::page::VisibleText;
use domain::task::{Check, FaultCheck, PageStateCheck, TextMatch};
use domain::test::Heal;
use domain::verdict::{Finding, VerdictKind};
use domain::{Ending, Node, Observation};
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;

fn reward() -> Check {
    Check::PageState(PageStateCheck { expression: "reward".into(), equals: json!(1) })
}

fn rewarded(value: i32) -> Facts {
    let page_states = BTreeMap::from([("reward".into(), Ok(json!(value)))]);
    let actions = ActionSummary { carried_out: 1, ..ActionSummary::default() };
    Facts { actions, ..Facts::of_look(PageLook { page_states, ..PageLook::default() }) }
}

fn stopped(claim: Claim) -> Ending {
    Ending::Stopped { claim, answer: None }
}

fn healed() -> Actor {
    let locator = |text: &str| Locator::Label { text: text.into() };
    Actor::Test { heals: vec![Heal { step: 1, from: locator("Buy"), to: locator("Order") }] }
}

/// The verdict on an ending with a check that is confirmed, refuted, undecided, or not there.
fn verdicts(ending: &Ending, actor: &Actor) -> [VerdictKind; 4] {
    let check = reward();
    [
        judge(ending, Some(&check), &rewarded(1), actor).kind,
        judge(ending, Some(&check), &rewarded(0), actor).kind,
        judge(ending, Some(&check), &Facts::default(), actor).kind,
        judge(ending, None, &Facts::default(), actor).kind,
    ]
}

#[test]
fn a_claim_passes_only_when_confirmed() {
    use VerdictKind::{NotAchieved, Passed, Unverified};
    let expected = [Passed, NotAchieved, Unverified, Unverified];
    assert_eq!(verdicts(&stopped(Claim::Done), &Actor::Agent), expected);
    assert_eq!(verdicts(&Ending::EnvironmentOver, &Actor::Agent), expected);
}

#[test]
fn no_answer_is_not_the_absence_of_a_wrong_one() {
    let wrong = Check::Not(Box::new(Check::Any(vec![Check::Answer(TextMatch::Equals("7".into()))])));
    let of = |answer: Option<&str>| finding(&wrong, &Facts { answer: answer.map(str::to_owned), ..rewarded(1) });
    assert_eq!([of(None), of(Some("8")), of(Some("7"))], [Finding::Undecided, Finding::Confirmed, Finding::Refuted]);
    let both = Check::Not(Box::new(Check::All(vec![reward(), Check::Answer(TextMatch::Equals("7".into()))])));
    assert_eq!(finding(&both, &rewarded(0)), Finding::Confirmed, "whatever was answered");
    assert_eq!(finding(&both, &rewarded(1)), Finding::Undecided);
}

#[test]
fn a_refuted_assertion_of_a_test_is_the_products_failure_and_a_healed_pass_says_so() {
    use VerdictKind::{Failed, Passed, PassedHealed, Unverified};
    let clean = Actor::Test { heals: Vec::new() };
    assert_eq!(verdicts(&stopped(Claim::Done), &clean), [Passed, Failed, Unverified, Unverified]);
    assert_eq!(verdicts(&Ending::EnvironmentOver, &healed()), [PassedHealed, Failed, Unverified, Unverified]);
}

#[test]
fn an_actor_that_gave_up_or_met_a_limit_has_not_done_it_whatever_the_page_shows() {
    for ending in [
        stopped(Claim::GaveUp { reason: "no such button".into() }),
        Ending::StepLimit { steps: 30 },
        Ending::TimeLimit { seconds: 300 },
        Ending::RepeatedAction { times: 3 },
        Ending::InvalidDecisions { cause: "no JSON".into() },
        Ending::LeftScope { url: "http://elsewhere.test/".into() },
        Ending::DialogLoop { dialogs: 10 },
    ] {
        assert_eq!(verdicts(&ending, &Actor::Agent), [VerdictKind::NotAchieved; 4], "{ending:?}");
        assert_eq!(verdicts(&ending, &healed()), [VerdictKind::Drifted; 4], "{ending:?} of a test");
    }
    let verdict = judge(&Ending::StepLimit { steps: 30 }, Some(&reward()), &rewarded(1), &Actor::Agent);
    assert!(verdict.reason.contains("the check holds all the same"), "{}", verdict.reason);
    assert_eq!(verdict.evidence.len(), 1, "the evidence is kept");
}

#[test]
fn infeasible_stands_only_where_nothing_can_be_held_against_it() {
    use VerdictKind::{Infeasible, NotAchieved};
    let ending = stopped(Claim::Infeasible { reason: "there is no shop".into() });
    assert_eq!(verdicts(&ending, &Actor::Agent), [NotAchieved, NotAchieved, Infeasible, Infeasible]);
}

#[test]
fn what_is_out_of_order_says_nothing_about_product_or_agent() {
    let cause = || "x".to_owned();
    for (ending, expected) in [
        (Ending::BrowserFailed { cause: cause() }, VerdictKind::InvalidEnvironment),
        (Ending::SiteUnreachable { cause: cause() }, VerdictKind::InvalidEnvironment),
        (Ending::EnvironmentFailed { cause: cause() }, VerdictKind::InvalidEnvironment),
        (Ending::PlannerFailed { cause: cause() }, VerdictKind::InvalidEnvironment),
        (Ending::Interrupted, VerdictKind::InvalidEnvironment),
        (Ending::Throttled { cause: cause() }, VerdictKind::Throttled),
        (Ending::Drifted { step: 2, cause: cause() }, VerdictKind::Drifted),
    ] {
        assert_eq!(verdicts(&ending, &Actor::Agent), [expected; 4], "{ending:?}");
        assert_eq!(verdicts(&ending, &healed()), [expected; 4], "{ending:?} of a test");
    }
}

#[test]
fn the_reason_quotes_what_was_seen_by_the_part_that_decided() {
    let other = Check::PageState(PageStateCheck { expression: "other".into(), equals: json!(2) });
    let mut facts = rewarded(1);
    facts.looks[0].page_states.insert("other".into(), Ok(json!("nothing")));
    let check = Check::All(vec![reward(), other]);
    let verdict = judge(&stopped(Claim::Done), Some(&check), &facts, &Actor::Agent);
    assert_eq!(verdict.reason, "the actor says that it is done, but the value is \"nothing\"");
}

/// The facts of an attempt whose check gave these rewards before and after it.
fn from_to(before: i32, after: i32) -> Facts {
    let start = Facts { moment: Moment::Start, ..rewarded(before) };
    Facts { start: Some(Box::new(start)), ..rewarded(after) }
}

#[test]
fn what_held_before_anything_was_done_confirms_nothing() {
    let done = stopped(Claim::Done);
    let judged = |facts: &Facts, actor: &Actor| judge(&done, Some(&reward()), facts, actor);
    assert_eq!(judged(&from_to(0, 1), &Actor::Agent).kind, VerdictKind::Passed);
    for actor in [Actor::Agent, healed()] {
        let verdict = judged(&from_to(1, 1), &actor);
        assert_eq!(verdict.kind, VerdictKind::Unverified);
        assert!(verdict.reason.starts_with("the check held before anything was done"), "{}", verdict.reason);
    }
    assert_eq!(judged(&from_to(1, 0), &Actor::Agent).kind, VerdictKind::NotAchieved);
    let content = Facts { may_hold_at_start: true, ..from_to(1, 1) };
    assert_eq!(judged(&content, &Actor::Agent).kind, VerdictKind::Passed);
}

#[test]
fn of_several_checks_only_the_whole_counts_at_the_start() {
    let other = Check::PageState(PageStateCheck { expression: "other".into(), equals: json!(2) });
    let with = |mut facts: Facts, other: i32| {
        facts.looks[0].page_states.insert("other".into(), Ok(json!(other)));
        facts
    };
    let facts = Facts { start: Some(Box::new(with(rewarded(1), 0))), ..with(rewarded(1), 2) };
    let check = Check::All(vec![reward(), other]);
    assert_eq!(judge(&stopped(Claim::Done), Some(&check), &facts, &Actor::Agent).kind, VerdictKind::Passed);
}

#[test]
fn an_attempt_without_a_deed_passes_only_where_none_is_needed() {
    let idle = |check: &Check, mut facts: Facts, actor: &Actor| {
        facts.actions = ActionSummary::default();
        judge(&stopped(Claim::Done), Some(check), &facts, actor)
    };
    let verdict = idle(&reward(), rewarded(1), &Actor::Agent);
    assert_eq!(verdict.kind, VerdictKind::Unverified);
    assert!(verdict.reason.starts_with("nothing was done"), "{}", verdict.reason);
    let failed = Facts { actions: ActionSummary { failed: 2, ..ActionSummary::default() }, ..rewarded(1) };
    assert_eq!(judge(&stopped(Claim::Done), Some(&reward()), &failed, &Actor::Agent).kind, VerdictKind::Unverified);

    let content = Facts { may_hold_at_start: true, ..rewarded(1) };
    assert_eq!(idle(&reward(), content, &Actor::Agent).kind, VerdictKind::Passed);
    let answer = Check::Answer(TextMatch::Equals("7".into()));
    let answered = || Facts { answer: Some("7".into()), ..rewarded(0) };
    assert_eq!(idle(&answer, answered(), &Actor::Agent).kind, VerdictKind::Passed);

    let opened = || Facts { requests: vec![Request { status: Some(200), ..Request::default() }], ..rewarded(0) };
    let no_fault = Check::Not(Box::new(Check::Fault(FaultCheck::default())));
    let test = Actor::Test { heals: Vec::new() };
    assert_eq!(
        idle(&no_fault, opened(), &test).kind,
        VerdictKind::Passed,
        "a page that is only opened may be at fault"
    );
    assert_eq!(idle(&no_fault, opened(), &Actor::Agent).kind, VerdictKind::Unverified);
}

#[test]
fn what_happens_during_an_attempt_did_not_hold_before_it() {
    let no_fault = Check::Not(Box::new(Check::Fault(FaultCheck::default())));
    let opened = || Facts { requests: vec![Request { status: Some(200), ..Request::default() }], ..rewarded(0) };
    let start = Facts { moment: Moment::Start, ..opened() };
    assert_eq!(finding(&no_fault, &start), Finding::Undecided);
    let facts = Facts { start: Some(Box::new(start)), ..opened() };
    assert_eq!(judge(&stopped(Claim::Done), Some(&no_fault), &facts, &Actor::Agent).kind, VerdictKind::Passed);
}

#[test]
fn a_reason_says_what_the_site_said_and_how_it_answered() {
    let alert = Node { role: "alert".into(), text: "The user could not be created".into(), ..Node::default() };
    let shown = |nodes: Vec<Node>| PageLook {
        observation: Observation { nodes: nodes.into(), ..Observation::default() }.into(),
        texts: Some(vec![VisibleText { frame: 0, text: "Users".into() }]),
        ..PageLook::default()
    };
    let request =
        Request { method: "POST".into(), url: "http://a.test/users".into(), status: Some(500), ..Request::default() };
    let facts = Facts {
        requests: vec![request],
        actions: ActionSummary { carried_out: 1, ..ActionSummary::default() },
        start: Some(Box::new(Facts { moment: Moment::Start, ..Facts::of_look(shown(Vec::new())) })),
        ..Facts::of_look(shown(vec![alert]))
    };
    let check = Check::Text(TextMatch::Contains("was created".into()));
    let reason = judge(&stopped(Claim::Done), Some(&check), &facts, &Actor::Agent).reason;
    assert!(reason.contains("the site says: \"The user could not be created\""), "{reason}");
    assert!(reason.ends_with("POST /users was answered 500"), "{reason}");
}

fn actors() -> impl Strategy<Value = Actor> {
    prop::sample::select(vec![Actor::Agent, Actor::Test { heals: Vec::new() }, healed()])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn nothing_passes_without_a_confirmed_check(
        ending in ending(), check in prop::option::of(check()), facts in facts(), actor in actors(),
    ) {
        let verdict = judge(&ending, check.as_ref(), &facts, &actor);
        if verdict.kind.is_success() {
            let found = check.as_ref().map(|check| finding(check, &facts));
            prop_assert_eq!(found, Some(Finding::Confirmed));
            prop_assert_eq!(verdict.evidence.first().map(|root| root.finding), Some(Finding::Confirmed));
            let ended = matches!(ending, Ending::EnvironmentOver | Ending::Stopped { claim: Claim::Done, .. });
            prop_assert!(ended, "{:?}", ending);
        }
    }

    #[test]
    fn only_a_healed_test_passes_as_healed_and_only_a_test_fails(
        ending in ending(), check in check(), facts in facts(), actor in actors(),
    ) {
        let verdict = judge(&ending, Some(&check), &facts, &actor);
        let heals = match &actor { Actor::Agent => None, Actor::Test { heals } => Some(heals.len()) };
        match verdict.kind {
            VerdictKind::PassedHealed => prop_assert!(heals.is_some_and(|heals| heals > 0)),
            VerdictKind::Passed => prop_assert!(heals.is_none_or(|heals| heals == 0)),
            VerdictKind::Failed => prop_assert!(heals.is_some()),
            VerdictKind::NotAchieved => prop_assert!(heals.is_none()),
            _ => {}
        }
    }

    #[test]
    fn every_verdict_has_a_reason(
        ending in ending(), check in prop::option::of(check()), facts in facts(), actor in actors(),
    ) {
        let reason = judge(&ending, check.as_ref(), &facts, &actor).reason;
        prop_assert!(!reason.trim().is_empty());
    }
}
