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

const VERBS: [(&str, Act); 53] = [
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
    ("set", Act::Enter),
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

/// Verbs of applications that are not among the commands but begin a clause all the same.
fn is_other_verb(word: &str) -> bool {
    const OTHERS: [&str; 15] = [
        "forward", "reply", "delete", "remove", "send", "star", "mark", "share", "like", "retweet", "give", "email",
        "move", "submit", "copy",
    ];
    OTHERS.contains(&word.to_lowercase().as_str())
}

/// Separates commands: at ends of sentences, and where `and`, `then` or a comma is followed by a verb.
pub(crate) fn clauses(text: &str) -> Vec<String> {
    let mut clauses = Vec::new();
    let mut clause: Vec<&str> = Vec::new();
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if let Some(skip) = connector(&words, at) {
            flush(&mut clauses, &mut clause);
            at += skip;
            continue;
        }
        clause.push(word);
        if ends_sentence(word, words.get(at + 1).copied()) || (word.ends_with(',') && starts_command(&words, at + 1)) {
            flush(&mut clauses, &mut clause);
        }
        at += 1;
    }
    flush(&mut clauses, &mut clause);
    clauses
}

fn flush(clauses: &mut Vec<String>, clause: &mut Vec<&str>) {
    let text = clause.join(" ");
    let text = text.trim_end_matches(['.', ',', ';', '!', '?']).trim();
    if !text.is_empty() {
        clauses.push(text.to_owned());
    }
    clause.clear();
}

/// How many words a connector takes when one stands here and a command follows.
fn connector(words: &[&str], at: usize) -> Option<usize> {
    let lower = |offset: usize| words.get(at + offset).map(|word| word.to_lowercase()).unwrap_or_default();
    let length = match (lower(0).as_str(), lower(1).as_str()) {
        ("and", "then" | "finally") => 2,
        ("and" | "then" | "finally" | "then,", _) => 1,
        ("to", _) if at > 0 && words.get(at - 1).is_some_and(|word| word.ends_with(',')) => 1,
        ("tabs" | "sections" | "menu" | "tree", "to") => return None,
        ("to", "find") => 1,
        _ => return None,
    };
    (at > 0 && starts_command(words, at + length)).then_some(length)
}

fn starts_command(words: &[&str], at: usize) -> bool {
    words.get(at).is_some_and(|word| verb(word).is_some() || is_other_verb(word))
}

fn ends_sentence(word: &str, next: Option<&str>) -> bool {
    let ends = word.ends_with(['.', '!', '?', ';']) && word.chars().filter(|c| c.is_alphanumeric()).count() != 1;
    ends && next.is_none_or(|next| next.starts_with(|c: char| c.is_uppercase() || c == OPEN_MARK))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<String> {
        let quoted = set_quotes_aside(text);
        clauses(&quoted.text).iter().map(|clause| quoted.restore(clause)).collect()
    }

    #[test]
    fn commands_are_separated_and_lists_are_not() {
        assert_eq!(
            cut("Select Korea and Peru, Chad and click Submit."),
            ["Select Korea and Peru, Chad", "click Submit"]
        );
        assert_eq!(
            cut("Click the \"Menu\" button, and then find and click on the item labeled \"Save\"."),
            ["Click the Menu button", "find", "click on the item labeled Save"]
        );
    }

    #[test]
    fn a_quoted_sentence_stays_whole() {
        assert_eq!(
            cut("Find the email by Ann and reply to them with the text \"Est. Sit. Click it.\"."),
            ["Find the email by Ann", "reply to them with the text Est. Sit. Click it."]
        );
    }

    #[test]
    fn apostrophes_do_not_open_quotes() {
        assert_eq!(set_quotes_aside("Find Coletta's email and Evy's.").parts.len(), 0);
        assert_eq!(set_quotes_aside("Click 'OK' now").parts, ["OK"]);
    }
}
