//! The socket of a BiDi session, or of a browser's DevTools, whose messages have the same form: commands go out, answers and
//! events come in.
//!
//! Everything that arrives is taken in by one task in its order, so that an event which came before a command's answer is known
//! when the answer is. Between two messages a socket holds no buffer to speak of, since a crawler has a thousand of them:
//! tungstenite, which connects, would keep room for the largest message of each direction, and so soketto reads and writes.

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

/// Bytes that go out together: a frame's header with its command. A large message needs no room here.
const WRITTEN: usize = 1024;

/// What the specification calls a driver's refusals after which it answers nothing.
const FINAL: [&str; 4] = [CLOSED, "invalid session id", "session not created", "unable to close browser"];
const CLOSED: &str = "<socket>";

/// Hears the events of a session. It is called while the socket is read, so it must not wait.
pub(super) trait Listener: Send + Sync {
    /// An event came.
    fn hear(&self, method: &str, params: &Value);
}

/// Why a command was not carried out, in BiDi's words; `<socket>` where the socket is closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) error: String,
    pub(super) message: String,
}

impl Refused {
    fn closed() -> Refused {
        Refused { error: CLOSED.to_owned(), message: "the socket of the session is closed".to_owned() }
    }

    /// Whether there will be no answer any more to whatever is asked.
    pub(super) fn is_final(&self) -> bool {
        FINAL.contains(&self.error.as_str())
    }
}

/// A connected socket. Clones are the same one; it is closed with the last of them.
#[derive(Clone)]
pub(crate) struct Socket {
    ends: Arc<Ends>,
}

struct Ends {
    out: UnboundedSender<String>,
    shared: Arc<Shared>,
    /// Ends with the socket; the writer ends by itself, when the last command has gone out.
    _reader: AbortOnDropHandle<()>,
}

#[derive(Default)]
struct Shared {
    last: AtomicU64,
    bytes: AtomicU64,
    ended: CancellationToken,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: HashMap<u64, oneshot::Sender<Result<Value, Refused>>>,
    listeners: Vec<Weak<dyn Listener>>,
    is_closed: bool,
}

#[derive(Serialize)]
struct Command<'c> {
    id: u64,
    method: &'c str,
    params: &'c Value,
}

/// What arrives: an answer has an id, an event has none.
#[derive(Deserialize)]
struct Arrived<'a> {
    id: Option<u64>,
    result: Option<Value>,
    #[serde(borrow)]
    error: Option<Reason<'a>>,
    #[serde(borrow)]
    message: Option<Cow<'a, str>>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    params: Option<Value>,
}

/// What a refusal says: BiDi names it and puts the message beside it, DevTools puts both inside.
#[derive(Deserialize)]
#[serde(untagged)]
enum Reason<'a> {
    Named(#[serde(borrow)] Cow<'a, str>),
    Numbered { code: i64, message: String },
}

impl Socket {
    /// Connects to the address that a session names for it.
    ///
    /// # Errors
    /// A sentence about what failed.
    pub(crate) async fn connect(url: &str) -> Result<Socket, String> {
        // Commands are small, and somebody waits for each.
        let at_once = true;
        let connected = connect_async_with_config(url, None, at_once).await;
        let (stream, _) = connected.map_err(|error| format!("{url}: {error}"))?;
        // A driver says nothing before it is asked, so that nothing is left in the buffers that end here.
        let stream = BufWriter::with_capacity(WRITTEN, stream.into_inner().compat());
        let (mut sender, mut receiver) = soketto::connection::Builder::new(stream, Mode::Client).finish();
        let (out, mut commands) = unbounded_channel::<String>();
        let shared = Arc::new(Shared::default());
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
        Ok(Socket { ends: Arc::new(Ends { out, shared, _reader }) })
    }

