//! When a text on the page is the name that an instruction gives, letter for letter, and when two texts cannot mean the same. Pure.

use super::lexicon::{MONTHS, WEEKDAYS};
use super::understand::moment::is_same_in_date;
use super::words::tokens;
use domain::text::{composed, is_invisible};

/// How literally a label is a name, the most literal first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Likeness {
    /// Letter for letter.
    Exact,
    /// Letter for letter, but for marks around it: `Name *`, `Inbox (3)`, `More…`.
    Decorated,
    /// Another letter case.
    OtherCase,
    /// Another letter case and marks around it.
    OtherCaseDecorated,
}

impl Likeness {
    /// The fit of such a label, in 0..=1. Another letter case counts less than what may still be hidden.
    pub(crate) fn score(self) -> f64 {
        match self {
            Likeness::Exact => 1.0,
            Likeness::Decorated => 0.97,
            Likeness::OtherCase => 0.79,
            Likeness::OtherCaseDecorated => 0.78,
        }
    }
}

/// How a label is the name; `None` where it is another one.
pub(crate) fn likeness(name: &str, label: &str) -> Option<Likeness> {
    let (name, label) = (legible(name), legible(label));
    if name.is_empty() || label.is_empty() {
        return None;
    }
    if name == label {
        return Some(Likeness::Exact);
    }
    // A count that the name itself holds tells it from others: `Room (2)` is not `Room (3)`.
    let counts = without_count(&name) != name;
    let (bare_name, bare_label) = (undecorated(&name, !counts), undecorated(&label, !counts));
    if bare_name == bare_label {
        return Some(Likeness::Decorated);
    }
    if name.to_lowercase() == label.to_lowercase() {
        return Some(Likeness::OtherCase);
    }
    (bare_name.to_lowercase() == bare_label.to_lowercase()).then_some(Likeness::OtherCaseDecorated)
}

/// Whether a label is the name, in whatever letter case.
pub(crate) fn same(name: &str, label: &str) -> bool {
    likeness(name, label).is_some()
}

