//! How ordinary tasks begin.

use super::fakes::CounterPage;
use crate::task_environment::{TaskEnvironment, fill};
use domain::environment::{Environment, EnvironmentError};
use domain::scope::Scope;
use domain::secret::SecretRef;
use domain::task::{Parameter, ResetHook, Site};
use domain::{Task, TaskId};
use std::collections::BTreeMap;

fn task() -> Task {
    Task {
        id: TaskId::new("log-in"),
        site: None,
        start_url: "http://counter.test/start".into(),
        instruction: "log in as {user} with {password}".into(),
        parameters: parameters(),
        check: None,
        gold: None,
        limits: Default::default(),
        downloads: false,
        may_hold_at_start: false,
    }
}

fn parameters() -> BTreeMap<String, Parameter> {
    BTreeMap::from([
        ("user".into(), Parameter::Text("{password}".into())),
        ("password".into(), Parameter::secret(SecretRef::Env("SHOP_PASSWORD".into()))),
    ])
}

fn with_reset(hook: ResetHook) -> TaskEnvironment {
    TaskEnvironment::new(task(), &Site { reset: Some(hook), ..Site::default() })
}

fn command(words: &[&str]) -> ResetHook {
    ResetHook::Command(words.iter().map(|word| (*word).to_owned()).collect())
}

#[test]
fn parameters_are_filled_in_once_and_secrets_only_by_reference() {
    assert_eq!(fill("as {user}, {password}.", &parameters()), "as {password}, ${secret:password}.");
}

#[test]
fn braces_that_name_no_parameter_are_text() {
    assert_eq!(fill("a {b} {user {user}", &parameters()), "a {b} {user {password}");
    assert_eq!(fill("open { and é} {", &parameters()), "open { and é} {");
}

#[tokio::test]
async fn the_start_url_is_opened_after_the_reset() {
    let directory = tempfile::tempdir().unwrap();
    let mark = directory.path().join("reset");
    let mut page = CounterPage::default();
    let environment = with_reset(command(&["touch", mark.to_str().unwrap()]));
    environment.prepare().await.unwrap();
    assert!(mark.exists() && page.calls.lock().unwrap().is_empty());
    let instruction = environment.begin(&mut page).await.unwrap();
    assert_eq!(*page.calls.lock().unwrap(), ["open http://counter.test/start"]);
    assert_eq!(instruction, "log in as {password} with ${secret:password}");
    assert!(!environment.is_over(&mut page).await.unwrap());
    assert_eq!(environment.reward(&mut page).await.unwrap(), None);
}

#[tokio::test]
async fn a_reset_that_fails_says_what_its_program_said() {
    let hook = command(&["sh", "-c", "echo no such database >&2; exit 3"]);
    let error = with_reset(hook).prepare().await.unwrap_err();
    let EnvironmentError::Reset(cause) = &error else { panic!("{error}") };
    assert!(cause.contains("no such database") && cause.contains('3'), "{cause}");
}

#[tokio::test]
async fn a_reset_command_is_started_without_a_shell() {
    let directory = tempfile::tempdir().unwrap();
    let mark = directory.path().join("injected");
    let hook = command(&["echo", &format!("; touch {}", mark.display())]);
    with_reset(hook).prepare().await.unwrap();
    assert!(!mark.exists());
}

#[tokio::test]
async fn a_program_that_is_not_there_and_a_server_that_does_not_answer_are_named() {
    let error = with_reset(command(&["no-such-program"])).prepare().await.unwrap_err();
    assert!(error.to_string().contains("no-such-program"), "{error}");
    let scope = Scope { hosts: vec!["127.0.0.1:9".to_owned()] };
    let reset = Some(ResetHook::Post("http://127.0.0.1:9/reset".into()));
    let closed = TaskEnvironment::new(task(), &Site { reset, scope, ..Site::default() });
    let error = closed.prepare().await.unwrap_err();
    assert!(error.to_string().contains("http://127.0.0.1:9/reset"), "{error}");
    assert!(!error.to_string().contains("scope"), "{error}");
}

#[tokio::test]
async fn a_reset_asks_no_address_outside_the_scope_and_follows_no_redirect() {
    let outside = wiremock::MockServer::start().await;
    let inside = wiremock::MockServer::start().await;
    let away = wiremock::ResponseTemplate::new(307).insert_header("location", outside.uri());
    wiremock::Mock::given(wiremock::matchers::any()).respond_with(away).mount(&inside).await;
    let error = with_reset(ResetHook::Post(outside.uri())).prepare().await.unwrap_err();
    assert!(error.to_string().contains("outside the scope"), "{error}");
    let scope = Scope { hosts: vec![inside.address().to_string()] };
    let reset = Some(ResetHook::Post(inside.uri()));
    let error = TaskEnvironment::new(task(), &Site { reset, scope, ..Site::default() }).prepare().await.unwrap_err();
    assert!(error.to_string().contains("307"), "{error}");
    assert!(outside.received_requests().await.unwrap().is_empty());
}
