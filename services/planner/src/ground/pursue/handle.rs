//! Handling one record of a list: by a control that its row shows, or after opening it.

use super::{Pursuer, Pursuit, aside};
use crate::ground::bind::{Candidate, bind, bind_in};
use crate::ground::goal::{Record, Target};
use crate::ground::item::{is_dialog, item_of};
use crate::ground::names::holds_words;
use crate::ground::pick::{Pick, pick};
use crate::ground::places::stands_in;
use crate::ground::region;
use crate::ground::score::STRONG;
use crate::ground::words::is_consequential;

impl Pursuer<'_> {
    pub(super) fn handle(&mut self, record: &Record) -> Pursuit {
        let control = Target {
            within: Some(record.anchor.clone()),
            places: record.places.clone(),
            ..Target::labelled(record.verb.clone())
        };
        if !self.memory.opened {
            // The clause may be the name of a control itself.
            if let Some(whole) = &record.whole {
                let named = self.strong(bind(&self.scene, &Target { quoted: true, ..Target::labelled(whole.clone()) }));
                match pick(&self.scene, &control, &named) {
                    Pick::One(best) => {
                        return self.click(best.element, "is what the instruction names", best.score, true);
                    }
                    Pick::Ambiguous(reason) => return Pursuit::Unclear(reason),
                    Pick::None => {}
                }
            }
            let in_row = self.strong(bind(&self.scene, &control));
            match pick(&self.scene, &control, &in_row) {
                Pick::One(best) => {
                    return self.click(
                        best.element,
                        "belongs to the record that the instruction names",
                        best.score,
                        true,
                    );
                }
                Pick::Ambiguous(reason) => return Pursuit::Unclear(reason),
                Pick::None => {}
            }
            return self.open_record(record);
        }
        // The record was opened: what the page shows now is about it, unless it is a part of a list.
        let observation = self.scene.observation;
        let mut candidates = self.strong(bind_in(&self.scene, &Target::labelled(record.verb.clone()), None));
        candidates.retain(|candidate| {
            let item = item_of(observation, candidate.element).and_then(|item| observation.node(item));
            item.is_none_or(|item| is_dialog(item) || holds_words(&item.text, &record.anchor))
        });
        match pick(&self.scene, &control, &candidates) {
            Pick::One(best) => self.click(best.element, "does what the instruction asks", best.score, true),
            Pick::Ambiguous(reason) => Pursuit::Unclear(reason),
            Pick::None => {
                let wanted = format!("a control to {}", record.verb);
                self.seek_or(&wanted, None, || format!("found no control to {} \"{}\"", record.verb, record.anchor))
            }
        }
    }

    /// Opens the record, where it is one and can be opened without doing anything else to it.
    fn open_record(&mut self, record: &Record) -> Pursuit {
        let shown: Vec<Candidate> = region::anchors(self.scene.observation, self.scene.echoes, &record.anchor)
            .into_iter()
            .filter(|element| record.places.iter().all(|place| stands_in(&self.scene, *element, place)))
            .map(|element| Candidate { element, score: 0.85 })
            .collect();
        let target = Target { quoted: true, ..Target::labelled(record.anchor.clone()) };
        match pick(&self.scene, &target, &shown) {
            Pick::One(one) if self.node(one.element).is_some_and(|node| is_consequential(node.label())) => {
                Pursuit::Stuck(format!("found no control to {} \"{}\"", record.verb, record.anchor))
            }
            Pick::One(one) => {
                self.memory.opened = true;
                aside(self.click(one.element, "is the record that the instruction names", one.score, false))
            }
            Pick::Ambiguous(reason) => Pursuit::Unclear(reason),
            Pick::None => self.seek_or(&format!("\"{}\"", record.anchor), None, || {
                format!("found nothing on the page that is \"{}\", to {} it", record.anchor, record.verb)
            }),
        }
    }

    fn strong(&self, candidates: Vec<Candidate>) -> Vec<Candidate> {
        let mut candidates = self.usable(candidates);
        candidates.retain(|best| best.score >= STRONG);
        candidates
    }
}
