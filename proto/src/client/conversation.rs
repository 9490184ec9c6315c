//! Many questions to one planner over one call that lasts. It is begun when there is a question, and again when it ended.

use super::{Caller, encoded};
use crate::convert::NOTHING;
use crate::error::required;
use crate::v1::{question, reply};
use crate::{status, v1};
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::channel::oneshot;
use futures::stream::{self, Stream, StreamExt as _};
use platform::telemetry::current_trace_parent;
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::task::AbortHandle;
use tokio::time::Sleep;
use tonic::{Code, Status};

const METHOD: &str = "/rutter.v1.PlannerService/DecideMany";

/// Number of [`v1::question::Is::Ask`].
const ASK: u32 = 2;

/// What a question may have around it, in bytes: number, trace, and how long it is.
pub(super) const ENVELOPE: usize = 128;

/// Questions for which a planner that does not know this call, being older, is not asked again whether it does.
const UNKNOWN_FOR: usize = 1_000;

/// Time between two sendings to one planner: what wakes both sides up once need not do so for every question. A question that
/// comes after a pause of that length goes at once.
const APART: Duration = Duration::from_millis(10);

/// Questions of one sending, at most.
const TOGETHER: usize = 256;

type Answer = Result<v1::DecideResponse, Status>;

/// Questions to one planner.
#[derive(Default)]
pub(super) struct Conversation {
    line: Mutex<Option<Arc<Line>>>,
    unknown_for: AtomicUsize,
}

/// One call. It ends when nobody holds it.
struct Line {
    questions: UnboundedSender<Vec<u8>>,
    waiting: Arc<Mutex<Waiting>>,
    listening: AbortHandle,
}

/// Who waits for an answer.
#[derive(Default)]
struct Waiting {
    last: u64,
    by_number: HashMap<u64, oneshot::Sender<Answer>>,
    replies: u64,
    over: bool,
}

impl Conversation {
    /// The answer to an encoded [`v1::DecideRequest`]; none when the call ended before there was one, for a reason that says
    /// nothing of the question. When the time is over first, nothing is known either, but for a planner that said nothing
    /// at all in that time: the next question has a call of its own.
    pub(super) async fn ask(&self, caller: &Caller, request: &[u8], time: Pin<&mut Sleep>) -> Option<Answer> {
        if self.is_unknown() {
            return None;
        }
        let (asked, answer) = self.begin(caller);
        let heard = lock(&asked.line.waiting).replies;
        asked.say(request);
        tokio::select! {
            answer = answer => {
                let answer = answer.ok()?;
                if answer.as_ref().is_err_and(|status| status.code() == Code::Unimplemented) {
                    self.unknown_for.store(UNKNOWN_FOR, Ordering::Relaxed);
                    return None;
                }
                Some(answer)
            }
            () = time => {
                let mut waiting = lock(&asked.line.waiting);
                waiting.over |= waiting.replies == heard;
                Some(Err(overdue()))
            }
        }
    }

    fn is_unknown(&self) -> bool {
        let one_less = |left: usize| left.checked_sub(1);
        self.unknown_for.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
    }

    /// A question without words yet.
    fn begin(&self, caller: &Caller) -> (Asked, oneshot::Receiver<Answer>) {
        let mut open = lock(&self.line);
        if let Some(begun) = open.as_ref().and_then(Asked::begin) {
            return begun;
        }
        let line = Arc::new(Line::open(caller.clone()));
        let (number, answer) = lock(&line.waiting).expect_answer();
        *open = Some(Arc::clone(&line));
        (Asked { line, number }, answer)
    }
}

impl Line {
    fn open(caller: Caller) -> Self {
        let (questions, said) = unbounded();
        let waiting = Arc::default();
        let listening =
            platform::spawn::detached("conversation", listen(caller, said, Arc::clone(&waiting))).abort_handle();
        Self { questions, waiting, listening }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.listening.abort();
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
        self.replies += 1;
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

    /// There will be no more answers. Everyone is told of a planner that is away or too old; any other end says nothing of
    /// what was asked: a message of somebody else may have been too large.
    fn end(&mut self, cause: Option<&Status>) {
        self.over = true;
        let cause = cause.filter(|status| status.code() == Code::Unimplemented || status::is_away(status));
        for (_, asker) in self.by_number.drain() {
            if let Some(cause) = cause {
                // Nobody waits any more, as of this moment.
                let _ = asker.send(Err(cause.clone()));
            }
        }
    }
}

/// A question under way. The other side is told when nobody waits for its answer any more.
struct Asked {
    line: Arc<Line>,
    number: u64,
}

impl Asked {
    /// None when the call is over.
    fn begin(line: &Arc<Line>) -> Option<(Self, oneshot::Receiver<Answer>)> {
        let mut waiting = lock(&line.waiting);
        if waiting.over {
            return None;
        }
        let (number, answer) = waiting.expect_answer();
        Some((Self { line: Arc::clone(line), number }, answer))
    }

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

/// Tells everyone that waits of the end, whatever it is.
struct Ending(Arc<Mutex<Waiting>>);

impl Drop for Ending {
    fn drop(&mut self) {
        lock(&self.0).end(None);
    }
}

/// Hands out answers until there are no more.
async fn listen(caller: Caller, questions: UnboundedReceiver<Vec<u8>>, waiting: Arc<Mutex<Waiting>>) {
    let ending = Ending(waiting);
    let ended = async {
        let mut replies = encoded::converse::<v1::Reply>(&caller, METHOD, together(questions)).await?;
        while let Some(reply) = replies.message().await? {
            lock(&ending.0).tell(reply);
        }
        Ok::<_, Status>(())
    };
    let ended = ended.await;
    tracing::debug!(endpoint = caller.0.endpoint, ?ended, "a conversation with a planner is over");
    lock(&ending.0).end(ended.err().as_ref());
}

/// The first at once; those that come soon after it wait for each other.
fn together<T: Send + 'static>(questions: UnboundedReceiver<T>) -> impl Stream<Item = T> + Send + 'static {
    tokio_stream::StreamExt::throttle(questions.ready_chunks(TOGETHER), APART).flat_map(stream::iter)
}

pub(super) fn overdue() -> Status {
    Status::deadline_exceeded("there was no answer in the time that was given")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt as _;
    use tokio::time::advance;

    #[tokio::test(start_paused = true)]
    async fn a_question_goes_at_once_and_those_close_behind_it_together() {
        let (asked, questions) = unbounded();
        let mut sent = Box::pin(together(questions));
        let mut next = || sent.next().now_or_never().flatten();
        let ask = |number: u32| asked.unbounded_send(number).expect("read");
        ask(1);
        assert_eq!(next(), Some(1));
        ask(2);
        assert_eq!(next(), None);
        advance(APART / 2).await;
        ask(3);
        assert_eq!(next(), None);
        advance(APART).await;
        assert_eq!([next(), next(), next()], [Some(2), Some(3), None]);
        advance(APART * 2).await;
        ask(4);
        assert_eq!(next(), Some(4));
    }
}
