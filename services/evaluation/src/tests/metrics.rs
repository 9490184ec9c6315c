//! Figures, against values known from elsewhere.

use crate::metrics::{Match, by_task, compare, equivalent, score, wilson};
use domain::job::Outcome;
use domain::locator::{Locator, Position};
use domain::observation::Stamp;
use domain::verdict::VerdictKind;
use domain::{
    Action, BlobRef, CampaignId, Descriptor, Effect, Ending, EpisodeId, Fence, JobId, Rect, SiteId, Step, TaskId,
    Usage, Verdict,
};
use proptest::prelude::*;

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 5e-5
}

#[test]
fn wilson_intervals_are_the_published_ones() {
    // Newcombe 1998, table I, method 3, and the rule of the ends.
    for (successes, trials, low, high) in
        [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
    {
        let interval = wilson(successes, trials);
        assert!(close(interval.low, low) && close(interval.high, high), "{successes}/{trials}: {interval:?}");
    }
    assert_eq!(wilson(5, 5).high, 1.0);
    assert_eq!((wilson(0, 0).low, wilson(0, 0).high), (0.0, 1.0));
}

fn outcome(task: &str, kind: VerdictKind, reward: Option<f64>) -> Outcome {
    Outcome {
        job: JobId::new(format!("{task}/1")),
        campaign: CampaignId::new("run"),
        episode: EpisodeId("018f0000-0000-7000-8000-000000000000".parse().unwrap()),
        fence: Fence(1),
        task: TaskId::new(task),
        site: SiteId::new("site"),
        planner: "ground".into(),
        verdict: Verdict { kind, reason: String::new(), evidence: Vec::new() },
        ending: Ending::EnvironmentOver,
        reward,
        steps: 4,
        usage: Usage { prompt_tokens: 100, completion_tokens: 20, cost_usd: 0.5, calls: 2 },
        wall_ms: 1500.0,
        incidents: Vec::new(),
        trajectory: BlobRef::new("0".repeat(64)),
    }
}

#[test]
fn a_score_counts_every_attempt_and_means_rewards_over_those_that_have_one() {
    use VerdictKind::{InvalidEnvironment, NotAchieved, Passed, PassedHealed};
    let outcomes = [
        outcome("a", Passed, Some(1.0)),
        outcome("a", NotAchieved, Some(-1.0)),
        outcome("b", PassedHealed, Some(0.5)),
        outcome("b", InvalidEnvironment, None),
    ];
    let whole = score(&outcomes);
    assert_eq!((whole.episodes, whole.successes, whole.success_rate), (4, 2, 0.5));
    assert!(close(whole.mean_raw_reward.unwrap(), 0.5 / 3.0));
    assert_eq!((whole.mean_steps, whole.mean_wall_s, whole.tokens()), (4.0, 1.5, 480));
    assert_eq!((whole.usage.cost_usd, whole.verdicts[&Passed]), (2.0, 1));
    assert_eq!(whole.interval, wilson(2, 4));
    let tasks = by_task(&outcomes);
    assert_eq!(tasks[&TaskId::new("b")].mean_raw_reward, Some(0.5));
}

#[test]
fn the_score_of_nothing_is_nothing_and_no_division_by_zero() {
    let nothing = score([]);
    assert_eq!((nothing.episodes, nothing.success_rate, nothing.mean_raw_reward), (0, 0.0, None));
    assert!(nothing.mean_steps == 0.0 && nothing.mean_wall_s == 0.0);
}

fn element(xpath: &str) -> Descriptor {
    Descriptor {
        locators: vec![
            Locator::Role { role: "button".into(), name: "Ok".into() },
            Locator::XPath { path: xpath.into() },
        ],
        matches: vec![Position { index: 0, of: 2 }, Position { index: 0, of: 1 }],
        role: "button".into(),
        name: "Ok".into(),
        tag: "button".into(),
        context: String::new(),
        bounds: Rect::default(),
        frames: Vec::new(),
        address: None,
        place: String::new(),
    }
}

fn click(xpath: &str) -> Action<Descriptor> {
    Action::click(element(xpath))
}

fn step(action: Action<Descriptor>) -> Step {
    Step {
        number: 1,
        stamp: Stamp::default(),
        url: String::new(),
        title: String::new(),
        summary: String::new(),
        action,
        reason: String::new(),
        confidence: 1.0,
        level: Default::default(),
        effect: Effect::NoChange,
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

#[test]
fn exact_match_is_the_same_steps_and_prefix_match_allows_more_after_them() {
    let gold = [click("/a"), click("/b"), Action::done()];
    let steps = |paths: &[&str]| paths.iter().map(|path| step(click(path))).collect::<Vec<_>>();
    assert_eq!(compare(&gold, &steps(&["/a", "/b"])), Match { exact: true, prefix: true });
    assert_eq!(compare(&gold, &steps(&["/a", "/b", "/c"])), Match { exact: false, prefix: true });
    assert_eq!(compare(&gold, &steps(&["/a"])), Match { exact: false, prefix: false });
    assert_eq!(compare(&gold, &steps(&["/b", "/a"])), Match { exact: false, prefix: false });
}

#[test]
fn equal_buttons_at_other_places_and_in_other_frames_are_other_elements() {
    assert!(equivalent(&click("/a"), &click("/a")));
    assert!(!equivalent(&click("/a"), &click("/b")));
    assert!(!equivalent(&click("/a"), &Action::Hover { element: element("/a") }));
    let framed = Descriptor { frames: vec!["/html/iframe".into()], ..element("/a") };
    assert!(!equivalent(&click("/a"), &Action::click(framed)));
}

#[test]
fn a_drag_is_the_same_only_with_the_same_target() {
    let drag = |onto: &str| Action::Drag { element: element("/a"), onto: element(onto) };
    assert!(equivalent(&drag("/b"), &drag("/b")));
    assert!(!equivalent(&drag("/b"), &drag("/c")));
}

proptest! {
    #[test]
    fn an_interval_holds_its_rate_and_narrows_with_trials(trials in 1usize..2000, part in 0.0f64..=1.0) {
        let successes = ((trials as f64) * part) as usize;
        let interval = wilson(successes, trials);
        let rate = successes as f64 / trials as f64;
        prop_assert!(interval.low <= rate && rate <= interval.high);
        prop_assert!(interval.low >= 0.0 && interval.high <= 1.0);
        let more = wilson(successes * 4, trials * 4);
        prop_assert!(more.high - more.low < interval.high - interval.low);
    }
}
