//! Activating what a target means: one element, or one in each of several records.

use super::enter::field_key;
use super::{Pursuer, Pursuit, aside, describe, may_mean, missing};
use crate::ground::bind::{Candidate, bind, bind_in_records, results_shown};
use crate::ground::commands::{self, Command};
use crate::ground::described;
use crate::ground::goal::{Count, Kind, Name, Target};
use crate::ground::item::{is_dialog, is_item, item_of};
use crate::ground::lexicon::NEXT_WORDS;
use crate::ground::names::same;
use crate::ground::outcome;
use crate::ground::pick::{Pick, only_called, pick};
use crate::ground::region::{self, Region};
use crate::ground::score::{self, STRONG, WEAK};
use crate::ground::words::tokens;
use domain::ElementId;
use domain::action::{Action, ActionKind};
use domain::decision::PlannerError;
use domain::observation::{Node, Observation};

/// How deep the smallest part of a page lies that holds two elements: the entry that both stand in, or a part by their paths, for
/// parts without a name are no nodes of their own.
fn common_part(observation: &Observation, one: ElementId, other: ElementId) -> Option<usize> {
    const PARTS: [&str; 7] = ["form", "section", "fieldset", "article", "dialog", "li", "tr"];
    let (first, second) = (observation.node(one)?, observation.node(other)?);
    if first.frame != second.frame {
        return None;
    }
    let steps = first.xpath.split('/').zip(second.xpath.split('/')).take_while(|(a, b)| a == b);
    let both: Vec<&str> = steps.map(|(step, _)| step).collect();
    let by_path = both.iter().rposition(|step| PARTS.contains(&step.split('[').next().unwrap_or_default()));
    let holds_other = |around: &ElementId| observation.ancestors(other).any(|(id, _)| id == *around);
    let mut entries = observation.ancestors(one).filter(|(_, node)| is_item(node));
    let entry = entries.find(|(around, _)| holds_other(around)).map(|(_, node)| node.xpath.split('/').count() - 1);
    by_path.max(entry)
}

