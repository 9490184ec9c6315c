//! What stands in front of a command: in which part of the application or which field it is done, what is waited for first, and as whom.

use super::condition::denies_or_counts;
use super::is_command;
use super::moment;
use super::phrase;
use super::talk;
use super::verbs::{self, bare, begins_command};
use crate::ground::clause::{OPEN_MARK, Quoted};
use crate::ground::goal::PagePart;

/// `In the calendar, delete …`: the part of the application, and the command.
pub(super) fn place(quoted: &Quoted, sentence: &str) -> Option<(PagePart, String)> {
    let lead = ["in", "on", "within", "inside", "under", "at", "using", "from"];
    let rest = lead.iter().find_map(|lead| talk::after_words(sentence, lead))?;
    let (place, command) = rest.split_once(", ")?;
    let words: Vec<&str> = command.split_whitespace().collect();
    let named: Vec<&str> = place.split_whitespace().collect();
    // Of a press in a record that stands in quotes, the record is read with it. No part of a page is called the third.
    let is_plain = named.iter().all(|word| !word.starts_with(OPEN_MARK) && moment::ordinal(&bare(word)).is_none());
    if !begins_command(&words, 0) || !(is_plain || verbs::at_start(&words).is_some()) {
        return None;
    }
    Some((phrase::place(quoted, &named)?, command.to_owned()))
}

/// `In the field ⟦0⟧, type ⟦1⟧ and …` with the field behind what is typed, or chosen: `type ⟦1⟧ in ⟦0⟧ and …`.
pub(super) fn field_behind(sentence: &str) -> Option<String> {
    const LEADS: [&str; 7] = ["in", "into", "for", "under", "at", "on", "from"];
    const FIELDS: [&str; 7] = ["field", "box", "textbox", "text", "dropdown", "list", "menu"];
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let lead = words.first().map(|word| bare(word))?;
    if !LEADS.contains(&lead.as_str()) {
        return None;
    }
    let at = words.iter().position(|word| GIVING.contains(&bare(word).as_str())).filter(|at| (2..=6).contains(at))?;
    let field: Vec<&str> = words
        .get(1..at)?
        .iter()
        .map(|word| word.trim_end_matches([',', ':']))
        .filter(|word| !word.is_empty())
        .collect();
    let mut names = field.iter().filter(|word| word.starts_with(OPEN_MARK));
    let (name, others) = (names.next()?, names.count());
    let is_plain = |word: &&str| {
        let plain = bare(word);
        word.starts_with(OPEN_MARK) || plain == "the" || FIELDS.contains(&plain.as_str()) || plain == "called"
    };
    // `in the chat, write ⟦0⟧` speaks of a part of the application.
    let is_field = others == 0 && field.iter().all(is_plain);
    let value = words.get(at + 1)?;
    // What stands on a part of the page is no field unless it is called one.
    let is_field = is_field && (lead != "on" || field.iter().any(|word| FIELDS.contains(&bare(word).as_str())));
    if !is_field || !is_single(&words, at + 1) {
        return None;
    }
    let (verb, rest) = (words.get(at)?, words.get(at + 2..)?.join(" "));
    let value = value.trim_end_matches('.');
    let (value, comma) = value.strip_suffix(',').map_or((value, ""), |value| (value, ","));
    Some(format!("{verb} {value} in {name}{comma} {rest}").trim_end().to_owned())
}

/// Whether a sentence begins with somebody by name as whom it is to be done: `As Ann, delete …`, `As the user Ann, …`. Nobody becomes
/// somebody else by being told.
pub(super) fn acts_for_somebody(sentence: &str) -> bool {
    const PERSONS: [&str; 10] =
        ["the", "a", "an", "user", "account", "member", "customer", "employee", "administrator", "admin"];
    let who = talk::after_words(sentence, "as").and_then(|rest| rest.split_once(", "));
    who.is_some_and(|(who, command)| {
        let is_name = |word: &&str| {
            word.starts_with(char::is_uppercase)
                || word.starts_with(OPEN_MARK)
                || word.contains(|sign: char| sign == '@' || sign.is_ascii_digit())
        };
        let mut others = who.split_whitespace().filter(|word| !is_name(word));
        let has_name = who.split_whitespace().next_back().as_ref().is_some_and(is_name);
        has_name && others.all(|word| PERSONS.contains(&word)) && is_command(command)
    })
}

/// Verbs that give a field something.
const GIVING: [&str; 8] = ["type", "enter", "write", "input", "choose", "select", "pick", "put"];

