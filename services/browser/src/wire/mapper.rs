//! Keeps the page small in which Chromium's driver translates BiDi into DevTools commands.
//!
//! Chromium (seen in 156) appends every message of a session, in both directions, as text to that page, keeps the last
//! four hundred there, and lays them out and paints them although nobody sees the page. For a long message, such as an
//! observation or a picture, this costs more than the message itself. The page's garbage is also collected late, since
//! it is small compared with its limit.
//!
//! BiDi does not reach that page, so this uses the browser's DevTools. A session also works without them, at the usual
//! cost.

use super::WireError;
use super::bidi::ask;
use super::socket::{Listener, Socket};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// The page's title.
const TITLE: &str = "BiDi-CDP Mapper";

/// Deadline for these optional commands.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);

/// Script that clears the page's log and keeps it empty; returns whether the page has a log.
const FORGET: &str = "(() => { const logs = document.getElementById('logs'); if (!logs) return false; \
    logs.appendChild = (line) => line; logs.replaceChildren(); return true; })()";

/// Bytes of messages after which the driver's page is collected: it holds about thirty times as much garbage.
pub(crate) const SWEEP_AFTER: u64 = 256 << 10;

/// The mapper page of one session's driver, with its log disabled.
pub(crate) struct Mapper {
    /// The address of the browser's DevTools.
    devtools: String,
    /// The page's target id, found before any page under test could use the same title.
    page: Value,
    /// Bytes of messages at the last collection.
    swept_at: AtomicU64,
}

impl Mapper {
    /// Disables the log of the mapper page in the browser with this DevTools address. None where it cannot be reached;
    /// then it is not tried again.
    pub(crate) async fn quiet(devtools: String) -> Option<Mapper> {
        let quieted = async {
            let socket = Socket::connect(&devtools).await.map_err(WireError::Driver)?;
            let page = find(&socket).await?;
            let forgets = command(&socket, &page, "Runtime.evaluate", json!({"expression": FORGET})).await?;
            Ok::<_, WireError>((page, forgets["result"]["value"] == true))
        };
        match timeout(PATIENCE, quieted).await.unwrap_or(Err(WireError::Timeout("DevTools"))) {
            Ok((page, forgets)) => {
                if !forgets {
                    tracing::debug!("the driver's page keeps its messages elsewhere than known");
                }
                Some(Mapper { devtools, page, swept_at: AtomicU64::new(0) })
            }
            Err(trouble) => {
                tracing::debug!(%trouble, "the driver's page goes on keeping messages");
                None
            }
        }
    }

