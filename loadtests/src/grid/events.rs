//! BiDi events of a simulated browser, as Chromium writes them.

use serde_json::{Value, json};

pub(super) const USER_AGENT: &str =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safari/537.36";
pub(super) const ACCEPT: &str =
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8";

/// An event as it is sent.
pub(super) fn event(method: &str, params: &Value) -> String {
    format!("{{\"type\":\"event\",\"method\":\"{method}\",\"params\":{params}}}")
}

/// A tab came or went.
pub(super) fn context(context: &str, profile: &str, url: &str) -> Value {
    json!({"context": context, "children": null, "clientWindow": context, "originalOpener": null, "parent": null,
        "url": url, "userContext": profile})
}

/// A page load, of which several events tell.
pub(super) struct Load<'l> {
    pub(super) context: &'l str,
    pub(super) profile: &'l str,
    pub(super) url: &'l str,
    /// Its own name.
    pub(super) navigation: String,
}

impl Load<'_> {
    /// What an event of the tab says.
    pub(super) fn navigation(&self) -> Value {
        json!({"context": self.context, "navigation": self.navigation, "timestamp": 0, "url": self.url,
            "userContext": self.profile})
    }

    /// What an event of the network says before there is an answer.
    pub(super) fn request(&self) -> Value {
        let header = |name: &str, value: &str| json!({"name": name, "value": {"type": "string", "value": value}});
        json!({
            "context": self.context, "userContext": self.profile, "navigation": self.navigation, "isBlocked": false,
            "redirectCount": 0, "timestamp": 0,
            "initiator": {"type": "other"},
            "request": {
                "request": self.navigation, "url": self.url, "method": "GET", "bodySize": 0, "headersSize": 512,
                "cookies": [], "destination": "document", "initiatorType": null, "timings": {"timeOrigin": 0},
                "headers": [
                    header("Upgrade-Insecure-Requests", "1"),
                    header("User-Agent", USER_AGENT),
                    header("Accept", ACCEPT),
                    header("Accept-Language", "en-US,en;q=0.9"),
                ],
            },
        })
    }

    /// The same with an answer.
    pub(super) fn response(&self, status: u16, length: usize) -> Value {
        let header = |name: &str, value: &str| json!({"name": name, "value": {"type": "string", "value": value}});
        let mut params = self.request();
        params["response"] = json!({
            "url": self.url, "protocol": "http/1.1", "status": status, "statusText": "", "fromCache": false,
            "mimeType": "text/html", "bytesReceived": length, "headersSize": 128, "bodySize": length,
            "content": {"size": length},
            "headers": [
                header("content-type", "text/html; charset=utf-8"),
                header("content-length", &length.to_string()),
            ],
        });
        params
    }

    /// The same without one.
    pub(super) fn failure(&self, cause: &str) -> Value {
        let mut params = self.request();
        params["errorText"] = cause.into();
        params
    }
}