/// Whether one thing is given: the sentence ends behind it, or goes on with a command.
fn is_single(words: &[&str], at: usize) -> bool {
    words.len() == at + 1
        || words.get(at).is_some_and(|word| word.ends_with(',')) && begins_command(words, at + 1)
        || matches!(words.get(at + 1), Some(&("and" | "then")))
            && begins_command(words, at + if words.get(at + 2) == Some(&"then") { 3 } else { 2 })
}

/// `When ⟦0⟧ appears, click …`: what is waited for first, as a clause of its own, and the command.
pub(super) fn wait_first(sentence: &str) -> Option<String> {
    const LEADS: [&str; 4] = ["as soon as", "when", "once", "after"];
    const COMES: [&str; 12] = [
        " appears",
        " appear",
        " has appeared",
        " shows up",
        " comes up",
        " shows",
        " is shown",
        " is visible",
        " is displayed",
        " is there",
        " is on the page",
        " can be seen",
    ];
    let rest = LEADS.iter().find_map(|lead| talk::after_words(sentence, lead))?;
    let (shown, command) = rest.split_once(", ")?;
    let lower = shown.to_lowercase();
    let comes = COMES.iter().find(|comes| lower.ends_with(**comes))?;
    let shown = shown.get(..shown.len() - comes.len())?;
    let command = talk::after_words(command, "then").unwrap_or(command);
    let is_one = !shown.is_empty() && !shown.contains(" and ") && !shown.contains(", ") && !denies_or_counts(shown);
    (is_one && is_command(command)).then(|| format!("wait until {shown} appears, then {command}"))
}

#[cfg(test)]
mod tests {
    use crate::ground::understand::explain;

    fn read(sentence: &str) -> serde_json::Value {
        serde_json::to_value(explain(sentence)).expect("it can be written")
    }

    #[test]
    fn a_field_in_front_of_what_it_is_given_is_that_field() {
        let behind = read("Type \"Bern\" in \"City\".");
        for sentence in [
            "In \"City\" type \"Bern\".",
            "In \"City\", type \"Bern\".",
            "Into \"City\", type \"Bern\".",
            "For \"City\" enter \"Bern\".",
            "In the field \"City\", write Bern.",
            "In the \"City\" box, type Bern.",
        ] {
            assert_eq!(read(sentence), behind, "{sentence}");
        }
        assert_eq!(
            read("In \"City\" type \"Bern\" and click \"Save\"."),
            read("Type \"Bern\" in \"City\" and click \"Save\".")
        );
        assert_eq!(read("From \"Size\", choose \"Large\"."), read("Choose \"Large\" in \"Size\"."));
        assert_eq!(
            read("In \"City\", type \"Bern\" and then click \"Save\"."),
            read("Type \"Bern\" in \"City\" and then click \"Save\".")
        );
    }

    #[test]
    fn a_place_in_front_is_that_of_all_its_commands() {
        let told = format!("{:?}", explain("In the sidebar, click \"Archive\" and delete the note \"X\"."));
        assert_eq!(told.matches("sidebar").count(), 2, "{told}");
    }

    #[test]
    fn as_somebody_else_nothing_is_done() {
        let is_refused = |sentence: &str| explain(sentence).iter().any(|goal| goal.operation == "not understood");
        for (sentence, refused) in [
            ("As Ann, delete \"Bob\".", true),
            ("As the user Ann Lee, delete \"Bob\".", true),
            ("As user \"ann\", delete \"Bob\".", true),
            ("As the user ann@x.org, delete \"Bob\".", true),
            ("As a test, delete \"Bob\".", false),
            ("As an administrator, delete \"Bob\".", false),
        ] {
            assert_eq!(is_refused(sentence), refused, "{sentence}");
        }
    }

    #[test]
    fn what_has_to_come_first_is_waited_for() {
        for sentence in
            ["When \"Ready\" appears, click \"Start\".", "As soon as \"Ready\" is shown, then click \"Start\"."]
        {
            assert_eq!(read(sentence), read("Wait until \"Ready\" appears, then click \"Start\"."), "{sentence}");
        }
        for sentence in ["When no error is shown, click \"Save\".", "When \"A\" and \"B\" appear, click \"Save\"."] {
            let goals = explain(sentence);
            assert!(!goals.iter().any(|goal| goal.operation == "wait for"), "{sentence}: {goals:?}");
        }
    }
}
