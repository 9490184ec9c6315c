//! Everyday ways to say what is to be done, in the words that the readings know. Pure.

use super::errand::is_common_field;
use super::moment;
use super::phrase::{is_collection, kind_of};
use super::talk::after_words;
use super::verbs::{bare, is_verb};
use crate::ground::clause::OPEN_MARK;
use crate::ground::words::is_function_word;

/// A command, or a question, in the words that are known.
pub(super) fn in_known_words(sentence: &str) -> Option<String> {
    if let Some(whole) = put_on_the_same(sentence).or_else(|| page_of_thing(sentence)) {
        return Some(whole);
    }
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
        .or_else(|| unpacked(sentence))
        .or_else(|| listed_values(sentence))
        .or_else(|| filled_form(sentence))
        .or_else(|| asked_for_list(sentence))
        .or_else(|| in_charge(sentence))
        .or_else(|| made_for_somebody(sentence))
        .or_else(|| made_default(sentence))
        .or_else(|| in_a_colour(sentence))
        .or_else(|| with_the_old_one(sentence))
        .or_else(|| ended_or_given_back(sentence))
}

/// `fill out the contact form: name Eva Stone, e-mail eva@example.org` → `fill in the contact form with the name Eva Stone and the e-mail …`; `add
/// a row: Name Screws, Quantity 40` → `add a row with the name Screws and …`.
fn filled_form(sentence: &str) -> Option<String> {
    let fills = ["fill in", "fill out", "complete", "fill"].iter().find_map(|verb| after_words(sentence, verb));
    let makes = ["add", "create"].iter().any(|verb| after_words(sentence, verb).is_some());
    let signs: &[&str] = if makes { &[": "] } else { &[": ", " with "] };
    let whole = fills.map_or_else(|| sentence.to_owned(), |rest| format!("fill in {rest}"));
    let (head, values) = signs.iter().find_map(|sign| whole.trim_end_matches('.').split_once(*sign))?;
    let mut listed: Vec<&str> = values.split(", ").collect();
    let last = listed.pop()?;
    let last = last.strip_prefix("and ").unwrap_or(last);
    match last
        .split_once(" and ")
        .filter(|(one, other)| field_and_value(one).is_some() && field_and_value(other).is_some())
    {
        Some((one, other)) => listed.extend([one, other]),
        None => listed.push(last),
    }
    let pairs: Vec<String> = listed
        .into_iter()
        .map(|part| field_and_value(part).map(|(field, value)| format!("the {field} {value}")))
        .collect::<Option<_>>()?;
    let is_form = fills.is_some() && head.ends_with(" form") && head.split(' ').count() <= 6;
    // `a visit for Tom's dog: …`: what it is of is no part of its name.
    let goes_on = [" with ", " for ", " to ", " on ", " in ", " of ", " from "].iter().any(|lead| head.contains(lead));
    (is_form || (makes && !goes_on)).then(|| format!("{head} with {}", pairs.join(" and ")))
}

/// `e-mail: eva@example.org`, `the first name Eva`: a field in plain words, and a value that begins unlike them.
fn field_and_value(part: &str) -> Option<(String, &str)> {
    let part = ["the ", "my ", "and "].iter().fold(part.trim(), |part, lead| part.strip_prefix(lead).unwrap_or(part));
    if let Some((field, value)) = part.split_once(": ") {
        return (field.split(' ').count() <= 3).then(|| (field.to_lowercase(), value));
    }
    let begins = |word: &str| word.starts_with(|sign: char| !sign.is_lowercase()) || word.contains(['@', '.']);
    let words: Vec<&str> = part.split(' ').collect();
    // `Quantity 40`
    if let Some((field, value)) = part.split_once(' ').filter(|(field, _)| is_common_field(&field.to_lowercase())) {
        return Some((field.to_lowercase(), value));
    }
    let at = words.iter().position(|word| begins(word)).filter(|at| (1..=3).contains(at))?;
    let value = part.get(words.iter().take(at).map(|word| word.len() + 1).sum::<usize>()..)?;
    Some((words.get(..at)?.join(" "), value))
}

/// `give me a list of all overdue tasks` → `list all overdue tasks`; `go back to the overview` → `go to the overview`.
fn asked_for_list(sentence: &str) -> Option<String> {
    let list = ["give me a list of", "get me a list of", "show me a list of", "give me the list of"];
    if let Some(rest) = list.iter().find_map(|lead| after_words(sentence, lead)) {
        return Some(format!("list {rest}"));
    }
    let rest = ["go back to", "return to", "navigate back to"].iter().find_map(|lead| after_words(sentence, lead))?;
    let first = rest.split(' ').nth(1).unwrap_or_default();
    (!matches!(first, "previous" | "last" | "earlier") && !rest.is_empty()).then(|| format!("go to {rest}"))
}

