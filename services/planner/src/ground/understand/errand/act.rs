//! Reading what is done to a thing that is there, with the values that it takes: when, for how long, as what; and how many stars.

use super::sum::{SUM_LEADS, amount};
use super::{Reader, bare, is_pronoun};
use crate::ground::goal::{Goal, PagePart};
use crate::ground::task::{Given, Task, TaskAct, Thing};
use crate::ground::understand::moment;
use crate::ground::understand::phrase::{self, Part, parts};

impl Reader<'_> {
    /// `the Linden room for tomorrow at 10:00, 90 minutes, with the title ⟦0⟧`: a thing that is there, and at least one value.
    pub(super) fn act_with(&self, rest: &[&str]) -> Option<Vec<Goal>> {
        let rest = match rest.first().map(|word| bare(word)).as_deref() {
            Some("me" | "us" | "myself") => rest.get(1..)?,
            _ => rest,
        };
        let leads = rest.first().is_some_and(|word| matches!(bare(word).as_str(), "in" | "for" | "to" | "into"));
        let rest = rest.get(usize::from(leads)..)?;
        // `a table for two` is none that is there.
        if rest.first().is_some_and(|word| matches!(bare(word).as_str(), "a" | "an" | "another" | "some" | "new")) {
            return None;
        }
        let (head, mut values) = self.take_tail(rest);
        let (head, sum) = self.without_sum(&head);
        let joined = head.join(" ");
        let mut cut = with_whole_names(parts(&joined)).into_iter();
        let mut thing = self.referred(&cut.next()?.words);
        let mut told: Vec<Given> = Vec::new();
        for part in cut {
            if let Some(moments) = self.moment(&part) {
                told.extend(moments);
            } else if matches!(part.lead.as_str(), "to" | "until")
                && moment::is_day(&phrase::text(self.quoted, &part.words))
            {
                told.push(self.value("end date", &part.words));
            } else if part.lead == "for" && moment::is_span(&part.words) {
                told.push(self.value("duration", &part.words));
            } else if part.lead == "with" {
                told.extend(self.pairs(&part.words)?);
            } else {
                self.hang(&mut thing, &part)?;
            }
        }
        told.append(&mut values);
        thing.places.extend(sum);
        let is_named = !thing.name.is_empty() && !thing.all && thing.ordinal.is_none();
        let is_whole = told.iter().all(|given| !given.field.is_empty() && !given.value.is_empty());
        let act = TaskAct::Do(self.phrase.to_owned());
        (is_named && is_whole && !told.is_empty()).then(|| vec![Goal::Task(Task { act, thing, values: told })])
    }

    /// Whether words name something that is there and no event: `the campaign Autumn`. Another thing is made by being scheduled.
    pub(super) fn is_there_to_schedule(&self, rest: &[&str]) -> bool {
        let is_definite =
            rest.first().is_some_and(|word| matches!(bare(word).as_str(), "the" | "my" | "our" | "this" | "that"));
        let kind = rest.get(1).and_then(|word| phrase::kind_of(word));
        is_definite && kind.is_some_and(|kind| !super::make::is_event(&kind))
    }

    /// `give ⟦0⟧ four stars`, `rate ⟦0⟧ with 4 out of 5 stars`.
    pub(super) fn rated(&self, words: &[&str]) -> Option<Vec<Goal>> {
        let (verb, rest) = words.split_first()?;
        let rest = match rest.split_last() {
            Some((last, rest)) if matches!(bare(last).as_str(), "star" | "stars") => rest,
            _ => return None,
        };
        let is_rating = matches!(bare(verb).as_str(), "give" | "rate" | "award");
        // `4 out of 5`
        let counted = rest.iter().rposition(|word| bare(word) == "out").filter(|at| *at > 0);
        let (number, before) = rest.get(..counted.unwrap_or(rest.len()))?.split_last()?;
        let stars = moment::number(number).filter(|stars| (1..=10).contains(stars) && is_rating)?;
        let before = match before.split_last() {
            Some((last, before)) if matches!(bare(last).as_str(), "with" | "a" | "at" | "as") => before,
            _ => before,
        };
        let is_told = |thing: &Thing| !thing.name.is_empty() || thing.ordinal.is_some() || is_pronoun(before);
        let thing = self.thing_of(before).filter(is_told)?;
        let mut task = Task { act: TaskAct::Do("rate".to_owned()), thing, values: Vec::new() };
        task.give("stars", &stars.to_string(), false);
        Some(vec![Goal::Task(task)])
    }

    /// `put me on the waiting list for ⟦0⟧`, `join the waitlist of ⟦0⟧`.
    pub(super) fn queued(&self, words: &[&str]) -> Option<Vec<Goal>> {
        let said: Vec<String> = words.iter().map(|word| bare(word)).collect();
        let plain: Vec<&str> = said.iter().map(String::as_str).collect();
        let taken = match plain.as_slice() {
            ["put" | "add", "me" | "us", "on" | "to", "the", "waiting" | "wait", "list", "for" | "of", ..] => 7,
            ["put" | "add", "me" | "us", "on" | "to", "the", "waitlist", "for" | "of", ..] => 6,
            ["join", "the", "waiting" | "wait", "list", "for" | "of", ..] => 5,
            ["join", "the", "waitlist", "for" | "of", ..] => 4,
            _ => return None,
        };
        let thing = self.thing_of(words.get(taken..)?).filter(|thing| !thing.anchor().is_empty())?;
        Some(vec![Reader { phrase: "join the waiting list", ..*self }.done_to(thing)])
    }

    /// `report a problem with the Oak room: ⟦0⟧`: what is wrong with a thing, in words. `report Ann's comment as spam`: and why.
    pub(super) fn reported(&self, words: &[&str]) -> Option<Vec<Goal>> {
        if let Some(at) =
            words.iter().rposition(|word| bare(word) == "as").filter(|at| *at > 1 && words.len() - at <= 3)
            && let Some((verb, thing)) = words.get(..at).and_then(<[&str]>::split_first)
            && bare(verb) == "report"
            && !thing.first().is_some_and(|word| matches!(bare(word).as_str(), "a" | "an"))
        {
            let thing = self.thing_of(thing).filter(|thing| !thing.anchor().is_empty())?;
            let values = vec![self.value("reason", words.get(at + 1..)?)];
            return Some(vec![Goal::Task(Task { act: TaskAct::Do("report".to_owned()), thing, values })]);
        }
        const FAULTS: [&str; 8] = ["problem", "issue", "fault", "damage", "defect", "error", "bug", "mistake"];
        let (text, before) = words.split_last().filter(|(text, _)| self.quoted.part(text).is_some())?;
        let is_told = before.last().is_some_and(|word| word.ends_with(':'));
        let at = before.iter().position(|word| matches!(bare(word).as_str(), "with" | "on" | "about"))?;
        let begins = matches!(before.get(..at), Some([verb, article, fault])
            if bare(verb) == "report" && matches!(bare(article).as_str(), "a" | "an") && FAULTS.contains(&bare(fault).as_str()));
        let thing =
            self.thing_of(before.get(at + 1..)?).filter(|thing| begins && is_told && !thing.anchor().is_empty())?;
        let act = TaskAct::Do("report".to_owned());
        let values = vec![self.value("text", &[*text])];
        Some(vec![Goal::Task(Task { act, thing, values })])
    }

    /// `the Skoda my main vehicle`, `it the cover of the album Coast`: the one that a thing is to be from now on.
    pub(super) fn made_the_one(&self, rest: &[&str]) -> Option<Task> {
        let determiner =
            |words: &[&str]| words.iter().rposition(|word| matches!(bare(word).as_str(), "my" | "our" | "the"));
        // `the cover of the album`: the determiner of the place is none.
        let is_of = |at: usize| rest.get(at - 1).is_some_and(|word| matches!(bare(word).as_str(), "of" | "for" | "in"));
        let at = match determiner(rest).filter(|at| *at > 0) {
            Some(at) if is_of(at) => determiner(rest.get(..at)?),
            found => found,
        };
        let at = at.filter(|at| *at > 0 && self.phrase == "make" && !is_of(*at))?;
        let (who, what) = (rest.get(..at)?, rest.get(at + 1..)?);
        let end = what.iter().position(|word| matches!(bare(word).as_str(), "of" | "for" | "in")).unwrap_or(what.len());
        let (role, place) = what.split_at(end);
        let is_plain = |word: &&str| word.chars().all(|sign| sign.is_lowercase() || sign == '-');
        let says = |word: &&str| crate::ground::words::is_function_word(word) || matches!(*word, "same" | "other");
        if !(1..=3).contains(&role.len()) || !role.iter().all(is_plain) || role.iter().any(says) {
            return None;
        }
        let is_named = |thing: &Thing| {
            thing.quoted
                || is_pronoun(who)
                || thing.name.starts_with(|sign: char| sign.is_uppercase() || sign.is_ascii_digit())
        };
        let mut thing = self.thing_of(who).filter(|thing| !thing.name.is_empty() && is_named(thing))?;
        if let Some((_, place)) = place.split_first() {
            thing.places.push(phrase::place(self.quoted, place)?);
        }
        let mut task = Task { act: TaskAct::Mark, thing, values: Vec::new() };
        task.give("state", &phrase::text(self.quoted, role), false);
        Some(task)
    }

    /// The words without the sum that tells one of several: `the expense of Ann over 312.40 €`. A round sum compares.
    pub(super) fn without_sum<'w>(&self, words: &[&'w str]) -> (Vec<&'w str>, Option<PagePart>) {
        let found = words.iter().enumerate().skip(1).find_map(|(at, word)| {
            let lead = SUM_LEADS.iter().find(|lead| **lead == bare(word))?;
            (1..=2).rev().find_map(|taken| {
                let sum = words.get(at + 1..at + 1 + taken)?;
                let part = Part { lead: (*lead).to_owned(), words: sum.to_vec() };
                let is_exact = |given: &Given| given.value.contains(['.', ',']);
                amount(&part).filter(is_exact).map(|given| (at, at + 1 + taken, given.value))
            })
        });
        match found {
            Some((from, to, sum)) => {
                let kept = words.iter().enumerate().filter(|(at, _)| !(from..to).contains(at));
                (kept.map(|(_, word)| *word).collect(), Some(PagePart { name: sum, ..PagePart::default() }))
            }
            None => (words.to_vec(), None),
        }
    }
}

