//! Cutting a sentence into commands, in the order in which they are said. Pure.

use super::verbs::{bare, begins_command, plain_form};
use crate::ground::clause::{self, Act, OPEN_MARK};
use crate::ground::words::is_function_word;
use std::borrow::Cow;

/// Cuts a sentence into commands: where `and`, `then` or a comma is followed by one.
pub(super) fn clauses(sentence: &str) -> Vec<String> {
    let sentence = with_plain_then(sentence);
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let mut clauses = vec![Vec::new()];
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if let Some(skip) = connector(&words, at) {
            clauses.push(Vec::new());
            at += skip;
            continue;
        }
        if let Some(clause) = clauses.last_mut() {
            clause.push(*word);
        }
        if (word.ends_with(',') || *word == ",") && command_after(&words, at + 1).is_some() {
            clauses.push(Vec::new());
        }
        at += 1;
    }
    let text = |clause: Vec<&str>| clause.join(" ").trim_end_matches(['.', ',', ';', '!', '?', ' ']).trim().to_owned();
    clauses
        .into_iter()
        .map(text)
        .filter(|clause| !clause.is_empty())
        .flat_map(|clause| each_setting(&clause))
        .flat_map(|clause| each_alike(&clause))
        .flat_map(|clause| each_thing(&clause))
        .flat_map(|clause| each_time(&clause))
        .collect()
}

/// How many words a connector takes where one stands and a command follows.
fn connector(words: &[&str], at: usize) -> Option<usize> {
    let lower = |offset: usize| words.get(at + offset).map(|word| word.to_lowercase()).unwrap_or_default();
    // `with the name ⟦0⟧ and message ⟦1⟧`: a field of the same list.
    let is_field = lower(0) == "and"
        && words.get(..at).is_some_and(|before| before.iter().any(|word| bare(word) == "with"))
        && is_field_and_command(&lower(1))
        && words.get(at + 2).is_some_and(|next| next.starts_with(OPEN_MARK));
    if is_field {
        return None;
    }
    if matches!(lower(0).as_str(), "and" | "then" | "finally" | "then," | "but" | "afterwards" | "&") {
        return (at > 0).then(|| command_after(words, at)).flatten();
    }
    if lower(0) == "to" && at > 0 {
        if words.get(at - 1).is_some_and(|word| word.ends_with(',')) && begins_command(words, at + 1) {
            return Some(1);
        }
        let around = matches!(lower(1).as_str(), "find");
        let kept =
            words.get(at - 1).is_some_and(|word| matches!(bare(word).as_str(), "tabs" | "sections" | "menu" | "tree"));
        return (around && !kept).then_some(1);
    }
    None
}

/// Names of fields that are verbs as well.
fn is_field_and_command(word: &str) -> bool {
    matches!(word, "message" | "text" | "email" | "mail" | "note" | "answer" | "reply" | "file" | "place" | "plan")
}

/// How many words stand in front of a command: `and`, `then`, `please`, `also`.
fn command_after(words: &[&str], from: usize) -> Option<usize> {
    let lead = words
        .iter()
        .skip(from)
        .take_while(|word| {
            matches!(
                bare(word).as_str(),
                "and"
                    | "then"
                    | "finally"
                    | "please"
                    | "also"
                    | "next"
                    | "afterwards"
                    | "but"
                    | "lastly"
                    | "quickly"
                    | "immediately"
                    | "directly"
                    | "simply"
                    | ""
            ) && !word.starts_with(OPEN_MARK)
        })
        .count();
    let skip = lead.min(4);
    // `make and model Opel Corsa`: a verb is followed by what it is done to.
    let is_listed = words.get(from + skip + 1).is_some_and(|next| matches!(bare(next).as_str(), "and" | "or"));
    if begins_command(words, from + skip) && (!is_listed || begins_command(words, from + skip + 2)) {
        return Some(skip);
    }
    // `and frobnicate the widgets`: a word in front of an object that is no known verb is a command that is not understood.
    let unknown = words.get(from + skip).is_some_and(|word| word.chars().all(|sign| sign.is_lowercase()))
        && words
            .get(from + skip + 1)
            .is_some_and(|word| matches!(bare(word).as_str(), "the" | "my" | "it" | "them" | "all"))
        && skip > 0
        && words.get(from).is_some_and(|word| bare(word) != "but")
        && words.get(from + skip).is_some_and(|word| !is_grammar(&bare(word)));
    unknown.then_some(skip)
}