impl Pursuer<'_> {
    pub(super) async fn activate(&mut self, target: &Target) -> Result<Pursuit, PlannerError> {
        let target = &match self.show_parts(target) {
            Ok(target) => target,
            Err(step) => return Ok(step),
        };
        match target.count {
            Count::One => self.activate_one(target).await,
            Count::Exactly(number) => Ok(self.activate_each(target, Some(number as usize))),
            Count::All => Ok(self.activate_each(target, None)),
        }
    }

    /// The button that hands in the form that was filled, where the instruction says so in a word of its own: `… and save it`.
    fn hands_in_filled(&self, target: &Target) -> Option<ElementId> {
        const SAID: [&str; 7] = ["save", "submit", "update", "apply", "confirm", "send", "ok"];
        let is_said =
            !target.quoted && target.within.is_none() && SAID.contains(&target.text().to_lowercase().as_str());
        let is_filled = |id: &ElementId| {
            let key = field_key(self.node(*id));
            self.memory.filled.contains(&key) || self.memory.filled_before.contains(&key)
        };
        let mut filled = self.forms().into_iter().filter(|form| is_said && form.fields.iter().any(is_filled));
        let form = filled.next().filter(|_| filled.next().is_none())?;
        let button = form.submits.first().copied()?;
        // Not what pays or publishes: that was not said.
        const SAVING: [&str; 17] = [
            "save",
            "submit",
            "ok",
            "update",
            "apply",
            "done",
            "speichern",
            "\u{fc}bernehmen",
            "absenden",
            "enregistrer",
            "valider",
            "guardar",
            "aceptar",
            "salva",
            "conferma",
            "opslaan",
            "salvar",
        ];
        let first = tokens(self.node(button).map(Node::label).unwrap_or_default()).into_iter().next();
        first.is_some_and(|word| SAVING.contains(&word.as_str())).then_some(button)
    }

    /// Puts the pointer on the entry that is named, once: some controls come only with it.
    fn hover_over_entry(&mut self, target: &Target) -> Option<Pursuit> {
        let within = target.within.as_deref()?;
        if described::region_of(&self.scene, target).is_none() && described::is_of_another(&self.scene, target) {
            return None;
        }
        let key = format!("hover|{within}");
        let shown = region::anchors(self.scene.observation, self.scene.echoes, within);
        let [anchor] = shown.as_slice() else { return None };
        if self.memory.tried.contains(&key) {
            return None;
        }
        self.memory.tried.push(key);
        // What comes with it is of the entry, wherever the page draws it.
        self.memory.menu_at = self.history.len() + 1;
        let why =
            format!("{} may show its controls to the pointer", self.node(*anchor).map(describe).unwrap_or_default());
        Some(aside(self.step(Action::Hover { element: *anchor }, why, 0.5, false)))
    }

    /// Whether the clause before handed its form in by the very control that this one names: `create a note … and save it`.
    fn is_handed_in(&self, target: &Target) -> bool {
        let last = self.history.iter().rposition(|step| step.action.kind() != ActionKind::Wait);
        let handed_in = last.filter(|at| at + 1 == self.memory.handed_in_at);
        let Some(step) = handed_in.and_then(|at| self.history.get(at)) else { return false };
        let label = step.action.element().map(|element| element.name.as_str()).unwrap_or_default();
        let is_general =
            !target.quoted && commands::names(Command::HandIn).iter().any(|name| same(name, target.text()));
        outcome::was_taken_by_site(step) && (is_general || same(target.text(), label))
    }

    async fn activate_one(&mut self, target: &Target) -> Result<Pursuit, PlannerError> {
        if self.is_handed_in(target) {
            return Ok(Pursuit::Reached);
        }
        let candidates = self.usable(bind(&self.scene, target));
        if target.texts.is_empty() && target.ordinal.is_none() && candidates.len() > 1 {
            return Ok(self.activate_unnamed(target, &candidates));
        }
        let strong: Vec<Candidate> = candidates.iter().filter(|best| best.score >= STRONG).copied().collect();
        if let Some(reason) = self.disabled_where_filled(&strong) {
            return Ok(Pursuit::Stuck(reason));
        }
        let strong = self.where_filled(strong);
        match pick(&self.scene, target, &strong) {
            Pick::One(best) => return Ok(self.click(best.element, "is what the instruction names", best.score, true)),
            Pick::Ambiguous(reason) => return Ok(Pursuit::Unclear(reason)),
            Pick::None => {}
        }
        if target.ordinal.is_some()
            && target.kind == Some(Kind::Result)
            && let Some(turn) = self.turn_over(target)
        {
            return Ok(turn);
        }
        if target.within.is_none()
            && let Some(select) = self.select_option(target.text())
        {
            return Ok(select);
        }
        if let Some(step) = self.press_in_open_menu(target) {
            return Ok(step);
        }
        if self.may_come() {
            return Ok(Pursuit::Stuck(missing(target)));
        }
        if let Some(button) = self.hands_in_filled(target) {
            return Ok(self.click(button, "hands in the form that was filled", 0.85, true));
        }
        if let Some(step) = self.hover_over_entry(target) {
            return Ok(step);
        }
        let region = self.region_of(target);
        if target.within.is_none() || region.is_some() {
            if let Some(step) = self.seek(&target.title(), region.as_ref()) {
                if region.is_some() && matches!(&step, Pursuit::Act(next) if next.action.kind() == ActionKind::Click) {
                    self.memory.menu_at = self.history.len() + 1;
                }
                return Ok(step);
            }
        } else if let Some(step) = self.seek(&missing(target), None) {
            return Ok(step);
        }
        let weak: Vec<Candidate> = candidates
            .into_iter()
            .filter(|best| best.score >= WEAK)
            .filter(|best| target.quoted || self.may_be(target, best.element))
            .collect();
        match pick(&self.scene, target, &weak) {
            Pick::One(best) => {
                return Ok(self.click(best.element, "comes nearest to what the instruction names", best.score, true));
            }
            Pick::Ambiguous(reason) => return Ok(Pursuit::Unclear(reason)),
            Pick::None => {}
        }
        // Likeness is for words that are no name, and says nothing about what stands in a record that is not to be seen.
        if target.quoted || (target.within.is_some() && region.is_none()) {
            return Ok(Pursuit::Stuck(missing(target)));
        }
        let among: Vec<ElementId> = match &region {
            Some(region) => {
                self.clickable().into_iter().filter(|id| region.holds(self.scene.observation, *id)).collect()
            }
            None => self.clickable(),
        };
        let found = self.by_meaning(target.text(), &among).await?;
        Ok(match found.filter(|found| !self.memory.failed.contains(&self.key_of(found.element))) {
            Some(found) => {
                self.click(found.element, "means nearly what the instruction names", found.score * 0.8, true)
            }
            None => Pursuit::Stuck(missing(target)),
        })
    }

    /// What came with the menu that was opened in an entry, in search of what is wanted there: it is of that entry, wherever the page
    /// draws it.
    fn press_in_open_menu(&self, target: &Target) -> Option<Pursuit> {
        if target.within.is_none() || !self.has_just_opened_menu() {
            return None;
        }
        let name = Name::of(target.text(), target.quoted);
        let is_it = |node: &Node| {
            node.allows(ActionKind::Click)
                && !node.states.disabled
                && name.is_label(node.label())
                && self.has_come(node)
        };
        let mut found = self.scene.elements().filter(|(_, node)| is_it(node)).map(|(id, _)| id);
        let only = found.next().filter(|_| found.next().is_none())?;
        Some(self.click(only, "is in the menu of what the instruction names", 0.88, true))
    }

    /// Of controls that are called alike, the one in the part of the page in which something was filled in is meant: the button of that
    /// form, though another can be pressed.
    fn where_filled(&self, found: Vec<Candidate>) -> Vec<Candidate> {
        let Some(top) = found.first().map(|best| best.score) else { return found };
        let Some(field) = self.filled_last() else { return found };
        let part = |one: &Candidate| common_part(self.scene.observation, field, one.element);
        let equals = || found.iter().filter(|one| one.score == top);
        let nearest = equals().map(part).max().flatten();
        if nearest.is_none() || equals().all(|one| part(one) == nearest) {
            return found;
        }
        found.into_iter().filter(|one| one.score < top || part(one) == nearest).collect()
    }

    /// Why none of these controls is meant: one that is called so stands nearer to what was filled in, and is disabled.
    fn disabled_where_filled(&self, found: &[Candidate]) -> Option<String> {
        let field = self.filled_last()?;
        let best = self.node(found.first()?.element)?;
        let part = |id: ElementId| common_part(self.scene.observation, field, id);
        let nearest = found.iter().map(|one| part(one.element)).max()?;
        let is_nearer = |id: ElementId| part(id).is_some() && part(id) > nearest;
        let is_twin = |node: &Node| node.states.disabled && node.role == best.role && same(node.label(), best.label());
        let (_, twin) = self.scene.elements().find(|(id, node)| is_twin(node) && is_nearer(*id))?;
        Some(format!("{} beside what was filled in is disabled", describe(twin)))
    }

    /// The field that was filled in, or chosen in, last.
    fn filled_last(&self) -> Option<ElementId> {
        let last_step = self.memory.place.as_ref().filter(|_| self.memory.wanted.is_some());
        if let Some(node) = last_step.and_then(|place| place.find(self.scene.observation)) {
            return self.scene.elements().find(|(_, other)| std::ptr::eq(*other, node)).map(|(id, _)| id);
        }
        let last = self.memory.filled.last()?;
        let is_it = |node: &Node| *last == field_key(Some(node)) && !node.xpath.is_empty();
        self.scene.elements().find(|(_, node)| is_it(node)).map(|(id, _)| id)
    }

    /// Whether an element that fits only in part may be meant: what throws away or sends is asked for in so many words, and a
    /// control of an item is meant by the item's words.
    fn may_be(&self, target: &Target, element: ElementId) -> bool {
        let Some(node) = self.node(element) else { return false };
        let observation = self.scene.observation;
        let item = item_of(observation, element).and_then(|item| observation.node(item));
        let is_foreign = target.within.is_none() && item.is_some_and(|item| !is_dialog(item));
        may_mean(target.text(), node.label()) && (!is_foreign || node.label().split_whitespace().count() > 2)
    }

    /// Of several elements that only their kind is known of, the one that strictly is of the kind.
    fn activate_unnamed(&self, target: &Target, candidates: &[Candidate]) -> Pursuit {
        let is_strict = |candidate: &&Candidate| {
            target.kind.zip(self.node(candidate.element)).is_some_and(|(kind, node)| score::is_exactly(kind, node))
        };
        let strict: Vec<Candidate> = candidates.iter().filter(is_strict).copied().collect();
        let among = if strict.is_empty() { candidates } else { &strict };
        match pick(&self.scene, target, among) {
            Pick::One(one) => self.click(one.element, "is of the kind that the instruction names", one.score, true),
            Pick::Ambiguous(reason) => Pursuit::Unclear(reason),
            Pick::None => Pursuit::Stuck(missing(target)),
        }
    }

    /// One element in each record, or each that fits where no record is named, until `number` are done.
    fn activate_each(&mut self, target: &Target, number: Option<usize>) -> Pursuit {
        let wanted = Target { count: Count::One, ..target.clone() };
        let groups: Vec<Vec<Candidate>> = match &target.within {
            Some(anchor) => bind_in_records(&self.scene, &wanted, anchor),
            None => bind(&self.scene, &wanted).into_iter().map(|candidate| vec![candidate]).collect(),
        };
        let meant: Vec<ElementId> = groups
            .iter()
            .filter_map(|group| group.first())
            .filter(|best| best.score >= STRONG)
            .map(|best| best.element)
            .collect();
        // What went with the last press is counted: another stands in its place now, or a twin of it.
        let there = meant.iter().copied().find(|id| self.memory.done.last() == Some(&self.key_of(*id)));
        if let Some(there) = there.filter(|_| meant.len() < self.memory.shown)
            && (self.memory.twins > 1 || self.look_of(there) != self.memory.look)
        {
            self.memory.done.pop();
            self.memory.gone += 1;
        }
        self.memory.shown = 0;
        let count = self.memory.done.len() + self.memory.gone;
        if number.is_some_and(|number| count >= number) {
            return Pursuit::Reached;
        }
        let is_open = |id: &ElementId| !self.is_done(*id) && !self.memory.failed.contains(&self.key_of(*id));
        if let Some(next) = meant.iter().copied().find(is_open) {
            let look = self.look_of(next);
            self.memory.shown = meant.len();
            self.memory.twins = meant.iter().filter(|id| self.look_of(**id) == look).count();
            self.memory.look = look;
            self.memory.done.push(self.key_of(next));
            return self.click(next, "is one of those that the instruction names", 0.9, false);
        }
        if count == 0 || number.is_some() {
            if let Some(step) = self.seek(&target.title(), None) {
                return step;
            }
            let found = if count == 0 { "none".to_owned() } else { format!("no more than {count}") };
            return Pursuit::Stuck(format!("found {found} of {}", target.title()));
        }
        Pursuit::Reached
    }

    /// By what one of several is told from the others, but for where it stands: its name and the words of its entry, without numbers, which
    /// count on.
    fn look_of(&self, element: ElementId) -> String {
        let node = self.node(element);
        let entry = item_of(self.scene.observation, element).and_then(|entry| self.node(entry));
        let text = entry.map(|entry| entry.text.as_str()).unwrap_or_default();
        let words = format!("{} {text}", node.map(Node::label).unwrap_or_default());
        words.chars().filter(|sign| !sign.is_ascii_digit()).collect()
    }

    pub(super) fn is_done(&self, element: ElementId) -> bool {
        self.memory.done.contains(&self.key_of(element))
    }

    /// The region of the record that a target stands in.
    fn region_of(&self, target: &Target) -> Option<Region> {
        let anchor = target.within.as_ref()?;
        if let Some(told) = described::region_of(&self.scene, target) {
            return Some(told);
        }
        if described::is_of_another(&self.scene, target) {
            return None;
        }
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
        Some(aside(self.click(next, "turns to the results that come next", 0.8, false)))
    }

    /// Chooses an option of a native select by its label.
    pub(super) fn select_option(&self, label: &str) -> Option<Pursuit> {
        if label.is_empty() {
            return None;
        }
        let mut found = self.scene.elements().filter_map(|(id, node)| {
            let offers = node.options.iter().any(|option| same(label, &option.label));
            (offers && node.allows(ActionKind::Select)).then_some((id, node))
        });
        let (Some((element, node)), None) = (found.next(), found.next()) else { return None };
        let option = only_called(label, &node.options)?.label.clone();
        let action = Action::Select { element, options: vec![option.clone()] };
        Some(self.step(action, format!("\"{option}\" is an option of this list"), 0.9, true))
    }
}
