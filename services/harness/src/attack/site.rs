//! The hostile site: serves the ways, and writes down which of them were tried.

use super::canary::{Hits, bind};
use super::hosts::Hosts;
use super::listener::{Asked, serve};
use super::page::{self, Room};
use super::ports;
use super::ways::{ALL, Kind, Target, Way, scheme};
use parking_lot::Mutex;
use platform::spawn;
use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio_rustls::TlsAcceptor;
use tokio_util::task::AbortOnDropHandle;

/// Where the site listens, at the default ports of both schemes.
pub const ADDRESSES: [&str; 2] = ["127.0.0.1", "203.0.113.10"];

/// What is known of the run that goes on.
#[derive(Default)]
pub struct Progress {
    target: Mutex<Target>,
    tried: Mutex<BTreeSet<(usize, usize)>>,
    done: Mutex<BTreeSet<String>>,
    /// Requests that arrived at the site although the way led elsewhere.
    stayed: Mutex<u64>,
}

impl Progress {
    /// Begins a run.
    pub fn begin(&self, target: Target) {
        *self.target.lock() = target;
        self.done.lock().clear();
    }

    /// Which ways were tried in a run.
    pub fn tried(&self, run: usize) -> BTreeSet<usize> {
        self.tried.lock().iter().filter(|(of, _)| *of == run).map(|(_, way)| *way).collect()
    }

    /// Says that a way was tried.
    pub fn try_now(&self, way: &Way) {
        let run = self.target.lock().run;
        self.tried.lock().insert((run, way.number));
    }

    /// Whether a page has tried all that it has.
    pub fn is_done(&self, path: &str) -> bool {
        self.done.lock().contains(path)
    }

    /// Requests that arrived at the site, as they should, although their way led elsewhere.
    pub fn stayed(&self) -> u64 {
        *self.stayed.lock()
    }
}

/// All that an answer is made of.
struct Script {
    rooms: Vec<Room>,
    /// Those that are tried on every port of the program.
    office: Vec<&'static Way>,
    progress: Arc<Progress>,
    hits: Arc<Hits>,
    hosts: Hosts,
    /// Where the stand-ins of the driver and the browser leave their ports.
    folder: PathBuf,
}

/// Answers until it is dropped.
pub struct Site {
    _tasks: Vec<AbortOnDropHandle<()>>,
}

impl Site {
    /// Listens.
    ///
    /// # Errors
    /// A port cannot be had.
    pub fn start(
        rooms: Vec<Room>,
        office: Vec<&'static Way>,
        acceptor: &TlsAcceptor,
        progress: &Arc<Progress>,
        hits: &Arc<Hits>,
        hosts: &Hosts,
        folder: PathBuf,
    ) -> io::Result<Site> {
        let script = Arc::new(Script {
            rooms,
            office,
            progress: progress.clone(),
            hits: hits.clone(),
            hosts: hosts.clone(),
            folder,
        });
        let mut tasks = Vec::new();
        for address in ADDRESSES {
            for port in [80, 443] {
                let listener = bind(&format!("{address}:{port}"))?;
                let script = script.clone();
                let answer = move |asked: Asked| {
                    let script = script.clone();
                    async move { script.answer(&asked).await }
                };
                tasks.push(spawn::owned("hostile site", serve(listener, acceptor.clone(), answer)));
            }
        }
        Ok(Site { _tasks: tasks })
    }
}

