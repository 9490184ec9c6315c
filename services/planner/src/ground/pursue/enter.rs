//! Entering text: which field is meant, and which value.

use super::{Pursuer, Pursuit, calendar, labels};
use crate::ground::bind::Candidate;
use crate::ground::described;
use crate::ground::goal::{Count, Goal, Kind, Target, Value};
use crate::ground::item::{form_of, is_dialog};
use crate::ground::memory::ElementPath;
use crate::ground::names::{contradict, holds_joined, same};
use crate::ground::outcome;
use crate::ground::pick::{Pick, pick};
use crate::ground::region::{self, Region};
use crate::ground::score;
use crate::ground::words::{fold, is_function_word, label_score, tokens};
use crate::rank;
use domain::ElementId;
use domain::action::{Action, ActionKind};
use domain::decision::PlannerError;
use domain::observation::Node;
use domain::upload;

impl Pursuer<'_> {
    pub(super) async fn enter(&mut self, value: &Value, target: &Target) -> Result<Pursuit, PlannerError> {
        let text = match value {
            Value::Literal(text) => text.clone(),
            Value::CellOf(heading) => match self.cell_beside(heading) {
                Some(text) => text,
                None => return Ok(Pursuit::Stuck(format!("found no value beside \"{heading}\""))),
            },
        };
        if let Some(typed) = self.memory.awaiting.take() {
            return Ok(self.after_typing(&text, typed));
        }
        if upload::name_of(&text).is_some() {
            return self.upload(text, target).await;
        }
        let fields = self.fields();
        if fields.is_empty() {
            let missing = || format!("found no field to enter text that is {}", target.title());
            return Ok(self.seek_or("a field to enter text", None, missing));
        }
        if target.count == Count::All {
            return Ok(self.enter_each(&fields, &text));
        }
        Ok(match self.field_for(&fields, target, &text).await? {
            Pick::One(field) => self.type_into(field, &text, false),
            Pick::Ambiguous(reason) => Pursuit::Unclear(reason),
            Pick::None => self.seek_or(&target.title(), None, || format!("found no field that is {}", target.title())),
        })
    }

    /// Puts a file into the field that takes it.
    async fn upload(&mut self, file: String, target: &Target) -> Result<Pursuit, PlannerError> {
        if self.memory.handed_in {
            return Ok(Pursuit::Reached);
        }
        if self.memory.stage > 0 {
            return Ok(self.hand_file_in());
        }
        let takes_files =
            |(id, node): (ElementId, &Node)| (node.allows(ActionKind::Upload) && !node.states.disabled).then_some(id);
        let fields: Vec<ElementId> = self.scene.elements().filter_map(takes_files).collect();
        let field = match self.field_for(&fields, target, &file).await? {
            Pick::One(field) => field,
            Pick::Ambiguous(reason) => return Ok(Pursuit::Unclear(reason)),
            // What is said without quotes may be what the file is for; one field that says nothing else leaves no choice.
            Pick::None => match fields[..] {
                [only] if !target.quoted && (target.texts.is_empty() || self.takes_any_file(only)) => {
                    Candidate { element: only, score: 0.7 }
                }
                _ => {
                    let missing = || format!("found no field for a file that is {}", target.title());
                    return Ok(self.seek_or("a field for a file", None, missing));
                }
            },
        };
        let title = self.node(field.element).map(super::describe).unwrap_or_default();
        let action = Action::Upload { element: field.element, files: vec![file] };
        self.memory.stage = 1;
        Ok(self.step(action, format!("{title} is the field for this file"), field.score, false))
    }

    /// Whether a field for files says nothing of which files it is for.
    fn takes_any_file(&self, field: ElementId) -> bool {
        const ANY: [&str; 14] = [
            "file",
            "files",
            "attachment",
            "attachments",
            "document",
            "documents",
            "upload",
            "choose",
            "browse",
            "select",
            "attach",
            "add",
            "drop",
            "here",
        ];
        let labels = labels::of_fields(&self.scene, &[field]);
        let said = labels.first().map(|label| tokens(label)).unwrap_or_default();
        said.iter().all(|word| ANY.contains(&word.as_str()) || is_function_word(word))
    }

    /// After a file was chosen that no later clause hands in: many pages take it at once, others by the button of its form.
    fn hand_file_in(&mut self) -> Pursuit {
        let last = self.history.iter().rfind(|step| step.action.kind() != ActionKind::Wait);
        let is_taken = last.is_some_and(outcome::was_taken_by_site);
        let place = self.memory.place.clone();
        let chosen =
            self.scene.elements().find(|(_, node)| place.as_ref().is_some_and(|place| ElementPath::of(node) == *place));
        let form = chosen.and_then(|(id, _)| form_of(self.scene.observation, id));
        let is_submit = |node: &Node| {
            node.role == "button"
                && matches!(node.attribute("type"), "" | "submit")
                && !node.states.disabled
                && !node.label().is_empty()
        };
        let within = |id: ElementId| form.is_some_and(|form| Region::Subtree(form).holds(self.scene.observation, id));
        let found: Vec<ElementId> =
            self.scene.elements().filter(|(id, node)| is_submit(node) && within(*id)).map(|(id, _)| id).collect();
        let others = self.scene.elements().any(|(id, node)| {
            within(id)
                && (node.allows(ActionKind::Type) || node.allows(ActionKind::Select) || node.allows(ActionKind::Check))
        });
        match found[..] {
            // Whatever else the form asks for is not known.
            [button] if !is_taken && self.later.is_empty() && !others => {
                self.memory.handed_in = true;
                self.click(button, "hands the file in", 0.8, false)
            }
            _ => Pursuit::Reached,
        }
    }

    /// Takes the suggestion that is what was typed. A field that suggests while one types is given a moment to do so.
    pub(super) fn after_typing(&mut self, text: &str, typed: String) -> Pursuit {
        if self.next_chooses() {
            return Pursuit::Reached;
        }
        if let Some(step) = self.suggestion(text, true) {
            return step;
        }
        let field = self.memory.place.as_ref().and_then(|place| place.find(self.scene.observation));
        let suggests = field.is_some_and(|field| {
            field.role == "combobox" || !matches!(field.attribute("aria-autocomplete"), "" | "none")
        });
        if suggests && self.memory.waits == 0 {
            self.memory.awaiting = Some(typed);
            return Pursuit::Stuck(format!("nothing is suggested for \"{text}\" yet"));
        }
        Pursuit::Reached
    }

    /// Whether the next clause says which suggestion is taken: none is before.
    fn next_chooses(&self) -> bool {
        let is_shown = |name: &str| {
            let is_it = |node: &Node| node.allows(ActionKind::Click) && same(name, node.label()) && self.has_come(node);
            self.scene.elements().any(|(_, node)| is_it(node))
        };
        match self.later.first() {
            Some(Goal::Choose { names, .. }) => names.iter().any(|name| is_shown(name)),
            Some(Goal::Activate(target)) => target.quoted && is_shown(target.text()),
            _ => false,
        }
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
            .filter(|(_, node)| node.allows(ActionKind::Type) && !node.states.readonly)
            .map(|(id, _)| id)
            .collect()
    }

    /// The field that a target means: by order, label, kind and place. Where it has a name, no field of another name.
    async fn field_for(&self, fields: &[ElementId], target: &Target, text: &str) -> Result<Pick, PlannerError> {
        let observation = self.scene.observation;
        let regions = self.regions_within(target);
        let in_place = |id: &ElementId| match &regions {
            Some(regions) => regions.iter().any(|region| region.holds(observation, *id)),
            None => true,
        };
        let in_dialog =
            |id: &ElementId| !target.in_dialog || observation.ancestors(*id).any(|(_, ancestor)| is_dialog(ancestor));
        let mut fields: Vec<ElementId> = fields.iter().copied().filter(|id| in_dialog(id)).collect();
        if fields.iter().any(&in_place) || !target.carried {
            fields.retain(in_place);
        }
        if let Some(ordinal) = target.ordinal {
            let index = if ordinal < 0 { fields.len() as i32 + ordinal } else { ordinal - 1 };
            let element = usize::try_from(index).ok().and_then(|index| fields.get(index));
            return Ok(element.map_or(Pick::None, |element| Pick::One(Candidate { element: *element, score: 0.9 })));
        }
        let is_free = |element: &ElementId| !self.memory.filled.contains(&field_key(self.node(*element)));
        if target.texts.is_empty() {
            return Ok(self.unnamed_field(&fields, target));
        }
        let labels = labels::of_fields(&self.scene, &fields);
        let mut scored: Vec<Candidate> = fields
            .iter()
            .zip(&labels)
            .map(|(element, label)| Candidate { element: *element, score: self.field_fit(*element, label, target) })
            .filter(|candidate| candidate.score >= if target.quoted { 0.75 } else { 0.55 })
            .collect();
        scored.sort_by(|a, b| b.score.total_cmp(&a.score));
        if !target.quoted && scored.iter().any(|candidate| is_free(&candidate.element)) {
            scored.retain(|candidate| is_free(&candidate.element));
        }
        match pick(&self.scene, target, &scored) {
            Pick::None if target.quoted => return Ok(self.field_of_group(&fields, target, text)),
            Pick::None => {}
            found => return Ok(found),
        }
        let similarities = if fields.len() > 1 {
            rank::similarities(self.embedder, target.text(), &labels).await?
        } else {
            Vec::new()
        };
        let mut near: Vec<(usize, f64)> = similarities.into_iter().enumerate().collect();
        near.retain(|(index, _)| labels.get(*index).is_some_and(|label| !contradict(target.text(), label)));
        near.sort_by(|a, b| b.1.total_cmp(&a.1));
        let next = near.get(1).map_or(0.0, |(_, score)| *score);
        if let Some((index, score)) =
            near.first().filter(|(_, score)| *score >= self.options.similarity && score - next > 0.05)
        {
            let element = fields.get(*index).copied();
            return Ok(element.map_or(Pick::None, |element| Pick::One(Candidate { element, score: *score })));
        }
        // The only field there is, if it is called nothing that would tell that another is meant.
        Ok(match (fields.as_slice(), labels.first()) {
            ([only], Some(label)) if label.is_empty() => Pick::One(Candidate { element: *only, score: 0.6 }),
            _ => Pick::None,
        })
    }

    /// The field that is meant where nothing but its kind is said.
    fn unnamed_field(&self, fields: &[ElementId], target: &Target) -> Pick {
        let is_free = |element: &ElementId| !self.memory.filled.contains(&field_key(self.node(*element)));
        let is_of_kind = |element: &ElementId| {
            target.kind.zip(self.node(*element)).is_none_or(|(kind, node)| score::is_exactly(kind, node))
        };
        let free: Vec<ElementId> = fields.iter().copied().filter(is_free).collect();
        let strict: Vec<ElementId> = free.iter().copied().filter(is_of_kind).collect();
        let among = if strict.is_empty() { free } else { strict };
        let among: Vec<Candidate> = among.into_iter().map(|element| Candidate { element, score: 0.7 }).collect();
        pick(&self.scene, target, &among)
    }

    /// A name may be that of a group of fields: one field, or several that take the signs of a code between them.
    fn field_of_group(&self, fields: &[ElementId], target: &Target, text: &str) -> Pick {
        let regions = self.regions_of(target.text());
        let within: Vec<Candidate> = fields
            .iter()
            .filter(|id| regions.iter().any(|region| region.holds(self.scene.observation, **id)))
            .map(|element| Candidate { element: *element, score: 0.8 })
            .collect();
        let signs = |candidate: &Candidate| {
            let limits = self.node(candidate.element).and_then(|node| node.constraints.as_ref());
            limits.and_then(|limits| limits.max_length)
        };
        let lengths: Option<Vec<u32>> = within.iter().map(signs).collect();
        let takes_code = lengths.is_some_and(|lengths| {
            let all = text.chars().filter(|sign| sign.is_alphanumeric()).count();
            lengths.iter().all(|length| *length == 1) || lengths.iter().sum::<u32>() as usize == all
        });
        match within.as_slice() {
            [first, _, ..] if takes_code => Pick::One(*first),
            [only] if labels::of_fields(&self.scene, &[only.element]).iter().all(String::is_empty) => Pick::One(*only),
            _ => Pick::None,
        }
    }

    /// The stretches of the page in which a target is said to stand; none where nothing is said.
    pub(super) fn regions_within(&self, target: &Target) -> Option<Vec<Region>> {
        let anchor = target.within.as_ref()?;
        Some(described::region_of(&self.scene, target).map_or_else(|| self.regions_of(anchor), |told| vec![told]))
    }

    /// The stretches of the page that a name stands for.
    pub(super) fn regions_of(&self, name: &str) -> Vec<Region> {
        let observation = self.scene.observation;
        region::anchors(observation, self.scene.echoes, name)
            .into_iter()
            .filter_map(|anchor| region::records(observation, anchor).into_iter().next())
            .collect()
    }

    fn field_fit(&self, element: ElementId, label: &str, target: &Target) -> f64 {
        let Some(node) = self.node(element) else { return 0.0 };
        let exact = target.quoted;
        let by_label = target
            .texts
            .iter()
            .take(if exact { 1 } else { usize::MAX })
            .map(|text| score::best_label(text, node, exact).max(label_score(text, label, exact)))
            .fold(0.0, f64::max);
        let has_code_name = ["name", "id"].iter().any(|name| same(target.text(), node.attribute(name)));
        let by_code_name = if exact && has_code_name { 0.76 } else { 0.0 };
        let by_kind = match target.kind {
            Some(Kind::Password) if !exact && score::is_kind(Kind::Password, node) => 0.9,
            Some(Kind::TextArea) if !exact && score::is_kind(Kind::TextArea, node) => 0.8,
            _ => 0.0,
        };
        // In a row that the instruction names, the column tells the field.
        let heading = target.within.as_ref().and_then(|_| labels::column_heading(self.scene.observation, element));
        let by_column = heading.map_or(0.0, |heading| label_score(target.text(), heading, exact));
        by_label.max(by_kind).max(by_code_name).max(by_column)
    }

    /// What a person reads as the field's label.
    pub(super) fn field_label(&self, element: ElementId) -> String {
        let fields = self.fields();
        let labels = labels::of_fields(&self.scene, &fields);
        let index = fields.iter().position(|field| *field == element);
        match index.and_then(|index| labels.get(index)) {
            Some(label) => label.clone(),
            None => labels::of_fields(&self.scene, &[element]).into_iter().next().unwrap_or_default(),
        }
    }

    /// The value that stands to the right of a heading, else below it.
    pub(super) fn cell_beside(&self, heading: &str) -> Option<String> {
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
        let fitting = self
            .scene
            .elements()
            .filter(|(_, node)| node.allows(ActionKind::Click) && !node.allows(ActionKind::Type))
            .filter(|(_, node)| {
                matches!(node.role.as_str(), "option" | "menuitem")
                    || (matches!(node.role.as_str(), "listitem" | "generic") && hangs_below(node))
            })
            .map(|(id, node)| {
                // `Paris` above `France`: what was typed is a line of its own.
                let mut lines = self.scene.observation.children(id);
                let by_line = if lines.any(|(_, line)| same(text, &line.text)) { 0.7 } else { 0.0 };
                Candidate { element: id, score: suggestion_fit(text, node.label()).max(by_line) }
            })
            .filter(|candidate| candidate.score >= 0.7);
        let mut fitting: Vec<Candidate> = fitting.collect();
        fitting.sort_by(|a, b| b.score.total_cmp(&a.score));
        match pick(&self.scene, &Target::labelled(text), &fitting) {
            Pick::One(best) => {
                Some(self.click(best.element, "is the suggestion that fits the text", best.score, reaches))
            }
            // Several towns of one code are one answer.
            Pick::Ambiguous(_)
                if fitting.iter().all(|one| self.node(one.element).is_some_and(|node| has_code(node, text))) =>
            {
                let first = fitting.first()?;
                Some(self.click(first.element, "is the first suggestion of this code", first.score, reaches))
            }
            Pick::Ambiguous(_) | Pick::None => None,
        }
    }
}

