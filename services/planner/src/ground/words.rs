//! Comparing what an instruction says with what a page shows, word by word. Pure; knows neither pages nor plans.

use super::names::{Likeness, contradict, likeness};
use super::understand::kinds::kind_of;
use domain::destructive;
use domain::text::composed;
use rust_stemmers::{Algorithm, Stemmer};

/// Words of an instruction that say nothing about an element.
const FUNCTION_WORDS: [&str; 44] = [
    "a", "an", "the", "this", "that", "these", "those", "on", "onto", "in", "into", "to", "of", "for", "with", "by",
    "from", "at", "as", "and", "or", "then", "it", "its", "is", "are", "be", "was", "them", "their", "your", "my",
    "me", "you", "please", "all", "any", "which", "who", "whose", "will", "can", "there", "using",
];

/// White space folded to single spaces, ends trimmed.
pub(crate) fn fold(text: &str) -> String {
    composed(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words and numbers of a text in lower case; camelCase, kebab-case and snake_case names fall into their parts.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before_lower = false;
    for letter in composed(text).chars() {
        let starts_new = !letter.is_alphanumeric() || (letter.is_uppercase() && before_lower);
        if starts_new && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        before_lower = letter.is_lowercase();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// A name in plain words whose last one is in the plural, in the singular: `work gloves`.
pub(crate) fn singular(name: &str) -> Option<String> {
    let last =
        name.rsplit(' ').next().filter(|last| last.chars().count() > 3 && last.chars().all(char::is_lowercase))?;
    const PLURAL_ONLY: [&str; 10] =
        ["news", "jeans", "glasses", "scissors", "trousers", "series", "species", "goods", "means", "headquarters"];
    if PLURAL_ONLY.contains(&last) {
        return None;
    }
    let stem = match last {
        // `batteries`, and not `movies`
        last if last.ends_with("ies") && last.len() > 7 => format!("{}y", last.strip_suffix("ies")?),
        last if ["ches", "shes", "sses", "xes"].iter().any(|end| last.ends_with(end)) => {
            last.strip_suffix("es")?.to_owned()
        }
        last if ["ss", "us", "is"].iter().any(|end| last.ends_with(end)) => return None,
        last => last.strip_suffix('s')?.to_owned(),
    };
    Some(format!("{}{stem}", name.strip_suffix(last)?))
}

/// Whether a label begins with the words of a name. A sign, which has none, begins nothing.
pub(crate) fn begins_with_words(label: &str, name: &str) -> bool {
    let name = tokens(name);
    !name.is_empty() && tokens(label).starts_with(&name)
}

/// The tokens of a text without function words; all tokens where nothing else is left.
pub(crate) fn content_tokens(text: &str) -> Vec<String> {
    let all = tokens(text);
    let content: Vec<String> = all.iter().filter(|word| !is_function_word(word)).cloned().collect();
    if content.is_empty() { all } else { content }
}

/// Whether a lower-case word only holds a sentence together.
pub(crate) fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.contains(&word)
}

/// The English stem of a lower-case word.
pub(crate) fn stem(word: &str) -> String {
    Stemmer::create(Algorithm::English).stem(word).into_owned()
}

/// Whether two lower-case words are forms of one word: equal stems, or a common beginning of at least five letters that
/// makes up most of the shorter one (director, directed).
pub(crate) fn same_word(left: &str, right: &str) -> bool {
    if left == right || stem(left) == stem(right) {
        return true;
    }
    let common = left.chars().zip(right.chars()).take_while(|(a, b)| a == b).count();
    common >= 5 && common * 4 >= left.len().min(right.len()) * 3
}

/// Whether lower-case words say a word that an instruction has. A name or a number stands as it is: another form of `Samir` is somebody
/// else.
pub(crate) fn says(words: &[String], word: &str, instruction: &str) -> bool {
    words.iter().any(|other| other == word)
        || (words.iter().any(|other| same_word(word, other)) && !is_name(word, instruction))
}

/// Whether a lower-case word stands in a text as a name or a number: with a capital, or with a digit.
fn is_name(word: &str, text: &str) -> bool {
    let begins_name = |piece: &&str| {
        piece.chars().find(|sign| sign.is_alphanumeric()).is_some_and(|sign| sign.is_uppercase())
            || piece.chars().any(|sign| sign.is_ascii_digit())
    };
    // Written with a capital, a word for a kind of things is one all the same: `Product Reviews`.
    kind_of(word).is_none()
        && text.split_whitespace().filter(begins_name).any(|piece| tokens(piece).iter().any(|said| said == word))
}

/// How well a label fits a wanted text, in 0..=1.
///
/// Text that a person put in quotes is a name (`exact`): a label either is that name or does not fit at all. Other text fits
/// by its words as well, unless a number, a negation or an opposite tells that something else is meant.
pub(crate) fn label_score(wanted: &str, label: &str, exact: bool) -> f64 {
    match likeness(wanted, label) {
        Some(likeness) if exact => likeness.score(),
        Some(Likeness::Exact) => 1.0,
        Some(Likeness::OtherCase) => 0.97,
        Some(Likeness::Decorated) => 0.96,
        Some(Likeness::OtherCaseDecorated) => 0.95,
        None if exact || contradict(wanted, label) => 0.0,
        None => phrase_score(wanted, &tokens(label)),
    }
}

/// How well a sequence of words stands within another: at its start best, shorter labels better.
fn phrase_score(text: &str, label: &[String]) -> f64 {
    let wanted = &tokens(text)[..];
    if wanted.is_empty() || label.is_empty() {
        return 0.0;
    }
    let coverage = wanted.len() as f64 / label.len() as f64;
    if label.starts_with(wanted) {
        return 0.78 + 0.14 * coverage;
    }
    if label.windows(wanted.len()).any(|window| window == wanted) {
        return 0.58 + 0.2 * coverage;
    }
    let shared = wanted.iter().filter(|word| says(label, word, text)).count() as f64;
    let (of_wanted, of_label) = (shared / wanted.len() as f64, shared / label.len() as f64);
    0.7 * of_wanted * (0.5 + 0.5 * of_label)
}

/// Whether a text names a way to get rid of, pay for or send something: never tried without being asked for. Beside what cannot be
/// undone, this is whatever commits its user.
pub(crate) fn is_consequential(label: &str) -> bool {
    const WORDS: [&str; 15] = [
        "submit",
        "delete",
        "remove",
        "buy",
        "pay",
        "order",
        "checkout",
        "cancel",
        "reset",
        "clear",
        "report",
        "book",
        "send",
        "purchase",
        "unsubscribe",
    ];
    let is_named = |word: &String| WORDS.contains(&word.as_str()) || WORDS.iter().any(|other| is_form_of(word, other));
    destructive::command(label).is_some() || tokens(label).iter().any(is_named)
}

/// Whether a word is another form of a verb: `deleted`, `cancelling`. A plural such as `orders` is not: it names a list.
fn is_form_of(word: &str, verb: &str) -> bool {
    ["ed", "es", "ing"].iter().any(|ending| word.ends_with(ending)) && stem(word) == stem(verb)
}

/// Whether a word names an entry of a list or a table.
pub(crate) fn is_entry_word(word: &str) -> bool {
    matches!(word, "row" | "line" | "entry" | "card" | "tile" | "record")
}

/// Words for what a page has only one of.
pub(crate) fn is_general(word: &str) -> bool {
    matches!(
        word,
        "form"
            | "page"
            | "changes"
            | "change"
            | "settings"
            | "data"
            | "input"
            | "dialog"
            | "answer"
            | "answers"
            | "entries"
            | "button"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_consequential_in_every_form_of_its_verb_and_a_list_is_not() {
        for label in ["Delete", "All prices will be deleted", "removing", "Cancelled", "submitted", "deletes"] {
            assert!(is_consequential(label), "{label}");
        }
        for label in ["My orders", "Reports", "Books", "Show more"] {
            assert!(!is_consequential(label), "{label}");
        }
    }

    #[test]
    fn names_of_programmers_fall_into_words() {
        assert_eq!(
            tokens("openMenu email-forward user_name H2O"),
            ["open", "menu", "email", "forward", "user", "name", "h2o"]
        );
    }

    #[test]
    fn quoted_text_is_meant_letter_for_letter() {
        assert!(label_score("Eget", "Eget", true) > 0.99);
        assert!(label_score("Eget", "eget", true) < 0.8);
        assert!(label_score("submit", "Submit", false) > 0.9);
    }

    #[test]
    fn a_label_that_starts_with_the_wanted_words_fits_better_than_one_that_holds_them() {
        assert!(label_score("Block", "Block @leo", false) > label_score("Block", "Please block it", false));
        assert_eq!(label_score("Block", "Block @leo", true), 0.0);
    }

    #[test]
    fn forms_of_one_word_are_recognised() {
        assert!(same_word("directed", "director"));
        assert!(same_word("messages", "message"));
        assert!(!same_word("genre", "general"));
    }

    #[test]
    fn a_name_has_one_form() {
        let said = |word: &str, text: &str, shown: &str| says(&tokens(shown), word, text);
        assert!(said("message", "the message", "Messages") && said("samir", "of Samir Haddad", "Samir Haddad"));
        assert!(!said("samir", "of Samir Haddad", "Samira Haddad") && !said("lindt", "Mara Lindt's", "Mara Lindtner"));
        assert!(label_score("Wanda Sikora", "Wanda Sikorski", false) < 0.4);
    }
}
