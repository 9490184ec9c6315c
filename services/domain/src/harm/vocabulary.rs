//! Words for what changes something without destroying it, in the languages of [`crate::destructive`]: creating, saving, deciding,
//! posting, settings, administration. Whoever uses them decides what follows.

mod addressed;
mod deeds;
mod places;
mod secrets;
mod shown;

pub(super) use addressed::{agrees, answers, is_done_to_record, is_done_to_value, is_joined_command};
use deeds::{APPLYING, CREATING_UNSPACED, NEW, POSTING, POSTING_UNSPACED, REPLACING, UPDATING_UNSPACED};
pub(super) use deeds::{COLLECTIONS, CREATING, DECIDING, NOUNS, UPDATING};
pub(super) use places::{ADMINISTERED, ADMINISTERED_PATHS};
use places::{HANDING_IN, HANDING_IN_UNSPACED, OPERATING, SETTINGS, SETTINGS_PAIRS, SETTINGS_UNSPACED, TEXTS};
use secrets::grants_access;
pub(super) use secrets::renews_secret;
pub(super) use shown::{READING, is_view, shows};

use super::upkeep::{calls_somebody, moves_barrier, tends_storage};
use crate::destructive::{AGREEING, folded, words};
use std::sync::LazyLock;

/// Whether a text says one of these words.
pub(super) fn says(text: &str, list: &[&str]) -> bool {
    words(text).iter().any(|word| list.contains(&word.as_str()))
}

fn contains(text: &str, list: &[&str]) -> bool {
    list.iter().any(|word| text.contains(word))
}

/// Whether a text begins or ends with one of these verbs: languages differ in where the verb stands.
pub(super) fn says_verb(text: &str, list: &[&str]) -> bool {
    let all = words(text);
    let is_it = |word: Option<&String>| word.is_some_and(|word| list.contains(&word.as_str()));
    is_it(all.first()) || is_it(all.last())
}

/// Whether a part of an address says that texts stand below it.
pub(super) fn sentence_of(word: &str) -> bool {
    TEXTS.contains(&word)
}

/// Whether an address is that of a text that explains something, and of no thing among many.
pub fn explains(path: &str) -> bool {
    !path.contains(|letter: char| letter.is_ascii_digit())
        && words(path.split('?').next().unwrap_or_default()).iter().any(|word| sentence_of(word))
}

/// Whether a button creates something new.
pub fn creates(label: &str) -> bool {
    let all = words(label);
    // `Apply the new quantity` changes one.
    let begins_with_change =
        all.first().is_some_and(|verb| UPDATING.contains(&verb.as_str()) || APPLYING.contains(&verb.as_str()));
    // `Save as new`, `Set up new boat`
    let is_told = |at: usize| at > 0 && matches!(all[at - 1].as_str(), "as" | "als" | "comme" | "como" | "up");
    let says_so = |(at, word): (usize, &String)| {
        let is_value = begins_with_change && at > 0 && !is_told(at);
        // `Close as duplicate`: what it is from then on.
        if is_told(at) && !NEW.contains(&word.as_str()) {
            return false;
        }
        CREATING.contains(&word.as_str()) && !(NEW.contains(&word.as_str()) && (is_value || says_again(&all, at)))
    };
    all.iter().enumerate().any(says_so) || contains(label, &CREATING_UNSPACED)
}

/// Whether the word for new at this place says that something is done once more: `neu verbinden`, `di nuovo`.
fn says_again(all: &[String], at: usize) -> bool {
    const AGAIN: [&str; 7] = ["de nuevo", "di nuovo", "de novo", "à nouveau", "de nouveau", "på nytt", "od nowa"];
    let pair = |at: usize| all.get(at..at + 2).map(|pair| pair.join(" ")).unwrap_or_default();
    let is_verb = |word: &String| word.ends_with('n') && word.len() > 4 && !CREATING.contains(&word.as_str());
    let follows = all[at] == "neu" && all.get(at + 1).is_some_and(is_verb);
    follows || at > 0 && AGAIN.contains(&pair(at - 1).as_str())
}

/// Whether a button keeps a changed value.
pub fn updates(label: &str) -> bool {
    says_verb(label, &UPDATING) || contains(label, &UPDATING_UNSPACED)
}

/// Whether it is clear that a button hands in what is filled in, or asks for something, and does nothing beyond: by a word of it,
/// or by a verb that creates or keeps.
pub fn hands_in(label: &str) -> bool {
    creates(label)
        || updates(label)
        || puts_into_collection(label)
        || AGREEING.contains(&label)
        || (words(label).len() <= 4 && (says(label, &HANDING_IN) || contains(label, &HANDING_IN_UNSPACED)))
}

/// Whether a text says that something takes the place of what was there.
pub fn replaces(text: &str) -> bool {
    contains(&text.to_lowercase(), &REPLACING)
}

/// Whether a control settles the fate of a record.
pub fn decides(label: &str) -> bool {
    words(label).len() <= 4 && says_verb(label, &DECIDING)
}

/// Whether a button makes other people read something.
pub fn posts(label: &str) -> bool {
    calls_somebody(label)
        || words(label).len() <= 4 && (says_verb(label, &POSTING) || contains(label, &POSTING_UNSPACED))
}

