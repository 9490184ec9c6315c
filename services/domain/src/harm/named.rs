//! Names that programmers give to what a program does: the verb, then its object, as in `sealCase.do`.

use super::link::{SHOWING, is_collection, is_program, without_program};
use super::vocabulary::shows;
use crate::destructive::{spaced, words};

/// Verbs with which such a name begins where it changes, ends or sends something. Many are names of things elsewhere.
const VERBS: [&str; 81] = [
    "admit",
    "adopt",
    "allocate",
    "amend",
    "appoint",
    "arrest",
    "assess",
    "attach",
    "authorise",
    "authorize",
    "award",
    "ban",
    "bill",
    "broadcast",
    "certify",
    "charge",
    "clone",
    "commit",
    "consolidate",
    "correct",
    "credit",
    "deduct",
    "defer",
    "deliver",
    "deploy",
    "destroy",
    "dial",
    "dispatch",
    "distribute",
    "email",
    "empower",
    "end",
    "endorse",
    "enforce",
    "escalate",
    "execute",
    "exempt",
    "exile",
    "fax",
    "file",
    "fine",
    "forward",
    "grade",
    "hold",
    "import",
    "inform",
    "initiate",
    "invoice",
    "invite",
    "issue",
    "launch",
    "lend",
    "mail",
    "migrate",
    "modify",
    "move",
    "nominate",
    "notarise",
    "notarize",
    "order",
    "pardon",
    "pay",
    "post",
    "process",
    "promote",
    "publish",
    "record",
    "refund",
    "register",
    "release",
    "reopen",
    "reply",
    "return",
    "route",
    "schedule",
    "seal",
    "sign",
    "suspend",
    "transfer",
    "unseal",
    "write",
];

/// Those that are names of things as well: `orderItems`, `return_policy.php`.
const NOUNS: [&str; 13] = [
    "order", "return", "file", "mail", "process", "record", "post", "issue", "bill", "invoice", "schedule", "route",
    "email",
];

/// Whether a part of an address is such a name: written as in code, or with the ending of a program.
pub(super) fn commands_by_name(segment: &str) -> bool {
    let plain = without_program(segment);
    let said = words(&spaced(plain));
    let is_cased = plain.starts_with(char::is_lowercase) && plain.contains(char::is_uppercase);
    let (Some(first), Some(last)) = (said.first(), said.last()) else { return false };
    let opens_session = first == "sign" && matches!(last.as_str(), "in" | "up" | "on");
    let names_thing = || NOUNS.contains(&first.as_str()) && (is_collection(last) || shows(last));
    (is_cased || is_program(segment))
        && (2..=4).contains(&said.len())
        && VERBS.contains(&first.as_str())
        && !SHOWING.contains(&last.as_str())
        && !opens_session
        && !names_thing()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_in_front_of_its_object_commands() {
        for name in ["sealCase.do", "mailBundle.do", "issue_fine.action", "transferCase"] {
            assert!(commands_by_name(name), "{name}");
        }
        for name in [
            "searchCases.do",
            "viewCase.do",
            "orderHistory.do",
            "caseList.do",
            "mail.do",
            "print-view.html",
            "userProfile",
            "signIn",
            "return_policy.php",
            "orderItems",
            "mail_settings.php",
        ] {
            assert!(!commands_by_name(name), "{name}");
        }
    }
}
