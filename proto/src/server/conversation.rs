//! Many questions over one call that lasts: a call of its own for each would cost more than most of them.

use super::fitting;
use super::planner::Answering;
use crate::error::Error;
use crate::status::refuse;
use crate::v1;
use crate::v1::{question, reply};
use domain::service::{Code, ServiceError};
use futures::{Stream, StreamExt};
use platform::rpc::Calls;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::JoinError;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::task::JoinMap;
use tonic::{Status, Streaming};

/// How each question is named where it is measured and traced: as the call that it would be.
const METHOD: &str = "/rutter.v1.PlannerService/Decide";

/// Questions under way on one call: no more are read meanwhile.
const QUESTIONS: usize = 8_192;

/// Replies that wait for the connection.
const REPLIES: usize = 64;

/// The replies to questions, in the order in which they are found. They end when the caller asks no more, or the server is to
/// end, and what was under way is answered; what nobody reads is not worked on any longer.
pub(super) fn replies(
    answering: Arc<Answering>,
    calls: Calls,
    questions: Streaming<v1::Question>,
) -> impl Stream<Item = Result<v1::Reply, Status>> + use<> {
    let (replies, told) = mpsc::channel(REPLIES);
    let replying = Replying { answering, calls, replies, under_way: JoinMap::new() };
    platform::spawn::detached("conversation", replying.hold(questions));
    ReceiverStream::new(told)
}

/// The side of a conversation that answers.
struct Replying {
    answering: Arc<Answering>,
    calls: Calls,
    replies: mpsc::Sender<Result<v1::Reply, Status>>,
    under_way: JoinMap<u64, ()>,
}

impl Replying {
    async fn hold(mut self, mut questions: Streaming<v1::Question>) {
        let ending = self.calls.ending().clone();
        let (mut listening, mut stays) = (true, true);
        while (listening && stays) || !self.under_way.is_empty() {
            tokio::select! {
                asked = questions.next(), if listening && self.under_way.len() < QUESTIONS => match asked {
                    Some(Ok(question)) => self.take(question).await,
                    Some(Err(status)) => {
                        tracing::warn!(%status, "a conversation broke off");
                        // Nobody reads it when the caller has gone.
                        let _ = self.replies.send(Err(status)).await;
                        return;
                    }
                    None => listening = false,
                },
                Some((number, ended)) = self.under_way.join_next() => self.ended(number, ended).await,
                () = ending.cancelled(), if stays => stays = false,
                () = self.replies.closed() => return,
            }
        }
    }

    async fn take(&mut self, v1::Question { number, is, trace_parent }: v1::Question) {
        match is {
            Some(question::Is::Ask(_)) if self.calls.ending().is_cancelled() => {
                let cause = "decide: the planner is about to end; ask another";
                self.refuse(number, refuse(ServiceError::new(Code::Unavailable, cause))).await;
            }
            Some(question::Is::Ask(request)) => {
                let (answering, calls, replies) =
                    (Arc::clone(&self.answering), self.calls.clone(), self.replies.clone());
                self.under_way.spawn(number, async move {
                    let answer = calls.answer(METHOD, Some(&trace_parent), answering.answer(request)).await;
                    let reply = answer.and_then(|answer| {
                        let reply = v1::Reply { number, is: Some(reply::Is::Answer(answer)) };
                        fitting(reply, answering.limit)
                    });
                    // Nobody reads it when the caller has gone.
                    let _ = replies.send(Ok(reply.unwrap_or_else(|status| refused(number, status)))).await;
                });
            }
            Some(question::Is::Dropped(_)) => {
                self.under_way.abort(&number);
            }
            None => self.refuse(number, refuse(Error::Missing("question.is"))).await,
        }
    }

    async fn ended(&self, number: u64, ended: Result<(), JoinError>) {
        if let Err(error) = ended
            && error.is_panic()
        {
            tracing::error!(%error, "a question ended in a panic");
            self.refuse(number, refuse(ServiceError::new(Code::Internal, "decide: the planner panicked"))).await;
        }
    }

    async fn refuse(&self, number: u64, status: Status) {
        // Nobody reads it when the caller has gone.
        let _ = self.replies.send(Ok(refused(number, status))).await;
    }
}

fn refused(number: u64, status: Status) -> v1::Reply {
    v1::Reply { number, is: Some(reply::Is::Refused(status.into())) }
}
