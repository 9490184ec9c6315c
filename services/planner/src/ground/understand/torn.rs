//! Goals whose names hold what is no name, and clauses whose names came to no goal. A clause that was read as a part of a name was not
//! understood, and what is done to a thing by such a name is done to another thing or to none.

use super::errand::is_common_field;
use super::moment;
use super::phrase::{is_collection, kind_of};
use super::verbs::{bare, is_verb};
use crate::ground::clause::OPEN_MARK;
use crate::ground::goal::{Goal, Target};
use crate::ground::task::{Given, Question, Task, TaskAct};
use crate::ground::words::is_function_word;

/// What stands for a thing and is not its name.
const PRONOUNS: [&str; 9] = ["it", "one", "ones", "him", "her", "them", "this", "that", "those"];

/// Words with which no name begins that is not in quotes: what follows says where, when, for whom, or of which.
const LEADS: [&str; 18] = [
    "for", "with", "under", "from", "at", "by", "only", "to", "about", "as", "saying", "whether", "if", "above",
    "below", "behind", "before", "between",
];

/// Words within a name that begin something else.
const BETWEEN: [&str; 7] = [", then ", " then ", " titled ", " called ", " named ", " as a ", " as an "];

/// Words that tell a thing by comparing it with the others, which its name does not.
const COMPARING: [&str; 18] = [
    "oldest", "newest", "latest", "cheapest", "largest", "smallest", "biggest", "highest", "lowest", "most", "least",
    "best", "worst", "longest", "shortest", "earliest", "nearest", "closest",
];

/// What asks for a reckoning that no reading is for.
const RECKONING: [&str; 6] = ["average", "mean", "median", "difference", "percentage", "ratio"];

/// Whether a goal has such a name.
pub(super) fn is_torn(goal: &Goal) -> bool {
    match goal {
        Goal::Task(Task { act: TaskAct::Answer(question), thing, values }) => {
            let asks = |given: &Given| COMPARING.contains(&first_word(&given.value).as_str());
            is_torn_question(&thing.name, thing.quoted)
                || is_torn_question(&thing.of, thing.quoted)
                || thing.places.iter().any(|place| is_torn_question(&place.name, place.quoted))
                || (*question == Question::List && values.iter().any(asks))
        }
        Goal::Task(Task { act: TaskAct::Filter, thing, .. }) => {
            // `laptops under €900`: a bound, and no text to show things by.
            const BOUNDS: [&str; 6] = [" under ", " over ", " below ", " above ", " between ", " than "];
            let is_bound = BOUNDS.iter().any(|lead| thing.name.contains(lead));
            !thing.quoted && is_bound && thing.name.contains(|sign: char| sign.is_ascii_digit())
        }
        // `everything tagged travel`: a part of the list, and nothing that is called so.
        Goal::Task(Task { act: TaskAct::Open, thing, .. })
            if thing.all && !thing.quoted && first_word(&thing.name).ends_with("ed") =>
        {
            true
        }
        Goal::Task(task) => {
            holds_command(&task.thing.name, task.thing.quoted)
                || holds_command(&task.thing.of, task.thing.quoted)
                || task.values.iter().any(|given| holds_command(&given.value, given.quoted))
                || task.thing.places.iter().any(|place| holds_command(&place.name, place.quoted))
                || (changes(&task.act) && (is_torn_task(task) || task.values.iter().any(is_torn_value)))
        }
        Goal::Choose { values, names, target, .. } => {
            let is_quoted = !names.is_empty();
            let first = first_word(values);
            holds_command(values, is_quoted)
                || is_torn_target(target)
                || (!is_quoted && (COMPARING.contains(&first.as_str()) || matches!(first.as_str(), "for" | "only")))
        }
        Goal::Enter { target, .. } => is_torn_target(target),
        // `book a massage for the 5th`: a word of the sentence, and no field.
        Goal::Fill { slots, .. } => slots.iter().any(|slot| slot.cue.ends_with(" the")),
        _ => false,
    }
}

