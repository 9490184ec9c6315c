//! Which rule a request breaks: by its method, its address and its fields, whatever control sent it.

use super::rule::{Licence, Rule};
use super::vocabulary::{
    ADMINISTERED_PATHS, COLLECTIONS, CREATING, DECIDING, NOUNS, READING, agrees, is_done_to_record,
    is_of_settings_path, says_verb, sentence_of,
};
use crate::destructive::{command_in_path, deletion, rule_of, spaced, words};
use crate::exploration::{Exceptions, Guards, Mode};
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};
use url::Url;

/// What a request sends.
#[derive(Clone, Debug)]
pub struct Sent<'a> {
    /// Its method, upper case.
    pub method: &'a str,
    /// Its address.
    pub url: &'a Url,
    /// The method that a header names instead, such as `X-HTTP-Method-Override`.
    pub instead: Option<&'a str>,
    /// The fields of its body.
    pub fields: Vec<(String, String)>,
}

/// Fields that name the method which is meant.
const METHOD_FIELDS: [&str; 4] = ["_method", "_http_method", "x-http-method-override", "http_method"];
/// Commands that are words of their own only where a command is expected.
const SHORT_COMMANDS: [&str; 20] = [
    "del",
    "rm",
    "kill",
    "void",
    "wipe",
    "drop",
    "undo",
    "revert",
    "rollback",
    "expire",
    "clear",
    "empty",
    "flush",
    "restart",
    "rebuild",
    "reindex",
    "protect",
    "unprotect",
    "truncate",
    "abort",
];
/// Fields that name what is to be done.
const COMMAND_FIELDS: [&str; 21] = [
    "action",
    "_action",
    "op",
    "operation",
    "do",
    "cmd",
    "command",
    "task",
    "act",
    "event",
    "intent",
    "method",
    "submit",
    "button",
    "btn",
    "commit",
    "verb",
    "type",
    "mode",
    "query",
    "bulk_action",
];
/// Names of fields that hold a payment card or an account to be charged.
const CARD_FIELDS: [&str; 9] =
    ["cardnumber", "ccnumber", "cardno", "creditcard", "cvc", "cvv", "cardcvc", "cccsc", "iban"];

/// The rule that a request breaks; `None` when it may be sent.
pub fn refused(sent: &Sent<'_>, licence: Licence, guards: &Guards) -> Option<Rule> {
    let path = decoded(sent.url.path());
    let names = |exceptions: &Exceptions| exceptions.names_path(&path) || exceptions.names_method(sent.method);
    if names(&guards.deny) {
        return Some(Rule::Denied);
    }
    let is_safe = is_safe(sent.method);
    // Without its log-in a dry run would list what guests may press.
    if guards.only_reads() && !is_safe && !(guards.dry_run && licence == Licence::All) {
        return Some(if guards.dry_run { Rule::DryRun } else { Rule::ReadOnly });
    }
    if guards.mode == Mode::Destructive || licence == Licence::All || guards.allow.names_path(&path) {
        return None;
    }
    if licence != Licence::Own
        && let Some(rule) = destroys(sent, &path)
    {
        return Some(rule).filter(|_| !guards.allow.names_method(sent.method));
    }
    if is_safe || licence == Licence::Own || guards.mode == Mode::Free || guards.allow.names_method(sent.method) {
        return None;
    }
    if let Licence::Reading(rule) = licence {
        return Some(rule).filter(|_| !only_asks(sent, &path));
    }
    changes(sent, &path)
}

/// What a request did that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deed {
    /// It created something.
    Created,
    /// It changed or deleted something.
    Changed,
}

/// What a request did, by its method and address; `None` when it only asked.
pub fn deed_of(method: &str, url: &Url) -> Option<Deed> {
    let path = decoded(url.path());
    let sent = Sent { method, url, instead: None, fields: Vec::new() };
    if is_safe(method) || only_asks(&sent, &path) {
        return None;
    }
    let changes = destroys(&sent, &path).or_else(|| changes(&sent, &path)).is_some();
    Some(if changes { Deed::Changed } else { Deed::Created })
}

fn is_safe(method: &str) -> bool {
    matches!(method, "GET" | "HEAD" | "OPTIONS")
}

