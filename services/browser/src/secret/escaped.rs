//! Addresses write signs as percent escapes, of whatever they carry: a text with these escapes undone, and where each part of it stands
//! in the text as it was. Pure.

use std::ops::Range;

/// How many times escapes are undone: an address may carry an address, and that one another.
const DEEPEST: usize = 3;

/// A text with its percent escapes undone.
pub(super) struct Undone {
    /// The text without escapes.
    pub(super) text: String,
    /// For each byte of it, and for its end, the byte of the text as it was.
    from: Vec<usize>,
}

impl Undone {
    /// Where a part of the text stands in the text as it was.
    pub(super) fn origin(&self, part: Range<usize>) -> Range<usize> {
        self.from[part.start]..self.from[part.end]
    }
}

/// The text with its escapes undone once, twice and so on, as long as there are any.
pub(super) fn undone(text: &str) -> Vec<Undone> {
    let mut layers: Vec<Undone> = Vec::new();
    while layers.len() < DEEPEST {
        let shown = layers.last().map_or(text, |layer| layer.text.as_str());
        let Some(mut next) = once(shown) else { break };
        if let Some(layer) = layers.last() {
            next.from.iter_mut().for_each(|at| *at = layer.from[*at]);
        }
        layers.push(next);
    }
    layers
}

/// None where nothing is escaped. Escapes of what is no text stay.
fn once(text: &str) -> Option<Undone> {
    let mut undone = Undone { text: String::new(), from: Vec::new() };
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let escaped: Vec<u8> = (0..).map_while(|number| escape(rest.as_bytes(), 3 * number)).collect();
        for chunk in escaped.utf8_chunks() {
            undone.text.push_str(chunk.valid());
            undone.from.extend((0..chunk.valid().len()).map(|byte| at + 3 * byte));
            at += 3 * chunk.valid().len();
            let end = at + 3 * chunk.invalid().len();
            undone.text.push_str(&text[at..end]);
            undone.from.extend(at..end);
            at = end;
        }
        // The first byte may be a percent sign that escapes nothing.
        let rest = &text[at..];
        let plain = rest.char_indices().skip(1).find(|(_, sign)| *sign == '%').map_or(rest.len(), |(place, _)| place);
        let plain = if escape(rest.as_bytes(), 0).is_some() { 0 } else { plain };
        undone.text.push_str(&rest[..plain]);
        undone.from.extend(at..at + plain);
        at += plain;
    }
    undone.from.push(text.len());
    (undone.text != text).then_some(undone)
}

/// The byte that an escape at a place stands for.
fn escape(text: &[u8], at: usize) -> Option<u8> {
    let [b'%', high, low] = text.get(at..at + 3)? else { return None };
    let digit = |sign: &u8| char::from(*sign).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone_as_often_as_they_were_made() {
        let text = "a=%C3%B6%2520b%zz%FF%é%";
        let layers = undone(text);
        let texts: Vec<&str> = layers.iter().map(|layer| layer.text.as_str()).collect();
        assert_eq!(texts, ["a=ö%20b%zz%FF%é%", "a=ö b%zz%FF%é%"]);
        let part = |layer: &Undone, wanted: &str| {
            let start = layer.text.find(wanted).expect("it stands there");
            text[layer.origin(start..start + wanted.len())].to_owned()
        };
        assert_eq!(part(&layers[1], "ö b"), "%C3%B6%2520b");
        assert_eq!(part(&layers[1], "é%"), "é%");
        assert_eq!(part(&layers[0], "%FF"), "%FF");
        assert!(undone("100 % of it, %").is_empty());
    }
}
