//! The state machine by itself: what happened in, what to do out.

use super::fakes::{MORE, STUCK, act, choose, counter};
use crate::episode::{Command, Config, Episode, Event, MAX_DIALOGS};
use domain::action::{Action, Claim};
use domain::decision::{Choice, Decision, PlannerError, Screenshot};
use domain::observation::{Dialog, Request, RequestKind, Settled};
use domain::page::{Acted, PageError};
use domain::task::Limits;
use domain::{Effect, ElementId, Ending, EpisodeId, JobId, Observation, StateId, Usage};
use proptest::prelude::*;
use std::time::Duration;
use uuid::Uuid;

pub(super) const NOW: Duration = Duration::from_millis(10);

pub(super) fn config(limits: Limits) -> Config {
    Config {
        job: JobId::new("job"),
        episode: EpisodeId(Uuid::nil()),
        limits,
        explores: false,
        picture_every_step: false,
        seed: 7,
        can_reset: false,
        context: Default::default(),
    }
}

/// An attempt that has just asked for its first decision.
pub(super) fn asking(limits: Limits) -> Episode {
    begun(config(limits))
}

/// The same with all that can be set.
pub(super) fn begun(config: Config) -> Episode {
    let mut episode = Episode::new(config);
    assert!(matches!(episode.next(Event::Began { instruction: "count".into() }, NOW), Command::Look));
    assert!(matches!(episode.next(Event::Observed(counter(0, 1)), NOW), Command::Decide(_)));
    episode
}

pub(super) fn acted(effect: Effect, observation: Observation) -> Event {
    Event::Acted(Acted::of(effect, observation))
}

/// Decides, acts, records and polls; returns what follows, or the ending that came in between.
pub(super) fn step(episode: &mut Episode, decision: Decision, observation: Observation) -> Command {
    match episode.next(Event::Decided(decision), NOW) {
        Command::Act(..) => {}
        other => return other,
    }
    assert!(matches!(episode.next(acted(Effect::NoChange, observation), NOW), Command::Record(_)));
    assert!(matches!(episode.next(Event::Recorded, NOW), Command::Poll));
    episode.next(Event::Ongoing, NOW)
}

pub(super) fn ending(command: Command) -> Ending {
    match command {
        Command::Finish(ending) => ending,
        other => panic!("expected an ending, got {other:?}"),
    }
}

#[test]
fn an_action_is_carried_out_recorded_and_followed_by_the_next_question_without_observing_again() {
    let mut episode = asking(Limits::default());
    let Command::Act(action, before) = episode.next(Event::Decided(act(Action::click(MORE))), NOW) else {
        panic!("no action")
    };
    assert_eq!((action, before.stamp.number), (Action::click(MORE), 1));
    let effect = Effect::Changed { what: vec!["content".into()] };
    let Command::Record(step) = episode.next(acted(effect.clone(), counter(1, 2)), NOW * 3) else {
        panic!("no record")
    };
    assert_eq!((step.number, step.effect, step.summary.as_str()), (1, effect, "More · Stuck · count 0"));
    assert_eq!((step.act_ms, step.at_ms), (20.0, 30.0));
    assert_eq!(step.action.element().map(|element| element.name.as_str()), Some("More"));
    assert!(matches!(episode.next(Event::Recorded, NOW * 3), Command::Poll));
    let Command::Decide(request) = episode.next(Event::Ongoing, NOW * 3) else { panic!("no question") };
    assert_eq!((request.history.len(), request.steps_left, request.observation.stamp.number), (1, 29, 2));
}

#[test]
fn a_stop_ends_with_its_claim_and_answer_and_is_no_step() {
    let mut episode = asking(Limits::default());
    let stop = Action::Stop { claim: Claim::Done, answer: Some("42".into()) };
    let ended = ending(episode.next(Event::Decided(act(stop)), NOW));
    assert_eq!(ended, Ending::Stopped { claim: Claim::Done, answer: Some("42".into()) });
    assert_eq!(crate::episode::answer_of(&ended), Some("42".into()));
}

