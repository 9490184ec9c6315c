//! Words of a clause that came to none of its goals. A word that says which one, where, how often, or with what exception, and that no goal
//! knows of, changes what is meant: such a clause was not understood.

use super::moment;
use super::outline;
use super::phrase::kind_of;
use super::verbs::bare;
use crate::ground::clause::{OPEN_MARK, Quoted};
use crate::ground::goal::{Count, Goal, Target};
use crate::ground::target::kind_named;
use crate::ground::task::Task;
use crate::ground::words::{is_function_word, stem, tokens};

/// Words that change what is meant wherever they stand.
const DECIDING: [&str; 41] = [
    "after",
    "before",
    "following",
    "preceding",
    "above",
    "below",
    "beneath",
    "underneath",
    "beside",
    "behind",
    "until",
    "till",
    "unless",
    "twice",
    "thrice",
    "times",
    "neither",
    "nor",
    "except",
    "without",
    "besides",
    "instead",
    "again",
    "same",
    "another",
    "more",
    "fewer",
    "less",
    "half",
    "double",
    "everybody",
    "everyone",
    "anything",
    "nothing",
    "none",
    "rest",
    "other",
    "others",
    "remaining",
    "opposite",
    "reverse",
];

/// Words that say which of several, or that all are meant.
const COUNTING: [&str; 26] = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "last",
    "middle",
    "cheapest",
    "newest",
    "oldest",
    "latest",
    "recent",
    "highest",
    "lowest",
    "largest",
    "smallest",
    "all",
    "both",
    "every",
    "each",
    "everything",
];

/// Words that say nothing of their own: they lead to a name, name what kind of thing it is, or are a part of a verb.
const LEADING: [&str; 76] = [
    "called", "named", "titled", "title", "name", "saying", "says", "say", "that", "about", "new", "username", "user",
    "off", "out", "up", "over", "down", "rid", "not", "don't", "only", "her", "his", "him", "she", "he", "number",
    "found", "reading", "reads", "kind", "kinds", "type", "value", "one", "now", "here", "there", "through", "via",
    "too", "also", "right", "quickly", "today", "worth", "set", "marked", "sure", "away", "back", "else", "paid", "so",
    "where", "box", "boxes", "checkbox", "slider", "switch", "field", "form", "table", "text", "line", "password",
    "filter", "body", "copy", "address", "problem", "next", "most", "using", "know",
];

/// Parts of a page that hold whatever is on it.
const PARTS: [&str; 24] = [
    "page", "screen", "list", "form", "dialog", "table", "menu", "grid", "calendar", "site", "window", "popup",
    "modal", "top", "bottom", "picture", "image", "editor", "area", "toolbar", "results", "tree", "row", "view",
];

/// The first word of a clause that its goals do not speak of, though it decides what is meant.
pub(super) fn left_over(clause: &str, goals: &[Goal]) -> Option<String> {
    if goals.is_empty() {
        return None;
    }
    let all: Vec<&str> = clause.split_whitespace().collect();
    // `empty the cart by removing …`: what stands behind says how, and is what was read.
    let is_how = |pair: &[&str]| pair[0] == "by" && pair[1].ends_with("ing");
    let words = all.windows(2).position(is_how).map_or(all.as_slice(), |at| &all[at + 1..]);
    let reading = Reading::of(words, goals);
    let plain = |at: &usize| !words[*at].contains([OPEN_MARK, '$']);
    let left = |at: usize| parts(words[at]).into_iter().find(|word| reading.leaves(at, word));
    reading.astray().or_else(|| (0..words.len()).filter(plain).find_map(left))
}

/// Whether a clause that came to no goal says where or for whom the goals of its sentence are, and none of them knows of it.
pub(super) fn is_lost_place(quoted: &Quoted, clause: &str, goals: &[Goal]) -> bool {
    const LEADS: [&str; 9] = ["for", "in", "on", "under", "from", "within", "at", "as", "inside"];
    let words: Vec<&str> = clause.split_whitespace().collect();
    let leads = words.first().is_some_and(|first| LEADS.contains(&bare(first).as_str()));
    if !leads || goals.is_empty() {
        return false;
    }
    let said = stems(goals.iter().flat_map(outline::texts));
    let names = |word: &str| -> Vec<String> { quoted.part(word).map_or_else(|| parts(word), tokens) };
    let is_content = |word: &String| is_content(word) && !PARTS.contains(&word.as_str());
    words.iter().skip(1).flat_map(|word| names(word)).filter(is_content).any(|word| !said.contains(&stem(&word)))
}