/// `add Petra as a reviewer of the login pull request`, `add Petra to the reviewers of …` → `change the reviewer of … to Petra`; `promote Ben to
/// admin` → `change the role of Ben to admin`.
fn in_charge(sentence: &str) -> Option<String> {
    if let Some(rest) = ["promote", "demote"].iter().find_map(|verb| after_words(sentence, verb)) {
        let (whom, role) = rest.trim_end_matches('.').rsplit_once(" to ")?;
        return (!whom.contains(" and ")).then(|| format!("change the role of {whom} to {role}"));
    }
    const ROLES: [&str; 5] = ["reviewer", "assignee", "approver", "owner", "responsible"];
    let rest = ["add", "assign", "set"].iter().find_map(|verb| after_words(sentence, verb))?;
    let rest = rest.trim_end_matches('.');
    let (whom, role) = [" as a ", " as an ", " as the ", " as ", " to the "]
        .iter()
        .find_map(|lead| rest.split_once(lead).filter(|(_, role)| ROLES.iter().any(|known| role.starts_with(known))))?;
    let role_is = ROLES.iter().find(|known| role.starts_with(**known))?;
    let behind = role.strip_prefix(role_is)?;
    let behind = behind.strip_prefix('s').unwrap_or(behind);
    let what = [" of ", " to ", " on ", " for "].iter().find_map(|lead| behind.strip_prefix(lead))?;
    let is_name = whom.split(' ').count() <= 3
        && whom.split(' ').all(|word| word.starts_with(|sign: char| sign.is_uppercase() || sign == OPEN_MARK));
    (is_name && !what.contains(" and ")).then(|| format!("change the {role_is} of {what} to {whom}"))
}

/// `add milk, eggs and bread to the shopping list` as three commands: with commas between them they are several things.
pub(super) fn one_by_one(sentence: &str) -> Option<Vec<String>> {
    let (verb, rest) = ["add", "put"].iter().find_map(|verb| Some((verb, after_words(sentence, verb)?)))?;
    let rest = rest.trim_end_matches('.');
    let (at, lead) =
        [" to ", " on ", " into ", " in "].iter().filter_map(|lead| Some((rest.rfind(lead)?, *lead))).max()?;
    let (things, place) = (rest.get(..at)?, rest.get(at + lead.len()..)?);
    let goes_into_list = is_collection(&[place.rsplit(' ').next().unwrap_or_default()]) && !place.contains(',');
    let (before, last) = things.rsplit_once(" and ").filter(|_| goes_into_list)?;
    let things: Vec<&str> = before.trim_end_matches(',').split(", ").chain([last]).map(str::trim).collect();
    let is_thing = |thing: &&str| {
        let words: Vec<&str> = thing.split(' ').collect();
        (1..=3).contains(&words.len()) && words.iter().all(|word| !word.is_empty() && !is_function_word(&bare(word)))
    };
    (things.len() >= 3 && things.iter().all(is_thing))
        .then(|| things.iter().map(|thing| format!("{verb} {thing}{lead}{place}")).collect())
}

/// `remove the label bug from issue 12 and add the label feature` → `… and add the label feature to issue 12`.
fn put_on_the_same(sentence: &str) -> Option<String> {
    let (first, second) = sentence.trim_end_matches('.').split_once(" and ")?;
    let added = ["add the label ", "add the tag "].iter().find_map(|lead| second.strip_prefix(lead))?;
    let is_whole = [" to ", " on ", " and ", ", "].iter().all(|lead| !added.contains(lead));
    let is_taken = ["the label ", "the tag "].iter().any(|kind| first.contains(kind));
    let (_, what) = first.rsplit_once(" from ").filter(|_| is_taken && is_whole)?;
    Some(format!("{first} and {second} to {what}"))
}

/// `open the product page of the blue kettle` → `open the blue kettle`.
fn page_of_thing(sentence: &str) -> Option<String> {
    const PAGES: [&str; 6] = [
        "the product page of ",
        "the product page for ",
        "the details page of ",
        "the detail page of ",
        "the details page for ",
        "the detail page for ",
    ];
    ["open", "go to", "visit", "view"].iter().find_map(|verb| after_words(sentence, verb))?;
    PAGES.iter().find(|page| sentence.contains(**page)).map(|page| sentence.replacen(page, "", 1))
}

