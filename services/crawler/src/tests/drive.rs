//! The shell: what is called on the page, and what is left in the end.

use super::fakes::{Calls, CountTo, CounterPage, HeldClock, MORE, PausedClock, STUCK, Silent, Told, act, choose};
use crate::drive::{Attempt, Finished, Screenshots, run};
use crate::recorder::NoRecorder;
use async_trait::async_trait;
use domain::action::Claim;
use domain::campaign::{Failure, Ticket};
use domain::decision::{Choice, PlannerError};
use domain::environment::{Environment, EnvironmentError};
use domain::page::{Page, PageError};
use domain::task::{Check, Limits, TextMatch};
use domain::verdict::Finding;
use domain::{Action, CampaignId, Decider, Ending, EpisodeId, Fence, JobId, SiteId, TaskId, Usage};
use platform::clock::Clock;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

struct Setting {
    page: CounterPage,
    environment: CountTo,
    clock: HeldClock,
    screenshots: Screenshots,
    check: Option<Check>,
    limits: Limits,
    interrupt: CancellationToken,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            page: CounterPage::default(),
            environment: CountTo::default(),
            clock: HeldClock::default(),
            screenshots: Screenshots::None,
            check: None,
            limits: Limits::default(),
            interrupt: CancellationToken::new(),
        }
    }
}

impl Setting {
    async fn run(&mut self, decider: &mut dyn Decider) -> Finished {
        let environment = self.environment.clone();
        self.run_in(&environment, decider).await
    }

    async fn run_in(&mut self, environment: &dyn Environment, decider: &mut dyn Decider) -> Finished {
        let clock = std::mem::take(&mut self.clock);
        self.run_with(environment, &clock, decider).await
    }

    async fn run_by(&mut self, clock: &dyn Clock, decider: &mut dyn Decider) -> Finished {
        let environment = self.environment.clone();
        self.run_with(&environment, clock, decider).await
    }

    async fn run_with(
        &mut self,
        environment: &dyn Environment,
        clock: &dyn Clock,
        decider: &mut dyn Decider,
    ) -> Finished {
        run(Attempt {
            ticket: Ticket { campaign: CampaignId::new("run"), job: JobId::new("job"), fence: Fence(3) },
            episode: EpisodeId(Uuid::nil()),
            site: SiteId::new("counter.test"),
            task: TaskId::new("count"),
            decider,
            page: &mut self.page,
            environment,
            check: self.check.as_ref(),
            explores: false,
            limits: self.limits,
            recorder: &NoRecorder,
            clock,
            screenshots: self.screenshots,
            seed: 1,
            context: Default::default(),
            interrupt: self.interrupt.clone(),
        })
        .await
        .expect("nothing is recorded")
    }
}

fn calls(calls: &Calls) -> Vec<String> {
    calls.lock().unwrap().clone()
}

#[tokio::test]
async fn an_attempt_observes_once_and_then_only_acts() {
    let mut setting = Setting::default();
    let mut left = 2;
    let mut decider = Told(|_: &_| {
        left -= 1;
        Ok(act(if left >= 0 { Action::click(MORE) } else { Action::done() }))
    });
    let finished = setting.run(&mut decider).await;
    assert_eq!(calls(&setting.page.calls), ["open http://counter.test/", "observe", "act", "act"]);
    let trajectory = &finished.trajectory;
    assert_eq!(trajectory.ending, Ending::Stopped { claim: Claim::Done, answer: None });
    assert_eq!(
        (trajectory.steps.len(), trajectory.instruction.as_str(), trajectory.planner.as_str()),
        (2, "count", "told")
    );
    assert_eq!((trajectory.fence, trajectory.usage.prompt_tokens), (Fence(3), 30));
    assert_eq!(finished.requests.len(), 3, "the requests of every observation are kept");
    assert_eq!(finished.observation.map(|last| last.stamp.number), Some(3));
}

#[tokio::test]
async fn where_a_check_asks_for_the_page_it_is_looked_at_before_the_first_action() {
    let check = Check::Text(TextMatch::Contains("count 0".into()));
    let mut setting = Setting { check: Some(check.clone()), ..Setting::default() };
    let mut left = 1;
    let mut decider = Told(|_: &_| {
        left -= 1;
        Ok(act(if left >= 0 { Action::click(MORE) } else { Action::done() }))
    });
    let finished = setting.run(&mut decider).await;
    assert_eq!(calls(&setting.page.calls), ["open http://counter.test/", "observe", "examine", "observe", "act"]);
    let start = finished.start.expect("the start was looked at");
    assert_eq!(evaluation::checks::finding(&check, &start), Finding::Confirmed);
    assert!(
        start.requests.is_empty() && !finished.requests.is_empty(),
        "what was requested until then is told with the attempt"
    );

    let answer = Check::Answer(TextMatch::Contains("7".into()));
    let mut setting = Setting { check: Some(answer), ..Setting::default() };
    let finished = setting.run(&mut Told(|_: &_| Ok(act(Action::done())))).await;
    assert!(finished.start.is_none() && !calls(&setting.page.calls).contains(&"examine".to_owned()));
}

