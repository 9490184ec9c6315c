//! Expenses as people tell them: what was bought, what it cost, and who paid. Pure.

use super::phrase;
use super::verbs::bare;
use crate::ground::clause::Quoted;
use crate::ground::task::{Task, TaskAct, Thing};
use crate::ground::words::is_function_word;

/// What was bought, for how much, by whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expense {
    what: String,
    quoted: bool,
    amount: String,
    /// Who paid; empty where it is not said.
    payer: String,
}

/// What such things are called.
const KINDS: [&str; 5] = ["bill", "expense", "payment", "purchase", "cost"];
/// The verbs that put one down.
const PUT_DOWN: [&str; 8] = ["add", "enter", "record", "register", "create", "note", "log", "make"];
const SIGNS: [char; 4] = ['$', '\u{20ac}', '\u{a3}', '\u{a5}'];

/// Reads `enter a bill of 23.50 for pizza that Cleo paid`, and `add a bill for that` of what was told before.
pub(super) fn command(quoted: &Quoted, words: &[&str], told: Option<&Expense>) -> Option<Task> {
    let (verb, rest) = words.split_first().filter(|(verb, _)| PUT_DOWN.contains(&bare(verb).as_str()))?;
    let plain: Vec<String> = rest.iter().map(|word| bare(word)).collect();
    let said: Vec<&str> = plain.iter().map(String::as_str).collect();
    let kind = |word: &str| KINDS.contains(&word).then(|| word.to_owned());
    // `record this as a new bill`
    let as_one = match said.as_slice() {
        ["this" | "that" | "it", "as", "a" | "an", rest @ ..] => Some(rest),
        _ => None,
    };
    if let Some([as_kind] | ["new", as_kind]) = as_one {
        return Some(told?.task(kind(as_kind)?));
    }
    let begins = said.iter().take_while(|word| matches!(**word, "a" | "an" | "another" | "new")).count();
    let kind = kind(said.get(begins).filter(|_| begins > 0)?)?;
    let tail = rest.get(begins + 1..)?;
    if let [] | ["for", "that" | "this" | "it"] | ["about", "that" | "this" | "it"] = said.get(begins + 1..)? {
        return Some(told?.task(kind));
    }
    let mut sentence = vec![*verb];
    sentence.extend(tail);
    Some(Expense::told(quoted, sentence.get(1..)?)?.task(kind))
}

impl Expense {
    /// What a sentence tells of an expense: its sum and what it was for; none where it tells anything else as well.
    pub(super) fn told(quoted: &Quoted, words: &[&str]) -> Option<Self> {
        let plain: Vec<String> = words.iter().map(|word| bare(word)).collect();
        let is = |at: usize, any: &[&str]| plain.get(at).is_some_and(|word| any.contains(&word.as_str()));
        let sum_at = (0..words.len()).find(|at| {
            let leads = at.checked_sub(1).is_some_and(|before| is(before, &["cost", "costs", "for", "of", "paid"]));
            sum(words[*at]).is_some_and(|sum| sum.is_exact || leads)
        })?;
        let amount = sum(words[sum_at])?.value;
        let is_currency =
            |at: usize| is(at, &["euro", "euros", "eur", "dollars", "usd", "pounds", "gbp", "francs", "chf"]);
        let mut used = vec![false; words.len()];
        used[sum_at] = true;
        if is_currency(sum_at + 1) {
            used[sum_at + 1] = true;
        }
        let payer = payer(words, &plain, &mut used);
        // `paid by me`: who that is, is not known.
        if payer.is_empty() && plain.iter().any(|word| word == "paid") {
            return None;
        }
        let what = what(quoted, words, &plain, &mut used)?;
        let is_filling = |at: usize| {
            is_function_word(&plain[at])
                || matches!(
                    plain[at].as_str(),
                    "" | "i"
                        | "we"
                        | "he"
                        | "she"
                        | "they"
                        | "us"
                        | "cost"
                        | "costs"
                        | "bought"
                        | "paid"
                        | "which"
                        | "that"
                        | "it"
                        | "just"
                )
        };
        let is_whole = (0..words.len()).all(|at| used[at] || is_filling(at));
        is_whole.then(|| {
            let quote = phrase::quote(quoted, &what);
            let text = quote.map_or_else(|| phrase::text(quoted, &phrase::without_determiners(&what)), str::to_owned);
            Self { what: text, quoted: quote.is_some(), amount, payer: phrase::text(quoted, &payer) }
        })
    }

