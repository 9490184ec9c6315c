//! What belongs where, as the page of a thing lets it be chosen: groups or labels with a box each, a list that offers them, or what a
//! button of the page unfolds. And stars, of which one is chosen as well.

use super::super::{Pursuer, Pursuit, labels};
use super::form::{Assigned, Form};
use super::locate::Located;
use super::mark::is_toggle;
use crate::ground::bind::Candidate;
use crate::ground::commands::{self, Command, same_concept, telling_words};
use crate::ground::goal::Name;
use crate::ground::item::{is_dialog, is_form, is_group, is_in_entry, item_of};
use crate::ground::names::same;
use crate::ground::outcome;
use crate::ground::region::Region;
use crate::ground::seek;
use crate::ground::task::{Given, Task, Thing};
use crate::ground::understand::is_verb;
use crate::ground::understand::moment;
use crate::ground::words::tokens;
use domain::ElementId;
use domain::action::ActionKind;
use domain::observation::Node;

/// What is chosen, of which kind, and what it is chosen for.
struct Membership<'t> {
    wanted: &'t str,
    quoted: bool,
    kind: &'t str,
    subject: Name<'t>,
}

impl Membership<'_> {
    fn is_called(&self, label: &str) -> bool {
        Name::of(self.wanted, self.quoted).is_label(label)
    }
}

