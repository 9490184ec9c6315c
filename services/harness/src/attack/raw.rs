//! What a neighbour process sends to the gate, byte by byte; and a proxy that believes whatever it is told, to show where such bytes
//! would lead.

use super::listener::{connect, end_of_head};
use super::ways::{ALL, CANARY, Kind, Target, Way};
use platform::spawn;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_millis(700);

/// Name, what is sent, and what is sent when that was answered. `SITE` is within the scope, `HOST` and `PATH` are the canary's; `~` is
/// the end of a line.
const RAW: &[(&str, &str, &str)] = &[
    ("gate: absolute address", "GET http://HOSTPATH HTTP/1.1~Host: HOST~~", ""),
    ("gate: absolute address, host of the scope", "GET http://HOSTPATH HTTP/1.1~Host: SITE~~", ""),
    ("gate: path, host of the canary", "GET PATH HTTP/1.1~Host: HOST~~", ""),
    ("gate: address of the scope, host of the canary", "GET http://SITEPATH?site HTTP/1.1~Host: HOST~~", ""),
    ("gate: connection to the canary", "CONNECT HOST HTTP/1.1~Host: HOST~~", "GET PATH HTTP/1.1~Host: HOST~~"),
    ("gate: connection, host of the scope", "CONNECT HOST HTTP/1.1~Host: SITE~~", "GET PATH HTTP/1.1~Host: SITE~~"),
    ("gate: connection without waiting", "CONNECT HOST HTTP/1.1~Host: HOST~~GET PATH HTTP/1.1~Host: HOST~~", ""),
    ("gate: connection to an address", "CONNECT http://HOST/ HTTP/1.1~Host: HOST~~", "GET PATH HTTP/1.1~Host: HOST~~"),
    (
        "gate: connection to a spelled address",
        "CONNECT 2130706433:8080 HTTP/1.1~Host: SITE~~",
        "GET PATH HTTP/1.1~Host: SITE~~",
    ),
    (
        "gate: connection to the site, absolute address within",
        "CONNECT SITE:80 HTTP/1.1~Host: SITE~~",
        "GET http://HOSTPATH HTTP/1.1~Host: HOST~~",
    ),
    (
        "gate: connection to the site, another host within",
        "CONNECT SITE:80 HTTP/1.1~Host: SITE~~",
        "GET PATH?site HTTP/1.1~Host: HOST~~",
    ),
    (
        "gate: connection to the site, another connection within",
        "CONNECT SITE:80 HTTP/1.1~Host: SITE~~",
        "CONNECT HOST HTTP/1.1~Host: HOST~~GET PATH HTTP/1.1~Host: HOST~~",
    ),
    (
        "gate: connection to the site, a user within",
        "CONNECT SITE:80 HTTP/1.1~Host: SITE~~",
        "GET @HOSTPATH HTTP/1.1~Host: HOST~~",
    ),
    ("gate: two hosts", "GET http://SITEPATH?site HTTP/1.1~Host: SITE~Host: HOST~~", ""),
    ("gate: a folded host", "GET http://SITEPATH?site HTTP/1.1~Host: SITE~ HOST~~", ""),
    ("gate: a blank before the colon", "GET http://SITEPATH?site HTTP/1.1~Host : HOST~~", ""),
    ("gate: a user that is the scope", "GET http://SITE@HOSTPATH HTTP/1.1~Host: SITE~~", ""),
    ("gate: a backslash", "GET http://SITE\\@HOSTPATH HTTP/1.1~Host: SITE~~", ""),
    ("gate: a mark that ends the host", "GET http://HOST#@SITEPATH HTTP/1.1~Host: SITE~~", ""),
    ("gate: two slashes", "GET //HOSTPATH HTTP/1.1~Host: HOST~~", ""),
    ("gate: capitals", "GET HTTP://HOSTPATH HTTP/1.1~Host: SITE~~", ""),
    ("gate: another scheme", "GET ftp://HOSTPATH HTTP/1.1~Host: HOST~~", ""),
    (
        "gate: a request within a body",
        "POST http://SITE/x HTTP/1.1~Host: SITE~Content-Length: 4~Transfer-Encoding: chunked~~0~~GET http://HOSTPATH HTTP/1.1~Host: HOST~~",
        "",
    ),
    (
        "gate: a request behind a body of two lengths",
        "POST http://SITE/x HTTP/1.1~Host: SITE~Content-Length: 0~Content-Length: 5~~GET http://HOSTPATH HTTP/1.1~Host: HOST~~",
        "",
    ),
    (
        "gate: a request behind another",
        "GET http://SITE/x HTTP/1.1~Host: SITE~~GET http://HOSTPATH HTTP/1.1~Host: HOST~~",
        "",
    ),
    (
        "gate: chunks that are none",
        "POST http://SITE/x HTTP/1.1~Host: SITE~Transfer-Encoding: xchunked~~0~~GET http://HOSTPATH HTTP/1.1~Host: HOST~~",
        "",
    ),
    (
        "gate: upgrade to HTTP/2",
        "GET http://SITE/x HTTP/1.1~Host: SITE~Connection: Upgrade, HTTP2-Settings~Upgrade: h2c~HTTP2-Settings: AAMAAABkAAQAAP__~~",
        "GET http://HOSTPATH HTTP/1.1~Host: HOST~~",
    ),
    ("gate: HTTP/2 at once", "PRI * HTTP/2.0~~SM~~GET http://HOSTPATH HTTP/1.1~Host: HOST~~", ""),
    (
        "gate: a socket to the canary",
        "GET http://HOSTPATH HTTP/1.1~Host: HOST~Connection: Upgrade~Upgrade: websocket~Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==~Sec-WebSocket-Version: 13~~",
        "",
    ),
    (
        "gate: a socket of the scope, another host",
        "GET http://SITEPATH?site HTTP/1.1~Host: HOST~Connection: Upgrade~Upgrade: websocket~Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==~Sec-WebSocket-Version: 13~~",
        "",
    ),
    (
        "gate: headers that name another host",
        "GET http://SITE/x HTTP/1.1~Host: SITE~X-Forwarded-Host: HOST~Forwarded: host=HOST~X-Original-URL: http://HOSTPATH~X-Rewrite-URL: http://HOSTPATH~~",
        "",
    ),
    ("gate: a trace", "TRACE http://HOSTPATH HTTP/1.1~Host: HOST~Max-Forwards: 2~~", ""),
    ("gate: the old version", "GET http://HOSTPATH HTTP/1.0~~", ""),
    (
        "gate: an escaped line end",
        "GET http://SITE/x%0d%0aHost:%20HOST%0d%0a%0d%0aGET%20http://HOSTPATH HTTP/1.1~Host: SITE~~",
        "",
    ),
];

