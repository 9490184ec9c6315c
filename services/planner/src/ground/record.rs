//! Requests about one message of a list, in everyday words: whose message, what is to be done, with which text, to whom.

use super::clause::Quoted;
use super::task::{Task, TaskAct, Thing};
use super::words::tokens;

/// A message and what is to be done with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Record {
    /// Whose message.
    pub anchor: String,
    /// What is to be done.
    pub verb: &'static str,
    /// Text to be sent with it.
    pub message: Option<String>,
    /// Whom it goes to.
    pub recipient: Option<String>,
}

const NOUNS: [&str; 7] = ["email", "emails", "message", "messages", "mail", "mails", "information"];

/// Commands that ask for a message without calling it one.
const TELLING: [&str; 5] = ["tell", "reply", "respond", "answer", "write"];

/// What can be done with a message, with the words that ask for it.
const VERBS: [(&str, &[&str]); 4] = [
    ("reply", &["reply", "respond", "answer", "write back", "responding", "replying"]),
    ("delete", &["delete", "deleted", "trash", "remove", "removed", "rid", "erase", "discard"]),
    ("star", &["star", "starred", "important", "flag", "favorite", "favourite", "mark"]),
    ("forward", &["forward", "forwarded", "foward", "fwd", "forwarding", "pass"]),
];

/// Reads a request about a message; `None` when the text is not one.
pub(crate) fn parse(quoted: &Quoted) -> Option<Record> {
    let words = tokens(&quoted.text);
    let speaks_of_message = words.iter().any(|word| NOUNS.contains(&word.as_str()));
    // `write ⟦0⟧ into the note`: to nobody.
    let writes_only = words.first().is_some_and(|word| word == "write")
        && !words.iter().any(|word| matches!(word.as_str(), "to" | "back"));
    let tells_somebody =
        !quoted.parts.is_empty() && !writes_only && words.first().is_some_and(|word| TELLING.contains(&word.as_str()));
    if !speaks_of_message && !tells_somebody {
        return None;
    }
    let names = names(&quoted.text);
    let message = quoted.parts.first().cloned();
    let verb = verb_of(&quoted.text, message.is_some(), names.len())?;
    let recipient = if verb == "forward" { recipient(&names) } else { None };
    // Nobody forwards a message to nobody.
    if verb == "forward" && recipient.is_none() {
        return None;
    }
    let anchor = names
        .iter()
        .filter(|name| Some(&name.text) != recipient.as_ref())
        .max_by_key(|name| name.sender_likelihood())
        .or(names.first().filter(|_| recipient.is_none()))?;
    Some(Record { anchor: anchor.text.clone(), verb, message, recipient })
}

impl Record {
    /// What it comes to.
    pub(crate) fn task(&self) -> Task {
        let act = match self.verb {
            "reply" => TaskAct::Reply,
            "delete" => TaskAct::Remove,
            "forward" => TaskAct::Forward,
            _ => TaskAct::Mark,
        };
        let thing = Thing { kind: "email".to_owned(), of: self.anchor.clone(), ..Thing::default() };
        let mut task = Task { act, thing, values: Vec::new() };
        task.give("state", if self.verb == "star" { "star" } else { "" }, false);
        task.give("to", self.recipient.as_deref().unwrap_or_default(), false);
        task.give("text", self.message.as_deref().unwrap_or_default(), true);
        task
    }
}

fn verb_of(text: &str, has_message: bool, names: usize) -> Option<&'static str> {
    let words = tokens(text);
    let named = VERBS.iter().find(|(_, forms)| words.iter().any(|word| forms.contains(&word.as_str())));
    match named {
        Some((verb, _)) => Some(verb),
        None if has_message => Some("reply"),
        None if names >= 2 => Some("forward"),
        None => None,
    }
}

/// A proper name in a text, with the words around it.
struct Name {
    text: String,
    before: [String; 2],
    after: [String; 2],
    possessive: bool,
}

