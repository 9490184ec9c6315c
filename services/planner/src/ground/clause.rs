//! Cutting an instruction into clauses: quoted text is set aside first, then sentences and commands are separated.

/// An instruction whose quoted parts are set aside.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quoted {
    /// The text with every quoted part replaced by a mark.
    pub text: String,
    /// The quoted parts.
    pub parts: Vec<String>,
}

/// Begins the mark that stands for a quoted part.
pub(crate) const OPEN_MARK: char = '\u{27E6}';
/// Ends the mark that stands for a quoted part.
pub(crate) const CLOSE_MARK: char = '\u{27E7}';

/// Sets quoted parts aside: `Click "OK"` becomes `Click ⟦0⟧`. Apostrophes within words are left alone.
pub(crate) fn set_quotes_aside(text: &str) -> Quoted {
    let letters: Vec<char> = text.chars().collect();
    let mut quoted = Quoted::default();
    let mut at = 0;
    while let Some(letter) = letters.get(at) {
        let before_is_word = at > 0 && letters.get(at - 1).is_some_and(|c| c.is_alphanumeric());
        let close = match letter {
            '"' => Some('"'),
            '\u{201C}' => Some('\u{201D}'),
            '\'' if !before_is_word => Some('\''),
            '\u{2018}' if !before_is_word => Some('\u{2019}'),
            '\u{201E}' => Some('\u{201C}'),
            '\u{AB}' => Some('\u{BB}'),
            '\u{2039}' => Some('\u{203A}'),
            '`' if !before_is_word => Some('`'),
            _ => None,
        };
        let end = close.and_then(|close| closing(&letters, at + 1, close));
        match end {
            Some(end) => {
                let inner: String = letters[at + 1..end].iter().collect();
                quoted.text.push_str(&format!(" {OPEN_MARK}{}{CLOSE_MARK} ", quoted.parts.len()));
                quoted.parts.push(inner);
                at = end + 1;
            }
            None => {
                quoted.text.push(*letter);
                at += 1;
            }
        }
    }
    quoted
}

fn closing(letters: &[char], from: usize, close: char) -> Option<usize> {
    let ends_word = |at: usize| letters.get(at + 1).is_none_or(|next| !next.is_alphanumeric());
    (from..letters.len()).find(|at| letters[*at] == close && *at > from && (close == '"' || ends_word(*at)))
}

impl Quoted {
    /// The quoted part that a word stands for.
    pub(crate) fn part(&self, word: &str) -> Option<&str> {
        let index = word.trim_matches(|c: char| c != OPEN_MARK && c != CLOSE_MARK && !c.is_ascii_digit());
        let index = index.strip_prefix(OPEN_MARK)?.strip_suffix(CLOSE_MARK)?;
        self.parts.get(index.parse::<usize>().ok()?).map(String::as_str)
    }

    /// A text with its quoted parts put back, without the quotes.
    pub(crate) fn restore(&self, text: &str) -> String {
        let mut restored = text.to_owned();
        for (index, part) in self.parts.iter().enumerate() {
            restored = restored.replace(&format!("{OPEN_MARK}{index}{CLOSE_MARK}"), part);
        }
        super::words::fold(&restored)
    }

    /// The quoted parts that a text refers to, in order.
    pub(crate) fn parts_in<'a>(&'a self, text: &'a str) -> impl Iterator<Item = &'a str> {
        text.split_whitespace().filter_map(|word| self.part(word))
    }
}

/// What a verb asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Click, press, tap.
    Click,
    /// Enter, type, write.
    Enter,
    /// Select, choose, check.
    Choose,
    /// Uncheck, deselect.
    Clear,
    /// Focus.
    Focus,
    /// Expand, open, show.
    Reveal,
    /// Close, dismiss.
    Close,
    /// Find, look for: names what the next clause is about.
    Find,
    /// Navigate, switch, scroll: says how to look, not what to do.
    Wander,
    /// Search for.
    Search,
    /// Use something to do the rest.
    Use,
    /// Hover, point at.
    Hover,
    /// Double-click.
    DoubleClick,
    /// Drag, move.
    Drag,
    /// Accept, confirm: says yes to a dialog.
    Accept,
    /// Cancel: says no to a dialog.
    Cancel,
}

const VERBS: [(&str, Act); 52] = [
    ("accept", Act::Accept),
    ("confirm", Act::Accept),
    ("cancel", Act::Cancel),
    ("decline", Act::Cancel),
    ("click", Act::Click),
    ("press", Act::Click),
    ("tap", Act::Click),
    ("hit", Act::Click),
    ("push", Act::Click),
    ("enter", Act::Enter),
    ("type", Act::Enter),
    ("write", Act::Enter),
    ("input", Act::Enter),
    ("fill", Act::Enter),
    ("put", Act::Enter),
    ("select", Act::Choose),
    ("choose", Act::Choose),
    ("pick", Act::Choose),
    ("check", Act::Choose),
    ("tick", Act::Choose),
    ("uncheck", Act::Clear),
    ("deselect", Act::Clear),
    ("untick", Act::Clear),
    ("unselect", Act::Clear),
    ("focus", Act::Focus),
    ("expand", Act::Reveal),
    ("open", Act::Reveal),
    ("unfold", Act::Reveal),
    ("show", Act::Reveal),
    ("reveal", Act::Reveal),
    ("close", Act::Close),
    ("dismiss", Act::Close),
    ("find", Act::Find),
    ("locate", Act::Find),
    ("look", Act::Find),
    ("identify", Act::Find),
    ("navigate", Act::Wander),
    ("switch", Act::Wander),
    ("scroll", Act::Wander),
    ("go", Act::Wander),
    ("browse", Act::Wander),
    ("search", Act::Search),
    ("book", Act::Search),
    ("buy", Act::Search),
    ("order", Act::Search),
    ("reserve", Act::Search),
    ("use", Act::Use),
    ("using", Act::Use),
    ("hover", Act::Hover),
    ("double-click", Act::DoubleClick),
    ("doubleclick", Act::DoubleClick),
    ("drag", Act::Drag),
];

/// What a word asks for when it stands where a command begins; `None` when it is not a known verb.
pub(crate) fn verb(word: &str) -> Option<Act> {
    let word = word.to_lowercase();
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    VERBS.iter().find(|(name, _)| *name == word).map(|(_, act)| *act)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apostrophes_do_not_open_quotes() {
        assert_eq!(set_quotes_aside("Find Coletta's email and Evy's.").parts.len(), 0);
        assert_eq!(set_quotes_aside("Click 'OK' now").parts, ["OK"]);
    }
}
