//! The socket of a BiDi session, or of a browser's DevTools, whose messages have the same form: commands go out, answers and
//! events come in.
//!
//! One task handles all incoming messages in order, so an event that came before a command's answer is known when the
//! answer is. An idle socket holds almost no buffer, since a crawler has a thousand of them: tungstenite only connects,
//! because it would keep buffers for the largest message of each direction; soketto reads and writes.

use futures::io::BufWriter;
use parking_lot::{Mutex, MutexGuard};
use platform::spawn;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use soketto::connection::Mode;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio_tungstenite::connect_async_with_config;
use tokio_util::compat::TokioAsyncReadCompatExt as _;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// Size of the write buffer in bytes: room for a frame header and a short command. Large messages bypass it.
const WRITTEN: usize = 1024;

/// Errors of the specification after which a driver answers nothing more.
const FINAL: [&str; 4] = [CLOSED, "invalid session id", "session not created", "unable to close browser"];
const CLOSED: &str = "<socket>";

/// Receives a session's events. Called from the reading task, so it must not block.
pub(super) trait Listener: Send + Sync {
    /// Handles an event.
    fn on_event(&self, method: &str, params: &Value);
}

/// Why a command failed, as a BiDi error code; `<socket>` if the socket is closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CommandError {
    pub(super) error: String,
    pub(super) message: String,
}

impl CommandError {
    fn closed() -> CommandError {
        CommandError { error: CLOSED.to_owned(), message: "the socket of the session is closed".to_owned() }
    }

    /// Whether no further command will be answered.
    pub(super) fn is_final(&self) -> bool {
        FINAL.contains(&self.error.as_str())
    }
}

/// A connected socket. Clones share it; the last one closes it.
#[derive(Clone)]
pub(crate) struct Socket {
    ends: Arc<Connection>,
}

struct Connection {
    out: UnboundedSender<String>,
    shared: Arc<SocketShared>,
    /// Aborts the reader with the socket; the writer ends once the last command is sent.
    _reader: AbortOnDropHandle<()>,
}

#[derive(Default)]
struct SocketShared {
    last: AtomicU64,
    bytes: AtomicU64,
    ended: CancellationToken,
    pending: Mutex<Pending>,
}

#[derive(Default)]
struct Pending {
    waiting: HashMap<u64, oneshot::Sender<Result<Value, CommandError>>>,
    listeners: Vec<Weak<dyn Listener>>,
    is_closed: bool,
}

#[derive(Serialize)]
struct Command<'c> {
    id: u64,
    method: &'c str,
    params: &'c Value,
}

/// An incoming message: an answer has an id, an event has none.
#[derive(Deserialize)]
struct Message<'a> {
    id: Option<u64>,
    result: Option<Value>,
    #[serde(borrow)]
    error: Option<ErrorReason<'a>>,
    #[serde(borrow)]
    message: Option<Cow<'a, str>>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    params: Option<Value>,
}

/// The error of an answer: BiDi gives a code with the message beside it, DevTools nests both.
#[derive(Deserialize)]
#[serde(untagged)]
enum ErrorReason<'a> {
    Named(#[serde(borrow)] Cow<'a, str>),
    Numbered { code: i64, message: String },
}

impl Socket {
    /// Connects to a session's WebSocket address.
    ///
    /// # Errors
    /// A sentence about what failed.
    pub(crate) async fn connect(url: &str) -> Result<Socket, String> {
        // Disables Nagle's algorithm: commands are small and a caller waits for each.
        let at_once = true;
        let connected = connect_async_with_config(url, None, at_once).await;
        let (stream, _) = connected.map_err(|error| format!("{url}: {error}"))?;
        // A driver sends nothing before the first command, so the dropped buffers are empty.
        let stream = BufWriter::with_capacity(WRITTEN, stream.into_inner().compat());
        let (mut sender, mut receiver) = soketto::connection::Builder::new(stream, Mode::Client).finish();
        let (out, mut commands) = unbounded_channel::<String>();
        let shared = Arc::new(SocketShared::default());
        spawn::detached("writer of a socket", async move {
            while let Some(command) = commands.recv().await {
                if sender.send_text_owned(command).await.is_err() || sender.flush().await.is_err() {
                    break;
                }
            }
            let _ = sender.close().await;
        });
        let taking_in = shared.clone();
        let _reader = spawn::owned("reader of a socket", async move {
            loop {
                let mut message = Vec::new();
                if receiver.receive_data(&mut message).await.is_err() {
                    break;
                }
                taking_in.bytes.fetch_add(message.len() as u64, Ordering::Relaxed);
                taking_in.take_in(&message);
            }
            taking_in.close();
        });
        Ok(Socket { ends: Arc::new(Connection { out, shared, _reader }) })
    }

