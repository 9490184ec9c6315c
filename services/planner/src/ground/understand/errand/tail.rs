//! Values that are told behind what is made, each after a comma, or all after a colon: `…, quantity ⟦0⟧, category Travel`,
//! `…: date tomorrow, description ⟦0⟧`.

use super::Reader;
use crate::ground::clause::OPEN_MARK;
use crate::ground::task::Given;
use crate::ground::understand::moment;
use crate::ground::understand::phrase;
use crate::ground::understand::verbs::bare;
use crate::ground::words::is_function_word;

/// Fields whose values are plain words, as in `colour grey`.
const OF_WORDS: [&str; 18] = [
    "colour",
    "color",
    "size",
    "status",
    "priority",
    "category",
    "type",
    "role",
    "gender",
    "language",
    "level",
    "brand",
    "material",
    "unit",
    "severity",
    "visibility",
    "group",
    "state",
];
/// The most words of a field's name, and of a value without quotes.
const FIELD: usize = 3;
const VALUE: usize = 5;

impl Reader<'_> {
    /// What stands in front of such values, and the values.
    pub(super) fn take_tail<'w>(&self, words: &[&'w str]) -> (Vec<&'w str>, Vec<Given>) {
        let mut head = words.to_vec();
        let mut tail: Vec<Given> = Vec::new();
        while let Some(at) = head.iter().rposition(|word| word.ends_with(',')).filter(|at| *at > 0) {
            let Some(mut told) = head.get(at + 1..).and_then(|piece| self.told(piece)) else { break };
            told.append(&mut tail);
            tail = told;
            let last = head[at].trim_end_matches(',');
            head.truncate(at);
            head.extend(Some(last).filter(|last| !last.is_empty()));
        }
        if let Some(at) = head.iter().rposition(|word| word.ends_with(':')).filter(|at| *at > 0)
            && let Some(mut told) = head.get(at + 1..).and_then(|piece| self.told(piece))
            && (!tail.is_empty() || told.iter().all(|given| given.quoted || is_common_field(&given.field)))
            && !head.iter().take(at).any(|word| phrase::kind_of(word).is_some_and(|kind| phrase::is_written(&kind)))
        {
            told.append(&mut tail);
            let last = head[at].trim_end_matches(':');
            head.truncate(at);
            head.push(last);
            return (head, told);
        }
        // `a task Buy milk, eggs 12`: one piece that is no known field is a part of the name.
        let is_quoted = phrase::quote(self.quoted, &head).is_some();
        let is_told = tail.len() > 1
            || is_quoted
            || head.len() + 1 < words.len() && words.get(head.len()).is_some_and(|word| bare(word) == "with")
            || tail.iter().all(|given| given.quoted || given.value == "yes" || is_common_field(&given.field));
        if is_told { (head, tail) } else { (words.to_vec(), Vec::new()) }
    }

    /// The values that one piece tells; none where it is none of a value.
    fn told(&self, piece: &[&str]) -> Option<Vec<Given>> {
        let piece = match piece.split_first() {
            Some((first, rest)) if bare(first) == "and" => rest,
            _ => piece,
        };
        let plain: Vec<String> = piece.iter().map(|word| bare(word)).collect();
        let said: Vec<&str> = plain.iter().map(String::as_str).collect();
        let text = phrase::text(self.quoted, piece);
        let given = |field: &str, value: &str| vec![Given { field: field.into(), value: value.into(), quoted: false }];
        match said.as_slice() {
            ["with", ..] => return self.pairs(piece.get(1..)?),
            // `it is vegetarian`
            ["it", "is", what] | ["it's" | "its", what] if what.chars().all(char::is_alphabetic) => {
                return Some(given(what, "yes"));
            }
            ["dated" | "on", ..] if moment::is_day(&phrase::text(self.quoted, piece.get(1..)?)) => {
                return Some(given("date", &phrase::text(self.quoted, piece.get(1..)?)));
            }
            ["due", ..] if moment::is_day(&phrase::text(self.quoted, piece.get(1..)?)) => {
                return Some(given("due date", &phrase::text(self.quoted, piece.get(1..)?)));
            }
            _ if moment::is_span(piece) => return Some(given("duration", &text)),
            // `morning group`, `in the afternoon group`
            [.., value, field]
                if said.len() <= 4
                    && is_field_of_words(field)
                    && is_word(value)
                    && said.iter().rev().skip(2).all(|word| matches!(*word, "in" | "the" | "as" | "for")) =>
            {
                return Some(given(field, value));
            }
            // `6 portions`
            [many, what] if moment::number(many).is_some() && what.ends_with('s') && is_word(what) => {
                return Some(given(what, &moment::number(many)?.to_string()));
            }
            _ => {}
        }
        let at = (1..piece.len().min(FIELD + 1)).find(|at| self.is_value(piece, *at))?;
        let (field, value) = piece.split_at(at);
        let is_field = field.iter().all(|word| is_word(word)) && !is_function_word(&bare(field.first()?));
        let quoted = phrase::quote(self.quoted, value);
        let value = quoted.map_or_else(|| phrase::text(self.quoted, value), str::to_owned);
        is_field.then(|| vec![Given { field: phrase::text(self.quoted, field), value, quoted: quoted.is_some() }])
    }

    /// Whether a value stands from this word on: a quote, a name, a number, a day, or one of the words that a field takes.
    fn is_value(&self, piece: &[&str], at: usize) -> bool {
        let Some(value) = piece.get(at..).filter(|value| !value.is_empty() && value.len() <= VALUE) else {
            return false;
        };
        let first = value[0];
        let is_quote = first.starts_with(OPEN_MARK) && value.len() == 1;
        let is_name =
            first.starts_with(|sign: char| sign.is_uppercase() || sign.is_ascii_digit()) || first.contains('@');
        let field = piece.get(at - 1).map(|word| bare(word)).unwrap_or_default();
        let is_word_of_field = value.len() == 1 && at == 1 && OF_WORDS.contains(&field.as_str()) && is_word(first);
        is_quote || is_name || is_word_of_field || moment::is_day(&phrase::text(self.quoted, value))
    }
}

/// Whether a field is one that many forms have.
pub(in super::super) fn is_common_field(field: &str) -> bool {
    const OTHERS: [&str; 22] = [
        "name",
        "title",
        "quantity",
        "date",
        "time",
        "phone",
        "email",
        "e-mail",
        "price",
        "amount",
        "address",
        "city",
        "street",
        "zip",
        "duration",
        "due date",
        "description",
        "portions",
        "people",
        "guests",
        "seats",
        "number",
    ];
    let last = field.rsplit(' ').next().unwrap_or(field);
    OF_WORDS.contains(&last) || OTHERS.contains(&field) || OTHERS.contains(&last)
}

/// Whether a field is one whose values are plain words.
pub(super) fn is_field_of_words(field: &str) -> bool {
    OF_WORDS.contains(&bare(field).as_str())
}

fn is_word(word: &str) -> bool {
    word.chars().all(|sign| sign.is_lowercase() || sign == '-')
}