    /// Collects the page's garbage if enough bytes went through it since the last time. `bytes` counts the session's
    /// messages so far. Blocks the session for 30 to 70 ms.
    pub(crate) async fn sweep(&self, bytes: u64) {
        let swept = self.swept_at.load(Ordering::Relaxed);
        // Of several profiles that open at once, only one collects.
        let is_due = bytes.saturating_sub(swept) >= SWEEP_AFTER
            && self.swept_at.compare_exchange(swept, bytes, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if is_due && let Err(trouble) = self.command("HeapProfiler.collectGarbage", json!({})).await {
            tracing::debug!(%trouble, "the driver's page is not swept, now or later");
            self.swept_at.store(u64::MAX, Ordering::Relaxed);
        }
    }

    /// Sends a command to the page over a new connection; returns its result.
    async fn command(&self, method: &str, params: Value) -> Result<Value, WireError> {
        let answered = async {
            let socket = Socket::connect(&self.devtools).await.map_err(WireError::Driver)?;
            command(&socket, &self.page, method, params).await
        };
        timeout(PATIENCE, answered).await.unwrap_or(Err(WireError::Timeout("DevTools")))
    }
}

/// The driver's page.
async fn find(socket: &Socket) -> Result<Value, WireError> {
    // An empty filter lists hidden pages too.
    let targets = ask(socket, "Target.getTargets", json!({"filter": [{}]}), PATIENCE).await?;
    let mut pages = targets["targetInfos"].as_array().into_iter().flatten().filter(|target| target["type"] == "page");
    let page = pages.find(|target| target["title"] == TITLE);
    let page = page.ok_or_else(|| WireError::Driver("the browser has no page of its driver".to_owned()))?;
    Ok(page["targetId"].clone())
}

async fn command(socket: &Socket, page: &Value, method: &str, params: Value) -> Result<Value, WireError> {
    let attach = json!({"targetId": page, "flatten": false});
    let attached = ask(socket, "Target.attachToTarget", attach, PATIENCE).await?;
    let (told, reply) = oneshot::channel();
    let listener: Arc<dyn Listener> = Arc::new(Reply(Mutex::new(Some(told))));
    socket.add_listener(Arc::downgrade(&listener));
    let command = json!({"id": 1, "method": method, "params": params}).to_string();
    let message = json!({"sessionId": attached["sessionId"], "message": command});
    ask(socket, "Target.sendMessageToTarget", message, PATIENCE).await?;
    let reply = tokio::select! {
        reply = reply => reply.ok(),
        () = socket.closed() => None,
    };
    let reply = reply.ok_or_else(|| WireError::Driver("the driver's page does not reply".to_owned()))?;
    let mut reply: Value = serde_json::from_str(&reply).map_err(|error| WireError::Driver(error.to_string()))?;
    match &reply["error"] {
        Value::Null => Ok(reply["result"].take()),
        error => Err(WireError::Driver(format!("{method}: {error}"))),
    }
}

/// Receives the page's reply, which arrives as a browser event.
struct Reply(Mutex<Option<oneshot::Sender<String>>>);

impl Listener for Reply {
    fn on_event(&self, method: &str, params: &Value) {
        if method == "Target.receivedMessageFromTarget"
            && let Some(message) = params["message"].as_str()
            && let Some(told) = self.0.lock().take()
        {
            // The caller may have given up.
            let _ = told.send(message.to_owned());
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use futures::{SinkExt as _, StreamExt as _};
    use platform::spawn;
    use tokio::net::TcpListener;
    use tokio_tungstenite::tungstenite::Message;

    /// The bytes of messages there had been when the page was last swept.
    pub(crate) fn swept_at(mapper: &Mapper) -> u64 {
        mapper.swept_at.load(Ordering::Relaxed)
    }

    /// Lines that the page keeps, and bytes of its heap in use.
    pub(crate) async fn kept(mapper: &Mapper) -> (u64, f64) {
        let lines = json!({"expression": "document.getElementById('logs').childNodes.length"});
        let lines = mapper.command("Runtime.evaluate", lines).await.unwrap();
        let heap = mapper.command("Runtime.getHeapUsage", json!({})).await.unwrap();
        (lines["result"]["value"].as_u64().unwrap(), heap["usedSize"].as_f64().unwrap())
    }

    /// The DevTools of a browser whose driver's page replies to so many commands; at the next one they close the connection.
    /// Answers their address, and how often somebody connected. (WebSockets are more than a mock of HTTP does.)
    async fn devtools(replies: usize) -> (String, Arc<AtomicU64>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("ws://{}/", listener.local_addr().unwrap());
        let connected = Arc::new(AtomicU64::new(0));
        let counted = connected.clone();
        spawn::detached("devtools", async move {
            let mut left = replies;
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                counted.fetch_add(1, Ordering::Relaxed);
                let mut stream = tokio_tungstenite::accept_async(stream).await.unwrap();
                while let Some(Ok(Message::Text(command))) = stream.next().await {
                    let command: Value = serde_json::from_str(&command).unwrap();
                    let result = match command["method"].as_str().unwrap() {
                        "Target.getTargets" => {
                            json!({"targetInfos": [{"type": "page", "title": TITLE, "targetId": "7"}]})
                        }
                        "Target.attachToTarget" if command["params"]["targetId"] == "7" => json!({"sessionId": "8"}),
                        _ => json!({}),
                    };
                    let answer = json!({"id": command["id"], "result": result});
                    stream.send(Message::text(answer.to_string())).await.unwrap();
                    if command["method"] == "Target.sendMessageToTarget" {
                        if left == 0 {
                            break;
                        }
                        left -= 1;
                        let reply = json!({"id": 1, "result": {"result": {"value": true}}}).to_string();
                        let event = json!({"method": "Target.receivedMessageFromTarget", "params": {"message": reply}});
                        stream.send(Message::text(event.to_string())).await.unwrap();
                    }
                }
            }
        });
        (url, connected)
    }

    #[tokio::test]
    async fn a_connection_that_closes_in_the_middle_of_a_sweep_is_not_waited_for_nor_tried_again() {
        let (url, connected) = devtools(2).await;
        let mapper = Mapper::quiet(url).await.expect("a page");
        mapper.sweep(SWEEP_AFTER).await;
        assert_eq!((connected.load(Ordering::Relaxed), swept_at(&mapper)), (2, SWEEP_AFTER));
        let sweep = mapper.sweep(2 * SWEEP_AFTER);
        timeout(PATIENCE / 2, sweep).await.expect("nobody waits for what cannot come");
        mapper.sweep(9 * SWEEP_AFTER).await;
        assert_eq!(connected.load(Ordering::Relaxed), 3, "tried again");
    }

    #[tokio::test]
    async fn where_devtools_cannot_be_reached_a_session_does_without() {
        assert!(Mapper::quiet("ws://127.0.0.1:9/".to_owned()).await.is_none());
    }
}
