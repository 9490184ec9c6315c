//! Questions to models and their replies, written down; and answered from what was written down, so that a run can be repeated
//! without a model.
//!
//! A question is known again by all that the model was shown. Keys and headers are no part of it, secrets stand in it as their
//! placeholders, and of pictures only a fingerprint is kept.

use super::{
    LanguageModel, Message, ModelError, ModelPool, ModelReply, ModelRequest, ModelRole, OptionsError, Part,
    PoolOptions, Speaker, Together,
};
use async_trait::async_trait;
use domain::Usage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Mutex;
use xxhash_rust::xxh3::xxh3_128;

/// What becomes of questions to models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Traffic {
    /// Each is added to this file with its reply, a line of JSON.
    Record(PathBuf),
    /// Each is answered from this file; no model is asked, and no key is needed.
    Replay(PathBuf),
}

/// The models of all roles, with what becomes of the questions to them. `quotas` count what all processes together ask.
///
/// # Errors
/// [`OptionsError`]: a missing key, a value out of range, a file that cannot be used.
pub fn models(
    pool: &PoolOptions,
    traffic: Option<&Traffic>,
    together: &Together,
) -> Result<Arc<dyn LanguageModel>, OptionsError> {
    Ok(match traffic {
        None => Arc::new(ModelPool::new(pool, together)?),
        Some(Traffic::Record(file)) => Arc::new(Recorder::new(Arc::new(ModelPool::new(pool, together)?), file)?),
        Some(Traffic::Replay(file)) => Arc::new(Replayer::read(file)?),
    })
}

/// A question with its reply, as it is written down.
#[derive(Debug, Serialize, Deserialize)]
struct Exchange {
    /// By what the question is known again.
    key: String,
    role: ModelRole,
    job: Option<String>,
    step: Option<usize>,
    system: String,
    messages: Vec<Said>,
    reply: Reply,
}

/// A message, for people.
#[derive(Debug, Serialize, Deserialize)]
struct Said {
    speaker: String,
    text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pictures: Vec<String>,
}

/// What came of a question. An endpoint that was away is no reply, and is not written down.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
enum Reply {
    /// What the model wrote.
    Written { text: String, cut_off: bool, usage: Usage },
    /// What it wrote was none that can be used.
    Unusable { cause: String, usage: Usage },
}

/// Writes down what another model is asked and answers.
struct Recorder {
    inner: Arc<dyn LanguageModel>,
    name: PathBuf,
    file: Mutex<File>,
}

impl Recorder {
    fn new(inner: Arc<dyn LanguageModel>, path: &Path) -> Result<Self, OptionsError> {
        // A link could lead to any file of this user.
        if path.is_symlink() {
            return Err(in_file(path, &"is a link to another file"));
        }
        let opened = OpenOptions::new().create(true).read(true).append(true).open(path);
        let mut file = opened.map_err(|cause| in_file(path, &cause))?;
        // A line that was cut off by the end of an earlier process stays a line of its own.
        if is_cut(&mut file).map_err(|cause| in_file(path, &cause))? {
            file.write_all(b"\n").map_err(|cause| in_file(path, &cause))?;
        }
        Ok(Self { inner, name: path.to_owned(), file: Mutex::new(file) })
    }

    async fn write(&self, exchange: &Exchange) -> std::io::Result<()> {
        let mut line = serde_json::to_vec(exchange)?;
        line.push(b'\n');
        // One call for the whole line: another process may append to the same file.
        self.file.lock().await.write_all(&line)
    }
}

#[async_trait]
impl LanguageModel for Recorder {
    async fn complete(&self, request: ModelRequest) -> Result<ModelReply, ModelError> {
        let answer = self.inner.complete(request.clone()).await;
        let reply = match &answer {
            Ok(ModelReply { text, cut_off, usage, .. }) => {
                Reply::Written { text: text.clone(), cut_off: *cut_off, usage: *usage }
            }
            Err(ModelError::Unusable { cause, usage, .. }) => Reply::Unusable { cause: cause.clone(), usage: *usage },
            Err(ModelError::Unavailable { .. } | ModelError::Throttled { .. }) => return answer,
        };
        let written = self.write(&Exchange::of(&request, reply)).await;
        match (answer, written) {
            (Ok(mut answer), Err(cause)) => {
                answer.incidents.push(format!("the exchange could not be written to {}: {cause}", self.name.display()));
                Ok(answer)
            }
            (answer, _) => answer,
        }
    }
}

