//! Secrets that are spelled over several texts: a letter in each of some elements, forwards or backwards. Pure.

use std::ops::Range;

/// Fewest characters of a secret that is looked for over several texts: shorter ones stand there by chance.
const LEAST: usize = 6;

/// A part of a text that belongs to a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Index of the text.
    pub(super) text: usize,
    /// Bytes of it.
    pub(super) range: Range<usize>,
    /// Whether it is the first of its secret.
    pub(super) is_first: bool,
}

/// The pieces of a secret in texts that follow each other, white space aside. A secret within one text has none.
pub(super) fn pieces(secret: &str, texts: &[&str]) -> Vec<Piece> {
    let bare: String = secret.split_whitespace().collect();
    if bare.chars().count() < LEAST {
        return Vec::new();
    }
    let mut joined = String::new();
    // For each byte of it, the text it is of and its place there.
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        for (at, sign) in text.char_indices().filter(|(_, sign)| !sign.is_whitespace()) {
            joined.push(sign);
            places.extend((0..sign.len_utf8()).map(|byte| (index, at + byte)));
        }
    }
    let backwards: String = bare.chars().rev().collect();
    let found = [bare, backwards];
    let found = found.iter().flat_map(|wanted| joined.match_indices(wanted.as_str()));
    found.flat_map(|(start, found)| pieces_of(&places[start..start + found.len()])).collect()
}

fn pieces_of(places: &[(usize, usize)]) -> Vec<Piece> {
    let parts: Vec<&[(usize, usize)]> = places.chunk_by(|(one, _), (other, _)| one == other).collect();
    if parts.len() < 2 {
        return Vec::new();
    }
    let piece = |(number, part): (usize, &&[(usize, usize)])| {
        let ((text, first), (_, last)) = (part.first()?, part.last()?);
        Some(Piece { text: *text, range: *first..last + 1, is_first: number == 0 })
    };
    parts.iter().enumerate().filter_map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(secret: &str, texts: &[&str]) -> Vec<String> {
        let mut left: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        for piece in pieces(secret, texts) {
            left[piece.text].replace_range(piece.range, if piece.is_first { "*" } else { "" });
        }
        left
    }

    #[test]
    fn a_secret_over_several_texts_is_found_forwards_and_backwards() {
        assert_eq!(left("öffne dich", &["a ö", " f", "fn", "e", "di", "ch b"]), ["a *", " ", "", "", "", " b"]);
        assert_eq!(left("hunter2!", &["!", "2", "r", "e", "t", "n", "u", "h"]), ["*", "", "", "", "", "", "", ""]);
    }

    #[test]
    fn what_stands_in_one_text_or_is_short_is_none() {
        assert_eq!(left("hunter2!", &["hunter2!", "hunter"]), ["hunter2!", "hunter"]);
        assert_eq!(left("1234", &["1", "2", "3", "4"]), ["1", "2", "3", "4"], "page numbers");
    }
}
