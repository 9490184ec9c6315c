//! Values that a later sentence or clause tells of what was asked for before: `The title is Onboarding.`, `… and accept the rules`.

use super::Whole;
use super::errand::is_common_field;
use super::phrase;
use super::verbs::bare;
use crate::ground::clause::Quoted;
use crate::ground::goal::{Goal, Target};
use crate::ground::task::{Given, Task, TaskAct, Thing};

impl Whole<'_> {
    /// Gives the last task a value that a sentence tells: a field that forms have, or a value in quotes.
    pub(super) fn value_of_last(&mut self, sentence: &str) -> bool {
        if self.type_of_made(sentence) {
            return true;
        }
        let Some((field, value)) = [" is ", " should be "].iter().find_map(|verb| sentence.split_once(verb)) else {
            return false;
        };
        let field: Vec<&str> = field.split_whitespace().collect();
        let value: Vec<&str> = value.trim_end_matches(['.', '!']).split_whitespace().collect();
        let Some((first, field)) = field.split_first() else { return false };
        let quoted = phrase::quote(self.quoted, &value).filter(|_| value.len() == 1);
        let name = phrase::text(self.quoted, field).to_lowercase();
        let is_field = (1..=2).contains(&field.len()) && (is_common_field(&name) || quoted.is_some());
        let is_value = quoted.is_some() || (value.len() <= 4 && value.iter().all(|word| is_value(word)));
        if !matches!(bare(first).as_str(), "the" | "its") || !is_field || !is_value {
            return false;
        }
        let Some(Goal::Task(task)) = self.goals.last_mut().filter(|goal| takes_values(goal)) else { return false };
        let text = quoted.map_or_else(|| phrase::text(self.quoted, &value), str::to_owned);
        if task.act == TaskAct::Add && task.thing.name.is_empty() && matches!(name.as_str(), "name" | "title") {
            (task.thing.name, task.thing.quoted) = (text, quoted.is_some());
            return true;
        }
        task.values.push(Given { field: name, value: text, quoted: quoted.is_some() });
        true
    }

    /// `It is a wish.`: gives a type to the issue that was made last, whatever was changed of it since.
    fn type_of_made(&mut self, sentence: &str) -> bool {
        const TYPED: [&str; 6] = ["issue", "task", "ticket", "bug", "request", "card"];
        let words: Vec<String> = sentence.split_whitespace().map(bare).collect();
        let plain: Vec<&str> = words.iter().map(String::as_str).collect();
        let ["it", "is", "a" | "an", value] = plain.as_slice() else { return false };
        let mut changed: Vec<String> = Vec::new();
        for goal in self.goals.iter_mut().rev() {
            let Goal::Task(task) = goal else { return false };
            match task.act {
                TaskAct::Add if TYPED.contains(&task.thing.kind.as_str()) => {
                    let is_of_it = changed.iter().all(|name| *name == task.thing.name);
                    if is_of_it {
                        task.give("type", value, false);
                    }
                    return is_of_it;
                }
                TaskAct::Edit => changed.push(task.thing.name.clone()),
                _ => return false,
            }
        }
        false
    }

    /// `change it in his account`, of what was told before: `Dirk has a new e-mail address, dirk@mail.test`; and other commands whose
    /// `it` or `draft` only what was said before explains.
    pub(super) fn told_change(&mut self, clause: &str) -> Option<Goal> {
        let words: Vec<&str> = clause.split_whitespace().collect();
        let plain: Vec<String> = words.iter().map(|word| bare(word)).collect();
        match plain.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            ["save" | "keep" | "store", "it" | "this" | "that", "as", "a" | "the", "draft"]
            | ["save" | "keep" | "store", "it" | "this" | "that", "as", "draft"]
            | ["save" | "keep" | "store", "as", "a", "draft"]
            | ["save" | "keep" | "store", "as", "draft"]
            | ["save" | "keep" | "store", "the" | "my", "draft"] => {
                Some(Goal::Activate(Target::labelled("save draft")))
            }
            // `This user is no longer active, so uncheck that`
            ["uncheck" | "untick" | "deselect", "it" | "that" | "this"] if self.context.state.is_some() => {
                let thing = Thing { name: self.context.state.clone()?, ..Thing::default() };
                let mut task = Task { act: TaskAct::Unmark, thing, values: Vec::new() };
                task.give("state", "checked", false);
                Some(Goal::Task(task))
            }
            // `give this one to Ben and mark it as in progress`: the record that the page shows.
            ["mark" | "set", "it" | "this", "as" | "to", state @ ..]
                if self.context.last.is_none() && is_status(state) =>
            {
                let before = self.goals.last().and_then(|goal| match goal {
                    Goal::Task(task) if task.act == TaskAct::Edit && task.thing.is_empty() => Some(task),
                    _ => None,
                });
                let value = phrase::text(self.quoted, words.get(3..)?);
                let given = Given { field: "status".to_owned(), value, quoted: false };
                Some(Goal::Task(Task { values: vec![given], ..before?.clone() }))
            }
            ["change" | "update" | "correct" | "set" | "fix" | "enter", "it" | "this" | "that", rest @ ..] => {
                let (who, given) =
                    self.context.news.clone().filter(|(who, _)| self.context.last.as_ref() == Some(who))?;
                let thing = match rest {
                    [] => who,
                    ["in" | "on" | "for", "his" | "her" | "their" | "the", kind] => {
                        Thing { kind: phrase::kind_of(kind)?, name: String::new(), of: who.name, ..Thing::default() }
                    }
                    _ => return None,
                };
                Some(Goal::Task(Task { act: TaskAct::Edit, thing, values: vec![given] }))
            }
            _ => None,
        }
    }

    /// `add her as a participant`: with the name of whom was told.
    pub(super) fn with_pronoun_named(&self, clause: &str) -> String {
        let words: Vec<&str> = clause.split_whitespace().collect();
        let last = self.context.last.as_ref().filter(|last| !last.quoted && !last.name.is_empty());
        match (words.as_slice(), last) {
            ([verb, "him" | "her" | "them" | "it" | "this", "as", "a" | "an" | "the", kind], Some(last))
                if bare(verb) == "add" && last.name.starts_with(char::is_uppercase) =>
            {
                format!("{verb} {} as a {kind}", last.name)
            }
            _ => clause.to_owned(),
        }
    }

    /// `… and accept the rules`: a box of the form that the last task fills.
    pub(super) fn accepts_with_last(&mut self, clause: &str) -> bool {
        const AGREED: [&str; 9] =
            ["rules", "terms", "conditions", "policy", "agreement", "regulations", "statement", "licence", "license"];
        let words: Vec<String> = clause.split_whitespace().map(bare).collect();
        let rest = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            ["accept" | "confirm", rest @ ..] | ["agree", "to" | "with", rest @ ..] => rest.to_vec(),
            _ => return false,
        };
        if rest.len() > 5 || !rest.last().is_some_and(|last| AGREED.contains(last)) {
            return false;
        }
        let Some(Goal::Task(task)) = self.goals.last_mut().filter(|goal| takes_values(goal)) else { return false };
        let named: Vec<&str> = rest.into_iter().filter(|word| !matches!(*word, "the" | "all" | "your")).collect();
        task.values.push(Given {
            field: format!("accept {}", named.join(" ")),
            value: "yes".to_owned(),
            quoted: false,
        });
        true
    }
}

