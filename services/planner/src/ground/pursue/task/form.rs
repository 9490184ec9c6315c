//! Forms: which fields belong together, which field takes which value, and what hands them in. The form's own words decide.

mod fit;
mod handing;
mod unnamed;

use super::super::{Pursuer, Pursuit, labels};
use super::drawn::{is_drawn, is_drawn_list, is_slider, is_yes, without_unit};
use crate::ground::bind::Candidate;
use crate::ground::commands::{self, Command, puts_aside, same_concept, same_part, speaks_of, telling_words};
use crate::ground::item::{form_of, is_dialog, is_form};
use crate::ground::memory::ElementPath;
use crate::ground::names::{contradict, likeness, same};
use crate::ground::pick::only_called;
use crate::ground::region::Region;
use crate::ground::score::best_label;
use crate::ground::task::Given;
use crate::ground::understand::kinds::kind_of;
use crate::ground::understand::moment;
use crate::ground::words::tokens;
use domain::ElementId;
use domain::action::{Action, ActionKind};
use domain::observation::Node;
use fit::{field_fit, is_one_of_several};

/// Fields that belong together, and what hands them in.
#[derive(Clone, Debug)]
pub(in super::super) struct Form {
    /// What holds them; none where only the page does.
    pub root: Option<ElementId>,
    /// Its fields, in document order.
    pub fields: Vec<ElementId>,
    /// The controls that may hand it in, the likeliest first.
    pub submits: Vec<ElementId>,
}

/// A field for a value.
#[derive(Clone, Debug)]
pub(super) struct Assigned {
    /// The index of the value.
    pub index: usize,
    /// The field.
    pub field: ElementId,
    /// The value as it was given.
    pub given: Given,
}

