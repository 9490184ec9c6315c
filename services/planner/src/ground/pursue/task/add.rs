//! Making a thing, or putting one into something: by a control of the thing, or by a form, which may have to be opened first.

use super::super::{Pursuer, Pursuit, aside};
use super::form::{Assigned, Form};
use super::kinds::LEADS;
use super::locate::Located;
use crate::ground::bind::Candidate;
use crate::ground::commands::{self, Command, same_concept, telling_words};
use crate::ground::goal::{Name, Target};
use crate::ground::item::is_dialog;
use crate::ground::names::same;
use crate::ground::pick::{Pick, pick};
use crate::ground::region::Region;
use crate::ground::score::best_label;
use crate::ground::seek;
use crate::ground::task::{Given, Task, Thing};
use crate::ground::words::{same_word, tokens};
use domain::ElementId;
use domain::action::ActionKind;
use domain::observation::Node;

impl Pursuer<'_> {
    pub(super) fn add(&mut self, task: &Task) -> Pursuit {
        if let Some(step) = self.choose_membership(task) {
            return step;
        }
        if let Some(step) = self.put_located(task) {
            return step;
        }
        // What a comment or a label is added to is opened first.
        if let Some(step) = self.open_place(task) {
            return step;
        }
        if let Some(step) = self.turn_to_tab_of(&task.thing.kind) {
            return step;
        }
        let values = self.values_of(task);
        match self.form_for(task, &values) {
            Ok(Some((form, assigned))) => {
                let prefer: &[&str] = if task.thing.kind == "message" { &["send"] } else { &[] };
                return self.fill_and_hand_in(&form, &assigned, &values, prefer);
            }
            Ok(None) => {}
            Err(reason) => return Pursuit::Unclear(reason),
        }
        if let Some(step) = self.note_in_form_of_place(task) {
            return step;
        }
        if let Some(step) = self.was_made_at_once(task, values.is_empty()) {
            return step;
        }
        if !self.wrong_place(task) {
            match self.opener(task) {
                Pick::One(found) => {
                    let key = self.tried_key(found.element);
                    self.memory.tried.push(key);
                    return self.open_form(found.element, "opens the form for what is to be added", found.score);
                }
                Pick::Ambiguous(reason) => return Pursuit::Unclear(reason),
                Pick::None => {}
            }
        }
        self.elsewhere(task, &format!("a form or a control to add {}", task.thing.title()))
    }

    /// `Add the note ⟦0⟧ to Paula Novak`: where notes are a field of the record, and it is empty, the form that changes the record takes it.
    fn note_in_form_of_place(&mut self, task: &Task) -> Option<Pursuit> {
        let place = task.thing.places.first()?;
        let is_note = matches!(task.thing.kind.as_str(), "note" | "remark" | "comment" | "description");
        if !is_note || task.thing.name.is_empty() || !task.values.is_empty() || !self.page_speaks_of(&place.name) {
            return None;
        }
        let given =
            [Given { field: task.thing.kind.clone(), value: task.thing.name.clone(), quoted: task.thing.quoted }];
        let is_free = |id: ElementId| {
            let held = self.node(id).and_then(|node| node.value.as_deref()).unwrap_or_default();
            held.is_empty() || held == task.thing.name
        };
        // The form holds the record: one of its fields has its name.
        let holds_name = |form: &Form| {
            let value = |id: &ElementId| self.node(*id).and_then(|node| node.value.as_deref()).unwrap_or_default();
            form.fields.iter().any(|id| same(value(id), &place.name))
        };
        let of_record = |form: &Form| holds_name(form) && !self.form_is_of_entry(form) && !self.makes_new(form);
        let found = self.forms().into_iter().filter(of_record).find_map(|form| {
            let assigned = self.assign(&form, &given).ok()?;
            assigned.iter().all(|one| is_free(one.field)).then_some((form, assigned))
        });
        let (form, assigned) = found?;
        Some(self.fill_and_hand_in(&form, &assigned, &given, &["save"]))
    }

    /// A thing that is here is put somewhere by a control of its own: `Add to cart`.
    fn put_located(&mut self, task: &Task) -> Option<Pursuit> {
        let place = task.thing.places.first()?;
        let thing = Thing { places: Vec::new(), ..task.thing.clone() };
        if self.has_just_opened_menu()
            && let Some(entry) = self.entry_of_menu(place.called(), &thing)
        {
            let pressed = self.click(entry, &format!("is where {} is to be put", thing.title()), 0.88, false);
            return Some(self.decisive(pressed));
        }
        if !thing.kind.is_empty() && !thing.quoted && thing.name.is_empty() {
            return None;
        }
        let favourites = speaks_of_favourites(&place.name);
        let names: Vec<&str> = if favourites {
            vec![
                "save",
                "favourite",
                "favorite",
                "star",
                "bookmark",
                "like",
                "heart",
                "wishlist",
                "add",
                "\u{2661}",
                "\u{2606}",
                "\u{2605}",
            ]
        } else {
            commands::names(Command::Add).to_vec()
        };
        // The control that names the place is meant before one that only adds.
        let names_place = |candidate: &Candidate| {
            self.node(candidate.element).is_some_and(|node| {
                let words = tokens(&format!("{} {}", node.label(), node.icon));
                telling_words(&place.name).iter().any(|word| words.iter().any(|other| same_concept(word, other)))
            })
        };
        let adding = |anchor: ElementId| -> Vec<Candidate> {
            self.spot(anchor).iter().flat_map(|region| self.called(&names, Some(region))).collect()
        };
        let anchor = match self.locate(&thing) {
            Located::One(anchor) => anchor,
            // It may stand in other lists as well, where nothing puts it into this one.
            Located::Several(_) => {
                let puts = |anchor: &ElementId| adding(*anchor).iter().any(names_place);
                let mut putting = self.anchors_of(&thing).into_iter().filter(puts);
                putting.next().filter(|_| putting.next().is_none())?
            }
            Located::None => return None,
        };
        let regions = self.spot(anchor);
        let mut found = adding(anchor);
        // A control that adds to something else is not meant: `Add to cart` for the wishlist.
        let said = telling_words(&format!("{} {} {}", place.name, thing.kind, thing.name));
        let goes_elsewhere = |label: &str| {
            let words = tokens(label);
            let behind = words.iter().skip_while(|word| !LEADS.contains(&word.as_str())).skip(1);
            let mut known = behind.filter(|word| commands::is_known(word) && !commands::is_general_part(word));
            known.any(|word| !said.iter().any(|own| same_concept(word, own)))
        };
        if found.iter().any(names_place) {
            found.retain(names_place);
        } else {
            found.retain(|candidate| {
                self.node(candidate.element).is_some_and(|node| {
                    let adds = |word: &String| commands::names(Command::Add).contains(&word.as_str());
                    !goes_elsewhere(node.label()) && (favourites || telling_words(node.label()).iter().all(adds))
                })
            });
        }
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        match pick(&self.scene, &Target::labelled("add"), &found) {
            Pick::One(one) if favourites && self.is_pressed(one.element) => {
                Some(self.held(format!("{} is in \"{}\"", thing.title(), place.name)))
            }
            // It unfolds the places to choose from, and puts it nowhere yet.
            Pick::One(one)
                if self
                    .node(one.element)
                    .is_some_and(|node| node.states.expanded == Some(false) || seek::opens_popup(node)) =>
            {
                let key = self.tried_key(one.element);
                if self.memory.tried.contains(&key) {
                    return None;
                }
                self.memory.tried.push(key);
                self.memory.menu_at = self.history.len() + 1;
                Some(aside(self.click(one.element, "shows what it can be put into", one.score, false)))
            }
            Pick::One(one) => {
                if let Some(quantity) = task.value("quantity") {
                    match self.quantity_field(&regions) {
                        Some(field) => {
                            if let Some(step) = self.set_quantity(field, quantity) {
                                return Some(step);
                            }
                        }
                        None if matches!(quantity, "1" | "one" | "a" | "an") => {}
                        // Its page may ask how many.
                        None if let Some(step) = self.open_thing(anchor, &regions) => return Some(step),
                        None => return Some(Pursuit::Stuck(format!("nothing takes the quantity \"{quantity}\""))),
                    }
                }
                let pressed = self.click(
                    one.element,
                    &format!("puts {} into \"{}\"", thing.title(), place.name),
                    one.score,
                    false,
                );
                Some(self.decisive(pressed))
            }
            Pick::Ambiguous(reason) => Some(Pursuit::Unclear(reason)),
            Pick::None if !thing.kind.is_empty() => None,
            Pick::None => {
                // A thing of a list may show more where it is opened.
                let is_made_here = self.forms().iter().any(|form| self.is_for_adding(form, task));
                if is_made_here {
                    None
                } else {
                    self.menu_of(&regions, "add it").or_else(|| self.open_thing(anchor, &regions))
                }
            }
        }
    }

    /// The only entry of the menu that was opened last for a thing which is called so; what stands beside the thing comes first.
    fn entry_of_menu(&self, name: Name<'_>, thing: &Thing) -> Option<ElementId> {
        let observation = self.scene.observation;
        let offered = |name: Name<'_>| -> Vec<ElementId> {
            let is_it = |(id, node): &(ElementId, &Node)| {
                node.allows(ActionKind::Click) && name.is_label(node.label()) && self.is_in_open_menu(*id, node)
            };
            self.scene.elements().filter(is_it).map(|(id, _)| id).collect()
        };
        // `the dinner playlist` may be offered as Dinner.
        let mut found = offered(name);
        if found.is_empty()
            && let Some(bare) = name.without_holder()
        {
            found = offered(Name::plain(bare));
        }
        if let Located::One(anchor) = self.locate(thing) {
            let own = self.spot(anchor);
            self.keep(&mut found, |id| own.iter().any(|region| region.holds(observation, id)));
        }
        found.first().copied().filter(|_| found.len() == 1)
    }

    fn quantity_field(&self, regions: &[Region]) -> Option<ElementId> {
        let observation = self.scene.observation;
        let mut numbers = self.scene.elements().filter(|(_, node)| node.attribute("type") == "number");
        numbers.find(|(id, _)| regions.iter().any(|region| region.holds(observation, *id))).map(|(id, _)| id)
    }

    fn set_quantity(&mut self, field: ElementId, quantity: &str) -> Option<Pursuit> {
        let form = Form { root: None, fields: vec![field], submits: Vec::new() };
        let given = Given { field: "quantity".into(), value: quantity.to_owned(), quoted: false };
        let assigned = self.assign(&form, std::slice::from_ref(&given)).ok()?;
        self.put_into(assigned.first()?, &[given])
    }

    /// Opens what a comment, a label or a member is added to, where it is a thing and not a list.
    fn open_place(&mut self, task: &Task) -> Option<Pursuit> {
        let place = task.thing.places.first()?;
        let belongs_to_thing =
            matches!(task.thing.kind.as_str(), "comment" | "label" | "tag" | "note" | "reply" | "review" | "file");
        if !belongs_to_thing || self.page_is(place.called()) || self.memory.opened {
            return None;
        }
        let place = Thing::of_place(place);
        match self.locate(&place) {
            Located::One(anchor) if self.node(anchor).is_none_or(|node| node.role != "heading") => {
                let regions = self.spot(anchor);
                self.open_thing(anchor, &regions).or_else(|| {
                    // What opens it for changes may show where such things are added.
                    let Pick::One(found) = self.control_in(&regions, commands::names(Command::Edit)) else {
                        return None;
                    };
                    self.memory.opened = true;
                    Some(aside(self.click(found.element, "opens it for changes", found.score, false)))
                })
            }
            _ => None,
        }
    }

    /// Turns to the one tab that is called like what is to be added: `Internal note` beside `Public comment`.
    fn turn_to_tab_of(&mut self, kind: &str) -> Option<Pursuit> {
        if kind.is_empty() {
            return None;
        }
        let mut named: Vec<(ElementId, bool)> = self
            .scene
            .elements()
            .filter(|(id, node)| (node.role == "tab" || self.is_drawn_tab(*id)) && self.names(*id, kind))
            .map(|(id, node)| (id, node.states.selected == Some(true)))
            .collect();
        // A note and a comment are much the same, until a page has both.
        let says_it = |tab: ElementId| {
            let said = self.node(tab).map(|node| tokens(node.label())).unwrap_or_default();
            tokens(kind).iter().all(|word| said.iter().any(|other| same_word(word, other)))
        };
        if named.iter().any(|(tab, _)| says_it(*tab)) {
            named.retain(|(tab, _)| says_it(*tab));
        }
        let [(tab, false)] = named.as_slice() else { return None };
        let key = self.tried_key(*tab);
        if self.memory.tried.contains(&key) {
            return None;
        }
        self.memory.tried.push(key);
        Some(aside(self.click(*tab, &format!("is the tab for a {kind}"), 0.85, false)))
    }

    /// What goes into a form: the name first, then what was given.
    fn values_of(&self, task: &Task) -> Vec<Given> {
        let mut values = Vec::new();
        if !task.thing.name.is_empty() {
            values.push(Given { field: String::new(), value: task.thing.name.clone(), quoted: task.thing.quoted });
        }
        values.extend(task.values.iter().cloned());
        values
    }

    /// Whether the instruction names a place that is not this page, and a way leads there.
    fn wrong_place(&self, task: &Task) -> bool {
        task.thing.places.iter().any(|place| !self.shows_place(place) && !self.ways_to(place.called()).is_empty())
    }

    /// The form for a thing, with the fields for its values. An error says which value no field takes.
    fn form_for(&self, task: &Task, values: &[Given]) -> Result<Option<(Form, Vec<Assigned>)>, String> {
        let mut best: Option<(i32, Form, Vec<Assigned>)> = None;
        let mut missing = None;
        let mut equals = 0;
        for form in self.forms() {
            let in_foreign_entry = task.thing.places.is_empty() && self.form_is_of_entry(&form) && !self.memory.opened;
            if !self.is_for_adding(&form, task) || in_foreign_entry {
                continue;
            }
            // A text of its own goes into the field for text: what the thing is called then goes into another.
            let has_text = task.value("text").is_some();
            let kind = if has_text { "" } else { task.thing.kind.as_str() };
            let named: Vec<Given> = values.iter().filter(|given| !given.field.is_empty()).cloned().collect();
            let name = values.iter().find(|given| given.field.is_empty());
            // A form may have no field for a name, or none that says so beside those of the other values.
            let main = self.main_field(&form, kind).or_else(|| self.field_left(&form, &named, &task.thing.kind));
            if main.is_none() && name.is_some() {
                continue;
            }
            let others = Form {
                fields: form.fields.iter().copied().filter(|field| name.is_none() || Some(*field) != main).collect(),
                ..form.clone()
            };
            let Some(place_of_form) = main.or_else(|| form.fields.first().copied()) else { continue };
            match self.assign(&others, &named) {
                Ok(mut assigned) => {
                    if let (Some(name), Some(main)) = (name, main) {
                        assigned.insert(0, Assigned { index: 0, field: main, given: name.clone() });
                    }
                    // What opened it stood in the place, or named it.
                    let in_place =
                        self.is_new(&form) || task.thing.places.iter().all(|place| self.is_in(place_of_form, place));
                    // What stands in the head or the navigation of every page was not opened for it.
                    let score = i32::from(self.form_speaks_of(&form, &task.thing.kind)) * 2
                        + i32::from(!self.is_of_every_page(&form));
                    if !in_place {
                        continue;
                    }
                    match &best {
                        Some((other, _, _)) if *other == score => equals += 1,
                        Some((other, _, _)) if *other > score => {}
                        _ => {
                            equals = 0;
                            best = Some((score, form, assigned));
                        }
                    }
                }
                Err(given) => missing = Some(given),
            }
        }
        if equals > 0 {
            return Err(format!(
                "ambiguous: {} forms may add {}, and nothing tells which is meant",
                equals + 1,
                task.thing.title()
            ));
        }
        match (best, missing) {
            (Some((_, form, assigned)), _) => Ok(Some((form, assigned))),
            // A form that was opened for it, or that already took values, is the one.
            (None, Some(given)) if self.memory.opened => Err(format!(
                "the form to add {} has no field for the {} \"{}\"",
                task.thing.title(),
                given.field,
                given.value
            )),
            (None, _) => Ok(None),
        }
    }

    /// Whether the page is one for making things of a kind, by its address: `/bookmark/new/`.
    fn page_makes_new(&self, kind: &str) -> bool {
        let path = self.scene.observation.url.split(['?', '#']).next().unwrap_or_default();
        let parts: Vec<&str> = path.trim_end_matches('/').split('/').skip(3).collect();
        let speaks_of_it = || self.page_speaks_of(kind) || parts.iter().any(|part| same_concept(part, kind));
        !kind.is_empty() && parts.last().is_some_and(|last| commands::makes_new(last)) && speaks_of_it()
    }

    /// Whether a form stands in the head, the navigation or the search of the page.
    fn is_of_every_page(&self, form: &Form) -> bool {
        let Some(field) = form.fields.first() else { return false };
        self.scene.observation.ancestors(*field).any(|(_, around)| {
            matches!(around.role.as_str(), "navigation" | "banner" | "search")
                || matches!(around.tag.as_str(), "nav" | "search")
        })
    }

    /// Whether a form is there for adding such a thing: its button says so, or its words speak of the thing, or it was opened for it.
    fn is_for_adding(&self, form: &Form, task: &Task) -> bool {
        if !self.memory.typed.is_empty()
            && form.fields.iter().any(|id| {
                self.node(*id)
                    .is_some_and(|node| self.memory.filled.contains(&super::super::enter::field_key(Some(node))))
            })
        {
            return true;
        }
        let adds = |text: &str| {
            tokens(text).iter().any(|word| {
                commands::names(Command::Add).contains(&word.as_str()) || matches!(word.as_str(), "needs" | "next")
            })
        };
        let button_adds = form.submits.first().and_then(|id| self.node(*id)).is_some_and(|node| {
            adds(node.label()) || best_label("add", node, true) >= 0.8 || best_label("+", node, true) >= 0.8
        });
        let fields_add = form
            .fields
            .iter()
            .filter_map(|id| self.node(*id))
            .any(|node| adds(node.attribute("placeholder")) || adds(&node.name));
        let kind = task.thing.kind.as_str();
        let speaks = !kind.is_empty() && self.form_speaks_of(form, kind);
        let in_dialog = form.root.is_some_and(|root| self.node(root).is_some_and(is_dialog));
        let opened_for_it = (self.page_makes_new(kind) && !self.is_of_every_page(form))
            || self.memory.opened
                && (in_dialog || button_adds || speaks || self.is_new(form) || self.forms().len() == 1);
        // A form for things of another kind is not meant.
        let speaks_of_place = task
            .thing
            .places
            .iter()
            .any(|place| telling_words(&place.name).iter().any(|word| self.form_speaks_of(form, word)));
        let no_other = kind.is_empty()
            || speaks
            || !button_adds
            || self.page_speaks_of(kind)
            || task.thing.places.iter().any(|place| self.shows_place(place));
        opened_for_it
            || ((button_adds || fields_add) && no_other)
            || (speaks && (button_adds || fields_add || matches!(kind, "comment" | "message" | "review")))
            || (speaks_of_place && (button_adds || fields_add))
    }

    /// Puts the values into their fields one by one, then hands the form in.
    pub(super) fn fill_and_hand_in(
        &mut self,
        form: &Form,
        assigned: &[Assigned],
        values: &[Given],
        prefer: &[&str],
    ) -> Pursuit {
        for one in assigned {
            if let Some(step) = self.put_into(one, values) {
                return step;
            }
        }
        if let Some(step) = self.take_offered(assigned, !form.submits.is_empty()) {
            return step;
        }
        // A choice in a list is made by choosing; nothing hands it in.
        if form.submits.is_empty() && self.memory.typed.is_empty() {
            return Pursuit::Reached;
        }
        self.hand_in(form, prefer)
    }
}

fn speaks_of_favourites(place: &str) -> bool {
    tokens(place).iter().any(|word| same_concept(word, "favourites") || same_concept(word, "wishlist"))
}
