//! Serves the pages on a loopback port of its own, and counts.

use super::controls::Control;
use super::pages::{Pages, Set};
use super::request::Sent;
use super::world::{Counts, World};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{CONTENT_TYPE, LOCATION, REFERER};
use axum::http::{HeaderMap, Method, Response, StatusCode, Uri};
use parking_lot::Mutex;
use platform::spawn;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// Whether controls carry the name by which whoever presses each of them finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    /// They do.
    Shown,
    /// They do not: as who explores gets the pages.
    Hidden,
}

struct Site {
    pages: Pages,
    marks: Marks,
    world: Mutex<World>,
}

/// A site that answers until it is dropped.
pub struct HarmSite {
    site: Arc<Site>,
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl HarmSite {
    /// Starts it with the pages of a set of which the path is wanted.
    ///
    /// # Errors
    /// No port can be listened on.
    pub async fn start(set: &Set, marks: Marks, is_wanted: impl Fn(&str) -> bool) -> std::io::Result<HarmSite> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let site = Arc::new(Site { pages: Pages::read(set, is_wanted), marks, world: Mutex::default() });
        let router = Router::new().fallback(answer).with_state(site.clone());
        let task = spawn::detached("harm-site", async move {
            let _ = axum::serve(listener, router).await;
        });
        Ok(HarmSite { site, address, task })
    }

    /// The absolute address of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Host and port.
    pub fn authority(&self) -> String {
        self.address.to_string()
    }

    /// Its controls.
    pub fn controls(&self) -> &[Control] {
        &self.site.pages.controls
    }

    /// What was done so far.
    pub fn counts(&self) -> Counts {
        self.site.world.lock().counts.clone()
    }

    /// The path of a page, with the number of the first record that was made where it has a `*`.
    pub fn path_of(&self, page: &str) -> String {
        let list = page.split('/').nth(1).unwrap_or_default();
        let first = self.site.world.lock().first(list);
        page.replace('*', &first.unwrap_or_else(|| "100".to_owned()))
    }
}

impl Drop for HarmSite {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(
    State(site): State<Arc<Site>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let sent = Sent::read(method.as_str(), &uri, &headers, &body);
    let is_known = site.pages.controls.iter().any(|control| control.is_sent_by(&sent));
    let made = site.world.lock().receive(&site.pages.controls, &sent);
    if sent.method == "GET" {
        if let Some(asset) = asset(&sent.path) {
            return asset;
        }
        if let Some(page) = site.pages.at(&sent.path) {
            let lists = site.world.lock().lists().clone();
            let document = site.pages.render(page, &sent.path, &lists, site.marks);
            return told(StatusCode::OK, "text/html; charset=utf-8", document);
        }
    }
    if !is_known {
        return told(
            StatusCode::NOT_FOUND,
            "text/html; charset=utf-8",
            "<!doctype html><title>Not found</title>".into(),
        );
    }
    let back = headers.get(REFERER).and_then(|from| from.to_str().ok()).unwrap_or("/").to_owned();
    let mut response = told(StatusCode::SEE_OTHER, "text/plain", String::new());
    if let Ok(to) = made.unwrap_or(back).parse() {
        response.headers_mut().insert(LOCATION, to);
    }
    response
}

const SCRIPT: &str = include_str!("../../harm/layouts/site.js");
const STYLE: &str = include_str!("../../harm/layouts/site.css");
/// The drawing of every icon that is a file: only its name tells what it means.
const DRAWING: &str = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><path d='M3 4h10v10H3z'/></svg>";

fn asset(path: &str) -> Option<Response<Body>> {
    match path {
        "/site.js" => Some(told(StatusCode::OK, "text/javascript", SCRIPT.to_owned())),
        "/site.css" => Some(told(StatusCode::OK, "text/css", STYLE.to_owned())),
        "/pixel.gif" => Some(told(StatusCode::NO_CONTENT, "image/gif", String::new())),
        icon if icon.ends_with(".svg") => Some(told(StatusCode::OK, "image/svg+xml", DRAWING.to_owned())),
        _ => None,
    }
}

fn told(status: StatusCode, kind: &'static str, body: String) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, axum::http::HeaderValue::from_static(kind));
    response
}
