//! The page in which Chromium's driver turns BiDi into DevTools commands.
//!
//! Chromium (seen in 156) writes every message of a session, both ways, as text into that page, keeps the last four hundred
//! of them there, and lays them out and paints them, though nobody sees the page: for a long message, as an observation or a
//! picture is, that is more work than the message itself. What the page has done with is not collected for a long time either,
//! since it is small against what a page may use.
//!
//! None of this is reached over BiDi, so it takes the browser's DevTools. A session works without them too: then everything
//! costs as much as it costs anybody else.

use super::Trouble;
use super::bidi::ask;
use super::socket::{Listener, Socket};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// What the page calls itself.
const TITLE: &str = "BiDi-CDP Mapper";

/// How long a session waits for what it can do without.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);

/// Lets the page take no further line, and none of those it has; answers whether it has a place for them.
const FORGET: &str = "(() => { const logs = document.getElementById('logs'); if (!logs) return false; \
    logs.appendChild = (line) => line; logs.replaceChildren(); return true; })()";

/// Bytes of a session's messages after which its driver's page is swept: it leaves about thirty times as much behind.
pub(crate) const SWEEP_AFTER: u64 = 256 << 10;

/// The page of one session's driver, which keeps nothing of what it translates.
pub(crate) struct Mapper {
    /// The address of the browser's DevTools.
    devtools: String,
    /// The bytes of messages there had been when the page was last swept.
    swept_at: AtomicU64,
}

impl Mapper {
    /// Stops the page of the driver of a browser with this address for its DevTools from keeping messages. None where it cannot
    /// be reached: then it need not be tried again.
    pub(crate) async fn quiet(devtools: String) -> Option<Mapper> {
        let mapper = Mapper { devtools, swept_at: AtomicU64::new(0) };
        match mapper.evaluate(FORGET).await {
            Ok(Value::Bool(true)) => {}
            Ok(_) => tracing::debug!("the driver's page keeps its messages elsewhere than known"),
            Err(trouble) => {
                tracing::debug!(%trouble, "the driver's page goes on keeping messages");
                return None;
            }
        }
        Some(mapper)
    }

    /// Makes the page give back the memory of what it has done with, if so much has gone through it since the last time. `bytes`
    /// are those of the session's messages so far. The session waits meanwhile: 30 to 70 ms.
    pub(crate) async fn sweep(&self, bytes: u64) {
        let swept = self.swept_at.load(Ordering::Relaxed);
        // One of several profiles that open at the same time sweeps.
        let is_due = bytes.saturating_sub(swept) >= SWEEP_AFTER
            && self.swept_at.compare_exchange(swept, bytes, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if is_due && let Err(trouble) = self.command("HeapProfiler.collectGarbage", json!({})).await {
            tracing::debug!(%trouble, "the driver's page is not swept");
        }
    }

    /// The value of an expression in the page.
    async fn evaluate(&self, expression: &str) -> Result<Value, Trouble> {
        let mut answer = self.command("Runtime.evaluate", json!({"expression": expression})).await?;
        Ok(answer["result"]["value"].take())
    }

    /// Sends a command to the page over a connection of its own; answers its result.
    async fn command(&self, method: &str, params: Value) -> Result<Value, Trouble> {
        let answered = async {
            let socket = Socket::connect(&self.devtools).await.map_err(Trouble::Driver)?;
            command(&socket, method, params).await
        };
        timeout(PATIENCE, answered).await.unwrap_or(Err(Trouble::Timeout("DevTools")))
    }
}

async fn command(socket: &Socket, method: &str, params: Value) -> Result<Value, Trouble> {
    // Hidden pages are listed on request only.
    let targets = ask(socket, "Target.getTargets", json!({"filter": [{}]}), PATIENCE).await?;
    let mut pages = targets["targetInfos"].as_array().into_iter().flatten().filter(|target| target["type"] == "page");
    let page = pages.find(|target| target["title"] == TITLE);
    let page = page.ok_or_else(|| Trouble::Driver("the browser has no page of its driver".to_owned()))?;
    let attach = json!({"targetId": page["targetId"], "flatten": false});
    let attached = ask(socket, "Target.attachToTarget", attach, PATIENCE).await?;
    let (told, reply) = oneshot::channel();
    let listener: Arc<dyn Listener> = Arc::new(Reply(Mutex::new(Some(told))));
    socket.tell(Arc::downgrade(&listener));
    let command = json!({"id": 1, "method": method, "params": params}).to_string();
    let message = json!({"sessionId": attached["sessionId"], "message": command});
    ask(socket, "Target.sendMessageToTarget", message, PATIENCE).await?;
    let reply = reply.await.map_err(|_| Trouble::Driver("the driver's page does not reply".to_owned()))?;
    let mut reply: Value = serde_json::from_str(&reply).map_err(|error| Trouble::Driver(error.to_string()))?;
    match &reply["error"] {
        Value::Null => Ok(reply["result"].take()),
        error => Err(Trouble::Driver(format!("{method}: {error}"))),
    }
}

/// Hears the page's reply, which comes as an event of the browser.
struct Reply(Mutex<Option<oneshot::Sender<String>>>);

impl Listener for Reply {
    fn hear(&self, method: &str, params: &Value) {
        if method == "Target.receivedMessageFromTarget"
            && let Some(message) = params["message"].as_str()
            && let Some(told) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
        {
            // Whoever asked may have given up.
            let _ = told.send(message.to_owned());
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The bytes of messages there had been when the page was last swept.
    pub(crate) fn swept_at(mapper: &Mapper) -> u64 {
        mapper.swept_at.load(Ordering::Relaxed)
    }

    /// Lines that the page keeps, and bytes of its heap in use.
    pub(crate) async fn kept(mapper: &Mapper) -> (u64, f64) {
        let lines = mapper.evaluate("document.getElementById('logs').childNodes.length").await.unwrap();
        let heap = mapper.command("Runtime.getHeapUsage", json!({})).await.unwrap();
        (lines.as_u64().unwrap(), heap["usedSize"].as_f64().unwrap())
    }
}