fn changes(act: &TaskAct) -> bool {
    use TaskAct::{Add, Do, Edit, Forward, Mark, Move, Remove, Reply, Send, Unmark};
    matches!(act, Add | Do(_) | Edit | Forward | Mark | Move | Remove | Reply | Send | Unmark)
}

fn first_word(text: &str) -> String {
    text.split_whitespace().next().filter(|word| !word.starts_with(char::is_uppercase)).map(bare).unwrap_or_default()
}

/// Whether what is no quote holds a second command: `the 15th of May and let everyone know`, `Rust, keep the older`.
fn holds_command(text: &str, quoted: bool) -> bool {
    if quoted {
        return false;
    }
    const OBJECTS: [&str; 12] =
        ["the", "my", "your", "our", "its", "it", "them", "him", "her", "everyone", "everybody", "those"];
    let words: Vec<&str> = text.split_whitespace().collect();
    let begins = |at: usize| {
        let (before, word) = (words[at - 1], words[at]);
        let is_joined = before.ends_with(',') || matches!(bare(before).as_str(), "and" | "but");
        let is_plain = word.chars().all(|sign| sign.is_lowercase()) && word.chars().count() > 2;
        // `the Drafts tab and bump Big Sky`; `salt and vinegar Pringles` are one thing.
        let behind_kind = || at > 1 && kind_of(words[at - 2]).is_some();
        let has_object = words.get(at + 1).is_some_and(|next| {
            let is_name = next.starts_with(|sign: char| sign.is_uppercase()) && (is_verb(word) || behind_kind());
            OBJECTS.contains(&bare(next).as_str()) || is_name
        });
        is_joined && is_plain && has_object && !is_function_word(word) && !word.ends_with('s')
    };
    let forbids = [" and never ", " and do not ", " and don't ", " but never "].iter().any(|lead| text.contains(lead));
    forbids
        || (1..words.len()).any(begins)
        || format!(" {text} ").contains(", then ")
        || text.ends_with(", and only those")
}

fn is_torn_target(target: &Target) -> bool {
    let lists = !target.quoted && [": ", ", "].iter().any(|sign| target.text().contains(sign));
    lists
        || holds_command(target.text(), target.quoted)
        || target.places.iter().any(|place| holds_command(&place.name, place.quoted))
}

fn is_torn_task(task: &Task) -> bool {
    let thing = &task.thing;
    // `in 5` is no place of an event; `to issue 17` is one of a comment.
    let is_event = matches!(thing.kind.as_str(), "event" | "appointment" | "meeting" | "reminder");
    let is_measure = |name: &str| {
        let words: Vec<&str> = name.split_whitespace().collect();
        let is_number = words.len() == 1 && moment::number(name).is_some();
        moment::is_span(&words) || (is_number && (is_event || !name.contains(|sign: char| sign.is_ascii_digit())))
    };
    // `for Nadia Cross: a cat named Pepper`
    let is_no_place = |name: &str| PRONOUNS.contains(&name) || is_measure(name) || name.contains(": ");
    let places = thing.places.iter().filter(|place| !place.quoted).any(|place| is_no_place(&place.name));
    // `a visit for Tom Hale's dog`: whose it is begins no clause.
    let is_torn_owner = PRONOUNS.contains(&thing.of.as_str()) || thing.of.contains(" for ");
    // A tag without what it is put on, a remark without what it is made on: the other half was not read.
    let is_half = matches!(&task.act, TaskAct::Do(verb) if matches!(verb.as_str(), "tag" | "label" | "comment"));
    places || is_torn_owner || is_half || is_torn_name(task)
}

/// Words for what is always one of something else.
const RELATED: [&str; 10] =
    ["copy", "duplicate", "clone", "backup", "version", "revision", "snapshot", "export", "branch", "archive"];