/// Parts of a text of which one goes on with the name in front of it: `Field Guide to Mosses`.
pub(super) fn with_whole_names(cut: Vec<Part<'_>>) -> Vec<Part<'_>> {
    let mut whole: Vec<Part<'_>> = Vec::new();
    let is_capital = |word: Option<&&str>| word.is_some_and(|word| word.starts_with(char::is_uppercase));
    for part in cut {
        match whole.last_mut() {
            Some(before)
                if part.lead == "to"
                    && matches!(before.lead.as_str(), "" | "of" | "called" | "named")
                    && before.words.len() > 1
                    && is_capital(before.words.last())
                    && is_capital(part.words.first()) =>
            {
                before.words.push("to");
                before.words.extend(part.words);
            }
            _ => whole.push(part),
        }
    }
    whole
}

/// Which edition of a work words name: `the 2019 edition`. For who borrows or buys it the work is the thing; who deletes `season 2` means
/// that part alone, and no edition.
pub(super) fn which_edition(thing: &Thing, verb: &str) -> Option<String> {
    if !matches!(verb, "reserve" | "borrow" | "rent" | "order" | "buy" | "book" | "renew" | "open" | "show") {
        return None;
    }
    let is_form = |kind: &str| matches!(kind, "edition" | "version" | "volume" | "season");
    let which = match thing.name.rsplit_once(' ') {
        Some((which, kind)) if thing.kind.is_empty() && is_form(kind) => which,
        _ if is_form(&thing.kind) => thing.name.as_str(),
        _ => "",
    };
    (!which.is_empty() && !thing.quoted).then(|| which.to_owned())
}
