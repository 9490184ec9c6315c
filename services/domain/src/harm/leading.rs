//! Addresses that may do something for all that they say: of `/shop/lamp/notify` nobody can tell whether it is a page or a command.
//! What stands around the link has to speak for it then.

use super::link::{in_query, is_collection, is_id, may_command_it, operates, without_program};
use super::request::{decoded, names_command};
use super::vocabulary::{NOUNS, says_verb, sentence_of};
use crate::destructive::words;
use url::Url;

/// Files that are only read, by their endings.
const FILES: [&str; 22] = [
    "pdf", "csv", "json", "xml", "txt", "md", "zip", "xls", "xlsx", "ods", "doc", "docx", "odt", "png", "jpg", "jpeg",
    "gif", "svg", "webp", "rss", "atom", "ics",
];

/// Whether the last word of an address may be a verb, and the address says nothing else of what it does: below the part of a section, with
/// parameters where it is a program.
pub fn is_doubtful(url: &Url) -> bool {
    let path = decoded(url.path());
    let mut segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    if segments.first().is_some_and(|first| is_language(first)) {
        segments.remove(0);
    }
    let is_about = segments.iter().any(|segment| words(segment).iter().any(|word| sentence_of(word)));
    let Some((last, before)) = segments.split_last() else { return false };
    let is_file = last.rsplit_once('.').is_some_and(|(_, ending)| FILES.contains(&ending.to_lowercase().as_str()));
    // A document, and one name of a collection.
    let is_document = url.query().is_none() && (last.ends_with(".html") || last.ends_with(".htm"));
    let is_member = url.query().is_none() && before.last().is_some_and(|before| is_collection(before));
    // A program without parameters shows its page.
    let is_page = url.query().is_none() && without_program(last) != *last && !operates(last);
    let is_known = is_about || is_file || is_document || is_member || is_page || is_id(last);
    // What a report is of may be said by a parameter; of a record it may be reported.
    let names_thing = !in_query(url) && says_verb(without_program(last), &NOUNS);
    // `/people/leave` is the second level of a menu.
    let is_deep = before.len() > 1 || (before.len() == 1 && url.query().is_some());
    // `doku.php?do=edit`: what is done is said by a parameter, and judged by it.
    let is_told = url.query_pairs().any(|(name, _)| names_command(&name));
    !is_known && !names_thing && !is_told && is_deep && may_command_it(last)
}

/// Whether a segment says in which language the pages below it are: `de`, `pt-BR`. What is a word as well, such as `my` or `it`, does not.
fn is_language(segment: &str) -> bool {
    const CODES: [&str; 34] = [
        "en", "de", "fr", "es", "pt", "nl", "pl", "cs", "sv", "da", "nb", "fi", "ru", "uk", "tr", "ja", "zh", "ko",
        "el", "hu", "ro", "bg", "sk", "sl", "et", "lv", "lt", "he", "ar", "fa", "th", "vi", "ca", "eu",
    ];
    let plain = segment.to_ascii_lowercase();
    match plain.split_once(['-', '_']) {
        Some((language, region)) => language.len() == 2 && region.len() == 2,
        None => CODES.contains(&plain.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubtful(path: &str) -> bool {
        is_doubtful(&Url::parse("http://a.example").unwrap().join(path).unwrap())
    }

    #[test]
    fn a_word_below_a_section_may_be_a_verb() {
        for path in [
            "/shop/lamp/notify",
            "/museum/vitrine/vider",
            "/transport/pass/reziliere",
            "/bus/kick.cgi?mac=00163e01",
            "/my/rack/unplug",
        ] {
            assert!(doubtful(path), "{path}");
        }
    }

    #[test]
    fn what_shows_something_leaves_no_doubt() {
        for path in [
            "/",
            "/lamps",
            "/imprint",
            "/de/impressum",
            "/lamps/7",
            "/lamps/tall/history",
            "/lamps/tall/spare-parts",
            "/help/lamp/ignite",
            "/lamps/price.pdf",
            "/lamps?sort=price",
            "/lamps/tall",
            "/company/imprint.html",
            "/people/leave",
            "/viewtopic.php?t=7",
            "/forum/mcp.php",
            "/erp/report.jsp?name=purged",
            "/containers/mailer/inspect",
        ] {
            assert!(!doubtful(path), "{path}");
        }
    }
}