#[test]
fn after_the_environment_is_over_nothing_is_asked_or_done() {
    let mut episode = asking(Limits::default());
    episode.next(Event::Decided(act(Action::click(MORE))), NOW);
    episode.next(acted(Effect::NoChange, counter(1, 2)), NOW);
    episode.next(Event::Recorded, NOW);
    assert_eq!(ending(episode.next(Event::EnvironmentOver, NOW)), Ending::EnvironmentOver);
}

#[test]
fn a_slow_decision_is_carried_out_only_after_asking_whether_the_environment_is_over() {
    let mut episode = asking(Limits::default());
    let late = Duration::from_secs(2);
    assert!(matches!(episode.next(Event::Decided(act(Action::click(MORE))), late), Command::Poll));
    assert!(matches!(episode.next(Event::Ongoing, late), Command::Act(..)));

    let mut episode = asking(Limits::default());
    assert!(matches!(episode.next(Event::Decided(act(Action::click(MORE))), late), Command::Poll));
    assert_eq!(ending(episode.next(Event::EnvironmentOver, late)), Ending::EnvironmentOver);
}

#[test]
fn with_no_step_left_the_actor_may_still_say_that_it_is_done_but_not_act() {
    let limits = Limits { steps: 1, ..Limits::default() };
    let mut episode = asking(limits);
    let Command::Decide(request) = step(&mut episode, act(Action::click(MORE)), counter(1, 2)) else {
        panic!("no question")
    };
    assert_eq!(request.steps_left, 0);
    assert_eq!(
        ending(episode.next(Event::Decided(act(Action::done())), NOW)),
        Ending::Stopped { claim: Claim::Done, answer: None }
    );

    let mut episode = asking(limits);
    step(&mut episode, act(Action::click(MORE)), counter(1, 2));
    assert_eq!(ending(episode.next(Event::Decided(act(Action::click(MORE))), NOW)), Ending::StepLimit { steps: 1 });
}

#[test]
fn the_same_action_on_an_unchanged_page_is_tried_three_times_and_refused_the_fourth() {
    let mut episode = asking(Limits::default());
    for number in 2..5 {
        assert!(matches!(step(&mut episode, act(Action::click(STUCK)), counter(0, number)), Command::Decide(_)));
    }
    let fourth = episode.next(Event::Decided(act(Action::click(STUCK))), NOW);
    assert_eq!(ending(fourth), Ending::RepeatedAction { times: 3 });
}

#[test]
fn repetition_is_seen_through_other_actions_in_between() {
    let mut episode = asking(Limits::default());
    for round in 0..3 {
        step(&mut episode, act(Action::click(STUCK)), counter(0, round * 2 + 2));
        step(&mut episode, act(Action::Wait { milliseconds: round as u32 }), counter(0, round * 2 + 3));
    }
    let again = episode.next(Event::Decided(act(Action::click(STUCK))), NOW);
    assert_eq!(ending(again), Ending::RepeatedAction { times: 3 });
}

#[test]
fn the_same_action_on_a_page_that_changes_is_no_repetition() {
    let mut episode = asking(Limits::default());
    for count in 1..20 {
        let next = step(&mut episode, act(Action::click(MORE)), counter(count, u64::from(count) + 1));
        assert!(matches!(next, Command::Decide(_)), "click {count}: {next:?}");
    }
}

#[test]
fn three_invalid_decisions_in_a_row_end_the_attempt_and_a_valid_one_starts_the_count_anew() {
    let invalid = || choose(Choice::Invalid { cause: "no JSON".into() });
    let mut episode = asking(Limits::default());
    for _ in 0..2 {
        assert!(matches!(episode.next(Event::Decided(invalid()), NOW), Command::Decide(_)));
    }
    assert!(matches!(step(&mut episode, act(Action::click(MORE)), counter(1, 2)), Command::Decide(_)));
    for _ in 0..2 {
        assert!(matches!(episode.next(Event::Decided(invalid()), NOW), Command::Decide(_)));
    }
    let third = episode.next(Event::Decided(invalid()), NOW);
    assert_eq!(ending(third), Ending::InvalidDecisions { cause: "no JSON".into() });
}