fn is_torn_name(task: &Task) -> bool {
    let thing = &task.thing;
    if thing.quoted || thing.name.is_empty() {
        return false;
    }
    let said = format!(" {} ", thing.name.to_lowercase());
    let first = first_word(&thing.name);
    // What is put somewhere, with the place still in it.
    let holds_place = task.act == TaskAct::Add
        && thing.kind.is_empty()
        && thing.places.is_empty()
        && ([" to the ", " on the ", " to my ", " on my "].iter().any(|lead| said.contains(lead))
            || goes_to_name(&thing.name));
    // `Tom and Jo-Anne to the Tuesday standup`: two, and no one name.
    let joins_names = task.act == TaskAct::Add
        && thing.kind.is_empty()
        && !thing.places.iter().any(|place| is_collection(&[place.name.rsplit(' ').next().unwrap_or_default()]))
        && thing.name.split_once(" and ").is_some_and(|(before, after)| {
            let begins = |word: Option<&str>| word.is_some_and(|word| word.starts_with(char::is_uppercase));
            begins(before.split(' ').next_back()) && begins(after.split(' ').next())
        });
    // `half a day on Friday the 13th`
    let holds_day = || {
        let day = thing.name.rsplit_once(" on ").map(|(_, day)| day.split_whitespace().next().unwrap_or_default());
        task.act == TaskAct::Add && day.is_some_and(moment::is_day)
    };
    // `a reservation for Court 2`, `a new version of the page Home`: what is made has no such name, it is one of something else.
    let is_of_another = task.act == TaskAct::Add
        && (matches!(first.as_str(), "of" | "for" | "from")
            || (RELATED.contains(&first.as_str()) && said.starts_with(&format!(" {first} of "))));
    // `the ingredients of the pancakes`: they are there, and nothing new that is called so.
    let is_part_of_another = task.act == TaskAct::Add
        && thing.kind.is_empty()
        && [" of the ", " of my ", " of our "].iter().any(|of| {
            said.contains(of)
                && thing
                    .name
                    .split(of.trim_end())
                    .next()
                    .is_some_and(|part| part.chars().all(|sign| !sign.is_uppercase()))
        });
    // `the first three`: as many, and not the first that is called so.
    let counts = thing.ordinal.is_some() && moment::number(&first).is_some();
    // `the completed tasks`: those of a state, and none that is called so.
    let is_state = !thing.all
        && !thing.kind.is_empty()
        && thing.name == first
        && (first.ends_with("ed")
            || matches!(first.as_str(), "open" | "overdue" | "unread" | "old" | "empty" | "pending"));
    (is_state && task.act != TaskAct::Add)
        || PRONOUNS.contains(&first.as_str())
        || LEADS.contains(&first.as_str())
        || (task.act == TaskAct::Add && (matches!(first.as_str(), "on" | "in") || is_list_of_values(&thing.name)))
        || (compares(&thing.name) && thing.name == first)
        || (compares(&thing.name) && task.act != TaskAct::Add)
        || BETWEEN.iter().any(|words| said.contains(words))
        || said.ends_with(" instead ")
        || matches!(first.as_str(), "whatever" | "whoever" | "anything" | "everything" | "something" | "anyone")
        || holds_place
        || is_of_another
        || is_part_of_another
        || joins_names
        || holds_day()
        || counts
}

/// Whether a name goes on with values behind a colon: `Summer party: 12 July, 18:00, garden`.
fn is_list_of_values(name: &str) -> bool {
    name.split_once(": ").is_some_and(|(_, values)| values.contains(", "))
}

/// Whether a list of plain words ends in where they go: `milk, eggs and butter to Groceries`.
fn goes_to_name(name: &str) -> bool {
    let is_list = name.contains(", ") || name.contains(" and ");
    is_list && name.rsplit_once(" to ").is_some_and(|(_, place)| place.starts_with(char::is_uppercase))
}