/// `The text should be ⟦0⟧` → `set the text to ⟦0⟧`.
pub(super) fn value_that_is_due(quoted: &Quoted, sentence: &str) -> Option<String> {
    let (field, value) = [" should be ", " must be ", " should read ", " should say "]
        .iter()
        .find_map(|verb| sentence.split_once(verb))?;
    let words: Vec<&str> = field.split_whitespace().collect();
    let (first, name) = words.split_first()?;
    let is_field = matches!(bare(first).as_str(), "the" | "its")
        && (1..=3).contains(&name.len())
        && name.iter().all(|word| word.chars().all(|sign| sign.is_lowercase() || sign == '-'))
        && !name.iter().any(|word| phrase::kind_of(word).is_some());
    let value = value.trim_end_matches(['.', '!']);
    (is_field && quoted.part(value).is_some()).then(|| format!("set {} {} to {value}", bare(first), name.join(" ")))
}

/// Whether words are the state of work that is done step by step.
fn is_status(words: &[&str]) -> bool {
    const STATES: [&str; 10] =
        ["open", "closed", "resolved", "fixed", "solved", "deferred", "rejected", "blocked", "waiting", "testing"];
    match words {
        [state] => STATES.contains(state),
        ["in", "progress" | "review" | "testing"] | ["on", "hold"] | ["to", "do"] => true,
        _ => false,
    }
}

/// Whether a goal fills a form in.
fn takes_values(goal: &Goal) -> bool {
    let Goal::Task(Task { act, values, .. }) = goal else { return false };
    match act {
        TaskAct::Add => true,
        TaskAct::Do(_) => !values.is_empty(),
        _ => false,
    }
}

fn is_value(word: &str) -> bool {
    word.starts_with(|sign: char| sign.is_uppercase() || sign.is_ascii_digit()) || word.contains('@')
}
