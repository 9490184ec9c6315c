//! What is read from the page after the end.

use super::fakes::{CounterPage, counter};
use crate::drive::Finished;
use crate::evidence::gather;
use domain::action::Claim;
use domain::page::PageError;
use domain::task::{Check, PageStateCheck, TextMatch};
use domain::{Ending, EpisodeId, Fence, JobId, SiteId, TaskId, Trajectory, Usage};
use serde_json::json;
use uuid::Uuid;

fn finished(ending: Ending) -> Finished {
    Finished {
        trajectory: Trajectory {
            episode: EpisodeId(Uuid::nil()),
            job: JobId::new("job"),
            fence: Fence(1),
            task: TaskId::new("count"),
            site: SiteId::new("counter.test"),
            instruction: String::new(),
            planner: String::new(),
            steps: Vec::new(),
            ending,
            screenshot: None,
            usage: Usage::default(),
            wall_ms: 0.0,
        },
        observation: Some(counter(0, 1).into()),
        answer: None,
        requests: Vec::new(),
        faults: Vec::new(),
        reward: None,
        incidents: Vec::new(),
        heals: Vec::new(),
        failure: None,
    }
}

fn done() -> Finished {
    finished(Ending::Stopped { claim: Claim::Done, answer: None })
}

fn state(expression: &str) -> Check {
    Check::PageState(PageStateCheck { expression: expression.into(), equals: json!(1) })
}

#[tokio::test]
async fn only_what_the_check_needs_is_read() {
    let mut page = CounterPage { count: 1, ..CounterPage::default() };
    let facts = gather(&mut page, &done(), Some(&Check::Any(vec![state("count"), state("count")]))).await.unwrap();
    assert_eq!(*page.calls.lock().unwrap(), ["evaluate"], "no observation, and each expression once");
    assert_eq!(facts.page_states["count"], Ok(json!(1)));

    let mut page = CounterPage::default();
    gather(&mut page, &done(), None).await.unwrap();
    assert!(page.calls.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_page_that_moved_on_after_the_last_decision_is_judged_as_it_is_now() {
    let mut page = CounterPage { count: 5, ..CounterPage::default() };
    let check = Check::Text(TextMatch::Contains("count 5".into()));
    let facts = gather(&mut page, &done(), Some(&check)).await.unwrap();
    assert_eq!(facts.text.as_deref(), Some("More Stuck count 5"));
    assert_eq!(facts.observation.unwrap().nodes[2].text, "count 5");
}

#[tokio::test]
async fn an_expression_that_throws_is_a_fact_that_cannot_be_had_and_a_lost_session_is_a_failure() {
    let mut page = CounterPage::default();
    let facts = gather(&mut page, &done(), Some(&state("broken"))).await.unwrap();
    assert!(facts.page_states["broken"].as_ref().unwrap_err().contains("not defined"));

    page.failures.push_back(("evaluate", PageError::SessionLost("gone".into())));
    assert!(gather(&mut page, &done(), Some(&state("count"))).await.is_err());
}

#[tokio::test]
async fn a_page_that_is_gone_is_not_asked() {
    let mut page = CounterPage::default();
    let lost = finished(Ending::BrowserFailed { cause: "gone".into() });
    let facts = gather(&mut page, &lost, Some(&state("count"))).await.unwrap();
    assert!(facts.page_states.is_empty() && page.calls.lock().unwrap().is_empty());
}
