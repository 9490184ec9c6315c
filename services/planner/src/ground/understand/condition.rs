//! Conditions in front of a command: what must be there.

use super::errand::Context;
use super::verbs::bare;
use super::{Whole, errand, moment, talk};
use crate::ground::clause::OPEN_MARK;
use crate::ground::task::Thing;

impl Whole<'_> {
    /// `If there is a ⟦0⟧, close it`: what must be there, and the command. A condition of another kind is none that is understood.
    pub(super) fn condition(&self, sentence: &str) -> Option<(Option<Thing>, String)> {
        let rest = ["if", "in case", "should"].iter().find_map(|lead| talk::after_words(sentence, lead))?;
        let (condition, command) = rest.split_once(", ")?;
        let command = command.trim_start_matches("then ").to_owned();
        if denies_or_counts(condition) {
            return Some((None, command));
        }
        let shown = ["there is", "there's", "there are", "you see", "you find", "you can see"]
            .iter()
            .find_map(|lead| talk::after_words(condition, lead));
        let behind = || {
            [" is shown", " is there", " exists", " appears", " pops up", " is visible", " shows up"]
                .iter()
                .find_map(|tail| condition.strip_suffix(tail))
        };
        let thing = shown.or_else(behind).and_then(|words| errand::found(self.quoted, words, &Context::default()));
        // `a ticket from Hotel Adler`: not any ticket.
        let thing = thing.filter(|thing| !thing.anchor().is_empty() || thing.places.is_empty());
        let thing = thing.map(|thing| match thing.anchor().is_empty() {
            true => Thing { name: thing.kind.clone(), ..thing },
            false => thing,
        });
        Some((thing, command))
    }
}

/// Whether a condition is that something is not there, or is there so many times: that is not seen by finding it.
pub(super) fn denies_or_counts(condition: &str) -> bool {
    const DENYING: [&str; 8] = ["no", "not", "none", "nothing", "nobody", "without", "missing", "gone"];
    const COUNTING: [&str; 5] = ["fewer", "less", "several", "many", "only"];
    let denies = |word: String| {
        let is_number = !word.contains(OPEN_MARK) && moment::number(&word).is_some_and(|number| number > 1);
        DENYING.contains(&word.as_str())
            || COUNTING.contains(&word.as_str())
            || word.ends_with("n't")
            || word.ends_with("n\u{2019}t")
            || is_number
    };
    condition.contains(" more than ") || condition.split_whitespace().map(bare).any(denies)
}