    /// Sends a command and waits for its answer, without a deadline.
    ///
    /// # Errors
    /// [`CommandError`].
    pub(super) async fn ask(&self, method: &str, params: &Value) -> Result<Value, CommandError> {
        let Connection { out, shared, .. } = self.ends.as_ref();
        let id = shared.last.fetch_add(1, Ordering::Relaxed) + 1;
        let command = serde_json::to_string(&Command { id, method, params })
            .map_err(|error| CommandError { error: "invalid argument".to_owned(), message: error.to_string() })?;
        shared.bytes.fetch_add(command.len() as u64, Ordering::Relaxed);
        let (tell, told) = oneshot::channel();
        {
            let mut pending = shared.pending();
            if pending.is_closed {
                return Err(CommandError::closed());
            }
            pending.waiting.insert(id, tell);
        }
        let _forgotten = ForgetOnDrop { shared, id };
        out.send(command).map_err(|_| CommandError::closed())?;
        told.await.unwrap_or_else(|_| Err(CommandError::closed()))
    }

    /// Waits until the socket is closed.
    pub(super) async fn closed(&self) {
        self.ends.shared.ended.cancelled().await;
    }

    /// Bytes of all messages so far, both ways.
    pub(crate) fn bytes(&self) -> u64 {
        self.ends.shared.bytes.load(Ordering::Relaxed)
    }

    /// Registers a listener for all events, until it is dropped.
    pub(super) fn add_listener(&self, listener: Weak<dyn Listener>) {
        self.ends.shared.pending().listeners.push(listener);
    }
}

/// Removes a command from the waiting ones when its caller gives up.
struct ForgetOnDrop<'s> {
    shared: &'s SocketShared,
    id: u64,
}

impl Drop for ForgetOnDrop<'_> {
    fn drop(&mut self) {
        self.shared.pending().waiting.remove(&self.id);
    }
}

impl SocketShared {
    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock()
    }

    fn take_in(&self, message: &[u8]) {
        let arrived: Message<'_> = match serde_json::from_slice(message) {
            Ok(arrived) => arrived,
            Err(error) => {
                tracing::debug!(%error, "a message of a session cannot be read");
                return;
            }
        };
        if let Some(id) = arrived.id {
            let waiting = self.pending().waiting.remove(&id);
            if let Some(tell) = waiting {
                // Whoever asked may have given up.
                let _ = tell.send(arrived.answer());
            }
        } else if let (Some(method), Some(params)) = (arrived.method, arrived.params) {
            // Called without the lock, since a listener may send a command.
            let listeners: Vec<Arc<dyn Listener>> = {
                let mut pending = self.pending();
                pending.listeners.retain(|listener| listener.strong_count() > 0);
                pending.listeners.iter().filter_map(Weak::upgrade).collect()
            };
            for listener in listeners {
                listener.on_event(&method, &params);
            }
        }
    }

    /// Marks the socket as closed and fails every waiting command.
    fn close(&self) {
        let waiting = {
            let mut pending = self.pending();
            pending.is_closed = true;
            std::mem::take(&mut pending.waiting)
        };
        for tell in waiting.into_values() {
            let _ = tell.send(Err(CommandError::closed()));
        }
        self.ended.cancel();
    }
}

