//! Everyday ways to say what is to be done, in the words that the readings know. Pure.

use super::errand::is_common_field;
use super::moment;
use super::phrase::kind_of;
use super::talk::after_words;
use super::verbs::{bare, is_verb};
use crate::ground::clause::OPEN_MARK;
use crate::ground::words::is_function_word;

/// A command, or a question, in the words that are known.
pub(super) fn in_known_words(sentence: &str) -> Option<String> {
    // Of two commands each is read by itself.
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let joins = |pair: &[&str]| matches!(bare(pair[0]).as_str(), "and" | "then" | "but") && is_verb(pair[1]);
    if words.windows(2).any(joins) {
        return None;
    }
    length_asked(sentence)
        .or_else(|| points_given(sentence))
        .or_else(|| given_to_somebody(sentence))
        .or_else(|| put_where_it_belongs(sentence))
        .or_else(|| made_favourite(sentence))
        .or_else(|| of_level(sentence))
        .or_else(|| now_with(sentence))
        .or_else(|| listed_values(sentence))
}

/// `add a new item ⟦0⟧, 10 pieces, on shelf A4` → `add a new item ⟦0⟧ with the quantity 10 and the shelf A4`.
fn listed_values(sentence: &str) -> Option<String> {
    const PIECES: [&str; 7] = ["pieces", "pcs", "units", "copies", "bottles", "boxes", "bags"];
    const MONEY: [&str; 7] = ["euros", "euro", "eur", "dollars", "usd", "francs", "\u{20ac}"];
    let is_made = ["add", "create"].iter().any(|verb| after_words(sentence, verb).is_some());
    let (head, values) =
        sentence.trim_end_matches('.').split_once(", ").filter(|(head, _)| !head.contains(" with "))?;
    let value = |part: &str| {
        let (first, rest) = part.trim().split_once(' ')?;
        let is_number = first.starts_with(|sign: char| sign.is_ascii_digit());
        let names_one = |word: &str| word.starts_with(|sign: char| sign.is_uppercase() || sign.is_ascii_digit());
        match first {
            _ if is_number && PIECES.contains(&rest) => Some(format!("the quantity {first}")),
            _ if is_number && MONEY.contains(&rest.to_lowercase().as_str()) => Some(format!("the amount {first}")),
            "on" if moment::is_day(rest) => Some(format!("the date {rest}")),
            "at" if moment::time(rest).is_some() => Some(format!("the time {rest}")),
            "on" | "in" | "at" => {
                let (field, one) = rest.split_once(' ')?;
                (field.chars().all(char::is_lowercase) && field != "the" && names_one(one))
                    .then(|| format!("the {field} {one}"))
            }
            field if is_common_field(field) && names_one(rest) => Some(format!("the {field} {rest}")),
            _ => None,
        }
    };
    let listed: Vec<String> = values.split(", ").map(value).collect::<Option<_>>()?;
    is_made.then(|| format!("{head} with {}", listed.join(" and ")))
}

/// `how long is the song ⟦0⟧?`, `how long does the film last?` → `what is the duration of …?`
fn length_asked(sentence: &str) -> Option<String> {
    let rest = after_words(sentence, "how long")?.trim_end_matches('?');
    let what = after_words(rest, "is").or_else(|| {
        let rest = after_words(rest, "does")?;
        rest.strip_suffix(" take").or_else(|| rest.strip_suffix(" last"))
    })?;
    let is_thing = what.starts_with(OPEN_MARK) || ["the ", "my ", "this "].iter().any(|lead| what.starts_with(lead));
    is_thing.then(|| format!("what is the duration of {what}?"))
}

/// `give the monitors order to Petra` → `assign the monitors order to Petra`.
fn given_to_somebody(sentence: &str) -> Option<String> {
    let rest = after_words(sentence, "give").map(|rest| rest.trim_end_matches('.'))?;
    let (what, whom) = rest.rsplit_once(" to ")?;
    let is_definite = ["the ", "this ", "that "].iter().any(|lead| what.starts_with(lead));
    let is_name = whom.split(' ').count() <= 2 && whom.split(' ').all(|word| word.starts_with(char::is_uppercase));
    let is_whole = !what.ends_with(" back") && !what.contains(" and ") && !what.contains(OPEN_MARK);
    (is_definite && is_name && is_whole).then(|| format!("assign {what} to {whom}"))
}

