//! Whether a clause was understood as a whole: everything that it names is in its goals, and no goal has a name that is none.

use super::verbs::bare;
use super::{Whole, edges, outline, residue, torn};
use crate::ground::goal::Goal;
use crate::ground::task::{Task, TaskAct, Thing};

impl Whole<'_> {
    /// Reads a clause. One that was not understood as a whole is said so in front of its goals, so that none of them is begun.
    pub(super) fn read_clause(&mut self, clause: &str) {
        let from = self.goals.len();
        self.seeks = false;
        self.read_command(clause);
        let read = self.goals.get(from..).unwrap_or_default();
        let is_address = |word: &&str| word.contains('@') && word.contains('.');
        let addresses = clause.split_whitespace().filter(is_address);
        let addresses = addresses.map(|word| word.trim_matches(|sign: char| !sign.is_alphanumeric()));
        // A control is looked for by all words of its clause.
        let is_task = read.is_empty() || read.iter().any(|goal| matches!(goal, Goal::Task(_)));
        let names = torn::names(clause);
        let has_names = !names.is_empty();
        let said = self.quoted.parts_in(clause).chain(addresses).chain(names.into_iter().filter(|_| is_task));
        let is_whole = match (read.is_empty(), &self.context.last) {
            (false, _) => outline::speak_of_all(read, said),
            // `Find the room ⟦0⟧`: what is looked for is what the next clause is about.
            (true, Some(last)) if self.seeks => last.places.len() < 2 && outline::speak_of_all(&[sought(last)], said),
            (true, _) => !torn::seeks(clause) || !has_names,
        };
        let opened =
            from > 0 && matches!(self.goals.get(from - 1), Some(Goal::Task(task)) if task.act == TaskAct::Open);
        let points_elsewhere = !opened
            && read.iter().any(changes_something)
            && clause
                .split_whitespace()
                .next_back()
                .is_some_and(|last| matches!(bare(last).as_str(), "there" | "instead"));
        let put_into_what_went =
            from > 0 && read.first().is_some_and(|goal| goes_into_removed(goal, &self.goals[from - 1]));
        if !is_whole
            || put_into_what_went
            || residue::left_over(clause, read).is_some()
            || points_elsewhere
            || read.iter().any(|goal| torn::is_torn(goal) || edges::is_cut(goal))
        {
            self.goals.insert(from, Goal::NotUnderstood(self.quoted.restore(clause)));
            self.torn = true;
        }
    }
}

/// Whether something is put into what was taken away right before: `it` is something else.
fn goes_into_removed(goal: &Goal, before: &Goal) -> bool {
    let (Goal::Task(task), Goal::Task(removed)) = (goal, before) else { return false };
    let gone = removed.thing.anchor();
    removed.act == TaskAct::Remove && !gone.is_empty() && task.thing.places.iter().any(|place| place.name == gone)
}

/// What is looked for, as a goal.
fn sought(thing: &Thing) -> Goal {
    Goal::Task(Task { act: TaskAct::Open, thing: thing.clone(), values: Vec::new() })
}

/// Whether a goal changes what is there.
fn changes_something(goal: &Goal) -> bool {
    use TaskAct::{Answer, Filter, LogIn, LogOut, Open, Search, Sort};
    // What is told somebody may end in any word.
    let tells = |task: &Task| task.value("text").is_some();
    matches!(goal, Goal::Task(task) if !matches!(task.act, Open | Search | Sort | Filter | Answer(_) | LogIn | LogOut) && !tells(task))
}
