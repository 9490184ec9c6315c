//! The second phase: which elements are choices, in which order, and what each is for.

use super::replies::Descriptions;
use super::{Carried, NaviQAte, render};
use crate::agent::{Halt, Turn};
use crate::model::ModelRole;
use crate::page::{Actions, Situation, offered};
use crate::rank::rank;
use domain::{ElementId, Node};
use minijinja::context;
use std::collections::{BTreeMap, BTreeSet};

/// Characters of an element that it is ranked by.
const RANKED: usize = 300;

/// Purposes that are remembered; they travel with every request.
const REMEMBERED: usize = 300;

impl NaviQAte {
    /// The elements that can be acted on, those that mean the step most nearly first; what was used before falls behind.
    pub(super) async fn ranked(&self, turn: &Turn<'_>, step: &str) -> Result<Vec<ElementId>, Halt> {
        let observation = &turn.request.observation;
        let elements: Vec<(ElementId, &Node)> =
            observation.interactive().filter(|(_, node)| !offered(node).is_empty()).collect();
        let texts: Vec<String> =
            elements.iter().map(|(id, node)| said_of(node, turn.actions.line_of(*id).as_deref())).collect();
        let used = used(turn);
        let was_used = |index: usize| elements.get(index).is_some_and(|(id, _)| used.contains(id));
        let ranked = rank(self.embedder.as_ref(), step, &texts, was_used, &self.options.rank).await?;
        Ok(ranked.into_iter().filter_map(|ranked| elements.get(ranked.index).map(|(id, _)| *id)).collect())
    }

    /// What each element is for, in the words of a cheaper model, asked in batches. What was said of an element that looks the same
    /// is not asked again.
    pub(super) async fn purposes(
        &self,
        turn: &mut Turn<'_>,
        carried: &mut Carried,
        elements: &[ElementId],
    ) -> Result<BTreeMap<ElementId, String>, Halt> {
        let plain = listed(turn, elements, &BTreeMap::new());
        let looks: Vec<(ElementId, String)> =
            elements.iter().filter_map(|id| Some((*id, plain.line_of(*id)?))).collect();
        let mut unknown: Vec<String> = Vec::new();
        for (_, look) in &looks {
            if !carried.purposes.contains_key(look) && !unknown.contains(look) {
                unknown.push(look.clone());
            }
        }
        let mut fresh: Vec<(String, String)> = Vec::new();
        for batch in unknown.chunks(self.options.describe_batch) {
            let prompt = render("describe", context! { elements => batch.to_vec(), title => turn.view.title.clone() });
            let reply: Descriptions = turn.question(ModelRole::Describer, prompt).await?;
            if reply.descriptions.len() != batch.len() {
                turn.ask.note(format!("{} descriptions of {} elements", reply.descriptions.len(), batch.len()));
                continue;
            }
            fresh.extend(batch.iter().cloned().zip(reply.descriptions));
        }
        if carried.purposes.len() + fresh.len() > REMEMBERED {
            carried.purposes.retain(|look, _| looks.iter().any(|(_, here)| here == look));
        }
        carried.purposes.extend(fresh);
        let purpose = |(id, look): &(ElementId, String)| Some((*id, carried.purposes.get(look)?.clone()));
        Ok(looks.iter().filter_map(purpose).collect())
    }
}

/// The list of choices.
pub(super) fn listed(turn: &Turn<'_>, elements: &[ElementId], notes: &BTreeMap<ElementId, String>) -> Actions {
    let situation = Situation::after(&turn.steps);
    Actions::of_elements(&turn.request.observation, situation, turn.page_options(), elements, notes)
}

/// What an element is ranked by: its text, else its name, else its value, else all that is told of it.
fn said_of(node: &Node, line: Option<&str>) -> String {
    let value = node.value.as_deref().unwrap_or_default();
    let said = [node.text.as_str(), node.label(), value, line.unwrap_or_default()];
    let said = said.into_iter().find(|text| !text.trim().is_empty()).unwrap_or(&node.tag);
    said.chars().take(RANKED).collect()
}

/// The elements of this page that an earlier step acted on.
fn used(turn: &Turn<'_>) -> BTreeSet<ElementId> {
    let elements = turn.steps.iter().filter_map(|step| step.action.element());
    elements.filter_map(|element| element.locate(&turn.request.observation).element()).collect()
}