#[test]
fn an_element_that_is_not_in_the_observation_is_an_invalid_decision_and_never_reaches_the_page() {
    let mut episode = asking(Limits::default());
    let next = episode.next(Event::Decided(act(Action::click(ElementId(99)))), NOW);
    assert!(matches!(next, Command::Decide(_)), "{next:?}");
    let parts = episode.into_parts(NOW);
    assert_eq!(parts.incidents, ["invalid decision: element 99 is not in the observation"]);
}

#[test]
fn a_picture_is_given_when_asked_for_and_asking_twice_is_invalid() {
    let mut episode = asking(Limits::default());
    assert!(matches!(episode.next(Event::Decided(choose(Choice::NeedScreenshot)), NOW), Command::Picture));
    let picture = Screenshot { png: vec![1, 2, 3].into(), scale: 1.0 };
    let Command::Decide(request) = episode.next(Event::Pictured(picture), NOW) else { panic!("no question") };
    assert!(request.screenshot.is_some());
    let again = episode.next(Event::Decided(choose(Choice::NeedScreenshot)), NOW);
    assert!(matches!(again, Command::Decide(_)), "{again:?}");
    assert_eq!(episode.into_parts(NOW).incidents.len(), 1);
}

#[test]
fn a_picture_of_every_step_is_taken_before_the_action() {
    let mut episode = Episode::new(Config { picture_every_step: true, ..config(Limits::default()) });
    episode.next(Event::Began { instruction: String::new() }, NOW);
    episode.next(Event::Observed(counter(0, 1)), NOW);
    assert!(matches!(episode.next(Event::Decided(act(Action::click(MORE))), NOW), Command::Picture));
    let picture = Screenshot { png: vec![1].into(), scale: 1.0 };
    assert!(matches!(episode.next(Event::Pictured(picture), NOW), Command::Act(..)));
}

#[test]
fn memory_is_given_back_with_the_next_request() {
    let mut episode = asking(Limits::default());
    let mut decision = act(Action::click(MORE));
    decision.memory = serde_json::json!({"tried": ["More"]});
    let Command::Decide(request) = step(&mut episode, decision, counter(1, 2)) else { panic!("no question") };
    assert_eq!(request.memory["tried"][0], "More");
}

#[test]
fn time_is_up_however_the_limit_is_met() {
    let limits = Limits { seconds: 5, ..Limits::default() };
    let late = Duration::from_secs(6);
    let mut episode = asking(limits);
    assert_eq!(ending(episode.next(Event::TimeRanOut, late)), Ending::TimeLimit { seconds: 5 });
    let mut episode = asking(limits);
    let decided = episode.next(Event::Decided(act(Action::click(MORE))), late);
    assert_eq!(ending(decided), Ending::TimeLimit { seconds: 5 });
}

#[test]
fn opening_the_page_counts_against_the_limit_of_time() {
    let mut episode = Episode::new(config(Limits { seconds: 5, ..Limits::default() }));
    let late = Duration::from_secs(3);
    episode.next(Event::Began { instruction: String::new() }, late);
    assert!(matches!(episode.next(Event::Observed(counter(0, 1)), late), Command::Decide(_)));
    assert_eq!(episode.time_left(late), Duration::from_secs(2));
}

#[test]
fn a_page_that_does_not_open_in_time_is_the_sites_affair_and_says_how_long_it_was_waited_for() {
    let mut episode = Episode::new(config(Limits { seconds: 5, ..Limits::default() }));
    let ending = ending(episode.next(Event::NotOpened, Duration::from_secs(5)));
    assert_eq!(ending, Ending::SiteUnreachable { cause: "the page could not be opened and read within 5 s".into() });
}

