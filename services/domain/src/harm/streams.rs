//! Streams of messages that a page opens: a WebSocket, or events of the server. The address by which a stream is opened may hold a
//! command.

use super::link::{may_command_record, may_command_with_object};
use super::pairs::pairs;
use super::parameters::{chooses, tracks};
use super::request::{names_command, names_id};
use super::trial::reads_by_verb;
use super::vocabulary::is_done_to_record;
use crate::destructive::spaced;
use url::Url;

/// What the last part of an address calls a stream.
const STREAMS: [&str; 24] = [
    "ws",
    "wss",
    "sse",
    "socket",
    "sockets",
    "websocket",
    "stream",
    "streams",
    "live",
    "events",
    "updates",
    "feed",
    "tail",
    "watch",
    "follow",
    "listen",
    "subscribe",
    "subscriptions",
    "channel",
    "cable",
    "hub",
    "push",
    "mercure",
    "logs",
];
/// Parameters that say what is heard, by whom, and in which form.
const OF_STREAMS: [&str; 40] = [
    "channel",
    "channels",
    "topic",
    "topics",
    "stream",
    "streams",
    "room",
    "feed",
    "events",
    "event",
    "symbol",
    "symbols",
    "station",
    "line",
    "lane",
    "board",
    "group",
    "namespace",
    "ns",
    "region",
    "zone",
    "area",
    "floor",
    "track",
    "site",
    "table",
    "view",
    "token",
    "ticket",
    "key",
    "auth",
    "access_token",
    "client",
    "user",
    "transport",
    "protocol",
    "encoding",
    "eio",
    "vsn",
    "subscribe",
];

/// Names under which an address says what is to be done, beside those of forms.
const ORDERING: [&str; 12] =
    ["cue", "ordre", "order", "befehl", "launch", "start", "stop", "fire", "trigger", "run", "set", "switch"];

/// Whether the address of a stream may hold a command: in its path, or in a parameter that orders something by its name, or by a verb.
pub(super) fn orders(path: &str, url: &Url) -> bool {
    let path = path.trim_end_matches('/');
    let names_stream = |last: &str| STREAMS.contains(&last.to_lowercase().as_str());
    // SockJS puts a server and a session in front: `/257/kqjzplxa/websocket`.
    let heard = match path.rsplit('/').collect::<Vec<_>>().as_slice() {
        ["websocket" | "xhr" | "xhr_streaming" | "eventsource", _, server, ..]
            if server.len() == 3 && server.chars().all(|sign| sign.is_ascii_digit()) =>
        {
            ""
        }
        [last, ..] if names_stream(last) => path.get(..path.len() - last.len() - 1).unwrap_or_default(),
        _ => path,
    };
    let is_known = |name: &str| {
        chooses(name) || tracks(name) || names_id(name) || OF_STREAMS.contains(&name.to_lowercase().as_str())
    };
    let is_plain = |value: &str| matches!(value.to_lowercase().as_str(), "true" | "false" | "websocket" | "json");
    let commands = |name: &str, value: &str| {
        let orders = names_command(name) || ORDERING.contains(&name.to_lowercase().as_str());
        match orders {
            _ if is_plain(value) => false,
            true => may_command_with_object(value) && !reads_by_verb(&spaced(value)),
            false => !is_known(name) && is_done_to_record(&value.to_lowercase()),
        }
    };
    may_command_record(heard) || pairs(url).iter().any(|(name, value)| commands(name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_that_is_given_an_order_is_no_mere_stream() {
        let orders = |address: &str| {
            let url = Url::parse("http://a.example").unwrap().join(address).unwrap();
            orders(url.path(), &url)
        };
        for address in [
            "/mixer/socket?cue=take",
            "/brigade/ws?ordre=sirene",
            "/robots/7/events?launch=now",
            "/pumps/4/start",
            "/console?cmd=factory-reset",
        ] {
            assert!(orders(address), "{address}");
        }
        for address in [
            "/mixer/socket",
            "/matches/12/live",
            "/scores/stream?channel=tennis",
            "/socket.io/?EIO=4&transport=websocket",
            "/jobs/7/logs?since=10",
            "/cable?token=ab12",
            "/app/KEY?protocol=7&client=js&version=8.4.0&flash=false",
            "/push?X-Atmosphere-Transport=websocket&X-atmo-protocol=true",
            "/feed?username=alice&device=web",
            "/sockjs/257/kqjzplxa/websocket",
        ] {
            assert!(!orders(address), "{address}");
        }
    }
}