    /// Sends a command and waits for its answer, for ever where none comes.
    ///
    /// # Errors
    /// [`Refused`].
    pub(super) async fn ask(&self, method: &str, params: &Value) -> Result<Value, Refused> {
        let Ends { out, shared, .. } = self.ends.as_ref();
        let id = shared.last.fetch_add(1, Ordering::Relaxed) + 1;
        let command = serde_json::to_string(&Command { id, method, params })
            .map_err(|error| Refused { error: "invalid argument".to_owned(), message: error.to_string() })?;
        shared.bytes.fetch_add(command.len() as u64, Ordering::Relaxed);
        let (tell, told) = oneshot::channel();
        {
            let mut state = shared.state();
            if state.is_closed {
                return Err(Refused::closed());
            }
            state.waiting.insert(id, tell);
        }
        let _forgotten = Forgotten { shared, id };
        out.send(command).map_err(|_| Refused::closed())?;
        told.await.unwrap_or_else(|_| Err(Refused::closed()))
    }

    /// Waits until nothing arrives any more.
    pub(super) async fn closed(&self) {
        self.ends.shared.ended.cancelled().await;
    }

    /// Bytes of all messages so far, both ways.
    pub(crate) fn bytes(&self) -> u64 {
        self.ends.shared.bytes.load(Ordering::Relaxed)
    }

    /// Lets somebody hear all events from now on, for as long as it lives.
    pub(super) fn tell(&self, listener: Weak<dyn Listener>) {
        self.ends.shared.state().listeners.push(listener);
    }
}

/// Takes a command off the list of those that wait, when nobody waits for its answer any more.
struct Forgotten<'s> {
    shared: &'s Shared,
    id: u64,
}

impl Drop for Forgotten<'_> {
    fn drop(&mut self) {
        self.shared.state().waiting.remove(&self.id);
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    fn take_in(&self, message: &[u8]) {
        let arrived: Arrived<'_> = match serde_json::from_slice(message) {
            Ok(arrived) => arrived,
            Err(error) => {
                tracing::debug!(%error, "a message of a session cannot be read");
                return;
            }
        };
        if let Some(id) = arrived.id {
            let waiting = self.state().waiting.remove(&id);
            if let Some(tell) = waiting {
                // Whoever asked may have given up.
                let _ = tell.send(arrived.answer());
            }
        } else if let (Some(method), Some(params)) = (arrived.method, arrived.params) {
            // Called without the lock: whoever hears may ask.
            let listeners: Vec<Arc<dyn Listener>> = {
                let mut state = self.state();
                state.listeners.retain(|listener| listener.strong_count() > 0);
                state.listeners.iter().filter_map(Weak::upgrade).collect()
            };
            for listener in listeners {
                listener.hear(&method, &params);
            }
        }
    }

    /// Nothing arrives any more: everybody who waits is told.
    fn close(&self) {
        let waiting = {
            let mut state = self.state();
            state.is_closed = true;
            std::mem::take(&mut state.waiting)
        };
        for tell in waiting.into_values() {
            let _ = tell.send(Err(Refused::closed()));
        }
        self.ended.cancel();
    }
}

impl Arrived<'_> {
    fn answer(self) -> Result<Value, Refused> {
        match self.error {
            Some(Reason::Numbered { code, message }) => Err(Refused { error: code.to_string(), message }),
            Some(Reason::Named(error)) => {
                let message = self.message.unwrap_or_default().into_owned();
                Err(Refused { error: error.into_owned(), message })
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
        fn hear(&self, method: &str, params: &Value) {
            self.0.lock().push(format!("{method} {}", params["text"].as_str().unwrap()));
        }
    }

    #[tokio::test]
    async fn what_came_before_an_answer_is_known_when_the_answer_is() {
        let url = driver(vec![r#"{"type":"success","id":ID,"result":{"context":"1"}}"#]).await;
        let socket = Socket::connect(&url).await.unwrap();
        let heard = Arc::new(Heard::default());
        let listener: Arc<dyn Listener> = heard.clone();
        socket.tell(Arc::downgrade(&listener));
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
        assert!(socket.ends.shared.state().is_closed);
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
        assert!(socket.ends.shared.state().waiting.is_empty());
    }
}
