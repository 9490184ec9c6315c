//! A scripted web site on a loopback port of its own: pages from strings, slow answers, redirects, errors, and a record of
//! every request that really arrived.
//!
//! ```no_run
//! # async fn example() {
//! use harness::site::Site;
//! let site = Site::new().page("/", "<button>Go</button>").slow("/slow", 300, "late").start().await;
//! let address = site.url("/");
//! assert!(site.requests().is_empty());
//! # }
//! ```

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use parking_lot::Mutex;
use platform::SystemClock;
use platform::clock::Clock;
use platform::spawn;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tower_http::services::ServeDir;

/// What is answered at one path.
#[derive(Clone, Debug)]
struct CannedAnswer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Bytes,
    delay: Duration,
}

/// A site under construction.
#[derive(Clone, Debug, Default)]
pub struct Site {
    answers: HashMap<String, CannedAnswer>,
    folder: Option<(String, PathBuf)>,
}

impl Site {
    /// A site without pages. What is not scripted is answered 404.
    pub fn new() -> Site {
        Site::default()
    }

    fn answer(self, path: &str, status: u16, headers: &[(&str, &str)], body: &str, delay: u64) -> Site {
        self.raw(path, status, headers, body.to_owned().into(), delay)
    }

    fn raw(mut self, path: &str, status: u16, headers: &[(&str, &str)], body: Bytes, delay: u64) -> Site {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let answer = CannedAnswer { status, headers, body, delay: Duration::from_millis(delay) };
        self.answers.insert(path.to_owned(), answer);
        self
    }

    /// A page. Without a doctype the text becomes the body of a small document.
    pub fn page(self, path: &str, html: &str) -> Site {
        self.answer(path, 200, &[("content-type", "text/html; charset=utf-8")], &document(html), 0)
    }

    /// A page that takes a while, in milliseconds.
    pub fn slow(self, path: &str, delay: u64, html: &str) -> Site {
        self.answer(path, 200, &[("content-type", "text/html; charset=utf-8")], &document(html), delay)
    }

    /// Any text with a content type.
    pub fn file(self, path: &str, content_type: &str, body: &str) -> Site {
        self.answer(path, 200, &[("content-type", content_type)], body, 0)
    }

    /// Any bytes with these response headers.
    pub fn bytes(self, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Site {
        self.raw(path, 200, headers, body.into(), 0)
    }

    /// Any text with a content type that takes a while, in milliseconds.
    pub fn slow_file(self, path: &str, delay: u64, content_type: &str, body: &str) -> Site {
        self.answer(path, 200, &[("content-type", content_type)], body, delay)
    }

    /// A page with further response headers.
    pub fn page_with(self, path: &str, headers: &[(&str, &str)], html: &str) -> Site {
        let mut all = vec![("content-type", "text/html; charset=utf-8")];
        all.extend_from_slice(headers);
        self.answer(path, 200, &all, &document(html), 0)
    }

    /// A redirect.
    pub fn redirect(self, path: &str, to: &str) -> Site {
        self.answer(path, 302, &[("location", to)], "", 0)
    }

    /// A status with headers and nothing else.
    pub fn answers(self, path: &str, status: u16, headers: &[(&str, &str)]) -> Site {
        self.answer(path, status, headers, "", 0)
    }

    /// An answer with an error status.
    pub fn status(self, path: &str, status: u16) -> Site {
        self.answer(path, status, &[("content-type", "text/plain")], &format!("status {status}"), 0)
    }

    /// Files of a folder below a path, for what is not scripted.
    pub fn folder(mut self, path: &str, folder: &Path) -> Site {
        self.folder = Some((path.trim_end_matches('/').to_owned(), folder.to_owned()));
        self
    }

    /// Starts it on a free loopback port.
    pub async fn start(self) -> RunningSite {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free loopback port");
        let address = listener.local_addr().expect("the port just bound");
        let script =
            Arc::new(SiteScript { answers: self.answers, requests: Mutex::default(), clock: SystemClock::default() });
        let router = match &self.folder {
            Some((path, folder)) if path.is_empty() => Router::new().fallback_service(ServeDir::new(folder)),
            Some((path, folder)) => {
                Router::new().nest_service(path, ServeDir::new(folder)).fallback(answer).with_state(script.clone())
            }
            None => Router::new().fallback(answer).with_state(script.clone()),
        };
        let task = spawn::detached("site", async move {
            let _ = axum::serve(listener, router).await;
        });
        RunningSite { address, script, task }
    }
}

struct SiteScript {
    answers: HashMap<String, CannedAnswer>,
    /// When each arrived since the site was started, and what it was.
    requests: Mutex<Vec<(Duration, String)>>,
    clock: SystemClock,
}

async fn answer(State(script): State<Arc<SiteScript>>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
    let line = format!("{} {path}{query}", request.method());
    script.requests.lock().push((script.clock.monotonic(), line));
    let Some(answer) = script.answers.get(&path).cloned() else {
        return respond(StatusCode::NOT_FOUND, &[], Bytes::from_static(b"not scripted"));
    };
    tokio::time::sleep(answer.delay).await;
    respond(StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK), &answer.headers, answer.body)
}

fn respond(status: StatusCode, headers: &[(String, String)], body: Bytes) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    for (name, value) in headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().append(name, value);
        }
    }
    response
}

fn document(html: &str) -> String {
    if html.trim_start().to_lowercase().starts_with("<!doctype") {
        return html.to_owned();
    }
    format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>Test</title><link rel=icon href=data:,></head><body>{html}</body></html>"
    )
}

/// A site that answers until it is dropped.
pub struct RunningSite {
    address: SocketAddr,
    script: Arc<SiteScript>,
    task: JoinHandle<()>,
}

impl RunningSite {
    /// The absolute address of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The same under another name of the same machine, which makes it another origin and another host.
    pub fn other_url(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.address.port())
    }

    /// Host and port.
    pub fn authority(&self) -> String {
        self.address.to_string()
    }

    /// Host and port by the other name.
    pub fn other_authority(&self) -> String {
        format!("localhost:{}", self.address.port())
    }

    /// Requests that arrived, in order: `GET /path?query`.
    pub fn requests(&self) -> Vec<String> {
        self.arrived(|(_, line)| line.clone())
    }

    /// When each request arrived since the site was started, in order.
    pub fn arrivals(&self) -> Vec<Duration> {
        self.arrived(|(at, _)| *at)
    }

    fn arrived<T>(&self, take: impl Fn(&(Duration, String)) -> T) -> Vec<T> {
        self.script.requests.lock().iter().map(take).collect()
    }
}

impl Drop for RunningSite {
    fn drop(&mut self) {
        self.task.abort();
    }
}