impl Script {
    async fn answer(&self, asked: &Asked) -> Vec<u8> {
        let target = *self.progress.target.lock();
        let path = asked.target.split('?').next().unwrap_or_default();
        let mut parts = path.split('/').skip(1);
        let (first, second, third) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
        let way = |id: Option<&str>| {
            let number = id?.trim_start_matches('w').parse::<usize>().ok()?;
            ALL.get(number)
        };
        let room = || self.rooms.iter().find(|room| room.path == path);
        match first {
            "" => html(&page::index(&self.rooms)),
            "canary" => self.arrived(asked, way(third)),
            "tried" => {
                way(second).inspect(|way| self.progress.try_now(way));
                text("ok")
            }
            "done" => {
                self.progress.done.lock().insert(path.trim_start_matches("/done").to_owned());
                text("ok")
            }
            "room" => room().map_or_else(missing, |room| {
                html(&page::room(room, target, |way| {
                    format!("{}://{}", scheme(target.encrypted), Hosts::name(way, target))
                }))
            }),
            "press" => room().map_or_else(missing, |room| html(&page::controls(room, target))),
            "frame" | "page" => way(second).map_or_else(missing, |way| html(&page::own(way, target))),
            "answer" => way(second).map_or_else(missing, |way| self.own(way, target, third.is_some())),
            "moved" => {
                if let Some(way) = way(second)
                    && let Kind::Rebind(address) = way.kind
                {
                    self.hosts.moved(way, target, address);
                    // Whoever looks names up again would see it from now on.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                text("ok")
            }
            "go" => way(third).map_or_else(missing, |way| redirect(second.unwrap_or("302"), &way.to(target))),
            "step" => step(way(second), third, target),
            "to-port" => redirect(
                "302",
                &format!("{}://127.0.0.1:{}/status?attack", scheme(target.encrypted), second.unwrap_or_default()),
            ),
            "rules" => way(second).map_or_else(missing, |way| {
                let rules = format!(
                    "{{\"prefetch\": [{{\"source\": \"list\", \"urls\": [\"{}\"], \"eagerness\": \"immediate\"}}]}}",
                    way.to(target)
                );
                reply("200 OK", "content-type: application/speculationrules+json\r\n", &rules)
            }),
            "robots.txt" => self.client("robots", "302", target),
            "reset" => self.client("reset", "307", target),
            "v1" => self.client("model", "307", target),
            "office" => html(&page::ports(&self.office, target)),
            "ports" => text(&format!("{:?}", ports::of_the_program(&self.folder))),
            _ => text("x"),
        }
    }

    /// A request for the canary that came to the site. Who asks for a name of the scope and stays with an address that it may lead
    /// to is right; who asks for the site by another name or port is not.
    fn arrived(&self, asked: &Asked, way: Option<&'static Way>) -> Vec<u8> {
        let host = asked.header("host").unwrap_or_default().to_ascii_lowercase();
        let name = host.trim_end_matches(":80").trim_end_matches(":443");
        let is_in_scope = (name == ADDRESSES[0] || name == "shop.test" || name.ends_with(".shop.test"))
            && asked.encrypted == (asked.port == 443);
        match way {
            Some(_) if is_in_scope => *self.progress.stayed.lock() += 1,
            _ => drop(self.hits.path(&asked.target)),
        }
        reply("204 No Content", "access-control-allow-origin: *\r\n", "")
    }

    fn client(&self, name: &str, status: &str, target: Target) -> Vec<u8> {
        let way = super::ways::named(name);
        self.progress.try_now(way);
        redirect(status, &way.to(target))
    }

    /// The answer of a way that is one. `inside` are the pages that its script takes over.
    fn own(&self, way: &'static Way, target: Target, inside: bool) -> Vec<u8> {
        if inside {
            return html("<p>inside</p>");
        }
        self.progress.try_now(way);
        let filled = way.fill(way.answer, target).replace("\\r", "\r").replace("\\n", "\n");
        let (head, body) = filled.split_once(";;;;").unwrap_or((&filled, ""));
        let mut lines = head.split(";;");
        let status = lines.next().unwrap_or("200");
        let mut headers: String = lines.map(|line| format!("{line}\r\n")).collect();
        if status == "103" {
            let hint = format!("HTTP/1.1 103 Early Hints\r\n{headers}\r\n").into_bytes();
            return [hint, html("<p>early</p>")].concat();
        }
        if !headers.contains("content-length") {
            headers.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        if !headers.contains("connection:") {
            headers.push_str("connection: close\r\n");
        }
        format!("HTTP/1.1 {status} Said\r\n{headers}\r\n{body}").into_bytes()
    }
}

fn step(way: Option<&'static Way>, left: Option<&str>, target: Target) -> Vec<u8> {
    let left = left.and_then(|left| left.parse::<u32>().ok()).unwrap_or(0);
    way.map_or_else(missing, |way| match left {
        0 => redirect("302", &way.to(target)),
        _ => redirect("302", &format!("/step/{}/{}", way.id(), left - 1)),
    })
}

fn reply(status: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}").into_bytes()
}

fn html(text: &str) -> Vec<u8> {
    reply("200 OK", "content-type: text/html; charset=utf-8\r\n", text)
}

fn text(text: &str) -> Vec<u8> {
    reply("200 OK", "content-type: text/plain\r\naccess-control-allow-origin: *\r\n", text)
}

fn redirect(status: &str, to: &str) -> Vec<u8> {
    reply(&format!("{status} Elsewhere"), &format!("location: {to}\r\naccess-control-allow-origin: *\r\n"), "")
}

fn missing() -> Vec<u8> {
    reply("404 Not Found", "", "missing")
}
