//! The one list of words for actions that cannot be undone. Pure: what looks at pages with it stands in the rooms that act.

mod drawn;
mod foreign;
mod of_page;
mod vocabulary;

pub(crate) use foreign::folded;
pub use of_page::{is_of_view, takes_element, takes_from_page};
pub(crate) use vocabulary::ARTICLES;
pub use vocabulary::{AGREEING, ASKING, LEAVING};
use vocabulary::{BINDING, DELETING, DESTRUCTIVE, IRREVOCABLE, PICTURES};

use crate::harm::Rule;

/// The first destructive word or phrase of a text.
pub fn command(text: &str) -> Option<String> {
    if of_page::is_of_view(text) {
        return None;
    }
    first_match(text, |word| DESTRUCTIVE.contains(&word) || is_foreign(word))
        .or_else(|| ending(text))
        .or_else(|| takes_money(text))
}

/// Verbs that end or undo what they are said of. By themselves they undo what was begun on the page, or say how something is.
const ENDING: [&str; 11] =
    ["empty", "cancel", "reset", "end", "stop", "flush", "restart", "reboot", "clear", "archive", "unpublish"];
/// What belongs to the page and not to the application: ending it harms nothing. After `and`, a second verb follows: `Cancel and close`.
const PARTS_OF_THE_PAGE: [&str; 26] = [
    "filter",
    "filters",
    "search",
    "form",
    "fields",
    "sort",
    "sorting",
    "view",
    "zoom",
    "selection",
    "edit",
    "editing",
    "query",
    "layout",
    "columns",
    "map",
    "timer",
    "preview",
    "playback",
    "video",
    "slideshow",
    "tour",
    "animation",
    "changes",
    "input",
    "and",
];

/// What ends for good where a verb behind it says so: in many languages, and in lists of commands, the verb comes last.
const ENDED: [&str; 40] = [
    "account",
    "membership",
    "subscription",
    "order",
    "booking",
    "reservation",
    "service",
    "server",
    "queue",
    "cache",
    "database",
    "session",
    "trash",
    "bin",
    "folder",
    "mailbox",
    "plan",
    "contract",
    "everything",
    "konto",
    "mitgliedschaft",
    "abo",
    "abonnement",
    "bestellung",
    "buchung",
    "dienst",
    "datenbank",
    "papierkorb",
    "vertrag",
    "compte",
    "commande",
    "adhésion",
    "cuenta",
    "pedido",
    "suscripción",
    "membresía",
    "abbonamento",
    "ordine",
    "lidmaatschap",
    "konta",
];
/// Verbs that end such a thing, beside those above.
const ENDING_LAST: [&str; 22] = [
    "leeren",
    "beenden",
    "zurücksetzen",
    "stoppen",
    "anhalten",
    "neustarten",
    "schließen",
    "aufheben",
    "vider",
    "annuler",
    "terminer",
    "fermer",
    "arrêter",
    "cancelar",
    "vaciar",
    "cerrar",
    "anular",
    "annulla",
    "svuota",
    "annuleren",
    "opzeggen",
    "anuluj",
];

/// A verb that ends something, in front of what it ends, or behind it.
fn ending(text: &str) -> Option<String> {
    let all = words(text);
    // Whoever says how something is commands nothing.
    let is_said =
        all.iter().any(|word| matches!(word.as_str(), "is" | "are" | "was" | "were" | "ist" | "est" | "está"));
    if all.len() <= 4
        && !is_said
        && let Some((verb, rest)) = all.split_last()
        && (ENDING.contains(&verb.as_str()) || ENDING_LAST.contains(&verb.as_str()))
        && rest.iter().any(|word| ENDED.contains(&word.as_str()))
    {
        return Some(all.join(" "));
    }
    let (verb, rest) = all.split_first()?;
    if ENDING_LAST.contains(&verb.as_str()) && rest.iter().any(|word| ENDED.contains(&word.as_str())) {
        return Some(all.join(" "));
    }
    let telling: Vec<&String> = rest.iter().filter(|word| !ARTICLES.contains(&word.as_str())).collect();
    let is_of_page = telling.iter().any(|word| PARTS_OF_THE_PAGE.contains(&word.as_str()));
    (ENDING.contains(&verb.as_str()) && !telling.is_empty() && !is_of_page).then(|| all.join(" "))
}

/// A verb that takes money from others, in front of what they owe: `Draw June payments`.
fn takes_money(text: &str) -> Option<String> {
    const VERBS: [&str; 8] = ["draw", "collect", "take", "capture", "claim", "settle", "release", "levy"];
    const OWED: [&str; 14] = [
        "payment",
        "payments",
        "fee",
        "fees",
        "dues",
        "rent",
        "rents",
        "premiums",
        "deposit",
        "deposits",
        "fines",
        "instalments",
        "installments",
        "donations",
    ];
    let all = words(text);
    let (verb, rest) = all.split_first()?;
    let is_owed = rest.len() <= 4 && rest.iter().any(|word| OWED.contains(&word.as_str()));
    (VERBS.contains(&verb.as_str()) && is_owed).then(|| all.join(" "))
}

/// The destructive word in an icon's name.
pub fn picture(icon: &str) -> Option<String> {
    first_match(icon, |word| PICTURES.contains(&word) || DESTRUCTIVE.contains(&word) || is_foreign(word))
}

