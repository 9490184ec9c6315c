//! Client for a Selenium Grid's own API: capacity, sessions, and ending orphaned sessions.

use crate::browser::driver_client;
use crate::error::Error;
use domain::text::shorten;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;
use url::Url;

/// The capability that names a session's owner.
pub(crate) const OWNER: &str = "rutter:owner";

/// Deadline for the Grid's answer.
const ANSWER: Duration = Duration::from_secs(10);

/// A Grid's hub or router.
#[derive(Clone, Debug)]
pub struct Grid {
    endpoint: Url,
    client: reqwest::Client,
}

/// The Grid's capacity and use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GridCapacity {
    /// Slots for concurrent sessions, over all running nodes.
    pub slots: u32,
    /// Current sessions.
    pub sessions: u32,
    /// Session requests in the queue.
    pub queued: u32,
}

/// A session of the Grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridSession {
    /// Its id.
    pub id: String,
    /// The owner that requested it; none for sessions of other programs.
    pub owner: Option<String>,
}

/// Why the Grid's API gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum GridError {
    /// It cannot be reached.
    #[error("ask the Grid at {url}: {cause}; check that its hub is up and reachable from this machine")]
    Away {
        /// The address, without credentials.
        url: String,
        /// The connection's error.
        cause: String,
    },
    /// Something else answers there.
    #[error("ask the Grid at {url}: the answer is not that of a Selenium Grid 4 ({cause}); check the address")]
    NoGrid {
        /// The address, without credentials.
        url: String,
        /// What is wrong with the answer.
        cause: String,
    },
}

#[derive(Deserialize)]
struct GraphQlReply {
    data: Data,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    grid: Option<Counts>,
    sessions_info: Option<Sessions>,
    session: Option<Held>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Held {
    node_uri: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Counts {
    max_session: u32,
    session_count: u32,
    session_queue_size: u32,
}

#[derive(Deserialize)]
struct Sessions {
    sessions: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    id: String,
    /// Capabilities as JSON in a string.
    capabilities: String,
}

impl Grid {
    /// A client for the Grid at an address. Sends nothing yet.
    ///
    /// # Errors
    /// [`Error::Session`] when the machine's certificate authorities cannot be read.
    pub fn new(endpoint: Url) -> Result<Grid, Error> {
        Ok(Grid::asked_by(driver_client()?, endpoint))
    }

    /// The same, by a client that there is already.
    pub(crate) fn asked_by(client: reqwest::Client, endpoint: Url) -> Grid {
        Grid { endpoint, client }
    }

    /// Reads capacity and use.
    ///
    /// # Errors
    /// [`GridError`].
    pub async fn capacity(&self) -> Result<GridCapacity, GridError> {
        let data = self.ask("{ grid { maxSession sessionCount sessionQueueSize } }").await?;
        let counts = data.grid.ok_or_else(|| self.no_grid("it has no field `grid`"))?;
        Ok(GridCapacity {
            slots: counts.max_session,
            sessions: counts.session_count,
            queued: counts.session_queue_size,
        })
    }

    /// Lists the sessions.
    ///
    /// # Errors
    /// [`GridError`].
    pub async fn sessions(&self) -> Result<Vec<GridSession>, GridError> {
        let data = self.ask("{ sessionsInfo { sessions { id capabilities } } }").await?;
        let listed = data.sessions_info.ok_or_else(|| self.no_grid("it has no field `sessionsInfo`"))?.sessions;
        Ok(listed
            .into_iter()
            .map(|Listed { id, capabilities }| GridSession { id, owner: owner(&capabilities) })
            .collect())
    }

    /// The address of the node that holds a session; none where the Grid does not say.
    ///
    /// # Errors
    /// [`GridError`].
    pub async fn node_of(&self, session: &str) -> Result<Option<Url>, GridError> {
        let id = Value::from(session);
        let data = self.ask(&format!("{{ session(id: {id}) {{ nodeUri }} }}")).await?;
        Ok(data.session.and_then(|held| held.node_uri.parse().ok()))
    }

    /// Ends a session; one that has already ended is no error.
    ///
    /// # Errors
    /// [`GridError::Away`].
    pub async fn end(&self, session: &str) -> Result<(), GridError> {
        let mut url = self.endpoint.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(["session", session]);
        }
        self.client.delete(url).timeout(ANSWER).send().await.map(|_| ()).map_err(|error| self.away(&error))
    }

    async fn ask(&self, query: &str) -> Result<Data, GridError> {
        let mut url = self.endpoint.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().push("graphql");
        }
        let asked = self.client.post(url).timeout(ANSWER).json(&json!({"query": query})).send().await;
        let text = asked.map_err(|error| self.away(&error))?.text().await.map_err(|error| self.away(&error))?;
        serde_json::from_str::<GraphQlReply>(&text)
            .map(|answer| answer.data)
            .map_err(|error| self.no_grid(&format!("{error}, it begins with {:?}", shorten(&text, 60))))
    }

    fn away(&self, error: &reqwest::Error) -> GridError {
        let cause = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
        let cause = cause.last().map(ToString::to_string).unwrap_or_default();
        GridError::Away { url: self.url(), cause }
    }

