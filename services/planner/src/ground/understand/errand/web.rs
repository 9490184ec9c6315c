//! What is kept, and addresses on the web as values of what is made: `a bookmark of https://…`, `a redirect from /a to the URL /b`.

use super::{Reader, is_filler};
use crate::ground::task::{Given, Task, TaskAct, Thing};
use crate::ground::understand::phrase::{self, Part};
use crate::ground::understand::verbs::bare;

impl Reader<'_> {
    /// `https://… with the title ⟦0⟧`, `https://… as ⟦0⟧`: an address that is kept.
    pub(super) fn kept_address(&self, words: &[&str]) -> Option<Vec<Task>> {
        let (verb, rest) = words.split_first()?;
        let (address, tail) = rest.split_first().filter(|(address, _)| address.contains("://"))?;
        if !matches!(bare(verb).as_str(), "save" | "bookmark" | "store" | "keep" | "add") {
            return None;
        }
        let thing = Thing { kind: "bookmark".to_owned(), ..Thing::default() };
        let mut task = Task { act: TaskAct::Add, thing, values: Vec::new() };
        task.give("URL", &phrase::text(self.quoted, &[*address]), false);
        let values = match tail.split_first() {
            None => Vec::new(),
            // `as a webhook` says what it is, and no title.
            Some((lead, name)) if bare(lead) == "as" && phrase::is_proper(name) => vec![self.value("title", name)],
            Some((lead, values)) if bare(lead) == "with" => self.pairs(values)?,
            Some(_) => return None,
        };
        for given in values {
            if given.field == "title" && task.thing.name.is_empty() {
                (task.thing.name, task.thing.quoted) = (given.value, given.quoted);
            } else {
                task.values.push(given);
            }
        }
        Some(vec![task])
    }

    /// `save ⟦0⟧ to my favourites` puts something somewhere; `save the changes` presses a button.
    pub(super) fn save(&self, rest: &[&str]) -> Option<Vec<Task>> {
        let names_one = rest.iter().any(|word| !is_filler(word) && !super::is_general(word));
        let goes_somewhere = rest.iter().any(|word| matches!(bare(word).as_str(), "to" | "in" | "into" | "on"));
        if names_one && goes_somewhere { self.add(rest) } else { None }
    }

    /// The address that a part says, for the field that it names or that its lead means.
    pub(super) fn web_address(&self, thing: &Thing, part: &Part<'_>) -> Option<Given> {
        let (address, field) = part.words.split_last().filter(|(address, _)| is_web_address(address))?;
        let named = phrase::text(self.quoted, &phrase::without_determiners(field));
        let field = match part.lead.as_str() {
            _ if !named.is_empty() => named,
            "of" | "for" | "at" | "with" => "URL".to_owned(),
            // `a redirect from /a to /b`
            "from" | "to" => format!("{} {}", thing.kind, part.lead),
            _ => return None,
        };
        Some(Given { field, value: phrase::text(self.quoted, &[*address]), quoted: false })
    }
}

/// Whether a word is an address on the web, or the path of one.
pub(super) fn is_web_address(word: &str) -> bool {
    let word = word.trim_end_matches([',', '.', ';']);
    word.contains("://") || word.starts_with("www.") || (word.starts_with('/') && word.len() > 1)
}