impl Pursuer<'_> {
    /// The forms of the page.
    pub(in super::super) fn forms(&self) -> Vec<Form> {
        let observation = self.scene.observation;
        let takes_value = |node: &Node| {
            let is_native =
                (node.allows(ActionKind::Type) || node.allows(ActionKind::Select) || node.allows(ActionKind::Check))
                    && !node.states.readonly;
            (is_native || is_drawn(node)) && !node.states.disabled
        };
        let modal = self.scene.elements().filter(|(_, node)| is_dialog(node)).map(|(id, _)| id).last();
        let mut forms: Vec<Form> = Vec::new();
        for (field, _) in self.scene.elements().filter(|(_, node)| takes_value(node)) {
            let root = self.form_around(field);
            // Elsewhere a list that is drawn is a command of the page: it sorts, or filters.
            if self.node(field).is_some_and(is_drawn_list) && !root.is_some_and(|root| self.is_form(root)) {
                continue;
            }
            match forms.iter_mut().find(|form| form.root == root && (root.is_some() || self.came_like(form, field))) {
                Some(form) => form.fields.push(field),
                None => forms.push(Form { root, fields: vec![field], submits: Vec::new() }),
            }
        }
        for form in &mut forms {
            form.submits = self.own_submits(form);
        }
        // Beside a dialog that is open nothing else is filled.
        let in_dialog = |form: &Form, dialog: ElementId| {
            form.fields.iter().all(|field| observation.ancestors(*field).any(|(around, _)| around == dialog))
        };
        if let Some(dialog) = modal
            && forms.iter().any(|form| in_dialog(form, dialog))
        {
            forms.retain(|form| in_dialog(form, dialog));
        }
        // Nor beside one that was opened for the task.
        if forms.iter().any(|form| self.is_new(form)) {
            forms.retain(|form| self.is_new(form));
        }
        forms.retain(|form| {
            let takes = |field: &ElementId| {
                self.node(*field).is_some_and(|node| {
                    node.allows(ActionKind::Type)
                        || node.allows(ActionKind::Select)
                        || is_drawn(node)
                        || (node.role == "radio" && form.root.is_some_and(|root| self.is_form(root)))
                })
            };
            form.fields.iter().any(takes)
        });
        forms
    }

    /// Whether a node is marked as what holds the fields of one form.
    fn is_form(&self, root: ElementId) -> bool {
        self.node(root).is_some_and(|node| is_form(node) || is_dialog(node))
    }

    /// What holds a field together with what hands it in.
    pub(super) fn form_around(&self, field: ElementId) -> Option<ElementId> {
        let observation = self.scene.observation;
        if let Some((form, _)) = observation.ancestors(field).find(|(id, _)| self.is_form(*id)) {
            return Some(form);
        }
        let names = commands::names(Command::HandIn);
        let buttons: Vec<ElementId> = self
            .called(names, None)
            .into_iter()
            .map(|candidate| candidate.element)
            .filter(|id| {
                self.node(*id)
                    .is_some_and(|node| (node.role != "link" || node.label().len() < 12) && !puts_aside(node.label()))
                    && !self.is_of_other_entry(*id, field)
            })
            .collect();
        observation.ancestors(field).map(|(id, _)| id).find(|around| {
            buttons.iter().any(|button| observation.ancestors(*button).any(|(outer, _)| outer == *around))
        })
    }

    /// The controls of a form that may hand it in, the likeliest first.
    pub(super) fn submits(&self, root: Option<ElementId>, fields: &[ElementId]) -> Vec<ElementId> {
        let observation = self.scene.observation;
        let region = root.map(Region::Subtree);
        let is_cancel = |node: &Node| {
            commands::names(Command::Cancel)
                .iter()
                .chain(commands::names(Command::Remove))
                .any(|name| likeness(name, node.label()).is_some())
        };
        let mut scored: Vec<(i32, ElementId)> = self
            .scene
            .elements()
            .filter(|(id, node)| {
                node.allows(ActionKind::Click)
                    && !node.allows(ActionKind::Type)
                    && !node.allows(ActionKind::Select)
                    && !node.allows(ActionKind::Check)
                    && !node.states.disabled
                    && region.as_ref().is_none_or(|region| region.holds(observation, *id))
                    && !fields.first().is_some_and(|field| self.is_of_other_entry(*id, *field))
                    && !is_cancel(node)
                    && !puts_aside(node.label())
                    && !matches!(node.role.as_str(), "tab" | "option" | "combobox")
            })
            .map(|(id, node)| {
                let says = commands::names(Command::HandIn)
                    .iter()
                    .chain(commands::names(Command::Send))
                    .any(|name| best_label(name, node, name.chars().count() < 3) >= 0.8);
                let is_submit =
                    node.attribute("type") == "submit" || (node.tag == "input" && node.attribute("type") == "image");
                let is_button = node.role == "button";
                let in_form = form_of(observation, id).is_some();
                let is_last = fields.last().is_some_and(|last| id.0 > last.0);
                let score = i32::from(says) * 4
                    + i32::from(is_submit) * 4
                    + i32::from(is_button) * 2
                    + i32::from(in_form)
                    + i32::from(is_last);
                (if says || is_submit { score } else { score - 4 }, id)
            })
            .filter(|(score, _)| *score > 0)
            .collect();
        scored.sort_by_key(|(score, id)| (-*score, id.0));
        scored.into_iter().map(|(_, id)| id).collect()
    }

    /// The fields that take these values, or the value that no field takes.
    pub(super) fn assign(&self, form: &Form, values: &[Given]) -> Result<Vec<Assigned>, Given> {
        let labels = labels::of_fields(&self.scene, &form.fields);
        let mut assigned: Vec<Assigned> = Vec::new();
        let mut order: Vec<usize> = (0..values.len()).collect();
        // Values with a field of their own name come before those that take what is left.
        order.sort_by_key(|index| values.get(*index).is_some_and(|given| given.field.is_empty()));
        for index in order {
            let Some(given) = values.get(index) else { continue };
            let mut readings = std::iter::once(given.clone()).chain(self.as_numbered(form, given));
            let best = readings.find_map(|given| Some((self.best_field(form, &labels, &assigned, &given)?, given)));
            match best {
                Some((field, given)) => assigned.push(Assigned { index, field, given }),
                // A time goes into the field of its day where that takes both.
                None if given.field == "time" && self.takes_moment(&assigned) => {}
                None => {
                    match self.radio_for(form, given, &labels).or_else(|| self.list_of_types(form, given, &assigned)) {
                        Some(field) => assigned.push(Assigned { index, field, given: given.clone() }),
                        None => return Err(given.clone()),
                    }
                }
            }
        }
        assigned.sort_by_key(|one| one.index);
        Ok(assigned)
    }

    /// The field that is the surest for a value, of those that none was given yet.
    fn best_field(&self, form: &Form, labels: &[String], assigned: &[Assigned], given: &Given) -> Option<ElementId> {
        let mut best: Option<(f64, ElementId)> = None;
        for (field, label) in form.fields.iter().zip(labels) {
            let node = self.node(*field).filter(|_| !assigned.iter().any(|other| other.field == *field));
            // What a radio button is called is a value, and no name of a field, unless it is to be on.
            let is_value = |node: &Node| node.role == "radio" && !same(&given.value, label) && !is_yes(&given.value);
            let Some(node) = node.filter(|node| !is_value(node)) else { continue };
            let score = field_fit(given, node, label);
            if score >= 0.5 && best.is_none_or(|(other, _)| score > other + 0.001) {
                best = Some((score, *field));
            }
        }
        best.map(|(_, field)| field)
    }

    fn takes_moment(&self, assigned: &[Assigned]) -> bool {
        assigned.iter().any(|one| self.node(one.field).is_some_and(|node| node.attribute("type") == "datetime-local"))
    }

    /// The field of a form for what the thing is called: one for titles, else the only one for text.
    pub(super) fn main_field(&self, form: &Form, kind: &str) -> Option<ElementId> {
        let labels = labels::of_fields(&self.scene, &form.fields);
        let texts: Vec<(ElementId, &String)> = form
            .fields
            .iter()
            .copied()
            .zip(&labels)
            .filter(|(id, _)| {
                self.node(*id).is_some_and(|node| {
                    node.allows(ActionKind::Type)
                        && !is_search(node)
                        && !matches!(
                            node.attribute("type"),
                            "date"
                                | "time"
                                | "datetime-local"
                                | "number"
                                | "password"
                                | "color"
                                | "range"
                                | "file"
                                | "month"
                                | "week"
                        )
                })
            })
            .collect();
        if let [(only, label)] = texts.as_slice() {
            return Some(*only).filter(|_| !is_for_saying(label, kind));
        }
        let by_words = |wanted: &str| {
            texts.iter().find(|(id, label)| {
                let Some(node) = self.node(*id) else { return false };
                let words = tokens(&format!(
                    "{label} {} {} {}",
                    node.attribute("placeholder"),
                    node.attribute("name"),
                    node.attribute("id")
                ));
                words.iter().any(|word| same_concept(word, wanted))
            })
        };
        let is_text = matches!(kind, "comment" | "message" | "reply" | "note" | "review");
        let found = if is_text { by_words("text").or_else(|| by_words("title")) } else { by_words("title") };
        found.or_else(|| by_words(kind).filter(|_| !kind.is_empty())).map(|(id, _)| *id)
    }

    /// The only field for text that is left where the other values have theirs, or the one that says what is added: `Add an item…`.
    pub(super) fn field_left(&self, form: &Form, named: &[Given], kind: &str) -> Option<ElementId> {
        let taken: Vec<ElementId> = self.assign(form, named).ok()?.iter().map(|one| one.field).collect();
        let is_text = |node: &Node| {
            node.allows(ActionKind::Type) && matches!(node.attribute("type"), "" | "text" | "email" | "tel" | "url")
        };
        let left: Vec<ElementId> = form
            .fields
            .iter()
            .copied()
            .filter(|id| !taken.contains(id) && self.node(*id).is_some_and(is_text))
            .filter(|id| !labels::of_fields(&self.scene, &[*id]).iter().any(|label| is_for_saying(label, kind)))
            .collect();
        let adds = |id: &&ElementId| {
            self.node(**id).is_some_and(|node| commands::begins_with(node.attribute("placeholder"), Command::Add))
        };
        match left.as_slice() {
            [only] => Some(*only),
            several => {
                let mut adding = several.iter().filter(adds);
                adding.next().filter(|_| adding.next().is_none()).copied()
            }
        }
    }

    /// The step that puts a value into its field; none where it stands there already.
    pub(super) fn put_into(&mut self, one: &Assigned, values: &[Given]) -> Option<Pursuit> {
        let observation = self.scene.observation;
        let node = observation.node(one.field)?;
        let value = one.given.value.clone();
        let title = super::super::describe(node);
        let field = one.field;
        let key = super::super::enter::field_key(Some(node));
        if self.memory.filled.contains(&key) {
            return None;
        }
        if node.allows(ActionKind::Select) && !node.options.is_empty() {
            let of_one = |is_it: &dyn Fn(&str) -> bool| {
                let may_be = |label: &str| !one.given.quoted && !contradict(&value, label) && is_it(label);
                let mut found = node.options.iter().filter(|option| may_be(&option.label));
                found.next().filter(|_| found.next().is_none())
            };
            let named = only_called(&value, &node.options);
            // `9 am` is offered as 09:00, `one hour` as 60 minutes.
            let (time, span) = (moment::time(&value), moment::minutes(&value));
            let is_as_long = |label: &str| {
                (time.is_some() && moment::time(label) == time) || (span.is_some() && moment::minutes(label) == span)
            };
            let says =
                |label: &str| speaks_of(label, &value) && telling_words(label).len() <= telling_words(&value).len() + 2;
            let option = named
                .or_else(|| of_one(&is_as_long))
                .or_else(|| of_one(&|label| moment::is_day_of(&value, label)))
                .or_else(|| of_one(&|label| same_part(&value, label)))
                .or_else(|| of_one(&says))
                .filter(|option| !is_one_of_several(&value, option, &node.options));
            let Some(option) = option else {
                let offered: Vec<&str> = node.options.iter().take(6).map(|option| option.label.as_str()).collect();
                return Some(Pursuit::Unclear(format!(
                    "{title} does not offer \"{value}\"; offered are \"{}\"",
                    offered.join("\", \"")
                )));
            };
            self.memory.filled.push(key);
            if option.selected {
                return None;
            }
            let options = vec![option.label.clone()];
            return Some(self.step(
                Action::Select { element: field, options },
                format!("{title} offers it"),
                0.88,
                false,
            ));
        }
        if is_drawn_list(node) {
            return self.take_from_drawn_list(field, &one.given, key);
        }
        if is_slider(node) {
            return self.move_slider(field, &value, key);
        }
        if node.allows(ActionKind::Check) && !node.allows(ActionKind::Type) {
            // What is chosen by a radio button is its name.
            let checked =
                node.role == "radio" || !matches!(value.to_lowercase().as_str(), "no" | "off" | "false" | "unchecked");
            self.memory.filled.push(key);
            return (node.states.checked != Some(checked)).then(|| {
                self.step(Action::Check { element: field, checked }, format!("{title} is to be so"), 0.88, false)
            });
        }
        let text = self.as_written(node, &one.given, values);
        if node.value.as_deref() == Some(text.as_str()) && !text.is_empty() {
            self.memory.filled.push(key);
            return None;
        }
        let place = ElementPath::of(node);
        self.memory.filled.push(key);
        self.memory.typed.push((place, text.clone()));
        Some(self.type_once(field, &text, "is the field for this value"))
    }

    /// A value as its field takes it: days and times in the field's own spelling.
    fn as_written(&self, node: &Node, given: &Given, values: &[Given]) -> String {
        let held = node.value.as_deref().and_then(|held| held.get(..10)?.parse::<chrono::NaiveDate>().ok());
        let day = |text: &str| self.today.and_then(|today| moment::day_beside(text, today, held));
        let time = |text: &str| moment::time(text);
        match node.attribute("type") {
            "date" => day(&given.value).map_or(given.value.clone(), |date| date.format("%Y-%m-%d").to_string()),
            "time" => time(&given.value).map_or(given.value.clone(), |time| time.format("%H:%M").to_string()),
            // The unit stands beside the field: `45 minutes`.
            "number" | "range" => without_unit(node, &given.value),
            "datetime-local" => {
                let at = values.iter().find(|other| other.field == "time").and_then(|other| time(&other.value));
                match (day(&given.value), at.or_else(|| chrono::NaiveTime::from_hms_opt(0, 0, 0))) {
                    (Some(date), Some(at)) => format!("{}T{}", date.format("%Y-%m-%d"), at.format("%H:%M")),
                    _ => given.value.clone(),
                }
            }
            _ => {
                let asks = format!("{} {}", node.attribute("placeholder"), node.context).to_lowercase();
                let format = [
                    ("yyyy-mm-dd", "%Y-%m-%d"),
                    ("mm/dd/yyyy", "%m/%d/%Y"),
                    ("dd.mm.yyyy", "%d.%m.%Y"),
                    ("dd/mm/yyyy", "%d/%m/%Y"),
                ]
                .iter()
                .find(|(shown, _)| asks.contains(shown));
                match (format, day(&given.value)) {
                    (Some((_, format)), Some(date)) if !given.quoted => date.format(format).to_string(),
                    (None, Some(date))
                        if !given.quoted
                            && given.field.contains("date")
                            && !given.value.contains(|sign: char| "/.-".contains(sign)) =>
                    {
                        date.format("%Y-%m-%d").to_string()
                    }
                    _ => given.value.clone(),
                }
            }
        }
    }

    /// Hands a form in: by its button, else by Enter in its only field.
    pub(super) fn hand_in(&mut self, form: &Form, prefer: &[&str]) -> Pursuit {
        if self.is_handed_in_next(form) {
            return Pursuit::Reached;
        }
        let form = &Form { submits: self.submits_for_filled(form), ..form.clone() };
        let preferred = prefer.iter().find_map(|name| {
            form.submits
                .iter()
                .copied()
                .find(|id| self.node(*id).is_some_and(|node| best_label(name, node, name.chars().count() < 3) >= 0.8))
        });
        // A button that is called as what is done may be none that hands forms in elsewhere.
        let preferred = preferred.or_else(|| {
            let root = form.root.filter(|_| !prefer.is_empty())?;
            self.called(prefer, Some(&Region::Subtree(root))).first().map(|found| found.element)
        });
        let button = preferred.or_else(|| form.submits.first().copied()).or_else(|| self.only_button(form));
        if self.needs_no_button(form, button, prefer) {
            return Pursuit::Reached;
        }
        self.memory.handed_in = true;
        if let Some(button) = button {
            self.memory.handed_in_at = self.history.len() + 1;
            let pressed = self.click(button, "hands the form in", 0.85, false);
            return self.decisive(pressed);
        }
        let pressed = self.step(
            Action::Press { keys: "Enter".to_owned() },
            "Enter hands the form in, which shows no button for it".to_owned(),
            0.7,
            false,
        );
        self.decisive(pressed)
    }

    /// The words of a form: its heading or name, what it holds, and its button.
    pub(super) fn form_speaks_of(&self, form: &Form, wanted: &str) -> bool {
        let observation = self.scene.observation;
        let wanted = telling_words(wanted);
        let says = |text: &str| {
            let said = tokens(text);
            !text.is_empty()
                && text.len() < 80
                && !wanted.is_empty()
                && wanted.iter().all(|wanted| said.iter().any(|word| same_concept(word, wanted)))
        };
        let own = form.root.and_then(|root| self.node(root)).is_some_and(|node| {
            says(&node.name) || says(&node.text) || says(node.attribute("id")) || says(node.attribute("class"))
        });
        let of_buttons = form.submits.first().and_then(|id| self.node(*id)).is_some_and(|node| says(node.label()));
        let of_fields = form.fields.iter().filter_map(|id| self.node(*id)).any(|node| {
            says(&node.name)
                || says(node.attribute("placeholder"))
                || says(node.attribute("name"))
                || says(&node.context)
                || says(node.attribute("id"))
        });
        let first = form.fields.first().map_or(0, |id| id.0);
        let heading = observation.elements().filter(|(id, node)| node.role == "heading" && id.0 < first).last();
        own || of_buttons || of_fields || heading.is_some_and(|(_, node)| says(&node.text))
    }

    /// Candidates as what they are: for choosing one by context.
    pub(super) fn as_candidates(ids: &[ElementId]) -> Vec<Candidate> {
        ids.iter().map(|element| Candidate { element: *element, score: 0.85 }).collect()
    }
}

/// Whether a field is for what people say, and the thing is nothing of that: `Leave a comment` takes no label.
fn is_for_saying(label: &str, kind: &str) -> bool {
    const SAID: [&str; 4] = ["comment", "message", "reply", "review"];
    let kinds: Vec<String> = tokens(label).iter().filter_map(|word| kind_of(word)).collect();
    let is_said = |named: &String| SAID.contains(&named.as_str());
    !kinds.iter().any(|named| same_concept(named, kind)) && kinds.iter().any(is_said) && !is_said(&kind.to_owned())
}

pub(super) fn is_search(node: &Node) -> bool {
    let labels = [node.name.as_str(), node.attribute("placeholder"), node.attribute("name")];
    node.role == "searchbox" || node.attribute("type") == "search" || labels.into_iter().any(searches)
}

/// Whether a label begins with a word for searching; `Go` says nothing about it.
pub(super) fn searches(label: &str) -> bool {
    commands::begins_with(label, Command::Search) && tokens(label).first().is_some_and(|word| word != "go")
}