/// Whether a text speaks of settings of the account or the application.
pub fn is_of_settings(text: &str) -> bool {
    let joined = words(text).join(" ");
    is_of_settings_path(&words(text))
        || contains(text, &SETTINGS_UNSPACED)
        || SETTINGS_PAIRS.iter().any(|pair| format!(" {joined} ").contains(&format!(" {pair} ")))
}

/// Whether the words of an address say the same.
pub(super) fn is_of_settings_path(all: &[String]) -> bool {
    // Addresses are written without accents.
    static FOLDED: LazyLock<Vec<String>> = LazyLock::new(|| SETTINGS.iter().map(|word| folded(word)).collect());
    all.iter().any(|word| SETTINGS.contains(&word.as_str()) || FOLDED.contains(word))
}

/// Whether a control starts, stops or switches something that administrators have.
pub fn names_administration(label: &str) -> bool {
    let all = words(label);
    let is_key = all.windows(2).any(|pair| pair[0] == "api" && pair[1] == "key" || pair[1] == "mode");
    let names = is_key || all.iter().any(|word| ADMINISTERED.contains(&word.as_str()));
    let operates = all.iter().any(|word| OPERATING.contains(&word.as_str()));
    // Whoever looks for a mode of showing the page administers nothing.
    let is_look = all
        .iter()
        .any(|word| matches!(word.as_str(), "dark" | "light" | "view" | "edit" | "reading" | "compact" | "tour"));
    tends_storage(label)
        || moves_barrier(label)
        || renews_secret(&all)
        || grants_access(&all)
        || (all.len() <= 6 && names && operates && !is_look)
}

/// Whether a text marks a place as dangerous.
pub fn of_danger(text: &str) -> bool {
    const PLACES: [&str; 12] = [
        "danger zone",
        "dangerous actions",
        "gefahrenzone",
        "gefahrenbereich",
        "zone de danger",
        "zone dangereuse",
        "zona de peligro",
        "zona pericolosa",
        "gevarenzone",
        "strefa zagrożenia",
        "zona de perigo",
        "riskzon",
    ];
    let text = text.to_lowercase();
    PLACES.iter().any(|place| text.contains(place)) || text.contains("опасная зона") || text.contains("危险")
}

/// Whether a text asks something.
pub fn opens_question(text: &str) -> bool {
    text.contains(['?', '？', '¿', '؟']) || text.to_lowercase().contains("are you sure")
}

/// Whether a text names an amount of money: a currency beside a number.
pub fn is_price(text: &str) -> bool {
    const SIGNS: [char; 9] = ['€', '$', '£', '¥', '₽', '₹', '₩', '₺', '₴'];
    const NAMES: [&str; 14] =
        ["eur", "usd", "gbp", "chf", "jpy", "pln", "zł", "kr", "sek", "nok", "dkk", "euro", "euros", "dollars"];
    let has_digit = |text: &str| text.chars().any(|letter| letter.is_ascii_digit());
    let near = |at: usize, sign: char| {
        let before: String = text[..at].chars().rev().take(8).collect();
        let after: String = text[at + sign.len_utf8()..].chars().take(8).collect();
        has_digit(&before) || has_digit(&after)
    };
    let all = words(text);
    let named = all.windows(2).any(|pair| {
        let is_name = |word: &String| NAMES.contains(&word.as_str());
        (is_name(&pair[0]) && has_digit(&pair[1])) || (has_digit(&pair[0]) && is_name(&pair[1]))
    });
    named || text.char_indices().any(|(at, letter)| SIGNS.contains(&letter) && near(at, letter))
}

/// Whether a text says that something is done for an amount of money: `Unlock for €1.50`.
pub fn names_price(text: &str) -> bool {
    const FOR: [&str; 11] =
        [" for ", " für ", " pour ", " por ", " per ", " voor ", " za ", " för ", " за ", " už ", " par "];
    let lower = text.to_lowercase();
    FOR.iter().any(|word| {
        lower.split_once(word).is_some_and(|(_, price)| price.split_whitespace().count() <= 3 && is_price(price))
    })
}

/// Whether a text is one that explorations type: it bears the name.
pub fn is_ours(text: &str) -> bool {
    text.to_lowercase().contains("rutter")
}

/// Whether a control puts something into a collection of one's own, such as a cart.
pub fn puts_into_collection(label: &str) -> bool {
    says(label, &COLLECTIONS) && !takes_something_out(label)
        || matches!(label, "compare" | "bookmark" | "save for later")
        || is_for_me(label, &["to", "into", "in", "on"]) && says_verb(label, &PUTTING)
}

/// What puts something into a list of one's own, as `Queue it in my playlist`.
const PUTTING: [&str; 7] = ["add", "put", "queue", "save", "keep", "pin", "collect"];

/// Whether a text speaks of what is one's own, after one of these words: `from my list`.
fn is_for_me(text: &str, before: &[&str]) -> bool {
    words(text).windows(2).any(|pair| pair[1] == "my" && before.contains(&pair[0].as_str()))
}

/// Whether a control takes something out of such a collection; `place` is where it stands: the address of the page.
pub fn takes_from_collection(label: &str, place: &str) -> bool {
    takes_something_out(label)
        && (says(label, &COLLECTIONS) || says(place, &COLLECTIONS) || is_for_me(label, &["from", "of", "off"]))
}

fn takes_something_out(label: &str) -> bool {
    crate::destructive::deletion(label).is_some() || words(label).first().is_some_and(|word| word == "take")
}