/// The rule by which a request deletes, ends, pays for or sends something, by its own words.
fn destroys(sent: &Sent<'_>, path: &str) -> Option<Rule> {
    let query: Vec<(String, String)> =
        sent.url.query_pairs().map(|(name, value)| (name.into(), value.into())).collect();
    let fields = || query.iter().chain(&sent.fields);
    let methods =
        fields().filter(|(name, _)| METHOD_FIELDS.contains(&&*name.to_lowercase())).map(|(_, value)| &**value);
    if methods.chain(sent.instead).chain([sent.method]).any(|method| method.trim().eq_ignore_ascii_case("delete")) {
        return Some(Rule::Deletes);
    }
    if is_safe(sent.method) {
        return of_link(
            path,
            &query,
            escapes_letters(sent.url.path()) || sent.url.query().is_some_and(escapes_letters),
        );
    }
    // What a search is for, and what is asked of an interface, stands in fields of the same names.
    if only_asks(sent, path) {
        return None;
    }
    if let Some(word) = command_in_path(&spaced(path)) {
        return Some(rule_of(&word));
    }
    fields().find_map(|(name, value)| of_field(name, value))
}

/// The rule that a field of a form breaks: its value says what is to be done, or its name does.
fn of_field(name: &str, value: &str) -> Option<Rule> {
    let plain = name.to_lowercase();
    if COMMAND_FIELDS.contains(&plain.as_str()) {
        let mutation = value.trim_start().strip_prefix("mutation").map(|rest| rest.replace(['{', '('], " "));
        let said = spaced(mutation.as_deref().unwrap_or(value));
        let is_command = mutation.is_some() || said.split_whitespace().count() <= 4;
        let is_short = SHORT_COMMANDS.contains(&said.trim().to_lowercase().as_str()).then_some(Rule::Deletes);
        return is_short.or_else(|| command_in_path(&said).filter(|_| is_command).map(|word| rule_of(&word)));
    }
    // A button that is sent by its name: `delete=1`, `btnRemoveItem`.
    let is_on = !matches!(value.trim().to_lowercase().as_str(), "" | "0" | "false" | "no" | "off");
    let name = spaced(name);
    (is_on && words(&name).len() <= 3).then(|| deletion(&name)).flatten().map(|word| rule_of(&word))
}

/// The rule that following an address breaks: it says itself what is done, as `/items/3/delete` or `?action=delete`.
/// Whoever escapes letters that need no escape hides what the address says (RFC 3986, 2.3): then each of its words counts.
fn of_link(path: &str, query: &[(String, String)], hides: bool) -> Option<Rule> {
    let segments: Vec<String> = path.split('/').filter(|segment| !segment.is_empty()).map(spaced).collect();
    // Texts about things: a page of the manual has the name of what it explains.
    let is_about = segments.iter().any(|segment| words(segment).iter().any(|word| sentence_of(word)));
    let names_record = segments.iter().any(|segment| is_id(segment)) || query.iter().any(|(_, value)| is_id(value));
    // `?reset=1` is a switch of the view where nothing else is named.
    let is_switch = |(name, value): &(String, String)| {
        matches!(name.as_str(), "reset" | "clear")
            && value == "1"
            && !segments.iter().any(|segment| is_id(segment))
            && query.iter().filter(|(_, value)| is_id(value)).count() == 1
    };
    let of_segment = |(at, segment): (usize, &String)| {
        // The verb and its object count: frameworks put `do` before it, and particles follow, as in `doWipeOutWorkspace`.
        let mut all = words(segment);
        all.retain(|word| !matches!(word.as_str(), "do" | "out" | "up" | "off"));
        let is_short = (1..=3).contains(&all.len());
        let rule = command_in_path(segment).map(|word| rule_of(&word));
        let is_strong = rule.is_some_and(|rule| matches!(rule, Rule::Deletes | Rule::LogsOut));
        // `/book/3` is a book; `/seats/3/book` books it.
        let is_behind = || segments.iter().take(at).any(|before| is_id(before));
        let decides_it = || says_verb(segment, &DECIDING) && (is_behind() || !says_verb(segment, &NOUNS));
        let is_deed = || all.len() == 1 && is_behind() && all.iter().any(|word| is_done_to_record(word));
        let decides = names_record && all.len() <= 2 && (decides_it() || is_deed());
        match rule {
            // Of `remove-stains` nobody knows what would be removed: it is the name of a text. `delete-all` says it.
            Some(rule) if is_short && (names_record || hides || (is_strong && names_all(rule, &all))) => Some(rule),
            _ if decides => Some(Rule::ExistingRecord),
            _ => None,
        }
    };
    let of_pair = |(name, value): &(String, String)| {
        let is_command = COMMAND_FIELDS.contains(&name.to_lowercase().as_str());
        of_field(name, value).or_else(|| {
            let verb = if is_command { value } else { name };
            let is_verb = is_command || is_id(value);
            let decides = is_verb && says_verb(&spaced(verb), &DECIDING) && (names_record || !is_command);
            let agrees_to = segments.iter().any(|segment| is_id(segment)) && agrees(value);
            (decides || agrees_to).then_some(Rule::ExistingRecord)
        })
    };
    // Two segments may say together what neither says alone: `/session/end`, `/account/close`.
    let together = || {
        let last: Vec<&str> = segments.iter().rev().take(2).rev().map(String::as_str).collect();
        let is_thing = matches!(last.as_slice(), [thing, id] if is_id(id) && says_verb(thing, &NOUNS));
        if is_thing || last.iter().any(|segment| words(segment).len() > 1) {
            return None;
        }
        let rule = command_in_path(&last.join(" ")).map(|word| rule_of(&word));
        rule.filter(|rule| matches!(rule, Rule::Deletes | Rule::LogsOut))
    };
    // Whoever hides what is done with a thing does more than show it.
    let hidden = || (hides && names_record).then_some(Rule::ExistingRecord);
    let of_path = || segments.iter().enumerate().find_map(of_segment).or_else(together).or_else(hidden);
    let mut pairs = query.iter().filter(|pair| !is_switch(pair));
    pairs.find_map(of_pair).or_else(|| if is_about && !hides { None } else { of_path() })
}

