//! What keeps a thing from being done: what is forbidden, what is left out, what stays as it is, and a condition behind the command.
//! Whoever misreads one of these does the opposite of what was asked.

use super::talk::after_words;
use super::verbs::{bare, begins_command};
use crate::ground::clause::{CLOSE_MARK, OPEN_MARK};
use crate::ground::target::ordinal_word;

/// How a sentence begins that forbids something.
const FORBIDDING: [&str; 12] = [
    "except",
    "but not",
    "do not",
    "don't",
    "dont",
    "never",
    "you must not",
    "you mustn't",
    "you should not",
    "you shouldn't",
    "avoid",
    "refrain from",
];

/// Words that leave something out of what is asked for, or bind it to a condition that no reading is for.
const EXCEPTING: [&str; 20] = [
    " everyone but ",
    " everybody but ",
    " anyone but ",
    " everything but ",
    " except ",
    " excepting ",
    " unless ",
    " apart from ",
    " aside from ",
    " other than ",
    " excluding ",
    " all but ",
    " as long as ",
    " provided that ",
    " with the exception ",
    " only when ",
    " otherwise ",
    " everybody who ",
    " everyone who ",
    " anyone who ",
];

/// How a word begins that says that what was written or chosen is handed in.
const HANDING_IN: [&str; 18] = [
    "save", "saving", "submit", "send", "confirm", "publish", "post", "apply", "hand", "finish", "complet", "pay",
    "order", "book", "creat", "place", "buy", "notif",
];

fn hands_in(words: &str) -> bool {
    let first = words.split_whitespace().next().map(bare).unwrap_or_default();
    HANDING_IN.iter().any(|begin| first.starts_with(begin))
}

/// Whether a sentence says that what was written is not to be handed in.
pub(super) fn forbids_handing_in(sentence: &str) -> bool {
    FORBIDDING.iter().any(|lead| after_words(sentence, lead).is_some_and(hands_in))
}

/// Whether a sentence says what is not to be done, and nothing that is.
pub(super) fn forbids(sentence: &str) -> bool {
    let is_kept =
        |lead| after_words(sentence, lead).is_some_and(|rest| is_kept(rest.trim_end_matches(['.', '!']), true));
    FORBIDDING.iter().any(|lead| after_words(sentence, lead).is_some_and(|rest| !rest.is_empty()))
        || is_kept("keep")
        || leaves_as_it_is(sentence)
}

/// `do not delete ⟦0⟧, archive it` → what is not to be done, with the words that say so, and the command instead. None where it may be
/// a list of what is forbidden: `do not rename, delete or move ⟦0⟧`.
pub(super) fn instead(sentence: &str) -> Option<(&str, &str)> {
    const LEADS: [&str; 7] = [", but just ", ", but ", ", just ", ", only ", "; just ", "; ", ", "];
    let lead = FORBIDDING.iter().find(|lead| after_words(sentence, lead).is_some());
    lead.filter(|lead| !matches!(**lead, "except" | "but not"))?;
    let lists = [" or ", " nor "].iter().any(|word| sentence.contains(word));
    let begins = |command: &str| begins_command(&command.split_whitespace().collect::<Vec<_>>(), 0);
    let cut = LEADS.iter().find_map(|lead| sentence.split_once(lead).filter(|(_, command)| begins(command)))?;
    let is_whole = cut.0.split_whitespace().count() > 3;
    (is_whole && !lists).then_some(cut)
}

/// What a sentence forbids, as a command.
pub(super) fn forbidden_act(sentence: &str) -> String {
    FORBIDDING.iter().find_map(|lead| after_words(sentence, lead)).unwrap_or(sentence).to_owned()
}

/// `leave ⟦0⟧ alone`; whoever leaves a group does something.
fn leaves_as_it_is(sentence: &str) -> bool {
    after_words(sentence, "leave").is_some_and(|rest| is_kept(rest.trim_end_matches(['.', '!']), false))
}

/// Whether something of what a sentence asks for is left out, or depends on what cannot be read: `all drafts except ⟦0⟧`.
pub(super) fn leaves_out(sentence: &str) -> bool {
    let plain = sentence.to_lowercase().replace(',', " ");
    let said = format!(" {} ", plain.split_whitespace().collect::<Vec<_>>().join(" "));
    // `every box but ⟦0⟧`
    let speaks_of_all = ["all", "every", "everything", "everybody", "everyone", "each", "any", "anything", "both"];
    let but_one = || {
        let words: Vec<&str> = said.split_whitespace().collect();
        let but = words.iter().position(|word| *word == "but");
        but.is_some_and(|at| {
            let next = words.get(at + 1).copied().unwrap_or_default();
            let names =
                next.starts_with(OPEN_MARK) || matches!(next, "the" | "this" | "that" | "those" | "not" | "for");
            names && words.get(..at).unwrap_or_default().iter().any(|word| speaks_of_all.contains(word))
        })
    };
    EXCEPTING.iter().any(|phrase| said.contains(phrase))
        || but_one()
        || lasts(&said)
        || counts_on(&said)
        || counts_several(&said)
        || is_beside(&said)
        || goes_without(&said)
}

