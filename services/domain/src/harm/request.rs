//! Which rule a request breaks: by its method, its address and its fields, whatever control sent it.

use super::calls::{calls_to_read, posts_back_to_read};
use super::creating::{adds_unnamed, commands_records, shows_creation};
use super::link::{is_collection, is_id, may_command_record, of_link, says_unknown, switches_record, without_program};
use super::pairs::pairs;
use super::rule::{Licence, Rule};
use super::sent::{Opens, Sent};
use super::streams;
use super::trial::tries;
use super::vocabulary::{
    ADMINISTERED_PATHS, COLLECTIONS, CREATING, READING, UPDATING, is_of_settings_path, renews_secret, says_verb,
};
use crate::destructive::{command_in_path, deletion, rule_of, spaced, words};
use crate::exploration::{Exceptions, Guards, Mode};
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};
use url::Url;

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
const COMMAND_FIELDS: [&str; 36] = [
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
    "aktion",
    "befehl",
    "vorgang",
    "accion",
    "acción",
    "operacion",
    "acao",
    "ação",
    "azione",
    "operazione",
    "actie",
    "akcja",
    "akce",
    "islem",
    "handling",
];
/// Those of them that say so in a longer name too: `action_button`, `bulk_action`.
const COMMAND_WORDS: [&str; 8] = ["action", "operation", "cmd", "command", "aktion", "befehl", "accion", "acao"];
/// What is said to others about a record, in the plural of addresses.
const SAID: [&str; 16] = [
    "comments",
    "remarks",
    "messages",
    "replies",
    "answers",
    "reviews",
    "posts",
    "invitations",
    "invites",
    "notifications",
    "reminders",
    "offers",
    "mails",
    "emails",
    "announcements",
    "responses",
];
/// What only answers by itself, and is done to a record below one.
const TRYING: [&str; 7] = ["check", "ping", "poll", "track", "collect", "count", "quote"];
/// What opens a session of one's own.
const SESSIONS: [&str; 3] = ["login", "signin", "session"];
/// What stands before it says of what product or of whom it is.
const OWNERS: [&str; 14] =
    ["wp", "user", "users", "admin", "my", "do", "ajax", "api", "auth", "account", "customer", "member", "new", "web"];
/// Names of fields that hold a payment card or an account to be charged.
const CARD_FIELDS: [&str; 9] =
    ["cardnumber", "ccnumber", "cardno", "creditcard", "cvc", "cvv", "cardcvc", "cccsc", "iban"];

/// Whether a field says by its name that its value is what is to be done.
pub(super) fn names_command(name: &str) -> bool {
    COMMAND_FIELDS.contains(&name.to_lowercase().as_str()) || (says_command(name) && !names_id(name))
}

/// Whether the name of a field speaks of a command, alone or among other words: `action`, `bulkAction`.
pub(super) fn says_command(name: &str) -> bool {
    words(&spaced(name)).iter().any(|word| COMMAND_WORDS.contains(&word.as_str()))
}

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
    if let Licence::Trying(rule) = licence
        && !is_safe
        && !guards.allow.names_method(sent.method)
    {
        return destroys(sent, &path).or(Some(rule).filter(|_| !is_trial(sent, &path)));
    }
    if licence != Licence::Own
        && let Some(rule) = destroys(sent, &path)
    {
        return Some(rule).filter(|_| !guards.allow.names_method(sent.method));
    }
    // What a control that may only read asks for is asked by it, and not by the page that opens.
    let is_pressed = matches!(licence, Licence::Reading(_) | Licence::Trying(_));
    if is_safe
        && licence != Licence::Own
        && guards.mode == Mode::Careful
        && match sent.opens {
            Opens::Page => says_unknown(&path, sent.url),
            Opens::Stream => streams::orders(&path, sent.url),
            Opens::Nothing => is_pressed && (switches_record(&path, sent.url) || may_command_record(&path)),
        }
    {
        return Some(Rule::UnknownCommand);
    }
    if guards.mode == Mode::Careful && licence != Licence::Own && names_what_was(sent) {
        return Some(Rule::ExistingRecord);
    }
    if is_safe || licence == Licence::Own || guards.mode == Mode::Free || guards.allow.names_method(sent.method) {
        return None;
    }
    if let Licence::Reading(rule) = licence {
        return Some(rule).filter(|_| !only_asks(sent, &path));
    }
    let shows_it = || licence != Licence::Adding || only_asks(sent, &path) || shows_creation(sent, &path);
    changes(sent, &path)
        .or_else(|| (adds_unnamed(sent, &path) || commands_records(sent, &path)).then_some(Rule::ExistingRecord))
        .or_else(|| (!shows_it()).then_some(Rule::Unclear))
}

