//! The HTTP shell: answers requests with pages and counts them.

use super::choose::{self, Values, value};
use super::draw::{Setting, document, main};
use super::session::role_of;
use super::world::World;
use crate::harbour::truth::words::DestructiveKind;
use crate::harbour::truth::{Page, Role};
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, SET_COOKIE};
use axum::http::{HeaderName, HeaderValue, Method, Request, StatusCode};
use axum::response::Response;
use std::sync::Arc;
use std::time::Duration;
use url::form_urlencoded::parse;

const ROBOTS: &str = "User-agent: *\nAllow: /private/open/\nDisallow: /private/\n";
const SCRIPT: &str = include_str!("../script.js");
const STYLE: &str = include_str!("../style.css");
/// The longest body of a form, in bytes.
const LONGEST: usize = 1 << 20;

/// Somebody's request.
struct SiteRequest {
    is_post: bool,
    path: String,
    /// Path and query.
    address: String,
    query: Values,
    session: String,
}

/// Answers at the shop's own origin.
pub(in super::super) async fn shop(State(world): State<Arc<World>>, request: Request<Body>) -> Response {
    let (head, body) = request.into_parts();
    let (session, cookie) = world.sessions().of(&head.headers, world.seed);
    let query = head.uri.query().unwrap_or_default();
    let asked = SiteRequest {
        is_post: head.method == Method::POST,
        path: head.uri.path().to_owned(),
        address: head.uri.path_and_query().map(ToString::to_string).unwrap_or_default(),
        query: parse(query.as_bytes()).into_owned().collect(),
        session,
    };
    let body = axum::body::to_bytes(body, LONGEST).await.unwrap_or_default();
    let mut response = answer(&world, &asked, &body).await;
    if let Some(cookie) = cookie.and_then(|cookie| HeaderValue::try_from(cookie).ok()) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    response
}

async fn answer(world: &World, asked: &SiteRequest, body: &Bytes) -> Response {
    let path = asked.path.as_str();
    match path {
        "/script.js" => return plain("text/javascript", SCRIPT),
        "/style.css" => return plain("text/css", STYLE),
        "/robots.txt" => return plain("text/plain", ROBOTS),
        "/go/partner" => return redirect(&format!("{}/partner", world.origins.offsite)),
        _ => {}
    }
    if path.starts_with("/private/") && !path.starts_with("/private/open/") {
        *world.counters().disallowed.entry(path.to_owned()).or_default() += 1;
        return page_of_text("Not for you", "This is private.");
    }
    if let Some(rest) = path.strip_prefix("/api/") {
        return api(world, asked, rest).await;
    }
    if path.starts_with("/media/") {
        return media(path);
    }
    tokio::time::sleep(world.delay).await;
    if let Some(deed) = choose::deed(&world.truth, path) {
        world.counters().deed(deed.kind);
        if deed.kind == DestructiveKind::LogOut {
            world.sessions().get(&asked.session).role = Role::Guest;
            return redirect("/");
        }
        return redirect("/done");
    }
    if asked.is_post { sent(world, asked, body) } else { shown(world, asked) }
}

/// A form was sent.
fn sent(world: &World, asked: &SiteRequest, body: &Bytes) -> Response {
    let values: Values = parse(body).into_owned().collect();
    let role = world.sessions().get(&asked.session).role;
    if asked.path == "/sign-in" {
        let known = role_of(value(&values, "name").unwrap_or_default(), value(&values, "password").unwrap_or_default());
        let Some(role) = known else { return by_name(world, asked, role, "sign-in/refused") };
        world.sessions().get(&asked.session).role = role;
        return redirect(if role == Role::Admin { "/staff" } else { "/account" });
    }
    match asked.path.as_str() {
        "/cart/add" => world.sessions().get(&asked.session).has_cart = true,
        "/cart/later" => world.sessions().get(&asked.session).has_cart = false,
        _ => {}
    }
    let Some(form) = choose::form(&world.truth, &asked.path) else { return nowhere() };
    if let Some(rule) = choose::refusal(form, &values) {
        return by_name(world, asked, role, rule.refused);
    }
    redirect(world.truth.page(form.to).map_or("/", |page| page.path))
}

fn by_name(world: &World, asked: &SiteRequest, role: Role, id: &str) -> Response {
    world.truth.page(id).map_or_else(nowhere, |page| drawn(world, asked, page, role, false))
}

/// A page was asked for, or the part of it that a client-side way replaces.
fn shown(world: &World, asked: &SiteRequest) -> Response {
    let (path, is_part) = match asked.path.strip_prefix("/parts") {
        Some(path) => (path, true),
        None => (asked.path.as_str(), false),
    };
    *world.counters().pages.entry(path.to_owned()).or_default() += 1;
    let session = *world.sessions().get(&asked.session);
    let found = choose::page(&world.truth, path, &asked.query, session.has_cart);
    let Some(page) = found.filter(|page| choose::has_thing(page, path)) else { return nowhere() };
    if let Some(elsewhere) = choose::elsewhere(page, session.role) {
        return redirect(elsewhere);
    }
    drawn(world, asked, page, session.role, is_part)
}

