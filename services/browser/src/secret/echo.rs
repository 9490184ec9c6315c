//! What a page says of a secret while it is typed: its beginnings, growing with each key, or its keys one by one. Pure.
//!
//! A beginning alone may be any word. It belongs to the secret where texts differ in nothing but how much of it they hold, where a text
//! holds several that grow, and, as long as the field has the focus, where it is new on the page.

use super::forms::{is_blank, units};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use regex::Regex;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::LazyLock;

/// Longest secret, in characters, whose beginnings are looked for.
const LONGEST: usize = 128;
/// Beginnings of different length that make a series.
const SERIES: usize = 3;
/// Fewest characters of a beginning that counts alone.
const LEAST: usize = 3;
/// Keys in a row that are no chance.
const KEYS: usize = 6;
/// Longest text, in bytes, that is compared with others.
const COMPARED: usize = 4096;

/// A word that may be the code of something.
static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[^\s=]+=*").ok());

/// The beginnings of one secret.
pub(super) struct Echo {
    value: String,
    /// Matches a beginning, the longest that stands somewhere; each further character is a group.
    growing: Regex,
    /// The same without its blanks, which stand at the end of no message.
    solid: Regex,
    /// Matches one character of it.
    key: Regex,
}

/// A beginning in a text.
struct Beginning {
    text: usize,
    range: Range<usize>,
    /// Its characters.
    length: usize,
    /// Whether no letter or digit stands beside it.
    is_word: bool,
}

impl Echo {
    /// None of a secret that is too short or too long to be recognised by its beginning.
    pub(super) fn of(value: &str) -> Option<Echo> {
        let units = units(value);
        if units.len() < LEAST || units.len() > LONGEST {
            return None;
        }
        let growing = growing(&units)?;
        let solid = self::growing(&self::units(&value.split_whitespace().collect::<String>()))?;
        let letters: BTreeSet<&str> = units.iter().map(String::as_str).collect();
        let key = Regex::new(&letters.into_iter().collect::<Vec<_>>().join("|")).ok()?;
        Some(Echo { value: value.to_owned(), growing, solid, key })
    }

    /// The parts of texts, in the order in which they came, that are beginnings of the secret. `is_new` says of a text whether it came
    /// while the secret was typed.
    pub(super) fn beginnings(&self, texts: &[&str], is_new: &dyn Fn(&str) -> bool) -> Vec<(usize, Range<usize>)> {
        let mut found = Vec::new();
        for (index, text) in texts.iter().enumerate() {
            self.find(index, text, &mut found);
        }
        let mut belongs = vec![false; found.len()];
        // Texts that differ in how much they hold only.
        let mut alike: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
        for (number, beginning) in found.iter().enumerate().filter(|(_, found)| texts[found.text].len() <= COMPARED) {
            let text = texts[beginning.text];
            alike.entry((&text[..beginning.range.start], &text[beginning.range.end..])).or_default().push(number);
        }
        for series in alike.values().filter(|numbers| numbers.len() >= SERIES) {
            let lengths: BTreeSet<usize> = series.iter().map(|number| found[*number].length).collect();
            if lengths.len() >= SERIES {
                series.iter().for_each(|number| belongs[*number] = true);
            }
        }
        // Several that grow within one text.
        let words: Vec<usize> = (0..found.len()).filter(|number| found[*number].is_word).collect();
        let goes_on = |one: &usize, other: &usize| {
            let (one, other) = (&found[*one], &found[*other]);
            let between = texts[one.text].get(one.range.end..other.range.start);
            let is_near = between.is_some_and(|between| !between.chars().any(char::is_alphanumeric));
            one.text == other.text && is_near && one.length <= other.length
        };
        for run in words.chunk_by(goes_on).filter(|run| run.len() >= SERIES) {
            run.iter().for_each(|number| belongs[*number] = true);
        }
        for number in words {
            let beginning = &found[number];
            belongs[number] |= beginning.length >= LEAST && is_new(texts[beginning.text]);
        }
        found
            .into_iter()
            .zip(belongs)
            .filter(|(_, belongs)| *belongs)
            .map(|(found, _)| (found.text, found.range))
            .collect()
    }

    /// The parts of texts, in the order in which they came, that are the keys of the secret one by one.
    #[expect(clippy::type_complexity, reason = "what stands around a key, and where keys stand")]
    pub(super) fn keys(&self, texts: &[&str]) -> Vec<(usize, Range<usize>)> {
        let mut alike: HashMap<(&str, &str), Vec<(usize, Range<usize>)>> = HashMap::new();
        for (index, text) in texts.iter().enumerate().filter(|(_, text)| text.len() <= COMPARED) {
            for key in self.key.find_iter(text) {
                alike.entry((&text[..key.start()], &text[key.end()..])).or_default().push((index, key.range()));
            }
        }
        let spells = |keys: &Vec<(usize, Range<usize>)>| {
            let typed = keys.iter().map(|(index, range)| &texts[*index][range.clone()]);
            let whole: String = typed.filter(|key| !is_blank(key)).collect();
            keys.len() >= KEYS && self.solid.captures_iter(&whole).any(|found| length(&found) >= KEYS)
        };
        alike.into_values().filter(spells).flatten().collect()
    }

