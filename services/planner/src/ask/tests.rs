//! Questions to a model whose replies are written down here.

use super::*;
use crate::model::{ModelReply, Speaker};
use crate::reply::Meaning;
use async_trait::async_trait;
use std::collections::VecDeque;
use std::sync::Mutex;

#[derive(Debug, Deserialize, JsonSchema)]
struct Word {
    #[schemars(title = Meaning::Content.title(), length(max = 10))]
    word: String,
}

impl Reply for Word {
    const NAME: &'static str = "word";
}

/// Replies in order; each costs ten tokens, and each call survives something.
struct Written {
    replies: Mutex<VecDeque<Result<&'static str, ModelError>>>,
    asked: Mutex<Vec<ModelRequest>>,
}

impl Written {
    fn new(replies: impl IntoIterator<Item = Result<&'static str, ModelError>>) -> Self {
        Self { replies: Mutex::new(replies.into_iter().collect()), asked: Mutex::default() }
    }
}

fn ten() -> Usage {
    Usage { prompt_tokens: 10, calls: 1, ..Usage::default() }
}

#[async_trait]
impl LanguageModel for Written {
    async fn complete(&self, request: ModelRequest) -> Result<ModelReply, ModelError> {
        self.asked.lock().expect("no panic").push(request);
        let reply = self.replies.lock().expect("no panic").pop_front().expect("a reply is written down");
        let incidents = vec!["survived".to_owned()];
        reply.map(|text| ModelReply { text: text.to_owned(), cut_off: text.starts_with('{'), usage: ten(), incidents })
    }
}

async fn ask(model: &Written) -> (Result<Word, NoReply>, Usage, Vec<String>) {
    let job = JobId::new("job");
    let mut ask = Ask::new(model, &job, "system".into(), Sampling::default(), Order::default());
    let reply = ask.reply(ModelRole::Reasoner, vec![Part::Text("Which word?".into())]).await;
    let (usage, incidents) = ask.into_account();
    (reply, usage, incidents)
}

#[tokio::test]
async fn a_good_reply_costs_one_exchange() {
    let model = Written::new([Ok(r#"{"word": "hello"}"#)]);
    let (reply, usage, incidents) = ask(&model).await;
    assert_eq!(reply.expect("a reply").word, "hello");
    assert_eq!((usage, incidents), (ten(), vec!["survived".to_owned()]));
}

#[tokio::test]
async fn a_bad_reply_is_repaired_once_and_everything_is_counted_once() {
    let model = Written::new([Ok("{\"word\": \"hel"), Ok(r#"{"word": "hello"}"#)]);
    let (reply, usage, incidents) = ask(&model).await;
    assert_eq!(reply.expect("a reply").word, "hello");
    assert_eq!((usage.prompt_tokens, usage.calls), (20, 2));
    assert_eq!(incidents.len(), 3, "{incidents:?}");
    assert!(incidents[1].contains("cut off at the limit of tokens); asked for a repair"), "{incidents:?}");
    let asked = model.asked.lock().expect("no panic");
    let speakers: Vec<Speaker> = asked[1].messages.iter().map(|message| message.speaker).collect();
    assert_eq!(speakers, [Speaker::User, Speaker::Assistant, Speaker::User]);
}

#[tokio::test]
async fn a_second_bad_reply_makes_the_decision_invalid_and_there_is_no_third() {
    let model = Written::new([Ok("no"), Ok("{\"word\": \"far too long a word\"}")]);
    let (reply, usage, _) = ask(&model).await;
    let Err(NoReply::Invalid(cause)) = reply else { panic!("{reply:?}") };
    assert!(cause.contains("/word") && cause.contains("after one repair"), "{cause}");
    assert_eq!(usage.calls, 2);
}

#[tokio::test]
async fn an_endpoint_that_fails_during_the_repair_still_tells_what_was_spent() {
    let down = ModelError::Unavailable { cause: "down".into(), usage: ten() };
    let model = Written::new([Ok("no"), Err(down)]);
    let (reply, usage, _) = ask(&model).await;
    let Err(NoReply::Failed(PlannerError::Unavailable { usage: told, .. })) = reply else { panic!("{reply:?}") };
    assert_eq!((told.prompt_tokens, told), (20, usage));
}
