//! Activating what a target means: one element, or one in each of several records.

use super::{Pursuer, Pursuit};
use crate::ground::bind::{Candidate, bind, bind_in_records, results_shown};
use crate::ground::goal::{Count, Kind, Target};
use crate::ground::lexicon::NEXT_WORDS;
use crate::ground::region::{self, Region};
use crate::ground::score::{self, STRONG, WEAK};
use domain::ElementId;
use domain::action::{Action, ActionKind};
use domain::decision::PlannerError;

impl Pursuer<'_> {
    pub(super) async fn activate(&mut self, target: &Target) -> Result<Pursuit, PlannerError> {
        match target.count {
            Count::One => self.activate_one(target).await,
            Count::Exactly(number) => Ok(self.activate_each(target, Some(number as usize))),
            Count::All => Ok(self.activate_each(target, None)),
        }
    }

    async fn activate_one(&mut self, target: &Target) -> Result<Pursuit, PlannerError> {
        let candidates = self.usable(bind(&self.scene, target));
        if target.texts.is_empty() && target.ordinal.is_none() && candidates.len() > 1 {
            return Ok(self.activate_unnamed(target, &candidates));
        }
        let best = candidates.first().copied();
        if let Some(best) = best.filter(|best| best.score >= STRONG) {
            return Ok(self.click(best.element, "is what the instruction names", best.score, true));
        }
        if target.ordinal.is_some()
            && target.kind == Some(Kind::Result)
            && let Some(turn) = self.turn_over(target)
        {
            return Ok(turn);
        }
        if let Some(select) = self.select_option(target.text()) {
            return Ok(select);
        }
        let region = self.region_of(target);
        if let Some(step) = region.as_ref().and_then(|region| self.seek(&target.title(), Some(region))) {
            return Ok(step);
        }
        if region.is_none()
            && let Some(step) = self.seek(&target.title(), None)
        {
            return Ok(step);
        }
        if let Some(best) = best.filter(|best| best.score >= WEAK) {
            return Ok(self.click(best.element, "comes nearest to what the instruction names", best.score, true));
        }
        let among: Vec<ElementId> = match &region {
            Some(region) => {
                self.clickable().into_iter().filter(|id| region.holds(self.scene.observation, *id)).collect()
            }
            None => self.clickable(),
        };
        if let Some(found) = self.by_meaning(target.text(), &among).await?
            && !self.memory.failed.contains(&self.key_of(found.element))
        {
            return Ok(self.click(found.element, "means nearly what the instruction names", found.score * 0.8, true));
        }
        Ok(match best {
            Some(best) if best.score > 0.3 => {
                self.click(best.element, "is the only thing like it", best.score * 0.6, true)
            }
            _ => Pursuit::Stuck(format!("found nothing on the page that is {}", target.title())),
        })
    }

    /// Of several elements that only their kind is known of, the first that strictly is of the kind; the more there are, the
    /// less sure. Where none is, nobody can tell which is meant.
    fn activate_unnamed(&self, target: &Target, candidates: &[Candidate]) -> Pursuit {
        let is_strict = |candidate: &&Candidate| {
            target.kind.zip(self.node(candidate.element)).is_some_and(|(kind, node)| score::is_exactly(kind, node))
        };
        let strict: Vec<&Candidate> = candidates.iter().filter(is_strict).collect();
        match strict.first() {
            Some(first) => {
                let confidence = first.score / strict.len() as f64;
                self.click(first.element, "is of the kind that the instruction names", confidence, true)
            }
            None => Pursuit::Stuck(format!("cannot tell which of {} elements is {}", candidates.len(), target.title())),
        }
    }

    /// One element in each record, or each that fits where no record is named, until `number` are done.
    fn activate_each(&mut self, target: &Target, number: Option<usize>) -> Pursuit {
        if number.is_some_and(|number| self.memory.done.len() >= number) {
            return Pursuit::Reached;
        }
        let wanted = Target { count: Count::One, ..target.clone() };
        let groups: Vec<Vec<Candidate>> = match &target.within {
            Some(anchor) => bind_in_records(&self.scene, &wanted, anchor),
            None => bind(&self.scene, &wanted).into_iter().map(|candidate| vec![candidate]).collect(),
        };
        let next = groups.iter().filter_map(|group| group.first()).find(|best| {
            best.score >= STRONG
                && !self.is_done(best.element)
                && !self.memory.failed.contains(&self.key_of(best.element))
        });
        if let Some(best) = next {
            self.memory.done.push(self.key_of(best.element));
            return self.click(best.element, "is one of those that the instruction names", best.score, false);
        }
        if self.memory.done.is_empty() {
            if let Some(step) = self.seek(&target.title(), None) {
                return step;
            }
            return Pursuit::Stuck(format!("found none of {}", target.title()));
        }
        Pursuit::Reached
    }

    pub(super) fn is_done(&self, element: ElementId) -> bool {
        self.memory.done.contains(&self.key_of(element))
    }

    /// The region of the record that a target stands in.
    fn region_of(&self, target: &Target) -> Option<Region> {
        let anchor = target.within.as_ref()?;
        let anchor = region::anchors(self.scene.observation, self.scene.echoes, anchor).into_iter().next()?;
        let mut regions = region::records(self.scene.observation, anchor);
        regions.retain(|region| {
            self.scene.elements().any(|(id, node)| node.is_interactive() && region.holds(self.scene.observation, id))
        });
        regions.into_iter().next()
    }

    /// The wanted result is on a later page: turns to it.
    fn turn_over(&mut self, target: &Target) -> Option<Pursuit> {
        let ordinal = u32::try_from(target.ordinal?).ok()?;
        let shown = u32::try_from(results_shown(&self.scene, target)).ok().filter(|shown| *shown > 0)?;
        let remaining = ordinal.checked_sub(self.memory.passed)?;
        if remaining <= shown && self.memory.passed > 0 {
            let here = Target { ordinal: i32::try_from(remaining).ok(), ..target.clone() };
            let best = *self.usable(bind(&self.scene, &here)).first()?;
            return Some(self.click(best.element, "is the result that the instruction counts to", 0.9, true));
        }
        let next = self
            .scene
            .elements()
            .find(|(_, node)| {
                node.allows(ActionKind::Click)
                    && !node.states.disabled
                    && NEXT_WORDS.contains(&node.label().trim().to_lowercase().as_str())
            })
            .map(|(id, _)| id)?;
        self.memory.passed += shown;
        Some(self.click(next, "turns to the results that come next", 0.8, false))
    }

    /// Chooses an option of a native select by its label.
    pub(super) fn select_option(&self, label: &str) -> Option<Pursuit> {
        if label.is_empty() {
            return None;
        }
        let found = self.scene.elements().find_map(|(id, node)| {
            let option = node.options.iter().find(|option| option.label.trim().eq_ignore_ascii_case(label.trim()))?;
            node.allows(ActionKind::Select).then(|| (id, option.label.clone()))
        });
        let (element, option) = found?;
        let action = Action::Select { element, options: vec![option.clone()] };
        Some(self.step(action, format!("\"{option}\" is an option of this list"), 0.9, true))
    }
}
