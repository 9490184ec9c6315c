//! Reading what is to be marked: as done, as read, as on; checked and ticked.

use super::Reader;
use crate::ground::task::{Task, TaskAct, Thing};
use crate::ground::understand::phrase::{self, parts};
use crate::ground::understand::verbs::bare;

impl Reader<'_> {
    pub(super) fn mark(&self, rest: &[&str]) -> Option<Vec<Task>> {
        const STATES: [&str; 18] = [
            "done",
            "complete",
            "completed",
            "finished",
            "read",
            "unread",
            "important",
            "incomplete",
            "undone",
            "favourite",
            "favorite",
            "resolved",
            "solved",
            "paid",
            "spam",
            "closed",
            "urgent",
            "unimportant",
        ];
        let (subject, state): (&[&str], Vec<&str>) = match rest.iter().rposition(|word| bare(word) == "as") {
            Some(at) => (rest.get(..at)?, phrase::without_determiners(rest.get(at + 1..)?)),
            None => {
                let last = rest.last().filter(|word| STATES.contains(&bare(word).as_str()))?;
                (rest.get(..rest.len() - 1)?, vec![*last])
            }
        };
        // The place may stand behind the state: `as completed in my list`. `in progress` is a state.
        const PHRASES: [&str; 12] = [
            "in progress",
            "in review",
            "in transit",
            "in use",
            "in stock",
            "on hold",
            "on leave",
            "on loan",
            "out of stock",
            "out of order",
            "to do",
            "up to date",
        ];
        let begun = |phrase: &&&str| {
            phrase.split(' ').zip(&state).all(|(word, said)| bare(said) == word)
                && phrase.split(' ').count() <= state.len()
        };
        let taken = PHRASES.iter().find(begun).map_or(0, |phrase| phrase.split(' ').count());
        let text = state.get(taken..).unwrap_or_default().join(" ");
        let mut cut = parts(&text).into_iter();
        let behind = cut.next()?.words;
        let mut state: Vec<&str> = state.iter().take(taken).copied().chain(behind).collect();
        let mut places = Vec::new();
        for part in cut {
            places.push(phrase::place(self.quoted, &part.words)?);
        }
        let mut act = TaskAct::Mark;
        let first = state.first().map(|word| bare(word))?;
        if first == "not" {
            act = TaskAct::Unmark;
            state.remove(0);
        }
        // `as absent today`: when it is said of is now.
        while state.len() > 1
            && state.last().is_some_and(|last| matches!(bare(last).as_str(), "today" | "now" | "again"))
        {
            state.pop();
        }
        let mut word = phrase::text(self.quoted, &state).to_lowercase();
        match word.as_str() {
            "undone" | "incomplete" | "uncompleted" | "unfinished" => {
                (act, word) = (TaskAct::Unmark, "done".to_owned())
            }
            "unimportant" => (act, word) = (TaskAct::Unmark, "important".to_owned()),
            _ => {}
        }
        let mut thing = self.thing_of(subject)?;
        if thing.name == "everything" || (subject.len() == 1 && bare(subject[0]) == "everything") {
            thing = Thing { all: true, places: thing.places, ..Thing::default() };
        }
        thing.places.extend(places);
        let mut task = Task { act, thing, values: Vec::new() };
        task.give("state", &word, false);
        Some(vec![task])
    }

    pub(super) fn mark_as(&self, act: TaskAct, state: &str, rest: &[&str]) -> Option<Vec<Task>> {
        // `tick ⟦0⟧ off`; behind it may stand where it is taken off: `off my list`.
        let is_particle = |at: usize| at + 1 == rest.len() || at == 0;
        let rest: Vec<&str> = rest
            .iter()
            .enumerate()
            .filter(|(at, word)| !(bare(word) == "off" && is_particle(*at)))
            .map(|(_, word)| *word)
            .collect();
        let mut things = match self.several(&rest) {
            Some(things) => things,
            // `turn on reminders by SMS`: a switch is called by a whole phrase.
            None if state == "on" && phrase::quote(self.quoted, &rest).is_none() && (2..=6).contains(&rest.len()) => {
                let name = phrase::text(self.quoted, &phrase::without_determiners(&rest));
                vec![Thing { name, ..Thing::default() }]
            }
            None => return None,
        };
        // `turn on notifications`: what is called like a kind of thing is a name here.
        for thing in
            things.iter_mut().filter(|thing| thing.anchor().is_empty() && !thing.all && thing.ordinal.is_none())
        {
            let head: Vec<&str> = rest
                .iter()
                .take_while(|word| !matches!(bare(word).as_str(), "in" | "on" | "of" | "for" | "from"))
                .copied()
                .collect();
            thing.name = phrase::text(self.quoted, &phrase::without_determiners(&head));
            thing.kind = String::new();
        }
        let general = |thing: &Thing| thing.anchor().is_empty() && thing.ordinal.is_none() && !thing.all;
        if things.iter().any(general) {
            return None;
        }
        let marked = |thing| {
            let mut task = Task { act: act.clone(), thing, values: Vec::new() };
            task.give("state", state, false);
            task
        };
        Some(things.into_iter().map(marked).collect())
    }

    /// `check ⟦0⟧`, `tick off eggs`; several choices without quotes are left to the choosing of controls.
    pub(super) fn check(&self, act: TaskAct, rest: &[&str]) -> Option<Vec<Task>> {
        let quotes = rest.iter().filter(|word| self.quoted.part(word).is_some()).count();
        let is_list = rest.iter().any(|word| bare(word) == "and" || word.ends_with(','));
        let speaks_of_controls = rest
            .iter()
            .any(|word| matches!(bare(word).as_str(), "radio" | "radios" | "options" | "boxes" | "checkboxes"));
        // `tick ⟦0⟧ for the role ⟦1⟧`: the second name says where.
        let text = rest.join(" ");
        let is_placed = quotes == 2
            && parts(&text).iter().skip(1).any(|part| {
                matches!(part.lead.as_str(), "for" | "in" | "of" | "under")
                    && phrase::quote(self.quoted, &part.words).is_some()
            });
        if speaks_of_controls || (quotes != 1 && is_list) || (quotes > 1 && !is_placed) {
            return None;
        }
        let boxless: Vec<&str> =
            rest.iter().filter(|word| !matches!(bare(word).as_str(), "box" | "checkbox")).copied().collect();
        let boxless = match boxless.first().map(|word| bare(word)).as_deref() {
            Some("the") if boxless.get(1).is_some_and(|word| matches!(bare(word).as_str(), "of" | "for" | "next")) => {
                boxless.get(2..).unwrap_or_default().iter().filter(|word| bare(word) != "to").copied().collect()
            }
            _ => boxless,
        };
        let is_off = rest.iter().any(|word| bare(word) == "off") && act == TaskAct::Mark;
        self.mark_as(act, if is_off { "done" } else { "checked" }, &boxless)
    }
}