#[tokio::test]
async fn a_browser_that_fails_in_the_look_before_the_first_action_ends_the_attempt() {
    let check = Check::Text(TextMatch::Contains("count 0".into()));
    let mut setting = Setting { check: Some(check), ..Setting::default() };
    setting.page.failures.push_back(("examine", PageError::SessionLost("tab crashed".into())));
    let finished = setting.run(&mut Told(|_: &_| Ok(act(Action::done())))).await;
    assert!(matches!(&finished.trajectory.ending, Ending::BrowserFailed { .. }), "{:?}", finished.trajectory.ending);
    assert_eq!(finished.failure, Some(Failure::SessionLost));
}

#[tokio::test]
async fn no_action_follows_the_environments_own_end_and_the_reward_is_read() {
    let mut setting = Setting { environment: CountTo { over_at: Some(2), ..CountTo::default() }, ..Setting::default() };
    let finished = setting.run(&mut Told(|_: &_| Ok(act(Action::click(MORE))))).await;
    assert_eq!(finished.trajectory.ending, Ending::EnvironmentOver);
    assert_eq!((setting.page.count, finished.trajectory.steps.len(), finished.reward), (2, 2, Some(2.0)));
}

#[tokio::test]
async fn a_lost_session_ends_the_attempt_in_a_way_that_may_be_retried() {
    let mut setting = Setting::default();
    setting.page.failures.push_back(("act", PageError::SessionLost("tab crashed".into())));
    let finished = setting.run(&mut Told(|_: &_| Ok(act(Action::click(MORE))))).await;
    assert!(matches!(&finished.trajectory.ending, Ending::BrowserFailed { cause } if cause.contains("tab crashed")));
    assert_eq!(finished.failure, Some(Failure::SessionLost));
    assert!(finished.trajectory.steps.is_empty(), "what was not carried out is no step");
}

#[tokio::test]
async fn a_browser_that_fails_only_when_the_reward_is_read_has_failed_all_the_same() {
    let mut setting = Setting { environment: CountTo { over_at: Some(9), ..CountTo::default() }, ..Setting::default() };
    setting.page.failures.push_back(("evaluate", PageError::SessionLost("gone".into())));
    let finished = setting.run(&mut Told(|_: &_| Ok(act(Action::done())))).await;
    assert!(matches!(finished.trajectory.ending, Ending::BrowserFailed { .. }));
    assert_eq!(finished.failure, Some(Failure::SessionLost));
}

