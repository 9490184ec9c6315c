//! What the tests of this suite share.

use domain::secret::SecretRef;
use harness::model::{Dialect, ModelServer};
use image::{ImageFormat, RgbImage};
use planner::model::{Message, ModelRequest, ModelRole, Part, RemoteModel};
use planner::reply::{Meaning, Reply, ReplySchema};
use planner::{ModelOptions, Provider};
use schemars::JsonSchema;
use serde::Deserialize;
use std::io::{Cursor, Write};
use std::sync::Arc;
use tempfile::NamedTempFile;

/// Options that reach the server, with quick retries; the key's file lives as long as they are used.
pub(crate) struct Reach {
    pub(crate) options: ModelOptions,
    _key: NamedTempFile,
}

pub(crate) fn reach(server: &ModelServer, dialect: Dialect) -> Reach {
    let provider = match dialect {
        Dialect::OpenAi => Provider::OpenAi,
        Dialect::Anthropic => Provider::Anthropic,
        Dialect::Gemini => Provider::Gemini,
    };
    let mut key = NamedTempFile::new().expect("temporary file");
    writeln!(key, "{}", ModelServer::KEY).expect("written");
    let mut options = ModelOptions::new(provider, "scripted-1");
    options.base_url = Some(server.base_url(dialect));
    options.api_key = Some(SecretRef::File(key.path().to_owned()));
    options.first_retry_ms = 1;
    options.job_header = true;
    options.usd_per_million_prompt_tokens = 1_000_000.0;
    options.usd_per_million_completion_tokens = 2_000_000.0;
    Reach { options, _key: key }
}

pub(crate) fn model(options: &ModelOptions) -> RemoteModel {
    RemoteModel::new(options.clone()).expect("options are right")
}

pub(crate) fn png(width: u32, height: u32) -> Arc<[u8]> {
    let mut bytes = Cursor::new(Vec::new());
    RgbImage::new(width, height).write_to(&mut bytes, ImageFormat::Png).expect("encoded");
    bytes.into_inner().into()
}

/// What the tests of the wire ask for.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct Greeting {
    #[schemars(title = Meaning::Content.title(), length(max = 40))]
    word: String,
    #[schemars(title = Meaning::Choice.title())]
    times: Option<i64>,
}

impl Reply for Greeting {
    const NAME: &'static str = "greeting";
}

pub(crate) fn request(parts: Vec<Part>) -> ModelRequest {
    ModelRequest {
        role: ModelRole::Reasoner,
        job: Some(domain::JobId::new("suite/task/1")),
        step: None,
        system: "You answer tests.".into(),
        messages: vec![Message::user(parts)],
        schema: ReplySchema::of::<Greeting>(),
        temperature: 0.0,
        seed: 7,
        max_tokens: None,
    }
}

pub(crate) fn text(text: &str) -> Vec<Part> {
    vec![Part::Text(text.into())]
}