/// The counter's page, answered with this status.
fn answered(status: u16) -> Observation {
    let request = Request {
        method: "GET".into(),
        url: "http://counter.test/".into(),
        status: Some(status),
        kind: RequestKind::Document,
        ..Request::default()
    };
    Observation { requests: vec![request], ..counter(0, 1) }
}

#[test]
fn a_site_that_refuses_at_the_start_ends_the_attempt_with_its_status() {
    let mut episode = Episode::new(config(Limits::default()));
    episode.next(Event::Began { instruction: "Book a table".into() }, NOW);
    let ending = ending(episode.next(Event::Observed(answered(503)), NOW));
    let Ending::SiteUnreachable { cause } = &ending else { panic!("{ending:?}") };
    assert!(cause.contains("the site answered 503"), "{cause}");
}

#[test]
fn a_page_with_the_control_that_the_task_names_is_worked_with_although_it_is_not_found() {
    let mut episode = Episode::new(config(Limits::default()));
    episode.next(Event::Began { instruction: "Press \"More\" twice".into() }, NOW);
    assert!(matches!(episode.next(Event::Observed(answered(404)), NOW), Command::Decide(_)));
    let incidents = episode.into_parts(NOW).incidents;
    assert!(incidents.iter().any(|incident| incident.contains("status 404")), "{incidents:?}");
}

#[test]
fn a_refusal_later_on_does_not_end_the_attempt() {
    let mut episode = asking(Limits::default());
    let stale = PageError::Stale { given: 1, latest: 2 };
    episode.next(Event::Decided(act(Action::click(MORE))), NOW);
    episode.next(Event::PageFailed(stale), NOW);
    assert!(matches!(episode.next(Event::Observed(answered(503)), NOW), Command::Decide(_)));
}

#[test]
fn dialogs_without_end_are_a_loop() {
    let dialog = |number| Observation {
        dialog: Some(Dialog { kind: "alert".into(), message: format!("no. {number}") }),
        ..counter(0, number)
    };
    let mut episode = Episode::new(config(Limits::default()));
    episode.next(Event::Began { instruction: String::new() }, NOW);
    let mut command = episode.next(Event::Observed(dialog(1)), NOW);
    let mut accepted = 0;
    while let Command::Decide(_) = command {
        accepted += 1;
        command = step(&mut episode, act(Action::AcceptDialog { text: None }), dialog(1 + accepted));
    }
    assert_eq!(ending(command), Ending::DialogLoop { dialogs: MAX_DIALOGS });
    assert_eq!(accepted, u64::from(MAX_DIALOGS));
}

#[test]
fn a_page_that_never_comes_to_rest_is_said_to_be_so_once() {
    let restless =
        |number| Observation { settled: Settled::Never { pending: vec!["timers".into()] }, ..counter(0, number) };
    let mut episode = Episode::new(config(Limits::default()));
    episode.next(Event::Began { instruction: String::new() }, NOW);
    episode.next(Event::Observed(restless(1)), NOW);
    step(&mut episode, act(Action::click(MORE)), restless(2));
    assert_eq!(episode.into_parts(NOW).incidents, ["the page never came to rest, pending: timers"]);
}

#[test]
fn a_stale_action_is_decided_again_on_a_fresh_observation() {
    let mut episode = asking(Limits::default());
    episode.next(Event::Decided(act(Action::click(MORE))), NOW);
    let stale = PageError::Stale { given: 1, latest: 2 };
    assert!(matches!(episode.next(Event::PageFailed(stale), NOW), Command::Observe));
    let Command::Decide(request) = episode.next(Event::Observed(counter(0, 2)), NOW) else { panic!("no question") };
    assert_eq!((request.observation.stamp.number, request.history.len()), (2, 0));
}