    fn no_grid(&self, cause: &str) -> GridError {
        GridError::NoGrid { url: self.url(), cause: cause.to_owned() }
    }

    fn url(&self) -> String {
        crate::session::without_credentials(self.endpoint.as_str())
    }
}

fn owner(capabilities: &str) -> Option<String> {
    let capabilities: Value = serde_json::from_str(capabilities).ok()?;
    capabilities[OWNER].as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::browser::Browser;
    use crate::error::Error;
    use crate::options::{Options, Protocol};
    use wiremock::matchers::{self, method};
    use wiremock::{Mock, MockServer, ResponseTemplate};

    /// A server that answers requests for this path with this status and body; and its address.
    async fn answering_at(path: &str, status: u16, body: &str) -> (MockServer, Url) {
        let server = MockServer::start().await;
        let kind = if body.starts_with('<') { "text/html" } else { "application/json" };
        let answer = ResponseTemplate::new(status).set_body_raw(body, kind);
        let asked = Mock::given(method("POST")).and(matchers::path(format!("/wd/{path}")));
        asked.respond_with(answer).mount(&server).await;
        let url = format!("http://me:secret@{}/wd/", server.address());
        (server, url.parse().unwrap())
    }

    async fn answering(body: &str) -> (MockServer, Grid) {
        let (server, url) = answering_at("graphql", 200, body).await;
        (server, Grid::new(url).unwrap())
    }

    #[tokio::test]
    async fn capacity_and_owners_are_read() {
        let (_server, grid) =
            answering(r#"{"data":{"grid":{"maxSession":8,"sessionCount":3,"sessionQueueSize":1}}}"#).await;
        assert_eq!(grid.capacity().await.unwrap(), GridCapacity { slots: 8, sessions: 3, queued: 1 });
        let (_server, grid) = answering(
            r#"{"data":{"sessionsInfo":{"sessions":[
                {"id":"a","capabilities":"{\"rutter:owner\": \"crawler-1\"}"},{"id":"b","capabilities":"{}"}]}}}"#,
        )
        .await;
        let owned = |id: &str, owner: Option<&str>| GridSession { id: id.into(), owner: owner.map(str::to_owned) };
        assert_eq!(grid.sessions().await.unwrap(), [owned("a", Some("crawler-1")), owned("b", None)]);
    }

    #[tokio::test]
    async fn the_node_of_a_session_is_read() {
        let (_server, grid) = answering(r#"{"data":{"session":{"nodeUri":"http://10.0.0.2:5555"}}}"#).await;
        assert_eq!(grid.node_of("a").await.unwrap().unwrap().host_str(), Some("10.0.0.2"));
        let (_server, grid) = answering(r#"{"data":{"session":null}}"#).await;
        assert!(grid.node_of("a").await.unwrap().is_none());
    }

    #[tokio::test]
    async fn a_page_of_html_is_no_grid() {
        let (_server, grid) = answering("<html>Welcome to nginx").await;
        let error = grid.capacity().await.unwrap_err().to_string();
        assert!(error.contains("not that of a Selenium Grid 4") && error.contains("Welcome"), "{error}");
    }

    /// How a session is refused by whoever answers with a page.
    async fn refusal(status: u16, wire: Protocol) -> (Error, Url) {
        let (_server, endpoint) = answering_at("session", status, "<!doctype html><html><h1>Welcome</h1></html>").await;
        let options = Options { endpoint: Some(endpoint.clone()), wire, ..Options::default() };
        let Err(error) = Browser::start(options).await else { panic!("a page is no session") };
        (error, endpoint)
    }

    const PAGES: [u16; 4] = [200, 404, 502, 503];

    #[tokio::test]
    async fn a_session_asked_of_a_page_of_html_is_no_slot_and_says_what_was_answered() {
        for status in PAGES {
            for wire in [Protocol::Auto, Protocol::Bidi, Protocol::Classic] {
                let (error, _) = refusal(status, wire).await;
                assert!(error.is_no_slot() && error.is_retryable(), "{status}: {error:?}");
                let text = error.to_string();
                assert!(text.contains("<!doctype html>") || text.contains("HTML"), "{status}: {text}");
                assert!(text.contains(&status.to_string()), "{status}: {text}");
                assert!(!text.contains("secret"), "{status}: {text}");
            }
        }
    }

    #[tokio::test]
    async fn a_session_asked_of_a_page_of_html_names_the_address_that_is_to_be_checked() {
        for status in PAGES {
            let (error, endpoint) = refusal(status, Protocol::Auto).await;
            let address = format!("127.0.0.1:{}", endpoint.port().unwrap());
            assert!(error.to_string().contains(&address), "{status}: {error}");
        }
    }

    #[tokio::test]
    async fn a_grid_that_is_away_is_named() {
        let grid = Grid::new("http://me:secret@127.0.0.1:1/".parse().unwrap()).unwrap();
        let error = grid.capacity().await.unwrap_err().to_string();
        assert!(error.contains("http://127.0.0.1:1/") && !error.contains("secret"), "{error}");
    }
}