/// Words that hold a sentence together, and never begin a command.
fn is_grammar(word: &str) -> bool {
    is_function_word(word)
        || matches!(
            word,
            "under"
                | "both"
                | "of"
                | "between"
                | "about"
                | "that"
                | "not"
                | "so"
                | "within"
                | "inside"
                | "off"
                | "titled"
                | "called"
                | "named"
        )
}

/// `right after that`, `afterwards`, `followed by` → `then`.
fn with_plain_then(sentence: &str) -> String {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let lower: Vec<String> = words.iter().map(|word| bare(word)).collect();
    let is = |at: usize, any: &[&str]| lower.get(at).is_some_and(|word| any.contains(&word.as_str()));
    let mut plain: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let hurry = usize::from(is(at, &["right", "immediately", "directly", "straight", "shortly", "soon"]));
        let from = at + hurry;
        let takes = if is(from, &["after", "following"]) && is(from + 1, &["that", "this", "which"]) {
            2
        } else if is(from, &["afterwards", "thereafter", "subsequently"])
            || (hurry > 0
                && is(from, &["after"])
                && words.get(from + 1).is_some_and(|next| next.starts_with(OPEN_MARK)))
        {
            1
        } else if hurry == 0 && is(from, &["followed"]) && is(from + 1, &["by"]) {
            2
        } else {
            0
        };
        if takes == 0 || at == 0 || from + takes >= words.len() {
            plain.push((*word).to_owned());
            at += 1;
            continue;
        }
        plain.push("then".to_owned());
        at = from + takes;
        if let Some(verb) = words.get(at).and_then(|next| plain_form(next)) {
            plain.push(verb);
            at += 1;
        }
    }
    plain.join(" ")
}

/// `click ⟦0⟧ and then ⟦1⟧`: a clause for each thing that is pressed or opened.
fn each_thing(clause: &str) -> Vec<String> {
    let words: Vec<&str> = clause.split_whitespace().collect();
    let first = words.first().map(|word| bare(word)).unwrap_or_default();
    let presses = is_pressing(&first);
    let is_placed = words.iter().any(|word| matches!(bare(word).as_str(), "in" | "under" | "from" | "for"));
    let ticks = matches!(first.as_str(), "tick" | "check" | "untick" | "uncheck") && !is_placed;
    let is_between = words.iter().any(|word| matches!(bare(word).as_str(), "between" | "or"));
    if is_between || !(presses || ticks || matches!(first.as_str(), "open" | "visit")) {
        return vec![clause.to_owned()];
    }
    one_for_each(&words, |at| next_thing(&words, at))
}

/// The clauses of one verb: its words are cut where a further piece begins, and the verb stands before each. `begins` says how many words lead
/// to the piece that begins at a word.
fn one_for_each(words: &[&str], begins: impl Fn(usize) -> Option<usize>) -> Vec<String> {
    let verb = words.first().copied().unwrap_or_default();
    let mut pieces: Vec<Vec<&str>> = vec![Vec::new()];
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let is_begun = pieces.last().is_some_and(|piece| !piece.is_empty());
        match begins(at).filter(|_| is_begun) {
            Some(lead) => {
                pieces.push(Vec::new());
                at += lead;
            }
            None => {
                pieces.last_mut().into_iter().for_each(|piece| piece.push(word));
                at += 1;
            }
        }
    }
    let clause = |piece: Vec<&str>| format!("{verb} {}", piece.join(" ").trim_end_matches([',', ' ']));
    pieces.into_iter().map(clause).collect()
}

fn is_pressing(verb: &str) -> bool {
    matches!(clause::verb(verb), Some(Act::Click | Act::DoubleClick | Act::Hover))
}