/// A clause beside the goals that it was read as.
struct Reading<'a> {
    words: &'a [&'a str],
    goals: &'a [Goal],
    /// The stems of all that the goals speak of.
    said: Vec<String>,
    /// The stems of what stands in names that begin with a capital, and in texts that are told somebody.
    named: Vec<String>,
    /// The stems of values, of their fields, and of places.
    given: Vec<String>,
    /// Whether a goal says when.
    is_dated: bool,
    /// Whether a goal says which of several, or how many.
    counts: bool,
    is_task: bool,
}

impl<'a> Reading<'a> {
    fn of(words: &'a [&'a str], goals: &'a [Goal]) -> Self {
        let texts: Vec<String> = goals.iter().flat_map(outline::texts).collect();
        let is_name = |text: &&String| text.starts_with(char::is_uppercase) && text.contains(' ');
        let told =
            goals.iter().filter_map(|goal| if let Goal::Task(task) = goal { Some(told_texts(task)) } else { None });
        Self {
            words,
            goals,
            named: stems(texts.iter().filter(is_name).cloned().chain(told.flatten())),
            given: stems(goals.iter().flat_map(given)),
            is_dated: texts.iter().any(|text| text.split_whitespace().any(is_date)),
            said: stems(texts.into_iter()),
            counts: goals.iter().any(is_counted),
            is_task: goals.iter().any(|goal| matches!(goal, Goal::Task(_))),
        }
    }

    /// Whether a word decides what is meant, and no goal knows of it.
    fn leaves(&self, at: usize, word: &str) -> bool {
        let is_name = at > 0 && self.words[at].starts_with(char::is_uppercase);
        let is_counting = COUNTING.contains(&word) || moment::ordinal(word).is_some();
        if DECIDING.contains(&word) || is_counting {
            // As a part of a plain name it would have been swallowed: `the other requests`, `the first three boxes`.
            let is_joined = self.words[at].contains('-');
            let is_value = self.given.contains(&stem(word)) && !TAKING_ALL.contains(&word);
            let is_known =
                is_name || is_joined || is_value || self.named.contains(&stem(word)) || (is_counting && self.counts);
            return !is_known && !self.is_harmless(at, word);
        }
        let is_content = self.is_task && at > 0 && !self.leads_to_name(at) && !self.is_old(at);
        let is_of_name = !self.is_task && at > 0 && self.is_of_a_name(at);
        let is_place = !self.is_task && self.is_last_place(at, word);
        (is_content || is_of_name || is_place) && is_content_word(word) && !self.is_said(word)
    }

    fn is_said(&self, word: &str) -> bool {
        let is_number = || moment::number(word).is_some_and(|number| self.said.contains(&number.to_string()));
        let has_digit = word.contains(|sign: char| sign.is_ascii_digit());
        let is_moment = || self.is_dated && (has_digit || moment::is_day(word) || moment::is_month(word));
        self.said.contains(&stem(word)) || is_number() || is_moment()
    }

    fn word(&self, at: usize) -> String {
        self.words.get(at).map(|word| bare(word)).unwrap_or_default()
    }

    /// `the vehicle with the plate ZR-118`, `an errand called ⟦0⟧`: what kind of name follows.
    fn leads_to_name(&self, at: usize) -> bool {
        let is_name = |sign: char| sign == OPEN_MARK || sign.is_uppercase() || sign.is_ascii_digit();
        let is_naming = |word: &&&str| matches!(**word, "called" | "named" | "titled" | "labelled");
        self.words.iter().skip(at + 1).find(|word| !is_naming(word)).is_some_and(|next| next.starts_with(is_name))
    }

    /// `from 310 to 280`: the value that is there. A range has both.
    fn is_old(&self, at: usize) -> bool {
        let is_range = self.words.contains(&"range");
        at > 0 && self.words[at - 1] == "from" && self.words.get(at + 1) == Some(&"to") && !is_range
    }

    /// Whether a word is what is wanted of something that is named in quotes: `the heart next to ⟦0⟧`, `the price of ⟦0⟧`.
    fn is_of_a_name(&self, at: usize) -> bool {
        let rest = match self.words.get(at + 1..).unwrap_or_default() {
            ["next", "to", rest @ ..] | ["in", "front", "of", rest @ ..] | ["of" | "near" | "by", rest @ ..] => rest,
            _ => return false,
        };
        let rest = if let ["the" | "a", rest @ ..] = rest { rest } else { rest };
        rest.first().is_some_and(|name| name.starts_with(OPEN_MARK))
    }

    /// Whether the last word says of what something is, or where, and nothing else tells it: `the picture of the dog`, `the last link in the
    /// footer`.
    fn is_last_place(&self, at: usize, word: &str) -> bool {
        let before = self.words.get(..at).unwrap_or_default();
        let is_of = matches!(before, [.., "of", "the"] | [.., "of"]);
        let is_in = matches!(before, [.., "in", "the"] | [.., "in"]);
        let is_vague = |goal: &Goal| matches!(goal, Goal::Activate(target) if target.text().is_empty());
        let is_part = PARTS.contains(&word) || kind_named(word).is_some();
        at > 2 && at + 1 == self.words.len() && !is_part && (is_of || (is_in && self.goals.iter().any(is_vague)))
    }

    /// Whether a word that decides elsewhere does not where it stands: `the section below`, `two more`, `in all lower case`.
    fn is_harmless(&self, at: usize, word: &str) -> bool {
        let before = at.checked_sub(1).map(|before| self.word(before)).unwrap_or_default();
        let (after, first) = (self.word(at + 1), self.word(0));
        match word {
            "below" | "above" | "instead" => after.is_empty(),
            // A press is repeated by pressing.
            "again" => after.is_empty() && (!self.is_task || matches!(first.as_str(), "log" | "sign")),
            "another" => matches!(before.as_str(), "add" | "create" | "open" | "make" | "insert"),
            "more" => after == "than" || moment::number(&before).is_some(),
            "all" => matches!(after.as_str(), "lower" | "upper" | "capital" | "caps" | "day"),
            "recent" => before == "most",
            // `the 3rd of May`
            _ if word.starts_with(|sign: char| sign.is_ascii_digit()) && after == "of" => {
                moment::is_month(&self.word(at + 2))
            }
            _ => COUNTING.contains(&word) && matches!(first.as_str(), "sort" | "order" | "arrange" | "rank"),
        }
    }

    /// A word that turns what a control is told to do into something else: `from` where it is said, `not`, `by right-clicking`.
    fn astray(&self) -> Option<String> {
        let types = self.goals.iter().any(|goal| matches!(goal, Goal::Enter { .. }));
        let chooses = self.goals.iter().any(|goal| matches!(goal, Goal::Choose { .. }));
        let is_plain = |goal: &Goal| matches!(goal, Goal::Activate(_) | Goal::Enter { .. } | Goal::Choose { .. });
        let is_quoted =
            |goal: &Goal| matches!(goal, Goal::Activate(target) if target.quoted && target.within.is_none());
        let is_before_name = |at: usize| self.words.get(at + 1).is_some_and(|next| next.starts_with(OPEN_MARK));
        let is_astray = |at: &usize| match self.word(*at).as_str() {
            "from" => (types || (chooses && self.words.get(at + 2) == Some(&"to"))) && is_before_name(*at),
            "not" => (types || chooses) && is_before_name(*at),
            // `the button next to ⟦0⟧`, read as the button that is called so.
            "next" => is_before_name(*at + 1) && self.goals.iter().any(is_quoted),
            // `press ⟦0⟧ last`
            "last" | "first" => *at > 1 && at + 1 == self.words.len() && self.goals.iter().all(is_plain),
            // `enter today's date`: what is read from elsewhere.
            "today's" | "current" => types && matches!(self.word(at + 1).as_str(), "date" | "time" | "day"),
            "right-click" | "right-clicking" | "middle-click" => *at > 0,
            _ => false,
        };
        (0..self.words.len()).find(is_astray).map(|at| self.word(at))
    }
}

