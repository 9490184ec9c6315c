//! The words themselves, in the languages that are known.

/// Destructive commands. Two words form a phrase, in which articles are ignored.
pub(super) const DESTRUCTIVE: [&str; 73] = [
    "delete",
    "remove",
    "erase",
    "destroy",
    "purge",
    "wipe",
    "discard",
    "drop",
    "trash",
    "uninstall",
    "revoke",
    "terminate",
    "deactivate",
    "disable",
    "ban",
    "block",
    "suspend",
    "pay",
    "buy",
    "purchase",
    "donate",
    "transfer",
    "withdraw",
    "refund",
    "send",
    "unsubscribe",
    "logout",
    "logoff",
    "signout",
    "signoff",
    "log out",
    "log off",
    "sign out",
    "sign off",
    "place order",
    "order now",
    "close account",
    "leave us",
    "cancel order",
    "cancel subscription",
    "cancel booking",
    "throw away",
    "throw it",
    "clear all",
    "reset all",
    "shut down",
    "deletion",
    "removal",
    "checkout now",
    "retire",
    "expunge",
    "end session",
    "close session",
    "destroy session",
    "switch user",
    "switch account",
    "charge",
    "charged",
    "billed",
    "debited",
    "dustbin",
    "garbage",
    "end subscription",
    "publish",
    "unpublish",
    "invite",
    "broadcast",
    "dispatch",
    "hand over",
    "strike out",
    "strike off",
    "write off",
    "call off",
];
/// The subset that deletes or ends something.
pub(super) const DELETING: [&str; 18] = [
    "delete",
    "deleted",
    "remove",
    "removed",
    "erase",
    "destroy",
    "purge",
    "wipe",
    "trash",
    "uninstall",
    "revoke",
    "terminate",
    "deactivate",
    "ban",
    "banned",
    "suspend",
    "retire",
    "expunge",
];
/// Words in a question that mark its answer as irrevocable.
pub(super) const IRREVOCABLE: [&str; 19] = [
    "cancel",
    "cancelled",
    "permanently",
    "irreversible",
    "irrevocable",
    "irrevocably",
    "undone",
    "undo",
    "forever",
    "cannot be",
    "close account",
    "lose",
    "lost",
    "brings back",
    "share",
    "publish",
    "invite",
    "ship",
    "dispatch",
];
/// Labels that leave the application, if they are the whole label.
pub const LEAVING: [&str; 9] =
    ["bye", "goodbye", "leave", "exit", "quit", "end session", "disconnect", "change user", "use another account"];

/// Words in a submit address that mean a payment or a commitment.
pub(super) const BINDING: [&str; 11] = [
    "subscribe",
    "payment",
    "charge",
    "deletion",
    "deactivation",
    "termination",
    "stake",
    "bet",
    "wager",
    "bid",
    "bids",
];

/// Icons that remove something. A cross may also just close an overlay.
pub(super) const PICTURES: [&str; 10] =
    ["trash", "bin", "dustbin", "garbage", "delete", "remove", "eraser", "power", "log out", "logout"];

/// Words ignored in phrases.
pub(super) const ARTICLES: [&str; 12] =
    ["the", "a", "an", "this", "that", "these", "your", "my", "our", "all", "me", "us"];
/// Labels that only confirm what stands beside the button.
pub const AGREEING: [&str; 14] = [
    "ok", "okay", "yes", "confirm", "continue", "proceed", "submit", "apply", "agree", "accept", "go", "do it", "sure",
    "",
];
/// First words of a question.
pub const ASKING: [&str; 12] =
    ["what", "how", "why", "when", "where", "who", "which", "about", "can", "may", "is", "are"];