fn drawn(world: &World, asked: &SiteRequest, page: &Page, role: Role, is_part: bool) -> Response {
    let path = if is_part { asked.path.trim_start_matches("/parts") } else { &asked.path };
    let thing = choose::thing(page, path);
    let setting = Setting {
        truth: &world.truth,
        role,
        thing: &thing,
        path: &asked.address,
        noise: world.noise(),
        widgets: &world.origins.widgets,
        offsite: &world.origins.offsite,
    };
    let html = if is_part { main(page, &setting) } else { document(page, &setting) };
    let mut response = plain("text/html; charset=utf-8", &html);
    *response.status_mut() = StatusCode::from_u16(page.status).unwrap_or(StatusCode::OK);
    if let Some(policy) = page.policy {
        response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    }
    response
}

/// What scripts ask: slow, and some of it unreliable on purpose.
async fn api(world: &World, asked: &SiteRequest, what: &str) -> Response {
    let slow = |least: u64| Duration::from_millis(least + world.noise() % 200);
    match what {
        "stock" => {
            tokio::time::sleep(slow(150)).await;
            let asked = {
                let mut sessions = world.sessions();
                let session = sessions.get(&asked.session);
                session.asked += 1;
                session.asked
            };
            // Every second time it fails; the seed says whether the first is one of them.
            if (asked + world.seed) % 2 == 1 { status(503) } else { plain("application/json", "{\"stock\":7}") }
        }
        "tides" => {
            tokio::time::sleep(slow(600)).await;
            plain("application/json", "[]")
        }
        "suggest" => {
            tokio::time::sleep(Duration::from_millis(60)).await;
            let typed = value(&asked.query, "q").unwrap_or_default().to_lowercase();
            let mut items = choose::suggestions(&world.truth);
            // The most alike come first, so that there is always something to choose.
            items.sort_by_key(|(name, _)| !name.to_lowercase().contains(&typed));
            plain("application/json", &serde_json::to_string(&items).unwrap_or_default())
        }
        "more" => {
            let page: u64 = value(&asked.query, "page").and_then(|page| page.parse().ok()).unwrap_or(1);
            let names: Vec<String> =
                (1..=20).map(|number| format!("Sheet {}", 30 + (page.min(99) - 1) * 20 + number)).collect();
            plain("application/json", &serde_json::to_string(&names).unwrap_or_default())
        }
        "lights" => status(502),
        "printer" => status(503),
        "weight" | "cellar" | "parcel" | "coupons" => {
            tokio::time::sleep(slow(100)).await;
            plain("application/json", "{}")
        }
        _ => status(404),
    }
}

fn media(path: &str) -> Response {
    match path {
        "/media/soundings.js" => status(500),
        "/media/cut-off.png" => {
            let parts = [Ok(Bytes::from_static(b"\x89PNG")), Err(std::io::Error::other("cut off"))];
            let mut response = Response::new(Body::from_stream(futures::stream::iter(parts)));
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("image/png"));
            response
        }
        _ => status(404),
    }
}

/// Answers at the shop's other origin: frames, scripts of others, and what may not be read from here.
pub(in super::super) async fn widgets(State(world): State<Arc<World>>, request: Request<Body>) -> Response {
    let path = request.uri().path().to_owned();
    match path.as_str() {
        "/script.js" => plain("text/javascript", SCRIPT),
        "/style.css" => plain("text/css", STYLE),
        "/barometer.js" => plain("text/javascript", "throw new Error('the barometer broke');"),
        "/wind.js" => plain("text/javascript", "console.error('wind: no reading since noon');"),
        "/abroad/tides" | "/abroad/prices" | "/abroad/counts" => plain("application/json", "{}"),
        "/embed/weather" => {
            let asked =
                SiteRequest { is_post: false, address: path.clone(), path, query: Vec::new(), session: String::new() };
            by_name(&world, &asked, Role::Guest, "embed/weather")
        }
        "/embed/film" => page_of_text("Film", "A film about fog."),
        _ => status(404),
    }
}

/// Counts requests to the forbidden origin.
pub(in super::super) async fn offsite(State(world): State<Arc<World>>, request: Request<Body>) -> Response {
    let asked = format!("{} {}", request.method(), request.uri());
    world.counters().out_of_scope.push(asked);
    page_of_text("Elsewhere", "You have left Harbour.")
}

fn nowhere() -> Response {
    let mut response = page_of_text("Nowhere", "There is nothing at this address.");
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

fn page_of_text(heading: &str, text: &str) -> Response {
    let html = format!(
        "<!doctype html><html lang=en><link rel=icon href=data:,><title>{heading}</title><h1>{heading}</h1><p>{text}</p></html>"
    );
    plain("text/html; charset=utf-8", &html)
}

fn plain(content_type: &'static str, body: &str) -> Response {
    with(StatusCode::OK, CONTENT_TYPE, content_type, body)
}

fn redirect(to: &str) -> Response {
    with(StatusCode::SEE_OTHER, LOCATION, to, "")
}

fn status(status: u16) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    with(status, CONTENT_TYPE, "text/plain", "")
}

fn with(status: StatusCode, name: HeaderName, value: &str, body: &str) -> Response {
    let mut response = Response::new(Body::from(body.to_owned()));
    *response.status_mut() = status;
    if let Ok(value) = HeaderValue::try_from(value) {
        response.headers_mut().insert(name, value);
    }
    response
}
