//! The hub of a Selenium Grid: which nodes it has, how many sessions each holds, and how one is drained.

use crate::Error;
use serde::Deserialize;
use std::time::Duration;

/// How long the hub may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Asks hubs. Clones share connections.
#[derive(Clone, Debug)]
pub(crate) struct GridClient {
    http: reqwest::Client,
}

/// A node as the hub knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GridNode {
    /// Its name at the hub.
    pub(crate) id: String,
    /// The host of its address.
    pub(crate) host: String,
    /// Whether it takes further sessions.
    pub(crate) is_up: bool,
    /// Sessions that it holds.
    pub(crate) sessions: u64,
}

#[derive(Deserialize)]
struct Status {
    value: Value,
}

#[derive(Deserialize)]
struct Value {
    #[serde(default)]
    nodes: Vec<Reported>,
}

#[derive(Deserialize)]
struct Reported {
    id: String,
    uri: String,
    availability: String,
    #[serde(default)]
    slots: Vec<Slot>,
}

#[derive(Deserialize)]
struct Slot {
    session: Option<serde_json::Value>,
}

impl GridClient {
    /// A client.
    ///
    /// # Errors
    /// [`Error::Settings`] when there is no TLS.
    pub(crate) fn new() -> Result<Self, Error> {
        let http = reqwest::Client::builder().timeout(PATIENCE).no_proxy().build();
        Ok(Self { http: http.map_err(|error| Error::Settings(format!("set up a client for the Grid: {error}")))? })
    }

    /// The nodes of a hub.
    ///
    /// # Errors
    /// [`Error::Grid`].
    pub(crate) async fn nodes(&self, hub: &str) -> Result<Vec<GridNode>, Error> {
        let url = format!("{}/status", hub.trim_end_matches('/'));
        let failed = |cause: String| Error::Grid { doing: "read the nodes of the Grid", url: url.clone(), cause };
        let answer = self.http.get(&url).send().await.map_err(|error| failed(error.to_string()))?;
        let answer = answer.error_for_status().map_err(|error| failed(error.to_string()))?;
        let status: Status = answer.json().await.map_err(|error| failed(error.to_string()))?;
        Ok(status.value.nodes.into_iter().map(GridNode::from).collect())
    }

    /// Asks a node to take no further session, and to end once it holds none.
    ///
    /// # Errors
    /// [`Error::Grid`].
    pub(crate) async fn drain(&self, hub: &str, node: &str, secret: &str) -> Result<(), Error> {
        let url = format!("{}/se/grid/distributor/node/{node}/drain", hub.trim_end_matches('/'));
        let failed = |cause: String| Error::Grid { doing: "drain a node of the Grid", url: url.clone(), cause };
        let asked = self.http.post(&url).header("X-REGISTRATION-SECRET", secret).send().await;
        asked.and_then(reqwest::Response::error_for_status).map_err(|error| failed(error.to_string()))?;
        Ok(())
    }
}

impl From<Reported> for GridNode {
    fn from(node: Reported) -> Self {
        let host = url::Url::parse(&node.uri).ok().and_then(|uri| uri.host_str().map(str::to_owned));
        let sessions = node.slots.iter().filter(|slot| slot.session.is_some()).count() as u64;
        Self { id: node.id, host: host.unwrap_or_default(), is_up: node.availability == "UP", sessions }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_of_a_hub_is_read() {
        let text = r#"{"value": {"ready": true, "nodes": [{"id": "n1", "uri": "http://10.1.0.7:5555", "maxSessions": 2,
            "availability": "DRAINING", "slots": [{"session": {"sessionId": "a"}}, {"session": null}]}]}}"#;
        let status: Status = serde_json::from_str(text).expect("an answer");
        let nodes: Vec<GridNode> = status.value.nodes.into_iter().map(GridNode::from).collect();
        assert_eq!(nodes, [GridNode { id: "n1".into(), host: "10.1.0.7".into(), is_up: false, sessions: 1 }]);
    }
}
