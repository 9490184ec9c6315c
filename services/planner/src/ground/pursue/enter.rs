//! Entering text: which field is meant, and which value.

use super::{Pursuer, Pursuit, calendar};
use crate::ground::bind::Candidate;
use crate::ground::goal::{Count, Kind, Target, Value};
use crate::ground::region;
use crate::ground::score;
use crate::ground::words::{fold, label_score, tokens};
use domain::ElementId;
use domain::action::{Action, ActionKind};
use domain::decision::PlannerError;
use domain::observation::Node;

impl Pursuer<'_> {
    pub(super) async fn enter(&mut self, value: &Value, target: &Target) -> Result<Pursuit, PlannerError> {
        let text = match value {
            Value::Literal(text) => text.clone(),
            Value::CellOf(heading) => match self.cell_beside(heading) {
                Some(text) => text,
                None => return Ok(Pursuit::Stuck(format!("found no value beside \"{heading}\""))),
            },
        };
        if self.memory.awaiting.take().is_some() {
            return Ok(self.suggestion(&text, true).unwrap_or(Pursuit::Reached));
        }
        let fields = self.fields();
        if fields.is_empty() {
            return Ok(match self.seek("a field to enter text", None) {
                Some(step) => step,
                None => Pursuit::Stuck("found no field to enter text".to_owned()),
            });
        }
        if target.count == Count::All {
            return Ok(self.enter_each(&fields, &text));
        }
        let Some(field) = self.field_for(&fields, target).await? else {
            return Ok(Pursuit::Stuck(format!("found no field for {}", target.title())));
        };
        Ok(self.type_into(field, &text, false))
    }

    /// Types into a field, and looks afterwards whether the page suggests something.
    pub(super) fn type_into(&mut self, field: Candidate, text: &str, reaches: bool) -> Pursuit {
        let text = &self.as_field_takes_it(field.element, text);
        let key = field_key(self.node(field.element));
        self.memory.filled.push(key);
        self.memory.awaiting = (!reaches).then(|| text.to_owned());
        let title = self.node(field.element).map(super::describe).unwrap_or_default();
        let action = Action::Type { element: field.element, text: text.to_owned(), submit: false };
        self.step(action, format!("{title} is the field for this text"), field.score, reaches)
    }

    /// Date fields of the browser take one spelling only.
    fn as_field_takes_it(&self, field: ElementId, text: &str) -> String {
        let is_date = self.node(field).is_some_and(|node| node.attribute("type") == "date");
        match calendar::parse_date(text).filter(|_| is_date) {
            Some(date) => date.format("%Y-%m-%d").to_string(),
            None => text.to_owned(),
        }
    }

    fn enter_each(&mut self, fields: &[ElementId], text: &str) -> Pursuit {
        let next = fields.iter().find(|element| !self.memory.filled.contains(&field_key(self.node(**element))));
        match next {
            Some(element) => {
                let pursuit = self.type_into(Candidate { element: *element, score: 0.9 }, text, false);
                self.memory.awaiting = None;
                pursuit
            }
            None => Pursuit::Reached,
        }
    }

    /// Fields that take text now.
    pub(super) fn fields(&self) -> Vec<ElementId> {
        self.scene
            .elements()
            .filter(|(_, node)| node.allows(ActionKind::Type) && !node.states.disabled && !node.states.readonly)
            .map(|(id, _)| id)
            .collect()
    }

    /// The field that a target means: by label, kind and order; else the first that nothing was entered into.
    async fn field_for(&self, fields: &[ElementId], target: &Target) -> Result<Option<Candidate>, PlannerError> {
        if let Some(ordinal) = target.ordinal {
            let index = if ordinal < 0 { fields.len() as i32 + ordinal } else { ordinal - 1 };
            let element = usize::try_from(index).ok().and_then(|index| fields.get(index));
            return Ok(element.map(|element| Candidate { element: *element, score: 0.9 }));
        }
        let mut scored: Vec<Candidate> = fields
            .iter()
            .map(|element| Candidate { element: *element, score: self.field_fit(*element, target) })
            .collect();
        scored.sort_by(|a, b| b.score.total_cmp(&a.score));
        let unfilled = |candidate: &&Candidate| !self.memory.filled.contains(&field_key(self.node(candidate.element)));
        if let Some(best) = scored.iter().filter(unfilled).find(|candidate| candidate.score >= 0.55) {
            return Ok(Some(*best));
        }
        if !target.texts.is_empty() && scored.len() > 1 {
            let labels: Vec<String> = scored.iter().map(|candidate| self.field_label(candidate.element)).collect();
            let similarities = self.similarities(target.text(), &labels).await?;
            let best = similarities.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
            if let Some((index, score)) = best.filter(|(_, score)| **score >= self.options.similarity) {
                return Ok(scored.get(index).map(|found| Candidate { element: found.element, score: *score }));
            }
        }
        let is_free = |element: &&ElementId| !self.memory.filled.contains(&field_key(self.node(**element)));
        let first = fields.iter().find(is_free).or(fields.first());
        Ok(first.map(|element| Candidate { element: *element, score: 0.6 }))
    }

    fn field_fit(&self, element: ElementId, target: &Target) -> f64 {
        let Some(node) = self.node(element) else { return 0.0 };
        let by_label = target
            .texts
            .iter()
            .map(|text| score::best_label(text, node, false).max(label_score(text, &self.field_label(element), false)))
            .fold(0.0, f64::max);
        let by_kind = match target.kind {
            Some(Kind::Password) if score::is_kind(Kind::Password, node) => 0.9,
            Some(Kind::TextArea) if score::is_kind(Kind::TextArea, node) => 0.8,
            _ => 0.0,
        };
        by_label.max(by_kind)
    }

    /// What a person reads as the field's label: its name, else the nearest text beside, above or below it.
    pub(super) fn field_label(&self, element: ElementId) -> String {
        let Some(node) = self.node(element) else { return String::new() };
        if !node.name.is_empty() {
            return node.name.clone();
        }
        let nearest = self
            .scene
            .elements()
            .filter(|(_, other)| !other.is_interactive() && !other.text.is_empty() && other.text.len() <= 60)
            .filter(|(id, _)| !self.scene.observation.ancestors(element).any(|(ancestor, _)| ancestor == *id))
            .map(|(_, other)| (label_distance(node, other), other))
            .min_by(|a, b| a.0.total_cmp(&b.0));
        match nearest {
            Some((distance, other)) if distance < 60.0 => other.text.clone(),
            _ => node.context.clone(),
        }
    }

    /// The value that stands to the right of a heading, else below it.
    fn cell_beside(&self, heading: &str) -> Option<String> {
        let observation = self.scene.observation;
        let anchor = region::anchors(observation, self.scene.echoes, heading).into_iter().next()?;
        let at = observation.node(anchor)?.bounds;
        let texts: Vec<&Node> = self
            .scene
            .elements()
            .filter(|(id, node)| *id != anchor && !node.is_interactive() && !node.text.is_empty())
            .filter(|(id, node)| !contains_other_text(observation, *id, node))
            .map(|(_, node)| node)
            .collect();
        let right = texts
            .iter()
            .filter(|node| {
                node.bounds.x >= at.right() - 2.0
                    && (node.bounds.center().y - at.center().y).abs() < at.height.max(8.0) / 2.0
            })
            .min_by(|a, b| a.bounds.x.total_cmp(&b.bounds.x));
        let below = texts
            .iter()
            .filter(|node| {
                node.bounds.y >= at.bottom() - 2.0
                    && (node.bounds.center().x - at.center().x).abs() < at.width.max(8.0) / 2.0
            })
            .min_by(|a, b| a.bounds.y.total_cmp(&b.bounds.y));
        right.or(below).map(|node| fold(&node.text))
    }

    /// An offered suggestion that fits what was typed: an option or item, or whatever hangs below the field.
    pub(super) fn suggestion(&self, text: &str, reaches: bool) -> Option<Pursuit> {
        let field = self.scene.elements().find(|(_, node)| node.states.focused).map(|(_, node)| node);
        let hangs_below = |node: &Node| {
            field.is_some_and(|field| {
                node.bounds.y >= field.bounds.bottom() - 4.0 && node.bounds.distance(&field.bounds) < 120.0
            })
        };
        let best = self
            .scene
            .elements()
            .filter(|(_, node)| node.allows(ActionKind::Click) && !node.allows(ActionKind::Type))
            .filter(|(_, node)| {
                matches!(node.role.as_str(), "option" | "menuitem")
                    || (matches!(node.role.as_str(), "listitem" | "generic") && hangs_below(node))
            })
            .map(|(id, node)| (id, suggestion_fit(text, node.label())))
            .filter(|(_, score)| *score >= 0.5)
            .max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(self.click(best.0, "is the suggestion that fits the text", best.1, reaches))
    }
}

