//! The words that begin a command, and what they ask for. Closed lists; pure.

use crate::ground::clause::{self, OPEN_MARK};

/// What a verb of people's words asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Open,
    Add,
    Remove,
    Take,
    Mark,
    /// Marks by itself: `star`, `finish`; the state.
    MarkAs(&'static str),
    UnmarkAs(&'static str),
    Check,
    Uncheck,
    Change,
    /// Changes a number; a ticket or an issue that is raised is made.
    Raise,
    Rename,
    Fill,
    Move,
    Assign,
    Give,
    Send,
    Reply,
    Forward,
    Write,
    LogIn,
    LogOut,
    Search,
    Find,
    Sort,
    Filter,
    Save,
    Invite,
    Share,
    /// Hands a code in.
    Redeem,
    /// A control that is called so: `archive`, `publish`.
    Do,
}

/// The phrases, those with more words before those that they begin with.
const PHRASES: &[(&str, Verb)] = &[
    ("get rid of", Verb::Remove),
    ("throw out", Verb::Remove),
    ("throw away", Verb::Remove),
    ("take me to", Verb::Open),
    ("bring me to", Verb::Open),
    ("go over to", Verb::Open),
    ("log me in", Verb::LogIn),
    ("log me out", Verb::LogOut),
    ("check out", Verb::Do),
    ("check off", Verb::MarkAs("done")),
    ("tick off", Verb::MarkAs("done")),
    ("cross off", Verb::MarkAs("done")),
    ("cross out", Verb::MarkAs("done")),
    ("turn on", Verb::MarkAs("on")),
    ("switch on", Verb::MarkAs("on")),
    ("turn off", Verb::UnmarkAs("on")),
    ("switch off", Verb::UnmarkAs("on")),
    ("log into", Verb::LogIn),
    ("log in", Verb::LogIn),
    ("log on", Verb::LogIn),
    ("sign into", Verb::LogIn),
    ("sign in", Verb::LogIn),
    ("log out", Verb::LogOut),
    ("log off", Verb::LogOut),
    ("sign out", Verb::LogOut),
    ("go to", Verb::Open),
    ("go into", Verb::Open),
    ("head to", Verb::Open),
    ("head over", Verb::Open),
    ("navigate to", Verb::Open),
    ("switch to", Verb::Open),
    ("browse to", Verb::Open),
    ("bring up", Verb::Open),
    ("pull up", Verb::Open),
    ("fill in", Verb::Fill),
    ("fill out", Verb::Fill),
    ("fill", Verb::Fill),
    ("show only", Verb::Filter),
    ("show me", Verb::Open),
    ("look at", Verb::Open),
    ("set up", Verb::Add),
    ("look for", Verb::Search),
    ("look up", Verb::Search),
    ("search for", Verb::Search),
    ("write to", Verb::Send),
    ("open up", Verb::Open),
    ("put away", Verb::Do),
    ("open", Verb::Open),
    ("visit", Verb::Open),
    ("view", Verb::Open),
    ("see", Verb::Open),
    ("access", Verb::Open),
    ("show", Verb::Open),
    ("display", Verb::Open),
    ("add", Verb::Add),
    ("create", Verb::Add),
    ("insert", Verb::Add),
    ("schedule", Verb::Add),
    ("make", Verb::Add),
    ("plan", Verb::Add),
    ("put", Verb::Add),
    ("file", Verb::Add),
    ("leave", Verb::Add),
    ("post", Verb::Add),
    ("register", Verb::Add),
    ("raise", Verb::Raise),
    ("increase", Verb::Raise),
    ("reduce", Verb::Raise),
    ("lower", Verb::Raise),
    ("decrease", Verb::Raise),
    ("include", Verb::Add),
    ("place", Verb::Add),
    ("note", Verb::Add),
    ("book", Verb::Add),
    ("reserve", Verb::Add),
    ("draft", Verb::Add),
    ("remove", Verb::Remove),
    ("delete", Verb::Remove),
    ("erase", Verb::Remove),
    ("discard", Verb::Remove),
    ("trash", Verb::Remove),
    ("drop", Verb::Remove),
    ("cancel", Verb::Remove),
    ("take", Verb::Take),
    ("mark", Verb::Mark),
    ("flag", Verb::Mark),
    ("star", Verb::MarkAs("star")),
    ("like", Verb::MarkAs("like")),
    ("favourite", Verb::MarkAs("favourite")),
    ("favorite", Verb::MarkAs("favourite")),
    ("bookmark", Verb::MarkAs("bookmark")),
    ("complete", Verb::MarkAs("done")),
    ("finish", Verb::MarkAs("done")),
    ("enable", Verb::MarkAs("on")),
    ("activate", Verb::MarkAs("on")),
    ("disable", Verb::UnmarkAs("on")),
    ("deactivate", Verb::UnmarkAs("on")),
    ("unstar", Verb::UnmarkAs("star")),
    ("unlike", Verb::UnmarkAs("like")),
    ("check", Verb::Check),
    ("tick", Verb::Check),
    ("uncheck", Verb::Uncheck),
    ("untick", Verb::Uncheck),
    ("change", Verb::Change),
    ("replace", Verb::Change),
    ("set", Verb::Change),
    ("update", Verb::Change),
    ("edit", Verb::Change),
    ("modify", Verb::Change),
    ("adjust", Verb::Change),
    ("correct", Verb::Change),
    ("shorten", Verb::Change),
    ("lengthen", Verb::Change),
    ("prolong", Verb::Change),
    ("switch", Verb::Change),
    ("rename", Verb::Rename),
    ("retitle", Verb::Rename),
    ("move", Verb::Move),
    ("reschedule", Verb::Move),
    ("postpone", Verb::Move),
    ("shift", Verb::Move),
    ("assign", Verb::Assign),
    ("reassign", Verb::Assign),
    ("give", Verb::Give),
    ("send", Verb::Send),
    ("message", Verb::Send),
    ("tell", Verb::Send),
    ("text", Verb::Send),
    ("email", Verb::Send),
    ("mail", Verb::Send),
    ("write", Verb::Write),
    ("compose", Verb::Write),
    ("reply", Verb::Reply),
    ("respond", Verb::Reply),
    ("answer", Verb::Reply),
    ("forward", Verb::Forward),
    ("login", Verb::LogIn),
    ("logout", Verb::LogOut),
    ("search", Verb::Search),
    ("find", Verb::Find),
    ("locate", Verb::Find),
    ("sort", Verb::Sort),
    ("order", Verb::Sort),
    ("filter", Verb::Filter),
    ("save", Verb::Save),
    ("store", Verb::Save),
    ("invite", Verb::Invite),
    ("archive", Verb::Do),
    ("close", Verb::Do),
    ("reopen", Verb::Do),
    ("pin", Verb::Do),
    ("unpin", Verb::Do),
    ("publish", Verb::Do),
    ("approve", Verb::Do),
    ("share", Verb::Share),
    ("redeem", Verb::Redeem),
    ("duplicate", Verb::Do),
    ("copy", Verb::Do),
    ("buy", Verb::Do),
    ("follow", Verb::Do),
];

/// Verbs that are asked for like this as well.
const MORE_DOING: &[&str] = &[
    "accept",
    "empty",
    "pay",
    "block",
    "confirm",
    "decline",
    "download",
    "export",
    "hide",
    "import",
    "join",
    "lock",
    "merge",
    "mute",
    "pause",
    "play",
    "print",
    "purchase",
    "reject",
    "report",
    "resolve",
    "restore",
    "resume",
    "start",
    "stop",
    "subscribe",
    "submit",
    "unblock",
    "unfollow",
    "unlock",
    "unmute",
    "unpublish",
    "unsubscribe",
    "upvote",
    "downvote",
    "enrol",
    "enroll",
    "vote",
    "undo",
    "repeat",
    "refresh",
    "reset",
    "retweet",
    "repost",
    "launch",
    "upgrade",
    "clone",
    "unarchive",
    "renew",
    "extend",
    "restart",
    "reboot",
    "rerun",
    "retry",
    "deploy",
    "undeploy",
    "suspend",
    "reactivate",
    "acknowledge",
    "escalate",
    "snooze",
    "dispatch",
    "refund",
    "reverse",
    "revoke",
    "verify",
    "withdraw",
    "borrow",
    "claim",
    "unassign",
    "detach",
    "attach",
    "connect",
    "disconnect",
    "eject",
    "skip",
    "scan",
    "ship",
    "tag",
    "untag",
    "watch",
    "unwatch",
    "release",
    "hold",
    "promote",
    "demote",
    "ban",
    "unban",
    "void",
];

/// Verbs that are common nouns as well: behind `and` or a comma they begin a command only before what they could be done to.
const NOUNS: &[&str] = &[
    "empty",
    "correct",
    "pay",
    "access",
    "attach",
    "ban",
    "claim",
    "deploy",
    "dispatch",
    "reboot",
    "refund",
    "rerun",
    "restart",
    "retry",
    "skip",
    "snooze",
    "hold",
    "release",
    "reverse",
    "scan",
    "ship",
    "tag",
    "void",
    "watch",
    "answer",
    "book",
    "change",
    "check",
    "copy",
    "display",
    "draft",
    "drop",
    "email",
    "favorite",
    "favourite",
    "file",
    "filter",
    "find",
    "flag",
    "forward",
    "like",
    "mail",
    "mark",
    "message",
    "move",
    "note",
    "order",
    "place",
    "plan",
    "play",
    "post",
    "print",
    "report",
    "reply",
    "schedule",
    "search",
    "share",
    "star",
    "text",
    "view",
];

/// The verb that a text begins with, its words in lower case, and how many words it takes.
pub(super) fn at_start(words: &[&str]) -> Option<(Verb, String, usize)> {
    let lower: Vec<String> = words.iter().take(3).map(|word| bare(word)).collect();
    for &(phrase, verb) in PHRASES {
        let parts: Vec<&str> = phrase.split(' ').collect();
        if parts.len() <= lower.len() && parts.iter().zip(&lower).all(|(part, word)| part == word) {
            return Some((verb, phrase.to_owned(), parts.len()));
        }
    }
    let first = lower.first()?;
    MORE_DOING.contains(&first.as_str()).then(|| (Verb::Do, first.clone(), 1))
}

/// Whether a command begins at a word of a sentence.
pub(super) fn begins_command(words: &[&str], at: usize) -> bool {
    let Some(word) = words.get(at) else { return false };
    if word.starts_with(|letter: char| letter.is_uppercase()) && at > 0 {
        return false;
    }
    let word = bare(word);
    let is_ui = clause::verb(&word).is_some();
    let is_other = at_start(words.get(at..).unwrap_or_default()).is_some();
    if !NOUNS.contains(&word.as_str()) {
        return is_ui || is_other;
    }
    let alone = !MORE_DOING.contains(&word.as_str()) || at == 0;
    (is_ui || is_other) && words.get(at + 1).map_or(alone, |next| may_be_object(next))
}

fn may_be_object(word: &str) -> bool {
    const LEADS: &[&str] = &[
        "the", "a", "an", "my", "your", "our", "its", "it", "them", "this", "that", "these", "all", "both", "every",
        "me", "for", "to", "on", "off", "by", "each", "any", "only", "up", "out", "with", "saying", "as", "him", "her",
    ];
    word.starts_with(OPEN_MARK)
        || word.starts_with(|letter: char| letter.is_uppercase() || letter.is_ascii_digit())
        || LEADS.contains(&bare(word).as_str())
}

/// The plain form of a verb that stands as `clicking` or `clicked`; none where it is no form of a known verb.
pub(super) fn plain_form(word: &str) -> Option<String> {
    const IRREGULAR: [(&str, &str); 14] = [
        ("sent", "send"),
        ("written", "write"),
        ("chosen", "choose"),
        ("made", "make"),
        ("found", "find"),
        ("gone", "go"),
        ("taken", "take"),
        ("given", "give"),
        ("put", "put"),
        ("set", "set"),
        ("hit", "hit"),
        ("gotten", "get"),
        ("got", "get"),
        ("left", "leave"),
    ];
    let word = bare(word);
    if let Some((_, plain)) = IRREGULAR.iter().find(|(form, _)| *form == word) {
        return Some((*plain).to_owned());
    }
    let stem = word.strip_suffix("ing").or_else(|| word.strip_suffix("ed"))?;
    let undoubled: String = stem.chars().take(stem.chars().count().saturating_sub(1)).collect();
    let ied = stem.strip_suffix('i').map(|stem| format!("{stem}y"));
    [Some(stem.to_owned()), Some(format!("{stem}e")), ied, Some(undoubled)]
        .into_iter()
        .flatten()
        .find(|form| is_verb(form))
}

/// Whether a word begins commands.
pub(crate) fn is_verb(word: &str) -> bool {
    clause::verb(word).is_some()
        || MORE_DOING.contains(&word)
        || PHRASES.iter().any(|(phrase, _)| phrase.split(' ').next() == Some(word))
}

/// A word in lower case without the signs around it.
pub(super) fn bare(word: &str) -> String {
    word.trim_matches(|sign: char| !sign.is_alphanumeric()).to_lowercase()
}
