//! Conditions in front of a command: what must be there.

use super::errand::Context;
use super::{Whole, errand, talk};
use crate::ground::task::Thing;

impl Whole<'_> {
    /// `If there is a ⟦0⟧, close it`: what must be there, and the command. A condition of another kind is none that is understood.
    pub(super) fn condition(&self, sentence: &str) -> Option<(Option<Thing>, String)> {
        let rest = ["if", "in case", "should"].iter().find_map(|lead| talk::after_words(sentence, lead))?;
        let (condition, command) = rest.split_once(", ")?;
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
        Some((thing, command.trim_start_matches("then ").to_owned()))
    }
}