#[test]
fn a_secret_that_the_task_names_but_nobody_has_is_the_environments_failure_and_an_invented_one_is_not() {
    let missing = || PageError::Secret { name: "password".into(), cause: "variable SHOP_PASSWORD is not set".into() };
    let mut named = Episode::new(config(Limits::default()));
    named.next(Event::Began { instruction: "log in with ${secret:password}".into() }, NOW);
    named.next(Event::Observed(counter(0, 1)), NOW);
    named.next(Event::Decided(act(Action::click(MORE))), NOW);
    let ended = ending(named.next(Event::PageFailed(missing()), NOW));
    assert!(matches!(ended, Ending::EnvironmentFailed { cause } if cause.contains("SHOP_PASSWORD")));

    let mut invented = asking(Limits::default());
    invented.next(Event::Decided(act(Action::click(MORE))), NOW);
    assert!(matches!(invented.next(Event::PageFailed(missing()), NOW), Command::Decide(_)));
}

#[test]
fn failed_calls_of_a_planner_still_cost() {
    let mut episode = asking(Limits::default());
    let usage = Usage { prompt_tokens: 100, calls: 4, ..Usage::default() };
    let error = PlannerError::Throttled { cause: "429 for 60 s".into(), usage };
    assert!(matches!(ending(episode.next(Event::PlannerFailed(error), NOW)), Ending::Throttled { .. }));
    assert_eq!(episode.into_parts(NOW).usage, usage);
}

#[test]
fn a_drifted_replay_ends_with_the_step_that_does_not_fit() {
    let mut episode = asking(Limits::default());
    let choice = Choice::Drifted { step: 2, cause: "button \"Buy\" was not found".into() };
    let ended = ending(episode.next(Event::Decided(choose(choice)), NOW));
    assert_eq!(ended, Ending::Drifted { step: 2, cause: "button \"Buy\" was not found".into() });
}

fn choices() -> impl Strategy<Value = Choice> {
    prop_oneof![
        4 => (0u32..4).prop_map(|element| Choice::Act(Action::click(ElementId(element)))),
        1 => Just(Choice::Act(Action::Back)),
        1 => Just(Choice::NeedScreenshot),
        1 => Just(Choice::Invalid { cause: "x".into() }),
        1 => Just(Choice::Act(Action::done())),
        1 => Just(Choice::Reset),
        1 => Just(Choice::GoBack(StateId(1))),
    ]
}

proptest! {
    /// Whatever a decider chooses and a page shows, no more actions reach the page than the limit allows, each of them is
    /// recorded, and the attempt ends.
    #[test]
    fn every_attempt_ends_within_its_limits(
        choices in prop::collection::vec(choices(), 1..60),
        shows in prop::collection::vec(0u32..3, 1..10),
        steps in 0u32..8,
        can_reset in any::<bool>(),
    ) {
        let mut episode = Episode::new(Config { can_reset, ..config(Limits { steps, ..Limits::default() }) });
        let mut command = episode.next(Event::Began { instruction: String::new() }, NOW);
        let (mut number, mut sent, mut recorded, mut asked) = (0u64, 0u32, 0u32, 0usize);
        let ended = loop {
            let mut show = || { number += 1; counter(shows[number as usize % shows.len()], number) };
            let event = match command {
                Command::Look | Command::Observe => Event::Observed(show()),
                Command::Reset => Event::Began { instruction: String::new() },
                Command::Pause(_) => panic!("every question is answered"),
                Command::Decide(request) => {
                    prop_assert_eq!(request.history.len() as u32, recorded);
                    asked += 1;
                    if asked > 1000 { panic!("the attempt does not end") }
                    Event::Decided(choose(choices[asked % choices.len()].clone()))
                }
                Command::Picture => Event::Pictured(Screenshot { png: vec![].into(), scale: 1.0 }),
                Command::Act(..) => { sent += 1; acted(Effect::NoChange, show()) }
                Command::Record(step) => { recorded += 1; prop_assert_eq!(step.number, recorded); Event::Recorded }
                Command::Poll => Event::Ongoing,
                Command::Finish(ending) => break ending,
            };
            command = episode.next(event, NOW);
        };
        prop_assert!(sent <= steps, "{sent} actions, {ended:?}");
        prop_assert_eq!(sent, recorded);
    }
}