/// A value that is a pronoun, or a field that is one or holds a part of its value.
fn is_torn_value(given: &Given) -> bool {
    // What is told somebody may end in any word. What it is about is none that points at something else.
    let is_told = matches!(given.field.as_str(), "text" | "description" | "message")
        || (given.field == "subject" && given.value.contains(' '));
    let is_pronoun =
        !given.quoted && !is_told && PRONOUNS.contains(&given.value.rsplit(' ').next().unwrap_or_default());
    let with_digits = given.field.split_whitespace().filter(|word| word.contains(|sign: char| sign.is_ascii_digit()));
    // `N3w (my old one is 0ld)`: two values.
    let holds_aside = !given.quoted && !is_told && [" (my ", " (the "].iter().any(|lead| given.value.contains(lead));
    // `Eva Stone, e-mail eva@example.org`: the next field and its value.
    let holds_field = !given.quoted
        && !is_told
        && given.value.split(", ").skip(1).any(|part| {
            let first = first_word(part);
            part.contains(' ') && !first.is_empty() && is_common_field(&first)
        });
    // `21 degrees from 6 to 8`: when, and no part of the value.
    let holds_span = !given.quoted
        && !is_told
        && given
            .value
            .split_once(" from ")
            .is_some_and(|(_, from)| from.starts_with(|sign: char| sign.is_ascii_digit()));
    is_pronoun
        || holds_span
        || holds_aside
        || holds_field
        || PRONOUNS.contains(&given.field.as_str())
        || given.field.contains([',', '+'])
        || with_digits.count() > 1
}

/// Whether what is asked for still holds the verb of its question, compares, or is to be reckoned.
fn is_torn_question(name: &str, quoted: bool) -> bool {
    const VERBS: [&str; 9] = ["does", "did", "do", "was", "were", "who", "which", "than", "made"];
    let words: Vec<&str> = name.split_whitespace().collect();
    let first = first_word(name);
    !quoted && (words.iter().any(|word| VERBS.contains(word)) || RECKONING.contains(&first.as_str()))
}

/// Whether a sentence tells a thing by comparing it with others. What begins with a capital is a name: `Most Wanted`.
pub(super) fn compares(sentence: &str) -> bool {
    sentence
        .split_whitespace()
        .any(|word| COMPARING.contains(&bare(word).as_str()) && !word.starts_with(char::is_uppercase))
}

/// Whether a clause only says what is looked for, or by what the rest is done.
pub(super) fn seeks(clause: &str) -> bool {
    matches!(clause.split_whitespace().next().map(bare).as_deref(), Some("find" | "locate" | "identify" | "use"))
}