/// `set ⟦0⟧ to one and ⟦1⟧ to two`, `turn ⟦0⟧ on and ⟦1⟧ off`, `choose ⟦0⟧ for ⟦1⟧ and ⟦2⟧ for ⟦3⟧`: a clause for each field.
fn each_setting(clause: &str) -> Vec<String> {
    let words: Vec<&str> = clause.split_whitespace().collect();
    let behind: &[&str] = match words.first().map(|word| bare(word)).unwrap_or_default().as_str() {
        "set" | "change" => &["to", "as"],
        "rename" | "move" => &["to"],
        "turn" | "switch" => &["on", "off"],
        "choose" | "select" | "pick" => &["in", "for", "from"],
        _ => return vec![clause.to_owned()],
    };
    let is_lead = |at: usize| words.get(at).is_some_and(|word| behind.contains(&bare(word).as_str()));
    one_for_each(&words, |at| {
        let joins = usize::from(words.get(at).is_some_and(|word| bare(word) == "and"));
        let is_behind_comma = at > 0 && words.get(at - 1).is_some_and(|word| word.ends_with(','));
        let is_named =
            joins == 1 && words.get(at + 1).is_some_and(|word| word.starts_with(OPEN_MARK)) && is_lead(at + 2);
        // `the age to 4`, `the due date to Monday`
        let is_field = (joins == 1 || is_behind_comma)
            && words.get(at + joins).is_some_and(|word| bare(word) == "the")
            && (is_lead(at + joins + 2) || is_lead(at + joins + 3));
        (is_named || is_field).then_some(joins)
    })
}

/// `delete the row of Ann and the row of Ben`: a clause for each thing that is spoken of alike.
fn each_alike(clause: &str) -> Vec<String> {
    const OF_BOTH: [&str; 9] = ["compare", "swap", "drag", "merge", "link", "connect", "add", "type", "enter"];
    let words: Vec<&str> = clause.split_whitespace().collect();
    let is_of_both = words.first().is_none_or(|word| OF_BOTH.contains(&bare(word).as_str()));
    // `close ticket 880 and ticket 881`
    if let Some(kind) = words.get(1).filter(|word| !is_of_both && super::phrase::kind_of(word).is_some()) {
        let named = |at: usize| {
            words.get(at).is_some_and(|word| word.starts_with(|sign: char| sign.is_ascii_digit() || sign == '#'))
        };
        let leads = |at: usize| {
            let is_next = words.get(at).is_some_and(|word| bare(word) == "and")
                && words.get(at + 1) == Some(kind)
                && named(at + 2);
            is_next.then_some(1)
        };
        let pieces = one_for_each(&words, leads);
        if pieces.len() > 1 && words.len() == 3 * pieces.len() {
            return pieces;
        }
    }
    let Some(alike) = words.get(1..3).filter(|alike| alike[0] == "the" && !is_of_both) else {
        return vec![clause.to_owned()];
    };
    one_for_each(&words, |at| {
        let leads = words.get(at).is_some_and(|word| bare(word) == "and") && words.get(at + 1..at + 3) == Some(alike);
        leads.then_some(1)
    })
}

/// The most that one press is repeated.
const TIMES: usize = 20;

/// `press ⟦0⟧ twice`, `click ⟦0⟧ three times`: a clause for each time.
fn each_time(clause: &str) -> Vec<String> {
    const NUMBERS: [&str; 9] = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let words: Vec<&str> = clause.split_whitespace().collect();
    let lower: Vec<String> = words.iter().map(|word| bare(word)).collect();
    let number = |word: &str| {
        NUMBERS.iter().position(|name| *name == word).map(|at| at + 2).or_else(|| word.parse().ok().filter(|n| *n > 0))
    };
    let found = lower.iter().enumerate().find_map(|(at, word)| match word.as_str() {
        "twice" => Some((at, 1, 2)),
        "thrice" => Some((at, 1, 3)),
        "times" => at.checked_sub(1).and_then(|before| Some((before, 2, number(lower.get(before)?)?))),
        _ => None,
    });
    match found.filter(|_| lower.first().is_some_and(|verb| is_pressing(verb))) {
        Some((at, taken, times)) if times <= TIMES => {
            let kept = words.iter().enumerate().filter(|(index, _)| !(at..at + taken).contains(index));
            vec![kept.map(|(_, word)| *word).collect::<Vec<_>>().join(" "); times]
        }
        _ => vec![clause.to_owned()],
    }
}