/// Whether a label ends with a code in brackets: `Midland, MI (MBS)`.
fn has_code(node: &Node, code: &str) -> bool {
    node.label().trim().to_lowercase().ends_with(&format!("({})", code.trim().to_lowercase()))
}

/// A suggestion may spell out what was typed: a code stands in brackets, a town before its country.
fn suggestion_fit(text: &str, label: &str) -> f64 {
    // Of several that go on in other ways none is meant more than the others.
    let by_words = if spells_out(label, text) { 0.7 } else { 0.0 };
    label_score(text, label, true).max(by_words)
}

/// Whether a suggestion is what was typed and goes on behind a sign: `Lyon, France`, `Midland (MBS)`; or begins so and ends with a code. `Ann
/// Lind Berg` is not `Ann Lind`.
fn spells_out(label: &str, text: &str) -> bool {
    let wanted = tokens(text);
    let is_sign = |sign: char| !sign.is_alphanumeric() && !matches!(sign, ' ' | '-' | '\'' | '\u{2019}' | '&' | '/');
    // The pieces between signs; what was typed is one of them, or runs over several.
    let pieces: Vec<Vec<String>> = label.split(is_sign).map(tokens).filter(|piece| !piece.is_empty()).collect();
    let is_from = |at: usize| {
        let mut ends = pieces.iter().skip(at).scan(0, |length, piece| {
            *length += piece.len();
            Some(*length)
        });
        ends.any(|length| length == wanted.len()) && pieces.iter().skip(at).flatten().take(wanted.len()).eq(&wanted)
    };
    let is_coded = || {
        let code = label.trim_end().strip_suffix(')').and_then(|rest| rest.rsplit_once('('));
        code.is_some_and(|(_, code)| code.len() < 5) && tokens(label).starts_with(&wanted)
    };
    !wanted.is_empty()
        && !contradict(text, label)
        && wanted.iter().all(|word| !holds_joined(label, word))
        && ((0..pieces.len()).any(is_from) || is_coded())
}

fn contains_other_text(observation: &domain::Observation, element: ElementId, _node: &Node) -> bool {
    observation.children(element).any(|(_, child)| !child.text.is_empty())
}

/// Fields are recognised by what does not change when text is entered.
pub(super) fn field_key(node: Option<&Node>) -> String {
    node.map(|node| format!("field|{}|{}", node.xpath, node.attribute("name"))).unwrap_or_default()
}