/// Words by which all of several are meant.
const TAKING_ALL: [&str; 5] = ["all", "both", "every", "each", "everything"];

/// The values of a goal, their fields, and its places.
fn given(goal: &Goal) -> Vec<String> {
    match goal {
        Goal::Task(task) => {
            let values = task.values.iter().flat_map(|given| [given.field.clone(), given.value.clone()]);
            values.chain(task.thing.places.iter().map(|place| place.name.clone())).collect()
        }
        // `select nothing`
        Goal::Choose { values, .. } if !values.contains(' ') => vec![values.clone()],
        _ => Vec::new(),
    }
}

fn is_content_word(word: &str) -> bool {
    is_content(word) && word.chars().count() > 1
}

fn is_content(word: &str) -> bool {
    !word.is_empty() && !is_function_word(word) && kind_of(word).is_none() && !LEADING.contains(&word)
}

/// What a task tells somebody, or calls something: it may hold any word.
fn told_texts(task: &Task) -> Vec<String> {
    let is_told =
        |field: &str| matches!(field, "text" | "description" | "message" | "subject" | "comment" | "title" | "name");
    task.values.iter().filter(|given| is_told(&given.field)).map(|given| given.value.clone()).collect()
}

/// The stems of all words of texts.
fn stems(texts: impl Iterator<Item = String>) -> Vec<String> {
    let words = |text: String| {
        let lower = text.to_lowercase();
        lower.split(|sign: char| !sign.is_alphanumeric()).map(stem).collect::<Vec<_>>()
    };
    texts.flat_map(words).collect()
}

