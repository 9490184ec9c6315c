//! A session of a simulated browser: its user contexts and tabs, and the socket over which it is driven.

use super::fetch::Network;
use super::nature::Dice;
use super::tab::Tab;
use super::{GridState, count};
use axum::extract::Request;
use futures::{SinkExt as _, StreamExt as _};
use hyper_util::rt::TokioIo;
use parking_lot::{Mutex, MutexGuard};
use platform::spawn;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role;
use tokio_util::sync::CancellationToken;

/// A session.
pub(super) struct Session {
    pub(super) id: String,
    /// The node that it runs on.
    pub(super) node: u32,
    /// What it was asked to be and what it is.
    pub(super) capabilities: Value,
    state: Mutex<State>,
    /// Ends the socket.
    over: CancellationToken,
}

/// What changes.
pub(super) struct State {
    pub(super) dice: Dice,
    /// User contexts by name.
    pub(super) profiles: HashMap<String, Arc<tokio::sync::Mutex<Network>>>,
    /// Tabs by name.
    pub(super) tabs: HashMap<String, Tab>,
    /// Where answers and events go, once there is a socket.
    out: Option<UnboundedSender<Message>>,
    names: u64,
}

impl State {
    /// A name that was not given before.
    pub(super) fn name(&mut self, kind: &str) -> String {
        self.names += 1;
        format!("{kind}-{}", self.names)
    }
}

impl Session {
    pub(super) fn new(id: String, node: u32, capabilities: Value, dice: Dice) -> Session {
        let state = State { dice, profiles: HashMap::new(), tabs: HashMap::new(), out: None, names: 0 };
        Session { id, node, capabilities, state: Mutex::new(state), over: CancellationToken::new() }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Closes the socket without a word, as the death of a browser does: nothing is answered any more.
    pub(super) fn end(&self) {
        self.over.cancel();
        self.state().out = None;
    }

    /// Sends an answer or an event.
    pub(super) fn send(&self, text: String) {
        if let Some(out) = &self.state().out {
            let _ = out.send(Message::text(text)); // fails only when the socket is closed
        }
    }

    /// Drives the session over a socket that is about to be one.
    pub(super) async fn drive(self: Arc<Session>, shared: Arc<GridState>, request: Request) {
        let Ok(upgraded) = hyper::upgrade::on(request).await else { return };
        let socket = WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, None).await;
        let (sink, mut stream) = socket.split();
        let (out, outgoing) = unbounded_channel();
        self.state().out = Some(out);
        let writer = spawn::detached("session", write(sink, outgoing));
        loop {
            let message = tokio::select! {
                biased;
                () = self.over.cancelled() => break,
                message = stream.next() => message,
            };
            match message {
                Some(Ok(Message::Text(text))) => {
                    count(&shared.counted.commands);
                    spawn::detached("session", super::commands::carry_out(self.clone(), shared.clone(), text));
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                Some(Ok(_)) => {}
            }
        }
        self.state().out = None;
        writer.abort();
    }
}

async fn write(mut sink: impl futures::Sink<Message> + Unpin, mut outgoing: UnboundedReceiver<Message>) {
    while let Some(message) = outgoing.recv().await {
        if sink.feed(message).await.is_err() {
            return;
        }
        while let Ok(message) = outgoing.try_recv() {
            if sink.feed(message).await.is_err() {
                return;
            }
        }
        if sink.flush().await.is_err() {
            return;
        }
    }
}
