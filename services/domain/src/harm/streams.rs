//! Streams of messages that a page opens: a WebSocket, or events of the server. Their address may hold a command like any other, and
//! no answer is looked at that would show it.

use super::link::{may_command, says_unknown};
use super::pairs::pairs;
use super::parameters::{chooses, tracks};
use super::request::names_id;
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

/// Whether the address of a stream may hold a command: in its path, or in a parameter that is not known to choose what is heard.
pub(super) fn orders(path: &str, url: &Url) -> bool {
    let path = path.trim_end_matches('/');
    let names_stream = |last: &str| STREAMS.contains(&last.to_lowercase().as_str());
    let heard = path.rsplit_once('/').filter(|(_, last)| names_stream(last)).map_or(path, |(before, _)| before);
    let is_known = |name: &str| {
        chooses(name) || tracks(name) || names_id(name) || OF_STREAMS.contains(&name.to_lowercase().as_str())
    };
    says_unknown(heard, url) || pairs(url).iter().any(|(name, value)| !is_known(name) && may_command(value))
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
        ] {
            assert!(!orders(address), "{address}");
        }
    }
}
