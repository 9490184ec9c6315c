//! Replies that are given again to the very same question: one call for all who ask it at once, and its reply for some time after.

use super::{LanguageModel, ModelError, ModelReply, ModelRequest, Part, Speaker};
use crate::reply::read;
use async_trait::async_trait;
use domain::Usage;
use domain::storage::shared::Cache;
use moka::future::Cache as Calls;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Replies that one process holds at most.
const HELD: u64 = 1_000;

/// What a reply says of itself that was given before.
const KNOWN: &str = "the reply to the same question was known, and the model not asked again";

/// Decorator over a model that remembers its replies. What was cut off, broke its schema or failed is asked again.
pub(super) struct Cached {
    model: Arc<dyn LanguageModel>,
    /// Names the model and its endpoint.
    name: String,
    calls: Calls<blake3::Hash, ModelReply>,
    /// Where other processes find them.
    shared: Arc<dyn Cache>,
    time_to_live: Duration,
}

impl Cached {
    pub(super) fn new(
        model: Arc<dyn LanguageModel>,
        name: String,
        shared: Arc<dyn Cache>,
        time_to_live: Duration,
    ) -> Self {
        let calls = Calls::builder().max_capacity(HELD).time_to_live(time_to_live).build();
        Self { model, name, calls, shared, time_to_live }
    }

    /// What identifies a question: everything that the model is told. Who asks, and for which step, is no part of it.
    fn key(&self, request: &ModelRequest) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        let mut add = |part: &[u8]| {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        };
        add(self.name.as_bytes());
        add(request.system.as_bytes());
        add(request.schema.schema.to_string().as_bytes());
        add(&request.temperature.to_le_bytes());
        add(&request.seed.to_le_bytes());
        add(&request.max_tokens.unwrap_or_default().to_le_bytes());
        for message in &request.messages {
            add(if message.speaker == Speaker::User { b"user" } else { b"assistant" });
            for part in &message.parts {
                match part {
                    Part::Text(text) => add(text.as_bytes()),
                    Part::Png(png) => add(png),
                }
            }
        }
        hasher.finalize()
    }

    /// The reply of the cache that processes share, or the model's. What is not to be kept ends as a [`Stop`].
    async fn ask(&self, key: &str, request: ModelRequest) -> Result<ModelReply, Stop> {
        match self.shared.get(key).await {
            Ok(Some(text)) => {
                if let Ok(text) = String::from_utf8(text) {
                    return Ok(known(text));
                }
            }
            Ok(None) => {}
            Err(error) => tracing::debug!(%error, "replies cannot be looked up"),
        }
        let schema = request.schema.schema.clone();
        let reply = self.model.complete(request).await.map_err(Stop::Failed)?;
        if reply.cut_off || read(&reply.text, &schema).is_err() {
            return Err(Stop::Unkept(reply));
        }
        if let Err(error) = self.shared.put(key, reply.text.as_bytes(), self.time_to_live).await {
            tracing::debug!(%error, "a reply cannot be kept");
        }
        Ok(reply)
    }
}

/// What ends a call without a reply that others may be given.
#[derive(Clone, Debug)]
enum Stop {
    /// It was cut off, or is not what was asked for: whoever asks again may have more luck.
    Unkept(ModelReply),
    Failed(ModelError),
}

impl Stop {
    /// What the caller is told; whoever only waited for it paid nothing.
    fn told(self, has_paid: bool) -> Result<ModelReply, ModelError> {
        match self {
            Stop::Unkept(reply) if has_paid => Ok(reply),
            Stop::Unkept(reply) => Ok(ModelReply { usage: Usage::default(), ..reply }),
            Stop::Failed(error) if has_paid => Err(error),
            Stop::Failed(error) => Err(error.unpaid()),
        }
    }
}

/// A reply that cost nothing now.
fn known(text: String) -> ModelReply {
    ModelReply { text, cut_off: false, usage: Usage::default(), incidents: vec![KNOWN.to_owned()] }
}

