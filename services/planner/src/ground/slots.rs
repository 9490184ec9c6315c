//! Descriptions of what a form is to be filled with, cut into cue and value.

use super::goal::Slot;
use super::words::{is_function_word, tokens};

/// Lines of the form `key: value`; `None` unless there are at least two.
pub(crate) fn of_lines(text: &str) -> Option<Vec<Slot>> {
    let slots: Vec<Slot> = text
        .lines()
        .filter_map(|line| line.split_once(": "))
        .filter(|(key, value)| key.split_whitespace().count() <= 6 && !value.trim().is_empty())
        .map(|(key, value)| Slot { cue: key.trim().to_owned(), value: value.trim().to_owned() })
        .collect();
    (slots.len() >= 2).then_some(slots)
}

/// Cuts a noun phrase such as `action movies directed by Bowen from year 1998` at its prepositions and participles.
pub(crate) fn of_description(text: &str) -> Vec<Slot> {
    chunks(text).into_iter().filter_map(|chunk| slot_of(&chunk)).collect()
}

fn chunks(text: &str) -> Vec<Vec<&str>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut chunks: Vec<Vec<&str>> = vec![Vec::new()];
    for (index, word) in words.iter().enumerate() {
        let next = words.get(index + 1).map(|word| word.to_lowercase()).unwrap_or_default();
        let previous_is_participle =
            index > 0 && words.get(index - 1).is_some_and(|word| is_participle(word)) && is_preposition(word);
        // `from: Kamuela, HI - Island of Hawaii`: what follows a colon is a value, in which names may have prepositions of their own.
        let in_value = chunks.last().is_some_and(|chunk| is_labelled(chunk));
        let is_of_value = in_value && !word.ends_with(':') && word.eq_ignore_ascii_case("of");
        let starts = !is_of_value
            && ((is_preposition(word) && !previous_is_participle) || (is_participle(word) && is_preposition(&next)));
        if starts && chunks.last().is_some_and(|chunk| !chunk.is_empty()) {
            chunks.push(Vec::new());
        }
        if let Some(chunk) = chunks.last_mut() {
            chunk.push(word);
        }
    }
    chunks.retain(|chunk| !chunk.is_empty());
    chunks
}

/// Whether a chunk begins with a cue that is set off by a colon: `from:`.
fn is_labelled(chunk: &[&str]) -> bool {
    chunk.first().is_some_and(|word| word.ends_with(':')) && chunk.len() > 1
}

fn is_preposition(word: &str) -> bool {
    let word = word.to_lowercase();
    matches!(
        word.trim_end_matches(':'),
        "by" | "from" | "of" | "in" | "with" | "for" | "to" | "at" | "on" | "named" | "called" | "between" | "starring"
    )
}

fn is_participle(word: &str) -> bool {
    let word = word.to_lowercase();
    word.len() > 4 && word.ends_with("ed")
}

/// The value of a chunk is its proper name, date or number; else its first content word that is not a plural noun at the end.
fn slot_of(chunk: &[&str]) -> Option<Slot> {
    if let Some((cue, value)) = chunk.split_first().filter(|_| is_labelled(chunk)) {
        let value = value.join(" ").trim_end_matches(['.', ',', ';']).to_owned();
        return (!tokens(&value).is_empty()).then(|| Slot { cue: (*cue).to_owned(), value });
    }
    let is_value =
        |word: &str| word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || c == '@' || c == '$');
    let from = chunk.iter().position(|word| is_value(word));
    let (cue, value) = match from {
        Some(from) => {
            let length = chunk[from..].iter().take_while(|word| is_value(word)).count();
            let mut cue: Vec<&str> = chunk[..from].to_vec();
            cue.extend(&chunk[from + length..]);
            (cue, chunk[from..from + length].join(" "))
        }
        None => {
            let content: Vec<&str> =
                chunk.iter().filter(|word| !is_function_word(&word.to_lowercase())).copied().collect();
            let value =
                if content.len() > 1 { content[..content.len() - 1].join(" ") } else { content.first()?.to_string() };
            (chunk.to_vec(), value)
        }
    };
    let value = value.trim_end_matches(['.', ',', ';']).to_owned();
    (!tokens(&value).is_empty()).then(|| Slot { cue: cue.join(" "), value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<(String, String)> {
        of_description(text).into_iter().map(|slot| (slot.cue, slot.value)).collect()
    }

    #[test]
    fn a_description_falls_into_cues_and_values() {
        let expected = [("action movies", "action"), ("directed by", "Bowen"), ("from year", "1998")];
        assert_eq!(
            cut("action movies directed by Bowen from year 1998"),
            expected.map(|(cue, value)| (cue.to_owned(), value.to_owned()))
        );
    }

    #[test]
    fn what_follows_a_colon_is_a_value_as_a_whole() {
        let expected =
            [("flight", "flight"), ("from:", "Kamuela, HI - Island of Hawaii"), ("to:", "RCE"), ("on", "11/10/2016")];
        assert_eq!(
            cut("flight from: Kamuela, HI - Island of Hawaii, to: RCE on 11/10/2016."),
            expected.map(|(cue, value)| (cue.to_owned(), value.to_owned()))
        );
    }

    #[test]
    fn lines_with_keys_are_a_form() {
        let slots = of_lines("Fill in:\nCity: New York\nDay: 12").unwrap();
        assert_eq!(slots[0], Slot { cue: "City".into(), value: "New York".into() });
        assert_eq!(of_lines("Note: only one"), None);
    }
}
