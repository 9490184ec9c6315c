//! Each dialect passes the strict check with system text, schema and picture, and each mistake is refused by name.

use crate::support::{model, png, reach, request, text};
use harness::model::{Dialect, ModelServer, Reply};
use planner::LanguageModel;
use planner::ask::exchange;
use planner::model::{ModelError, Part};
use serde_json::{Value, json};

const DIALECTS: [Dialect; 3] = [Dialect::OpenAi, Dialect::Anthropic, Dialect::Gemini];

fn hello(_: &harness::model::ModelRequest) -> Reply {
    Reply::Json(json!({"word": "hello", "times": null}))
}

#[tokio::test]
async fn every_dialect_carries_system_text_schema_picture_and_job() {
    for dialect in DIALECTS {
        let server = ModelServer::start(hello).await.expect("server");
        let reach = reach(&server, dialect);
        let parts = vec![Part::Text("Say hello".into()), Part::Png(png(160, 210))];
        let asked = request(parts);
        let reply = exchange(&model(&reach.options), asked.clone()).await.expect("a reply");
        assert_eq!(reply.json, json!({"word": "hello", "times": null}), "{dialect:?}");
        assert!(reply.incidents.is_empty(), "{dialect:?}: {:?}", reply.incidents);
        assert_eq!(server.refused(), Vec::<String>::new(), "{dialect:?}");
        let seen = &server.asked()[0];
        assert_eq!(
            (seen.dialect, seen.model.as_str(), seen.system.as_str()),
            (dialect, "scripted-1", "You answer tests.")
        );
        assert_eq!((seen.prompt(), seen.job.as_deref()), ("Say hello", Some("suite/task/1")));
        assert_eq!(seen.messages[0].pictures, [(160, 210)]);
        assert_eq!(seen.schema, asked.schema.schema, "{dialect:?}: the schema arrives as it was given");
        assert_eq!((seen.temperature, seen.max_tokens), (Some(0.0), 1024));
        assert_eq!(seen.seed, (dialect != Dialect::Anthropic).then_some(7));
        let usage = reply.usage;
        assert_eq!((usage.prompt_tokens, usage.calls), (seen.prompt_tokens(), 1), "{dialect:?}");
        let cost = usage.prompt_tokens as f64 + 2.0 * usage.completion_tokens as f64;
        assert!(usage.completion_tokens > 0 && (usage.cost_usd - cost).abs() < 1e-9, "{usage:?}");
    }
}

#[tokio::test]
async fn a_wrong_key_is_an_error_that_says_what_to_check_and_never_shows_the_key() {
    for dialect in DIALECTS {
        let server = ModelServer::start(hello).await.expect("server");
        let mut options = reach(&server, dialect).options;
        options.api_key = None;
        let error = model(&options).complete(request(text("hi"))).await.expect_err("the key is wrong");
        let ModelError::Unavailable { cause, usage } = &error else { panic!("{error:?}") };
        assert!(cause.contains("401") && cause.contains("`api_key`"), "{cause}");
        assert!(cause.contains(&server.base_url(dialect)) && !cause.contains(ModelServer::KEY), "{cause}");
        assert_eq!(usage.calls, 1, "a wrong key is not tried again");
    }
}

#[tokio::test]
async fn seed_temperature_and_job_are_left_out_where_the_options_say_so() {
    let server = ModelServer::start(hello).await.expect("server");
    let reach = reach(&server, Dialect::OpenAi);
    let mut options = reach.options.clone();
    (options.send_seed, options.send_temperature, options.job_header) = (false, false, false);
    model(&options).complete(request(text("hi"))).await.expect("a reply");
    let seen = &server.asked()[0];
    assert_eq!((seen.seed, seen.temperature, seen.job.as_deref()), (None, None, None));
}

#[tokio::test]
async fn the_key_of_a_model_follows_no_redirect() {
    for status in [301, 302, 307, 308] {
        let elsewhere = wiremock::MockServer::start().await;
        let endpoint = wiremock::MockServer::start().await;
        let away = wiremock::ResponseTemplate::new(status).insert_header("location", elsewhere.uri());
        wiremock::Mock::given(wiremock::matchers::any()).respond_with(away).mount(&endpoint).await;
        let server = ModelServer::start(hello).await.expect("server");
        let reach = reach(&server, Dialect::OpenAi);
        let mut options = reach.options.clone();
        options.base_url = Some(endpoint.uri());
        let error = model(&options).complete(request(text("hi"))).await.expect_err("it redirects");
        let ModelError::Unavailable { cause, .. } = &error else { panic!("{error:?}") };
        assert!(cause.contains(&status.to_string()) && cause.contains("no redirect"), "{cause}");
        assert!(elsewhere.received_requests().await.expect("it records").is_empty());
    }
}

