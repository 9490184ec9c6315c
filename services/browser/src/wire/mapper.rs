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
use serde_json::{Value, json};
use std::time::Duration;
use thirtyfour::WebDriver;
use thirtyfour::cdp::CdpSession;
use tokio::time::timeout;

/// What the page calls itself.
const TITLE: &str = "BiDi-CDP Mapper";

/// How long a session waits for what it can do without.
const PATIENCE: Duration = Duration::from_secs(3);

/// Lets the page take no further line, and none of those it has; answers whether it has a place for them.
const FORGET: &str = "(() => { const logs = document.getElementById('logs'); if (!logs) return false; \
    logs.appendChild = (line) => line; logs.replaceChildren(); return true; })()";

/// Stops a session's page from keeping what it translates.
pub(crate) async fn quiet(driver: &WebDriver) {
    match within(PATIENCE, evaluate(driver, FORGET)).await {
        Ok(Value::Bool(true)) => {}
        Ok(_) => tracing::debug!("the driver's page keeps its messages elsewhere than known"),
        Err(trouble) => tracing::debug!(%trouble, "the driver's page goes on keeping messages"),
    }
}

/// Makes a session's page give back the memory of what it has done with. The session waits meanwhile: 30 to 70 ms.
pub(crate) async fn sweep(driver: &WebDriver) {
    if let Err(trouble) = within(PATIENCE, tell(driver, "HeapProfiler.collectGarbage", json!({}))).await {
        tracing::debug!(%trouble, "the driver's page is not swept");
    }
}

async fn within(patience: Duration, told: impl Future<Output = Result<Value, Trouble>>) -> Result<Value, Trouble> {
    timeout(patience, told).await.unwrap_or(Err(Trouble::Timeout("DevTools")))
}

/// The value of an expression in the page.
async fn evaluate(driver: &WebDriver, expression: &str) -> Result<Value, Trouble> {
    let mut answer = tell(driver, "Runtime.evaluate", json!({"expression": expression})).await?;
    Ok(answer["result"]["value"].take())
}

/// Sends a command to the page; answers its result.
async fn tell(driver: &WebDriver, method: &str, params: Value) -> Result<Value, Trouble> {
    let devtools = driver.cdp().connect().await.map_err(|error| Trouble::Driver(error.to_string()))?;
    // Hidden pages are listed on request only.
    let targets = send(&devtools, "Target.getTargets", json!({"filter": [{}]})).await?;
    let mut pages = targets["targetInfos"].as_array().into_iter().flatten().filter(|target| target["type"] == "page");
    let page = pages.find(|target| target["title"] == TITLE);
    let page = page.ok_or_else(|| Trouble::Driver("the browser has no page of its driver".to_owned()))?;
    // Not flat: the client sends within its own session only, so that commands to another target travel as messages.
    let attach = json!({"targetId": page["targetId"], "flatten": false});
    let attached = send(&devtools, "Target.attachToTarget", attach).await?;
    let mut events = devtools.subscribe_connection();
    let command = json!({"id": 1, "method": method, "params": params}).to_string();
    let message = json!({"sessionId": attached["sessionId"], "message": command});
    send(&devtools, "Target.sendMessageToTarget", message).await?;
    loop {
        let event = events.recv().await.map_err(|error| Trouble::Driver(error.to_string()))?;
        if event.method == "Target.receivedMessageFromTarget" {
            let reply = event.params["message"].as_str().unwrap_or_default();
            let mut reply: Value = serde_json::from_str(reply).unwrap_or_default();
            return match &reply["error"] {
                Value::Null => Ok(reply["result"].take()),
                error => Err(Trouble::Driver(format!("{method}: {error}"))),
            };
        }
    }
}

async fn send(devtools: &CdpSession, method: &'static str, params: Value) -> Result<Value, Trouble> {
    let answer = devtools.send_raw(method, params).await;
    answer.map_err(|error| Trouble::Driver(format!("{method}: {error}")))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Lines that the page keeps, and bytes of its heap in use.
    pub(crate) async fn kept(driver: &WebDriver) -> (u64, f64) {
        let lines = evaluate(driver, "document.getElementById('logs').childNodes.length").await.unwrap();
        let heap = tell(driver, "Runtime.getHeapUsage", json!({})).await.unwrap();
        (lines.as_u64().unwrap(), heap["usedSize"].as_f64().unwrap())
    }
}