/// Whether the words of an address that names no record say by themselves what is done.
fn names_all(rule: Rule, words: &[String]) -> bool {
    const WHOLE: [&str; 14] = [
        "all",
        "everything",
        "account",
        "accounts",
        "item",
        "items",
        "user",
        "users",
        "data",
        "cache",
        "session",
        "sessions",
        "me",
        "my",
    ];
    rule == Rule::LogsOut || words.len() == 1 || words.iter().any(|word| WHOLE.contains(&word.as_str()))
}

/// Whether a request only asks, though its method does not say so: a query of GraphQL, a search, a count.
fn only_asks(sent: &Sent<'_>, path: &str) -> bool {
    let query = sent.fields.iter().find(|(name, _)| name == "query").map(|(_, value)| value.trim_start());
    if path.to_lowercase().contains("graphql") {
        return query.is_some_and(|query| {
            query.starts_with('{') || query.starts_with("query") || query.starts_with("fragment")
        });
    }
    let last = path.split('/').rfind(|segment| !segment.is_empty()).map(spaced).unwrap_or_default();
    let said = words(&last);
    // `getBoats`, `list_rows`: calls by name, of which the verb stands first. By itself each may be a collection.
    let fetches =
        matches!(said.as_slice(), [verb, _, ..] if matches!(verb.as_str(), "get" | "fetch" | "list" | "load"));
    said.iter().any(|word| READING.contains(&word.as_str())) || (fetches && command_in_path(&last).is_none())
}

/// The rule by which a request changes what was there before.
fn changes(sent: &Sent<'_>, path: &str) -> Option<Rule> {
    let method = sent.instead.unwrap_or(sent.method).trim().to_uppercase();
    let named = sent.fields.iter().find(|(name, _)| METHOD_FIELDS.contains(&&*name.to_lowercase()));
    let method = named.map_or(method, |(_, value)| value.trim().to_uppercase());
    if matches!(method.as_str(), "PUT" | "PATCH") {
        return Some(Rule::ExistingRecord);
    }
    if changes_password(&sent.fields) {
        return Some(Rule::Password);
    }
    if pays(&sent.fields) {
        return Some(Rule::Pays);
    }
    let segments: Vec<String> = path.split('/').filter(|segment| !segment.is_empty()).map(spaced).collect();
    let all: Vec<String> = segments.iter().flat_map(|segment| words(segment)).collect();
    let says = |list: &[&str]| all.iter().any(|word| list.contains(&word.as_str()));
    let creates = says(&CREATING) || says(&COLLECTIONS);
    let is_session = all.iter().any(|word| matches!(word.as_str(), "refresh" | "oauth" | "oauth2" | "csrf" | "login"));
    if says(&ADMINISTERED_PATHS) && !is_session {
        return Some(Rule::Administration);
    }
    if creates {
        return None;
    }
    if is_of_settings_path(&all) {
        return Some(Rule::Settings);
    }
    let updates = says_verb(&all.join(" "), &super::vocabulary::UPDATING);
    let id = segments.iter().rposition(|segment| is_id(segment));
    let is_record = match id.map(|at| &segments[at + 1..]) {
        // What stands below a record is a collection of its own, as its comments, or says what becomes of the record.
        Some([]) => true,
        Some([after, ..]) => !is_collection(after),
        None => updates && sent.fields.iter().any(|(name, value)| names_id(name) && !value.is_empty()),
    };
    is_record.then_some(Rule::ExistingRecord)
}

