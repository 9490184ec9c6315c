//! Waiting for what the instruction says has to come.

use super::{Pursuer, Pursuit, aside};
use crate::ground::goal::Awaited;
use crate::ground::names::{contradict, legible};
use crate::ground::region;
use crate::ground::words::{same_word, tokens};
use domain::action::Action;

/// How often is looked, some seconds apart.
const LOOKS: u32 = 14;
/// Ways to say that something has come to its end.
const ENDED: [&str; 11] = [
    "ready",
    "finished",
    "finish",
    "done",
    "complete",
    "completed",
    "over",
    "load",
    "loaded",
    "succeeded",
    "successful",
];
/// The longest text that is read for words, in characters.
const LONGEST: usize = 300;

impl Pursuer<'_> {
    /// What is awaited comes by itself, or the attempt ends with what was not shown.
    pub(super) fn await_shown(&mut self, awaited: &Awaited) -> Pursuit {
        if self.is_shown(awaited) {
            return Pursuit::Reached;
        }
        let looks = self.memory.waits;
        if looks >= LOOKS {
            return Pursuit::Unclear(format!("waited in vain for \"{}\"", awaited.text));
        }
        self.memory.waits += 1;
        // Each wait is another action than the one before.
        let milliseconds = 1000 + 250 * looks;
        aside(self.step(Action::Wait { milliseconds }, "the instruction asks to wait for it".to_owned(), 0.9, false))
    }

    fn is_shown(&self, awaited: &Awaited) -> bool {
        let observation = self.scene.observation;
        if !awaited.names.is_empty() {
            let is_there = |name: &String| {
                !region::anchors(observation, self.scene.echoes, name).is_empty()
                    || self.scene.elements().any(|(_, node)| {
                        let text = legible(&node.text);
                        !node.is_interactive() && text.contains(name.as_str()) && !contradict(name, &text)
                    })
            };
            return awaited.names.iter().all(is_there);
        }
        let is_end = |word: &str| ENDED.contains(&word);
        // `until it is ready`: no word says what has to come, so that it is waited until the page rests.
        if awaited.words.iter().all(|word| is_end(word)) {
            return self.memory.waits > 0 && !domain::unfinished::is_coming(observation);
        }
        let says = |text: &str| {
            let said = tokens(text);
            let is_said =
                |word: &String| said.iter().any(|other| same_word(word, other) || (is_end(word) && is_end(other)));
            text.len() <= LONGEST && awaited.words.iter().all(is_said) && !contradict(&awaited.text, text)
        };
        self.scene.elements().any(|(_, node)| !node.is_interactive() && says(&legible(&node.text)))
    }
}
