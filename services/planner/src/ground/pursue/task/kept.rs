//! What a site kept of what it was given: the time or the number that the entry of a thing shows after it was changed; and
//! what it made at once.

use super::super::{Pursuer, Pursuit};
use super::locate::Located;
use crate::ground::item::item_of;
use crate::ground::outcome;
use crate::ground::region::Region;
use crate::ground::task::{Given, Task, TaskAct};
use crate::ground::understand::moment;
use crate::ground::words::same_word;
use domain::action::ActionKind;

impl Pursuer<'_> {
    /// Whether pressing what makes a thing made it: nothing was to be filled in, no form came, and the site took what was sent.
    pub(super) fn was_made_at_once(&mut self, task: &Task, asks_nothing: bool) -> Option<Pursuit> {
        let last = self.history.iter().rfind(|step| step.action.kind() != ActionKind::Wait)?;
        if !asks_nothing || !self.memory.opened || !outcome::was_taken_by_site(last) {
            return None;
        }
        let title = task.thing.title();
        if self.may_come() {
            return Some(Pursuit::Stuck(format!("the page does not show yet what became of {title}")));
        }
        self.memory.notes.push(format!("{title} was made at once, without a form"));
        Some(Pursuit::Reached)
    }

    /// What the entry of a changed thing shows in place of what was given: another time, or another number of the same.
    pub(super) fn kept_instead(&self, task: &Task) -> Option<String> {
        if !matches!(task.act, TaskAct::Edit | TaskAct::Move) || !self.has_sent() {
            return None;
        }
        let Located::One(anchor) = self.locate(&task.thing) else { return None };
        let entry = Region::Subtree(item_of(self.scene.observation, anchor)?);
        let is_shown =
            |(id, node): &(_, &domain::Node)| entry.holds(self.scene.observation, *id) && !node.is_interactive();
        let texts: Vec<&str> = self.scene.elements().filter(is_shown).map(|(_, node)| node.text.as_str()).collect();
        let has_come = |text: &str| self.appeared_since_decided().any(|new| new.contains(text));
        task.values.iter().find_map(|given| {
            let other = another_time(given, &texts).or_else(|| another_number(given, &texts));
            // What stood there before is of something else, or not looked at anew yet.
            let other = other.filter(|other| has_come(other))?;
            let title = task.thing.title();
            Some(format!("{title} was to have the {} \"{}\", and shows \"{other}\"", given.field, given.value))
        })
    }
}

/// A time of day that is shown where another was given; none where the given one is shown as well.
fn another_time(given: &Given, texts: &[&str]) -> Option<String> {
    let wanted = moment::time(&given.value)?;
    let shown: Vec<&str> = texts.iter().flat_map(|text| text.split_whitespace()).collect();
    let is_half = |word: &&str| matches!(word.to_lowercase().trim_end_matches(['.', ',']), "am" | "pm" | "a.m" | "p.m");
    let half = |at: usize| shown.get(at + 1).copied().filter(is_half).unwrap_or_default();
    let parts =
        shown.iter().enumerate().flat_map(|(at, word)| word.split(['\u{2013}', '-']).map(move |part| (at, part)));
    let times: Vec<_> =
        parts.filter_map(|(at, part)| Some((moment::time(&format!("{part} {}", half(at)))?, part))).collect();
    let is_shown = times.iter().any(|(time, _)| *time == wanted);
    times.first().filter(|_| !is_shown).map(|(_, part)| (*part).to_owned())
}

/// A number of what was given that is shown where another number was given: `6 guests` where nine guests were to be.
fn another_number(given: &Given, texts: &[&str]) -> Option<String> {
    let wanted: u32 = given.value.parse().ok()?;
    let field = given.field.to_lowercase();
    let of_text = |text: &&str| {
        let words: Vec<&str> = text.split_whitespace().collect();
        let pairs = words.windows(2).filter(|pair| same_word(&pair[1].to_lowercase(), &field));
        pairs.filter_map(|pair| Some((pair[0].parse().ok()?, pair.join(" ")))).collect::<Vec<(u32, String)>>()
    };
    let numbers: Vec<(u32, String)> = texts.iter().flat_map(of_text).collect();
    let is_shown = numbers.iter().any(|(number, _)| *number == wanted);
    numbers.into_iter().next().filter(|_| !is_shown).map(|(_, words)| words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(field: &str, value: &str) -> Given {
        Given { field: field.to_owned(), value: value.to_owned(), ..Given::default() }
    }

    #[test]
    fn another_time_or_number_than_the_given_one_is_told() {
        let words = |text: &'static str| text.split('|').collect::<Vec<_>>();
        let time = |value: &str, shown| another_time(&given("time", value), &words(shown));
        assert_eq!(time("14:30", "15:15 Jonas Rehm"), Some("15:15".to_owned()));
        assert_eq!(time("14:30", "2:30 PM Jonas Rehm"), None);
        assert_eq!(time("11:45", "11:45\u{2013}12:15 Peter Oduya"), None);
        assert_eq!(time("later", "15:15 Jonas Rehm"), None);
        let number = |value: &str, shown| another_number(&given("guests", value), &words(shown));
        assert_eq!(number("9", "17 Lena Wirth 6 guests 17 nights"), Some("6 guests".to_owned()));
        assert_eq!(number("9", "17 Lena Wirth 9 guests"), None);
        assert_eq!(number("9", "17 Lena Wirth"), None);
        assert_eq!(number("9", "Table 6|Guests: 9"), None);
    }
}
