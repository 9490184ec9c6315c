//! Values that the instruction gave, and that the page changed while something else was filled in. Pure.

use super::words::tokens;
use domain::Action;
use domain::effect::{CHANGED_AS_LEFT, Effect, ElementChange};
use domain::locator::Descriptor;
use domain::observation::Observation;
use domain::trajectory::Step;
use domain::value::holds;

/// A value that is no longer what was filled in.
pub(crate) struct Lost<'a> {
    filled: &'a Step,
    change: &'a ElementChange,
    /// How often it was filled in.
    times: usize,
}

/// The key by which a field is left.
pub(crate) const LEAVE: &str = "Tab";

/// The value of an earlier step that went, or became another one, by the last step, which filled in something else or left a field. What
/// went from its field and newly stands on the page itself was taken, as fields for tags do.
pub(crate) fn lost(history: &[Step]) -> Option<Lost<'_>> {
    let (last, before) = history.split_last().filter(|(last, _)| fills(last) || leaves(last))?;
    let own = title(last);
    let is_taken = |change: &&ElementChange| {
        // `listitem "red"`, or `button "Remove red"` beside it: a label of its own, and no sentence that says the same word.
        let is_label = |new: &String| {
            let label = new.split_once(" \"").map_or(new.as_str(), |(_, name)| name.trim_end_matches('"'));
            let said: Vec<String> = tokens(label)
                .into_iter()
                .filter(|word| !matches!(word.as_str(), "remove" | "delete" | "x" | "close"))
                .collect();
            said == tokens(&change.from)
        };
        change.to.is_empty() && last.difference.appeared.iter().any(is_label)
    };
    let is_other = |change: &&ElementChange| Some(&change.of) != own.as_ref() && !is_taken(change);
    last.difference.changed.iter().filter(is_other).find_map(|change| {
        let all: Vec<&Step> = fillings(before, change, last).collect();
        let filled = all.last().filter(|_| !keeps(&change.from, &change.to))?;
        Some(Lost { filled, change, times: all.len() })
    })
}

/// The steps that filled in what a change is of, on the page of a later step.
fn fillings<'a>(before: &'a [Step], change: &'a ElementChange, later: &'a Step) -> impl Iterator<Item = &'a Step> {
    let is_it = |step: &&Step| fills(step) && title(step).as_ref() == Some(&change.of) && step.url == later.url;
    before.iter().filter(is_it)
}

impl Lost<'_> {
    /// The action that fills it in once more; none where that was done, or the field is gone.
    pub(crate) fn again(&self, observation: &Observation) -> Option<Action> {
        let action = Some(&self.filled.action).filter(|_| self.times < 2)?;
        action.try_map(|field: &Descriptor| field.locate(observation).element().ok_or(())).ok()
    }

    /// What the page did.
    pub(crate) fn reason(&self) -> String {
        let ElementChange { of, from, to } = self.change;
        format!("the page changed {of} from \"{from}\" to \"{to}\" after it was filled in")
    }
}

/// Why nothing is to be built on the last step: it was to give a value once more that had gone, and could not; or it handed in another
/// value than was given, since the page changed it as its field was left. What is empty afterwards, or as it was before, was handed in and
/// stands there for the next one.
pub(crate) fn in_vain(history: &[Step]) -> Option<String> {
    let (last, before) = history.split_last()?;
    if !matches!(last.effect, Effect::Changed { .. })
        && let Some(lost) = given_again(history)
    {
        return Some(lost.reason());
    }
    let counts = |label: &str| {
        const COUNTING: [&str; 8] = ["increase", "decrease", "increment", "decrement", "more", "less", "up", "down"];
        let words = tokens(label);
        !label.chars().any(char::is_alphabetic) || words.iter().any(|word| COUNTING.contains(&word.as_str()))
    };
    let label = last.action.element().map(|element| element.name.as_str()).unwrap_or_default();
    let hands_in = matches!(last.action, Action::Click { .. } | Action::Press { .. })
        && last.requests.iter().any(|sent| !sent.is_safe());
    if !hands_in || counts(label) {
        return None;
    }
    last.difference.changed.iter().find_map(|change| {
        let is_other = !change.to.is_empty() && !keeps(&change.from, &change.to);
        let filled = fillings(before, change, last).last().filter(|_| is_other)?;
        let first = filled.difference.changed.iter().find(|first| first.of == change.of).map(|first| &first.from);
        (first != Some(&change.to)).then(|| Lost { filled, change, times: 1 }.reason())
    })
}

/// Whether the last step gave a value once more that had gone: whether it stays shows when its field is left.
pub(crate) fn is_given_again(history: &[Step]) -> bool {
    given_again(history).is_some()
}

/// The value that had gone before the last step, which gives it once more.
fn given_again(history: &[Step]) -> Option<Lost<'_>> {
    let (last, before) = history.split_last().filter(|(last, _)| fills(last))?;
    lost(before).filter(|lost| title(last) == title(lost.filled))
}

fn leaves(step: &Step) -> bool {
    let pressed_nothing = matches!(&step.effect, Effect::Failed { cause } if cause.starts_with(CHANGED_AS_LEFT));
    pressed_nothing || matches!(&step.action, Action::Press { keys } if keys == LEAVE)
}

/// Whether a step fills something in, and sends nothing. Of radio buttons one goes when another is chosen.
fn fills(step: &Step) -> bool {
    match &step.action {
        Action::Type { submit, .. } => !submit,
        Action::Select { .. } => true,
        Action::Check { element, checked } => *checked && element.role != "radio",
        _ => false,
    }
}

fn title(step: &Step) -> Option<String> {
    step.action.element().map(Descriptor::title)
}

/// Whether a value is still there: as it was, or written otherwise, or with more words, as `Oslo` in `Oslo (Norway)`, or a date with its
/// day of the week.
fn keeps(from: &str, to: &str) -> bool {
    let (before, now) = (tokens(from), tokens(to));
    let numbers = |words: &[String]| words.iter().filter_map(|word| word.parse::<u64>().ok()).collect::<Vec<_>>();
    let (old, new) = (numbers(&before), numbers(&now));
    let is_in = |some: &[u64], all: &[u64]| some.len() > 1 && some.iter().all(|number| all.contains(number));
    let is_said = from.chars().any(char::is_alphabetic) && now.windows(before.len().max(1)).any(|part| part == before);
    holds(from, to) || before.is_empty() || is_in(&old, &new) || is_in(&new, &old) || is_said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_kept_however_it_is_written() {
        for (from, to) in [
            ("Oslo", "OSLO"),
            ("1000", "1,000.00"),
            ("1250,5", "1.250,50 €"),
            ("Oslo", "Oslo (Norway)"),
            ("", "5"),
            ("2027-03-05", "05.03.2027"),
            ("5 Mar 2027", "03/05/2027"),
        ] {
            assert!(keeps(from, to), "{from} {to}");
        }
        for (from, to) in
            [("Lane 2", "Lane 12"), ("Kai", ""), ("10", "11"), ("5", "-5"), ("1,5", "15"), ("2027-01-04", "2027-01-05")]
        {
            assert!(!keeps(from, to), "{from} {to}");
        }
    }
}
