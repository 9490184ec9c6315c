//! What a page sends over a WebSocket: messages of frameworks and of applications. They are judged like requests, by what they say that
//! is to be done.

use super::fields::fields_of_json;
use super::link::may_command_with_object;
use super::request::{names_command, of_field};
use super::rule::{Licence, Rule};
use super::trial::{only_looks, only_tries, reads_by_verb};
use super::vocabulary::READING;
use crate::destructive::{command_in_path, rule_of, spaced, words};
use crate::exploration::{Guards, Mode};
use serde_json::Value;

/// What keeps a connection, or says what is heard of it and what a component shows.
const KEEPING: [&str; 36] = [
    "heartbeat",
    "ping",
    "pong",
    "ack",
    "join",
    "phx_join",
    "phx_leave",
    "phx_reply",
    "phx_close",
    "access_token",
    "subscribe",
    "unsubscribe",
    "sub",
    "unsub",
    "listen",
    "connect",
    "connected",
    "connection_init",
    "connection_ack",
    "handshake",
    "hello",
    "auth",
    "authenticate",
    "presence",
    "typing",
    "seen",
    "message",
    "method",
    "invocation",
    "event",
    "validate",
    "live_patch",
    "lv:clear-flash",
    "cids_will_destroy",
    "cids_destroyed",
    "pusher:subscribe",
];
/// Kinds of messages, in the field `type`: which gesture it was of a component, and which query begins or ends.
const KINDS: [&str; 9] = ["click", "change", "form", "keyup", "keydown", "submit", "start", "stop", "complete"];
/// Names under which messages say what is to be done, beside those of forms.
const SAYING: [&str; 5] = ["event", "target", "msg", "name", "destination"];
/// Most words of what is to be done.
const COMMAND: usize = 4;

/// The rule that a message breaks which is sent to the path of a WebSocket; none when it may be sent.
pub fn refused_message(text: &str, path: &str, licence: Licence, guards: &Guards) -> Option<Rule> {
    if guards.deny.names_path(path) {
        return Some(Rule::Denied);
    }
    let is_free = guards.mode == Mode::Destructive || matches!(licence, Licence::All | Licence::Own);
    if is_free || guards.allow.names_path(path) {
        return None;
    }
    let said = said_in(text);
    let said: Vec<&(String, String)> = said.iter().filter(|(name, value)| !keeps(name, value)).collect();
    let is_mutation = |value: &str| value.trim_start().starts_with("mutation");
    let commands = || {
        let is_short = |value: &str| value.split_whitespace().count() <= COMMAND;
        said.iter().filter(move |(name, value)| says(name) && is_short(value))
    };
    let by_word = commands().find_map(|(_, value)| command_in_path(&spaced(value))).map(|word| rule_of(&word));
    let by_field = || said.iter().find_map(|(name, value)| of_field(name, value));
    let asks = |value: &str| {
        let plain = words(&spaced(value)).join(" ");
        reads_by_verb(&plain) || only_tries(&plain) || only_looks(&plain) || READING.contains(&plain.as_str())
    };
    let is_unknown = |value: &str| may_command_with_object(value) && !asks(value);
    let unknown = || commands().any(|(_, value)| is_unknown(value)) || said.iter().any(|(_, value)| is_mutation(value));
    let is_pressed = !matches!(licence, Licence::Creating);
    let in_doubt = || match () {
        () if guards.only_reads() && unknown() => Some(Rule::ReadOnly),
        () if guards.mode == Mode::Careful && is_pressed && unknown() => Some(Rule::UnknownCommand),
        () => None,
    };
    by_word.or_else(by_field).or_else(in_doubt)
}

fn says(name: &str) -> bool {
    names_command(name) || SAYING.contains(&name)
}

fn keeps(name: &str, value: &str) -> bool {
    let value = value.to_lowercase();
    KEEPING.contains(&value.as_str())
        || (name == "type" && KINDS.contains(&value.as_str()))
        || value.chars().all(|sign| sign.is_ascii_digit())
}

/// Bytes in front of the JSON of a message, at most.
const PREFIX: usize = 60;

/// What a message says, by the names of its fields. A text that is no JSON is one command.
fn said_in(text: &str) -> Vec<(String, String)> {
    let text = text.trim_matches('\0').trim_start();
    // SignalR ends each message by a sign of its own.
    if text.contains('\u{1e}') {
        return text.split('\u{1e}').filter(|part| !part.is_empty()).flat_map(said_in).collect();
    }
    let (head, body) = text.split_once("\n\n").unwrap_or((text, ""));
    if head.lines().next().is_some_and(is_of_stomp) {
        let sends = head.lines().next() == Some("SEND");
        let to = head.lines().find_map(|line| line.strip_prefix("destination:")).filter(|_| sends);
        let to = to.map(|to| ("destination".to_owned(), to.rsplit('/').next().unwrap_or(to).to_owned()));
        return to.into_iter().chain(if body.trim().is_empty() { Vec::new() } else { said_in(body) }).collect();
    }
    // Socket.IO writes a number and a namespace in front: `42/admin,["remove"]`.
    let json = text.find(['{', '[']).filter(|at| *at < PREFIX).and_then(|at| text.get(at..));
    let Some(value) = json.and_then(|json| serde_json::from_str::<Value>(json).ok()) else {
        return vec![("command".to_owned(), text.to_owned())];
    };
    let mut all: Vec<(String, String)> =
        event_of(&value).map(|event| ("event".to_owned(), event)).into_iter().collect();
    all.extend(within(&value));
    all
}

