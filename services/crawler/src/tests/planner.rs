//! The state machine and a planner that does not answer, or asks for more than an action.

use super::episode::{NOW, acted, asking, begun, config, ending, step};
use super::fakes::{MORE, act, choose, counter};
use crate::episode::{Command, Config, Episode, Event};
use domain::decision::{Choice, DecisionRequest, PlannerError};
use domain::task::Limits;
use domain::{Action, Effect, Ending, StateId, Usage};
use std::time::Duration;

/// The limit of wall time that attempts have here.
const LIMIT: Duration = Duration::from_secs(300);

fn away() -> Event {
    let usage = Usage { prompt_tokens: 10, calls: 1, ..Usage::default() };
    Event::PlannerFailed(PlannerError::Away { cause: "decide at http://planner: refused".into(), usage })
}

fn question(command: Command) -> Box<DecisionRequest> {
    match command {
        Command::Decide(request) => request,
        other => panic!("expected a question, got {other:?}"),
    }
}

fn pause(command: Command) -> Duration {
    match command {
        Command::Pause(pause) => pause,
        other => panic!("expected a pause, got {other:?}"),
    }
}

#[test]
fn a_planner_that_does_not_answer_is_asked_the_same_again_after_growing_pauses() {
    let mut episode = asking(Limits::default());
    let mut pauses = Vec::new();
    for _ in 0..8 {
        pauses.push(pause(episode.next(away(), NOW)).as_millis());
        let again = question(episode.next(Event::Paused, NOW));
        assert_eq!((again.observation.stamp.number, again.history.len(), again.refusal), (1, 0, None));
    }
    assert_eq!(pauses, [200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
    let late = Duration::from_secs(20);
    assert!(matches!(episode.next(Event::Decided(act(Action::click(MORE))), late), Command::Poll));
    let Command::Act(..) = episode.next(Event::Ongoing, late) else { panic!("no action") };
    let Command::Record(step) = episode.next(acted(Effect::NoChange, counter(1, 2)), late) else { panic!("no record") };
    assert_eq!(step.decide_ms, 19_990.0, "the time without an answer is part of the decision's");
    let parts = episode.into_parts(late);
    assert_eq!((parts.usage.prompt_tokens, parts.incidents.len()), (90, 1), "each try costs once, and is told once");
}

#[test]
fn pauses_begin_small_again_after_an_answer() {
    let mut episode = asking(Limits::default());
    for _ in 0..4 {
        pause(episode.next(away(), NOW));
        question(episode.next(Event::Paused, NOW));
    }
    question(step(&mut episode, act(Action::click(MORE)), counter(1, 2)));
    assert_eq!(pause(episode.next(away(), NOW)), Duration::from_millis(200));
}

#[test]
fn time_that_runs_out_while_no_planner_answers_is_the_planners_failure_and_else_the_tasks() {
    let waiting = || {
        let mut episode = asking(Limits::default());
        pause(episode.next(away(), NOW));
        question(episode.next(Event::Paused, NOW));
        episode
    };
    let failed = |ended: Ending| matches!(ended, Ending::PlannerFailed { cause } if cause.contains("refused"));
    assert!(failed(ending(waiting().next(Event::TimeRanOut, LIMIT))));
    let last = LIMIT - Duration::from_millis(100);
    assert!(failed(ending(waiting().next(away(), last))), "there is no time left for the pause");
    let mut answered = waiting();
    assert!(matches!(answered.next(Event::Decided(act(Action::click(MORE))), NOW), Command::Act(..)));
    assert_eq!(ending(answered.next(Event::TimeRanOut, LIMIT)), Ending::TimeLimit { seconds: 300 });
}

#[test]
fn a_planner_that_failed_and_an_explorer_that_did_are_not_asked_again() {
    let down = PlannerError::Unavailable { cause: "503".into(), usage: Usage::default() };
    assert!(matches!(
        ending(asking(Limits::default()).next(Event::PlannerFailed(down), NOW)),
        Ending::PlannerFailed { .. }
    ));
    let mut explorer = begun(Config { explores: true, ..config(Limits::default()) });
    assert!(matches!(ending(explorer.next(away(), NOW)), Ending::PlannerFailed { .. }));
}

fn refused(episode: &mut Episode, choice: Choice) -> String {
    let request = question(episode.next(Event::Decided(choose(choice)), NOW));
    request.refusal.expect("the planner is told why")
}

#[test]
fn a_task_without_a_reset_refuses_one_and_the_planner_is_told_until_it_acts() {
    let mut episode = asking(Limits::default());
    assert_eq!(refused(&mut episode, Choice::Reset), "the task has no reset");
    assert!(refused(&mut episode, Choice::GoBack(StateId(7))).contains("nothing leads back to state 7"));
    let next = question(step(&mut episode, act(Action::click(MORE)), counter(1, 2)));
    assert_eq!(next.refusal, None);
}

#[test]
fn a_task_with_a_reset_is_begun_again_once_something_was_done() {
    let mut episode = begun(Config { can_reset: true, ..config(Limits::default()) });
    assert_eq!(refused(&mut episode, Choice::Reset), "nothing was done since the task began");
    question(step(&mut episode, act(Action::click(MORE)), counter(1, 2)));
    assert!(matches!(episode.next(Event::Decided(choose(Choice::Reset)), NOW), Command::Reset));
    assert!(matches!(episode.next(Event::Began { instruction: "count".into() }, NOW), Command::Look));
    let again = question(episode.next(Event::Observed(counter(0, 3)), NOW));
    assert_eq!((again.history.len(), again.observation.stamp.number, again.refusal), (1, 3, None));
    assert_eq!(refused(&mut episode, Choice::Reset), "nothing was done since the task began");
    episode.next(Event::Decided(act(Action::click(MORE))), NOW);
    let Command::Record(first) = episode.next(acted(Effect::NoChange, counter(1, 4)), NOW) else { panic!("no record") };
    assert!(first.begins_again() && first.number == 2, "{:?}", first.incidents);
}

#[test]
fn repeats_are_counted_since_the_task_was_begun_and_not_over_all_of_its_trials() {
    let limits = Limits { repeats: 1, ..Limits::default() };
    let mut episode = begun(Config { can_reset: true, ..config(limits) });
    for trial in 0..3 {
        question(step(&mut episode, act(Action::click(MORE)), counter(1, trial * 2 + 2)));
        assert!(matches!(episode.next(Event::Decided(choose(Choice::Reset)), NOW), Command::Reset));
        episode.next(Event::Began { instruction: "count".into() }, NOW);
        question(episode.next(Event::Observed(counter(0, trial * 2 + 3)), NOW));
    }
}
