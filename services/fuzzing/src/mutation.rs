//! Inputs that are nearly valid: a valid one, changed in a few places by what parsers get wrong.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// The longest input.
const LONGEST: usize = 64 << 10;

/// What stands for a number: borders of types, more digits than any has, and what is none.
const NUMBERS: [&str; 12] = [
    "-1",
    "0",
    "255",
    "65536",
    "2147483648",
    "4294967295",
    "9223372036854775808",
    "18446744073709551616",
    "999999999999999999999999",
    "1e400",
    "0.1",
    "NaN",
];

/// What opens, closes, ends or escapes in the formats that are read here.
const WORDS: [&str; 22] = [
    "{", "}", "[", "]", "<", ">", "</", "<!--", "\"", "\\", "\\u0000", "\u{202e}", "\r\n", "\r\n\r\n", ":", ",", "%00",
    "&#0;", "null", "true", "\0", "é",
];

/// One change of an input.
#[derive(Clone, Debug)]
enum Mutation {
    Flip(Index, u8),
    Insert(Index, Vec<u8>),
    Word(Index, &'static str),
    /// Something that nests, many times.
    Nest(Index, &'static str, usize),
    Number(Index, &'static str),
    Remove(Index, Index),
    Repeat(Index, Index, usize),
    /// One piece in the place of another one.
    Exchange(Index, Index),
    Cut(Index),
}

/// One of some inputs.
pub fn one_of(inputs: impl IntoIterator<Item = Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    select(inputs.into_iter().collect::<Vec<_>>())
}

/// Inputs with up to eight changes, some unchanged, and some that are nothing but random bytes.
pub fn mutated(valid: impl Strategy<Value = Vec<u8>> + 'static) -> impl Strategy<Value = Vec<u8>> {
    let changed = (valid, vec(mutation(), 0..8)).prop_map(|(input, mutations)| {
        let mut changed = mutations.iter().fold(input, |input, mutation| mutation.apply(input));
        changed.truncate(LONGEST);
        changed
    });
    prop_oneof![9 => changed, 1 => vec(any::<u8>(), 0..2048)]
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let at = any::<Index>;
    let nests = select(vec!["[", "{\"a\":", "<a>", "- ", "(", "\"", "a: {", "\n ", "%25", "&amp;"]);
    prop_oneof![
        3 => (at(), 0_u8..8).prop_map(|(at, bit)| Mutation::Flip(at, bit)),
        3 => (at(), vec(any::<u8>(), 1..16)).prop_map(|(at, bytes)| Mutation::Insert(at, bytes)),
        3 => (at(), select(WORDS.to_vec())).prop_map(|(at, word)| Mutation::Word(at, word)),
        1 => (at(), nests, 1..2000_usize).prop_map(|(at, word, times)| Mutation::Nest(at, word, times)),
        3 => (at(), select(NUMBERS.to_vec())).prop_map(|(at, number)| Mutation::Number(at, number)),
        3 => (at(), at()).prop_map(|(one, other)| Mutation::Remove(one, other)),
        1 => (at(), at(), 1..40_usize).prop_map(|(one, other, times)| Mutation::Repeat(one, other, times)),
        3 => (at(), at()).prop_map(|(one, other)| Mutation::Exchange(one, other)),
        3 => at().prop_map(Mutation::Cut),
    ]
}

impl Mutation {
    fn apply(&self, mut input: Vec<u8>) -> Vec<u8> {
        let length = input.len();
        let at = |index: &Index| index.index(length + 1);
        match self {
            Mutation::Flip(index, bit) => {
                if let Some(byte) = input.len().checked_sub(1).and_then(|last| input.get_mut(index.index(last + 1))) {
                    *byte ^= 1 << bit;
                }
            }
            Mutation::Insert(index, bytes) => insert(&mut input, at(index), bytes),
            Mutation::Word(index, word) => insert(&mut input, at(index), word.as_bytes()),
            Mutation::Nest(index, word, times) => insert(&mut input, at(index), word.repeat(*times).as_bytes()),
            Mutation::Number(index, number) => {
                let numbers = pieces(&input, u8::is_ascii_digit);
                if !numbers.is_empty() {
                    let (from, to) = numbers[index.index(numbers.len())];
                    input.splice(from..to, number.bytes());
                }
            }
            Mutation::Remove(one, other) => {
                let (from, to) = between(at(one), at(other));
                input.drain(from..to);
            }
            Mutation::Repeat(one, other, times) => {
                let (from, to) = between(at(one), at(other));
                let piece = &input[from..to];
                let times = (*times).min(LONGEST / piece.len().max(1));
                let piece = piece.repeat(times);
                insert(&mut input, to, &piece);
            }
            Mutation::Exchange(one, other) => {
                let words = pieces(&input, |byte| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'-');
                if !words.is_empty() {
                    let (from, to) = words[one.index(words.len())];
                    let (by, end) = words[other.index(words.len())];
                    let word = input[by..end].to_vec();
                    input.splice(from..to, word);
                }
            }
            Mutation::Cut(index) => {
                let end = at(index);
                input.truncate(end);
            }
        }
        input
    }
}

fn insert(input: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    input.splice(at..at, bytes.iter().copied());
}

fn between(one: usize, other: usize) -> (usize, usize) {
    (one.min(other), one.max(other))
}

/// The longest runs of bytes that belong to something.
fn pieces(input: &[u8], belongs: impl Fn(&u8) -> bool) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for at in (0..input.len()).filter(|at| belongs(&input[*at])) {
        match found.last_mut() {
            Some((_, end)) if *end == at => *end += 1,
            _ => found.push((at, at + 1)),
        }
    }
    found
}