/// `send the card back to Doing` → `move the card to Doing`; `put the mail about … into the Work folder` → `move …`; `put Jonas Meyer into the
/// family group` → `change the group of Jonas Meyer to family`.
fn put_where_it_belongs(sentence: &str) -> Option<String> {
    let rest = ["put", "send", "bring", "take"].iter().find_map(|verb| after_words(sentence, verb))?;
    let rest = rest.trim_end_matches('.');
    if let Some((what, place)) = rest.rsplit_once(" back to ").or_else(|| rest.rsplit_once(" back into ")) {
        let is_name =
            place.trim_start_matches("the ").starts_with(|sign: char| sign.is_uppercase() || sign == OPEN_MARK);
        // What is done step by step goes back to a step; a letter goes back to somebody.
        const WORK: [&str; 8] = ["card", "task", "ticket", "issue", "story", "bug", "item", "request"];
        let is_there = ["the ", "my ", "this ", "that "].iter().any(|lead| what.starts_with(lead))
            && what.split(' ').any(|word| kind_of(word).is_some_and(|kind| WORK.contains(&kind.as_str())))
            && !what.contains(" to ");
        return (is_name && is_there).then(|| format!("move {what} to {place}"));
    }
    let (what, place) = rest.rsplit_once(" into the ").or_else(|| rest.rsplit_once(" in the "))?;
    after_words(sentence, "put")?;
    let (name, kind) = place.rsplit_once(' ')?;
    let words: Vec<&str> = what.split(' ').collect();
    // `the mail about the holiday plan`: one that is there.
    let is_there = words.first().is_some_and(|word| matches!(*word, "the" | "this" | "that" | "my"))
        && words.get(1).is_some_and(|word| kind_of(word).is_some());
    let says_where = [" on ", " in ", " to ", " into ", " from "].iter().any(|lead| what.contains(lead));
    if is_there
        && !says_where
        && matches!(kind, "folder" | "column" | "list" | "section" | "board" | "album" | "category")
    {
        return Some(format!("move {what} to the {place}"));
    }
    let is_somebody = (2..=3).contains(&words.len()) && words.iter().all(|word| word.starts_with(char::is_uppercase));
    (is_somebody && matches!(kind, "group" | "team" | "department" | "category"))
        .then(|| format!("change the {kind} of {what} to {name}"))
}

/// `make the lentil soup a favourite`, `make Tom Berger one of my favourites` → `mark … as favourite`.
fn made_favourite(sentence: &str) -> Option<String> {
    const ENDS: [&str; 6] = [
        " a favourite",
        " a favorite",
        " one of my favourites",
        " one of my favorites",
        " one of the favourites",
        " one of the favorites",
    ];
    let rest = after_words(sentence, "make")?.trim_end_matches('.');
    let what = ENDS.iter().find_map(|end| rest.strip_suffix(end))?;
    (!what.contains(" and ")).then(|| format!("mark {what} as favourite"))
}

/// `set the release notes to high priority` → `set the priority of the release notes to high`.
fn of_level(sentence: &str) -> Option<String> {
    const LEVELS: [&str; 10] =
        ["high", "low", "medium", "normal", "urgent", "critical", "highest", "lowest", "top", "major"];
    let rest = ["set", "change", "raise", "put"].iter().find_map(|verb| after_words(sentence, verb))?;
    let (what, value) = rest.trim_end_matches('.').rsplit_once(" to ").or_else(|| rest.rsplit_once(" on "))?;
    let (level, field) = value.split_once(' ')?;
    let is_level =
        LEVELS.contains(&level.to_lowercase().as_str()) && matches!(field, "priority" | "severity" | "importance");
    let is_field = what.contains("priority") || what.contains("severity") || what.contains("importance");
    // What is shown is set to it, and nothing gets it.
    let is_view = what.rsplit(' ').next().is_some_and(|last| matches!(last, "filter" | "view" | "search" | "sorting"));
    (is_level && !is_field && !is_view).then(|| format!("set the {field} of {what} to {level}"))
}

/// `the masking tape is now on shelf C3` → `change the shelf of the masking tape to C3`; `the taxi was on 5 November, not on the 3rd` → `change
/// the date of …`; `Maja has 12 points in Test 3, not 9` → `change the points of …`.
fn now_with(sentence: &str) -> Option<String> {
    let sentence = sentence.trim_end_matches('.');
    // A subject, and neither a command nor a question.
    let is_subject = |what: &str| {
        let words: Vec<&str> = what.split_whitespace().collect();
        let is_definite = words.first().is_some_and(|word| matches!(*word, "The" | "My" | "Our"));
        let is_name = words.len() <= 2 && words.iter().all(|word| word.starts_with(char::is_uppercase));
        let goes_on = |word: &&str| matches!(*word, "that" | "which" | "who" | "where" | "if" | "and");
        let begins = words.first().map(|word| bare(word)).unwrap_or_default();
        (is_definite || (is_name && !is_verb(&begins) && !is_function_word(&begins)))
            && !ASKING.contains(&begins.as_str())
            && !words.iter().any(goes_on)
    };
    if let Some((what, place)) =
        [" is now on ", " is now in ", " is now at "].iter().find_map(|lead| sentence.split_once(lead))
    {
        let (field, value) = place.split_once(' ')?;
        let is_field = field.chars().all(char::is_lowercase) && field != "the";
        let is_value =
            !value.contains(' ') && value.starts_with(|sign: char| sign.is_uppercase() || sign.is_ascii_digit());
        return (is_field && is_value && is_subject(what))
            .then(|| format!("change the {field} of {} to {value}", lowered(what)));
    }
    let (said, other) = sentence.split_once(", not ")?;
    if let Some((what, day)) = said.split_once(" was on ").or_else(|| said.split_once(" is on ")) {
        let is_day = moment::is_day(day) && other.starts_with("on ");
        return (is_day && is_subject(what)).then(|| format!("change the date of {} to {day}", lowered(what)));
    }
    let (whom, points) = said.split_once(" has ")?;
    let is_number = other.chars().all(|sign| sign.is_ascii_digit());
    if is_number && is_subject(whom) { points_given(&format!("give {} {points}", lowered(whom))) } else { None }
}

