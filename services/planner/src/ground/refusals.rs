//! Messages of a site that say that what was asked is not so. Pure.

use super::words;
use domain::action::ActionKind;
use domain::trajectory::Step;

/// Whether a message, in lower case and behind its role, begins by saying that something was done.
fn says_done(said: &str) -> bool {
    let text = said.split_once('"').map_or(said, |(_, text)| text).trim_start();
    ["saved", "done", "stored", "updated", "changed"]
        .iter()
        .any(|word| text.strip_prefix(word).is_some_and(|rest| rest.starts_with(['.', '!', ':'])))
}

/// The sentences of a text; `Dr.` ends none.
fn sentences(text: &str) -> Vec<&str> {
    let mut rest = text;
    let mut found = Vec::new();
    let ends = |text: &str| {
        let mut at = text.match_indices(". ").map(|(at, _)| at);
        at.find(|at| {
            text.get(..*at).is_some_and(|before| before.split(' ').next_back().is_some_and(|word| word.len() > 3))
        })
    };
    while let Some(at) = ends(rest) {
        let (sentence, behind) = rest.split_at(at + 1);
        found.push(sentence);
        rest = behind;
    }
    found.push(rest);
    found
}

/// Words by which a message says that something is not so.
const PHRASES: &[&str] = &[
    "could not",
    "couldn't",
    "cannot",
    "can't",
    "was not",
    "were not",
    "has not been",
    "have not been",
    "not be ",
    "is not ",
    "expired",
    "does not exist",
    "do not exist",
    "doesn't exist",
    "not valid",
    "not found",
    "not recogni",
    "unknown",
    "is missing",
    "are missing",
    "is taken",
    "already taken",
    "already exists",
    "exists already",
    "in use already",
    "choose another",
    "nothing was",
    "bounced",
    "not possible",
    "not allowed",
    "not permitted",
    "too late",
    "already in use",
    "unavailable",
    "failed",
    "refused",
    "denied",
    "rejected",
    "invalid",
    "unable",
    "we have only",
    "only one left",
    "out of stock",
    "sold out",
    "no longer",
    "waits for",
    "stays in",
    "stays at",
    "stays with",
    "stays where",
    "stays here",
    "stays as",
    "takes no ",
    "is on leave",
    "not delivered",
    "nicht m\u{f6}glich",
    "konnte nicht",
    "abgelaufen",
    "vergeben",
    "fehlgeschlagen",
    "ung\u{fc}ltig",
    "impossible",
    "n'a pas",
    "no se pudo",
    "caducado",
    "non \u{e8} stato",
];

/// Whether a message, whatever it speaks of, says that something is not so.
pub(crate) fn refuses(text: &str) -> bool {
    let said = text.to_lowercase().replace('\u{2019}', "'");
    !says_done(&said)
        && !said.contains('?')
        && (PHRASES.iter().any(|phrase| said.contains(phrase)) || has_only_so_many(&said))
}

/// `only 5 are left`, `only 2 seats available`
fn has_only_so_many(said: &str) -> bool {
    let words = words::tokens(said);
    let is_number = |word: &String| word.chars().all(|sign| sign.is_ascii_digit());
    let is_rest = |word: &String| matches!(word.as_str(), "left" | "available" | "remaining" | "remain" | "stock");
    words.windows(2).enumerate().any(|(at, pair)| {
        let behind = words.iter().skip(at + 2).take(4);
        pair[0] == "only" && is_number(&pair[1]) && behind.clone().any(is_rest)
    })
}

/// What a page said at once, as an alert, of something that a press sent: that it is not so.
pub(crate) fn alerted(step: &Step) -> Option<&String> {
    let has_sent = step.action.kind() == ActionKind::Click && step.requests.iter().any(|sent| !sent.is_safe());
    step.difference.appeared.iter().find(|text| has_sent && text.starts_with("alert \"") && refuses(text))
}

