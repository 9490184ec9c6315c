//! What a page sends over a WebSocket: messages of frameworks and of applications, in JSON. They are judged like requests, by what they
//! say that is to be done.

use super::fields::fields_of;
use super::link::may_command_with_object;
use super::request::{names_command, of_field};
use super::rule::{Licence, Rule};
use super::trial::reads_by_verb;
use crate::destructive::{command_in_path, rule_of, spaced, words};
use crate::exploration::{Guards, Mode};
use serde_json::Value;

/// What keeps a connection, or says what is heard of it.
const KEEPING: [&str; 40] = [
    "heartbeat",
    "ping",
    "pong",
    "ack",
    "join",
    "leave",
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
    "start",
    "stop",
    "complete",
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
    "click",
    "change",
    "form",
    "keyup",
    "submit",
    "live_patch",
    "lv:clear-flash",
];
/// Names under which messages say what is to be done, beside those of forms.
const SAYING: [&str; 5] = ["event", "target", "msg", "name", "destination"];

/// The rule that a message breaks; none when it may be sent.
pub fn refused_message(text: &str, licence: Licence, guards: &Guards) -> Option<Rule> {
    if guards.mode == Mode::Destructive || matches!(licence, Licence::All | Licence::Own) {
        return None;
    }
    let said = said_in(text);
    let commands = || said.iter().filter(|(name, value)| says(name) && !keeps(value));
    let by_word = commands().find_map(|(_, value)| command_in_path(&spaced(value))).map(|word| rule_of(&word));
    let by_field = || said.iter().find_map(|(name, value)| of_field(name, value));
    let is_careful = guards.mode == Mode::Careful || guards.only_reads();
    let is_pressed = !matches!(licence, Licence::Creating);
    let is_unknown = |value: &str| {
        let plain = words(&spaced(value)).join(" ");
        may_command_with_object(value) && !reads_by_verb(&plain)
    };
    let unknown = || {
        let is_one = is_careful && is_pressed && commands().any(|(_, value)| is_unknown(value));
        is_one.then_some(Rule::UnknownCommand)
    };
    by_word.or_else(by_field).or_else(unknown)
}

fn says(name: &str) -> bool {
    names_command(name) || SAYING.contains(&name)
}

fn keeps(value: &str) -> bool {
    KEEPING.contains(&value.to_lowercase().as_str()) || value.chars().all(|sign| sign.is_ascii_digit())
}

/// Bytes in front of the JSON of a message, at most.
const PREFIX: usize = 60;

/// The fields of a message; JSON within a text is read as well.
fn said_in(text: &str) -> Vec<(String, String)> {
    let packet = text.trim_end_matches('\u{1e}');
    // Socket.IO writes a number and a namespace in front: `42/admin,["remove"]`.
    let begins = packet.find(['{', '[']).filter(|at| *at < PREFIX);
    let stomp = packet.lines().find_map(|line| line.strip_prefix("destination:"));
    let mut all: Vec<(String, String)> =
        stomp.map(|to| ("destination".to_owned(), to.to_owned())).into_iter().collect();
    let Some(json) = begins.map(|at| &packet[at..]) else { return all };
    all.extend(event_of(json).map(|event| ("event".to_owned(), event)));
    for (name, value) in fields_of("application/json", json.as_bytes()) {
        if value.starts_with('{') {
            all.extend(fields_of("application/json", value.as_bytes()));
        } else if !name.is_empty() {
            all.push((name, value));
        }
    }
    all
}

/// The event that a list names: the first text of Socket.IO's, the fourth of Phoenix's, behind what is spoken of.
fn event_of(json: &str) -> Option<String> {
    let Ok(Value::Array(all)) = serde_json::from_str(json) else { return None };
    let event = match all.as_slice() {
        [_, _, Value::String(_), Value::String(event), Value::Object(_)] => event,
        all => all.iter().find_map(Value::as_str)?,
    };
    Some(event.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(text: &str, licence: Licence) -> Option<Rule> {
        refused_message(text, licence, &Guards::default())
    }

    #[test]
    fn a_message_that_commands_is_not_sent() {
        let pressed = Licence::Reading(Rule::Unclear);
        for text in [
            r#"["4","9","lv:phx-1","event",{"type":"click","event":"delete","value":{"id":"7"}}]"#,
            r#"42["remove-row",{"id":7}]"#,
            r#"{"type":1,"target":"CancelOrder","arguments":[7]}"#,
            r#"{"command":"message","identifier":"{\"channel\":\"Board\"}","data":"{\"action\":\"purge\"}"}"#,
            r#"{"id":"1","type":"subscribe","payload":{"query":"mutation { deleteBoat(id: 4) { id } }"}}"#,
            r#"{"msg":"method","method":"tasks.remove","params":[4],"id":"1"}"#,
        ] {
            assert!(judged(text, pressed).is_some() && judged(text, Licence::Creating).is_some(), "{text}");
        }
        let unknown = r#"["4","9","lv:phx-1","event",{"type":"click","event":"sunset","value":{"id":"7"}}]"#;
        assert_eq!(judged(unknown, pressed), Some(Rule::UnknownCommand));
        assert_eq!(judged(unknown, Licence::Own), None);
    }

    #[test]
    fn a_message_that_keeps_the_connection_or_asks_is_sent() {
        let pressed = Licence::Reading(Rule::Unclear);
        for text in [
            r#"[null,"5","phoenix","heartbeat",{}]"#,
            r#"["4","4","lv:phx-1","phx_join",{"url":"http://a.example/boats"}]"#,
            r#"{"command":"subscribe","identifier":"{\"channel\":\"Board\"}"}"#,
            r#"{"type":1,"target":"GetHistory","arguments":[7]}"#,
            "2",
            "40",
            r#"{"protocol":"json","version":1}"#,
        ] {
            assert_eq!(judged(text, pressed), None, "{text}");
        }
    }
}
