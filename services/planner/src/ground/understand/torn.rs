//! Goals whose names hold what is no name. A clause that was read as a part of a name was not understood, and what is done to a thing by
//! such a name is done to another thing or to none.

use crate::ground::goal::Goal;
use crate::ground::task::{Given, Task, TaskAct};

/// What stands for a thing and is not its name.
const PRONOUNS: [&str; 9] = ["it", "one", "ones", "him", "her", "them", "this", "that", "those"];

/// Words with which no name begins that is not in quotes: what follows says where, when or for whom.
const LEADS: [&str; 6] = ["for", "with", "under", "from", "at", "by"];

/// Words within a name that begin something else.
const BETWEEN: [&str; 7] = [", then ", " then ", " titled ", " called ", " named ", " as a ", " as an "];

/// Whether a goal that changes something has such a name.
pub(super) fn is_torn(goal: &Goal) -> bool {
    match goal {
        Goal::Task(task) if changes(&task.act) => is_torn_name(task) || task.values.iter().any(is_torn_value),
        _ => false,
    }
}

fn changes(act: &TaskAct) -> bool {
    use TaskAct::{Add, Do, Edit, Forward, Mark, Move, Remove, Reply, Send, Unmark};
    matches!(act, Add | Do(_) | Edit | Forward | Mark | Move | Remove | Reply | Send | Unmark)
}

fn is_torn_name(task: &Task) -> bool {
    let thing = &task.thing;
    if thing.quoted || thing.name.is_empty() {
        return false;
    }
    let said = format!(" {} ", thing.name.to_lowercase());
    let first = said.split_whitespace().next().unwrap_or_default();
    let is_pronoun = PRONOUNS.contains(&first) && !thing.name.starts_with(char::is_uppercase);
    // What is put somewhere, with the place still in it.
    let holds_place = task.act == TaskAct::Add
        && thing.kind.is_empty()
        && thing.places.is_empty()
        && [" to the ", " on the ", " to my ", " on my "].iter().any(|lead| said.contains(lead));
    is_pronoun
        || LEADS.contains(&first)
        || BETWEEN.iter().any(|words| said.contains(words))
        || said.ends_with(" instead ")
        || holds_place
}

/// A value that is a pronoun, or a field that holds a part of its value.
fn is_torn_value(given: &Given) -> bool {
    let is_pronoun = !given.quoted && PRONOUNS.contains(&given.value.as_str());
    let with_digits = given.field.split_whitespace().filter(|word| word.contains(|sign: char| sign.is_ascii_digit()));
    is_pronoun || given.field.contains([',', '+']) || with_digits.count() > 1
}

#[cfg(test)]
mod tests {
    use crate::ground::understand::explain;

    fn is_refused(sentence: &str) -> bool {
        explain(sentence).first().is_some_and(|goal| goal.to_string().starts_with("not understood"))
    }

    #[test]
    fn what_holds_a_clause_in_its_name_is_not_begun() {
        for sentence in [
            "Add Tom and Jo-Anne to the Tuesday standup",
            "Create a label called needs-info, then put it on the tickets 14 and 15.",
            "Remove Gus from the group Night Shift and add him to Day Shift instead.",
            "Create a wiki page titled Rules of Thumb under Engineering",
        ] {
            let read = explain(sentence).iter().map(ToString::to_string).collect::<Vec<_>>();
            assert!(read.iter().any(|goal| goal.starts_with("not understood")), "{sentence}: {read:?}");
        }
        assert!(is_refused("Fill in the form but do not place the order"));
        for sentence in ["Add a task Put flowers on the table", "Delete the note This week", "Add milk to the list"] {
            assert!(!is_refused(sentence), "{sentence}: {:?}", explain(sentence));
        }
    }

    #[test]
    fn a_name_keeps_its_new_and_a_pronoun_is_none() {
        let read = |sentence: &str| explain(sentence).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(read("Publish New Pricing"), ["do publish \"New Pricing\""]);
        assert_eq!(read("Delete the new task Water plants"), read("Delete the task Water plants"));
        assert!(is_refused("The task Water plants is listed twice. Please delete the second one."));
    }
}