    fn find(&self, index: usize, text: &str, found: &mut Vec<Beginning>) {
        let before = found.len();
        for captures in self.growing.captures_iter(text) {
            let Some(whole) = captures.get(0) else { continue };
            // A blank at its end may belong to what follows.
            let range = whole.start()..whole.start() + whole.as_str().trim_end().len();
            let is_word = is_word(text, &range);
            found.push(Beginning { text: index, range, length: length(&captures), is_word });
        }
        let Some(word) = WORD.as_ref() else { return };
        for word in word.find_iter(text) {
            let length = self.decoded(word.as_str());
            if length > 0 {
                found.push(Beginning { text: index, range: word.range(), length, is_word: true });
            }
        }
        found[before..].sort_by_key(|found| found.range.start);
    }

    /// How much of the secret a word stands for that is written backwards, in hexadecimal or in base64; 0 where it stands for something
    /// else.
    fn decoded(&self, word: &str) -> usize {
        let coded = word.trim_end_matches('=');
        let texts = [
            STANDARD_NO_PAD.decode(coded).or_else(|_| URL_SAFE_NO_PAD.decode(coded)).ok(),
            unhexed(word),
            Some(word.chars().rev().collect::<String>().into_bytes()),
        ];
        let texts = texts.into_iter().flatten().filter_map(|bytes| String::from_utf8(bytes).ok());
        let beginning = |text: String| self.value.starts_with(&text).then(|| text.chars().count());
        texts.filter_map(beginning).max().unwrap_or_default()
    }
}

/// Matches a beginning, the longest that stands somewhere; each further unit is a group.
fn growing(units: &[String]) -> Option<Regex> {
    let (first, rest) = units.split_first()?;
    let nested = rest.iter().rev().fold(String::new(), |inner, unit| format!("({unit}{inner})?"));
    Regex::new(&format!("{first}{nested}")).ok()
}

fn length(captures: &regex::Captures<'_>) -> usize {
    captures.iter().flatten().count()
}

fn is_word(text: &str, range: &Range<usize>) -> bool {
    let before = text[..range.start].chars().next_back();
    let after = text[range.end..].chars().next();
    ![before, after].into_iter().flatten().any(char::is_alphanumeric)
}

fn unhexed(word: &str) -> Option<Vec<u8>> {
    let is_hex = !word.is_empty() && word.len().is_multiple_of(2) && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| (0..word.len()).step_by(2).filter_map(|at| u8::from_str_radix(&word[at..at + 2], 16).ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::STANDARD;

    const SECRET: &str = "hunter2!&x";

    fn left(texts: &[&str], new: bool) -> Vec<String> {
        let mut left: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let found = Echo::of(SECRET).unwrap().beginnings(texts, &|_| new);
        found.into_iter().rev().for_each(|(index, range)| left[index].replace_range(range, "*"));
        left
    }

    #[test]
    fn beginnings_that_grow_belong_to_the_secret() {
        let grows = |count: usize| SECRET.chars().take(count).collect::<String>();
        let list: Vec<String> = (1..=10).map(grows).collect();
        let list: Vec<&str> = list.iter().map(String::as_str).collect();
        assert_eq!(left(&list, false), ["*"; 10]);
        assert_eq!(left(&[&list[..6].join(" ")], false), ["* * * * * *"]);
        let requests = ["/?q=h", "/?q=hu", "/?q=hunter2%21", "/?q=hunter2%21%26"];
        assert_eq!(left(&requests, false), ["/?q=*"; 4]);
        let coded: Vec<String> = list.iter().map(|text| STANDARD.encode(text)).collect();
        let coded: Vec<&str> = coded.iter().map(String::as_str).collect();
        assert_eq!(left(&coded, false), ["*"; 10]);
        let backwards = ["h", "uh", "nuh", "tnuh"];
        assert_eq!(left(&backwards, false), ["*"; 4]);
    }

    #[test]
    fn a_beginning_alone_counts_only_where_it_is_new() {
        for text in ["hunt", "you typed hunt so far", "aHVudA==", "68756e74", "tnuh"] {
            assert_eq!(left(&[text], false), [text]);
            assert!(left(&[text], true)[0].contains('*'), "{text}");
        }
        for text in ["hunting season", "h is a letter", "the hut", "hu"] {
            assert_eq!(left(&[text], true), [text], "another word");
        }
    }

    #[test]
    fn keys_that_are_told_one_by_one_are_found() {
        let texts: Vec<String> = SECRET.chars().map(|key| format!("/key?is={key}&from=here")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let echo = Echo::of(SECRET).unwrap();
        let found = echo.keys(&texts);
        assert_eq!(found.len(), 10);
        assert!(found.iter().all(|(index, range)| texts[*index][range.clone()] == SECRET[*index..=*index]));
        assert_eq!(echo.keys(&["/n", "/e", "/t", "/x", "/1"]), []);
    }

    #[test]
    fn keys_are_found_around_blanks_that_cannot_be_told_from_the_words_before_them() {
        let secret = "se sa &x y";
        let echo = Echo::of(secret).unwrap();
        let told = |begin: &str| -> Vec<String> { secret.chars().map(|key| format!("{begin}{key}")).collect() };
        for begin in ["key ", "/key?is="] {
            let texts = told(begin);
            let mut texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            texts.insert(0, "key a");
            let mut found = echo.keys(&texts);
            found.retain(|(index, range)| range.start == begin.len() && !texts[*index].ends_with(' '));
            let keys: String = found.into_iter().map(|(index, range)| texts[index][range].to_owned()).collect();
            assert!(keys.ends_with("sesa&xy"), "{keys}");
        }
    }
}