#[async_trait]
impl LanguageModel for Cached {
    async fn complete(&self, request: ModelRequest) -> Result<ModelReply, ModelError> {
        let hash = self.key(&request);
        let key = format!("reply:{}", hash.to_hex());
        let has_paid = AtomicBool::new(false);
        let call = async {
            has_paid.store(true, Ordering::Relaxed);
            self.ask(&key, request).await
        };
        match self.calls.entry(hash).or_try_insert_with(call).await {
            Ok(entry) if entry.is_fresh() => Ok(entry.into_value()),
            Ok(entry) => Ok(known(entry.into_value().text)),
            Err(stop) => Arc::unwrap_or_clone(stop).told(has_paid.into_inner()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Message, ModelRole};
    use crate::reply::ReplySchema;
    use domain::storage::StorageError;
    use parking_lot::Mutex;
    use serde_json::json;
    use std::collections::BTreeMap;
    use std::sync::atomic::AtomicU32;

    /// Counts its calls; its third reply is cut off.
    #[derive(Default)]
    struct Counting(AtomicU32);

    #[async_trait]
    impl LanguageModel for Counting {
        async fn complete(&self, _: ModelRequest) -> Result<ModelReply, ModelError> {
            let number = self.0.fetch_add(1, Ordering::SeqCst) + 1;
            tokio::time::sleep(Duration::from_millis(20)).await;
            let usage = Usage { calls: 1, ..Usage::default() };
            let text = if number == 5 { "none".to_owned() } else { format!("{{\"number\": {number}}}") };
            Ok(ModelReply { text, cut_off: number == 3, usage, incidents: Vec::new() })
        }
    }

    #[derive(Default)]
    struct Map(Mutex<BTreeMap<String, Vec<u8>>>);

    #[async_trait]
    impl Cache for Map {
        async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, StorageError> {
            Ok(self.0.lock().get(key).cloned())
        }

        async fn put(&self, key: &str, value: &[u8], _: Duration) -> Result<(), StorageError> {
            self.0.lock().insert(key.to_owned(), value.to_vec());
            Ok(())
        }
    }

    fn cached(model: &Arc<Counting>, map: &Arc<Map>) -> Cached {
        Cached::new(Arc::clone(model) as _, "m at e".to_owned(), Arc::clone(map) as _, Duration::from_secs(60))
    }

    fn question(text: &str, seed: u64) -> ModelRequest {
        ModelRequest {
            role: ModelRole::Reasoner,
            job: None,
            step: None,
            system: String::new(),
            messages: vec![Message::user(vec![Part::Text(text.to_owned())])],
            schema: ReplySchema { name: "a_number".to_owned(), schema: json!({"type": "object"}) },
            temperature: 0.0,
            seed,
            max_tokens: None,
        }
    }

    #[tokio::test]
    async fn one_question_is_asked_once_by_all_who_ask_it_and_costs_once() {
        let (model, map) = (Arc::new(Counting::default()), Arc::new(Map::default()));
        let one = cached(&model, &map);
        let asked = futures::future::join_all((0..5).map(|_| one.complete(question("a", 1)))).await;
        let replies: Vec<ModelReply> = asked.into_iter().collect::<Result<_, _>>().expect("replies");
        assert!(replies.iter().all(|reply| reply.text == "{\"number\": 1}"));
        assert_eq!(replies.iter().map(|reply| reply.usage.calls).sum::<u32>(), 1);
        assert_eq!(replies.iter().filter(|reply| reply.incidents == [KNOWN]).count(), 4);
        // Another process finds it where both look.
        let other = cached(&model, &map).complete(question("a", 1)).await.expect("a reply");
        assert_eq!((other.text.as_str(), other.usage.calls), ("{\"number\": 1}", 0));
        let other = one.complete(question("a", 2)).await.expect("a reply");
        assert_eq!(other.usage.calls, 1, "another seed is another question");
    }

    #[tokio::test]
    async fn what_was_cut_off_or_broke_its_schema_is_asked_again_and_paid_once() {
        let (model, map) = (Arc::new(Counting(AtomicU32::new(2))), Arc::new(Map::default()));
        let one = cached(&model, &map);
        let asked = futures::future::join_all((0..3).map(|_| one.complete(question("a", 1)))).await;
        let replies: Vec<ModelReply> = asked.into_iter().collect::<Result<_, _>>().expect("replies");
        assert!(replies.iter().all(|reply| reply.cut_off));
        assert_eq!(replies.iter().map(|reply| reply.usage.calls).sum::<u32>(), 1);
        assert_eq!(one.complete(question("a", 1)).await.expect("a reply").text, "{\"number\": 4}");
        assert_eq!(one.complete(question("b", 1)).await.expect("a reply").text, "none");
        assert_eq!(one.complete(question("b", 1)).await.expect("a reply").text, "{\"number\": 6}");
    }
}