impl Pursuer<'_> {
    /// Whether a table of the page lists people, by the heading of a column or by its caption.
    fn lists_people(&self) -> bool {
        const PEOPLE: [&str; 26] = [
            "pupil",
            "pupils",
            "student",
            "students",
            "person",
            "people",
            "member",
            "members",
            "employee",
            "employees",
            "colleague",
            "colleagues",
            "patient",
            "patients",
            "guest",
            "guests",
            "player",
            "players",
            "child",
            "children",
            "participant",
            "participants",
            "teacher",
            "teachers",
            "attendee",
            "attendees",
        ];
        let says = |node: &Node| tokens(node.label()).iter().any(|word| PEOPLE.contains(&word.as_str()));
        self.scene.elements().any(|(_, node)| (node.role == "columnheader" || node.tag == "caption") && says(node))
    }

    /// The entries of people who are spoken of by their first or last name alone: `the conversation with Dana`. Of several, each.
    pub(super) fn people_by_one_name(&self, thing: &Thing) -> Vec<ElementId> {
        const OF_PEOPLE: [&str; 16] = [
            "conversation",
            "message",
            "chat",
            "email",
            "mail",
            "thread",
            "person",
            "user",
            "member",
            "contact",
            "customer",
            "client",
            "colleague",
            "patient",
            "guest",
            "student",
        ];
        let name = thing.anchor();
        let is_name = |word: &str| word.starts_with(char::is_uppercase) && word.chars().all(char::is_alphabetic);
        let is_told_so = OF_PEOPLE.contains(&thing.kind.as_str());
        if !(is_told_so || thing.kind.is_empty()) || !is_name(name) {
            return Vec::new();
        }
        let is_whole_name = |text: &str| {
            let words: Vec<&str> = text.split_whitespace().collect();
            matches!(words.len(), 2 | 3)
                && words.iter().all(|word| is_name(word))
                && (words.first() == Some(&name) || (is_told_so && words.last() == Some(&name)))
        };
        // `Mark Read` is a command, and no Mark.
        let is_command = |node: &Node| {
            let first = tokens(node.label()).into_iter().next().unwrap_or_default();
            first == name.to_lowercase() && is_verb(&first)
        };
        // Where no kind is told, by a table that says that it lists people.
        if !is_told_so && !self.lists_people() {
            return Vec::new();
        }
        let stands_for = |id: ElementId, node: &Node| {
            let is_shown = !node.is_interactive() || node.role == "link";
            is_whole_name(node.label())
                && is_shown
                && !is_command(node)
                && item_of(self.scene.observation, id).is_some()
        };
        let found: Vec<ElementId> =
            self.scene.elements().filter(|(id, node)| stands_for(*id, node)).map(|(id, _)| id).collect();
        // A name that stands in another element is told once.
        let holds_other = |id: &ElementId| {
            found.iter().any(|other| other != id && Region::Subtree(*id).holds(self.scene.observation, *other))
        };
        found.iter().copied().filter(|id| !holds_other(id)).collect()
    }

    /// Puts the thing that this page shows where the instruction says, or gives it the label that it says.
    pub(super) fn choose_membership(&mut self, task: &Task) -> Option<Pursuit> {
        let membership = membership(task)?;
        let subject =
            Thing { name: membership.subject.text.to_owned(), quoted: membership.subject.quoted, ..Thing::default() };
        let is_headed = || match self.locate(&subject) {
            Located::One(anchor) => {
                self.node(anchor).is_some_and(|node| node.role == "heading")
                    && !is_in_entry(self.scene.observation, anchor)
            }
            Located::Several(_) | Located::None => false,
        };
        if !self.page_is(membership.subject) && !is_headed() {
            return None;
        }
        // What the page took at once needs no button.
        if self.memory.chosen_at > 0
            && self.memory.chosen_at == self.history.len()
            && self.history.last().is_some_and(outcome::was_taken_by_site)
        {
            self.memory.decided = true;
            self.memory.decided_at = self.history.len() - 1;
            self.memory.decided_url = self.scene.observation.url.clone();
            return Some(self.confirm(task));
        }
        if let Some(step) = self.choose_unfolded_of(&membership) {
            return Some(step);
        }
        if let Some(step) = self.choose_by_box(&membership) {
            return Some(step);
        }
        if let Some(step) = self.choose_by_list(&membership) {
            return Some(step);
        }
        self.unfold_choices(&membership)
    }

    /// The box that is called so, whose form is handed in where it has one.
    fn choose_by_box(&mut self, membership: &Membership<'_>) -> Option<Pursuit> {
        let observation = self.scene.observation;
        // A list of choices has entries that hold nothing else.
        let is_alone = |id: ElementId| {
            let entry = item_of(observation, id).and_then(|entry| observation.node(entry));
            entry.is_none_or(|entry| is_dialog(entry) || membership.is_called(&entry.text))
        };
        let boxes: Vec<ElementId> = self
            .scene
            .elements()
            .filter(|(id, node)| is_toggle(node) && node.role != "radio" && !node.states.disabled && is_alone(*id))
            .filter(|(id, _)| self.is_among_choices(*id, membership))
            .filter(|(id, _)| labels::of_fields(&self.scene, &[*id]).iter().any(|label| membership.is_called(label)))
            .map(|(id, _)| id)
            .collect();
        let [only] = boxes.as_slice() else { return None };
        let only = *only;
        let node = self.node(only)?;
        let is_on = node.states.checked.or(node.states.pressed) == Some(true);
        let form = self.forms_with_boxes().into_iter().find(|form| form.fields.contains(&only));
        let key = super::super::enter::field_key(Some(node));
        let was_chosen = self.memory.filled.contains(&key);
        match (is_on, form.filter(|form| !form.submits.is_empty())) {
            (true, Some(form)) if was_chosen => Some(self.hand_in(&form, &[])),
            (false, _) if was_chosen => {
                Some(Pursuit::Stuck(format!("the box \"{}\" does not show that it is on", membership.wanted)))
            }
            (true, _) => Some(self.held(format!("\"{}\" is in \"{}\"", membership.subject.text, membership.wanted))),
            (false, form) => {
                self.memory.filled.push(key);
                self.memory.chosen_at = self.history.len() + 1;
                let chosen = self.turn_on(only, "is what the instruction names");
                Some(if form.is_some() { chosen } else { self.decisive(chosen) })
            }
        }
    }

    /// Whether a choice stands where such choices are made: in a part of the page that speaks of their kind, or that was unfolded for
    /// them. A filter beside the page is none.
    fn is_among_choices(&self, element: ElementId, membership: &Membership<'_>) -> bool {
        const AROUND: usize = 6;
        let observation = self.scene.observation;
        let speaks =
            |text: &str| text.len() < 60 && tokens(text).iter().any(|word| same_concept(word, membership.kind));
        let heads = |around: ElementId| {
            observation.elements().any(|(id, node)| {
                matches!(node.role.as_str(), "heading" | "legend")
                    && speaks(&node.text)
                    && Region::Subtree(around).holds(observation, id)
            })
        };
        let around: Vec<(ElementId, &Node)> = observation
            .ancestors(element)
            .take(AROUND)
            .take_while(|(_, node)| !matches!(node.tag.as_str(), "body" | "main" | "html"))
            .collect();
        !observation.ancestors(element).any(|(_, node)| is_filter(node))
            && (self.is_where_form_opened()
                || around.iter().any(|(id, node)| {
                    let says = [node.name.as_str(), node.attribute("class"), node.attribute("id")];
                    says.into_iter().any(speaks)
                        || (node.role == "form" && speaks(&node.text))
                        || (is_group(node) && heads(*id))
                }))
    }

    /// The forms of the page, those of boxes alone among them.
    fn forms_with_boxes(&self) -> Vec<Form> {
        let mut forms: Vec<Form> = Vec::new();
        let boxes = self.scene.elements().filter(|(_, node)| is_toggle(node)).map(|(id, _)| id);
        for field in boxes {
            const AROUND: usize = 4;
            let mut around = self.scene.observation.ancestors(field);
            let marked = around.find(|(_, node)| is_form(node) || is_dialog(node)).map(|(id, _)| id);
            let near =
                |root: &ElementId| self.scene.observation.ancestors(field).take(AROUND).any(|(id, _)| id == *root);
            let Some(root) = marked.or_else(|| self.form_around(field).filter(near)) else { continue };
            match forms.iter_mut().find(|form| form.root == Some(root)) {
                Some(form) => form.fields.push(field),
                None => forms.push(Form { root: Some(root), fields: vec![field], submits: Vec::new() }),
            }
        }
        for form in &mut forms {
            form.submits = self.submits(form.root, &form.fields);
        }
        forms
    }

    /// A list that offers it, of a form that was opened for it or speaks of the kind.
    fn choose_by_list(&mut self, membership: &Membership<'_>) -> Option<Pursuit> {
        let given =
            Given { field: membership.kind.to_owned(), value: membership.wanted.to_owned(), quoted: membership.quoted };
        let offers = |field: ElementId| {
            self.node(field).is_some_and(|node| {
                node.options.iter().any(|option| membership.is_called(&option.label))
                    || (super::drawn::is_drawn_list(node) && !node.allows(ActionKind::Type))
            })
        };
        let forms = self.forms();
        let fitting = forms.into_iter().find_map(|form| {
            if !self.is_new(&form) && !self.form_speaks_of(&form, membership.kind) {
                return None;
            }
            let searches = |id: &ElementId| {
                self.node(*id).is_some_and(|node| commands::begins_with(node.label(), Command::Search))
            };
            let is_search = form.fields.iter().filter_map(|id| self.node(*id)).any(super::form::is_search);
            if is_search || form.submits.first().is_some_and(searches) {
                return None;
            }
            let field = form.fields.iter().copied().find(|field| offers(*field))?;
            let alone = Form { fields: vec![field], ..form.clone() };
            (self.is_new(&form) || self.assign(&alone, std::slice::from_ref(&given)).is_ok()).then_some((form, field))
        });
        let (form, field) = fitting?;
        let assigned = [Assigned { index: 0, field, given: given.clone() }];
        Some(self.fill_and_hand_in(&form, &assigned, &[given], &[]))
    }

    /// What the page has just unfolded, and is called so.
    fn choose_unfolded_of(&mut self, membership: &Membership<'_>) -> Option<Pursuit> {
        if !self.has_just_opened_menu() {
            return None;
        }
        let is_offered = |id: ElementId, node: &Node| {
            self.has_come(node)
                && node.allows(ActionKind::Click)
                && !node.allows(ActionKind::Type)
                && !is_toggle(node)
                && !node.states.disabled
                && membership.is_called(node.label())
                && self.is_in_open_menu(id, node)
        };
        let offered: Vec<ElementId> =
            self.scene.elements().filter(|(id, node)| is_offered(*id, node)).map(|(id, _)| id).collect();
        let [only] = offered.as_slice() else { return None };
        let chosen = self.click(*only, "is what the instruction names", 0.88, false);
        Some(self.decisive(chosen))
    }

    /// The button of the page that shows what there is to choose from: `Groups …`, `Add to collection`, `Edit labels`.
    fn unfold_choices(&mut self, membership: &Membership<'_>) -> Option<Pursuit> {
        let observation = self.scene.observation;
        // What makes a new one puts nothing where it is.
        const ADDING: [&str; 8] =
            ["add", "hinzufügen", "ajouter", "añadir", "agregar", "aggiungi", "toevoegen", "adicionar"];
        let is_verb = |word: &String| {
            (ADDING.contains(&word.as_str()) || commands::names(Command::Edit).contains(&word.as_str()))
                || matches!(word.as_str(), "manage" | "choose" | "assign" | "select")
        };
        let makes_new =
            |words: &[String]| words.iter().any(|word| commands::makes_new(word) && !ADDING.contains(&word.as_str()));
        let speaks = |node: &Node| {
            let words = tokens(node.label());
            let means = |word: &String| same_concept(word, membership.kind);
            // A button that adds at once needs no choice; one that names only the kind does not say where to.
            let says = |word: &String| is_verb(word) || means(word) || word.chars().count() < 4;
            words.len() <= 4 && !makes_new(&words) && words.iter().any(means) && words.iter().all(says)
        };
        let opens = |id: ElementId, node: &Node| {
            node.allows(ActionKind::Click)
                && !node.allows(ActionKind::Type)
                && !node.states.disabled
                && matches!(node.role.as_str(), "button" | "combobox" | "link")
                && speaks(node)
                && !is_in_entry(observation, id)
                && !(node.role == "link" && self.is_way(id, node))
                && !crate::ground::item::form_holds(observation, id, &[ActionKind::Type])
        };
        let found: Vec<ElementId> =
            self.scene.elements().filter(|(id, node)| opens(*id, node)).map(|(id, _)| id).collect();
        let button = self.take_only_untried(&found)?;
        Some(self.open_form(button, "may show what there is to choose from", 0.75))
    }

    /// What a list offers for a text that was typed into its field, where that is called so.
    pub(super) fn take_offered(&mut self, assigned: &[Assigned], hands_in: bool) -> Option<Pursuit> {
        let typed = assigned.iter().filter(|one| {
            self.node(one.field).is_some_and(|node| node.role == "combobox" && node.allows(ActionKind::Type))
        });
        for one in typed {
            let is_it = |node: &Node| {
                self.has_come(node)
                    && node.role == "option"
                    && node.tag != "option"
                    && same(&one.given.value, node.label())
            };
            let offered: Vec<ElementId> =
                self.scene.elements().filter(|(_, node)| is_it(node)).map(|(id, _)| id).collect();
            let [only] = offered.as_slice() else { continue };
            let key = format!("offered|{}", self.node(*only).map(seek::key).unwrap_or_default());
            if self.memory.tried.contains(&key) {
                continue;
            }
            self.memory.tried.push(key);
            let chosen = self.click(*only, "is offered for what was typed", 0.88, false);
            return Some(if hands_in { chosen } else { self.decisive(chosen) });
        }
        None
    }

    /// Gives a thing so many stars: where it stands, or where it was opened.
    pub(super) fn rate(&mut self, task: &Task, stars: &str) -> Pursuit {
        match self.locate(&task.thing) {
            Located::Several(reason) => Pursuit::Unclear(reason),
            Located::None => self.elsewhere(task, &format!("{}, to rate it", task.thing.title())),
            Located::One(anchor) => {
                let regions = self.spot(anchor);
                let is_heading = self.node(anchor).is_some_and(|node| node.role == "heading");
                let of_page = self.is_opened(&task.thing) || is_heading || self.page_is(task.thing.called());
                let found = self.stars(stars, if of_page { None } else { Some(&regions) });
                if let [only] = found.as_slice() {
                    let why = format!("gives it {stars} stars");
                    // Radio buttons of a form are handed in with it.
                    let boxes = self.forms_with_boxes().into_iter().find(|form| form.fields.contains(only));
                    if let Some(form) = boxes.filter(|form| !form.submits.is_empty()) {
                        let key = super::super::enter::field_key(self.node(*only));
                        if self.node(*only).is_some_and(|node| node.states.checked == Some(true)) {
                            return self.hand_in(&form, &[]);
                        }
                        if self.memory.filled.contains(&key) {
                            return Pursuit::Stuck(format!("the choice of {stars} stars does not show that it is on"));
                        }
                        self.memory.filled.push(key);
                        return self.turn_on(*only, &why);
                    }
                    let chosen = self.turn_on(*only, &why);
                    return self.decisive(chosen);
                }
                if let Some(step) = self.open_thing(anchor, &regions) {
                    return step;
                }
                self.elsewhere(task, &format!("a control to give {} {stars} stars", task.thing.title()))
            }
        }
    }

    /// Whether the heading above an element says that a list is filtered below it.
    fn is_below_filter(&self, element: ElementId) -> bool {
        const WORDS: [&str; 6] = ["filter", "show", "filtern", "anzeigen", "filtrer", "filtrar"];
        let is_head = |node: &Node| node.role == "heading" || matches!(node.tag.as_str(), "legend" | "summary");
        let before = self.scene.observation.elements().take_while(|(id, _)| *id != element);
        let heading = before.filter(|(_, node)| is_head(node)).last();
        heading.is_some_and(|(_, node)| tokens(&node.text).iter().any(|word| WORDS.contains(&word.as_str())))
    }

    /// The controls that give so many stars.
    fn stars(&self, stars: &str, regions: Option<&[Region]>) -> Vec<ElementId> {
        const STARS: [&str; 12] = [
            "star",
            "stars",
            "stern",
            "sterne",
            "\u{e9}toile",
            "\u{e9}toiles",
            "estrella",
            "estrellas",
            "stella",
            "stelle",
            "ster",
            "sterren",
        ];
        const RATING: [&str; 9] = [
            "rating",
            "rate",
            "bewertung",
            "note",
            "\u{e9}valuation",
            "valoraci\u{f3}n",
            "puntuaci\u{f3}n",
            "valutazione",
            "beoordeling",
        ];
        let observation = self.scene.observation;
        let says = |words: &[String], among: &[&str]| words.iter().any(|word| among.contains(&word.as_str()));
        let is_it = |id: ElementId, node: &Node| {
            let words = tokens(node.label());
            let numbers: Vec<u32> = words.iter().filter_map(|word| moment::number(word)).collect();
            let counts = matches!(numbers.as_slice(), [given] | [given, 5] if Some(*given) == stars.parse().ok());
            let of_rating = || {
                words.len() == 1
                    && observation.ancestors(id).take(3).any(|(_, around)| {
                        says(&tokens(&around.name), &RATING) || says(&tokens(around.attribute("class")), &RATING)
                    })
            };
            (node.allows(ActionKind::Click) || node.allows(ActionKind::Check))
                && !node.allows(ActionKind::Type)
                && !node.states.disabled
                && node.role != "link"
                && counts
                && (says(&words, &STARS) || of_rating())
                && regions.is_none_or(|regions| regions.iter().any(|region| region.holds(observation, id)))
                && (regions.is_some() || !is_in_entry(observation, id))
                && !observation.ancestors(id).any(|(_, around)| is_filter(around))
                && !self.is_below_filter(id)
        };
        let found = self.scene.elements().filter(|(id, node)| is_it(*id, node)).map(|(id, _)| id).collect::<Vec<_>>();
        // The label of a radio button is no second one.
        let candidates = Self::as_candidates(&found);
        crate::ground::pick::distinct(observation, candidates)
            .into_iter()
            .map(|Candidate { element, .. }| element)
            .collect()
    }
}

/// Whether a part of the page chooses what is shown of a list.
pub(super) fn is_filter(node: &Node) -> bool {
    let words = tokens(&format!("{} {} {}", node.name, node.attribute("class"), node.attribute("id")));
    let says = |word: &String| matches!(word.as_str(), "filter" | "filters" | "facet" | "facets");
    node.role == "search" || words.iter().any(says)
}

/// What is chosen for what: a label for a thing, or a thing for where it belongs.
fn membership(task: &Task) -> Option<Membership<'_>> {
    let thing = &task.thing;
    let place = thing.places.first().filter(|place| !place.name.is_empty() && !thing.name.is_empty())?;
    if matches!(thing.kind.as_str(), "label" | "tag" | "category") {
        return Some(Membership {
            wanted: &thing.name,
            quoted: thing.quoted,
            kind: &thing.kind,
            subject: place.called(),
        });
    }
    let holds = !place.kind.is_empty() && !telling_words(&place.kind).is_empty();
    holds.then_some(Membership {
        wanted: &place.name,
        quoted: place.quoted,
        kind: &place.kind,
        subject: thing.called(),
    })
}