/// The parts of a word without whose it is: `two-factor`, `Ann's`.
fn parts(word: &str) -> Vec<String> {
    let word = bare(word);
    let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("\u{2019}s")).unwrap_or(&word);
    if word.contains('\'') {
        return vec![word.to_owned()];
    }
    word.split(|sign: char| !sign.is_alphanumeric()).map(str::to_owned).collect()
}

fn is_date(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    digits >= 3 && word.contains(['-', ':'])
}

/// Whether a goal says which of several, or how many.
fn is_counted(goal: &Goal) -> bool {
    let of_target = |target: &Target| target.ordinal.is_some() || target.count != Count::One || target.any;
    match goal {
        Goal::Task(task) => task.thing.ordinal.is_some() || task.thing.all,
        // Without a name all that there are can be meant: `check both boxes`.
        Goal::Choose { values, names, target, .. } => (names.is_empty() && !values.contains(' ')) || of_target(target),
        Goal::Activate(target)
        | Goal::Focus(target)
        | Goal::Reveal(target)
        | Goal::Hover(target)
        | Goal::DoubleClick(target)
        | Goal::Enter { target, .. } => of_target(target),
        Goal::Best(_) | Goal::Answer(_) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::ground::understand::explain;

    fn is_refused(sentence: &str) -> bool {
        explain(sentence).iter().any(|goal| goal.operation == "not understood")
    }

    #[test]
    fn a_word_that_changes_what_is_meant_and_came_to_no_goal_ends_the_reading() {
        for sentence in [
            "Click \"Retry\" until it works.",
            "Click the button below \"Ann\".",
            "Click the button next to \"Ann\".",
            "Click the heart next to \"Milk\".",
            "Click \"A\" instead of \"B\".",
            "Choose a colour that is not \"Red\".",
            "Delete the task before \"Eggs\".",
            "Delete \"Eggs\" and the task after it.",
            "Add \"Eggs\" to \"Food\" twice.",
            "Make \"Notes\" public.",
            "Add milk and \"brown bread\" to my list.",
            "Set the price range from 10 to 50.",
            "For every student, set the status to present.",
            "In the third row, click \"Edit\".",
            "Press \"Save\" last; tick \"News\" first.",
            "Choose the second radio button in Delivery.",
            "Put the meeting off until Friday.",
            "Reject the other requests",
            "Tick the first three boxes",
            "Enter today's date in From",
            "Set quantity to 2 for Tea",
            "Add \"Eggs\" to both lists",
        ] {
            assert!(is_refused(sentence), "{sentence}: {:?}", explain(sentence));
        }
        for sentence in [
            "Expand the section below",
            "Add two more chairs to room B",
            "Sort the table by date, newest first",
            "Type \"x\" into both fields",
            "Choose \"Welsh\" from \"Language\".",
            "Change the price of Tea from 10 to 12",
            "In the list \"Food\", remove \"Milk\".",
            "Change the date of \"Trip\" to 2027-06-02",
            "go back to the first tab",
            "Click Sign in",
            "Check both boxes",
            "Untick all boxes",
            "Delete the product Salt and Pepper",
            "Add another row",
            "If there is any banner, close it",
            "If there is a Read more link, click it",
            "Press Delete",
            "Log in again",
            "Click the search icon in the navbar",
            "Add a task Buy more milk",
            "Send a message to Bob saying see you again",
            "Remove all completed tasks",
            "Empty my cart by removing the red chair.",
            "Could you let Carol Ann know that \"the report is ready\"?",
            "Create a new errand named \"Tin box\"",
            "Add a part called \"Old Tom\"",
        ] {
            assert!(!is_refused(sentence), "{sentence}: {:?}", explain(sentence));
        }
    }

    #[test]
    fn a_condition_that_something_is_not_there_is_not_turned_round() {
        for sentence in [
            "If there is no \"Draft\", click \"New\".",
            "Click \"New\" only if there is no \"Draft\".",
            "If there are no orders, add a lamp.",
            "If there are two \"Draft\", delete \"Draft\".",
            "If \"Draft\" isn't shown, click \"New\".",
        ] {
            assert!(is_refused(sentence), "{sentence}: {:?}", explain(sentence));
        }
        assert!(!is_refused("If there is a \"Draft\", click \"New\"."));
    }
}