    /// To put it down as one of a kind.
    fn task(&self, kind: String) -> Task {
        let thing = Thing { kind, name: self.what.clone(), quoted: self.quoted, ..Thing::default() };
        let mut task = Task { act: TaskAct::Add, thing, values: Vec::new() };
        task.give("amount", &self.amount, false);
        task.give("payer", &self.payer, false);
        task
    }
}

/// A sum of money, and whether it can be nothing else: it has a currency or cents.
struct Sum {
    value: String,
    is_exact: bool,
}

fn sum(word: &str) -> Option<Sum> {
    let number = word.trim_end_matches([',', '.', ';', ':', '!']).trim_matches(SIGNS);
    let is_number = number.starts_with(|sign: char| sign.is_ascii_digit())
        && number.chars().all(|sign| sign.is_ascii_digit() || matches!(sign, '.' | ','));
    let cents = number.len().checked_sub(3).and_then(|at| number.get(at..));
    let is_exact = word.contains(SIGNS) || cents.is_some_and(|end| end.starts_with(['.', ',']));
    is_number.then(|| Sum { value: number.to_owned(), is_exact })
}

/// Who paid: `paid by Ben`, `that Cleo paid`, `Ada bought`.
fn payer<'w>(words: &[&'w str], plain: &[String], used: &mut [bool]) -> Vec<&'w str> {
    let is_name = |at: usize| {
        words[at].starts_with(char::is_uppercase) && !matches!(plain[at].as_str(), "i" | "we" | "the" | "a")
    };
    let taken = plain.iter().position(|word| word == "paid").and_then(|at| {
        if plain.get(at + 1).is_some_and(|next| next == "by") {
            let end = (at + 2..words.len()).find(|at| !is_name(*at)).unwrap_or(words.len());
            return Some(at + 2..end);
        }
        let from = (0..at).rev().take_while(|at| is_name(*at)).last()?;
        Some(from..at)
    });
    let bought = || {
        let at = plain.iter().position(|word| word == "bought")?;
        let from = (0..at).rev().take_while(|at| is_name(*at)).last()?;
        Some(from..at)
    };
    let range = taken.filter(|range| !range.is_empty()).or_else(bought).unwrap_or(0..0);
    range.clone().for_each(|at| used[at] = true);
    words.get(range).unwrap_or_default().to_vec()
}

/// What it was for: `bought dish soap: 4.20`, `The cheese cost 9.80`, `for pizza`.
fn what<'w>(quoted: &Quoted, words: &[&'w str], plain: &[String], used: &mut [bool]) -> Option<Vec<&'w str>> {
    const ENDS: [&str; 15] =
        ["", "for", "at", "that", "which", "paid", "and", "by", "to", "on", "in", "with", "from", "into", "under"];
    let ends = |at: usize, used: &[bool]| used[at] || ENDS.contains(&plain[at].as_str());
    let closes = |at: usize| words[at].ends_with([',', ':', ';']);
    let run = |from: usize, used: &[bool]| {
        let mut end = from;
        while end < words.len() && !ends(end, used) {
            end += 1;
            if closes(end - 1) {
                break;
            }
        }
        from..end
    };
    let bought = plain.iter().position(|word| word == "bought").map(|at| run(at + 1, used));
    let cost = plain.iter().position(|word| matches!(word.as_str(), "cost" | "costs")).map(|at| 0..at);
    let is_pronoun = |at: usize| matches!(plain[at].as_str(), "it" | "that" | "this" | "them");
    let spent = (0..words.len())
        .filter(|at| plain[*at] == "for")
        .map(|at| run(at + 1, used))
        .find(|range| !range.is_empty() && !is_pronoun(range.start));
    let quote = words.iter().position(|word| quoted.part(word).is_some()).map(|at| at..at + 1);
    // `a bill for Ann`: whose it is, and not what it was for.
    let is_whose = |range: &std::ops::Range<usize>| words.get(range.clone()).is_some_and(phrase::is_proper);
    let spent = spent.filter(|range| !is_whose(range));
    let range = [quote, bought, cost, spent].into_iter().flatten().find(|range| !range.is_empty())?;
    range.clone().for_each(|at| used[at] = true);
    words.get(range).map(<[&str]>::to_vec)
}
