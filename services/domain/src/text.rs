//! Texts as people see and are shown them. Pure.

use std::borrow::Cow;
use unicode_normalization::{UnicodeNormalization as _, is_nfc};

/// Whether a character is invisible: soft hyphens, zero-width joiners and spaces, direction marks, variation selectors.
pub fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

/// A text with each letter and its marks as one character (Unicode normalisation form C), as most keyboards write it.
pub fn composed(text: &str) -> Cow<'_, str> {
    match text.is_ascii() || is_nfc(text) {
        true => text.into(),
        false => text.nfc().collect::<String>().into(),
    }
}

/// A text as it is compared: every run of white space is one blank, none at the ends, letters composed, and no invisible characters.
pub fn fold(text: &str) -> String {
    let composed = composed(text);
    let shown: Cow<'_, str> = if composed.contains(is_invisible) {
        composed.chars().filter(|character| !is_invisible(*character)).collect::<String>().into()
    } else {
        composed
    };
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text as a terminal may show it: what would move its cursor, change its colours or turn the direction of what follows is
/// spelled out, `<U+001B>`. Line breaks and tabs stay.
pub fn spelled(text: &str) -> Cow<'_, str> {
    if !text.contains(commands_terminals) {
        return text.into();
    }
    let spell = |sign: char| match commands_terminals(sign) {
        true => format!("<U+{:04X}>", u32::from(sign)),
        false => sign.to_string(),
    };
    text.chars().map(spell).collect::<String>().into()
}

/// Whether a character is a control character, or sets the direction of text (Unicode, UAX #9).
pub fn commands_terminals(sign: char) -> bool {
    let is_break = matches!(sign, '\n' | '\t');
    (sign.is_control() && !is_break)
        || matches!(sign, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

/// The first `most` characters of a text, with an ellipsis where something was left out.
pub fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_makes_no_difference_to_a_folded_text() {
        assert_eq!(fold(" three\u{200b}\n cra\u{ad}tes\u{fe0f} "), "three crates");
        assert_ne!(fold("15"), fold("1,5"));
        assert_eq!(fold("A\u{308}ndern"), "Ändern");
    }

    #[test]
    fn what_commands_a_terminal_is_spelled_out() {
        assert_eq!(spelled("\u{1b}[31mred\u{7}"), "<U+001B>[31mred<U+0007>");
        assert_eq!(spelled("abc\u{202e}cba \u{9b}2J"), "abc<U+202E>cba <U+009B>2J");
        assert_eq!(spelled("größer\n\tשלום"), "größer\n\tשלום");
    }

    #[test]
    fn a_text_is_cut_at_a_character_and_says_so() {
        assert_eq!(shorten("größer", 3), "grö…");
        assert_eq!(shorten("größer", 6), "größer");
    }
}
