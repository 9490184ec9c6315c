//! Parts of a page that a tab or a section heading shows: where an instruction says that something stands in one, that part is shown
//! first, and what is sought is not looked for in another.

use super::{Pursuer, Pursuit, aside};
use crate::ground::goal::Target;
use crate::ground::names::same;
use crate::ground::{region, rivals, seek};
use domain::ElementId;
use domain::observation::Node;

impl Pursuer<'_> {
    /// Shows the parts of the page in which a target is said to stand. Without a step, the target is as it is to be looked for on what is
    /// shown: everything there belongs to the tab that is selected.
    pub(super) fn show_parts(&mut self, target: &Target) -> Result<Target, Pursuit> {
        let mut rest = target.clone();
        if let Some(within) = &target.within
            && self.show_part(within)?
        {
            rest.within = None;
        }
        rest.places.clear();
        for place in &target.places {
            if !self.show_part(&place.name)? {
                rest.places.push(place.clone());
            }
        }
        Ok(rest)
    }

    /// Shows the part that is called so, where one control shows it. Whether a tab shows it now.
    fn show_part(&mut self, name: &str) -> Result<bool, Pursuit> {
        let observation = self.scene.observation;
        let mut named = self.scene.elements().filter(|(_, node)| shows_part(node) && same(name, node.label()));
        let (Some((element, node)), None) = (named.next(), named.next()) else { return Ok(false) };
        let is_tab = node.role == "tab";
        let stands_elsewhere = |anchor: &ElementId| {
            let is_of_it = |one: ElementId, other: ElementId| {
                one == other || observation.ancestors(one).any(|(around, _)| around == other)
            };
            !is_of_it(*anchor, element) && !is_of_it(element, *anchor)
        };
        if region::anchors(observation, self.scene.echoes, name).iter().any(stands_elsewhere) {
            return Ok(false);
        }
        let is_shown = if is_tab { node.states.selected } else { node.states.expanded } == Some(true);
        let key = format!("part|{}", seek::key(node));
        rivals::pass_by(&mut self.memory.passed_by, observation, element, self.memory.goal);
        if is_shown || self.memory.tried.contains(&key) {
            // A tab that was pressed, says that it is not selected and changed nothing shows nothing.
            let has_changed = || self.history.last().is_some_and(|step| step.effect.is_change());
            return Ok(is_tab && (node.states.selected != Some(false) || has_changed()));
        }
        self.memory.tried.push(key);
        Err(aside(self.click(element, "shows the part that the instruction names", 0.9, false)))
    }
}

/// Whether a control shows a part of the page: a tab, or what folds a section out.
fn shows_part(node: &Node) -> bool {
    let unfolds = (node.states.expanded.is_some() || node.tag == "summary") && !seek::opens_popup(node);
    !node.states.disabled && (node.role == "tab" || unfolds)
}
