//! Verbs that say in an address what becomes of the record that it names, as in `/boats/3/scrap`. Elsewhere most of them say nothing.
//! Addresses are written without accents.

use crate::destructive::folded_command;

/// English verbs. Few of them are names of pages as well.
const VERBS: [&str; 125] = [
    "abandon",
    "abort",
    "ack",
    "acknowledge",
    "adjourn",
    "announce",
    "annul",
    "appeal",
    "blacklist",
    "boost",
    "bump",
    "bury",
    "capture",
    "cease",
    "challenge",
    "chase",
    "complain",
    "contest",
    "convert",
    "cull",
    "debit",
    "decommission",
    "del",
    "delist",
    "demolish",
    "deprecate",
    "deregister",
    "detach",
    "disband",
    "discharge",
    "disconnect",
    "dismantle",
    "dispose",
    "dispute",
    "dissolve",
    "downgrade",
    "drop",
    "eject",
    "empty",
    "enrol",
    "enroll",
    "evict",
    "expel",
    "expire",
    "finalise",
    "finalize",
    "fire",
    "flush",
    "forfeit",
    "forgive",
    "freeze",
    "fulfil",
    "fulfill",
    "halt",
    "hire",
    "ignore",
    "impersonate",
    "impound",
    "install",
    "invalidate",
    "kill",
    "leave",
    "liquidate",
    "loginas",
    "mahnen",
    "mahnung",
    "moderate",
    "notify",
    "nudge",
    "nuke",
    "object",
    "obsolete",
    "override",
    "overturn",
    "ping",
    "postpone",
    "prune",
    "push",
    "quit",
    "reboot",
    "rebuild",
    "recall",
    "recycle",
    "refuse",
    "regenerate",
    "reindex",
    "reissue",
    "repost",
    "republish",
    "requeue",
    "remind",
    "resign",
    "restart",
    "rotate",
    "scrap",
    "sell",
    "settle",
    "shelve",
    "ship",
    "shred",
    "shutdown",
    "silence",
    "sponsor",
    "suppress",
    "sync",
    "terminate",
    "truncate",
    "undo",
    "unenroll",
    "unfreeze",
    "unlink",
    "unlist",
    "unmute",
    "unregister",
    "unsub",
    "unshelve",
    "upgrade",
    "vacate",
    "void",
    "waive",
    "wake",
    "withdraw",
    "writeoff",
    "yank",
    "zap",
];
/// English verbs that are names of things as well: a command behind a record, a thing as the name of a parameter.
const LIKE_THINGS: [&str; 21] = [
    "advance",
    "allowlist",
    "annex",
    "blocklist",
    "caution",
    "commission",
    "decline",
    "denylist",
    "implement",
    "increment",
    "offline",
    "online",
    "partition",
    "provision",
    "requisition",
    "sanction",
    "seed",
    "shortlist",
    "transition",
    "waitlist",
    "whitelist",
];
/// English verbs that only end as names of things do.
const ENDING_AS_THINGS: [&str; 17] = [
    "accession",
    "augment",
    "commence",
    "deaccession",
    "decrement",
    "deprovision",
    "discard",
    "dropship",
    "enlist",
    "offboard",
    "onboard",
    "overbook",
    "rebook",
    "relist",
    "remap",
    "reprovision",
    "reseed",
];
/// Beginnings of such verbs in other languages, in whatever form they stand in an address.
const STEMS: [&str; 40] = [
    "abandon",
    "abmeld",
    "ablehn",
    "abschlie",
    "absag",
    "afgelast",
    "afmeld",
    "afwijz",
    "anul",
    "annul",
    "anuluj",
    "aprob",
    "approuv",
    "avbryt",
    "avslut",
    "beend",
    "bestaetig",
    "cancel",
    "cerr",
    "chius",
    "cloturer",
    "condon",
    "descart",
    "desist",
    "entlass",
    "ferme",
    "freigeb",
    "genehmig",
    "godkann",
    "godkjen",
    "kuendig",
    "opzeg",
    "perdon",
    "rechaz",
    "refuser",
    "resili",
    "rezili",
    "rifiut",
    "storn",
    "zamkn",
];
/// Letters that follow the beginning of a verb at most.
const ENDING: usize = 6;
/// Answers by which an address says that something is to be done, in words; `1` and `true` also say how a page is shown.
const AGREED: [&str; 9] = ["yes", "ja", "oui", "si", "sí", "sim", "tak", "evet", "da"];

