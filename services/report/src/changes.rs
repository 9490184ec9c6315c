//! What an exploration created, what it changed, and what it left alone by which rule. From what was seen; judges nothing.

use crate::visits::VisitRecord;
use domain::exploration::Mode;
use domain::harm::{Deed, Rule};
use domain::job::Work;
use domain::{Action, Descriptor, Job};
use serde::Serialize;
use std::collections::BTreeMap;

/// Examples that are kept of each rule.
const EXAMPLES: usize = 20;

/// What an exploration did to the site, and what it did not do.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Changes {
    /// How much it might change.
    pub(crate) mode: Mode,
    /// Whether it only listed what it would press.
    pub(crate) dry_run: bool,
    /// What it created.
    pub(crate) created: Vec<Change>,
    /// What it changed or deleted.
    pub(crate) changed: Vec<Change>,
    /// What a dry run would press.
    pub(crate) would_press: Vec<String>,
    /// What it left alone, by rule.
    pub(crate) left_alone: BTreeMap<Rule, Left>,
}

/// Requests alike that the site took.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Change {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) times: usize,
    /// What was pressed first.
    pub(crate) by: String,
}

/// What a rule kept from the site.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Left {
    /// What the rule says.
    pub(crate) because: &'static str,
    /// Controls that were not pressed.
    pub(crate) controls: usize,
    /// Requests that were refused, whatever pressed them.
    pub(crate) requests: usize,
    /// The first of both, in words.
    pub(crate) examples: Vec<String>,
}

impl Left {
    fn add(&mut self, rule: Rule, example: String) {
        self.because = rule.meaning();
        if self.examples.len() < EXAMPLES && !self.examples.contains(&example) {
            self.examples.push(example);
        }
    }
}

impl Changes {
    /// What is known from everything that was seen.
    pub(crate) fn of(jobs: &[Job], seen: &[VisitRecord], in_words: impl Fn(&Action<Descriptor>) -> String) -> Self {
        let guards = jobs.iter().find_map(|job| match &job.work {
            Work::Exploration { exploration, .. } => Some(&exploration.guards),
            _ => None,
        });
        let (mode, dry_run) = guards.map(|guards| (guards.mode, guards.dry_run)).unwrap_or_default();
        let mut changes = Changes { mode, dry_run, ..Changes::default() };
        for seen in seen {
            for record in &seen.deeds {
                let list = match record.deed {
                    Deed::Created => &mut changes.created,
                    Deed::Changed => &mut changes.changed,
                };
                match list.iter_mut().find(|known| (&known.method, &known.path) == (&record.method, &record.path)) {
                    Some(known) => known.times += 1,
                    None => {
                        let by = seen.deed.as_ref().map(|deed| in_words(&deed.action)).unwrap_or_default();
                        let (method, path) = (record.method.clone(), record.path.clone());
                        list.push(Change { method, path, times: 1, by });
                    }
                }
            }
            for left in &seen.left_alone {
                if left.rule == Rule::DryRun {
                    changes.would_press.push(left.control.clone());
                    continue;
                }
                let of_rule = changes.left_alone.entry(left.rule).or_default();
                of_rule.controls += 1;
                of_rule.add(left.rule, left.control.clone());
            }
            for refused in &seen.refused_by_rule {
                let of_rule = changes.left_alone.entry(refused.rule).or_default();
                of_rule.requests += 1;
                of_rule.add(refused.rule, format!("{} {}", refused.method, refused.path));
            }
        }
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::visits::DeedRecord;
    use domain::harm::{LeftAlone, RefusedRequest};

    #[test]
    fn what_was_created_changed_and_left_alone_is_told_by_rule() {
        let deed = |deed, path: &str| DeedRecord { deed, method: "POST".into(), path: path.into(), status: 303 };
        let left = |rule, control: &str| LeftAlone { rule, control: control.into() };
        let refused = RefusedRequest { rule: Rule::Deletes, method: "DELETE".into(), path: "/boats/3".into() };
        let seen = [
            VisitRecord { deeds: vec![deed(Deed::Created, "/boats")], ..VisitRecord::example() },
            VisitRecord {
                deeds: vec![deed(Deed::Created, "/boats"), deed(Deed::Changed, "/boats/9")],
                ..VisitRecord::example()
            },
            VisitRecord {
                left_alone: vec![left(Rule::Deletes, "the button Delete"), left(Rule::DryRun, "the button Create")],
                refused_by_rule: vec![refused],
                ..VisitRecord::example()
            },
        ];
        let changes = Changes::of(&[], &seen, |_| String::new());
        assert_eq!((changes.created.len(), changes.created[0].times, changes.changed.len()), (1, 2, 1));
        assert_eq!(changes.would_press, ["the button Create"]);
        let left = &changes.left_alone[&Rule::Deletes];
        assert_eq!((left.controls, left.requests), (1, 1));
        assert_eq!(left.examples, ["the button Delete", "DELETE /boats/3"]);
    }
}
