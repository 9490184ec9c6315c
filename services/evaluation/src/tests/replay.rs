//! Recording tests and replaying them.

use crate::record::{NoTest, record, replay_limits};
use crate::replay::{Replay, WAITS};
use domain::action::{ActionKind, Claim};
use domain::decision::Choice;
use domain::job::{BenchmarkTask, Work};
use domain::locator::Locator;
use domain::observation::Stamp;
use domain::task::{Check, TextMatch};
use domain::test::Test;
use domain::verdict::VerdictKind;
use domain::{
    Action, CampaignId, Descriptor, Effect, ElementId, Ending, EpisodeId, Fence, Job, JobId, Node, Observation, SiteId,
    Step, TaskId, Trajectory, Usage, Verdict,
};

/// A page with one button for each name, and its id.
fn page(buttons: &[(&str, &str)]) -> Observation {
    let button = |(name, id): &(&str, &str)| Node {
        role: "button".into(),
        tag: "button".into(),
        name: (*name).to_owned(),
        attributes: [("id".to_owned(), (*id).to_owned())].into_iter().collect(),
        operations: vec![ActionKind::Click],
        ..Node::default()
    };
    Observation { nodes: buttons.iter().map(button).collect(), ..Observation::default() }
}

fn recorded_page() -> Observation {
    page(&[("Add", "add"), ("Buy", "buy")])
}

fn step(action: Action<Descriptor>, effect: Effect) -> Step {
    Step {
        number: 1,
        stamp: Stamp::default(),
        url: String::new(),
        title: String::new(),
        summary: String::new(),
        action,
        reason: "it says so".into(),
        confidence: 1.0,
        level: Default::default(),
        effect,
        usage: Usage::default(),
        decide_ms: 0.0,
        act_ms: 0.0,
        at_ms: 0.0,
        difference: Default::default(),
        requests: Vec::new(),
        faults: Vec::new(),
        incidents: Vec::new(),
        screenshot: None,
    }
}

fn click(element: u32) -> Action<Descriptor> {
    Action::click(Descriptor::of(&recorded_page(), ElementId(element)).unwrap())
}

fn job() -> Job {
    let task = BenchmarkTask { benchmark: "shop".into(), task: TaskId::new("buy"), seed: 4, relaxed: false };
    Job { id: JobId::new("buy/4"), campaign: CampaignId::new("run"), work: Work::Benchmark(task) }
}

fn trajectory(steps: Vec<Step>, answer: Option<&str>) -> Trajectory {
    Trajectory {
        episode: EpisodeId("018f0000-0000-7000-8000-000000000000".parse().unwrap()),
        job: JobId::new("buy/4"),
        fence: Fence(1),
        task: TaskId::new("buy"),
        site: SiteId::new("shop"),
        instruction: "buy it".into(),
        planner: "ground".into(),
        steps,
        ending: Ending::Stopped { claim: Claim::Done, answer: answer.map(str::to_owned) },
        screenshot: None,
        usage: Usage::default(),
        wall_ms: 0.0,
    }
}

fn verdict(kind: VerdictKind) -> Verdict {
    Verdict { kind, reason: String::new(), evidence: Vec::new() }
}

fn check() -> Check {
    Check::Text(TextMatch::Contains("Thank you".into()))
}

fn test() -> Test {
    let changed = || Effect::Changed { what: vec!["content".into()] };
    let failed = Effect::Failed { cause: "covered".into() };
    let steps = vec![step(click(0), changed()), step(click(1), failed), step(click(1), changed())];
    record(&job(), &trajectory(steps, Some("7 EUR")), &verdict(VerdictKind::Passed), &check()).unwrap()
}

#[test]
fn a_passed_attempt_becomes_a_test_with_its_answer_and_without_what_failed() {
    let test = test();
    let kinds: Vec<_> = test.steps.iter().map(|step| step.action.kind()).collect();
    assert_eq!(kinds, [ActionKind::Click, ActionKind::Click, ActionKind::Stop]);
    assert_eq!((test.name.as_str(), &test.check), ("buy/4", &check()));
    let json = serde_json::to_string(&test).unwrap();
    assert_eq!(serde_json::from_str::<Test>(&json).unwrap(), test, "the native format is read back as it was written");
}

