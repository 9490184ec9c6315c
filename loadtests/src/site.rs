//! The site of the wizards, of the maze and of the pages that count clicks: several hosts, each a port of the loopback interface,
//! that remember when each page was loaded.

use crate::{clicks, maze, wizard};
use axum::Router;
use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Json, Response};
use axum::routing::get;
use parking_lot::Mutex;
use platform::spawn;
use platform::{Clock, SystemClock};
use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::AbortHandle;
use url::Url;

/// A running site. Dropping it ends it.
pub struct Site {
    hosts: Vec<(SocketAddr, Arc<Host>)>,
    tasks: Vec<AbortHandle>,
}

/// One host.
struct Host {
    clock: SystemClock,
    /// When each page was loaded.
    loads: Mutex<Vec<Duration>>,
    pages: Arc<Pages>,
    /// How long a page of the maze takes.
    delay: Duration,
}

/// Documents by wizard and page, made when they are first asked for.
#[derive(Default)]
struct Pages(Mutex<HashMap<(u32, u8), axum::body::Bytes>>);

impl Site {
    /// Starts a number of hosts on free ports, with pages that take no time.
    ///
    /// # Errors
    /// When there is no port.
    pub async fn start(hosts: usize) -> io::Result<Site> {
        Site::start_slow(hosts, Duration::ZERO).await
    }

    /// As [`start`](Site::start), with pages of the maze that take some time.
    ///
    /// # Errors
    /// When there is no port.
    pub async fn start_slow(hosts: usize, delay: Duration) -> io::Result<Site> {
        let pages = Arc::new(Pages::default());
        let clock = SystemClock::default();
        let mut site = Site { hosts: Vec::new(), tasks: Vec::new() };
        for _ in 0..hosts {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
            let address = listener.local_addr()?;
            let host = Arc::new(Host { clock, loads: Mutex::default(), pages: pages.clone(), delay });
            let router = Router::new()
                .route("/wizard/{wizard}/{page}", get(page))
                .route("/clicks/{number}", get(counting))
                .route("/maze/{folder}/{page}", get(in_maze))
                .route("/loads", get(loads))
                .with_state(host.clone());
            let served = spawn::detached("site", async move {
                if let Err(error) = axum::serve(listener, router).await {
                    tracing::warn!(%error, "a host of the site ended");
                }
            });
            site.tasks.push(served.abort_handle());
            site.hosts.push((address, host));
        }
        Ok(site)
    }

    /// The hosts' addresses, each with a path of `/`.
    pub fn urls(&self) -> Vec<Url> {
        self.hosts.iter().filter_map(|(address, _)| Url::parse(&format!("http://{address}/")).ok()).collect()
    }

    /// When the pages of a host were loaded, since the site began; none for a host that it does not have.
    pub fn loads(&self, host: usize) -> Vec<Duration> {
        self.hosts.get(host).map(|(_, host)| host.loads()).unwrap_or_default()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl Host {
    /// Remembers that a page was loaded now.
    fn loaded(&self) {
        let now = self.clock.monotonic();
        self.loads.lock().push(now);
    }

    fn loads(&self) -> Vec<Duration> {
        self.loads.lock().clone()
    }
}

async fn page(State(host): State<Arc<Host>>, Path((wizard, page)): Path<(u32, u8)>) -> Response {
    host.loaded();
    if page >= wizard::PAGES {
        return (StatusCode::NOT_FOUND, Html("no such page")).into_response();
    }
    let mut pages = host.pages.0.lock();
    let document = pages.entry((wizard, page)).or_insert_with(|| wizard::html(wizard, page).into()).clone();
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], document).into_response()
}

async fn counting(State(host): State<Arc<Host>>, Path(number): Path<u32>) -> Html<String> {
    host.loaded();
    Html(clicks::html(number))
}

async fn in_maze(State(host): State<Arc<Host>>, uri: Uri) -> Response {
    host.loaded();
    tokio::time::sleep(host.delay).await;
    match maze::parse_path(uri.path()) {
        Some(page) => Html(maze::html(page)).into_response(),
        None => (StatusCode::NOT_FOUND, Html("no such page")).into_response(),
    }
}

/// When each page was loaded, in milliseconds since the site began.
async fn loads(State(host): State<Arc<Host>>) -> Json<Vec<u64>> {
    Json(host.loads().iter().map(|load| load.as_millis() as u64).collect())
}

/// The most events that lie within any window of a length, its end left out. The events are in order.
pub fn busiest(events: &[Duration], window: Duration) -> usize {
    let mut first = 0;
    let mut most = 0;
    for (last, event) in events.iter().enumerate() {
        while *event - events[first] >= window {
            first += 1;
        }
        most = most.max(last - first + 1);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_window_is_found_wherever_it_begins() {
        let events: Vec<Duration> = [0, 100, 900, 1000, 1050, 1899, 1900].map(Duration::from_millis).into();
        assert_eq!(busiest(&events, Duration::from_secs(1)), 4);
        assert_eq!(busiest(&[], Duration::from_secs(1)), 0);
    }

    #[tokio::test]
    async fn a_host_counts_its_own_pages_only() {
        let site = Site::start(2).await.unwrap();
        let url = site.urls()[1].join(&wizard::path(7, 4)).unwrap();
        let text = reqwest::get(url).await.unwrap().text().await.unwrap();
        assert!(text.contains(&wizard::completion(7)));
        assert_eq!((site.loads(0).len(), site.loads(1).len()), (0, 1));
    }
}
