//! What the parameters of an address are for, by their names: what is shown and how, who follows the link, what is switched on.

use super::vocabulary::shows;
use crate::destructive::{spaced, words};

/// Parameters that choose what is shown, and not of what something is done.
const OF_VIEW: [&str; 73] = [
    "units", "unit", "diff", "history", "step", "l", "lg", "stato", "estado", "stan", "etat", "statut", "zustand",
    "durum", "tila", "page", "p", "sort", "order", "ord", "dir", "tab", "view", "lang", "locale", "hl", "filter", "q",
    "s", "query", "search", "year", "month", "week", "day", "date", "from", "to", "size", "limit", "offset", "per",
    "per_page", "state", "status", "show", "only", "mode", "format", "type", "category", "cat", "tag", "color",
    "colour", "version", "rev", "start", "end", "since", "until", "theme", "visa", "vista", "ansicht", "seite",
    "pagina", "sida", "strona", "sivu", "vecka", "of", "with",
];

/// Whether a parameter only chooses what is shown.
pub(super) fn chooses(name: &str) -> bool {
    OF_VIEW.contains(&name.to_lowercase().as_str())
}

/// Whether a parameter tells who follows a link, and from where.
pub(super) fn tracks(name: &str) -> bool {
    let name = name.to_lowercase();
    name.contains("sess")
        || name.starts_with("utm_")
        || ["redirect", "return", "referer", "referrer", "continue", "destination", "callback"]
            .iter()
            .any(|word| name.starts_with(word))
        || matches!(
            name.as_str(),
            "sid" | "ref" | "next" | "back" | "source" | "goto" | "origin" | "fbclid" | "gclid" | "msclkid"
        )
}

/// Whether what a parameter switches on is not known to change what is shown only.
pub(super) fn may_switch(name: &str) -> bool {
    let is_short = name.chars().count() < 4;
    !is_short && !chooses(name) && !tracks(name) && !words(&spaced(name)).iter().any(|word| is_view_switch(word))
}

/// Whether a word names a way to show something, where it is switched on: `?print=1`, `?expanded=1`.
fn is_view_switch(word: &str) -> bool {
    const SWITCHES: [&str; 39] = [
        "recursive",
        "full",
        "deep",
        "nested",
        "raw",
        "pretty",
        "populate",
        "latest",
        "describe",
        "paged",
        "noredirect",
        "amp",
        "unread",
        "ajax",
        "modal",
        "popup",
        "iframe",
        "inline",
        "partial",
        "expand",
        "collapse",
        "open",
        "hide",
        "plain",
        "mobile",
        "desktop",
        "debug",
        "nojs",
        "minor",
        "all",
        "v",
        "my",
        "nocache",
        "fullscreen",
        "lightbox",
        "wide",
        "compact",
        "ascending",
        "desc",
    ];
    SWITCHES.contains(&word) || shows(word)
}

/// Whether a value switches something on.
pub(super) fn is_on(value: &str) -> bool {
    matches!(value.to_lowercase().as_str(), "1" | "true" | "yes" | "on" | "y")
}

/// Whether a parameter has something that the address shows sent to somebody: `?deliver=email`, `?mailto=board`.
pub(super) fn delivers(name: &str, value: &str, names_record: bool) -> bool {
    const ADDRESSED: [&str; 8] =
        ["mailto", "mail_to", "emailto", "email_to", "sendto", "send_to", "sharewith", "share_with"];
    const BY: [&str; 6] = ["deliver", "deliverby", "deliver_by", "sendby", "send_by", "dispatch"];
    const CHANNELS: [&str; 11] =
        ["email", "mail", "e-mail", "sms", "text", "fax", "slack", "teams", "whatsapp", "letter", "push"];
    let name = name.to_lowercase();
    let value = value.to_lowercase();
    (ADDRESSED.contains(&name.as_str()) && !value.is_empty())
        || (names_record && BY.contains(&name.as_str()) && CHANNELS.contains(&value.as_str()))
}
