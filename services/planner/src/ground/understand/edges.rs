//! Names that begin or end in the middle of something: `name of the first product into`, `on page Home`, `milk back`. They are parts of a
//! clause that was cut at the wrong place, and no names.

use super::moment;
use super::verbs::bare;
use crate::ground::goal::{Goal, Target};
use crate::ground::task::{Given, Task, TaskAct};

/// Words with which no name ends.
const OPEN_ENDS: [&str; 15] =
    ["in", "into", "onto", "of", "on", "to", "at", "with", "and", "or", "from", "by", "as", "for", "the"];
/// Words with which no name begins. Titles do begin with others of those above: `In the Mood`.
const NO_BEGINNING: [&str; 8] = ["into", "onto", "of", "to", "and", "or", "by", "on"];
/// What stands for a thing, or for how often.
const NO_NAMES: [&str; 6] = ["same", "more", "it", "half", "again", "them"];
const NO_LAST: [&str; 5] = ["back", "again", "twice", "off", "away"];

/// Whether a goal has such a name.
pub(super) fn is_cut(goal: &Goal) -> bool {
    match goal {
        Goal::Task(task) => is_cut_task(task),
        // `type the name of the first product into ⟦0⟧`: cut before the field. A button may well be called `Sign in`.
        Goal::Enter { target, .. } | Goal::Choose { target, .. } => {
            is_cut_target(target) || (!target.quoted && ends_open(target.text()))
        }
        Goal::Activate(target)
        | Goal::Focus(target)
        | Goal::Reveal(target)
        | Goal::DoubleClick(target)
        | Goal::Hover(target) => is_cut_target(target),
        _ => false,
    }
}

fn is_cut_target(target: &Target) -> bool {
    let text = target.text();
    // `the first three boxes`: as many, and none that is called so.
    let counts = target.ordinal.is_some()
        && text.split_whitespace().next().is_some_and(|word| moment::number(word).is_some_and(|count| count > 1));
    let is_farther = target.ordinal == Some(-1) && matches!(text, "next" | "second" | "next to" | "second to");
    !target.quoted && (counts || is_farther || text.starts_with("same "))
}

fn is_cut_task(task: &Task) -> bool {
    let thing = &task.thing;
    let is_told = |given: &Given| {
        matches!(given.field.as_str(), "text" | "description" | "message" | "subject" | "name" | "title")
    };
    let name_is_cut = !thing.quoted && (ends_open(&thing.name) || begins_open(&thing.name));
    let of_is_cut = !thing.of_quoted && (ends_open(&thing.of) || begins_open(&thing.of));
    let adds_no_name = task.act == TaskAct::Add && !thing.quoted && is_no_name(&thing.name);
    // `move ⟦0⟧ and ⟦1⟧ to …`: half of a command.
    let is_half = matches!(&task.act, TaskAct::Do(verb) if matches!(verb.as_str(), "instead" | "move" | "rename" | "set" | "copy" | "paste"));
    let is_ordinal = !thing.quoted && moment::ordinal(&thing.name).is_some();
    // `Ann and Ben`: two, or one of that name.
    let joins = !thing.quoted
        && !matches!(task.act, TaskAct::Add | TaskAct::Open | TaskAct::Search | TaskAct::Answer(_))
        && thing.kind.is_empty()
        && joins_names(&thing.name);
    let first = thing.name.split(' ').next().unwrap_or_default();
    let asks = matches!(task.act, TaskAct::Open | TaskAct::Answer(_))
        && !thing.quoted
        && matches!(first, "how" | "there" | "what" | "whether")
        && thing.name.contains(' ');
    let of_whom = !thing.of_quoted
        && (matches!(thing.of.as_str(), "next" | "last" | "first")
            || ["her", "him", "them", "his", "its"].iter().any(|word| thing.of.ends_with(&format!(" and {word}"))));
    let writes_to_more = task.act == TaskAct::Send
        && task.value("to").is_some_and(|to| [", cc ", " subject", ", bcc "].iter().any(|word| to.contains(word)));
    is_half
        || is_ordinal
        || joins
        || asks
        || of_whom
        || writes_to_more
        || name_is_cut
        || of_is_cut
        || adds_no_name
        || thing.places.iter().any(|place| !place.quoted && (ends_open(&place.name) || place.name.contains(", ")))
        || (task.act == TaskAct::Edit && task.values.iter().any(|given| !is_told(given) && is_two_values(given)))
        || (task.act == TaskAct::Edit
            && task.values.iter().any(|given| given.field.contains(" to ") || given.field.contains(" and its ")))
}

/// Whether a value goes on with another field or thing: `Bern and Country with Switzerland`, `3 for the green mug`.
fn is_two_values(given: &Given) -> bool {
    let value = given.value.as_str();
    let goes_on = value.split_once(" and ").is_some_and(|(_, rest)| {
        rest.contains(" with ") || rest.contains(" to ") || rest.contains("'s ") || rest.contains("\u{2019}s ")
    });
    let is_of = value.split_once(" for ").is_some_and(|(before, of)| {
        let is_thing = of.starts_with("the ") || of.starts_with(char::is_uppercase);
        is_thing && (before.starts_with(|sign: char| sign.is_ascii_digit()) || of.starts_with("the "))
    });
    !given.quoted && (goes_on || is_of)
}

fn joins_names(name: &str) -> bool {
    let is_name = |text: Option<&str>| text.is_some_and(|word| word.starts_with(char::is_uppercase));
    name.split_once(" and ").is_some_and(|(before, after)| {
        is_name(before.split(' ').next()) && is_name(before.split(' ').next_back()) && is_name(after.split(' ').next())
    })
}

fn is_no_name(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    let first = words.first().copied().unwrap_or_default();
    let last = words.last().copied().unwrap_or_default();
    NO_NAMES.contains(&first) || (words.len() > 1 && NO_LAST.contains(&last))
}

fn ends_open(text: &str) -> bool {
    text.split_whitespace().count() > 1 && text.rsplit(' ').next().is_some_and(|word| OPEN_ENDS.contains(&word))
}

fn begins_open(text: &str) -> bool {
    text.split_whitespace().count() > 1
        && text
            .split(' ')
            .next()
            .map(|word| if word == bare(word) { word } else { "" })
            .is_some_and(|word| NO_BEGINNING.contains(&word))
}

#[cfg(test)]
mod tests {
    use crate::ground::understand::explain;

    #[test]
    fn a_name_that_begins_or_ends_in_the_middle_of_something_is_none() {
        for sentence in [
            "Type the name of the first product into \"Search\".",
            "Enter today's date in \"From\".",
            "Fill City with Bern and Country with Switzerland.",
            "Set quantity to 3 for the green mug.",
            "Change Ann's role to Owner and Ben's to Reader.",
            "Put milk back on the list.",
            "Add the same again.",
            "Take Ann off the list and put Ben on it.",
            "Select the first three checkboxes.",
            "Click the next to last button.",
            "Open the second to last message.",
            "Assign Ann and Ben to the issue 12.",
            "Move \"Eggs\" and \"Milk\" to \"Drinks\".",
            "What is the phone number of Ann and her email?",
            "Show me how many tasks are open.",
        ] {
            let goals = explain(sentence);
            assert!(goals.iter().any(|goal| goal.operation == "not understood"), "{sentence}: {goals:?}");
        }
    }
}
