//! Choosing among what is offered: checkboxes, radio buttons, options, items, or a date.

use super::{Pursuer, Pursuit, calendar};
use crate::ground::goal::{Kind, Manner, Target, Value};
use crate::ground::words::{cosine, fold, label_score};
use domain::ElementId;
use domain::action::{Action, ActionKind};
use domain::decision::PlannerError;
use domain::observation::Node;

/// Something that can be chosen, with its label.
struct Offer {
    element: ElementId,
    label: String,
    chosen: Option<bool>,
}

impl Pursuer<'_> {
    pub(super) async fn choose(
        &mut self,
        values: &str,
        manner: Manner,
        target: &Target,
    ) -> Result<Pursuit, PlannerError> {
        if matches!(fold(values).to_lowercase().as_str(), "nothing" | "none" | "no option" | "") {
            return Ok(Pursuit::Reached);
        }
        if let Some(date) = calendar::parse_date(values) {
            return Ok(self.choose_date(date, values));
        }
        if let Some(step) = self.select_natively(values) {
            return Ok(step);
        }
        let wanted_state = manner != Manner::Cleared;
        let offers = self.offers();
        let chosen = match manner {
            Manner::Similar => self.most_similar(&split(values, &[]), &offers).await?,
            Manner::Named | Manner::Cleared => named(values, &offers),
        };
        let labels: Vec<String> = offers.iter().map(|offer| offer.label.clone()).collect();
        let all_found =
            !chosen.is_empty() && (manner == Manner::Similar || chosen.len() >= split(values, &labels).len());
        if all_found {
            return Ok(self.take_next(&offers, &chosen, wanted_state));
        }
        if target.kind == Some(Kind::Field) {
            return self.enter(&Value::Literal(values.to_owned()), target).await;
        }
        if let Some(step) = self.seek(&format!("\"{values}\""), None) {
            return Ok(step);
        }
        if !chosen.is_empty() {
            return Ok(self.take_next(&offers, &chosen, wanted_state));
        }
        self.activate(&Target { within: target.within.clone(), ..Target::labelled(values) }).await
    }

    fn take_next(&mut self, offers: &[Offer], chosen: &[usize], wanted: bool) -> Pursuit {
        for offer in chosen.iter().filter_map(|index| offers.get(*index)) {
            if offer.chosen == Some(wanted) || self.is_done(offer.element) {
                continue;
            }
            self.memory.done.push(self.key_of(offer.element));
            let reason = format!("\"{}\" is among the wanted choices", offer.label);
            let can_check = self.node(offer.element).is_some_and(|node| node.allows(ActionKind::Check));
            let action = if can_check {
                Action::Check { element: offer.element, checked: wanted }
            } else {
                Action::click(offer.element)
            };
            return self.step(action, reason, 0.9, false);
        }
        Pursuit::Reached
    }

    /// Everything on the page that can be chosen and is not a native select.
    fn offers(&self) -> Vec<Offer> {
        let choosable = |node: &Node| {
            node.allows(ActionKind::Check)
                || matches!(
                    node.role.as_str(),
                    "option" | "menuitem" | "menuitemcheckbox" | "menuitemradio" | "treeitem"
                )
                || (node.allows(ActionKind::Click) && matches!(node.role.as_str(), "listitem"))
        };
        self.scene
            .elements()
            .filter(|(_, node)| choosable(node) && !node.states.disabled)
            .map(|(id, node)| Offer {
                element: id,
                label: offer_label(node),
                chosen: node.states.checked.or(node.states.selected),
            })
            .filter(|offer| !offer.label.is_empty())
            .collect()
    }

    /// All wanted options of one native select, in one action.
    fn select_natively(&mut self, values: &str) -> Option<Pursuit> {
        let selects =
            self.scene.elements().filter(|(_, node)| node.allows(ActionKind::Select) && !node.options.is_empty());
        let (element, options) = selects.into_iter().find_map(|(element, node)| {
            let labels: Vec<String> = node.options.iter().map(|option| option.label.clone()).collect();
            let wanted = split(values, &labels);
            let same = |label: &&String, value: &String| fold(label).eq_ignore_ascii_case(&fold(value));
            let found: Vec<String> =
                wanted.iter().filter_map(|value| labels.iter().find(|label| same(label, value)).cloned()).collect();
            (!found.is_empty() && found.len() == wanted.len()).then_some((element, found))
        })?;
        if self.is_done(element) {
            return Some(Pursuit::Reached);
        }
        self.memory.done.push(self.key_of(element));
        let reason = format!("the list offers {}", options.join(", "));
        Some(self.step(Action::Select { element, options }, reason, 0.95, false))
    }

    /// For each wanted word the offer nearest in meaning, each offer at most once, the closest pairs first.
    async fn most_similar(&self, wanted: &[String], offers: &[Offer]) -> Result<Vec<usize>, PlannerError> {
        let labels: Vec<String> = offers.iter().map(|offer| offer.label.clone()).collect();
        let vectors = self.vectors(&[wanted.to_vec(), labels].concat()).await?;
        let (wanted_vectors, label_vectors) = vectors.split_at(wanted.len());
        let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
        for (w, wanted) in wanted_vectors.iter().enumerate() {
            pairs.extend(label_vectors.iter().enumerate().map(|(o, label)| (cosine(wanted, label), w, o)));
        }
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut taken: Vec<(usize, usize)> = Vec::new();
        for (_, w, o) in pairs {
            if taken.iter().all(|(other_w, other_o)| *other_w != w && *other_o != o) {
                taken.push((w, o));
            }
        }
        let mut chosen: Vec<usize> = taken.into_iter().map(|(_, offer)| offer).collect();
        chosen.sort_unstable();
        Ok(chosen)
    }
}

fn offer_label(node: &Node) -> String {
    let label = node.label();
    fold(if label.is_empty() { &node.context } else { label })
}

/// The offers that a list of values names.
fn named(values: &str, offers: &[Offer]) -> Vec<usize> {
    let labels: Vec<String> = offers.iter().map(|offer| offer.label.clone()).collect();
    split(values, &labels)
        .iter()
        .filter_map(|value| {
            let scored = labels.iter().enumerate().map(|(index, label)| (index, label_score(value, label, false)));
            scored.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, score)| *score >= 0.9).map(|(index, _)| index)
        })
        .collect()
}

/// Cuts a list of values at commas and `and`, unless a known label itself holds them.
fn split(values: &str, labels: &[String]) -> Vec<String> {
    let known = |text: &str| labels.iter().any(|label| fold(label).eq_ignore_ascii_case(&fold(text)));
    if known(values) {
        return vec![fold(values)];
    }
    let mut parts = Vec::new();
    for part in values.split(',') {
        let part = part.trim().trim_start_matches("and ").trim();
        if part.is_empty() {
            continue;
        }
        if known(part) || !part.contains(" and ") {
            parts.push(part.to_owned());
        } else {
            parts.extend(part.split(" and ").map(|piece| piece.trim().to_owned()));
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_that_holds_a_separator_is_not_cut() {
        let labels = ["Heard Island and McDonald Islands".to_owned(), "Nicaragua".to_owned()];
        assert_eq!(split("Heard Island and McDonald Islands, Nicaragua", &labels), labels);
        assert_eq!(split("red, green and blue", &[]), ["red", "green", "blue"]);
    }
}