/// The fields of JSON, and of JSON that stands in a text of it.
fn within(value: &Value) -> Vec<(String, String)> {
    let named = |(name, _): &(String, String)| !name.is_empty();
    let texts = value.as_object().into_iter().flat_map(|members| members.values()).filter_map(Value::as_str);
    let inner = texts.filter(|text| text.starts_with('{')).filter_map(|text| serde_json::from_str::<Value>(text).ok());
    let inner = inner.flat_map(|inner| fields_of_json(&inner));
    fields_of_json(value).into_iter().filter(named).chain(inner).collect()
}

/// Whether a line begins a frame of STOMP.
fn is_of_stomp(line: &str) -> bool {
    matches!(line, "CONNECT" | "STOMP" | "SEND" | "SUBSCRIBE" | "UNSUBSCRIBE" | "ACK" | "NACK" | "DISCONNECT")
}

/// The event that a list names: the first text of Socket.IO's, the fourth of Phoenix's, behind what is spoken of.
fn event_of(value: &Value) -> Option<String> {
    let event = match value.as_array()?.as_slice() {
        [_, _, Value::String(_), Value::String(event), Value::Object(_)] => event,
        all => all.iter().find_map(Value::as_str)?,
    };
    Some(event.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRESSED: Licence = Licence::Reading(Rule::Unclear);

    fn judged(text: &str, licence: Licence) -> Option<Rule> {
        refused_message(text, "/live", licence, &Guards::default())
    }

    #[test]
    fn a_message_that_commands_is_not_sent() {
        for text in [
            r#"["4","9","lv:phx-1","event",{"type":"click","event":"delete","value":{"id":"7"}}]"#,
            r#"42["remove-row",{"id":7}]"#,
            r#"{"type":1,"target":"CancelOrder","arguments":[7]}"#,
            r#"{"command":"message","identifier":"{\"channel\":\"Board\"}","data":"{\"action\":\"purge\"}"}"#,
            r#"{"id":"1","type":"subscribe","payload":{"query":"mutation { deleteBoat(id: 4) { id } }"}}"#,
            r#"{"msg":"method","method":"tasks.remove","params":[4],"id":"1"}"#,
            "SEND\ndestination:/app/orders\ncontent-type:application/json\n\n{\"action\":\"cancel order\",\"id\":3}\0",
            "reboot server",
            "{\"type\":6}\u{1e}{\"type\":1,\"target\":\"DeleteOrder\",\"arguments\":[7]}\u{1e}",
        ] {
            assert!(judged(text, PRESSED).is_some(), "{text}");
            assert!(judged(text, Licence::Creating).is_some(), "{text}");
        }
        for text in [
            r#"["4","9","lv:phx-1","event",{"type":"click","event":"sunset","value":{"id":"7"}}]"#,
            r#"42["stop",{"pump":4}]"#,
            r#"{"event":"start","job":7}"#,
            "SEND\ndestination:/app/sunset\n\n\0",
        ] {
            assert_eq!(judged(text, PRESSED), Some(Rule::UnknownCommand), "{text}");
            assert_eq!(judged(text, Licence::Own), None, "{text}");
        }
    }

    #[test]
    fn a_message_that_keeps_the_connection_or_asks_is_sent() {
        for text in [
            r#"[null,"5","phoenix","heartbeat",{}]"#,
            r#"["4","4","lv:phx-1","phx_join",{"url":"http://a.example/boats"}]"#,
            r#"["4","5","lv:phx-1","cids_will_destroy",{"cids":[3]}]"#,
            r#"["4","6","lv:phx-1","event",{"type":"form","event":"validate","value":"a=1"}]"#,
            r#"{"command":"subscribe","identifier":"{\"channel\":\"Board\"}"}"#,
            r#"{"command":"unsubscribe","identifier":"{\"channel\":\"Board\"}"}"#,
            r#"{"type":1,"target":"GetHistory","arguments":[7]}"#,
            r#"{"id":"1","type":"start","payload":{"query":"query { items { id canDelete block { id } } }"}}"#,
            "SUBSCRIBE\nid:sub-0\ndestination:/topic/vote\n\n\0",
            "2",
            "40",
            r#"{"protocol":"json","version":1}"#,
        ] {
            assert_eq!(judged(text, PRESSED), None, "{text}");
        }
    }

    #[test]
    fn who_only_reads_says_nothing_that_may_command_whatever_led_to_it() {
        let guards = Guards { mode: Mode::ReadOnly, ..Guards::default() };
        let judged = |text: &str| refused_message(text, "/live", Licence::Creating, &guards);
        let added = r#"{"type":"subscribe","payload":{"query":"mutation { addBoat(name: 1) { id } }"}}"#;
        assert_eq!(judged(added), Some(Rule::ReadOnly));
        assert_eq!(judged(r#"["4","9","lv:phx-1","event",{"type":"form","event":"save"}]"#), Some(Rule::ReadOnly));
        assert_eq!(judged(r#"[null,"5","phoenix","heartbeat",{}]"#), None);
    }
}