/// A text as it is read: white space folded, characters that nobody sees left out, typographic quotes and dashes made plain.
pub(crate) fn legible(text: &str) -> String {
    let seen: String = composed(text)
        .chars()
        .filter(|letter| !is_invisible(*letter))
        .map(|letter| match letter {
            '\u{2018}' | '\u{2019}' => '\'',
            '\u{201C}' | '\u{201D}' => '"',
            '\u{2010}' | '\u{2011}' => '-',
            other => other,
        })
        .collect();
    seen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A legible text without what decorates it: a star, colon or ellipsis at its end, pictographs and arrows around it, a count in
/// brackets. A text that consists of nothing else is left as it is.
fn undecorated(text: &str, counts: bool) -> &str {
    let mut rest = text;
    loop {
        let before = rest;
        rest = rest.trim_end_matches("...").trim_end_matches(['*', ':', '\u{2026}']);
        rest = rest.trim_matches(|letter: char| letter == ' ' || letter == '*' || is_pictograph(letter));
        if counts {
            rest = without_count(rest);
        }
        if rest == before {
            break;
        }
    }
    if rest.is_empty() { text } else { rest }
}

fn without_count(text: &str) -> &str {
    let Some(open) = text.rfind(['(', '[']).filter(|open| *open > 0) else { return text };
    let Some(inner) = text[open + 1..].strip_suffix([')', ']']) else { return text };
    let is_count = inner.starts_with(|letter: char| letter.is_ascii_digit())
        && inner.chars().all(|letter| letter.is_ascii_digit() || matches!(letter, ',' | '.' | '+'));
    if is_count { text[..open].trim_end() } else { text }
}

/// Private-use glyphs of icon fonts, arrows, geometric shapes, dingbats, emoji, angle quotes.
fn is_pictograph(letter: char) -> bool {
    matches!(letter,
        '\u{E000}'..='\u{F8FF}' | '\u{2190}'..='\u{21FF}' | '\u{2300}'..='\u{23FF}' | '\u{25A0}'..='\u{27BF}'
        | '\u{2B00}'..='\u{2BFF}' | '\u{1F000}'..='\u{1FAFF}' | '\u{F0000}'..='\u{10FFFD}' | '\u{2039}' | '\u{203A}' | '\u{AB}'
        | '\u{BB}' | '\u{2022}' | '\u{B7}')
}

/// Whether a text of one piece is that of a thing with this name: the name, and beside it nothing but numbers, amounts and signs, or
/// something behind a comma or a bar. Words in front of it count for nothing where the name is a number.
pub(crate) fn holds_name(text: &str, wanted: &str) -> bool {
    const CURRENCIES: [&str; 8] = ["eur", "usd", "gbp", "chf", "sek", "kr", "pcs", "x"];
    let (text, wanted) = (legible(text).to_lowercase(), legible(wanted).to_lowercase());
    if !holds_words(&text, &wanted) {
        return false;
    }
    let says_nothing = |rest: &str| {
        let words =
            rest.split(|sign: char| !sign.is_alphanumeric()).filter(|word| word.chars().any(char::is_alphabetic));
        words.into_iter().all(|word| CURRENCIES.contains(&word))
    };
    let is_number = wanted.chars().any(|sign| sign.is_ascii_digit());
    // `backup-2023` is another name than `backup`.
    const JOINING: [char; 6] = ['-', '_', '.', '/', '@', '+'];
    fn joins(mut signs: impl Iterator<Item = char>) -> bool {
        signs.next().is_some_and(|sign| JOINING.contains(&sign)) && signs.next().is_some_and(char::is_alphanumeric)
    }
    let is_part_of_longer =
        |at: usize, found: &str| joins(text[at + found.len()..].chars()) || joins(text[..at].chars().rev());
    text.match_indices(&wanted).filter(|(at, found)| !is_part_of_longer(*at, found)).any(|(at, found)| {
        let (before, after) = (text[..at].trim(), text[at + found.len()..].trim());
        // `Lesson 2: Soil` is lesson 2; behind the colon of other names a title goes on.
        let is_headed = wanted.ends_with(|sign: char| sign.is_ascii_digit()) && after.starts_with(':');
        let is_apart = is_headed || after.starts_with([',', ';', '|', '\u{b7}', '\u{2022}']);
        let leads = |rest: &str| is_number && !rest.chars().any(|sign| sign.is_ascii_digit());
        (says_nothing(before) || leads(before) || before.ends_with([',', ';', ':', '|', '\u{b7}', '\u{2022}']))
            && (is_apart || says_nothing(after))
    })
}

/// Whether a text is a name with a number behind it and nothing else: `Backup 2` is another thing than `Backup`.
pub(crate) fn is_counted_on(text: &str, name: &str) -> bool {
    let (text, name) = (legible(text).to_lowercase(), legible(name).to_lowercase());
    let rest = text.strip_prefix(&name).and_then(|rest| rest.strip_prefix(' '));
    rest.is_some_and(|rest| !rest.is_empty() && rest.chars().all(|sign| sign.is_ascii_digit()))
}

/// Whether a text goes on behind somebody's name as a longer one does: `Ann Lind Berg` is not `Ann Lind`.
pub(crate) fn is_longer_name(text: &str, name: &str) -> bool {
    let (text, name) = (legible(text), legible(name));
    let is_proper =
        |word: &str| word.starts_with(char::is_uppercase) && word.chars().all(|sign| !sign.is_ascii_digit());
    let is_name = name.split(' ').count() > 1 && name.split(' ').all(is_proper);
    let Some((_, rest)) = text.split_once(&name).filter(|_| is_name) else { return false };
    let behind: Vec<&str> = rest.strip_prefix(' ').map(|rest| rest.split(' ').collect()).unwrap_or_default();
    behind.first().is_some_and(|next| is_proper(next)) && !behind.get(1).is_some_and(|next| is_proper(next))
}

/// Whether a text holds a word only as a part of a longer name: `Ann` in `Ann-Marie`.
pub(crate) fn holds_joined(text: &str, word: &str) -> bool {
    tokens(text).contains(&word.to_lowercase()) && !holds_words(text, word)
}

/// Whether a text holds another as whole words, in whatever letter case.
pub(crate) fn holds_words(text: &str, wanted: &str) -> bool {
    let (text, wanted) = (legible(text).to_lowercase(), legible(wanted).to_lowercase());
    if wanted.is_empty() {
        return false;
    }
    let is_word = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    let begins_word = is_word(wanted.chars().next());
    let ends_word = is_word(wanted.chars().next_back());
    text.match_indices(&wanted).any(|(at, found)| {
        let before = text[..at].chars().next_back();
        let mut after = text[at + found.len()..].chars();
        let next = after.next();
        // `10` is not in `10.5` nor in `1,043`.
        let splits_number = |mark: Option<char>, beyond: Option<char>| {
            matches!(mark, Some('.' | ',' | '-' | '/')) && beyond.is_some_and(|digit| digit.is_ascii_digit())
        };
        let ends_digit = wanted.ends_with(|letter: char| letter.is_ascii_digit());
        let begins_digit = wanted.starts_with(|letter: char| letter.is_ascii_digit());
        let second_before = text[..at].chars().rev().nth(1);
        // `Lind` is not in `Lind-Berg`.
        let is_joined = |mark: Option<char>, beyond: Option<char>| {
            matches!(mark, Some('-' | '\u{2010}' | '\u{2011}')) && beyond.is_some_and(char::is_alphabetic)
        };
        let third = text[at + found.len()..].chars().nth(1);
        !(begins_word && (is_word(before) || !begins_digit && is_joined(before, second_before))
            || ends_word && (is_word(next) || !ends_digit && is_joined(next, third))
            || ends_digit && splits_number(next, after.next()))
            && !(begins_digit && splits_number(before, second_before))
    })
}

/// Words that mean the opposite of each other.
const OPPOSITES: [(&str, &str); 47] = [
    ("on", "off"),
    ("enable", "disable"),
    ("enabled", "disabled"),
    ("add", "remove"),
    ("add", "delete"),
    ("accept", "decline"),
    ("accept", "reject"),
    ("approve", "reject"),
    ("approve", "decline"),
    ("allow", "deny"),
    ("allow", "block"),
    ("first", "last"),
    ("before", "after"),
    ("include", "exclude"),
    ("open", "close"),
    ("show", "hide"),
    ("start", "stop"),
    ("start", "end"),
    ("begin", "end"),
    ("next", "previous"),
    ("next", "back"),
    ("yes", "no"),
    ("up", "down"),
    ("left", "right"),
    ("in", "out"),
    ("increase", "decrease"),
    ("more", "less"),
    ("more", "fewer"),
    ("all", "none"),
    ("public", "private"),
    ("login", "logout"),
    ("signin", "signout"),
    ("import", "export"),
    ("upload", "download"),
    ("expand", "collapse"),
    ("mute", "unmute"),
    ("pause", "resume"),
    ("archive", "restore"),
    ("grant", "revoke"),
    ("save", "discard"),
    ("keep", "delete"),
    ("keep", "discard"),
    ("from", "to"),
    ("min", "max"),
    ("minimum", "maximum"),
    ("oldest", "newest"),
    ("confirm", "cancel"),
];

/// Words that turn the meaning of a text round.
const NEGATIONS: [&str; 9] = ["not", "no", "never", "without", "don", "dont", "except", "non", "cannot"];

/// Words that say of how many something is done.
const AMOUNTS: [&str; 16] = [
    "all",
    "every",
    "everything",
    "everyone",
    "both",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "twelve",
    "dozen",
];

/// Whether two texts cannot mean the same, however alike they are: they differ in a number, a date, a negation, or in two words
/// that are opposites.
pub(crate) fn contradict(wanted: &str, label: &str) -> bool {
    let said = legible(label);
    let (wanted, label) = (tokens(&legible(wanted)), tokens(&said));
    let lacks = |words: &[String], word: &str| !words.iter().any(|other| other == word);
    let numbers = |words: &[String]| -> Vec<String> {
        words.iter().filter(|word| word.chars().any(|letter| letter.is_ascii_digit())).cloned().collect()
    };
    let (wanted_numbers, label_numbers) = (numbers(&wanted), numbers(&label));
    if wanted_numbers.iter().any(|number| lacks(&label_numbers, number)) {
        return true;
    }
    // "Delete" is less than "Delete all", and an order is not an order for ten.
    if label.iter().any(|word| AMOUNTS.contains(&word.as_str()) && lacks(&wanted, word)) {
        return true;
    }
    let names_date = |words: &[String]| words.iter().any(|word| names_day_or_month(word));
    let is_said = |word: &String| label.iter().any(|other| other == word || is_same_in_date(word, other));
    if names_date(&label) && wanted.iter().any(|word| names_day_or_month(word) && !is_said(word)) {
        return true;
    }
    let negated = |words: &[String]| words.iter().any(|word| NEGATIONS.contains(&word.as_str()));
    // `Not public` holds all of `public`.
    let is_held = || {
        let mut pieces = said.split([',', '.', ';', ':', '(']).map(tokens);
        pieces.any(|piece| negated(&piece) && wanted.iter().all(|word| piece.contains(word)))
    };
    if negated(&wanted) != negated(&label) && label.len() > 1 && (wanted.len() > 1 || is_held()) {
        return true;
    }
    turned(&wanted, &label)
}

/// Whether a label begins with the opposite of what is to be done: `Open water` where it is to be closed, `Check in` for `check out`.
pub(crate) fn opposes(deed: &str, label: &str) -> bool {
    let (deed, label) = (tokens(&legible(deed)), tokens(&legible(label)));
    match (deed.as_slice(), label.as_slice()) {
        ([verb, particle], [other, with, ..]) if verb == other => are_opposites(particle, with),
        ([verb, ..], [other, ..]) => are_opposites(verb, other),
        _ => false,
    }
}

/// Whether a word that only one text has is the opposite of a word that only the other has.
fn turned(left: &[String], right: &[String]) -> bool {
    let opposite = |word: &String| right.iter().any(|other| !left.contains(other) && are_opposites(word, other));
    left.iter().any(|word| !right.contains(word) && opposite(word))
}

fn names_day_or_month(word: &str) -> bool {
    MONTHS.iter().chain(&WEEKDAYS).any(|name| *name == word)
}

fn are_opposites(left: &str, right: &str) -> bool {
    let paired =
        OPPOSITES.iter().any(|(one, other)| (*one == left && *other == right) || (*one == right && *other == left));
    let prefixed = |plain: &str, turned: &str| {
        ["un", "dis", "de", "in", "im", "ir", "non"]
            .iter()
            .any(|prefix| plain.len() >= 3 && turned.strip_prefix(prefix).is_some_and(|rest| rest == plain))
    };
    paired || prefixed(left, right) || prefixed(right, left)
}

/// The words that several labels begin with, each with more behind them: the question of `To work? Never` and `To work? Often`. Empty where they
/// have none.
pub(crate) fn common_lead<'a>(mut labels: impl Iterator<Item = &'a str>) -> &'a str {
    let Some(first) = labels.next() else { return "" };
    let mut several = false;
    let end = labels.fold(first.len(), |end, label| {
        several = true;
        first.bytes().zip(label.bytes()).take(end).take_while(|(one, other)| one == other).count()
    });
    let end = first.as_bytes()[..end].iter().rposition(|byte| *byte == b' ').map_or(0, |at| at + 1);
    if several { first.get(..end).unwrap_or_default() } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_matched_letter_for_letter() {
        for (name, label, expected) in [
            ("Ship parcel", "Ship parcel", Some(Likeness::Exact)),
            ("Ship parcel", "Ship\u{A0} par\u{AD}cel\u{200B}", Some(Likeness::Exact)),
            ("Ship parcel", "Ship parcel *", Some(Likeness::Decorated)),
            ("Ship parcel", "\u{2709} Ship parcel\u{2026}", Some(Likeness::Decorated)),
            ("Parcels", "Parcels (12)", Some(Likeness::Decorated)),
            ("Ship parcel", "SHIP PARCEL", Some(Likeness::OtherCase)),
            ("Ship", "Ship all", None),
            ("Ship all", "Ship", None),
            ("Parcel 17", "Parcel 71", None),
            ("Room (2)", "Room (3)", None),
            ("Room (2)", "Room", None),
            ("+", "+", Some(Likeness::Exact)),
            ("\u{00D7}", "+", None),
        ] {
            assert_eq!(likeness(name, label), expected, "{name:?} and {label:?}");
        }
    }

    #[test]
    fn a_text_holds_a_name_as_whole_words_only() {
        assert!(holds_words("Parcel 17, to Oslo", "parcel 17"));
        assert!(!holds_words("Parcel 170", "Parcel 17"));
        assert!(!holds_words("Johanna Lind", "Anna Lind"));
        assert!(!holds_words("Total 1,043", "043"));
        assert!(!holds_words("Size 10.5", "Size 10"));
    }

    #[test]
    fn numbers_dates_negations_and_opposites_never_match_each_other() {
        for (wanted, label) in [
            ("parcel 17", "parcel 71"),
            ("address line 2", "address line 1"),
            ("lights on", "lights off"),
            ("enable sync", "disable sync"),
            ("subscribe to news", "unsubscribe to news"),
            ("send me news", "do not send me news"),
            ("report of March", "report of April"),
            ("add guests", "remove guests"),
            ("first page", "last page"),
            ("public", "not public"),
        ] {
            assert!(contradict(wanted, label), "{wanted:?} and {label:?}");
        }
        assert!(!contradict("parcel 17", "show parcel 17"));
        assert!(!contradict("log in", "log in to the shop"));
    }

    #[test]
    fn labels_of_one_question_begin_alike() {
        assert_eq!(common_lead(["To work? Never", "To work? Often"].into_iter()), "To work? ");
        assert_eq!(common_lead(["Never", "Neverland"].into_iter()), "");
        assert_eq!(common_lead(["To work? Never"].into_iter()), "");
        assert_eq!(common_lead(["Über Nacht", "Über Tag"].into_iter()), "Über ");
    }
}
