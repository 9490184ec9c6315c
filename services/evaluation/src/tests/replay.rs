//! Recording tests and replaying them.

use crate::record::{NoTest, record, replay_limits};
use crate::replay::{Replay, WAITS};
use domain::action::{ActionKind, Claim};
use domain::decision::Choice;
use domain::job::{BenchmarkTask, Work};
use domain::locator::Locator;
use domain::observation::{Request, Stamp};
use domain::task::{Check, TextMatch};
use domain::test::Test;
use domain::trajectory::BEGUN_AGAIN;
use domain::unfinished::WAITS as ANNOUNCED;
use domain::verdict::VerdictKind;
use domain::{
    Action, CampaignId, Deciding, Descriptor, Effect, ElementId, Ending, EpisodeId, Fence, Job, JobId, Node,
    Observation, SiteId, Step, TaskId, Trajectory, Usage, Verdict,
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
        downloads: Vec::new(),
        deciding: Deciding::default(),
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
fn what_the_server_failed_is_left_out_where_it_was_sent_again() {
    let failed = || Effect::Unconfirmed { cause: "POST /buy was answered 503".into() };
    let of =
        |steps| record(&job(), &trajectory(steps, None), &verdict(VerdictKind::Passed), &check()).unwrap().steps.len();
    assert_eq!(of(vec![step(click(1), failed()), step(click(1), changed("content"))]), 1);
    assert_eq!(of(vec![step(click(1), failed()), step(click(0), changed("content"))]), 2);
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

/// A replay with what came of its steps so far.
struct Played {
    replay: Replay,
    history: Vec<Step>,
}

impl Played {
    fn of(test: &Test) -> Played {
        Played { replay: Replay::new(test), history: Vec::new() }
    }

    fn choose(&mut self, page: &Observation) -> Choice {
        self.replay.choose(page, &self.history).0
    }

    /// The next choice, of which this came.
    fn play(&mut self, page: &Observation, effect: Effect) -> Choice {
        let choice = self.choose(page);
        if let Choice::Act(action) = &choice
            && let Ok(action) = action.try_map(|element| Descriptor::of(page, *element).ok_or(()))
        {
            self.history.push(step(action, effect));
        }
        choice
    }

    fn heals(&self) -> Vec<domain::test::Heal> {
        domain::Decider::heals(&self.replay)
    }
}

fn changed(what: &str) -> Effect {
    Effect::Changed { what: vec![what.into()] }
}

fn drift(choice: Choice) -> (u32, String) {
    let Choice::Drifted { step, cause } = choice else { panic!("no drift: {choice:?}") };
    (step, cause)
}

/// The recorded page with its buttons in a form.
fn in_a_form(buttons: &[(&str, &str)]) -> Observation {
    let form = Node {
        tag: "form".into(),
        attributes: [("id".to_owned(), "order".to_owned())].into_iter().collect(),
        ..Node::default()
    };
    let buttons: Vec<Node> =
        page(buttons).nodes.iter().cloned().map(|node| Node { parent: Some(ElementId(0)), ..node }).collect();
    Observation { nodes: std::iter::once(form).chain(buttons).collect(), ..Observation::default() }
}

/// A test of one click in a form.
fn test_in_a_form(effect: Effect) -> Test {
    let seen = in_a_form(&[("Add", "add"), ("Buy", "buy")]);
    let click = Action::click(Descriptor::of(&seen, ElementId(1)).unwrap());
    record(&job(), &trajectory(vec![step(click, effect)], None), &verdict(VerdictKind::Passed), &check()).unwrap()
}

#[test]
fn what_a_reset_undid_is_not_recorded() {
    let again = Step { incidents: vec![format!("{BEGUN_AGAIN} after step 1")], ..step(click(1), changed("content")) };
    let steps = vec![step(click(0), changed("content")), again];
    let test = record(&job(), &trajectory(steps, None), &verdict(VerdictKind::Passed), &check()).unwrap();
    let names: Vec<_> = test.steps.iter().map(|step| step.action.element().unwrap().name.as_str()).collect();
    assert_eq!(names, ["Buy"]);
}

#[test]
fn a_replay_does_the_steps_in_order_and_stops_with_the_recorded_answer() {
    let mut replay = Played::of(&test());
    // The page has changed its order since: elements are found by what they are, not by where they stood.
    let now = page(&[("Buy", "buy"), ("Add", "add")]);
    let choices: Vec<_> = (0..3).map(|_| replay.play(&now, changed("content"))).collect();
    let stop = Action::Stop { claim: Claim::Done, answer: Some("7 EUR".into()) };
    let expected = [Action::click(ElementId(1)), Action::click(ElementId(0)), stop].map(Choice::Act);
    assert_eq!(choices, expected);
    assert!(replay.heals().is_empty());
    assert_eq!(replay.choose(&now), Choice::Act(Action::done()), "after the last step it is done");
}

#[test]
fn a_locator_that_no_longer_fits_is_healed_where_two_other_things_agree_and_told() {
    let mut replay = Played::of(&test_in_a_form(changed("content")));
    let renamed = in_a_form(&[("Put into basket", "add"), ("Buy", "buy")]);
    let (choice, reason) = replay.replay.choose(&renamed, &[]);
    assert_eq!(choice, Choice::Act(Action::click(ElementId(1))));
    assert!(reason.contains("healed"), "{reason}");
    assert!(replay.heals().is_empty(), "it has not shown yet that it is the one");
    assert_eq!(replay.play(&renamed, changed("content")), choice, "what did not reach the page is done again");
    assert_eq!(replay.choose(&renamed), Choice::Act(Action::done()));
    let heals = replay.heals();
    assert_eq!((heals.len(), heals[0].step), (1, 1));
    assert_eq!(heals[0].from, Locator::Role { role: "button".into(), name: "Add".into() });
    assert_eq!(heals[0].to, Locator::Css { selector: "#add".into() });
}

#[test]
fn a_healed_step_that_leads_elsewhere_is_drift() {
    let renamed = in_a_form(&[("Send", "add")]);
    let replayed = |effect: Effect, sent: &str| {
        let mut replay = Played::of(&test_in_a_form(changed("content")));
        replay.play(&renamed, effect);
        replay.history[0].requests =
            vec![Request { method: "POST".into(), url: format!("http://a.org/{sent}"), ..Request::default() }];
        replay.choose(&renamed)
    };
    assert!(drift(replayed(changed("dialog"), "")).1.contains("dialog"));
    assert!(drift(replayed(Effect::Unconfirmed { cause: "POST / was answered 503".into() }, "")).1.contains("healed"));
    assert!(drift(replayed(changed("content"), "send")).1.contains("POST /send instead of nothing"));
}

#[test]
fn a_step_that_could_not_be_done_is_tried_again_and_then_is_drift() {
    let covered = || Effect::Failed { cause: "a veil covers it".into() };
    let mut replay = Played::of(&test());
    let now = recorded_page();
    let add = Choice::Act(Action::click(ElementId(0)));
    for wait in WAITS {
        assert_eq!(replay.play(&now, covered()), add);
        assert_eq!(replay.play(&now, Effect::NoChange), Choice::Act(Action::Wait { milliseconds: wait }));
    }
    assert_eq!(replay.play(&now, covered()), add);
    let (step, cause) = drift(replay.choose(&now));
    assert!(step == 1 && cause.contains("a veil covers it"), "{step}: {cause}");

    let mut mended = Played::of(&test());
    mended.play(&now, covered());
    mended.play(&now, Effect::NoChange);
    assert_eq!(mended.play(&now, changed("content")), add);
    assert_eq!(mended.choose(&now), Choice::Act(Action::click(ElementId(1))));
}

#[test]
fn what_is_refused_now_and_was_not_is_drift_and_what_was_refused_goes_on() {
    let refused = || Effect::Rejected { message: "too long".into() };
    let typing = Action::Type {
        element: Descriptor::of(&recorded_page(), ElementId(0)).unwrap(),
        text: "x".into(),
        submit: false,
    };
    let of = |effect: Effect| {
        record(&job(), &trajectory(vec![step(typing.clone(), effect)], None), &verdict(VerdictKind::Passed), &check())
            .unwrap()
    };
    let mut replay = Played::of(&of(changed("value")));
    let last = (0..6).map(|_| replay.play(&recorded_page(), refused())).last().unwrap();
    assert!(drift(last).1.contains("too long"));
    let mut same = Played::of(&of(refused()));
    same.play(&recorded_page(), refused());
    assert_eq!(same.choose(&recorded_page()), Choice::Act(Action::done()));
}

#[test]
fn a_step_that_changes_nothing_any_more_is_waited_for_and_not_pressed_again() {
    let now = recorded_page();
    let mut dead = Played::of(&test());
    dead.play(&now, Effect::NoChange);
    for wait in WAITS {
        assert_eq!(dead.play(&now, Effect::NoChange), Choice::Act(Action::Wait { milliseconds: wait }));
    }
    assert!(drift(dead.choose(&now)).1.contains("changed nothing"));

    let mut late = Played::of(&test());
    late.play(&now, Effect::NoChange);
    late.play(&now, changed("content"));
    assert_eq!(late.choose(&now), Choice::Act(Action::click(ElementId(1))));
}

#[test]
fn what_comes_late_is_of_the_recorded_kind() {
    let now = recorded_page();
    let mut opens = test();
    opens.steps[0].effect = Some(changed("url"));
    let mut late = Played::of(&opens);
    late.play(&now, Effect::NoChange);
    let choice = late.play(&now, changed("content"));
    assert_eq!(choice, Choice::Act(Action::Wait { milliseconds: WAITS[0] }));
    assert_eq!(
        late.choose(&now),
        Choice::Act(Action::Wait { milliseconds: WAITS[1] }),
        "a text that changes is no new page"
    );
}

#[test]
fn a_test_id_alone_heals_nothing_where_no_effect_is_known() {
    let marked = |name: &str| {
        let node = Node {
            role: "button".into(),
            tag: "button".into(),
            name: name.to_owned(),
            attributes: [("data-testid".to_owned(), "row-action".to_owned())].into_iter().collect(),
            operations: vec![ActionKind::Click],
            ..Node::default()
        };
        Observation { nodes: vec![node].into(), ..Observation::default() }
    };
    let action = Action::click(Descriptor::of(&marked("Open"), ElementId(0)).unwrap());
    let mut recorded = record(
        &job(),
        &trajectory(vec![step(action, changed("content"))], None),
        &verdict(VerdictKind::Passed),
        &check(),
    )
    .unwrap();
    let mut known = Played::of(&recorded);
    assert_eq!(known.choose(&marked("Ouvrir")), Choice::Act(Action::click(ElementId(0))));
    recorded.steps[0].effect = None;
    let mut unknown = Played::of(&recorded);
    assert_eq!(unknown.choose(&marked("Ouvrir")), Choice::Act(Action::Wait { milliseconds: WAITS[0] }));
}

#[test]
fn a_step_that_leaves_the_scope_is_drift() {
    let mut replay = Played::of(&test());
    replay.play(&recorded_page(), Effect::LeftScope { url: "http://b.org/".into() });
    assert!(drift(replay.choose(&recorded_page())).1.contains("http://b.org/"));
}

#[test]
fn a_test_without_recorded_effects_is_read_and_replayed() {
    let mut json = serde_json::to_value(test()).unwrap();
    for step in json["steps"].as_array_mut().unwrap() {
        step.as_object_mut().unwrap().remove("effect");
    }
    let mut replay = Played::of(&serde_json::from_value(json).unwrap());
    replay.play(&recorded_page(), Effect::NoChange);
    assert_eq!(replay.choose(&recorded_page()), Choice::Act(Action::click(ElementId(1))));
}

#[test]
fn an_element_that_is_late_is_waited_for_and_one_that_never_comes_is_drift() {
    let empty = page(&[("Help", "help")]);
    let mut late = Played::of(&test());
    assert_eq!(late.play(&empty, Effect::NoChange), Choice::Act(Action::Wait { milliseconds: WAITS[0] }));
    assert_eq!(late.choose(&recorded_page()), Choice::Act(Action::click(ElementId(0))));

    let mut never = Played::of(&test());
    for wait in WAITS {
        assert_eq!(never.play(&empty, Effect::NoChange), Choice::Act(Action::Wait { milliseconds: wait }));
    }
    let (step, cause) = drift(never.choose(&empty));
    assert!(step == 1 && cause.contains("button \"Add\""), "{step}: {cause}");
    assert!(never.heals().is_empty());
}

#[test]
fn the_limits_of_a_replay_leave_room_for_every_wait() {
    let limits = replay_limits(&test());
    assert!(limits.steps as usize >= test().steps.len() * (1 + WAITS.len()));
    assert_eq!(limits.repeats, u32::MAX);
}

#[test]
fn an_element_is_waited_for_longer_while_the_page_says_that_more_is_coming() {
    let shows = |text: &str| {
        let node = Node { role: "text".into(), text: text.to_owned(), ..Node::default() };
        Observation { nodes: vec![node].into(), ..Observation::default() }
    };
    let mut waits = Played::of(&test());
    for wait in WAITS.into_iter().chain(ANNOUNCED) {
        assert_eq!(
            waits.play(&shows("Loading\u{2026}"), Effect::NoChange),
            Choice::Act(Action::Wait { milliseconds: wait })
        );
    }
    drift(waits.choose(&shows("Loading\u{2026}")));
    let mut rests = Played::of(&test());
    for wait in WAITS {
        assert_eq!(rests.play(&shows("Reports"), Effect::NoChange), Choice::Act(Action::Wait { milliseconds: wait }));
    }
    drift(rests.choose(&shows("Reports")));
}