#[test]
fn what_did_not_pass_becomes_no_test() {
    for kind in [VerdictKind::NotAchieved, VerdictKind::Unverified, VerdictKind::InvalidEnvironment] {
        let error = record(&job(), &trajectory(Vec::new(), None), &verdict(kind), &check()).unwrap_err();
        assert_eq!(error, NoTest::NotPassed { job: "buy/4".into(), verdict: kind });
    }
}

#[test]
fn what_needed_no_deed_becomes_no_test_unless_it_is_meant_to() {
    let passed = verdict(VerdictKind::Passed);
    let failed = Effect::Failed { cause: "covered".into() };
    for steps in [Vec::new(), vec![step(click(1), failed)]] {
        let error = record(&job(), &trajectory(steps, None), &passed, &check()).unwrap_err();
        assert_eq!(error, NoTest::NothingDone { job: "buy/4".into() });
    }
    assert!(record(&job(), &trajectory(Vec::new(), Some("7 EUR")), &passed, &check()).is_ok(), "an answer is a deed");
}

#[test]
fn a_replay_does_the_steps_in_order_and_stops_with_the_recorded_answer() {
    let mut replay = Replay::new(&test());
    // The page has changed its order since: elements are found by what they are, not by where they stood.
    let now = page(&[("Buy", "buy"), ("Add", "add")]);
    let choices: Vec<_> = (0..3).map(|_| replay.choose(&now).0).collect();
    let stop = Action::Stop { claim: Claim::Done, answer: Some("7 EUR".into()) };
    let expected = [Action::click(ElementId(1)), Action::click(ElementId(0)), stop].map(Choice::Act);
    assert_eq!(choices, expected);
    assert!(domain::Decider::heals(&replay).is_empty());
    assert_eq!(replay.choose(&now).0, Choice::Act(Action::done()), "after the last step it is done");
}

#[test]
fn a_locator_that_no_longer_fits_is_healed_by_a_lesser_one_and_told() {
    let mut replay = Replay::new(&test());
    let renamed = page(&[("Put into basket", "add"), ("Buy", "buy")]);
    let (choice, reason) = replay.choose(&renamed);
    assert_eq!(choice, Choice::Act(Action::click(ElementId(0))));
    assert!(reason.contains("healed"), "{reason}");
    let heals = domain::Decider::heals(&replay);
    assert_eq!((heals.len(), heals[0].step), (1, 1));
    assert_eq!(heals[0].from, Locator::Role { role: "button".into(), name: "Add".into() });
    assert_eq!(heals[0].to, Locator::Css { selector: "#add".into() });
}

#[test]
fn an_element_that_is_late_is_waited_for_and_one_that_never_comes_is_drift() {
    let empty = page(&[("Help", "help")]);
    let mut late = Replay::new(&test());
    assert_eq!(late.choose(&empty).0, Choice::Act(Action::Wait { milliseconds: WAITS[0] }));
    assert_eq!(late.choose(&recorded_page()).0, Choice::Act(Action::click(ElementId(0))));

    let mut never = Replay::new(&test());
    for wait in WAITS {
        assert_eq!(never.choose(&empty).0, Choice::Act(Action::Wait { milliseconds: wait }));
    }
    let Choice::Drifted { step, cause } = never.choose(&empty).0 else { panic!("no drift") };
    assert!(step == 1 && cause.contains("button \"Add\""), "{step}: {cause}");
    assert!(domain::Decider::heals(&never).is_empty());
}

#[test]
fn the_limits_of_a_replay_leave_room_for_every_wait() {
    let limits = replay_limits(&test());
    assert!(limits.steps as usize >= test().steps.len() * (1 + WAITS.len()));
    assert_eq!(limits.repeats, u32::MAX);
}
