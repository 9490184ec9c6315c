//! Addresses that may do something for all that they say: of `/shop/lamp/notify` nobody can tell whether it is a page or a command.
//! What stands around the link has to speak for it then.

use super::link::{
    in_query, in_query_beside, is_collection, is_id, is_record, may_command_it, may_command_with_object, operates,
    without_program,
};
use super::pairs::{is_document, pairs};
use super::parameters::{chooses, is_on, may_switch, tracks};
use super::request::{decoded, names_command, names_id};
use super::upkeep::moves_barrier;
use super::vocabulary::{DECIDING, NOUNS, is_done_to_value, is_view, says_verb, sentence_of, shows};
use crate::destructive::{folded, spaced, words};
use url::Url;

/// Letters of a parameter that shortens what it is for.
const CODE: usize = 3;
/// Most words of a link that is called like a command.
const COMMAND: usize = 3;

/// Whether the words of a link may be a command where its address does not say what is done: on the record that its query names, as
/// `Reopen April` at `?open=2026-04`, or on a gate or a door.
pub fn is_doubtful_by(label: &str, url: &Url) -> bool {
    let said = words(label);
    let Some(verb) = said.first() else { return false };
    let mut own = pairs(url);
    own.retain(|(name, _)| !chooses(name) && !tracks(name));
    let is_command = DECIDING.contains(&verb.as_str()) && !NOUNS.contains(&verb.as_str()) && !shows(verb);
    // `?tr=MB1A&rw=551`: nothing but codes, and one word that is known as no view.
    let is_coded = own.len() > 1 && own.iter().all(|(name, _)| name.chars().count() <= CODE);
    let is_unknown = said.len() == 1 && !shows(&folded(verb)) && verb.chars().all(char::is_alphabetic);
    let is_short = said.len() <= COMMAND;
    moves_barrier(label) || (in_query(url) && is_short && (is_command || (is_coded && is_unknown)))
}

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
    let is_file = is_document(last);
    // A text, and one name of a collection.
    let is_text = url.query().is_none() && (last.ends_with(".html") || last.ends_with(".htm"));
    // In Baltic languages, Greek and Latin words in the singular end alike: `/abonementas/atsisakyti`.
    let is_plural = |word: &str| is_collection(word) && !["as", "is", "us", "ys"].iter().any(|end| word.ends_with(end));
    let is_member = url.query().is_none() && before.last().is_some_and(|before| is_plural(before));
    // A program without parameters shows its page.
    let is_page = url.query().is_none() && without_program(last) != *last && !operates(last);
    let is_known = is_about || is_file || is_text || is_member || is_page || is_id(last);
    // What a report is of may be said by a parameter; of a record it may be reported.
    let names_thing = !in_query(url) && says_verb(without_program(last), &NOUNS);
    // `/orders/12/x`: one letter behind a record says nothing.
    let says_nothing = last.len() == 1 && before.last().is_some_and(|before| is_record(before));
    // `/people/leave` is the second level of a menu.
    let is_deep = before.len() > 1 || (before.len() == 1 && url.query().is_some());
    // `doku.php?do=edit`: what is done is said by a parameter, and judged by it.
    let all = pairs(url);
    let is_told = all.iter().any(|(name, _)| names_command(name) && !SETTING.contains(&&*name.to_lowercase()));
    // `invoices.php?status=cancelled`: which of them are listed.
    let only_chooses = !all.is_empty() && all.iter().all(|(name, _)| chooses(&name.to_lowercase()) || tracks(name));
    let is_listing = only_chooses && without_program(last) != *last;
    let by_word = || {
        let is_settled = is_known || is_listing || names_thing;
        !is_settled && is_deep && may_command_it(last)
    };
    !is_told && !is_about && !is_file && (by_word() || says_nothing || says_by_parameter(&segments, url))
}

/// Parameters that choose which records are listed, and are what one of them is set to as well: `/tasks?status=done&id=6`.
const SETTING: [&str; 4] = ["state", "status", "mode", "type"];

/// Parameters whose value is what somebody decides, in whatever language.
const DECIDES: [&str; 9] =
    ["transition", "decision", "verdict", "resolution", "outcome", "response", "rating", "vote", "turn"];