/// Whether something is to be done without something else that would come with it: `… without sending it`.
fn goes_without(said: &str) -> bool {
    said.split(" without ").skip(1).any(|rest| rest.split_whitespace().next().is_some_and(|word| word.ends_with("ing")))
}

/// Whether something is done until it is so, and not until a moment: `press ⟦0⟧ until it shows 5`.
fn lasts(said: &str) -> bool {
    const STATES: [&str; 8] = [" is ", " are ", " shows ", " show ", " reads ", " says ", " appears ", " has "];
    let state = said.split_once(" until ").map(|(_, state)| format!(" {state}"));
    state.is_some_and(|state| STATES.iter().any(|verb| state.contains(verb)))
}

/// Whether a range of things is meant of which only the ends are named: `rows 2 to 4`.
fn counts_on(said: &str) -> bool {
    let is_number = |word: &str| !word.is_empty() && word.chars().all(|sign| sign.is_ascii_digit());
    let words: Vec<&str> = said.split_whitespace().collect();
    words.windows(4).any(|four| match four {
        [things, from, lead, to] => {
            things.ends_with('s') && is_number(from) && matches!(*lead, "to" | "through" | "till") && is_number(to)
        }
        _ => false,
    })
}

/// Whether a thing is told by what stands above or below it; a field or a control may be, since it bears no name.
fn is_beside(said: &str) -> bool {
    const OF_CONTROLS: [&str; 12] =
        ["type", "enter", "write", "fill", "put", "click", "press", "tap", "select", "choose", "check", "tick"];
    let first = said.split_whitespace().next().unwrap_or_default();
    let stands = |leads: &[&str]| leads.iter().any(|lead| said.contains(&format!(" {lead} {OPEN_MARK}")));
    (stands(&["below", "above", "beneath"]) && !OF_CONTROLS.contains(&first)) || stands(&["left of", "right of"])
}

/// Whether things are told by their numbers, and more than one: `the first and the third item`.
fn counts_several(said: &str) -> bool {
    let words: Vec<&str> = said.split_whitespace().filter(|word| *word != "the").collect();
    words.windows(3).any(|three| match three {
        [one, "and", other] => ordinal_word(one).is_some() && ordinal_word(other).is_some(),
        _ => false,
    })
}

/// A sentence without the part that only says what stays as it is: `…, not ⟦1⟧`, `… but leave ⟦1⟧ where it is`. None where that part
/// goes on in a way that may belong to it or not, or forbids what the rest would come to: `… but do not send it`.
pub(super) fn without_what_stays(sentence: &str) -> Option<String> {
    const LEADS: [&str; 13] = [
        " but don't ",
        " and don't ",
        " but don\u{2019}t ",
        " but never ",
        " but not ",
        " and not ",
        ", not ",
        " but leave ",
        " and leave ",
        " but keep ",
        " and keep ",
        " and do not ",
        " but do not ",
    ];
    let found = LEADS.iter().filter_map(|lead| sentence.find(lead).map(|at| (at, *lead))).min_by_key(|(at, _)| *at);
    let Some((at, lead)) = found else { return Some(sentence.to_owned()) };
    // What somebody is told may forbid them something.
    let is_told = || {
        sentence.get(..at).is_some_and(|told| [" that ", " saying ", " says "].iter().any(|word| told.contains(word)))
    };
    if (lead.contains("don") || lead.contains("never")) && is_told() {
        return Some(sentence.to_owned());
    }
    let before = sentence.get(..at).unwrap_or_default().trim_end_matches([' ', ',']);
    let rest = sentence.get(at + lead.len()..).unwrap_or_default().trim_end_matches(['.', '!']);
    let end = [" and ", " then ", ", "].iter().filter_map(|next| rest.find(next)).min();
    let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
    let is_contrast = lead.starts_with(" but");
    let stays = match lead.trim_matches([',', ' ']).rsplit(' ').next() {
        // `a copy`, `her files`: what goes with the thing unless the page is told otherwise.
        Some("keep")
            if part
                .split(' ')
                .next()
                .is_some_and(|first| matches!(first, "a" | "an" | "its" | "his" | "her" | "their")) =>
        {
            return None;
        }
        Some("keep" | "leave") => is_kept(part, is_contrast),
        _ if hands_in(part) => return None,
        _ => !part.starts_with("only "),
    };
    if !stays || before.is_empty() {
        return Some(sentence.to_owned());
    }
    let follows = after.trim_start_matches([',', ' ']);
    let command = follows.strip_prefix("and ").or_else(|| follows.strip_prefix("then ")).unwrap_or(follows);
    let words: Vec<&str> = command.split_whitespace().collect();
    match words.is_empty() {
        true => Some(before.to_owned()),
        false if begins_command(&words, 0) => Some(format!("{before} and {command}")),
        false => None,
    }
}