/// A good request of each dialect, as the providers document it.
fn documented(dialect: Dialect) -> Value {
    let schema = json!({"title": "t", "type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false});
    match dialect {
        Dialect::OpenAi => json!({
            "model": "m", "max_tokens": 10, "temperature": 0,
            "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
            "response_format": {"type": "json_schema", "json_schema": {"name": "n", "strict": true, "schema": schema}},
        }),
        Dialect::Anthropic => json!({
            "model": "m", "max_tokens": 10, "system": "s", "messages": [{"role": "user", "content": "u"}],
            "output_config": {"format": {"type": "json_schema", "schema": schema}},
        }),
        Dialect::Gemini => json!({
            "systemInstruction": {"parts": [{"text": "s"}]}, "contents": [{"role": "user", "parts": [{"text": "u"}]}],
            "generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": schema, "maxOutputTokens": 10},
        }),
    }
}

async fn post(server: &ModelServer, dialect: Dialect, body: &Value) -> (u16, String) {
    let base = server.base_url(dialect);
    let client = reqwest::Client::new();
    let call = match dialect {
        Dialect::OpenAi => client.post(format!("{base}/chat/completions")).bearer_auth(ModelServer::KEY),
        Dialect::Anthropic => client
            .post(format!("{base}/messages"))
            .header("x-api-key", ModelServer::KEY)
            .header("anthropic-version", "2023-06-01"),
        Dialect::Gemini => {
            client.post(format!("{base}/models/m:generateContent")).header("x-goog-api-key", ModelServer::KEY)
        }
    };
    let response = call.json(body).send().await.expect("an answer");
    (response.status().as_u16(), response.text().await.expect("a body"))
}

#[tokio::test]
async fn the_server_accepts_what_is_documented_and_names_every_mistake() {
    type Spoil = fn(&mut Value);
    let mistakes: [(Dialect, Spoil, &str); 13] = [
        (Dialect::OpenAi, |b| b["temprature"] = json!(0), "unknown field `temprature`"),
        (Dialect::OpenAi, |b| b["temperature"] = json!(3), "not between 0 and 2"),
        (Dialect::OpenAi, |b| b["messages"][1]["role"] = json!("tool"), "`tool` may not stand here"),
        (Dialect::OpenAi, |b| b["messages"][0]["role"] = json!("user"), "expected `system`"),
        (
            Dialect::OpenAi,
            |b| drop(b.as_object_mut().map(|map| map.remove("response_format"))),
            "`response_format` is missing",
        ),
        (Dialect::OpenAi, |b| b["response_format"]["json_schema"]["name"] = json!("a b"), "letters, digits"),
        (
            Dialect::OpenAi,
            |b| b["response_format"]["json_schema"]["schema"]["required"] = json!([]),
            "`required` must name `a`",
        ),
        (
            Dialect::OpenAi,
            |b| b["response_format"]["json_schema"]["schema"]["type"] = json!("objekt"),
            "no valid JSON Schema",
        ),
        (
            Dialect::OpenAi,
            |b| {
                b["messages"][1]["content"] =
                    json!([{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}])
            },
            "no PNG picture",
        ),
        (
            Dialect::Anthropic,
            |b| drop(b.as_object_mut().map(|map| map.remove("max_tokens"))),
            "`max_tokens` is missing",
        ),
        (Dialect::Anthropic, |b| b["messages"] = json!([{"role": "assistant", "content": "x"}]), "take turns"),
        (
            Dialect::Gemini,
            |b| b["generationConfig"]["responseMimeType"] = json!("text/plain"),
            "expected `application/json`",
        ),
        (Dialect::Gemini, |b| b["contents"][0]["role"] = json!("system"), "unknown `system`"),
    ];
    let server = ModelServer::start(hello).await.expect("server");
    for dialect in DIALECTS {
        let (status, body) = post(&server, dialect, &documented(dialect)).await;
        assert_eq!(status, 200, "{dialect:?}: {body}");
    }
    for (dialect, spoil, expected) in mistakes {
        let mut body = documented(dialect);
        spoil(&mut body);
        let (status, answer) = post(&server, dialect, &body).await;
        assert_eq!(status, 400, "{expected}: {answer}");
        let refused = server.refused();
        assert!(refused.last().is_some_and(|cause| cause.contains(expected)), "{expected}: {refused:?}");
    }
}
