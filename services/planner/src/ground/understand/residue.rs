//! Words of a clause that came to none of its goals. A word that says which one, where, how often, or with what exception, and that no goal
//! knows of, changes what is meant: such a clause was not understood.

use super::outline;
use super::phrase::kind_of;
use super::moment;
use super::verbs::bare;
use crate::ground::target::kind_named;
use crate::ground::clause::{OPEN_MARK, Quoted};
use crate::ground::goal::{Count, Goal, Target};
use crate::ground::words::{is_function_word, stem, tokens};

/// Words that change what is meant wherever they stand.
const DECIDING: &[&str] = &[
    "after", "before", "following", "preceding", "above", "below", "beneath", "underneath", "beside", "behind", "until", "till", "unless", "twice", "thrice", "times", 
    "neither", "nor", "except", "without", "besides", "instead", "again", "same", "another", "more", "fewer", "less", "half",
    "double", "back", "away", "everybody", "everyone", "anything", "nothing", "none", "rest", "other", "others",
    "remaining", "opposite", "reverse", "middle", "penultimate",
];
/// Words that say which of several.
const COUNTING: &[&str] = &[
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "last", "cheapest", "newest", "oldest",
    "latest", "recent", "highest", "lowest", "largest", "smallest", "all", "both", "every", "each", "everything", "top", "bottom",
];
/// Words that say nothing of their own: they lead to a name, or are a part of a verb.
const LEADING: &[&str] = &[
    "called", "named", "titled", "title", "name", "saying", "says", "say", "that", "about", "new", "username", "user", "off", "out", "up",
    "over", "down", "rid", "not", "don't", "only", "her", "his", "him", "she", "he", "number", "found", "says", "reading", "reads", "kind",
    "kinds", "type", "value", "one", "now", "here", "there", "through", "via", "too", "also", "right", "quickly", "today", "worth", "set",
    "marked", "sure", "away", "else", "paid", "so", "where", "box", "boxes", "checkbox", "slider", "switch", "field", "form", "table", "text",
    "line", "password", "filter", "body", "copy", "address", "drop", "accordion", "window", "problem", "next", "most", "well", "just", "end", "using", "labelled",
];

/// The first word of a clause that its goals do not speak of, though it decides what is meant.
pub(super) fn left_over(clause: &str, goals: &[Goal]) -> Option<String> {
    let said = told(goals);
    let is_dated = goals.iter().flat_map(outline::texts).any(|text| text.split_whitespace().any(is_date));
    let counts = goals.iter().any(is_counted);
    let is_task = goals.iter().any(|goal| matches!(goal, Goal::Task(_)));
    let words: Vec<&str> = clause.split_whitespace().collect();
    if let Some(word) = astray(&words, goals) {
        return Some(word);
    }
    (0..words.len()).filter(|at| !words[*at].contains([OPEN_MARK, '$'])).find_map(|at| {
        let is_name = |next: &&str| next.starts_with(|sign: char| sign == OPEN_MARK || sign.is_uppercase() || sign.is_ascii_digit());
        let leads_to_name = words.get(at + 1).is_some_and(is_name);
        let is_range = words.contains(&"range");
        let is_old = at > 0 && words[at - 1] == "from" && words.get(at + 1) == Some(&"to") && !is_range;
        let is_known = |word: &str| {
            let is_number = || moment::number(word).is_some_and(|number| said.contains(&number.to_string()));
            let is_moment =
                || is_dated && (word.contains(|sign: char| sign.is_ascii_digit()) || moment::is_day(word) || moment::is_month(word));
            said.contains(&stem(word)) || is_number() || is_moment()
        };
        let is_part_of_name = !is_task && at > 0 && is_of_a_name(at, &words);
        parts(words[at]).into_iter().find(|word| {
            let decides = DECIDING.contains(&word.as_str()) && !is_harmless(word, at, &words);
            let is_counting = COUNTING.contains(&word.as_str()) || moment::ordinal(word).is_some();
            let is_content = is_task
                && at > 0
                && !is_function_word(word)
                && word.chars().count() > 1
                && !LEADING.contains(&word.as_str())
                && kind_of(word).is_none()
                && !leads_to_name
                && !is_old
                && !DECIDING.contains(&word.as_str());
            let is_last_place = !is_task && at + 1 == words.len() && at > 2 && is_behind_place(at, &words) && !is_function_word(word) && kind_of(word).is_none() && kind_named(word).is_none() && !PARTS.contains(&word.as_str());
            let counts_nothing = is_counting && !counts && !is_harmless(word, at, &words);
            let is_of_name = is_part_of_name && !is_function_word(word) && kind_of(word).is_none() && !LEADING.contains(&word.as_str());
            (decides || counts_nothing || (is_content && !is_counting) || is_of_name || is_last_place) && !is_known(word)
        })
    })
}

/// Whether a clause that came to no goal says where or for whom the goals of its sentence are, and none of them knows of it.
pub(super) fn is_lost_place(quoted: &Quoted, clause: &str, goals: &[Goal]) -> bool {
    const LEADS: [&str; 9] = ["for", "in", "on", "under", "from", "within", "at", "as", "inside"];
    let words: Vec<&str> = clause.split_whitespace().collect();
    let leads = words.first().is_some_and(|first| LEADS.contains(&bare(first).as_str()));
    if !leads || goals.is_empty() {
        return false;
    }
    let said = told(goals);
    let names = |word: &str| -> Vec<String> { quoted.part(word).map_or_else(|| parts(word), |part| tokens(part)) };
    let content = |word: &String| !is_function_word(word) && kind_of(word).is_none() && !LEADING.contains(&word.as_str());
    words.iter().skip(1).flat_map(|word| names(word)).filter(content).any(|word| !said.contains(&stem(&word)))
}

