//! Values that a later sentence or clause tells of what was asked for before: `The title is Onboarding.`, `… and accept the rules`.

use super::Whole;
use super::errand::is_common_field;
use super::phrase;
use super::verbs::bare;
use crate::ground::goal::Goal;
use crate::ground::task::{Given, Task, TaskAct};

impl Whole<'_> {
    /// Gives the last task a value that a sentence tells: a field that forms have, or a value in quotes.
    pub(super) fn value_of_last(&mut self, sentence: &str) -> bool {
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