/// `create a task ⟦0⟧ assigned to Lea` → `… with the assignee Lea`.
fn made_for_somebody(sentence: &str) -> Option<String> {
    ["add", "create", "make", "open", "file"].iter().find_map(|verb| after_words(sentence, verb))?;
    let (made, whom) = sentence.split_once(" assigned to ").filter(|(made, _)| !made.contains(" with "))?;
    Some(format!("{} with the assignee {whom}", made.trim_end_matches(',')))
}

/// `set the card ending in 1881 as default` → `mark … as default`; `make Park Street 5 my default address` → the same.
fn made_default(sentence: &str) -> Option<String> {
    let rest = ["set", "make", "use"].iter().find_map(|verb| after_words(sentence, verb))?.trim_end_matches('.');
    let what = [" as default", " as the default", " as my default", " the default", " my default", " default"]
        .iter()
        .find_map(|end| rest.strip_suffix(end))?;
    // `the card ending in 1881`
    let what = what.replace("card ending in ", "card ");
    (!what.contains(" and ") && !what.contains(" to ")).then(|| format!("mark {what} as default"))
}

/// `create a new label called urgent in red` → `… with the colour red`.
fn in_a_colour(sentence: &str) -> Option<String> {
    const COLOURS: [&str; 12] =
        ["red", "green", "blue", "yellow", "orange", "purple", "pink", "black", "white", "grey", "gray", "brown"];
    ["add", "create", "make"].iter().find_map(|verb| after_words(sentence, verb))?;
    let (what, colour) = sentence.trim_end_matches('.').rsplit_once(" in ")?;
    let is_named = ["called ", "named ", "titled "].iter().any(|lead| what.contains(lead)) || what.contains(OPEN_MARK);
    let is_colour = COLOURS.contains(&colour.to_lowercase().as_str());
    (is_named && is_colour && !what.contains(" with ")).then(|| format!("{what} with the colour {colour}"))
}

/// `change the password to N3w (my old one is 0ld)` → `change the password from 0ld to N3w`.
fn with_the_old_one(sentence: &str) -> Option<String> {
    let rest = ["change", "set", "update"].iter().find_map(|verb| after_words(sentence, verb))?;
    let (change, told) = rest.trim_end_matches('.').split_once(" (")?;
    let (field, new) = change.split_once(" to ")?;
    let told = told.strip_suffix(')')?;
    let old = [" is ", " was "]
        .iter()
        .find_map(|lead| told.split_once(lead))
        .filter(|(what, _)| what.split(' ').any(|word| matches!(word, "old" | "current" | "present")))?;
    let is_one = |value: &str| !value.contains(' ');
    (is_one(old.1) && is_one(new)).then(|| format!("change {field} from {} to {new}", old.1))
}

/// `cancel my subscription to the weekly newsletter` → `unsubscribe from the weekly newsletter`; `give the book back` → `return the book`.
fn ended_or_given_back(sentence: &str) -> Option<String> {
    let whole = sentence.trim_end_matches('.');
    if let Some(rest) = ["cancel my subscription to ", "cancel the subscription to ", "end my subscription to "]
        .iter()
        .find_map(|lead| after_words(whole, lead.trim_end()))
    {
        return Some(format!("unsubscribe from {rest}"));
    }
    let what = after_words(whole, "give")?.strip_suffix(" back")?;
    let is_thing = ["the ", "my ", "this "].iter().any(|lead| what.starts_with(lead)) || what.starts_with(OPEN_MARK);
    (is_thing && !what.contains(" to ")).then(|| format!("return {what}"))
}

/// What a number of things come in.
const PIECES: [&str; 7] = ["pieces", "pcs", "units", "copies", "bottles", "boxes", "bags"];

/// `put two bottles of olive oil into my basket` → `put two olive oil …`: what it comes in is counted, and no part of its name.
fn unpacked(sentence: &str) -> Option<String> {
    let words: Vec<&str> = sentence.split(' ').collect();
    let [verb, number, packed, "of", what @ ..] = words.as_slice() else { return None };
    let counts = matches!(bare(verb).as_str(), "add" | "put" | "order") && moment::number(number).is_some();
    let points = what
        .first()
        .is_none_or(|word| matches!(bare(word).as_str(), "it" | "them" | "this" | "that" | "these" | "those"));
    (counts && PIECES.contains(packed) && !points).then(|| format!("{verb} {number} {}", what.join(" ")))
}

/// `add a new item ⟦0⟧, 10 pieces, on shelf A4` → `add a new item ⟦0⟧ with the quantity 10 and the shelf A4`.
fn listed_values(sentence: &str) -> Option<String> {
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