/// The most words of a place that stands before a command without a comma.
const PLACE_WORDS: usize = 5;
/// Words with which such a place may end.
const PLACE_ENDS: [&str; 12] =
    ["tab", "section", "page", "list", "panel", "dialog", "table", "row", "column", "area", "view", "menu"];

/// `in the row ⟦0⟧ click ⟦1⟧` → `in the row ⟦0⟧, click ⟦1⟧`.
pub(super) fn with_place_apart(sentence: &str) -> String {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let leads =
        words.first().is_some_and(|word| matches!(bare(word).as_str(), "in" | "on" | "for" | "under" | "within"));
    let ends_place = |word: &str| word.starts_with(OPEN_MARK) || PLACE_ENDS.contains(&word);
    let is_each = words.iter().take(3).any(|word| matches!(bare(word).as_str(), "each" | "every" | "all" | "both"));
    let goes_on = |at: usize| words.get(at).is_some_and(|word| PLACE_ENDS.contains(word));
    let is_apart = |at: &usize| {
        words.get(*at).is_some_and(|word| ends_place(word)) && begins_command(&words, at + 1) && !goes_on(at + 1)
    };
    match (1..=PLACE_WORDS).find(is_apart).filter(|_| leads && !is_each) {
        Some(at) => {
            format!(
                "{}, {}",
                words.get(..=at).unwrap_or_default().join(" "),
                words.get(at + 1..).unwrap_or_default().join(" ")
            )
        }
        None => sentence.to_owned(),
    }
}

/// How many words lead to a further thing: `and`, `then`, `,`. After `then` it may stand without quotes.
fn next_thing(words: &[&str], at: usize) -> Option<usize> {
    let is_lead = |word: &&&str| matches!(bare(word).as_str(), "and" | "then" | "finally" | "next" | "lastly");
    let lead = words.iter().skip(at).take_while(is_lead).count();
    let is_behind_comma = at > 0 && words.get(at - 1).is_some_and(|word| word.ends_with(','));
    if lead == 0 && !is_behind_comma {
        return None;
    }
    let is_then = words.iter().skip(at).take(lead).any(|word| bare(word) != "and");
    let is_filling = |word: &&&str| {
        matches!(
            bare(word).as_str(),
            "the" | "on" | "button" | "link" | "tab" | "option" | "item" | "entry" | "menu" | "icon"
        ) && !word.starts_with(OPEN_MARK)
    };
    let filling = words.iter().skip(at + lead).take_while(is_filling).count();
    let thing = words.get(at + lead + filling)?;
    let is_named = thing.starts_with(OPEN_MARK) || (is_then && thing.starts_with(|sign: char| sign.is_uppercase()));
    is_named.then_some(lead)
}