/// Whether a request says beside a value which one was there before, whatever its method: `name` and `old-name`. It changes that record.
fn names_what_was(sent: &Sent<'_>) -> bool {
    const BEFORE: [&str; 6] = ["old", "original", "orig", "previous", "prev", "former"];
    let query = pairs(sent.url);
    let fields: Vec<(Vec<String>, bool)> = query
        .iter()
        .chain(&sent.fields)
        .map(|(name, value)| (words(&spaced(name)), !value.trim().is_empty()))
        .collect();
    let is_there = |rest: &[String]| fields.iter().any(|(name, _)| name.as_slice() == rest);
    fields.iter().any(|(name, is_filled)| match name.split_first() {
        Some((first, rest)) => *is_filled && BEFORE.contains(&first.as_str()) && !rest.is_empty() && is_there(rest),
        None => false,
    })
}

/// Whether a request is what a control promises that says that it only tries something: a plain `POST` which says so itself, without
/// another method, a command in its address, a card or a password.
fn is_trial(sent: &Sent<'_>, path: &str) -> bool {
    let query = pairs(sent.url);
    sent.method == "POST"
        && sent.instead.is_none()
        && !query.iter().chain(&sent.fields).any(|(name, _)| names_method(name))
        && !query.iter().any(|(name, value)| of_field(name, value).is_some())
        && !pays(&sent.fields)
        && !changes_password(&sent.fields)
        && (tries(sent, path) || only_asks(sent, path))
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
    let sent = Sent { method, url, instead: None, fields: Vec::new(), opens: Opens::Nothing };
    if is_safe(method) || only_asks(&sent, &path) {
        return None;
    }
    // What is said to others about a record is made, and changes nothing of it.
    let changed = destroys(&sent, &path).or_else(|| changes(&sent, &path).filter(|rule| *rule != Rule::Sends));
    Some(if changed.is_some() { Deed::Changed } else { Deed::Created })
}

fn is_safe(method: &str) -> bool {
    matches!(method, "GET" | "HEAD" | "OPTIONS")
}

