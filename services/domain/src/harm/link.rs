//! What an address says that is done by following it: a link is safe by its method (RFC 9110, 9.2.1), and not every site keeps to that.

use super::named::commands_by_name;
use super::pairs::{is_document, is_host, pairs, parts};
use super::parameters::{chooses, delivers, is_on, may_switch, tracks};
use super::request::{names_command, names_id, of_field, says_command};
use super::rule::Rule;
use super::trial::{asks_by_label, reads_by_verb, tries_in};
use super::vocabulary::{
    DECIDING, NOUNS, agrees, answers, is_done_to_record, is_done_to_value, is_joined_command, is_of_settings_path,
    is_view, says_verb, sentence_of, shows,
};
use crate::destructive::{command_in_path, folded, is_of_view, rule_of, spaced, words};
use url::Url;

/// Words of a parameter's name that say what is shown, and how.
const SHOWN: [&str; 11] =
    ["is", "has", "show", "hide", "only", "include", "filter", "sort", "grid", "search", "columns"];

/// The rule that following an address breaks: it says itself what is done, as `/items/3/delete` or `?action=delete`.
/// Whoever escapes letters that need no escape hides what the address says (RFC 3986, 2.3): then each of its words counts.
pub(super) fn of_link(path: &str, url: &Url, hides: bool) -> Option<Rule> {
    let query = pairs(url);
    let is_bare = |name: &str| url.query().unwrap_or_default().split(['&', ';']).any(|part| part == name);
    let segments: Vec<String> = path.split('/').filter(|segment| !segment.is_empty()).map(spaced).collect();
    // Texts about things: a page of the manual has the name of what it explains.
    // So has a document: `/wards/7/discharge-summary.pdf`.
    let is_about = segments.iter().any(|segment| words(segment).iter().any(|word| sentence_of(word)))
        || (query.is_empty() && path.rsplit('/').next().is_some_and(is_document));
    let names_record = segments.iter().any(|segment| is_id(segment)) || query.iter().any(|(_, value)| is_id(value));
    // `?reset=1` is a switch of the view where nothing else is named.
    let is_switch = |(name, value): &(String, String)| {
        matches!(name.as_str(), "reset" | "clear")
            && value == "1"
            && !segments.iter().any(|segment| is_id(segment))
            && query.iter().filter(|(_, value)| is_id(value)).count() == 1
    };
    // `RemoveFile.ashx?f=budget.xls`
    let is_asked_for = query.iter().any(|(name, _)| !chooses(name) && !tracks(name));
    let of_segment = |(at, segment): (usize, &String)| {
        // The verb and its object count: frameworks put `do` before it, and particles follow, as in `doWipeOutWorkspace`.
        let mut all = words(segment);
        all.retain(|word| !matches!(word.as_str(), "do" | "out" | "up" | "off" | "me"));
        let is_short = (1..=3).contains(&all.len());
        let rule = command_in_path(segment).map(|word| rule_of(&word));
        let is_strong = rule.is_some_and(|rule| matches!(rule, Rule::Deletes | Rule::LogsOut));
        // `/book/3` is a book; `/seats/3/book` books it.
        let is_behind = || segments.iter().take(at).any(|before| is_id(before));
        // `/trips/gdynia/usun`: behind a collection and a name stands what is done.
        let is_under_name = at >= 2;
        // `merge requests` are a list.
        let is_list = all.len() > 1 && all.last().is_some_and(|last| is_collection(last));
        let decides_it = || !is_list && says_verb(segment, &DECIDING) && (is_behind() || !says_verb(segment, &NOUNS));
        // `/orders/7/resend_confirmation`, `/opac-renew.pl?item=9`, `PostGoodsReceipt?po=4501`
        let is_several = (2..=3).contains(&all.len());
        let is_called = (2..=5).contains(&all.len()) && is_call(segment);
        // `/access/detach-volume?role=auditor`
        let is_asked = is_asked_for && at + 1 == segments.len() && !is_list && is_several && commands(segment);
        let is_told = is_asked || (names_record && (is_called || (is_several && is_behind() && commands(segment))));
        let is_deed = || match all.as_slice() {
            [word] if is_behind() => is_done_to_record(word),
            [word] => is_under_name && is_done_to_value(word),
            _ => false,
        };
        let decides = all.len() <= 2 && (is_deed() || (names_record && decides_it()));
        match rule {
            // Of `remove-stains` nobody knows what would be removed: it is the name of a text. `delete-all` says it.
            Some(rule)
                if is_short && (names_record || hides || (is_strong && (names_all(rule, &all) || is_asked_for))) =>
            {
                Some(rule)
            }
            // Behind the name of a thing, more follows: `/job/deploy-shop/31/console`.
            // `/orders/9107/cancel/key/8f`: a key proves who follows.
            _ if is_action(segment)
                || ((decides || is_told)
                    && (segments.len() - at <= 2
                        || (segments.len() - at == 3
                            && is_behind()
                            && !segments.last().is_some_and(|last| shows(last))))) =>
            {
                Some(Rule::ExistingRecord)
            }
            _ => None,
        }
    };
    let of_pair = |(name, value): &(String, String)| {
        let is_command = names_command(name);
        // `mark=forums`; `aus=31`, `yes=1`
        let plain = name.to_lowercase();
        // `hide_resolved=1`, `is_deleted=1`, `set_filter=1`: what is shown.
        let said = words(&spaced(name));
        let shows_some = said.len() > 1 && said.iter().any(|word| SHOWN.contains(&word.as_str()));
        if shows_some {
            return None;
        }
        if is_on(value) && matches!(plain.as_str(), "logout" | "logoff" | "signout") {
            return Some(Rule::LogsOut);
        }
        // `?quitar=filtros`
        if !names_record && is_of_view(&format!("{plain} {value}")) {
            return None;
        }
        // `?DeleteDocument`, and a value that holds the command among others.
        let bare = Some(name.as_str()).filter(|_| value.is_empty() && is_bare(name));
        let held = parts(value).into_iter().chain(bare).map(spaced).filter_map(|said| command_in_path(&said)).next();
        if let Some(word) = held {
            return Some(rule_of(&word));
        }
        let orders_within = parts(value).iter().any(|part| !part.contains(char::is_numeric) && commands(&spaced(part)));
        let marks = (plain == "mark" && !value.is_empty()) || orders_within;
        let switches = SWITCHING.contains(&plain.as_str()) && is_id(value);
        // `cancel_order=true`, `resend=12`
        let commands = (is_on(value) || is_id(value)) && !chooses(name) && commands(&spaced(name));
        if marks || switches || commands {
            return Some(Rule::ExistingRecord);
        }
        if delivers(name, value, names_record) {
            return Some(Rule::Sends);
        }
        of_field(name, value).or_else(|| {
            // `action=approve`, `approve=7`, `action_approve=7`
            let says = |verb: &str| says_verb(&spaced(verb), &DECIDING);
            let by_value = is_command && names_record && says(value);
            let decides = by_value || (is_id(value) && !chooses(name) && says(name));
            let is_told = is_id(value) && is_done_to_value(&name.to_lowercase());
            let agrees_to = !chooses(name) && segments.iter().any(|segment| is_id(segment)) && agrees(value);
            (decides || is_told || agrees_to).then_some(Rule::ExistingRecord)
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
    // Whoever hides what is done with a thing does more than show it: `/access/%64etach-policy?role=auditor`.
    let shows_last = || segments.last().is_some_and(|last| words(last).iter().all(|word| shows(word)));
    let hidden = || (hides && (names_record || !shows_last())).then_some(Rule::ExistingRecord);
    let of_path = || segments.iter().enumerate().find_map(of_segment).or_else(together).or_else(hidden);
    let mut pairs = query.iter().filter(|pair| !is_switch(pair));
    pairs.find_map(of_pair).or_else(|| if is_about && !hides { None } else { of_path() })
}

/// Whether a segment of several words begins with a verb of commands, as `set_state` does, and does not end in what only shows something:
/// `change_history`.
fn commands(segment: &str) -> bool {
    const VERBS: [&str; 20] = [
        "set", "resend", "send", "toggle", "mark", "run", "trigger", "start", "stop", "retry", "force", "push", "pull",
        "make", "put", "apply", "generate", "process", "submit", "switch",
    ];
    let said = words(segment);
    let begins = said.first().is_some_and(|verb| {
        VERBS.contains(&verb.as_str()) || is_done_to_value(verb) || (DECIDING.contains(&verb.as_str()) && !shows(verb))
    });
    begins && !said.last().is_some_and(|last| SHOWING.contains(&last.as_str()))
}

/// Verbs, mostly, where an address names what they are done to.
const STARTING: [&str; 7] = ["start", "stop", "run", "pause", "trigger", "lock", "swap"];

/// What of an application is run or stopped, by the word in front of that.
const RUN: [&str; 14] = [
    "cron",
    "job",
    "jobs",
    "task",
    "tasks",
    "import",
    "export",
    "sync",
    "backup",
    "build",
    "worker",
    "workers",
    "scheduler",
    "maintenance",
];

/// Nouns that say how something is shown, at the end of a name: `change_history`, `AgentTicketZoom`.
pub(super) const SHOWING: [&str; 30] = [
    "history", "log", "logs", "list", "form", "page", "view", "details", "detail", "report", "status", "info",
    "requests", "print", "zoom", "plain", "overview", "index", "search", "preview", "stats", "summary", "popup",
    "diff", "calendar", "export", "feed", "help", "topic", "thread",
];

/// Whether a segment calls a program, or a part of one, by what it does: `opac-renew.pl`, `PostGoodsReceipt`.
fn is_call(segment: &str) -> bool {
    const CALLED: [&str; 14] = [
        "post", "order", "issue", "ship", "book", "transfer", "return", "release", "charge", "claim", "bill", "renew",
        "thanks", "execute",
    ];
    let plain = without_program(segment);
    let said = words(plain);
    let is_verb = |word: &String| is_done_to_value(word) || CALLED.contains(&word.as_str());
    // A name of a programmer begins with its verb: `PostGoodsReceipt`, `resend_confirmation`.
    let is_cased = segment.contains(' ');
    let is_name = (is_cased && said.first().is_some_and(is_verb))
        || ((is_cased || segment.contains('_')) && commands(plain.split('.').next().unwrap_or(plain)));
    let does = |word: &String| {
        is_done_to_value(word)
            || matches!(word.as_str(), "renew" | "exec" | "send" | "run" | "del" | "delete" | "remove" | "rm" | "drop")
    };
    is_name || (plain != segment && said.iter().any(does))
}

/// Whether a segment is the name of an action in code: `doWipeOutWorkspace`, `resetbounce`.
fn is_action(segment: &str) -> bool {
    segment.starts_with("do ") || is_joined_command(segment)
}

/// Parameters that switch what their value names.
const SWITCHING: [&str; 9] = ["on", "off", "aus", "ein", "zu", "yes", "ok", "ja", "oui"];

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

/// Particles that make a verb of the word before them: `call-off`, `hand-over`.
const PARTICLES: [&str; 9] = ["off", "out", "up", "down", "away", "back", "over", "in", "on"];
/// Endings by which addresses name the program that answers.
const PROGRAMS: [&str; 12] =
    [".php", ".html", ".htm", ".aspx", ".asp", ".jsp", ".jspa", ".do", ".cgi", ".pl", ".action", ".cfm"];

/// Whether an address says one word of the record before it, or of the one that its fields name, that may be a command: it is not
/// known to show something only.
pub(super) fn says_unknown(path: &str, url: &Url) -> bool {
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let in_query = || in_query(url);
    // Texts about things, and days of an archive, are no records.
    let is_about = segments.iter().any(|segment| words(segment).iter().any(|word| sentence_of(word)));
    // `/builds/report?id=5`
    let is_read = url.query().is_none() && segments.last().is_some_and(|last| is_document(last));
    let of_path = || match segments.as_slice() {
        _ if is_about || is_read => false,
        [.., year, day, _] if is_id(year) && !is_record(year) && is_id(day) => false,
        [.., record, last] if is_record(record) => may_command(last),
        // `/visits/604/status/arrived`
        [.., record, setting, word] if is_record(record) && matches!(*setting, "status" | "state") => {
            word.chars().all(char::is_alphabetic)
        }
        // `/draw.php/redo`: the part of a program that is called.
        [.., program, last] if is_program(program) => match without_program(program) {
            "index" | "main" | "app" | "default" => {
                may_command(last) && (DECIDING.contains(last) || is_done_to_record(last))
            }
            _ => may_command(last) && without_program(last) == *last,
        },
        // `/page/7-1.ILinkListener-rows-2-approve`
        [.., last] if last.contains("Listener") => last.rsplit(['-', '.']).next().is_some_and(may_command),
        // `/plots/baja/A-5`
        [.., collection, word, record] if is_record(record) && is_collection(collection) => may_command_it(word),
        // `/rollouts/trigger?job=nightly`
        [_, .., last] if operates(last) && is_program(last) => true,
        [_, .., last] if operates(last) && pairs(url).iter().any(|(name, _)| !chooses(name) && !tracks(name)) => true,
        // `/docket/sealCase.do`
        [_, .., last] if commands_by_name(last) => true,
        // `/lists/options/save.pl?footer=Ltd`
        [.., last] if is_program(last) && url.query().is_some() && is_keeping(without_program(last)) => true,
        // `/timers/start?issue_id=2210`
        [_, .., last] if STARTING.contains(last) && pairs(url).iter().any(|(name, _)| names_id(name)) => true,
        // `/admin/cron/run`
        [.., before, "run" | "trigger" | "start" | "stop"] if RUN.contains(before) => true,
        // `/laundry/avboka?pass=88`; of `visits.php?action=details&id=3` the parameter says what is done.
        [_, .., last] => in_query() && may_command_it(last) && !shows_by_parameter(url),
        _ => false,
    };
    // `/sales/order/hold/order_id/123/key/8f`
    let of_named_record = || {
        segments.windows(4).any(
            |part| matches!(part, [_, word, key, record] if is_record(record) && names_id(key) && may_command_it(word)),
        )
    };
    let names_record = || segments.iter().any(|segment| is_id(segment)) || in_query();
    let of_record = segments.iter().any(|segment| is_record(segment));
    // `/offers/3310?answer=decline`: a verb that settles something, and what it answers is no part of a view.
    let settles = |name: &str, value: &str| {
        let verb = value.trim().to_lowercase();
        let is_verb = DECIDING.contains(&verb.as_str()) || is_done_to_record(&verb);
        of_record
            && is_verb
            && !chooses(name)
            && !tracks(name)
            && !words(&spaced(name)).iter().any(|word| is_view(word))
    };
    // `x=void`, `ok=n`
    let is_unknown = |name: &str, value: &str| {
        let name = name.to_lowercase();
        let is_opaque = name.chars().count() <= 2 && !chooses(&name);
        (is_opaque && may_command(value)) || (!chooses(&name) && answers(value))
    };
    // `action=upgrade-plugin&plugin=gallery`: what is done, and what it is done to, of whatever name.
    let is_told = |name: &str, value: &str| {
        let is_button = matches!(name.to_lowercase().as_str(), "submit" | "button" | "btn" | "commit")
            || words(&spaced(name)).iter().any(|word| word == "filter");
        let only_asks = is_button && asks_by_label(value);
        // What stands in a field such as `event` or `task` may be a thing, where no record is named.
        let says = says_command(name) || matches!(name.to_lowercase().as_str(), "do" | "op" | "act");
        // `mode=pause`, `mode=restartservice`: what chooses a view elsewhere says what is done by a verb that means nothing else.
        let orders = || {
            let verb = spaced(value);
            let known = |word: &String| DECIDING.contains(&word.as_str()) || is_done_to_value(word);
            words(&verb).first().is_some_and(|word| known(word) && !NOUNS.contains(&word.as_str()) && !shows(word))
        };
        let is_command = || may_command_with_object(value) && (names_record() || says);
        // `?type=writeoff` chooses which are listed, where none is named.
        let lists = matches!(name.to_lowercase().as_str(), "type" | "status" | "state") && !names_record();
        names_command(name) && !only_asks && if chooses(name) { !lists && orders() } else { is_command() }
    };
    // `valve.cgi?v=12&cmd=open`: a command to a thing, whatever the same word opens elsewhere.
    let drives = |name: &str, value: &str| {
        const DRIVING: [&str; 14] = [
            "open", "close", "on", "off", "up", "down", "start", "stop", "run", "raise", "lower", "lock", "unlock",
            "arm",
        ];
        matches!(name.to_lowercase().as_str(), "cmd" | "command")
            && DRIVING.contains(&value.to_lowercase().as_str())
            && in_query_beside(url, name)
    };
    of_path()
        || of_named_record()
        || pairs(url).iter().any(|(name, value)| drives(name, value))
        || (names_record() && pairs(url).iter().any(|(name, value)| is_unknown(name, value)))
        || switches_record(path, url)
        || pairs(url).iter().any(|(name, value)| settles(name, value))
        || pairs(url).iter().any(|(name, value)| is_told(name, value))
}

/// Whether the last part of an address may be a command to the record before it: `/posts/7/unlock`.
pub(super) fn may_command_record(path: &str) -> bool {
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    matches!(segments.as_slice(), [.., record, last] if is_record(record) && !is_document(last) && may_command(last))
}

/// Whether an address switches something on for the record that it names, or in settings, which is not known to change a view
/// only: `/messages/7/receipt?sent=1`.
pub(super) fn switches_record(path: &str, url: &Url) -> bool {
    let switches = |name: &str, value: &str| is_on(value) && (may_switch(name) || is_keeping(name));
    let of_settings = || is_of_settings_path(&words(&spaced(path)));
    pairs(url).iter().any(|(name, value)| switches(name, value)) && (path.split('/').any(is_record) || of_settings())
}

/// Whether a parameter of commands says what is done, and that only shows something.
fn shows_by_parameter(url: &Url) -> bool {
    pairs(url).iter().any(|(name, value)| {
        let said = words(&spaced(value)).join(" ");
        !said.is_empty() && ((names_command(name) && reads_by_verb(&said)) || shows_in_words(name, &said))
    })
}

/// Whether the value of a parameter is a word for a view, in whatever language: `modus=vorschau`.
fn shows_in_words(name: &str, said: &str) -> bool {
    (names_command(name) && shows(said)) || is_view(said)
}

/// Whether a parameter names a record, and does not only choose what is shown.
pub(super) fn in_query(url: &Url) -> bool {
    in_query_beside(url, "")
}

/// The same of a parameter of another name than this one.
pub(super) fn in_query_beside(url: &Url, beside: &str) -> bool {
    let names_one = |name: &str, value: &str| is_id(value) && !value.contains('/') && !chooses(name) && !tracks(name);
    pairs(url).iter().any(|(name, value)| !name.eq_ignore_ascii_case(beside) && names_one(name, value))
}

/// Whether a segment names a program, which may be called by a verb: `vote.php`.
pub(super) fn is_program(segment: &str) -> bool {
    without_program(segment) != segment && !segment.ends_with(".html") && !segment.ends_with(".htm")
}

/// Whether a program is called by keeping what is sent to it.
fn is_keeping(program: &str) -> bool {
    matches!(program, "save" | "update" | "apply" | "store")
}

/// Whether the word of a segment may be a command, and is not known as the name of a thing as well.
pub(super) fn may_command_it(word: &str) -> bool {
    may_command(word) && (is_program(word) || !says_verb(&spaced(word), &NOUNS))
}

/// Whether a segment of an address sets something going, or ends it, as `iface_reconnect` does.
pub(super) fn operates(segment: &str) -> bool {
    // `deluser`: the verb and its object in one word.
    const JOINED: [&str; 4] = ["del", "rm", "kill", "purge"];
    const OBJECTS: [&str; 24] = [
        "user", "users", "pop", "box", "file", "dir", "mail", "domain", "account", "db", "table", "record", "item",
        "host", "alias", "group", "row", "page", "post", "comment", "key", "ftp", "cron", "job",
    ];
    const VERBS: [&str; 19] = [
        "thanks",
        "vote",
        "renew",
        "trigger",
        "upgrade",
        "execute",
        "invoke",
        "restart",
        "reboot",
        "rebuild",
        "deploy",
        "rollback",
        "retry",
        "rerun",
        "reconnect",
        "disconnect",
        "reload",
        "resync",
        "shutdown",
    ];
    let joined =
        |word: &String| JOINED.iter().any(|verb| word.strip_prefix(verb).is_some_and(|rest| OBJECTS.contains(&rest)));
    // Of a longer name the verb is a part: `quick-install-kit`.
    let said = words(&spaced(without_program(segment)));
    said.len() <= 2 && said.iter().any(|word| VERBS.contains(&word.as_str()) || joined(word))
}

/// Whether a segment names a record, and no year.
pub(super) fn is_record(segment: &str) -> bool {
    let is_year = segment.parse::<u16>().is_ok_and(|year| (1900..2100).contains(&year));
    is_id(segment) && !is_year
}

/// What an address says without the kind of program that answers.
pub(super) fn without_program(said: &str) -> &str {
    PROGRAMS.iter().find_map(|ending| said.strip_suffix(ending)).unwrap_or(said)
}

/// Whether a word, or a verb with its particle, is not known to show something only.
pub(super) fn may_command(said: &str) -> bool {
    match words(&spaced(without_program(said))).as_slice() {
        [word] => {
            !word.chars().any(|letter| letter.is_ascii_digit())
                && word.len() > 1
                && !shows(word)
                && !tries_in(&[folded(word)])
        }
        [verb, particle] => PARTICLES.contains(&particle.as_str()) && !shows(verb),
        _ => false,
    }
}

/// The same of what a parameter of commands says, which may name an object behind its verb: `upgrade-plugin`.
pub(super) fn may_command_with_object(said: &str) -> bool {
    // `article.checkin`: the part of the program, then what it does.
    let said = said.rsplit('.').next().unwrap_or(said);
    let all = words(&spaced(said));
    // `AgentTicketHistory`, `dirHistory`
    let does = |word: &String| is_done_to_record(word) || DECIDING.contains(&word.as_str());
    let shows_last = all.len() > 1
        && all.last().is_some_and(|last| SHOWING.contains(&last.as_str()) || is_collection(last))
        && !all.iter().any(does);
    if shows_last || reads_by_verb(&all.join(" ")) {
        return false;
    }
    let begins = all.first().is_some_and(|verb| !shows(verb));
    let ends = all.last().is_some_and(|verb| is_done_to_record(verb) || DECIDING.contains(&verb.as_str()));
    may_command(said) || (matches!(all.len(), 2 | 3) && (begins || ends))
}

/// Whether a segment is the name of one thing among many: it has a digit, and is no version.
pub(super) fn is_id(segment: &str) -> bool {
    let segment = segment.trim();
    let is_version = segment.len() <= 4 && segment.starts_with(['v', 'V']);
    !segment.is_empty()
        && segment.len() <= 80
        && (segment.chars().any(|letter| letter.is_ascii_digit()) || is_host(segment))
        && !is_version
        && !matches!(segment, "2fa" | "oauth2" | "s3" | "web3")
}

/// Whether a segment names a collection: a plural.
pub(super) fn is_collection(segment: &str) -> bool {
    let is_plural = segment.len() > 3 && segment.ends_with('s') && !segment.ends_with("ss");
    is_plural && !says_verb(segment, &DECIDING)
}
