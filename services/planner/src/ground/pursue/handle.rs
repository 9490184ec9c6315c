//! Handling one record of a list: by a control that its row shows, or after opening it.

use super::{Pursuer, Pursuit};
use crate::ground::bind::{bind_in, bind_in_records};
use crate::ground::goal::{Record, Target};
use crate::ground::region;
use crate::ground::score::STRONG;
use domain::decision::PlannerError;

impl Pursuer<'_> {
    pub(super) async fn handle(&mut self, record: &Record) -> Result<Pursuit, PlannerError> {
        let control = Target::labelled(record.verb.clone());
        if !self.memory.opened {
            let in_row = bind_in_records(&self.scene, &control, &record.anchor)
                .into_iter()
                .flatten()
                .find(|best| best.score >= STRONG && !self.memory.failed.contains(&self.key_of(best.element)));
            if let Some(best) = in_row {
                return Ok(self.click(
                    best.element,
                    "belongs to the record that the instruction names",
                    best.score,
                    true,
                ));
            }
            let anchor = region::anchors(self.scene.observation, self.scene.echoes, &record.anchor).into_iter().next();
            return Ok(match anchor {
                Some(anchor) => {
                    self.memory.opened = true;
                    self.click(anchor, "is the record that the instruction names", 0.85, false)
                }
                None => match self.seek(&format!("\"{}\"", record.anchor), None) {
                    Some(step) => step,
                    None => Pursuit::Stuck(format!("found no record of \"{}\"", record.anchor)),
                },
            });
        }
        let candidates = self.usable(bind_in(&self.scene, &control, None));
        if let Some(best) = candidates.first().filter(|best| best.score >= 0.7) {
            return Ok(self.click(best.element, "does what the instruction asks", best.score, true));
        }
        if let Some(step) = self.seek(&format!("a control to {}", record.verb), None) {
            return Ok(step);
        }
        let found = self.by_meaning(&record.verb, &self.clickable()).await?;
        Ok(match found {
            Some(found) => self.click(found.element, "means nearly what the instruction asks", found.score * 0.8, true),
            None => Pursuit::Stuck(format!("found no control to {} the record of \"{}\"", record.verb, record.anchor)),
        })
    }
}