/// Words that ask.
const ASKING: [&str; 8] = ["what", "which", "who", "whose", "where", "when", "why", "how"];

/// A subject in the middle of a sentence.
fn lowered(subject: &str) -> String {
    subject.strip_prefix("The ").map_or_else(|| subject.to_owned(), |rest| format!("the {rest}"))
}

/// `Finn is here after all, mark him as present` → `mark Finn as present`; `The rice isn't bought yet, please untick it` → `please untick the
/// rice`. Where another name is told as well, nobody can tell whom the pronoun means.
pub(super) fn with_subject(sentence: &str) -> Option<String> {
    const VERBS: [&str; 8] =
        [" is ", " isn't ", " is not ", " was ", " has ", " hasn't ", " isn\u{2019}t ", " hasn\u{2019}t "];
    let (told, command) = sentence.rsplit_once(", ").filter(|(told, _)| !told.contains([OPEN_MARK, ',', ':']))?;
    let (at, verb) = VERBS.iter().filter_map(|verb| Some((told.find(verb)?, *verb))).min()?;
    let (subject, rest) = (told.get(..at)?, told.get(at + verb.len()..)?);
    let words: Vec<&str> = subject.split(' ').collect();
    let is_thing = words.first() == Some(&"The") && (2..=4).contains(&words.len());
    // Conditions and adverbs begin with a capital, too.
    const NO_NAMES: [&str; 26] = [
        "it",
        "this",
        "that",
        "there",
        "he",
        "she",
        "everyone",
        "everybody",
        "nobody",
        "somebody",
        "if",
        "when",
        "once",
        "unless",
        "because",
        "since",
        "although",
        "though",
        "while",
        "today",
        "yesterday",
        "unfortunately",
        "sadly",
        "not",
        "only",
        "now",
    ];
    let is_name = |word: &&str| {
        let plain = bare(word);
        word.starts_with(char::is_uppercase)
            && word.chars().all(char::is_alphabetic)
            && !NO_NAMES.contains(&plain.as_str())
            && !ASKING.contains(&plain.as_str())
            && !is_function_word(&plain)
    };
    let is_somebody = (1..=2).contains(&words.len()) && words.iter().all(is_name);
    let names_other = rest.contains(|sign: char| sign.is_uppercase() || sign.is_ascii_digit())
        || rest.contains(" and ")
        || rest.split(' ').next().is_some_and(|first| {
            matches!(first, "called" | "named" | "titled" | "from" | "about" | "by" | "with" | "like" | "replaced")
        });
    let speaks_of_other =
        [" the ", " a ", " an ", " my ", " our "].iter().any(|lead| format!(" {rest} ").contains(lead));
    if names_other {
        return None;
    }
    let pronouns: &[&str] = match (is_somebody, is_thing && !speaks_of_other) {
        (true, _) => &["him", "her"],
        (false, true) => &["it"],
        (false, false) => return None,
    };
    let mut words: Vec<&str> = command.split(' ').collect();
    let at = words.iter().position(|word| pronouns.contains(&bare(word).as_str()))?;
    let begins = words.iter().position(|word| !matches!(bare(word).as_str(), "please" | "so" | "and"))?;
    // `retire her account`: whose it is, and no object.
    const BEHIND: [&str; 8] = ["as", "to", "from", "for", "in", "into", "on", "off"];
    let is_object = words.get(at + 1).is_none_or(|next| BEHIND.contains(&bare(next).as_str()));
    if at != begins + 1 || !is_verb(words.get(begins)?) || !is_object {
        return None;
    }
    let subject = lowered(subject);
    *words.get_mut(at)? = &subject;
    Some(words.join(" "))
}

/// `give Emma 17 points in Test 2` → `change the points of Emma in Test 2 to 17`.
fn points_given(sentence: &str) -> Option<String> {
    let rest = after_words(sentence, "give").map(|rest| rest.trim_end_matches('.'))?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let unit = words.iter().position(|word| matches!(bare(word).as_str(), "points" | "point" | "marks"))?;
    let at = unit.checked_sub(1).filter(|at| *at > 0)?;
    let (whom, behind) = (words.get(..at)?.join(" "), words.get(unit + 1..)?.join(" "));
    let number = moment::number(words.get(at)?)?;
    let place = [("for ", "in "), ("in ", "in "), ("on ", "in ")];
    let place = place.iter().find_map(|(said, known)| Some(format!(" {known}{}", behind.strip_prefix(said)?)));
    let is_one = !whom.contains(" and ") && !behind.contains(" and ");
    // Without a test or a round it may be so many more.
    place.filter(|_| is_one).map(|place| format!("change the points of {whom}{place} to {number}"))
}
