//! What a request creates: whether it shows that it makes something new, and whether that bears a name of ours.

use super::Sent;
use super::link::{is_collection, is_record};
use super::pairs::pairs;
use super::parameters::chooses;
use super::request::{names_command, only_asks};
use super::vocabulary::{COLLECTIONS, CREATING, READING, is_ours, says};
use crate::destructive::{spaced, words};

/// Whether a request adds to the parts of a record what bears no name of ours: an amount, a choice. That changes the record more than it
/// makes something.
pub(super) fn adds_unnamed(sent: &Sent<'_>, path: &str) -> bool {
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let is_part =
        matches!(segments.as_slice(), [.., record, part] if is_record(record) && is_collection(&spaced(part)));
    let says_so = || segments.iter().any(|segment| says(&spaced(segment), &COLLECTIONS));
    let all = pairs(sent.url);
    let mut fields = all.iter().chain(&sent.fields).filter(|(name, _)| !chooses(name)).peekable();
    is_part && fields.peek().is_some() && !fields.any(|(_, value)| is_ours(value)) && !says_so()
}

/// Whether a request shows that it creates something: by its address, by a command among its fields, or by a value that this
/// exploration typed.
pub(super) fn shows_creation(sent: &Sent<'_>, path: &str) -> bool {
    let segments: Vec<String> = path.split('/').filter(|segment| !segment.is_empty()).map(spaced).collect();
    let is_new = |said: &str| says(said, &CREATING) || says(said, &COLLECTIONS);
    let of_field = |(name, value): &(String, String)| is_ours(value) || (names_command(name) && is_new(&spaced(value)));
    segments.iter().any(|segment| is_new(segment))
        || segments.last().is_some_and(|last| is_collection(last))
        || sent.fields.iter().any(of_field)
}

/// Whether a request commands something of records that are there, by a word that is none for asking or creating: `command=optout` of the
/// contacts 1 and 2.
pub(super) fn commands_records(sent: &Sent<'_>, path: &str) -> bool {
    let is_command = |(name, value): &(String, String)| {
        let said = spaced(value);
        names_command(name) && !value.trim().is_empty() && !says(&said, &CREATING) && !says(&said, &READING)
    };
    let fields = &sent.fields;
    // `id`, `contacts[]`, one letter, or a name that stands there again: of which records it is, and no amount.
    let names_records = |name: &str| {
        let times = fields.iter().filter(|(other, _)| other == name).count();
        let said = words(&spaced(name));
        let says_id = said
            .iter()
            .any(|word| matches!(word.as_str(), "id" | "ids" | "selected" | "item" | "items" | "row" | "rows"));
        times > 1 || says_id || name.ends_with("[]") || name.len() == 1
    };
    let is_named = |(name, value): &(String, String)| {
        names_records(name) && !names_command(name) && !chooses(name) && is_record(value)
    };
    // What is selected of a list is no collection of one's own.
    let in_collection = path.split('/').map(spaced).any(|part| part != "selection" && says(&part, &COLLECTIONS));
    fields.iter().any(is_command)
        && fields.iter().any(is_named)
        && !fields.iter().any(|(_, value)| is_ours(value))
        && !in_collection
        && !only_asks(sent, path)
}

#[cfg(test)]
mod tests {
    use super::super::{Licence, Rule, fields_of, refused};
    use super::*;
    use crate::exploration::Guards;
    use url::Url;

    fn judged(path: &str, body: &str, licence: Licence) -> Option<Rule> {
        let url = Url::parse(&format!("http://shop.test{path}")).unwrap();
        let kind = if body.starts_with('{') { "application/json" } else { "application/x-www-form-urlencoded" };
        let fields = fields_of(kind, body.as_bytes());
        let sent = Sent { method: "POST", url: &url, instead: None, fields, opens: crate::harm::Opens::Nothing };
        refused(&sent, licence, &Guards::default())
    }

    #[test]
    fn what_a_button_creates_by_its_words_alone_shows_itself_in_what_it_sends() {
        for (path, body) in [
            ("/boats", ""),
            ("/boats/new", ""),
            ("/cart", "sku=4"),
            ("/log/rpc", r#"{"method": "entry.create"}"#),
            ("/entry", r#"{"title": "Rutter Lovelace"}"#),
            ("/names/check", ""),
        ] {
            assert_eq!(judged(path, body, Licence::Adding), None, "{path} {body}");
        }
        for (path, body) in [("/mooring/code", r#"{"roll": true}"#), ("/log/rpc", r#"{"method": "watch.supersede"}"#)] {
            assert_eq!(judged(path, body, Licence::Adding), Some(Rule::Unclear), "{path} {body}");
            assert_eq!(judged(path, body, Licence::Creating), None, "{path} {body}");
        }
    }

    #[test]
    fn what_is_added_to_a_record_bears_a_name_of_ours() {
        for (path, body) in [
            ("/boats/4/refits", "title=Rutter+mast"),
            ("/boats/4/refits", ""),
            ("/boats/4/refits", r#"{"page": 2}"#),
            ("/cart/4/items", "sku=8"),
        ] {
            assert_eq!(judged(path, body, Licence::Creating), None, "{path} {body}");
        }
        for (path, body) in [
            ("/boats/4/fuellings", "litres=30"),
            ("/boats/4/fuellings?litres=30", ""),
            ("/trips/8801/meals", r#"{"kind": "dinner"}"#),
        ] {
            assert_eq!(judged(path, body, Licence::Creating), Some(Rule::ExistingRecord), "{path} {body}");
        }
    }

    #[test]
    fn a_word_that_is_known_for_nothing_commands_no_records_that_are_there() {
        for (body, refused) in [
            ("c=1&c=2&command=optout", true),
            ("ids=4&bulk_action=frobnicate", true),
            ("ids=4&action=preview", false),
            ("command=optout", false),
            ("op=convert&amount=100", false),
            ("category=3&action=save&title=Rutter%20sample", false),
        ] {
            let found = judged("/contacts/selection", body, Licence::Creating);
            assert_eq!(found == Some(Rule::ExistingRecord), refused, "{body}: {found:?}");
        }
        assert_eq!(judged("/compare", "id=4&do=take", Licence::Creating), None);
    }
}