/// The rule by which a request deletes, ends, pays for or sends something, by its own words.
fn destroys(sent: &Sent<'_>, path: &str) -> Option<Rule> {
    let query = pairs(sent.url);
    let fields = || query.iter().chain(&sent.fields);
    let methods = fields().filter(|(name, _)| names_method(name)).map(|(_, value)| &**value);
    if methods.chain(sent.instead).chain([sent.method]).any(|method| method.trim().eq_ignore_ascii_case("delete")) {
        return Some(Rule::Deletes);
    }
    if fields().any(|(name, value)| changes_database(name, value)) {
        return Some(Rule::Administration);
    }
    if is_safe(sent.method) {
        return of_link(
            path,
            sent.url,
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

/// Whether a field holds statements of SQL of which one does more than read. In a field that does not speak of SQL, two words must say it.
fn changes_database(name: &str, value: &str) -> bool {
    const VERBS: [&str; 11] =
        ["drop", "delete", "truncate", "alter", "insert", "update", "grant", "revoke", "replace", "create", "rename"];
    const OBJECTS: [&str; 12] = [
        "table", "database", "schema", "view", "index", "user", "role", "from", "into", "column", "function", "trigger",
    ];
    let name = name.to_lowercase();
    let speaks_of_sql = name.contains("sql");
    if !speaks_of_sql && !["statement", "stmt", "query"].iter().any(|word| name.contains(word)) {
        return false;
    }
    value.split(';').map(words).any(|said| {
        let verb = said.first().is_some_and(|verb| VERBS.contains(&verb.as_str()));
        let object = said.get(1).is_some_and(|object| OBJECTS.contains(&object.as_str()));
        let sets = said.first().is_some_and(|verb| verb == "update") && said.iter().any(|word| word == "set");
        let empties = said.first().is_some_and(|verb| verb == "truncate") && said.len() > 1;
        verb && (speaks_of_sql || object || sets || empties)
    })
}

/// Whether a field says by its name that its value is the method which is meant.
fn names_method(name: &str) -> bool {
    METHOD_FIELDS.contains(&&*name.to_lowercase())
}

/// Whether a value is none, or switches something off.
pub(super) fn is_off(value: &str) -> bool {
    matches!(value.trim().to_lowercase().as_str(), "" | "0" | "false" | "no" | "off")
}

/// The rule that a field of a form breaks: its value says what is to be done, or its name does.
pub(super) fn of_field(name: &str, value: &str) -> Option<Rule> {
    let plain = name.to_lowercase();
    if names_command(name) {
        let mutation = value.trim_start().strip_prefix("mutation").map(|rest| rest.replace(['{', '('], " "));
        let said = spaced(mutation.as_deref().unwrap_or(value));
        let is_command = mutation.is_some() || said.split_whitespace().count() <= 4;
        let value = said.trim().to_lowercase();
        let by_itself = SHORT_COMMANDS.contains(&value.as_str()).then_some(Rule::Deletes);
        // `mode=overwrite`; of other fields the word may be what kind of thing is made.
        let is_put_over = matches!(plain.as_str(), "mode" | "action" | "op" | "operation" | "method" | "do")
            && matches!(value.as_str(), "overwrite" | "replace" | "override");
        let put_over = || is_put_over.then_some(Rule::ExistingRecord);
        let in_words = || command_in_path(&said).filter(|_| is_command).map(|word| rule_of(&word));
        if let Some(rule) = by_itself.or_else(put_over).or_else(in_words) {
            return Some(rule);
        }
        // `action_delete=1` names it; of `action=delete-me` the value was read.
        if COMMAND_FIELDS.contains(&plain.as_str()) {
            return None;
        }
    }
    // A button that is sent by its name: `delete=1`, `btnRemoveItem`.
    let name = spaced(name);
    (!is_off(value) && words(&name).len() <= 3).then(|| deletion(&name)).flatten().map(|word| rule_of(&word))
}

/// Whether a request only asks, though its method does not say so: a query of GraphQL, a search, a count.
pub(super) fn only_asks(sent: &Sent<'_>, path: &str) -> bool {
    let query = sent.fields.iter().find(|(name, _)| name == "query").map(|(_, value)| value.trim_start());
    if path.to_lowercase().contains("graphql") {
        return query.is_some_and(|query| {
            query.starts_with('{') || query.starts_with("query") || query.starts_with("fragment")
        });
    }
    if calls_to_read(&sent.fields, path) || posts_back_to_read(&sent.fields) {
        return true;
    }
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let Some((last, before)) = segments.split_last() else { return false };
    let last = spaced(without_program(last));
    let said = words(&last);
    // `getBoats`, `list_rows`: calls by name, of which the verb stands first. By itself each may be a collection, and below a
    // record it is one of its parts.
    let is_of_record = before.iter().any(|segment| is_id(segment));
    let is_fetch = |verb: &str| matches!(verb, "get" | "fetch" | "list" | "load");
    let fetches = !is_of_record && matches!(said.as_slice(), [verb, _, ..] if is_fetch(verb));
    // `wp-login` opens a session, `forbid_login` does not.
    let opens_session = said.split_last().is_some_and(|(word, before)| {
        SESSIONS.contains(&word.as_str()) && before.iter().all(|word| OWNERS.contains(&word.as_str()))
    });
    // `/hosts/4/ping` is done to the host, and `/rooms/4/check-in` is no check.
    let is_done = |word: &str| is_of_record && TRYING.contains(&word);
    let reads = opens_session || said.iter().any(|word| READING.contains(&word.as_str()) && !is_done(word));
    reads || (fetches && command_in_path(&last).is_none())
}

/// The rule by which a request changes what was there before.
fn changes(sent: &Sent<'_>, path: &str) -> Option<Rule> {
    let method = sent.instead.unwrap_or(sent.method).trim().to_uppercase();
    let named = sent.fields.iter().find(|(name, _)| names_method(name));
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
    // `/account/key/rotate`
    if (says(&ADMINISTERED_PATHS) || renews_secret(&all)) && !is_session {
        return Some(Rule::Administration);
    }
    if creates {
        return None;
    }
    if is_of_settings_path(&all) {
        return Some(Rule::Settings);
    }
    let updates = says_verb(&all.join(" "), &UPDATING);
    let id = segments.iter().rposition(|segment| is_id(segment));
    let is_record = match id.map(|at| &segments[at + 1..]) {
        // What stands below a record is a collection of its own, as its pages, or says what becomes of the record.
        Some([]) => true,
        // Somebody reads what is said to them there.
        Some([after, ..]) if words(after).iter().any(|word| SAID.contains(&word.as_str())) => return Some(Rule::Sends),
        Some([after, ..]) => !is_collection(after),
        None => {
            (updates || sent.fields.iter().any(sets_state))
                && sent.fields.iter().any(|(name, value)| names_id(name) && !value.is_empty())
        }
    };
    is_record.then_some(Rule::ExistingRecord)
}

/// Whether a command says what a record is from then on: `act=given`.
fn sets_state((name, value): &(String, String)) -> bool {
    const STATES: [&str; 12] =
        ["given", "taken", "sent", "paid", "done", "seen", "sold", "lost", "held", "broken", "written", "drawn"];
    let value = value.trim().to_lowercase();
    COMMAND_FIELDS.contains(&name.to_lowercase().as_str())
        && (STATES.contains(&value.as_str())
            || (value.len() > 4 && value.ends_with("ed") && value.chars().all(char::is_alphabetic)))
}

/// Whether a field, or a part of an address, says that a record's key stands in it.
pub(super) fn names_id(name: &str) -> bool {
    let name = name.to_lowercase();
    // `oid`, `nid`; of a session it names no record.
    let is_short = name.len() == 3 && name.ends_with("id") && !matches!(name.as_str(), "sid" | "aid");
    is_short
        || name == "id"
        || name.ends_with("_id")
        || name.ends_with("[id]")
        || name == "pk"
        || name == "uuid"
        || name == "key"
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
pub(super) fn decoded(path: &str) -> String {
    let once = percent_decode_str(path).decode_utf8_lossy().into_owned();
    percent_decode_str(&once).decode_utf8_lossy().into_owned()
}