/// A list of steps with their numbers, as sentences: `1) Open …, 2) Turn …`. Its quoted parts are set aside before. A number counts where a
/// step can begin: at the start, on a line of its own, or behind a sign that ends the step before.
pub(super) fn without_numbers(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    let begins = |at: usize| {
        let before = text.get(..at).unwrap_or_default();
        at == 0 || before.ends_with('\n') || [". ", "; ", ", "].iter().any(|end| before.ends_with(end))
    };
    let mut marks: Vec<(usize, usize)> = Vec::new();
    for number in 1..20 {
        let from = marks.last().map_or(0, |(at, length)| at + length);
        let rest = text.get(from..).unwrap_or_default();
        let found = [format!("{number}) "), format!("{number}. ")].into_iter().find_map(|mark| {
            let at = rest.match_indices(&mark).map(|(at, _)| from + at).find(|at| begins(*at))?;
            Some((at, mark.len()))
        });
        match found {
            Some(mark) => marks.push(mark),
            None => break,
        }
    }
    if marks.len() < 2 || marks[0].0 != 0 {
        return Cow::Borrowed(text);
    }
    let ends = marks.iter().skip(1).map(|(at, _)| *at).chain([text.len()]);
    let steps = marks.iter().zip(ends).filter_map(|((at, length), end)| text.get(at + length..end));
    let steps = steps.map(|step| format!("{}.", step.trim().trim_end_matches(['.', ',', ';'])));
    Cow::Owned(steps.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::{clauses, without_numbers};

    #[test]
    fn a_verb_counts_for_every_thing_behind_it() {
        for (sentence, parts) in [
            (
                "click \u{27E6}0\u{27E7} and then \u{27E6}1\u{27E7}",
                vec!["click \u{27E6}0\u{27E7}", "click \u{27E6}1\u{27E7}"],
            ),
            (
                "Click \u{27E6}0\u{27E7}, the button \u{27E6}1\u{27E7} and \u{27E6}2\u{27E7}",
                vec!["Click \u{27E6}0\u{27E7}", "Click the button \u{27E6}1\u{27E7}", "Click \u{27E6}2\u{27E7}"],
            ),
            ("open Settings and then Users", vec!["open Settings", "open Users"]),
            (
                "press \u{27E6}0\u{27E7} followed by \u{27E6}1\u{27E7}",
                vec!["press \u{27E6}0\u{27E7}", "press \u{27E6}1\u{27E7}"],
            ),
            ("open Search and Destroy", vec!["open Search and Destroy"]),
            ("select \u{27E6}0\u{27E7} and \u{27E6}1\u{27E7}", vec!["select \u{27E6}0\u{27E7} and \u{27E6}1\u{27E7}"]),
        ] {
            assert_eq!(clauses(sentence), parts, "{sentence}");
        }
    }

    #[test]
    fn what_is_said_to_be_done_several_times_is_done_so_often() {
        let press = "press \u{27E6}0\u{27E7} for \u{27E6}1\u{27E7}";
        assert_eq!(clauses(&format!("{press} twice")), [press; 2]);
        assert_eq!(clauses(&format!("{press} three times")), [press; 3]);
        assert_eq!(
            clauses("set \u{27E6}0\u{27E7} to Oslo and \u{27E6}1\u{27E7} to 5 May"),
            ["set \u{27E6}0\u{27E7} to Oslo", "set \u{27E6}1\u{27E7} to 5 May"]
        );
        let apart = super::with_place_apart("in the row \u{27E6}0\u{27E7} click \u{27E6}1\u{27E7}");
        assert_eq!(apart, "in the row \u{27E6}0\u{27E7}, click \u{27E6}1\u{27E7}");
        assert_eq!(super::with_place_apart("On the Closed tab remove it"), "On the Closed tab, remove it");
    }

    #[test]
    fn what_follows_at_once_is_a_command_of_its_own() {
        for between in [
            "and right after that click",
            "and immediately afterwards click",
            "then quickly click",
            ", after this click",
        ] {
            let sentence = format!("click \u{27E6}0\u{27E7} {between} \u{27E6}1\u{27E7}");
            assert_eq!(clauses(&sentence), ["click \u{27E6}0\u{27E7}", "click \u{27E6}1\u{27E7}"], "{sentence}");
        }
    }

    #[test]
    fn a_list_with_numbers_is_one_of_sentences_and_numbers_within_a_step_stay() {
        assert_eq!(without_numbers("1) Open it, 2) Close it"), "Open it. Close it.");
        assert_eq!(without_numbers("1. Set the quantity to 2. 2. Click Save."), "Set the quantity to 2. Click Save.");
        for text in ["1) Type 1) eggs 2) milk", "Click 2. times", "1. Click \u{27E6}0\u{27E7} 2. Click Save"] {
            assert_eq!(without_numbers(text), text);
        }
    }
}
