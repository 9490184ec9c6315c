//! A text within a limit of tokens, with the word of what was left out.

/// A text that was cut where it was too long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capped {
    /// At most as long as allowed, but for the last line, which says what is missing.
    pub text: String,
    /// Tokens that were left out.
    pub left_out: usize,
}

/// The first lines of a text that fit into a limit; of a single longer line as much as fits. What is left out is said.
pub fn cap(text: &str, limit: usize) -> Capped {
    let all = tokens(text);
    if all <= limit {
        return Capped { text: text.to_owned(), left_out: 0 };
    }
    let end = text.floor_char_boundary(limit * CHARACTERS);
    let kept = text[..end].rfind('\n').map_or(&text[..end], |line| &text[..line]);
    let left_out = all - tokens(kept);
    Capped { text: format!("{kept}…\n(about {left_out} more tokens of the page are left out)"), left_out }
}

/// Bytes of a token, about.
const CHARACTERS: usize = 4;

/// Tokens of a text, estimated at four characters each.
pub fn tokens(text: &str) -> usize {
    text.len().div_ceil(CHARACTERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_within_the_limit_stays_as_it_is() {
        assert_eq!(cap("abcd", 1), Capped { text: "abcd".into(), left_out: 0 });
    }

    #[test]
    fn whole_lines_are_kept_and_what_is_left_out_is_said() {
        let text = "first line\nsecond line\nthird line";
        let capped = cap(text, 6);
        assert_eq!(capped.text, "first line\nsecond line…\n(about 3 more tokens of the page are left out)");
        assert_eq!(cap("größer und größer", 1).text, "grö…\n(about 5 more tokens of the page are left out)");
    }
}