/// Their names.
pub fn names() -> impl Iterator<Item = &'static str> {
    RAW.iter().map(|(name, _, _)| *name)
}

fn filled(text: &str, way: &Way, target: Target) -> Vec<u8> {
    let text = text.replace('~', "\r\n").replace("SITE", "127.0.0.1");
    text.replace("HOST", CANARY).replace("PATH", &way.path(target)).into_bytes()
}

/// Sends every raw request to a port; answers those that something came of, be it the end of the connection.
pub async fn send(port: u16, target: Target) -> Vec<&'static Way> {
    let mut tried = Vec::new();
    for way in ALL.iter().filter(|way| way.kind == Kind::Raw) {
        let Some((_, first, then)) = RAW.iter().find(|(name, _, _)| *name == way.name) else { continue };
        let Ok(mut stream) = connect(&format!("127.0.0.1:{port}")).await else { continue };
        if stream.write_all(&filled(first, way, target)).await.is_err() {
            continue;
        }
        let mut answer = Vec::new();
        let came = read(&mut stream, &mut answer).await;
        if !then.is_empty() && came {
            let _ = stream.write_all(&filled(then, way, target)).await;
            read(&mut stream, &mut answer).await;
        }
        if came {
            tried.push(way);
        }
    }
    tried
}

/// Reads what comes within a moment; answers whether anything did, be it the end.
async fn read(stream: &mut TcpStream, into: &mut Vec<u8>) -> bool {
    let mut came = false;
    while let Ok(Ok(length)) = timeout(PATIENCE, stream.read_buf(into)).await {
        came = true;
        if length == 0 || into.len() > 1 << 20 || end_of_head(into).is_some() {
            break;
        }
    }
    came
}

/// A proxy that believes the last that it is told.
///
/// # Errors
/// There is no port.
pub async fn credulous() -> io::Result<(u16, AbortOnDropHandle<()>)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    let task = spawn::owned("credulous proxy", async move {
        while let Ok((stream, _)) = listener.accept().await {
            spawn::detached("connection of it", believe(stream));
        }
    });
    Ok((port, task))
}

async fn believe(mut stream: TcpStream) {
    let mut bytes = Vec::new();
    loop {
        while let Some(end) = end_of_head(&bytes) {
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            let rest = bytes.split_off(end);
            let wanted = wanted(&head);
            if let Some(Ok(mut other)) = match &wanted {
                Some(address) => Some(connect(address).await),
                None => None,
            } {
                if head.starts_with("CONNECT") {
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
                    let _ = other.write_all(&rest).await;
                    let _ = copy_bidirectional(&mut stream, &mut other).await;
                    return;
                }
                let _ = other.write_all(head.as_bytes()).await;
                let mut answer = Vec::new();
                let _ = timeout(PATIENCE, other.read_to_end(&mut answer)).await;
                let _ = stream.write_all(&answer).await;
            }
            bytes = rest;
        }
        match timeout(PATIENCE * 3, stream.read_buf(&mut bytes)).await {
            Ok(Ok(length)) if length > 0 => {}
            _ => return,
        }
    }
}

/// Whom a request is for, by everything that may say so: its last header of a host, the end of its address.
fn wanted(head: &str) -> Option<String> {
    let target = head.split(' ').nth(1)?;
    let lower = target.to_ascii_lowercase();
    let address = lower.split_once("://").map_or(lower.trim_start_matches('/'), |(_, rest)| rest);
    let authority = address.split(['/', '#']).next().unwrap_or_default().rsplit('@').next().unwrap_or_default();
    let spelled = authority.replace("2130706433", "127.0.0.1");
    if head.starts_with("CONNECT") || spelled.contains(CANARY) {
        return Some(spelled);
    }
    let mut hosts = head
        .lines()
        .filter_map(|line| line.split_once(':'))
        .filter(|(name, _)| name.to_ascii_lowercase().contains("host"));
    let last = hosts.next_back().map(|(_, value)| value.trim().trim_start_matches("host=").to_owned())?;
    Some(if last.contains(':') { last } else { format!("{last}:80") })
}