/// A suggestion may spell out what was typed: a code stands in brackets, a town before its country.
fn suggestion_fit(text: &str, label: &str) -> f64 {
    let wanted = tokens(text);
    let offered = tokens(label);
    let holds_all = !wanted.is_empty() && wanted.iter().all(|word| offered.contains(word));
    let by_words = if holds_all { 0.7 + 0.2 * wanted.len() as f64 / offered.len() as f64 } else { 0.0 };
    label_score(text, label, false).max(by_words)
}

fn contains_other_text(observation: &domain::Observation, element: ElementId, _node: &Node) -> bool {
    observation.children(element).any(|(_, child)| !child.text.is_empty())
}

/// Distance of a text from a field as the eye goes: to the left and above is where labels stand.
fn label_distance(field: &Node, text: &Node) -> f64 {
    let distance = field.bounds.distance(&text.bounds);
    let same_line =
        (field.bounds.center().y - text.bounds.center().y).abs() < field.bounds.height.max(text.bounds.height) / 2.0;
    let is_left = same_line && text.bounds.center().x < field.bounds.center().x;
    let is_above = !same_line && text.bounds.bottom() <= field.bounds.y + 4.0;
    if is_left {
        distance
    } else if is_above {
        distance + 2.0
    } else {
        distance + 6.0
    }
}

/// Fields are recognised by what does not change when text is entered.
pub(super) fn field_key(node: Option<&Node>) -> String {
    node.map(|node| format!("field|{}|{}", node.xpath, node.attribute("name"))).unwrap_or_default()
}