fn names(text: &str) -> Vec<Name> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let lower = |index: Option<usize>| {
        index.and_then(|index| words.get(index)).map(|word| tokens(word).join("")).unwrap_or_default()
    };
    let mut names = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let possessive = bare.ends_with("'s") || bare.ends_with("\u{2019}s");
        let name = bare.trim_end_matches("'s").trim_end_matches("\u{2019}s");
        let is_first = index == 0 || words.get(index - 1).is_some_and(|word| word.ends_with(['.', '!', '?']));
        if !name.starts_with(|c: char| c.is_uppercase()) || name.chars().count() < 2 {
            continue;
        }
        if is_first && !possessive && !acts(&lower(Some(index + 1))) {
            continue;
        }
        names.push(Name {
            text: name.to_owned(),
            before: [lower(index.checked_sub(1)), lower(index.checked_sub(2))],
            after: [lower(Some(index + 1)), lower(Some(index + 2))],
            possessive,
        });
    }
    names
}

/// Whether a word tells what somebody does: the name at the beginning of a sentence is then a subject, not a command.
fn acts(word: &str) -> bool {
    matches!(
        word,
        "is" | "wants"
            | "want"
            | "needs"
            | "wrote"
            | "sent"
            | "asked"
            | "would"
            | "should"
            | "must"
            | "has"
            | "emailed"
    )
}

impl Name {
    fn sender_likelihood(&self) -> u32 {
        let before = |word: &str| self.before[0] == word;
        let writes = matches!(self.after[0].as_str(), "wrote" | "sent" | "emailed");
        let owns =
            self.possessive || (self.after[0] == "wants" && matches!(self.after[1].as_str(), "his" | "her" | "their"));
        u32::from(before("from") || before("by")) * 4 + u32::from(writes) * 3 + u32::from(owns) * 3
    }

    fn recipient_likelihood(&self) -> u32 {
        let given = matches!(self.before[0].as_str(), "give" | "send" | "forward" | "show" | "pass" | "let");
        let waits = matches!(self.after[0].as_str(), "is" | "needs" | "should" | "must" | "would")
            || (self.after[0] == "wants" && !matches!(self.after[1].as_str(), "his" | "her" | "their"));
        u32::from(self.before[0] == "to") * 4 + u32::from(given && !self.possessive) * 3 + u32::from(waits) * 2
    }
}

/// The name that most looks like where something goes, when it looks less like where it came from.
fn recipient(names: &[Name]) -> Option<String> {
    names
        .iter()
        .filter(|name| name.recipient_likelihood() > name.sender_likelihood())
        .max_by_key(|name| name.recipient_likelihood())
        .map(|name| name.text.clone())
}

#[cfg(test)]
mod tests {
    use super::super::clause::set_quotes_aside;
    use super::*;

    fn read(text: &str) -> (&'static str, String, Option<String>, Option<String>) {
        let record = parse(&set_quotes_aside(text)).unwrap();
        (record.verb, record.anchor, record.recipient, record.message)
    }

    #[test]
    fn who_wrote_and_who_receives_is_told_by_the_words_around_the_names() {
        let forward = |from: &str, to: &str| ("forward", from.into(), Some(to.into()), None);
        assert_eq!(read("Give Ann the message you received from Bob,"), forward("Bob", "Ann"));
        assert_eq!(read("Send Ann the information Bob sent to you."), forward("Bob", "Ann"));
        assert_eq!(read("Ann is waiting for the email by Bob."), forward("Bob", "Ann"));
        assert_eq!(read("Bob wants his or her message to be sent to Ann."), forward("Bob", "Ann"));
        assert_eq!(read("Find Bob's email and send it to Ann."), forward("Bob", "Ann"));
        assert_eq!(read("Send Ann Bob's email."), forward("Bob", "Ann"));
        assert_eq!(read("Ann must be forwarded email from Bob."), forward("Bob", "Ann"));
        assert_eq!(read("Let Ann receive the email message by Bob."), forward("Bob", "Ann"));
        assert_eq!(parse(&set_quotes_aside("The email from Bob is to be forwarded.")), None);
    }

    #[test]
    fn what_to_do_is_told_by_verbs_and_quoted_text() {
        assert_eq!(read("Bob's email should be deleted from the inbox."), ("delete", "Bob".into(), None, None));
        assert_eq!(read("Email Bob the message, \"Amet, a.\""), ("reply", "Bob".into(), None, Some("Amet, a.".into())));
        assert_eq!(
            read("Please find the email Bob sent me and file it as important"),
            ("star", "Bob".into(), None, None)
        );
    }
}
