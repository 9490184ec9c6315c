//! Reading what is to be changed: which value of which thing, and what it is to be.

use super::Reader;
use crate::ground::task::{Task, TaskAct, Thing};
use crate::ground::understand::moment;
use crate::ground::understand::phrase::{self, kind_of};
use crate::ground::understand::verbs::bare;

impl Reader<'_> {
    /// `the date of ⟦0⟧ to ⟦1⟧`, `its title to ⟦0⟧`, `⟦0⟧'s title to ⟦1⟧`, `the language to German`.
    pub(super) fn change(&self, rest: &[&str]) -> Option<Vec<Task>> {
        // `switch between the tabs to find …` says how to look.
        if matches!(
            rest.first().map(|word| bare(word)).as_deref(),
            Some("between" | "through" | "over" | "around" | "back")
        ) {
            return None;
        }
        // `set an alarm for 7 am`, `set a reminder to pay the rent` make one.
        let makes = self.phrase == "set" && rest.first().is_some_and(|word| matches!(bare(word).as_str(), "a" | "an"));
        let is_kind = rest.get(1).is_some_and(|word| matches!(bare(word).as_str(), "reminder" | "alarm"));
        let Some((subject, value)) = self.cut_at_value(rest).filter(|_| !(makes && is_kind)) else {
            return if makes { self.add(rest) } else { None };
        };
        // `from low to high`: the old value says nothing about the new one.
        let old = subject.iter().rposition(|word| bare(word) == "from").filter(|at| *at > 0);
        let subject = subject.get(..old.unwrap_or(subject.len()))?;
        let mut task = Task { act: TaskAct::Edit, ..Task::default() };
        // `replace ⟦0⟧ with ⟦1⟧` puts one thing in the place of another.
        if self.phrase == "replace"
            && (phrase::quote(self.quoted, subject).is_some() || !phrase::thing(self.quoted, subject).kind.is_empty())
        {
            return None;
        }
        // `shorten the review to 60 minutes`
        if matches!(self.phrase, "shorten" | "lengthen" | "prolong") {
            task.thing = self.thing_of(subject)?;
            self.put(&mut task, "duration", value).filter(|()| moment::is_span(value))?;
            return Some(vec![task]);
        }
        let (field, owner) = self.field_and_owner(subject)?;
        task.thing = owner;
        self.put(&mut task, &field, value)?;
        Some(vec![task])
    }

    /// Whether a text says which number something is to have from now on: `the quantity of the hoe to 3`.
    pub(super) fn names_new_number(&self, rest: &[&str]) -> bool {
        let value = self.cut_at_value(rest).map(|(_, value)| phrase::text(self.quoted, value));
        value.is_some_and(|value| value.starts_with(|sign: char| sign.is_ascii_digit()))
    }

    /// `the event ⟦0⟧ an all-day event`: what it is to be is set there.
    pub(super) fn made_so(&self, rest: &[&str]) -> Option<Vec<Task>> {
        if let Some(at) = rest.iter().position(|word| bare(word) == "the").filter(|at| *at > 0 && self.phrase == "make")
            && let Some(task) = self.in_role(rest.get(..at)?, rest.get(at + 1..)?)
        {
            return Some(vec![task]);
        }
        if let Some(task) = self.made_value(rest) {
            return Some(vec![task]);
        }
        if let Some(task) = self.made_the_one(rest) {
            return Some(vec![task]);
        }
        let at = rest.iter().rposition(|word| matches!(bare(word).as_str(), "a" | "an"));
        let at = at.filter(|at| *at > 0 && self.phrase == "make")?;
        if let Some(task) = self.in_role(rest.get(..at)?, rest.get(at + 1..)?) {
            return Some(vec![task]);
        }
        let at = Some(at).filter(|at| *at > 1)?;
        let (state, kind) = rest.get(at + 1..)?.split_last().map(|(kind, state)| (state, kind))?;
        let thing = self.thing_of(rest.get(..at)?)?;
        if state.is_empty() || kind_of(kind)? != thing.kind || thing.anchor().is_empty() {
            return None;
        }
        let mut task = Task { act: TaskAct::Mark, thing, values: Vec::new() };
        task.give("state", &phrase::text(self.quoted, state), false);
        Some(vec![task])
    }

    /// `the amount 14.50`, `its title ⟦0⟧`: a field that forms have, and its value.
    fn made_value(&self, rest: &[&str]) -> Option<Task> {
        let (first, rest) = rest.split_first()?;
        let (value, field) = rest.split_last()?;
        let owner = match bare(first).as_str() {
            "the" => Thing::default(),
            "its" => self.context.last.clone().unwrap_or_default(),
            _ => return None,
        };
        let field = phrase::text(self.quoted, field).to_lowercase();
        let is_value = self.quoted.part(value).is_some() || value.starts_with(|sign: char| sign.is_ascii_digit());
        if self.phrase != "make" || !is_value || !super::is_common_field(&field) {
            return None;
        }
        let mut task = Task { act: TaskAct::Edit, thing: owner, values: Vec::new() };
        self.put(&mut task, &field, &[*value])?;
        Some(task)
    }

    /// `Carla`, `admin of the group Choir`: the role that somebody is to have, and where.
    fn in_role(&self, who: &[&str], what: &[&str]) -> Option<Task> {
        const ROLES: [&str; 18] = [
            "admin",
            "administrator",
            "moderator",
            "member",
            "editor",
            "owner",
            "manager",
            "viewer",
            "guest",
            "contributor",
            "author",
            "supervisor",
            "maintainer",
            "reviewer",
            "treasurer",
            "organiser",
            "organizer",
            "host",
        ];
        let is_role = |word: &&str| ROLES.contains(word);
        let (role, places) = what.split_first().filter(|(role, _)| is_role(role))?;
        let mut thing = self.thing_of(who).filter(|_| phrase::is_proper(who))?;
        if let Some((lead, place)) = places.split_first() {
            let leads = matches!(bare(lead).as_str(), "of" | "in" | "for" | "on");
            thing.places.push(phrase::place(self.quoted, place).filter(|_| leads)?);
        }
        let mut task = Task { act: TaskAct::Edit, thing, values: Vec::new() };
        task.give("role", role, false);
        Some(task)
    }

    /// `the grade 12 for Jonas Keller`: a field, its value, and whose it is.
    pub(super) fn enter_for(&self, rest: &[&str]) -> Option<Vec<Task>> {
        let at = rest.iter().rposition(|word| bare(word) == "for").filter(|at| *at > 1)?;
        let (given, whose) = (rest.get(..at)?, rest.get(at + 1..)?);
        let is_field = given.first().is_some_and(|word| matches!(bare(word).as_str(), "the" | "a" | "an"));
        let is_short = (2..=4).contains(&given.len()) && !given.iter().any(|word| word.ends_with(','));
        let value =
            given.last().filter(|word| word.starts_with(|sign: char| sign.is_ascii_digit() || sign.is_uppercase()));
        let value = value.filter(|_| is_field && is_short && phrase::quote(self.quoted, rest).is_none())?;
        let whose_is_it = super::is_person(whose) && !moment::is_day(&phrase::text(self.quoted, whose));
        let thing = self.thing_of(whose).filter(|thing| whose_is_it && !thing.anchor().is_empty())?;
        let field = phrase::text(self.quoted, &phrase::without_determiners(given.get(..given.len() - 1)?));
        let mut task = Task { act: TaskAct::Edit, thing, values: Vec::new() };
        task.give(&field, &phrase::text(self.quoted, &[*value]), false);
        (!field.is_empty()).then(|| vec![task])
    }

    pub(super) fn rename(&self, rest: &[&str]) -> Option<Vec<Task>> {
        let (subject, value) = self.cut_at_value(rest)?;
        let mut task = Task { act: TaskAct::Edit, thing: self.thing_of(subject)?, values: Vec::new() };
        self.put(&mut task, "name", value)?;
        Some(vec![task])
    }

    /// `the event ⟦0⟧ to June 2nd` changes its date; another place moves it.
    pub(super) fn relocate(&self, rest: &[&str]) -> Option<Vec<Task>> {
        let cut = self.cut_at_value(rest).or_else(|| {
            let at = rest.iter().rposition(|word| bare(word) == "for")?;
            Some((rest.get(..at)?, rest.get(at + 1..)?))
        });
        let (subject, value) = cut?;
        let thing = self.thing_of(subject)?;
        let text = phrase::text(self.quoted, value);
        let mut task = Task { act: TaskAct::Move, thing, values: Vec::new() };
        let is_quoted = value.iter().any(|word| self.quoted.part(word).is_some());
        let place = text.trim_start_matches("the ").to_lowercase();
        if !is_quoted && matches!(place.as_str(), "trash" | "bin" | "recycle bin" | "trash can") {
            task.act = TaskAct::Do("move to trash".to_owned());
            return Some(vec![task]);
        }
        if moment::is_day(&text) {
            task.act = TaskAct::Edit;
            self.put(&mut task, "date", value)?;
        } else if moment::time(&text).is_some() {
            task.act = TaskAct::Edit;
            self.put(&mut task, "time", value)?;
        } else if let Some(at) = value.iter().rposition(|word| bare(word) == "at")
            && let (Some(day), Some(time)) = (value.get(..at), value.get(at + 1..))
            && moment::is_day(&phrase::text(self.quoted, day))
            && moment::time(&phrase::text(self.quoted, time)).is_some()
        {
            // `Friday at 3pm`
            task.act = TaskAct::Edit;
            self.put(&mut task, "date", day)?;
            self.put(&mut task, "time", time)?;
        } else if let Some(place) = phrase::place(self.quoted, value)
            .filter(|place| !place.quoted && super::super::kinds::is_holder(&place.kind) && text.ends_with(&place.kind))
        {
            // `the Work folder` is called Work.
            task.give("to", &place.name, false);
        } else {
            self.put(&mut task, "to", value)?;
        }
        Some(vec![task])
    }

    pub(super) fn assign(&self, rest: &[&str]) -> Option<Vec<Task>> {
        let (subject, value) = self.cut_at_value(rest)?;
        let mut task = Task { act: TaskAct::Edit, thing: self.thing_of(subject)?, values: Vec::new() };
        self.put(&mut task, "assignee", value)?;
        Some(vec![task])
    }

    /// `Ann Lind the role ⟦0⟧`
    pub(super) fn give(&self, rest: &[&str]) -> Option<Vec<Task>> {
        let at = rest.iter().skip(1).position(|word| matches!(bare(word).as_str(), "the" | "a")).map(|at| at + 1)?;
        let thing = self.thing_of(rest.get(..at)?)?;
        // `Give Ann the message from Bob` passes a message on.
        let value = rest.get(at..)?;
        if value.iter().filter_map(|word| kind_of(word)).any(|kind| phrase::is_written(&kind)) {
            return None;
        }
        Some(vec![Task { act: TaskAct::Edit, thing, values: self.pairs(value)? }])
    }

    /// What stands before and behind the word that leads to the new value: behind the last quoted part the first such word, else the
    /// last one in front of it; without quotes the first.
    fn cut_at_value<'w>(&self, rest: &'w [&'w str]) -> Option<(&'w [&'w str], &'w [&'w str])> {
        // `replace the text with ⟦0⟧`
        let leads_to_value = |word: &str| match self.phrase {
            "replace" => matches!(word, "with" | "by"),
            _ => matches!(word, "to" | "as" | "into"),
        };
        let leads: Vec<usize> = (1..rest.len())
            .filter(|at| rest.get(*at).map(|word| bare(word)).is_some_and(|word| leads_to_value(&word)))
            .collect();
        let at = match rest.iter().rposition(|word| self.quoted.part(word).is_some()) {
            Some(quote) => {
                leads.iter().find(|at| **at > quote).or_else(|| leads.iter().rev().find(|at| **at < quote)).copied()?
            }
            None => {
                // `the date of the taxi to the airport to 5 November`
                let is_moment = |at: &&usize| {
                    let text = phrase::text(self.quoted, rest.get(**at + 1..).unwrap_or_default());
                    moment::is_day(&text) || moment::time(&text).is_some()
                };
                leads.last().filter(is_moment).or_else(|| leads.first()).copied()?
            }
        };
        let (subject, value) = (rest.get(..at)?, rest.get(at + 1..)?);
        (!subject.is_empty() && !value.is_empty()).then_some((subject, value))
    }

    fn put(&self, task: &mut Task, field: &str, value: &[&str]) -> Option<()> {
        let quote = phrase::quote(self.quoted, value);
        let text = match quote {
            Some(text) => text.to_owned(),
            None => phrase::text(self.quoted, &phrase::without_determiners(value)),
        };
        task.give(field, &text, quote.is_some());
        (!text.is_empty()).then_some(())
    }

    /// The field that a text names, and the thing whose field it is.
    fn field_and_owner(&self, subject: &[&str]) -> Option<(String, Thing)> {
        let field = |words: &[&str]| phrase::text(self.quoted, &phrase::without_determiners(words));
        // `its title`
        if subject.first().is_some_and(|word| matches!(bare(word).as_str(), "its" | "their" | "his" | "her"))
            && subject.len() > 1
        {
            // Of nothing that was spoken of it is that of the page.
            return Some((field(subject.get(1..)?), self.context.last.clone().unwrap_or_default()));
        }
        // `⟦0⟧ 's title`, `Ann's title`
        if let Some(at) = subject.iter().position(|word| matches!(*word, "'s" | "\u{2019}s")) {
            return Some((field(subject.get(at + 1..)?), self.thing_of(subject.get(..at)?)?));
        }
        let first_of = subject.iter().position(|word| bare(word) == "of").filter(|at| *at > 0);
        let owned = subject.iter().position(|word| word.ends_with("'s") || word.ends_with("\u{2019}s"));
        // `the amount of Ruth Adler's printer expense`: what stands in front of `of` is the field.
        if let Some(at) = owned.filter(|at| first_of.is_none_or(|of| of > *at)) {
            let owner = subject.get(at)?.trim_end_matches('s').trim_end_matches(['\'', '\u{2019}']);
            let words: Vec<&str> = subject.get(..at)?.iter().copied().chain([owner]).collect();
            // `the sender's address`: one field, of nobody who is named.
            let plain = phrase::without_determiners(&words);
            const NOBODY: [&str; 7] = ["sender", "recipient", "author", "shop", "company", "site", "store"];
            if let [role] = plain[..]
                && NOBODY.contains(&role)
            {
                return Some((format!("{role} {}", field(subject.get(at + 1..)?)), Thing::default()));
            }
            return Some((field(subject.get(at + 1..)?), self.thing_of(&words)?));
        }
        // `the date of ⟦0⟧`, `the quantity for ⟦0⟧`
        let at = subject.iter().position(|word| matches!(bare(word).as_str(), "of" | "for" | "on" | "in"));
        // `the number of passengers` is a field; `the number of the invoice` is one of the invoice.
        if let Some(at) = at
            && matches!(field(subject.get(..at)?).to_lowercase().as_str(), "number" | "count" | "amount")
            && subject.len() == at + 2
            && subject.last().is_some_and(|word| word.ends_with('s') && word.chars().all(char::is_lowercase))
        {
            return Some((field(subject.get(at + 1..)?), Thing::default()));
        }
        if let Some(at) = at.filter(|at| *at > 0) {
            return Some((field(subject.get(..at)?), self.thing_of(subject.get(at + 1..)?)?));
        }
        // `the status issue ⟦0⟧` is no English; a lone quote names the field, a kind with a name the thing itself.
        let named = phrase::thing(self.quoted, subject);
        if !named.kind.is_empty()
            && !named.name.is_empty()
            && (named.quoted || named.name.starts_with(|sign: char| sign.is_ascii_digit() || sign == '#'))
        {
            return Some(("name".to_owned(), named));
        }
        let name = field(subject);
        (!name.is_empty()).then(|| (name, Thing::default()))
    }
}