/// Whether what follows `keep` or `leave` says that something stays as it is: by such an ending, or, where a contrast is made, by a name
/// alone.
fn is_kept(rest: &str, is_contrast: bool) -> bool {
    const AS_IT_IS: [&str; 16] = [
        "as it is",
        "as they are",
        "as is",
        "where it is",
        "where they are",
        "alone",
        "unchanged",
        "untouched",
        "in place",
        "as it was",
        "the same",
        "the rest",
        "the others",
        "all others",
        "everything else",
        "there",
    ];
    let is_name = rest.trim().ends_with(CLOSE_MARK) && rest.split_whitespace().count() <= 3;
    AS_IT_IS.iter().any(|ending| rest.trim().ends_with(ending))
        || (is_contrast && (is_name || !rest.contains(OPEN_MARK)))
}

/// `press ⟦0⟧ if ⟦1⟧ is shown` → `if ⟦1⟧ is shown, press ⟦0⟧`
pub(super) fn condition_first(sentence: &str) -> Option<String> {
    const ASKING: [&str; 12] =
        ["tell", "say", "check", "see", "show", "ask", "answer", "find", "look", "verify", "what", "is"];
    const LEADS: [&str; 5] = [", but only if ", " but only if ", " only if ", ", if ", " if "];
    let first = sentence.split_whitespace().next().map(bare)?;
    if ASKING.contains(&first.as_str())
        || ["if", "in case", "should"].iter().any(|lead| after_words(sentence, lead).is_some())
    {
        return None;
    }
    let (command, condition) = LEADS.iter().find_map(|lead| sentence.split_once(lead))?;
    let condition = condition.trim_end_matches(['.', '!', ' ']);
    (!command.trim().is_empty() && !condition.is_empty() && !condition.contains(", "))
        .then(|| format!("if {condition}, {}", command.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forbidden_or_left_out_is_known() {
        for sentence in ["do not delete x", "Don't press x", "never send it", "avoid the shop"] {
            assert!(forbids(sentence), "{sentence}");
        }
        for sentence in ["delete x", "donate", "neverland", "don't"] {
            assert!(!forbids(sentence), "{sentence}");
        }
        for sentence in ["delete all drafts except x", "tick every box but the last", "cancel it unless it is late"] {
            assert!(leaves_out(sentence), "{sentence}");
        }
        let below = format!("remove the comment below {OPEN_MARK}0{CLOSE_MARK}");
        for sentence in ["mark the first and the third item as done", "tick the 1st and 2nd row"] {
            assert!(leaves_out(sentence), "{sentence}");
        }
        for sentence in ["press x until it shows 5", "delete rows 2 to 4", &below] {
            assert!(leaves_out(sentence), "{sentence}");
        }
        for sentence in ["write a mail to Bob without sending it", "fill in the form without submitting"] {
            assert!(leaves_out(sentence), "{sentence}");
        }
        for sentence in [
            "extend it until 5 May",
            "open the page without a title",
            "set it from 2 to 4",
            "book the room from 10:00 to 11:30",
        ] {
            assert!(!leaves_out(sentence), "{sentence}");
        }
        for sentence in ["open x but first save", "delete all drafts", "go to all but forgotten"] {
            assert_eq!(leaves_out(sentence), sentence.contains("all but"), "{sentence}");
        }
    }

    #[test]
    fn what_stays_is_no_command() {
        let mark = |name: char| format!("{OPEN_MARK}{name}{CLOSE_MARK}");
        let (one, other) = (mark('0'), mark('1'));
        for (sentence, rest) in [
            (format!("delete {one}, not {other}"), format!("delete {one}")),
            (format!("move {one} to Done, but leave {other} where it is"), format!("move {one} to Done")),
            (
                "unsubscribe from the weekly but keep the monthly one".to_owned(),
                "unsubscribe from the weekly".to_owned(),
            ),
            (format!("tick {one} but not {other} and click {one}"), format!("tick {one} and click {one}")),
        ] {
            assert_eq!(without_what_stays(&sentence), Some(rest));
        }
        let unchanged = ["open the form and keep the box ticked".to_owned(), format!("save and leave the group {one}")];
        for sentence in unchanged {
            assert_eq!(without_what_stays(&sentence), Some(sentence.clone()));
        }
        assert_eq!(without_what_stays(&format!("tick {one} but not {other} and {one}")), None);
        for sentence in ["fill in the form but do not submit it", "write a mail to Bob and do not send it"] {
            assert_eq!(without_what_stays(sentence), None, "{sentence}");
        }
        for sentence in ["delete the draft but keep a copy", "delete the user anna but keep her files"] {
            assert_eq!(without_what_stays(sentence), None, "{sentence}");
        }
        assert!(forbids_handing_in("do not save") && forbids_handing_in("Never send it"));
        assert!(!forbids_handing_in("do not open it"));
    }

    #[test]
    fn a_condition_behind_its_command_comes_first() {
        assert_eq!(condition_first("press a only if b is shown").as_deref(), Some("if b is shown, press a"));
        assert_eq!(condition_first("if b is shown, press a"), None);
        assert_eq!(condition_first("tell me if b is shown"), None);
    }
}