/// Whether the last line of a file has no end.
fn is_cut(file: &mut File) -> std::io::Result<bool> {
    let length = file.seek(SeekFrom::End(0))?;
    if length == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::Start(length - 1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

/// Answers from what was written down.
struct Replayer {
    name: PathBuf,
    replies: Mutex<HashMap<String, Vec<Kept>>>,
}

/// A reply, and whether it was given already.
struct Kept {
    job: Option<String>,
    reply: Reply,
    was_given: bool,
}

impl Replayer {
    fn read(path: &Path) -> Result<Self, OptionsError> {
        let file = File::open(path).map_err(|cause| in_file(path, &cause))?;
        let mut replies: HashMap<String, Vec<Kept>> = HashMap::new();
        let mut first_broken: Option<usize> = None;
        for (number, line) in (1..).zip(BufReader::new(file).lines()) {
            let line = line.map_err(|cause| in_file(path, &cause))?;
            // A line may be cut off. What the file says is not repeated: it may be any file.
            let Ok(exchange) = serde_json::from_str::<Exchange>(&line) else {
                first_broken = first_broken.or(Some(number));
                continue;
            };
            let kept = Kept { job: exchange.job, reply: exchange.reply, was_given: false };
            replies.entry(exchange.key).or_default().push(kept);
        }
        match first_broken.filter(|_| replies.is_empty()) {
            Some(number) => Err(in_file(path, &format!("line {number} is no recorded exchange"))),
            None => Ok(Self { name: path.to_owned(), replies: Mutex::new(replies) }),
        }
    }
}

#[async_trait]
impl LanguageModel for Replayer {
    async fn complete(&self, request: ModelRequest) -> Result<ModelReply, ModelError> {
        let (key, job) = (key(&request), request.job.as_ref().map(ToString::to_string));
        let mut replies = self.replies.lock().await;
        let Some(kept) = replies.get_mut(&key) else {
            let cause = format!(
                "{} has no reply to this question: the page, the task, the options or an earlier step differ from what was \
                 recorded",
                self.name.display()
            );
            return Err(ModelError::Unavailable { cause, usage: Usage::default() });
        };
        // The same question again gets what came next then, of the same job where there is one; after the last, the last again.
        let of_job = kept.iter().position(|kept| !kept.was_given && kept.job == job);
        let next = of_job.or_else(|| kept.iter().position(|kept| !kept.was_given)).unwrap_or(kept.len() - 1);
        kept[next].was_given = true;
        match kept[next].reply.clone() {
            Reply::Written { text, cut_off, usage } => {
                Ok(ModelReply { text, cut_off, usage: for_nothing(usage), incidents: Vec::new() })
            }
            Reply::Unusable { cause, usage } => {
                Err(ModelError::Unusable { cause, usage: for_nothing(usage), incidents: Vec::new() })
            }
        }
    }
}

impl Exchange {
    fn of(request: &ModelRequest, reply: Reply) -> Self {
        Self {
            key: key(request),
            role: request.role,
            job: request.job.as_ref().map(ToString::to_string),
            step: request.step,
            system: request.system.clone(),
            messages: request.messages.iter().map(said).collect(),
            reply,
        }
    }
}

/// Tokens are counted as they were; money is spent once.
fn for_nothing(usage: Usage) -> Usage {
    Usage { cost_usd: 0.0, ..usage }
}

fn said(message: &Message) -> Said {
    let speaker = match message.speaker {
        Speaker::User => "user",
        Speaker::Assistant => "assistant",
    };
    let mut said = Said { speaker: speaker.to_owned(), text: String::new(), pictures: Vec::new() };
    for part in &message.parts {
        match part {
            Part::Text(text) => said.text.push_str(text),
            Part::Png(png) => said.pictures.push(format!("{:032x}", xxh3_128(png))),
        }
    }
    said
}

/// By what a question is known again: everything that its answer depends on.
fn key(request: &ModelRequest) -> String {
    let messages: Vec<Said> = request.messages.iter().map(said).collect();
    let all = serde_json::json!([
        request.role,
        request.system,
        messages,
        request.schema.name,
        request.schema.schema,
        request.temperature,
        request.seed,
        request.max_tokens
    ]);
    format!("{:032x}", xxh3_128(all.to_string().as_bytes()))
}

fn in_file(path: &Path, cause: &dyn std::fmt::Display) -> OptionsError {
    OptionsError::Traffic { file: path.to_owned(), cause: cause.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reply::{NextAction, ReplySchema};
    use crate::test_model::Written;
    use domain::JobId;
    use serde_json::json;

    fn asked(job: &str, text: &str, picture: Option<&[u8]>) -> ModelRequest {
        let picture = picture.map(|png| Part::Png(Arc::from(png)));
        ModelRequest {
            role: ModelRole::Reasoner,
            job: Some(JobId::new(job)),
            step: Some(1),
            system: "Operate".into(),
            messages: vec![Message::user([Part::Text(text.into())].into_iter().chain(picture).collect())],
            schema: ReplySchema::of::<NextAction>(),
            temperature: 0.0,
            seed: 0,
            max_tokens: None,
        }
    }

    async fn text(model: &dyn LanguageModel, request: ModelRequest) -> String {
        model.complete(request).await.expect("a reply").text
    }

    #[tokio::test]
    async fn what_was_written_down_is_answered_again_in_its_order_and_nothing_else_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("traffic.jsonl");
        let model = Written::new([json!("first"), json!("of b"), json!("second"), json!("with picture")]);
        let recorder = Recorder::new(model, &file).expect("a file");
        for request in
            [asked("a", "go", None), asked("b", "go", None), asked("a", "go", None), asked("a", "go", Some(b"png"))]
        {
            recorder.complete(request).await.expect("a reply");
        }
        let replayer = Replayer::read(&file).expect("recorded");
        assert_eq!(text(&replayer, asked("b", "go", None)).await, "\"of b\"");
        assert_eq!(text(&replayer, asked("a", "go", None)).await, "\"first\"");
        assert_eq!(text(&replayer, asked("a", "go", None)).await, "\"second\"");
        assert_eq!(text(&replayer, asked("a", "go", Some(b"png"))).await, "\"with picture\"");
        let usage = replayer.complete(asked("a", "go", None)).await.expect("the last again").usage;
        assert_eq!((usage.prompt_tokens, usage.cost_usd), (100, 0.0));
        let other = replayer.complete(asked("a", "go on", None)).await.expect_err("never asked");
        assert!(other.to_string().contains("has no reply to this question"), "{other}");
        assert!(!std::fs::read_to_string(&file).expect("text").contains("png\""), "pictures are fingerprints");
    }

    #[tokio::test]
    async fn refusals_are_written_down_and_an_endpoint_that_was_away_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("traffic.jsonl");
        let refused = ModelError::Unusable { cause: "no".into(), usage: Usage::default(), incidents: Vec::new() };
        let away = ModelError::Unavailable { cause: "away".into(), usage: Usage::default() };
        let model = Written::default();
        model.replies.lock().expect("no panic").extend([Err(away), Err(refused)]);
        let recorder = Recorder::new(Arc::new(model), &file).expect("a file");
        assert!(recorder.complete(asked("a", "go", None)).await.is_err());
        assert!(recorder.complete(asked("a", "go", None)).await.is_err());
        assert_eq!(std::fs::read_to_string(&file).expect("text").lines().count(), 1);
        let replayer = Replayer::read(&file).expect("recorded");
        let said = replayer.complete(asked("a", "go", None)).await.expect_err("refused again");
        assert!(matches!(said, ModelError::Unusable { .. }));
    }

    #[tokio::test]
    async fn after_a_line_that_was_cut_off_the_next_reply_stands_on_a_line_of_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("traffic.jsonl");
        std::fs::write(&file, "{\"key\": \"12").expect("written");
        let recorder = Recorder::new(Written::new([json!("after it")]), &file).expect("a file");
        recorder.complete(asked("a", "go", None)).await.expect("a reply");
        let replayer = Replayer::read(&file).expect("recorded");
        assert_eq!(text(&replayer, asked("a", "go", None)).await, "\"after it\"");
    }

    #[test]
    fn a_file_that_is_no_recording_is_refused_without_repeating_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("shadow");
        std::fs::write(&file, "root:secret\n").expect("written");
        let refused = Replayer::read(&file).err().expect("refused").to_string();
        assert!(refused.contains("line 1 is no recorded exchange") && !refused.contains("secret"), "{refused}");
    }
}