/// Whether a parameter may say what becomes of the record that the address names: `/items/17/workflow?transition=publish`.
fn says_by_parameter(segments: &[&str], url: &Url) -> bool {
    let Some(last) = segments.last() else { return false };
    let is_record_named = segments.iter().any(|segment| is_record(segment));
    // What is shown of a list below a record.
    let is_list = is_collection(last) && !in_query(url);
    let is_choice = |name: &str| chooses(name) && !SETTING.contains(&name);
    let is_own = |name: &str| !is_choice(name) && !tracks(name) && !names_id(name);
    let says = |name: &str, value: &str| match value {
        "false" | "no" => false,
        // `/relay/0?turn=off`
        "on" | "off" => is_own(name) && may_switch(name),
        // `?id=415&status=rejected`: a state of one record is not listed.
        _ if matches!(name, "status" | "state") => {
            let is_one = !is_collection(last) || pairs(url).iter().any(|(name, value)| names_id(name) && is_id(value));
            is_one && in_query(url) && value.chars().all(char::is_alphabetic)
        }
        // `/products?id=12&statusproduct=1`
        _ if is_on(value) => may_switch(name) && (is_record_named || in_query_beside(url, name)),
        // What a parameter of another name holds is mostly a choice of what is shown: only a verb says more.
        _ if !DECIDES.contains(&name) && !SETTING.contains(&name) => {
            let said = spaced(value);
            is_own(name)
                && !is_id(value)
                && words(&said).first().is_some_and(|verb| {
                    is_done_to_value(verb) || says_verb(verb, &DECIDING) && !shows(verb) && !says_verb(verb, &NOUNS)
                })
        }
        _ => is_own(name) && !is_id(value) && may_command_with_object(value),
    };
    // `/invoices/883/dunning?level=2`: how far it goes is said, of what nobody knows as a view.
    let is_sub_page = matches!(segments, [.., record, _] if is_record(record));
    let word = without_program(last);
    let is_unknown = word.chars().all(char::is_lowercase) && !is_collection(word) && !is_view(word);
    let goes = |name: &str, value: &str| is_sub_page && is_unknown && is_own(name) && is_id(value);
    !is_list
        && (is_record_named || in_query(url))
        && pairs(url).iter().any(|(name, value)| {
            let name = name.to_lowercase();
            says(&name, value) || goes(&name, value)
        })
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
            "/tasks?status=erledigt&id=6",
            "/actualites/17/workflow?transition=publier",
            "/board.php?mode=sticky&no=12",
            "/invoices/883/dunning?level=2",
            "/products?id=12&statusproduct=1",
            "/ticket.html?id=415&Status=rejected",
            "/house/relay/0?turn=off",
            "/bank/so/12/x",
            "/dviraciai/abonementas/atsisakyti",
        ] {
            assert!(doubtful(path), "{path}");
        }
    }

    #[test]
    fn words_of_a_link_may_be_a_command_on_the_one_that_is_named() {
        let by = |label: &str, path: &str| {
            is_doubtful_by(label, &Url::parse("http://a.example").unwrap().join(path).unwrap())
        };
        assert!(by("Reopen April", "/ledger/periods?open=2026-04") && by("Zezłomuj", "/stock?tr=MB1A&rw=551&k=4472"));
        assert!(by("Open gate of dock 3", "/wm/dock3/open") && by("Tor öffnen", "/hof/tor/1"));
        assert!(!by("Reopened tickets", "/tickets?reopened=1") && !by("Liste", "/stock?tr=MB1L&rw=551&k=4472"));
        assert!(!by("April", "/ledger/periods?period=2026-04") && !by("Open day", "/school/days/3"));
        assert!(!by("Open door policy", "/articles/7") && !by("Delete a branch", "/manual/branches"));
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
            "/tasks?status=erledigt",
            "/boards/7/tasks?status=erledigt",
            "/news/17?tab=versions&page=2",
            "/news/17/history?user=4",
            "/people?id=6&lang=de",
            "/projects/17/issues?assignee=4",
            "/questions/11227809/why-is-it?noredirect=1",
            "/products/17?variant=red",
            "/orders?customer=12&carrier=dhl",
            "/issues?project=12&state=open",
            "/people?id=6&expanded=1",
            "/club/invoices.php?status=cancelled",
        ] {
            assert!(!doubtful(path), "{path}");
        }
    }
}
