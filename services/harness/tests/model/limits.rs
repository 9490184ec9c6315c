//! Two planner processes share what a model may be asked at most, by a real Redis.

use crate::support::{reach, request, text};
use backends::shared::{RedisOptions, RedisShared};
use backends::testing::{OwnServer, Server, server, unique};
use domain::storage::shared::Quotas;
use harness::model::{Dialect, ModelServer, Reply};
use parking_lot::Mutex;
use planner::LanguageModel;
use planner::model::{ModelError, RemoteModel, SharedLimits};
use serde_json::json;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// How long the model takes to answer.
const THINKS: Duration = Duration::from_millis(150);

fn hello() -> Reply {
    Reply::Json(json!({"word": "hello", "times": null}))
}

/// What a process has: its own connection to Redis, and its own client of the model.
fn process(url: &str, prefix: &str, options: &planner::ModelOptions) -> Arc<RemoteModel> {
    let redis = RedisOptions { url: url.to_owned(), prefix: prefix.to_owned(), ..RedisOptions::default() };
    let quotas: Arc<dyn Quotas> = Arc::new(RedisShared::open(&redis).expect("an address"));
    Arc::new(RemoteModel::new(options.clone()).expect("options are right").counted_by(quotas))
}

#[expect(clippy::disallowed_methods, reason = "when calls come is the subject of the test")]
#[tokio::test(flavor = "multi_thread")]
async fn two_processes_together_make_no_more_calls_at_once_than_the_limit_over_redis() {
    let begun: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let noted = Arc::clone(&begun);
    let script = move |_: &harness::model::ModelRequest| {
        noted.lock().push(Instant::now());
        Reply::Slow(THINKS, Box::new(hello()))
    };
    let endpoint = ModelServer::start(script).await.expect("server");
    let reach = reach(&endpoint, Dialect::OpenAi);
    let mut options = reach.options.clone();
    options.together = SharedLimits { calls: NonZeroU32::new(3), ..SharedLimits::default() };
    let (url, prefix) = (server(Server::Redis), unique("limits:"));
    let processes = [process(&url, &prefix, &options), process(&url, &prefix, &options)];
    let mut calls = JoinSet::new();
    for number in 0..20 {
        let model = Arc::clone(&processes[number % 2]);
        calls.spawn(async move { model.complete(request(text("hi"))).await });
    }
    while let Some(reply) = calls.join_next().await {
        let reply = reply.expect("it lives").expect("a reply");
        assert_eq!((reply.usage.calls, reply.incidents.len()), (1, 0), "waiting is no failure");
    }
    let begun = begun.lock();
    assert_eq!(begun.len(), 20);
    // Whoever began less than the time of an answer before is still being answered.
    let at_once = begun.iter().map(|now| {
        let is_under_way = |other: &&Instant| **other <= *now && now.duration_since(**other) < THINKS;
        begun.iter().filter(is_under_way).count()
    });
    assert_eq!(at_once.max(), Some(3));
}

#[expect(clippy::disallowed_methods, reason = "how many calls there are in a time is the subject of the test")]
#[tokio::test(flavor = "multi_thread")]
async fn two_processes_together_spend_no_more_tokens_and_calls_than_the_limit_of_a_minute_over_redis() {
    let endpoint = ModelServer::start(|_: &harness::model::ModelRequest| hello()).await.expect("server");
    let reach = reach(&endpoint, Dialect::OpenAi);
    let mut options = reach.options.clone();
    (options.max_tokens, options.patience_seconds) = (100, 4);
    let (url, prefix) = (server(Server::Redis), unique("limits:"));
    for together in [
        // Thirty a minute flow, one in two seconds; the other thirty come together when nothing was asked for a minute.
        SharedLimits { requests_per_minute: NonZeroU32::new(60), ..SharedLimits::default() },
        // A hundred flow in a second.
        SharedLimits { tokens_per_minute: NonZeroU32::new(12_000), ..SharedLimits::default() },
    ] {
        options.together = together;
        let processes = [process(&url, &prefix, &options), process(&url, &prefix, &options)];
        let (before, began) = (endpoint.asked().len(), Instant::now());
        let mut calls = JoinSet::new();
        for number in 0..40 {
            let model = Arc::clone(&processes[number % 2]);
            calls.spawn(async move { model.complete(request(text("hi"))).await });
        }
        let (mut tokens, mut refused) = (0, 0);
        while let Some(reply) = calls.join_next().await {
            match reply.expect("it lives") {
                Ok(reply) => tokens += reply.usage.prompt_tokens + reply.usage.completion_tokens,
                Err(ModelError::Throttled { cause, usage }) => {
                    assert!(cause.contains("`patience_seconds`") && usage.calls == 0, "{cause} {usage:?}");
                    refused += 1;
                }
                Err(error) => panic!("{error:?}"),
            }
        }
        let (made, seconds) = (endpoint.asked().len() - before, began.elapsed().as_secs_f64());
        assert_eq!(made + refused, 40);
        assert!(made >= 1 && refused >= 1, "{made} calls with {together:?}");
        let most = match together.tokens_per_minute {
            Some(_) => tokens as f64 <= 100.0 * seconds,
            None => made as f64 <= 0.5 * seconds,
        };
        assert!(most, "{made} calls and {tokens} tokens in {seconds} s with {together:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_call_is_made_while_the_limits_cannot_be_asked() {
    let endpoint = ModelServer::start(|_: &harness::model::ModelRequest| hello()).await.expect("server");
    let reach = reach(&endpoint, Dialect::OpenAi);
    let mut options = reach.options.clone();
    options.together = SharedLimits { calls: NonZeroU32::new(3), ..SharedLimits::default() };
    options.patience_seconds = 1;
    let redis = tokio::task::spawn_blocking(|| OwnServer::start(Server::Redis)).await.expect("Redis starts");
    let model = process(&redis.address(), "limits:", &options);
    redis.kill();
    let error = model.complete(request(text("hi"))).await.expect_err("it is refused");
    assert!(error.to_string().contains("3 at once (`calls`)"), "{error}");
    assert_eq!(endpoint.asked().len(), 0);
}
