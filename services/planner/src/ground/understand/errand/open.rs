//! Reading what is to be opened.

use super::Reader;
use crate::ground::task::{Task, TaskAct, Thing};
use crate::ground::understand::phrase;
use crate::ground::understand::verbs::bare;
use crate::ground::words::is_function_word;

impl Reader<'_> {
    pub(super) fn open(&self, rest: &[&str]) -> Option<Vec<Task>> {
        // `the details of ⟦0⟧` are shown where it is opened.
        let (rest, is_detailed) = match rest.iter().position(|word| bare(word) == "details") {
            Some(at) if at <= 1 && rest.get(at + 1).is_some_and(|word| matches!(bare(word).as_str(), "of" | "for")) => {
                (rest.get(at + 2..)?, true)
            }
            _ => (rest, false),
        };
        // `the page where I can change my password`
        let able = rest.windows(3).position(|part| {
            matches!(part, [whither, who, may] if bare(whither) == "where"
                && matches!(bare(who).as_str(), "i" | "you" | "we") && matches!(bare(may).as_str(), "can" | "could"))
        });
        if let Some(at) = able {
            // Who wants the page where something is cancelled wants nothing cancelled.
            const LOOKED_AT: [&str; 10] =
                ["change", "see", "view", "find", "edit", "update", "manage", "check", "read", "set"];
            let verb = rest.get(at + 3).map(|word| bare(word)).filter(|verb| LOOKED_AT.contains(&verb.as_str()));
            verb?;
            let doing: Vec<&str> =
                rest.get(at + 3..)?.iter().filter(|word| !is_function_word(&bare(word))).copied().collect();
            let name = phrase::text(self.quoted, &doing);
            let thing = Thing { kind: "page".to_owned(), name, ..Thing::default() };
            return Some(vec![Task { act: TaskAct::Open, thing, values: Vec::new() }]).filter(|_| !doing.is_empty());
        }
        let mut thing = self.thing_of(rest)?;
        // `the list of users`
        if let Some(of) = thing.name.strip_prefix("of ").filter(|_| thing.kind == "list" && !thing.quoted) {
            thing.name = of.to_owned();
        }
        // `the employee record for Dao`: what shows him.
        if matches!(thing.kind.as_str(), "record" | "profile" | "file" | "account" | "card" | "entry")
            && !thing.quoted
            && thing.name.chars().all(char::is_lowercase)
            && let [place] = thing.places.as_slice()
            && place.name.starts_with(char::is_uppercase)
        {
            thing = Thing::of_place(place);
        }
        // `the settings` is the name of a page, not a kind of thing, where nothing else is said.
        if thing.anchor().is_empty() && thing.ordinal.is_none() {
            let head: Vec<&str> = rest
                .iter()
                .take_while(|word| !matches!(bare(word).as_str(), "in" | "of" | "on" | "from"))
                .copied()
                .collect();
            thing.name = phrase::text(self.quoted, &phrase::without_determiners(&head));
            thing.kind = String::new();
        }
        // `the user settings` are one name; `the issue Crash` is a thing of a kind.
        let head = phrase::without_determiners(rest);
        let begins_with_kind = head.len() == 2
            && head.first().and_then(|word| phrase::kind_of(word)).is_some_and(|kind| kind == thing.kind);
        if begins_with_kind && !thing.quoted && thing.name.starts_with(|letter: char| letter.is_lowercase()) {
            thing.name = phrase::text(self.quoted, &head);
            thing.kind = String::new();
        }
        if thing.anchor().is_empty() && thing.ordinal.is_none() {
            return None;
        }
        let mut task = Task { act: TaskAct::Open, thing, values: Vec::new() };
        task.give("show", if is_detailed { "details" } else { "" }, false);
        Some(vec![task])
    }
}