/// The words of a clause that are names, wherever they stand but at its start: they begin with a capital or have a digit. The label of
/// a field in front of its value, and what says how something is, are none.
pub(super) fn names(clause: &str) -> Vec<&str> {
    const SAID: [&str; 16] = [
        "not",
        "done",
        "undone",
        "complete",
        "completed",
        "incomplete",
        "lowest",
        "highest",
        "newest",
        "oldest",
        "cheapest",
        "ascending",
        "descending",
        "read",
        "unread",
        "my",
    ];
    let words: Vec<&str> = clause.split_whitespace().collect();
    let is_label = |at: usize| words.get(at + 1).is_some_and(|next| next.starts_with(OPEN_MARK));
    // `change … from 310 to 280`: the value that is there.
    let changes = words.first().is_some_and(|verb| {
        matches!(
            bare(verb).as_str(),
            "change" | "set" | "update" | "correct" | "raise" | "lower" | "increase" | "reduce"
        )
    });
    let said = |at: Option<usize>| at.and_then(|at| words.get(at)).map(|word| bare(word)).unwrap_or_default();
    let is_old = |at: usize| changes && said(at.checked_sub(1)) == "from" && said(Some(at + 1)) == "to";
    words
        .iter()
        .enumerate()
        .skip(1)
        .filter(|(at, word)| !word.contains(OPEN_MARK) && !is_label(*at) && !is_old(*at))
        .filter_map(|(_, word)| {
            let word = word.trim_matches(|sign: char| !sign.is_alphanumeric());
            let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("\u{2019}s")).unwrap_or(word);
            let plain = word.to_lowercase();
            let is_name = word.starts_with(char::is_uppercase) || word.contains(|sign: char| sign.is_ascii_digit());
            let is_said = word.chars().count() < 2
                || word.starts_with("I'")
                || word.starts_with("I\u{2019}")
                || is_function_word(&plain)
                || SAID.contains(&plain.as_str());
            (is_name && !is_said && moment::ordinal(&plain).is_none()).then_some(word)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::ground::understand::explain;

    fn read(sentence: &str) -> Vec<String> {
        explain(sentence).iter().map(ToString::to_string).collect()
    }

    fn is_refused(sentence: &str) -> bool {
        read(sentence).iter().any(|goal| goal.starts_with("not understood"))
    }

    #[test]
    fn what_holds_a_clause_in_its_name_is_not_begun() {
        for sentence in [
            "Add Tom and Jo-Anne to the Tuesday standup",
            "Create a label called needs-info, then put it on the tickets 14 and 15.",
            "Remove Gus from the group Night Shift and add him to Day Shift instead.",
            "Create a wiki page titled Rules of Thumb under Engineering",
            "Move the party to the 15th of November and let everyone know",
            "Open the Drafts tab and bump Big Sky to Done",
            "Fill in the form but do not place the order",
            "Make certain the form is saved",
            "Change the due date of the tax report to next Monday and tell Ben about it.",
            "Set the heating to 21 degrees from 6 to 8 in the morning.",
            "Create an event Summer party: 12 July, 18:00, garden.",
            "Search \"umbrella\" and add the cheapest to the cart.",
            "Fill out the form: whatever fits",
            "Fill out the form",
            "Delete the draft but keep a copy.",
            "Delete the two oldest backups.",
            "Insert a row above row 3.",
        ] {
            assert!(is_refused(sentence), "{sentence}: {:?}", read(sentence));
        }
        for sentence in ["Add a task Put flowers on the table", "Delete the note This week", "Add milk to the list"] {
            assert!(!is_refused(sentence), "{sentence}: {:?}", read(sentence));
        }
    }

    #[test]
    fn what_is_told_by_comparing_counting_or_pointing_has_no_name() {
        for sentence in [
            "Star the first three messages in my inbox",
            "Delete the oldest message in Spam",
            "Approve only the expense claims below $200",
            "Order three boxes of it",
            "Change my flight to the 18:40 one",
            "What is the average score of the three reviews?",
            "Are there more open bugs than closed ones?",
            "What does the error message say?",
        ] {
            assert!(is_refused(sentence), "{sentence}: {:?}", read(sentence));
        }
    }

    #[test]
    fn a_clause_of_which_a_name_came_to_nothing_is_not_begun() {
        for sentence in [
            "Create a folder named Taxes 2024, move every mail from the IRS into it, and mark them as read.",
            "Find a hotel in Aix-en-Provence from 3 to 7 June for two adults, then sort by guest rating.",
            "As discussed with Helen yesterday, the price of the Oak Desk should be 349.99 from now on.",
        ] {
            assert!(read(sentence).is_empty() || is_refused(sentence), "{sentence}: {:?}", read(sentence));
        }
    }

    #[test]
    fn a_name_keeps_its_new_and_a_pronoun_is_none() {
        assert_eq!(read("Publish New Pricing"), ["do publish \"New Pricing\""]);
        assert_eq!(read("Delete the new task Water plants"), read("Delete the task Water plants"));
        assert!(is_refused("The task Water plants is listed twice. Please delete the second one."));
    }

    #[test]
    fn names_are_whole_whatever_words_they_hold() {
        for (sentence, goal) in [
            ("Delete the list Party of Five", "remove list \"Party of Five\""),
            ("Change the slug of the About us page to who-we-are", "edit page \"About us\": slug = \"who-we-are\""),
            ("Deactivate the user account jdoe42", "unmark account \"jdoe42\": state = \"on\""),
            ("Delete order no. 2024-00981", "remove order \"2024-00981\""),
            ("Sort the products by price, cheapest first", "sort product: by = \"price\"; order = \"ascending\""),
        ] {
            assert_eq!(read(sentence), [goal], "{sentence}");
        }
    }
}
