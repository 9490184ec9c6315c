//! The driver's contract: seeds, instructions, time limits, and what counts as success.

use crate::rig::{Rig, folder, instance};
use async_trait::async_trait;
use benchmarks::miniwob::suites;
use domain::action::Action;
use domain::decision::{Choice, Decider, Decision, DecisionRequest, Level, PlannerError};
use domain::environment::{Environment, EnvironmentError};
use domain::job::BenchmarkTask;
use domain::verdict::VerdictKind;
use domain::{Page, Usage};
use serde_json::{Value, json};

/// Clicks the first button whose name is not that one, then says that it is done.
struct ClicksAnyButtonBut(&'static str);

#[async_trait]
impl Decider for ClicksAnyButtonBut {
    fn name(&self) -> &str {
        "contrary"
    }

    async fn decide(&mut self, _: &mut dyn Page, request: DecisionRequest) -> Result<Decision, PlannerError> {
        let mut buttons = request.observation.interactive().filter(|(_, node)| node.role == "button");
        let wrong = buttons.find(|(_, node)| node.name != self.0).filter(|_| request.history.is_empty());
        let action = wrong.map_or_else(Action::done, |(element, _)| Action::click(element));
        Ok(Decision {
            choice: Choice::Act(action),
            reason: String::new(),
            confidence: 1.0,
            level: Level::Random,
            usage: Usage::default(),
            incidents: Vec::new(),
            memory: Value::Null,
        })
    }
}

async fn instruction(rig: &Rig, task: &BenchmarkTask) -> String {
    let mut page = rig.profile().await;
    rig.environment(task).begin(&mut page).await.expect("begin")
}

#[tokio::test]
async fn the_same_seed_gives_the_same_instance_and_other_seeds_give_others() {
    let rig = Rig::start().await;
    for task in ["login-user", "flight.AA", "email-inbox-forward-nl-turk"] {
        let first = instruction(&rig, &instance(task, 3)).await;
        assert_eq!(instruction(&rig, &instance(task, 3)).await, first);
        assert_ne!(instruction(&rig, &instance(task, 4)).await, first);
    }
    rig.stop().await;
}

#[tokio::test]
async fn an_instance_can_begin_again_on_the_same_page() {
    let rig = Rig::start().await;
    let mut page = rig.profile().await;
    let environment = rig.environment(&instance("click-link", 2));
    let first = environment.begin(&mut page).await.unwrap();
    assert_eq!(environment.begin(&mut page).await.unwrap(), first);
    rig.stop().await;
}

#[tokio::test]
async fn a_flight_task_is_told_in_words() {
    let rig = Rig::start().await;
    let text = instruction(&rig, &instance("flight.Alaska-auto", 3)).await;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "Fill in the form with these values and submit it:");
    assert!(lines.contains(&"Departure City: Miami"), "{text}");
    assert!(!text.contains('{'), "{text}");
    rig.stop().await;
}

#[tokio::test]
async fn a_wrong_click_ends_the_episode_and_is_no_success_whatever_the_actor_claims() {
    let rig = Rig::start().await;
    let ended = rig.attempt(&instance("click-test-2", 0), &mut ClicksAnyButtonBut("ONE")).await;
    assert_eq!(ended.reward, Some(-1.0), "{}", ended.line());
    assert_eq!(ended.verdict.kind, VerdictKind::NotAchieved);
    assert!(ended.verdict.evidence.iter().any(|found| found.observed.contains("raw reward -1")), "{:?}", ended.verdict);
    rig.stop().await;
}

#[tokio::test]
async fn a_partial_reward_is_no_success() {
    // One of six boxes is wanted and none is ticked: the page gives two thirds of the reward.
    let rig = Rig::start().await;
    let ended = rig.attempt(&instance("click-checkboxes", 13), &mut ClicksAnyButtonBut("")).await;
    assert!(ended.was_ended_by_the_page(), "{}", ended.line());
    assert!(ended.reward.is_some_and(|reward| 0.6 < reward && reward < 0.7), "{}", ended.line());
    assert_eq!(ended.verdict.kind, VerdictKind::NotAchieved);
    rig.stop().await;
}

#[tokio::test]
async fn a_claim_before_the_episode_is_over_is_no_success() {
    let rig = Rig::start().await;
    let ended = rig.attempt(&instance("click-test", 0), &mut ClicksAnyButtonBut("Click Me!")).await;
    assert_eq!(ended.verdict.kind, VerdictKind::NotAchieved, "{}", ended.line());
    assert!(ended.verdict.evidence.iter().any(|found| found.observed.contains("not over")), "{:?}", ended.verdict);
    rig.stop().await;
}

#[tokio::test]
async fn the_time_limit_is_the_pages_own_unless_relaxed() {
    let rig = Rig::start().await;
    for (relaxed, limit) in [(false, 10_000), (true, 3_600_000)] {
        let task = BenchmarkTask { relaxed, ..instance("click-test", 0) };
        let mut page = rig.profile().await;
        rig.environment(&task).begin(&mut page).await.unwrap();
        assert_eq!(page.evaluate("core.EPISODE_MAX_TIME").await.unwrap(), json!(limit));
        assert!(!rig.environment(&task).is_over(&mut page).await.unwrap());
    }
    rig.stop().await;
}

#[tokio::test]
async fn an_episode_that_runs_out_of_time_is_over_with_a_reward_of_minus_one() {
    let rig = Rig::start().await;
    let task = instance("click-test", 0);
    let mut page = rig.profile().await;
    let environment = rig.environment(&task);
    environment.begin(&mut page).await.unwrap();
    page.evaluate("new Promise((wake) => setTimeout(wake, 10100))").await.unwrap();
    assert!(environment.is_over(&mut page).await.unwrap());
    assert_eq!(environment.reward(&mut page).await.unwrap(), Some(-1.0));
    rig.stop().await;
}

#[tokio::test]
async fn every_task_of_the_package_begins_and_says_what_is_to_be_done() {
    let rig = Rig::start().await;
    let tasks = suites::tasks("all", &folder()).unwrap();
    let mut page = rig.profile().await;
    let mut wrong = Vec::new();
    for task in &tasks {
        match rig.environment(&instance(task.as_str(), 1)).begin(&mut page).await {
            Ok(instruction) if !instruction.is_empty() && !instruction.contains("[object") => {}
            other => wrong.push(format!("{task}: {other:?}")),
        }
    }
    rig.stop().await;
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), tasks.len(), wrong.join("\n"));
}

#[tokio::test]
async fn a_task_without_a_page_cannot_begin_and_says_so() {
    let rig = Rig::start().await;
    let mut page = rig.profile().await;
    let error = rig.environment(&instance("no-such-task", 0)).begin(&mut page).await.unwrap_err();
    assert!(matches!(error, EnvironmentError::NotReady(_)), "{error:?}");
    assert!(error.to_string().contains("no MiniWoB++ page"), "{error}");
    rig.stop().await;
}