/// A message that appeared with these steps and says of one of these names that what was asked is not so: `The name "admin" is taken`.
/// A word that is asked for itself says nothing.
pub(crate) fn says_no(steps: &[Step], names: &[&str], asked: &str) -> Option<String> {
    const LONGEST: usize = 300;
    // Whoever ends something reads that it is no longer so.
    const ENDING: [&str; 39] = [
        "unblock",
        "unban",
        "unpin",
        "unshare",
        "unmute",
        "unlock",
        "unfriend",
        "unarchive",
        "unhide",
        "unstar",
        "untag",
        "uninstall",
        "unregister",
        "deactivate",
        "disable",
        "block",
        "ban",
        "suspend",
        "remove",
        "revoke",
        "cancel",
        "stop",
        "end",
        "unsubscribe",
        "unfollow",
        "unlink",
        "unassign",
        "leave",
        "hide",
        "archive",
        "delete",
        "close",
        "withdraw",
        "mute",
        "unpublish",
        "disconnect",
        "off",
        "take",
        "expire",
    ];
    let asked = words::tokens(asked);
    // Who rejects a request reads that it was rejected.
    let ends = asked.iter().any(|word| ENDING.contains(&word.as_str()));
    let is_asked =
        |phrase: &str| asked.iter().any(|word| words::same_word(word, phrase)) || (ends && phrase == "no longer");
    // A message may speak of `parcel PX-88 to Ann Lind` by its code alone.
    let is_code = |word: &&str| word.contains(|sign: char| sign.is_ascii_digit()) && word.contains(char::is_alphabetic);
    let codes = names.iter().flat_map(|name| name.split(' ').filter(is_code));
    let names: Vec<String> =
        names.iter().copied().chain(codes).map(str::to_lowercase).filter(|name| name.chars().count() > 1).collect();
    let told = |text: &String| {
        let said = text.to_lowercase().replace('\u{2019}', "'");
        let named: Vec<&String> = names.iter().filter(|name| names_all(&said, name)).collect();
        // What asks whether it is meant refuses nothing.
        let asks = said.contains('?')
            || said.contains("undone")
            || said.starts_with("dialog")
            || said.starts_with("alertdialog");
        if named.is_empty() || asks || said.chars().count() > LONGEST {
            return false;
        }
        // `Saved. … The client was not told.`: what was done was said before, and what follows speaks of something else.
        if says_done(&said) {
            let refuses = |part: &str| {
                names.iter().any(|name| names_all(part, name))
                    && PHRASES.iter().any(|phrase| part.contains(phrase) && !is_asked(phrase))
            };
            return sentences(&said).into_iter().any(refuses);
        }
        // What somebody wrote themselves says nothing of the site.
        let rest = named.iter().fold(said.clone(), |rest, name| rest.replace(name.as_str(), " "));
        PHRASES.iter().any(|phrase| rest.contains(phrase) && !is_asked(phrase)) || has_only_so_many(&rest)
    };
    steps.iter().flat_map(|step| &step.difference.appeared).find(|text| told(text)).cloned()
}

/// Whether a text says all the words of a name.
fn names_all(text: &str, name: &str) -> bool {
    let (text, name) = (words::tokens(text), words::tokens(name));
    !name.is_empty() && name.iter().all(|word| text.iter().any(|other| words::same_word(word, other)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_request::step;
    use domain::effect::PageDifference;
    use domain::observation::{Node, Observation, Request};
    use domain::{Action, Descriptor, ElementId};

    #[test]
    fn a_message_says_no_by_naming_what_was_asked_and_refusing_it() {
        let says_no = |told: &str, names: &[&str], asked: &str| {
            let difference = PageDifference { appeared: vec![told.to_owned()], ..PageDifference::default() };
            says_no(&[Step { difference, ..step(1, Action::Back) }], names, asked).is_some()
        };
        assert!(says_no("The name \"admin\" is already taken", &["admin"], ""));
        assert!(says_no("A page called \u{201c}Plans\u{201d} exists already.", &["Plans"], ""));
        assert!(says_no("Letter to Ann Lee: it bounced, nothing was delivered", &["Ann Lee"], "send letter"));
        assert!(says_no("Cart updated. Of Oak tray only 5 are left.", &["oak tray"], "update"));
        assert!(!says_no("Oak tray was added. Only members see this.", &["oak tray"], "add"));
        assert!(says_no("Request 12 was rejected", &["request 12"], "approve"));
        assert!(says_no("PX-88 waits for a supervisor.", &["parcel PX-88 to Ann Lee"], "hand out"));
        assert!(says_no("Saved. Deadline 3 July, lawyer Dr. Blum. Dr. Imhof is on leave.", &["Dr. Imhof"], ""));
        assert!(!says_no("Saved. Brandt v. Kessel: 12 June. The client was not told.", &["Brandt v. Kessel"], ""));
        assert!(!says_no("Request 12 was rejected", &["request 12"], "reject"));
        assert!(!says_no("Access of Ann Lee is denied", &["Ann Lee"], "deny"));
        assert!(!says_no("The name \"guest\" is already taken", &["admin"], ""));
        assert!(!says_no("Note added: the pump failed", &["the pump failed"], ""));
        assert!(!says_no("Ann Lee (Sales) can no longer sign in", &["Ann Lee"], "deactivate Ann Lee"));
        assert!(says_no("Ann Lee can no longer be changed", &["Ann Lee"], "rename Ann Lee"));
        assert!(!says_no("Delete \"Trip\"? This can no longer be taken back.", &["Trip"], ""));
    }

    #[test]
    fn an_alert_that_refuses_what_a_press_sent_is_told() {
        let told = |appeared: &str, method: &str| {
            let difference = PageDifference { appeared: vec![appeared.to_owned()], ..PageDifference::default() };
            let requests = vec![Request { method: method.into(), ..Request::default() }];
            let page = Observation { nodes: vec![Node::default()].into(), ..Observation::default() };
            let press = Action::click(Descriptor::of(&page, ElementId(0)).unwrap());
            alerted(&Step { difference, requests, ..step(1, press) }).is_some()
        };
        assert!(told("alert \"Coupon MAY is not valid\"", "POST"));
        assert!(!told("alert \"Coupon MAY is not valid\"", "GET"), "nothing was sent");
        assert!(!told("alert \"Coupon MAY was taken\"", "POST") && !told("text \"It is not valid\"", "POST"));
    }
}
