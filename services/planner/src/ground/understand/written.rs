//! What is to be written to somebody, or about something, where it stands without quotes at the end of the instruction. Pure.
//!
//! Everything behind `saying`, a colon or `that` is the text, so that no later reading looks for names and commands in it. Where a command
//! may follow in it, or a place, nobody can tell where the text ends, and the instruction is left as it is.

use super::phrase::{is_written, kind_of};
use super::verbs::{bare, is_verb};
use crate::ground::clause::set_quotes_aside;
use std::borrow::Cow;

/// What stands in front of a text.
const LEADS: [&str; 11] = [
    " saying that ",
    " saying: ",
    " saying ",
    " that says ",
    " which says ",
    " with the words ",
    " with the text ",
    " with the message ",
    " to say that ",
    " to say ",
    ": ",
];

/// `Send Paul a message saying the meeting starts at nine.` → `Send Paul a message saying "the meeting starts at nine"`; `Write to Paul: hello`
/// → `send a message to Paul saying "hello"`; `Comment on the release notes: well done` → `add a comment to the release notes saying …`.
pub(super) fn put_in_quotes(instruction: &str) -> Cow<'_, str> {
    rewritten(instruction).map_or(Cow::Borrowed(instruction), Cow::Owned)
}

fn rewritten(instruction: &str) -> Option<String> {
    let whole = instruction.trim();
    if whole.contains('\n') {
        return None;
    }
    let start = whole
        .rmatch_indices(['.', '!', '?', ';'])
        .map(|(at, _)| at + 1)
        .find(|at| whole.get(*at..).is_some_and(|rest| rest.starts_with(' ') && !rest.trim().is_empty()));
    let (before, sentence) = whole.split_at(start.unwrap_or(0));
    let sentence = sentence.trim();
    let command = ["please ", "Please ", "can you ", "Can you ", "could you ", "Could you "]
        .iter()
        .find_map(|lead| sentence.strip_prefix(lead))
        .unwrap_or(sentence);
    let said = Said::read(command)?;
    let head = said.head()?;
    let whole_text = said.text.trim_end_matches('.');
    let is_quoted =
        set_quotes_aside(whole_text).parts.len() == 1 && whole_text.ends_with(['"', '\u{201D}', '\'', '\u{2019}']);
    let text = if is_quoted {
        // Only the words around a text in quotes are put into those that are known.
        said.before.to_lowercase().starts_with("comment ").then(|| whole_text.to_owned())?
    } else {
        format!("\"{}\"", said.plain()?)
    };
    Some(format!("{before} {head} saying {text}").trim().to_owned())
}

/// A sentence, cut where its text begins.
struct Said<'a> {
    before: &'a str,
    lead: &'a str,
    text: &'a str,
}

impl<'a> Said<'a> {
    fn read(sentence: &'a str) -> Option<Said<'a>> {
        let that = [" that "].into_iter().filter(|_| tells(sentence));
        let (at, lead) = LEADS
            .into_iter()
            .chain(that)
            .filter_map(|lead| Some((sentence.find(lead)?, lead)))
            .min_by_key(|(at, lead)| (*at, usize::MAX - lead.len()))?;
        let text = sentence.get(at + lead.len()..)?.trim();
        let before = sentence.get(..at)?.trim_end_matches(',').trim();
        (!text.is_empty() && !before.contains(['"', '\u{201C}', '\u{201E}', ','])).then_some(Said {
            before,
            lead,
            text,
        })
    }

    /// What is in front of the text, in the words that are known.
    fn head(&self) -> Option<String> {
        let words: Vec<&str> = self.before.split_whitespace().collect();
        let (verb, rest) = words.split_first()?;
        let names_whom = rest.first().is_some_and(|word| word.starts_with(char::is_uppercase));
        let goes_to = |leads: &[&str]| rest.iter().any(|word| leads.contains(&bare(word).as_str()));
        let is_about =
            rest.iter().any(|word| kind_of(word).is_some_and(|kind| is_written(&kind)) || bare(word) == "review");
        let rest_of = |from: usize| rest.get(from..).unwrap_or_default().join(" ");
        match bare(verb).as_str() {
            "tell" | "message" | "text" | "dm" if names_whom && rest.len() <= 2 => {
                Some(format!("send {} a message", rest_of(0)))
            }
            "email" | "mail" if names_whom && rest.len() <= 2 => Some(format!("send {} an email", rest_of(0))),
            "let" if names_whom && rest.len() <= 3 && rest.last() == Some(&"know") => {
                Some(format!("send {} a message", rest.get(..rest.len() - 1)?.join(" ")))
            }
            "write" if rest.first() == Some(&"to") && rest.len() > 1 => {
                let whom = rest.get(1..)?;
                let is_name = whom.len() <= 2 && whom.iter().all(|word| word.starts_with(char::is_uppercase));
                is_name.then(|| format!("send a message to {}", whom.join(" ")))
            }
            "write" | "drop" if is_about && (names_whom || goes_to(&["to"])) => Some(format!("send {}", rest_of(0))),
            "post" | "write" | "send" if is_about && goes_to(&["in", "into"]) && !goes_to(&["to"]) => {
                let (what, place) = self.before.split_once(" in ").or_else(|| self.before.split_once(" into "))?;
                let (_, what) = what.split_once(' ')?;
                Some(format!("send {what} to {place}"))
            }
            "comment" if matches!(rest.first(), Some(&("on" | "under"))) && rest.len() > 1 => {
                Some(format!("add a comment to {}", rest_of(1)))
            }
            "send" if is_about && (names_whom || goes_to(&["to"])) => Some(self.before.to_owned()),
            "reply" | "respond" | "answer" if rest.len() > 1 => Some(self.before.to_owned()),
            "leave" | "add" | "post" | "put" | "write" | "attach"
                if is_about && goes_to(&["to", "on", "for", "under", "about"]) =>
            {
                let on = rest_of(0);
                let on = [" on ", " under ", " for "]
                    .iter()
                    .find_map(|lead| on.split_once(lead))
                    .map_or(on.clone(), |(what, on)| format!("{what} to {on}"));
                Some(format!("add {on}"))
            }
            _ => None,
        }
    }

    /// The text, where nobody could read its end as another command.
    fn plain(&self) -> Option<&'a str> {
        let text = self.text.trim_end_matches('.').trim_end();
        let words: Vec<&str> = text.split_whitespace().collect();
        let goes_on = words.windows(2).any(|pair| {
            let joins = matches!(bare(pair[0]).as_str(), "and" | "then" | "but") || pair[0].ends_with(',');
            joins && (is_verb(&bare(pair[1])) || bare(pair[1]) == "then")
        });
        let holds_marks =
            text.contains(['"', '\u{201C}', '\u{201E}', '$', '\u{27E6}']) || (self.lead == ": " && text.contains(": "));
        (!goes_on && !holds_marks && !text.is_empty()).then_some(text)
    }
}