impl Message<'_> {
    fn answer(self) -> Result<Value, CommandError> {
        match self.error {
            Some(ErrorReason::Numbered { code, message }) => Err(CommandError { error: code.to_string(), message }),
            Some(ErrorReason::Named(error)) => {
                let message = self.message.unwrap_or_default().into_owned();
                Err(CommandError { error: error.into_owned(), message })
            }
            None => Ok(self.result.unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::{SinkExt as _, StreamExt as _};
    use serde_json::json;
    use std::time::Duration;
    use tokio::net::TcpListener;
    use tokio::time::timeout;
    use tokio_tungstenite::tungstenite::Message;

    /// Answers as often as it is told to, each time after an event, then closes. (WebSockets are more than a mock of HTTP does.)
    async fn driver(answers: Vec<&'static str>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("ws://{}/", listener.local_addr().unwrap());
        spawn::detached("driver", async move {
            let (stream, _) = listener.accept().await.unwrap();
            let mut stream = tokio_tungstenite::accept_async(stream).await.unwrap();
            for answer in answers {
                let command = stream.next().await.unwrap().unwrap();
                let command: Value = serde_json::from_str(command.to_text().unwrap()).unwrap();
                let event = json!({"type": "event", "method": "log.entryAdded", "params": {"text": command["method"]}});
                stream.send(Message::text(event.to_string())).await.unwrap();
                stream.send(Message::text(answer.replace("ID", &command["id"].to_string()))).await.unwrap();
            }
        });
        url
    }

    #[derive(Default)]
    struct Heard(Mutex<Vec<String>>);

    impl Listener for Heard {
        fn on_event(&self, method: &str, params: &Value) {
            self.0.lock().push(format!("{method} {}", params["text"].as_str().unwrap()));
        }
    }

    #[tokio::test]
    async fn what_came_before_an_answer_is_known_when_the_answer_is() {
        let url = driver(vec![r#"{"type":"success","id":ID,"result":{"context":"1"}}"#]).await;
        let socket = Socket::connect(&url).await.unwrap();
        let heard = Arc::new(Heard::default());
        let listener: Arc<dyn Listener> = heard.clone();
        socket.add_listener(Arc::downgrade(&listener));
        let answer = socket.ask("browsingContext.create", &json!({"type": "tab"})).await.unwrap();
        assert_eq!(answer, json!({"context": "1"}));
        assert_eq!(*heard.0.lock(), ["log.entryAdded browsingContext.create"]);
    }

    #[tokio::test]
    async fn a_refusal_has_the_drivers_words_and_a_closed_socket_refuses_everything() {
        let refusal = r#"{"type":"error","id":ID,"error":"no such frame","message":"\"gone\"","stacktrace":""}"#;
        let url = driver(vec![refusal]).await;
        let socket = Socket::connect(&url).await.unwrap();
        let refused = socket.ask("browsingContext.close", &json!({})).await.unwrap_err();
        let said = (refused.error.as_str(), refused.message.as_str(), refused.is_final());
        assert_eq!(said, ("no such frame", "\"gone\"", false));
        assert!(socket.ask("session.status", &json!({})).await.unwrap_err().is_final());
        assert!(socket.ends.shared.pending().is_closed);
    }

    #[tokio::test]
    async fn a_refusal_of_devtools_is_one_too() {
        let refusal = r#"{"id":ID,"error":{"code":-32601,"message":"'Page.fly' wasn't found"}}"#;
        let socket = Socket::connect(&driver(vec![refusal]).await).await.unwrap();
        let refused = socket.ask("Page.fly", &json!({})).await.unwrap_err();
        assert_eq!((refused.error.as_str(), refused.message.as_str()), ("-32601", "'Page.fly' wasn't found"));
    }

    #[tokio::test]
    async fn what_is_no_websocket_is_named() {
        let server = wiremock::MockServer::start().await; // answers 404
        let url = format!("ws://{}/session", server.address());
        let error = Socket::connect(&url).await.err().unwrap();
        assert!(error.contains("404") && error.contains(&url), "{error}");
        assert!(Socket::connect("http://").await.is_err());
    }

    #[tokio::test]
    async fn who_gives_up_is_not_waited_for() {
        let url = driver(vec![r#"{"type":"success","id":7,"result":null}"#, ""]).await;
        let socket = Socket::connect(&url).await.unwrap();
        let params = json!({});
        let given_up = timeout(Duration::from_millis(100), socket.ask("session.status", &params)).await;
        assert!(given_up.is_err());
        assert!(socket.ends.shared.pending().waiting.is_empty());
    }
}
