//! Every way in which providers misbehave is survived, and named in the result; what cannot be survived is a clear error.

use crate::support::{model, reach, request, text};
use harness::model::{Dialect, ModelRequest, ModelServer, Reply, Sequence};
use planner::ModelOptions;
use planner::ask::{Answer, exchange};
use planner::model::ModelError;
use serde_json::json;
use std::time::Duration;

const DIALECTS: [Dialect; 3] = [Dialect::OpenAi, Dialect::Anthropic, Dialect::Gemini];

fn good(_: &ModelRequest) -> Reply {
    Reply::Json(json!({"word": "hello", "times": 1}))
}

/// Asks a server that first misbehaves so, then behaves.
async fn ask(
    dialect: Dialect,
    first: Vec<Reply>,
    change: impl Fn(&mut ModelOptions),
) -> (Result<Answer, ModelError>, ModelServer) {
    let server = ModelServer::start(Sequence::new(first, good)).await.expect("server");
    let mut reach = reach(&server, dialect);
    change(&mut reach.options);
    let reply = exchange(&model(&reach.options), request(text("Say hello"))).await;
    (reply, server)
}

async fn survives(first: Vec<Reply>, named: &str) {
    for dialect in DIALECTS {
        let calls = first.len() as u32 + 1;
        let (reply, server) = ask(dialect, first.clone(), |_| ()).await;
        let reply = reply.unwrap_or_else(|error| panic!("{dialect:?}, {named}: {error}"));
        assert_eq!(reply.json["word"], "hello");
        assert_eq!(reply.usage.calls, calls, "{dialect:?}: failed calls count");
        assert_eq!(reply.incidents.len() as u32, calls - 1, "{:?}", reply.incidents);
        assert!(reply.incidents.iter().all(|incident| incident.contains(named)), "{named}: {:?}", reply.incidents);
        assert_eq!(server.refused(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn throttling_is_waited_out_as_long_as_the_provider_says() {
    survives(vec![Reply::Status { code: 429, retry_after: Some(1) }], "tried again after 1.0 s").await;
    survives(vec![Reply::Status { code: 429, retry_after: None }], "HTTP 429").await;
}

#[tokio::test]
async fn server_errors_are_tried_again() {
    let trouble = |code| Reply::Status { code, retry_after: None };
    survives(vec![trouble(500)], "HTTP 500: scripted trouble").await;
    survives(vec![trouble(503), trouble(503)], "HTTP 503").await;
}

#[tokio::test]
async fn a_broken_body_and_a_lost_connection_are_tried_again() {
    survives(vec![Reply::HalfBody], "cut off or no JSON").await;
    survives(vec![Reply::Drop], "connection lost").await;
}

#[tokio::test]
async fn a_slow_answer_is_given_up_and_tried_again() {
    let slow = Reply::Slow(Duration::from_secs(20), Box::new(Reply::Json(json!({}))));
    let (reply, _server) = ask(Dialect::OpenAi, vec![slow], |options| options.timeout_seconds = 1).await;
    let incidents = reply.expect("a reply").incidents;
    assert!(incidents[0].contains("no answer within 1 s"), "{incidents:?}");
}

#[tokio::test]
async fn truncated_json_and_a_wrong_schema_are_repaired_once_and_both_calls_are_paid() {
    for dialect in DIALECTS {
        let mistakes = [
            (Reply::CutOff(r#"{"word": "hel"#.into()), "cut off at the limit of tokens"),
            (Reply::Text(r#"{"word": "hel"#.into()), "no complete JSON"),
            (Reply::Text("Sure! I will say hello.".into()), "no complete JSON"),
            (Reply::Json(json!({"word": 5, "times": 1})), "/word"),
            (Reply::Text(String::new()), "the reply is empty"),
        ];
        for (mistake, named) in mistakes {
            let (reply, server) = ask(dialect, vec![mistake], |_| ()).await;
            let reply = reply.unwrap_or_else(|error| panic!("{dialect:?}, {named}: {error}"));
            assert!(reply.incidents[0].contains(named), "{named}: {:?}", reply.incidents);
            assert!(reply.incidents[0].contains("asked for a repair"));
            let asked = server.asked();
            assert_eq!((asked.len(), asked[1].is_repair()), (2, true), "{dialect:?}");
            let tokens: u64 = asked.iter().map(ModelRequest::prompt_tokens).sum();
            assert_eq!((reply.usage.calls, reply.usage.prompt_tokens), (2, tokens));
            assert!(
                asked[1].messages[2].text.contains(named.split(" at the").next().expect("a part"))
                    || named.contains("cut off")
            );
        }
    }
}

#[tokio::test]
async fn a_second_invalid_reply_is_unusable_and_there_is_no_third_call() {
    let wrong = Reply::Json(json!({"word": "hello"}));
    let (reply, server) = ask(Dialect::OpenAi, vec![wrong.clone(), wrong], |_| ()).await;
    let Err(ModelError::Unusable { cause, usage, .. }) = reply else { panic!("{reply:?}") };
    assert!(cause.contains("times") && cause.contains("after one repair"), "{cause}");
    assert_eq!((usage.calls, server.asked().len()), (2, 2));
    assert!(usage.cost_usd > 0.0);
}

#[tokio::test]
async fn a_refusal_is_named_and_not_argued_with() {
    for dialect in DIALECTS {
        let (reply, server) = ask(dialect, vec![Reply::Refusal("I cannot help with that".into())], |_| ()).await;
        let Err(ModelError::Unusable { cause, usage, .. }) = reply else { panic!("{dialect:?}: {reply:?}") };
        assert!(cause.contains("the model refused to answer"), "{cause}");
        assert_eq!((usage.calls, server.asked().len()), (1, 1), "{dialect:?}");
    }
}

#[tokio::test]
async fn throttling_beyond_patience_is_its_own_error() {
    let throttle = Reply::Status { code: 429, retry_after: Some(60) };
    let (reply, server) = ask(Dialect::OpenAi, vec![throttle], |options| options.patience_seconds = 5).await;
    let Err(ModelError::Throttled { cause, usage }) = reply else { panic!("{reply:?}") };
    assert!(cause.contains("patience") && cause.contains("429"), "{cause}");
    assert_eq!((usage.calls, server.asked().len()), (1, 1));
}

#[tokio::test]
async fn an_endpoint_that_keeps_failing_is_unavailable_after_the_configured_retries() {
    let broken = vec![Reply::Status { code: 500, retry_after: None }; 10];
    let (reply, server) = ask(Dialect::OpenAi, broken, |options| options.retries = 2).await;
    let Err(ModelError::Unavailable { cause, usage }) = reply else { panic!("{reply:?}") };
    assert!(cause.contains("tried 3 times") && cause.contains("HTTP 500"), "{cause}");
    assert_eq!((usage.calls, server.asked().len()), (3, 3));
}

#[tokio::test]
async fn an_endpoint_that_is_down_is_unavailable_and_the_message_says_what_to_do() {
    let server = ModelServer::start(good).await.expect("server");
    let mut reach = reach(&server, Dialect::OpenAi);
    reach.options.retries = 1;
    let base = server.base_url(Dialect::OpenAi);
    drop(server);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let reply = exchange(&model(&reach.options), request(text("hi"))).await;
    let Err(ModelError::Unavailable { cause, .. }) = reply else { panic!("{reply:?}") };
    assert!(cause.contains(&base) && cause.contains("cannot connect"), "{cause}");
    assert!(cause.contains("check that the endpoint is running") && cause.contains("`base_url`"), "{cause}");
}