/// Whether a sentence is of the kind in which what is told follows `that`.
fn tells(sentence: &str) -> bool {
    let words: Vec<&str> = sentence.split_whitespace().take(5).collect();
    let first = words.first().map(|word| bare(word)).unwrap_or_default();
    matches!(first.as_str(), "tell" | "reply" | "respond" | "answer" | "write" | "message" | "text")
        || (first == "let" && words.contains(&"know"))
        || (first == "send" && words.iter().any(|word| kind_of(word).is_some_and(|kind| is_written(&kind))))
}

#[cfg(test)]
mod tests {
    use crate::ground::understand::explain;

    fn read(sentence: &str) -> Vec<String> {
        explain(sentence).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_is_told_is_a_text_to_its_end() {
        for (sentence, goal) in [
            (
                "Send Paul a message saying the meeting starts at nine.",
                "send message: to = \"Paul\"; text = \"the meeting starts at nine\"",
            ),
            (
                "Send Paul a message that the meeting starts at nine.",
                "send message: to = \"Paul\"; text = \"the meeting starts at nine\"",
            ),
            (
                "Write to Paul: the meeting starts at nine.",
                "send message: to = \"Paul\"; text = \"the meeting starts at nine\"",
            ),
            (
                "Please tell Ben that the keys are on the table.",
                "send message: to = \"Ben\"; text = \"the keys are on the table\"",
            ),
            ("Let Ben know that I am late!", "send message: to = \"Ben\"; text = \"I am late!\""),
            ("Email Ben: see you soon", "send email: to = \"Ben\"; text = \"see you soon\""),
            (
                "Reply to the mail from Jonas that I will be there.",
                "reply mail of \"Jonas\": text = \"I will be there\"",
            ),
            (
                "Leave a comment on the release notes task saying Looks good.",
                "add comment in \"release notes task\": text = \"Looks good\"",
            ),
            (
                "Comment on the release notes task: Looks good",
                "add comment in \"release notes task\": text = \"Looks good\"",
            ),
            (
                "Comment on the release notes task saying \"Looks good\".",
                "add comment in \"release notes task\": text = \"Looks good\"",
            ),
            (
                "Post a message in the channel general: hello all",
                "send message: to = \"general\"; text = \"hello all\"",
            ),
            (
                "Add a note to the contact Nora Lind: prefers calls",
                "add note in \"Nora Lind\": text = \"prefers calls\"",
            ),
        ] {
            assert_eq!(read(sentence), [goal], "{sentence}");
        }
    }

    #[test]
    fn a_text_whose_end_cannot_be_told_is_not_sent() {
        for sentence in [
            "Send Paul a message saying the meeting starts at nine and archive the thread.",
            "Leave a comment saying Looks good on the release notes task.",
            "Write Paul a message: Subject: hello",
        ] {
            let goals = read(sentence);
            assert!(
                goals.iter().any(|goal| goal.starts_with("not understood"))
                    || !goals.iter().any(|goal| goal.contains("text = ")),
                "{sentence}: {goals:?}"
            );
        }
    }
}