/// Whether a segment is the name of one thing among many: it has a digit, and is no version.
fn is_id(segment: &str) -> bool {
    let segment = segment.trim();
    let is_version = segment.len() <= 4 && segment.starts_with(['v', 'V']);
    !segment.is_empty()
        && segment.len() <= 80
        && segment.chars().any(|letter| letter.is_ascii_digit())
        && !is_version
        && !matches!(segment, "2fa" | "oauth2" | "s3" | "web3")
}

fn names_id(name: &str) -> bool {
    let name = name.to_lowercase();
    name == "id" || name.ends_with("_id") || name.ends_with("[id]") || name == "pk" || name == "uuid" || name == "key"
}

/// Whether a segment names a collection: a plural.
fn is_collection(segment: &str) -> bool {
    let is_plural = segment.len() > 3 && segment.ends_with('s') && !segment.ends_with("ss");
    is_plural && !says_verb(segment, &DECIDING)
}

/// Whether fields change a password: an old and a new one, or a new one twice, and nobody who is named.
pub(crate) fn changes_password(fields: &[(String, String)]) -> bool {
    let secret = |name: &str| {
        let name = name.to_lowercase();
        name.contains("pass") || name.contains("pwd")
    };
    let secrets: Vec<String> =
        fields.iter().filter(|(name, _)| secret(name)).map(|(name, _)| name.to_lowercase()).collect();
    let says = |words: &[&str]| secrets.iter().any(|name| words.iter().any(|word| name.contains(word)));
    let somebody = ["user", "login", "email", "mail", "name", "nick"];
    let is_named = fields.iter().any(|(name, value)| {
        !secret(name) && !value.is_empty() && somebody.iter().any(|word| name.to_lowercase().contains(word))
    });
    let changes = says(&["old", "current", "existing"]) && secrets.len() > 1;
    changes || (secrets.len() > 1 && !is_named)
}

/// Whether fields hold a payment card.
fn pays(fields: &[(String, String)]) -> bool {
    fields.iter().any(|(name, value)| {
        let name: String = name.to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect();
        !value.is_empty() && CARD_FIELDS.iter().any(|card| name.ends_with(card)) || is_card(value)
    })
}

/// Whether a value is the number of a payment card (ISO/IEC 7812: 13 to 19 digits and a check digit).
fn is_card(value: &str) -> bool {
    let value = value.trim();
    let digits: Vec<u32> = value.chars().filter_map(|letter| letter.to_digit(10)).collect();
    let others = value.chars().filter(|letter| !letter.is_ascii_digit()).all(|letter| matches!(letter, ' ' | '-'));
    if !others || !(13..=19).contains(&digits.len()) || !matches!(digits[0], 2..=6) {
        return false;
    }
    let doubled = |(at, digit): (usize, &u32)| match (at % 2, digit * 2) {
        (1, double) if double > 9 => double - 9,
        (1, double) => double,
        _ => *digit,
    };
    digits.iter().rev().enumerate().map(doubled).sum::<u32>() % 10 == 0
}

/// Whether a path escapes letters or digits of ASCII, once or twice.
fn escapes_letters(path: &str) -> bool {
    let escapes = |path: &str| {
        let is_plain = |hex: &str| u8::from_str_radix(hex, 16).is_ok_and(|byte| byte.is_ascii_alphanumeric());
        path.split('%').skip(1).any(|part| part.get(..2).is_some_and(is_plain))
    };
    escapes(path) || escapes(&percent_decode_str(path).decode_utf8_lossy())
}

/// A path with its percent-escapes resolved, twice, since servers behind servers do so too.
fn decoded(path: &str) -> String {
    let once = percent_decode_str(path).decode_utf8_lossy().into_owned();
    percent_decode_str(&once).decode_utf8_lossy().into_owned()
}