/// The name of a sign that stands for an icon.
pub fn glyph(text: &str) -> Option<&'static str> {
    const SIGNS: [(&[char], &str); 5] = [
        (&['🗑', '🚮', '♻', '⌫', '⌦'], "trash"),
        (&['✕', '✖', '×', '✗', '✘', '❌', '❎', '⨯', '╳', '🗙', '⊗', '☓'], "cross"),
        (&['⏻', '⏼', '⭘', '⏏'], "power"),
        (&['💳', '💰', '💸'], "pay"),
        (&['📤', '📨', '📧', '✉', '➤', '📢', '📣'], "send"),
    ];
    if text.chars().any(char::is_alphabetic) {
        return None;
    }
    SIGNS.iter().find(|(signs, _)| text.contains(*signs)).map(|(_, name)| *name)
}

/// Whether a text is a command and nothing else: a destructive word, and at most what it is done to.
pub fn is_plain_command(text: &str) -> bool {
    const THINGS: [&str; 28] = [
        "account",
        "item",
        "it",
        "now",
        "session",
        "message",
        "order",
        "user",
        "entry",
        "record",
        "file",
        "post",
        "comment",
        "project",
        "profile",
        "permanently",
        "everything",
        "everywhere",
        "membership",
        "subscription",
        "page",
        "row",
        "photo",
        "picture",
        "list",
        "konto",
        "compte",
        "cuenta",
    ];
    let all = words(text);
    let telling: Vec<&str> = all.iter().map(String::as_str).filter(|word| !ARTICLES.contains(word)).collect();
    let Some(word) = command(text) else { return false };
    // Whatever it is from: the word is no name of a thing.
    if all.first().is_some_and(|first| first == "unsubscribe") {
        return true;
    }
    let is_part = |part: &&str| word.split(' ').any(|of_it| of_it == *part);
    let rest: Vec<&&str> = telling.iter().filter(|part| !is_part(part)).collect();
    telling.len() <= 3 && (rest.is_empty() || rest.iter().all(|part| THINGS.contains(part)) || is_foreign(&word))
}

/// The first deleting word in a handler's code.
pub fn handled(code: &str) -> Option<String> {
    let told = spaced(&of_page::without_page(code));
    deletion(&told).or_else(|| first_match(&told, |word| matches!(word, "logout" | "log out" | "signout" | "sign out")))
}

/// The word in a submit address that means a payment or a commitment.
pub fn binding(address: &str) -> Option<String> {
    first_match(address, |word| BINDING.contains(&word))
}

/// The destructive phrase of an address, in either word order: `/account/close`.
pub fn command_in_path(path: &str) -> Option<String> {
    let backwards: Vec<String> = words(path).into_iter().rev().collect();
    command(path).or_else(|| command(&backwards.join(" ")))
}

/// Words that cost money.
const PAYING: [&str; 12] = [
    "pay", "buy", "purchase", "donate", "transfer", "withdraw", "order", "checkout", "charge", "charged", "billed",
    "debited",
];
/// Words that reach other people.
const REACHING: [&str; 7] = ["send", "publish", "invite", "broadcast", "share", "dispatch", "hand over"];
/// Words that end a session.
const PARTING: [&str; 13] = [
    "logout",
    "logoff",
    "signout",
    "signoff",
    "log out",
    "log off",
    "sign out",
    "sign off",
    "end session",
    "close session",
    "destroy session",
    "switch user",
    "switch account",
];

/// The rule that a destructive word falls under.
pub fn rule_of(word: &str) -> Rule {
    if let Some(rule) = foreign::rule_of(word) {
        return rule;
    }
    match word {
        paying
            if PAYING.contains(&paying)
                || takes_money(paying).is_some()
                || paying.ends_with("order")
                || paying.starts_with("order") =>
        {
            Rule::Pays
        }
        reaching if REACHING.contains(&reaching) => Rule::Sends,
        parting if PARTING.contains(&parting) => Rule::LogsOut,
        _ => Rule::Deletes,
    }
}

/// The first deleting word of a text.
pub fn deletion(text: &str) -> Option<String> {
    first_match(text, |word| DELETING.contains(&word) || is_foreign(word))
}

/// The first word of a text that marks something as irrevocable.
pub fn irrevocable(text: &str) -> Option<String> {
    first_match(text, |word| IRREVOCABLE.contains(&word))
}

/// Whether a word is a command of another language than English, as addresses write it: without accents.
pub fn folded_command(word: &str) -> bool {
    foreign::is_folded(word)
}

/// Whether a word is a command of another language than English.
pub fn is_foreign(word: &str) -> bool {
    foreign::rule_of(word).is_some()
}

fn first_match(text: &str, is_it: impl Fn(&str) -> bool) -> Option<String> {
    let mut all = words(text);
    // What was done already: `حذف شده`.
    if let Some(done) = all.iter().position(|word| word == "شده") {
        all.drain(done.saturating_sub(1)..=done);
    }
    let telling: Vec<&str> = all.iter().map(String::as_str).filter(|word| !ARTICLES.contains(word)).collect();
    let plain: Vec<&str> = all.iter().map(String::as_str).collect();
    let pairs = plain.windows(2).chain(telling.windows(2)).map(|pair| pair.join(" "));
    all.iter().cloned().chain(pairs).find(|word| is_it(word))
}

/// The words of a text, lower case.
pub fn words(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Splits a name such as `btnDelete` or `delete_all` into words.
pub fn spaced(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 8);
    let mut before_is_lower = false;
    for letter in name.chars() {
        if letter.is_uppercase() && before_is_lower {
            text.push(' ');
        }
        before_is_lower = letter.is_lowercase();
        text.push(letter);
    }
    text
}

#[cfg(test)]
mod tests;