/// Those of the verbs that are names of things as well: as the name of a parameter they choose one.
const NOUNS: [&str; 14] = [
    "appeal",
    "boost",
    "capture",
    "challenge",
    "contest",
    "del",
    "fire",
    "install",
    "object",
    "ping",
    "push",
    "ship",
    "sponsor",
    "sync",
];

/// Whether the name of a parameter says what becomes of the record that its value names: `?scrap=102`.
pub(in crate::harm) fn is_done_to_value(name: &str) -> bool {
    is_done_to_record(name) && !NOUNS.contains(&name) && !LIKE_THINGS.contains(&name)
}

/// Whether a word of an address that names a record says what becomes of it.
pub(in crate::harm) fn is_done_to_record(word: &str) -> bool {
    let is_form =
        |stem: &str| word.strip_prefix(stem).is_some_and(|rest| !rest.ends_with(['s', 'd']) && rest.len() <= ENDING);
    // `markpatrolled`, `togglestate`: the verb and what becomes of the record, in one word.
    const MARKED: [&str; 14] = [
        "read",
        "unread",
        "asread",
        "allread",
        "done",
        "solved",
        "paid",
        "patrolled",
        "seen",
        "spam",
        "complete",
        "completed",
        "resolved",
        "all",
    ];
    let marks = word.strip_prefix("mark").is_some_and(|rest| MARKED.contains(&rest));
    let is_joined = marks || word.strip_prefix("toggle").is_some_and(|rest| !rest.is_empty());
    VERBS.contains(&word)
        || LIKE_THINGS.contains(&word)
        || ENDING_AS_THINGS.contains(&word)
        || folded_command(word)
        || is_joined_command(word)
        || is_joined
        || STEMS.iter().any(|stem| is_form(stem))
}

/// Whether a word is a verb and its object in one: `resetbounce`.
pub(in crate::harm) fn is_joined_command(word: &str) -> bool {
    const BEFORE: [&str; 14] = [
        "reset",
        "delete",
        "remove",
        "resend",
        "unsubscribe",
        "approve",
        "reject",
        "disable",
        "enable",
        "restart",
        "reload",
        "reboot",
        "clear",
        "flush",
    ];
    let is_one = word.chars().all(|sign| sign.is_ascii_lowercase());
    is_one
        && !word.ends_with("ed")
        && BEFORE.iter().any(|verb| word.strip_prefix(verb).is_some_and(|rest| rest.len() > 3))
}

/// Whether the value of a parameter agrees to something.
pub(in crate::harm) fn agrees(value: &str) -> bool {
    AGREED.contains(&value.trim().to_lowercase().as_str())
}

/// Whether the value of a parameter answers a question, with yes or no.
pub(in crate::harm) fn answers(value: &str) -> bool {
    const OTHERS: [&str; 7] = ["y", "n", "no", "nein", "non", "nie", "nee"];
    agrees(value) || OTHERS.contains(&value.trim().to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_known_without_their_accents_and_with_their_endings() {
        for word in [
            "scrap",
            "usun",
            "abandonner",
            "annulla",
            "annuleren",
            "anular",
            "stornieren",
            "perdonar",
            "void",
            "deaccession",
        ] {
            assert!(is_done_to_record(word), "{word}");
        }
        for word in ["edit", "items", "history", "invoice", "members", "annulments", "offers", "gallery"] {
            assert!(!is_done_to_record(word), "{word}");
        }
        assert!(is_done_to_value("scrap") && is_done_to_value("deaccession"));
        assert!(!is_done_to_value("provision"), "a parameter names a thing");
        assert!(!is_done_to_record("auction"), "a lot has one");
    }
}
