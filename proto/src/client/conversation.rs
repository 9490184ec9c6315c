//! Many questions to one planner over one call that lasts. It is begun when there is a question, and again when it ended.

use super::{Caller, encoded};
use crate::convert::NOTHING;
use crate::error::required;
use crate::v1;
use crate::v1::{question, reply};
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::channel::oneshot;
use platform::telemetry::current_trace_parent;
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tonic::Status;

const METHOD: &str = "/rutter.v1.PlannerService/DecideMany";

/// Number of [`v1::question::Is::Ask`].
const ASK: u32 = 2;

type Answer = Result<v1::DecideResponse, Status>;

/// Questions to one planner.
#[derive(Default)]
pub(super) struct Conversation(Mutex<Option<Line>>);

/// One call. There are never more questions on their way than callers wait for.
#[derive(Clone)]
struct Line {
    questions: UnboundedSender<Vec<u8>>,
    waiting: Arc<Mutex<Waiting>>,
}

/// Who waits for an answer.
#[derive(Default)]
struct Waiting {
    last: u64,
    by_number: HashMap<u64, oneshot::Sender<Answer>>,
    over: bool,
}

impl Conversation {
    /// The answer to an encoded [`v1::DecideRequest`]; none when the call ended before there was one, which says nothing of
    /// the question.
    pub(super) async fn ask(&self, caller: &Caller, request: &[u8], deadline: Duration) -> Option<Answer> {
        let (asked, answer) = self.begin(caller);
        asked.say(request);
        let Ok(answer) = tokio::time::timeout(deadline, answer).await else {
            let cause = format!("there was no answer in {} ms", deadline.as_millis());
            return Some(Err(Status::deadline_exceeded(cause)));
        };
        answer.ok()
    }

    /// A question without words yet.
    fn begin(&self, caller: &Caller) -> (Asked, oneshot::Receiver<Answer>) {
        let mut open = lock(&self.0);
        if let Some(line) = open.as_ref()
            && let Some(begun) = line.begin()
        {
            return begun;
        }
        let (questions, said) = unbounded();
        let line = Line { questions, waiting: Arc::default() };
        let begun = lock(&line.waiting).expect_answer();
        tokio::spawn(listen(caller.clone(), said, Arc::clone(&line.waiting)));
        *open = Some(line.clone());
        (Asked { line, number: begun.0 }, begun.1)
    }
}

impl Line {
    /// None when it is over.
    fn begin(&self) -> Option<(Asked, oneshot::Receiver<Answer>)> {
        let mut waiting = lock(&self.waiting);
        if waiting.over {
            return None;
        }
        let (number, answer) = waiting.expect_answer();
        Some((Asked { line: self.clone(), number }, answer))
    }
}

impl Waiting {
    fn expect_answer(&mut self) -> (u64, oneshot::Receiver<Answer>) {
        self.last += 1;
        let (told, answer) = oneshot::channel();
        self.by_number.insert(self.last, told);
        (self.last, answer)
    }

    fn tell(&mut self, v1::Reply { number, is }: v1::Reply) {
        // An answer that crossed the word that nobody waits for it.
        let Some(asker) = self.by_number.remove(&number) else { return };
        let answer = match required(is, "reply.is") {
            Ok(reply::Is::Answer(answer)) => Ok(answer),
            Ok(reply::Is::Refused(refusal)) => Err(refusal.into()),
            Err(error) => Err(Status::internal(error.to_string())),
        };
        // Nobody waits any more, as of this moment.
        let _ = asker.send(answer);
    }
}

/// A question under way. The other side is told when nobody waits for its answer any more.
struct Asked {
    line: Line,
    number: u64,
}

impl Asked {
    fn say(&self, request: &[u8]) {
        let head = v1::Question { number: self.number, trace_parent: current_trace_parent(), is: None };
        let mut message = head.encode_to_vec();
        encode_key(ASK, WireType::LengthDelimited, &mut message);
        encode_varint(request.len() as u64, &mut message);
        message.extend_from_slice(request);
        self.send(message);
    }

    fn send(&self, message: Vec<u8>) {
        // When the call is over, whoever waits is told so.
        let _ = self.line.questions.unbounded_send(message);
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        if lock(&self.line.waiting).by_number.remove(&self.number).is_some() {
            let dropped = Some(question::Is::Dropped(NOTHING));
            let message = v1::Question { number: self.number, is: dropped, ..v1::Question::default() };
            self.send(message.encode_to_vec());
        }
    }
}

/// Hands out answers until there are no more.
async fn listen(caller: Caller, questions: UnboundedReceiver<Vec<u8>>, waiting: Arc<Mutex<Waiting>>) {
    let ended = async {
        let mut replies = encoded::converse::<v1::Reply>(&caller, METHOD, questions).await?;
        while let Some(reply) = replies.message().await? {
            lock(&waiting).tell(reply);
        }
        Ok::<_, Status>(())
    };
    let ended = ended.await;
    tracing::debug!(endpoint = caller.0.endpoint, ?ended, "a conversation with a planner is over");
    let mut waiting = lock(&waiting);
    waiting.over = true;
    waiting.by_number.clear();
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