#[tokio::test]
async fn an_unreachable_site_is_named_and_not_retried() {
    let mut setting = Setting::default();
    let refused =
        PageError::Unreachable { url: "http://counter.test/".into(), cause: "net::ERR_CONNECTION_REFUSED".into() };
    setting.page.failures.push_back(("open", refused));
    let finished = setting.run(&mut Silent).await;
    assert!(matches!(&finished.trajectory.ending, Ending::SiteUnreachable { cause } if cause.contains("REFUSED")));
    assert!(finished.failure.is_none() && finished.observation.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_decider_that_never_answers_is_stopped_by_the_limit_of_time() {
    let mut setting = Setting { limits: Limits { seconds: 5, ..Limits::default() }, ..Setting::default() };
    let finished = setting.run(&mut Silent).await;
    assert_eq!(finished.trajectory.ending, Ending::TimeLimit { seconds: 5 });
}

#[tokio::test]
async fn an_interrupt_ends_the_attempt_while_it_waits_for_a_decision() {
    let mut setting = Setting::default();
    let interrupt = setting.interrupt.clone();
    let mut silent = Silent;
    let (finished, ()) = tokio::join!(setting.run(&mut silent), async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        interrupt.cancel();
    });
    assert_eq!(finished.trajectory.ending, Ending::Interrupted);
}

#[tokio::test]
async fn pictures_of_every_step_show_the_page_before_its_action_and_the_last_one_the_end() {
    let mut setting = Setting { screenshots: Screenshots::All, ..Setting::default() };
    let mut left = 2;
    let mut decider = Told(|_: &_| {
        left -= 1;
        Ok(act(if left >= 0 { Action::click(MORE) } else { Action::done() }))
    });
    let finished = setting.run(&mut decider).await;
    let of = |count: u32| Some(backends::blob::reference(format!("picture of {count}").as_bytes()));
    let pictures: Vec<_> = finished.trajectory.steps.iter().map(|step| step.screenshot.clone()).collect();
    assert_eq!(pictures, [of(0), of(1)]);
    assert_eq!(finished.trajectory.screenshot, of(2));
}

#[tokio::test]
async fn a_picture_that_the_planner_asked_for_is_not_taken_twice() {
    let mut setting = Setting { screenshots: Screenshots::All, ..Setting::default() };
    let mut decider = Told(|request: &domain::DecisionRequest| {
        Ok(match (&request.screenshot, request.history.len()) {
            (_, 1) => act(Action::done()),
            (None, _) => choose(Choice::NeedScreenshot),
            (Some(_), _) => act(Action::click(STUCK)),
        })
    });
    let finished = setting.run(&mut decider).await;
    let taken = calls(&setting.page.calls).iter().filter(|call| *call == "screenshot").count();
    assert_eq!((taken, finished.trajectory.steps.len()), (2, 1), "one before the step, one of the end");
    assert!(finished.trajectory.steps[0].screenshot.is_some());
}

/// A planner that does not answer so often, and then clicks until the environment is over.
fn away_for(mut tries: u32) -> impl FnMut(&domain::DecisionRequest) -> Result<domain::Decision, PlannerError> + Send {
    move |_| match tries.checked_sub(1) {
        Some(left) => {
            tries = left;
            Err(PlannerError::Away { cause: "decide: connection refused".into(), usage: Usage::default() })
        }
        None => Ok(act(Action::click(MORE))),
    }
}

#[tokio::test(start_paused = true)]
async fn a_planner_that_is_away_for_a_while_costs_no_attempt() {
    let clock = PausedClock::default();
    let mut setting = Setting { environment: CountTo { over_at: Some(2), ..CountTo::default() }, ..Setting::default() };
    let finished = setting.run_by(&clock, &mut Told(away_for(7))).await;
    assert_eq!((finished.trajectory.ending, finished.failure), (Ending::EnvironmentOver, None));
    assert!(clock.monotonic() > Duration::from_secs(15), "it was away for {:?}", clock.monotonic());
    assert!(finished.incidents.iter().any(|incident| incident.contains("did not answer")), "{:?}", finished.incidents);
}

#[tokio::test(start_paused = true)]
async fn a_planner_that_is_away_for_all_of_the_time_loses_the_attempt_at_its_limit() {
    let clock = PausedClock::default();
    let mut setting = Setting { limits: Limits { seconds: 60, ..Limits::default() }, ..Setting::default() };
    let finished = setting.run_by(&clock, &mut Told(away_for(u32::MAX))).await;
    assert_eq!(finished.failure, Some(Failure::PlannerAway));
    assert!((55..=60).contains(&clock.monotonic().as_secs()), "{:?}", clock.monotonic());
}

#[tokio::test]
async fn a_reset_begins_the_task_again_and_the_first_look_stays_that_of_the_attempt() {
    let check = Check::Text(TextMatch::Contains("count 0".into()));
    let environment = CountTo { over_at: None, can_reset: true };
    let mut setting = Setting { environment, check: Some(check), ..Setting::default() };
    let mut is_reset = false;
    let mut decider = Told(move |request: &domain::DecisionRequest| {
        Ok(match request.history.len() {
            1 if !std::mem::replace(&mut is_reset, true) => choose(Choice::Reset),
            2 => act(Action::done()),
            _ => act(Action::click(MORE)),
        })
    });
    let finished = setting.run(&mut decider).await;
    let opened = "open http://counter.test/";
    let expected = [opened, "observe", "examine", "observe", "act", opened, "observe", "act"];
    assert_eq!(calls(&setting.page.calls), expected);
    assert!(finished.start.is_some() && finished.trajectory.steps[1].begins_again());
}

/// A site that keeps its visitors waiting.
struct Waiting;

#[async_trait]
impl Environment for Waiting {
    async fn prepare(&self) -> Result<(), EnvironmentError> {
        tokio::time::sleep(Duration::from_secs(60)).await;
        Ok(())
    }

    async fn begin(&self, _page: &mut dyn Page) -> Result<String, EnvironmentError> {
        std::future::pending().await
    }

    async fn is_over(&self, _page: &mut dyn Page) -> Result<bool, PageError> {
        Ok(false)
    }

    async fn reward(&self, _page: &mut dyn Page) -> Result<Option<f64>, PageError> {
        Ok(None)
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_that_never_opens_ends_the_attempt_at_its_limit_and_readying_the_site_is_not_counted() {
    let mut setting = Setting { limits: Limits { seconds: 20, ..Limits::default() }, ..Setting::default() };
    #[expect(clippy::disallowed_methods, reason = "the runtime's own clock, which is paused")]
    let began = tokio::time::Instant::now();
    let finished = setting.run_in(&Waiting, &mut Told(|_: &_| Ok(act(Action::done())))).await;
    assert!(matches!(&finished.trajectory.ending, Ending::SiteUnreachable { cause } if cause.contains("20 s")));
    assert_eq!((began.elapsed(), finished.failure), (Duration::from_secs(80), None));
    assert!(calls(&setting.page.calls).is_empty(), "nothing is asked of a page that did not open");
}