/// The stems of all words that goals speak of.
fn told(goals: &[Goal]) -> Vec<String> {
    let texts = goals.iter().flat_map(outline::texts).map(|text| text.to_lowercase());
    texts.flat_map(|text| text.split(|sign: char| !sign.is_alphanumeric()).map(stem).collect::<Vec<_>>()).collect()
}

/// The parts of a word without whose it is: `two-factor`, `Ann's`.
fn parts(word: &str) -> Vec<String> {
    let word = bare(word);
    let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("\u{2019}s")).unwrap_or(&word).to_owned();
    if word.contains('\'') {
        return vec![word];
    }
    word.split(|sign: char| !sign.is_alphanumeric()).map(str::to_owned).collect()
}

/// A word that turns what a control is told to do into something else: `from` where it is said, `not`, `by right-clicking`.
fn astray(words: &[&str], goals: &[Goal]) -> Option<String> {
    let types = goals.iter().any(|goal| matches!(goal, Goal::Enter { .. }));
    let chooses = goals.iter().any(|goal| matches!(goal, Goal::Choose { .. }));
    let types_nothing_else = goals.iter().all(|goal| matches!(goal, Goal::Activate(_) | Goal::Enter { .. } | Goal::Choose { .. }));
    let is_span = |at: usize| words.get(at + 2) == Some(&"to");
    let is_before_name = |at: usize| words.get(at + 1).is_some_and(|next| next.starts_with(OPEN_MARK));
    let is_astray = |at: &usize| match bare(words[*at]).as_str() {
        "from" => (types || (chooses && is_span(*at))) && is_before_name(*at),
        "not" => (types || chooses) && is_before_name(*at),
        // `the button next to ⟦0⟧`, read as the button that is called so.
        "next" => is_before_name(*at + 1) && goals.iter().any(|goal| matches!(goal, Goal::Activate(target) if target.quoted && target.within.is_none())),
        // `press ⟦0⟧ last`
        "last" | "first" => types_nothing_else && *at > 1 && at + 1 == words.len(),
        "right-click" | "right-clicking" | "middle-click" => *at > 0,
        _ => false,
    };
    (0..words.len()).find(is_astray).map(|at| bare(words[at]))
}

/// Whether a word is what is wanted of something that is named in quotes: `the heart next to ⟦0⟧`, `the price of ⟦0⟧`.
fn is_of_a_name(at: usize, words: &[&str]) -> bool {
    let rest = words.get(at + 1..).unwrap_or_default();
    let rest = match rest {
        ["next", "to", rest @ ..] | ["in", "front", "of", rest @ ..] | ["of" | "near" | "by" | "beside", rest @ ..] => rest,
        _ => return false,
    };
    let rest = if matches!(rest.first(), Some(&("the" | "a"))) { &rest[1..] } else { rest };
    rest.first().is_some_and(|name| name.starts_with(OPEN_MARK))
}

/// Parts of a page that hold whatever is on it.
const PARTS: [&str; 24] = [
    "page", "screen", "list", "form", "dialog", "table", "menu", "grid", "calendar", "site", "window", "popup", "modal", "top", "bottom",
    "picture", "image", "editor", "area", "toolbar", "results", "tree", "row", "view",
];

/// Whether the last word of a clause says where or of what: `the link in the footer`, `the picture of the dog`.
fn is_behind_place(at: usize, words: &[&str]) -> bool {
    match words[..at] {
        [.., "in" | "of", "the"] | [.., "in"] => true,
        _ => false,
    }
}

/// Whether a word that decides elsewhere does not where it stands: `the section below`, `go back`, `two more`, `in all lower case`.
fn is_harmless(word: &str, at: usize, words: &[&str]) -> bool {
    let before = at.checked_sub(1).map(|before| bare(words[before])).unwrap_or_default();
    let after = words.get(at + 1).map(|word| bare(word));
    let first = words.first().map(|word| bare(word)).unwrap_or_default();
    match word {
        "below" | "above" | "again" | "instead" => after.is_none(),
        "back" => matches!(first.as_str(), "go" | "come" | "navigate" | "get" | "return" | "head" | "switch"),
        "more" => after.as_deref() == Some("than") || moment::number(&before).is_some(),
        "all" => matches!(after.as_deref(), Some("lower" | "upper" | "capital" | "caps" | "day")),
        "newest" | "oldest" | "latest" | "highest" | "lowest" | "first" | "last" | "cheapest" | "largest" | "smallest" => {
            matches!(first.as_str(), "sort" | "order" | "arrange" | "rank")
        }
        "recent" => before == "most",
        _ => false,
    }
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
        Goal::Activate(target)
        | Goal::Focus(target)
        | Goal::Reveal(target)
        | Goal::Hover(target)
        | Goal::DoubleClick(target)
        | Goal::Enter { target, .. }
        | Goal::Choose { target, .. } => of_target(target),
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
