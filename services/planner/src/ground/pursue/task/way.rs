//! Finding elsewhere on the site what is not on this page: navigation in sight is followed where its words lead nearer, a few steps, by
//! ways that change nothing, and back again when it was wrong.

use super::super::{Pursuer, Pursuit, aside};
use super::locate::Located;
use crate::ground::bind::Candidate;
use crate::ground::commands::{self, Command, fields, same_part, speaks_of, telling_words};
use crate::ground::goal::Name;
use crate::ground::item::{form_of, is_dialog, is_in_entry};
use crate::ground::names::same;
use crate::ground::pick::distinct;
use crate::ground::rivals;
use crate::ground::seek;
use crate::ground::tabs;
use crate::ground::task::{Task, TaskAct, Thing};
use crate::ground::words::{is_consequential, singular, tokens};
use domain::ElementId;
use domain::action::{Action, ActionKind};
use domain::exploration::Guards;
use domain::harm::{Licence, Opens, Sent, refused};
use domain::observation::Node;
use url::Url;

/// A way of at least this score has words that lead nearer; others are looked at in turn.
const SPEAKING: f64 = 0.5;
/// Pages of a list that are turned for one task at most, before other places are looked at.
const TURNED: usize = 6;
/// The most ways that are followed for one task.
const HOPS: usize = 8;

impl Pursuer<'_> {
    /// The next step towards where the task can be done; out of reach where nothing leads nearer.
    pub(super) fn elsewhere(&mut self, task: &Task, wanted: &str) -> Pursuit {
        let missing = || format!("found nothing on the page that is {wanted}");
        if self.may_come() {
            return Pursuit::Stuck(missing());
        }
        if let Some(step) = self.open_owner(task) {
            return step;
        }
        if let Some(step) = self.open_place_of(task) {
            return step;
        }
        if let Some(step) = self.walk_on(wanted) {
            return step;
        }
        let way = self.nearest_way(task).filter(|_| self.memory.hops.len() < HOPS);
        if self.memory.hops.len() < HOPS
            && let Some(step) = self.by_map(task, wanted, way.as_ref().map_or(0.0, |way| way.score))
        {
            return step;
        }
        // What is wanted may be called by its name, or stand on the next page of the list, before other places are looked at.
        if way.as_ref().is_none_or(|way| way.score < SPEAKING) {
            if let Some(step) = self.look_by_search(task) {
                return step;
            }
            if let Some(step) = self.turn_page(wanted) {
                return step;
            }
            // A tab of this page shows more of it: `Closed`.
            if let Some(step) = self.turn_to_tab(task, wanted) {
                return step;
            }
        }
        if let Some(way) = way {
            let key = self.tried_key(way.element);
            self.memory.hops.push(key);
            self.memory.arrived = self.node(way.element).map(|node| node.label().to_owned()).unwrap_or_default();
            self.memory.opened = false;
            self.memory.form_url.clear();
            if matches!(task.act, TaskAct::Do(_)) {
                self.memory.stage = 0;
            }
            return aside(self.click(way.element, &format!("may lead to {wanted}"), way.score, false));
        }
        if let Some(step) = self.look_by_search(task) {
            return step;
        }
        if let Some(step) = self.seek(wanted, None) {
            return step;
        }
        // The last way was wrong: back, and on by another.
        if self.memory.hops.len() > self.memory.returns
            && self.memory.hops.len() < HOPS
            && self.scene.observation.url != self.start_of_task()
        {
            self.memory.returns = self.memory.hops.len();
            self.memory.arrived.clear();
            let back = self.step(Action::Back, format!("this way did not lead to {wanted}"), 0.5, false);
            return aside(back);
        }
        let looked = match self.memory.hops.len() {
            0 => String::new(),
            hops => format!(", nor behind the {hops} ways that seemed to lead there"),
        };
        Pursuit::Stuck(format!("{}{looked}; shown are {}", missing(), self.shown()))
    }

    /// The next page of the list that is shown.
    fn turn_page(&mut self, wanted: &str) -> Option<Pursuit> {
        const PAGE: &str = "page|";
        if self.memory.tried.iter().filter(|key| key.starts_with(PAGE)).count() >= TURNED {
            return None;
        }
        let disclosures = seek::disclosures(&self.scene, self.memory, None);
        let next = disclosures.into_iter().find(|disclosure| {
            (disclosure.score - seek::NEXT_PAGE).abs() < f64::EPSILON && !self.is_asked_later(disclosure.element)
        })?;
        self.memory.tried.push(format!("{PAGE}{}", next.key));
        self.memory.tried.push(next.key);
        Some(aside(self.click(next.element, &format!("may show {wanted}, on the next page"), 0.5, false)))
    }

    /// A tab of the list that is shown, where what is done to the thing could only be done to one of its entries.
    fn turn_to_tab(&mut self, task: &Task, wanted: &str) -> Option<Pursuit> {
        if task.act == TaskAct::Add || task.thing.anchor().is_empty() || self.memory.opened {
            return None;
        }
        let disclosures = seek::disclosures(&self.scene, self.memory, None);
        let is_tab = |element: ElementId| {
            self.node(element).is_some_and(|node| node.role == "tab") || self.is_drawn_tab(element)
        };
        let tab = disclosures
            .into_iter()
            .find(|disclosure| is_tab(disclosure.element) && !self.is_asked_later(disclosure.element))?;
        self.memory.tried.push(tab.key);
        Some(aside(self.click(tab.element, &format!("may show {wanted}"), 0.5, false)))
    }

    /// Whether an element is a tab that is drawn of plain parts, and may be turned to.
    pub(super) fn is_drawn_tab(&self, element: ElementId) -> bool {
        tabs::is_drawn_tab(self.scene.observation, self.memory, element)
    }

    /// What is named of a record stands where the record is opened: `the delivery address of order 4711`.
    fn open_owner(&mut self, task: &Task) -> Option<Pursuit> {
        let Thing { name, of, of_quoted, .. } = &task.thing;
        let key = format!("owner|{of}");
        if name.is_empty() || of.is_empty() || self.memory.tried.contains(&key) {
            return None;
        }
        let owner = Thing { name: of.clone(), quoted: *of_quoted, ..Thing::default() };
        let Located::One(anchor) = self.locate(&owner) else { return None };
        let regions = self.spot(anchor);
        let element = self.opener_of(anchor, &regions)?;
        self.memory.tried.push(key);
        Some(aside(self.click(element, "is what the thing belongs to", 0.8, false)))
    }

    fn start_of_task(&self) -> String {
        if self.memory.task_url.is_empty() { self.scene.observation.url.clone() } else { self.memory.task_url.clone() }
    }

    /// A few words of what is there, for who reads why nothing was done.
    fn shown(&self) -> String {
        let mut labels: Vec<String> = Vec::new();
        for (_, node) in self.scene.elements().filter(|(_, node)| node.role == "heading" || node.is_interactive()) {
            let label: String = node.label().chars().take(30).collect();
            if !label.is_empty() && !labels.contains(&label) {
                labels.push(label);
            }
        }
        labels.truncate(8);
        if labels.is_empty() { "no controls".to_owned() } else { format!("\"{}\"", labels.join("\", \"")) }
    }

    /// The way in sight whose words lead nearest, of those that were not followed yet.
    fn nearest_way(&self, task: &Task) -> Option<Candidate> {
        let mut ways: Vec<Candidate> = self
            .scene
            .elements()
            .filter(|(id, node)| self.is_way(*id, node))
            .filter(|(id, _)| !self.memory.hops.contains(&self.tried_key(*id)) && !self.is_asked_later(*id))
            .filter(|(id, node)| !self.is_passed_by(task, node) && !self.is_opposite(*id))
            .map(|(id, node)| (node, Candidate { element: id, score: nearness(task, node.label()) }))
            .filter(|(node, way)| way.score > 0.0 && (way.score >= 0.9 || may_lead_to_it(task, node)))
            .map(|(_, way)| way)
            .collect();
        ways.sort_by(|a, b| b.score.total_cmp(&a.score));
        if ways.is_empty() {
            return self.next_of_navigation(task).or_else(|| self.overview(task));
        }
        let best = ways.first()?.score;
        let equals = ways.into_iter().filter(|way| best - way.score < 0.01).collect();
        distinct(self.scene.observation, equals).into_iter().next()
    }

    /// Where no words lead nearer, what the navigation of the site offers is looked at in turn.
    fn next_of_navigation(&self, task: &Task) -> Option<Candidate> {
        let observation = self.scene.observation;
        let is_navigation = |node: &Node| node.role == "navigation" || node.tag == "nav";
        let has_navigation = observation.nodes.iter().any(is_navigation);
        // Without any, what is shown apart from entries is: tiles, a list of ways.
        let in_navigation = |id: ElementId| match has_navigation {
            true => observation.ancestors(id).any(|(_, around)| is_navigation(around)),
            false => !is_in_entry_of_list(observation, id),
        };
        let leads_away = |node: &Node| !matches!(node.attribute("href"), "" | "#" | "/") && node.role == "link";
        self.scene
            .elements()
            .filter(|(id, node)| leads_away(node) && in_navigation(*id) && self.is_way(*id, node))
            .filter(|(_, node)| may_lead_to_it(task, node))
            .find(|(id, node)| {
                !self.memory.hops.contains(&self.tried_key(*id))
                    && !self.page_is(Name::plain(node.label()))
                    && !self.is_asked_later(*id)
                    && !self.is_passed_by(task, node)
            })
            .map(|(id, _)| Candidate { element: id, score: 0.4 })
    }

    /// Whether the instruction turned to another of these places, and the task does not name this one.
    fn is_passed_by(&self, task: &Task, node: &Node) -> bool {
        rivals::is_among(&self.memory.passed_by, node)
            && (nearness(task, node.label()) < 0.9
                || rivals::is_just_passed(&self.memory.passed_by, node, self.memory.goal))
            && !task.thing.places.iter().any(|place| same(&place.name, node.label()))
    }

    /// The way back to an overview.
    fn overview(&self, task: &Task) -> Option<Candidate> {
        let names = [
            "home",
            "start",
            "overview",
            "dashboard",
            "back",
            "apps",
            "startseite",
            "zur\u{fc}ck",
            "accueil",
            "inicio",
        ];
        let leads_back = |node: &Node| {
            let says = crate::ground::words::tokens(node.label()).iter().any(|word| names.contains(&word.as_str()));
            node.role == "link" && (node.attribute("href") == "/" || (says && node.label().len() < 24))
        };
        self.scene
            .elements()
            .filter(|(id, node)| leads_back(node) && self.is_way(*id, node) && !self.is_passed_by(task, node))
            .find(|(id, _)| !self.memory.hops.contains(&self.tried_key(*id)))
            .map(|(id, _)| Candidate { element: id, score: 0.3 })
    }

    /// Searches for a thing by its name, where the page has one field for that; this changes nothing.
    fn look_by_search(&mut self, task: &Task) -> Option<Pursuit> {
        // What is made is not there yet: what it is made in may be found. What is put where things are kept is there already.
        let is_made = task.act == TaskAct::Add;
        let place = task.thing.places.first().map(|place| place.name.clone()).unwrap_or_default();
        let is_kept = speaks_of_keeping(&place) && task.thing.kind.is_empty();
        let named = task.thing.name.clone();
        let names = match is_made {
            true if is_kept => vec![named],
            true if task.thing.kind.is_empty() && !place.is_empty() => vec![named, place],
            true => vec![place],
            // What is kept in numbers is listed in the singular.
            false => {
                let one = singular(&named).filter(|_| !task.thing.quoted);
                std::iter::once(named).chain(one).collect()
            }
        };
        if task.act == TaskAct::Search || matches!(task.act, TaskAct::Answer(_)) {
            return None;
        }
        let is_field = |id: ElementId, node: &Node| {
            node.allows(ActionKind::Type)
                && !node.states.disabled
                && (super::form::is_search(node) || self.is_searched_by(id))
                && !self.is_posted(id)
        };
        let fields: Vec<ElementId> =
            self.scene.elements().filter(|(id, node)| is_field(*id, node)).map(|(id, _)| id).collect();
        let [field] = fields.as_slice() else { return None };
        let field = *field;
        names.into_iter().filter(|name| !name.is_empty()).find_map(|name| self.search_by(field, &name))
    }

    /// Whether the form of a field sends something when it is handed in. Who only looks sends nothing.
    fn is_posted(&self, field: ElementId) -> bool {
        let form = form_of(self.scene.observation, field).and_then(|form| self.node(form));
        form.is_some_and(|form| form.attribute("method").eq_ignore_ascii_case("post"))
    }

    /// Types a name into a search field, and searches by it; once for each name and page.
    fn search_by(&mut self, field: ElementId, name: &str) -> Option<Pursuit> {
        let key = format!("search|{}|{name}", self.page_url());
        // People are found by the name that the field is for.
        let label = self.node(field).map(|node| node.label().to_owned()).unwrap_or_default();
        let typed = match name.rsplit_once(' ') {
            Some((_, last)) if fields::is_field("last name", &label) => last,
            Some((first, _)) if fields::is_field("first name", &label) => first,
            _ => name,
        };
        if self.node(field).and_then(|node| node.value.as_deref()) != Some(typed) {
            if self.memory.tried.contains(&key) {
                return None;
            }
            self.memory.tried.push(key);
            return Some(aside(self.type_once(field, typed, "may find it")));
        }
        let pressed_key = format!("{key}|pressed");
        if self.memory.tried.contains(&pressed_key) {
            return None;
        }
        self.memory.tried.push(pressed_key);
        Some(aside(self.press_search(field)))
    }

    /// Whether a field is the only one for text of a form whose button searches: `Find owner`.
    pub(super) fn is_searched_by(&self, field: ElementId) -> bool {
        let observation = self.scene.observation;
        let Some(form) = form_of(observation, field) else { return false };
        let of_form = |id: ElementId| observation.ancestors(id).any(|(around, _)| around == form);
        let texts = self.scene.elements().filter(|(id, node)| node.allows(ActionKind::Type) && of_form(*id)).count();
        let searches = |node: &Node| super::form::searches(node.label());
        let posts = self.node(form).is_some_and(|node| node.attribute("method").eq_ignore_ascii_case("post"));
        let buttons =
            self.scene.elements().filter(|(id, node)| of_form(*id) && node.role == "button").collect::<Vec<_>>();
        texts == 1 && !posts && matches!(buttons.as_slice(), [(_, only)] if searches(only))
    }

    /// Whether an element leads somewhere and changes nothing: a link, a tab, an entry of a menu, a button of the navigation.
    pub(super) fn is_way(&self, element: ElementId, node: &Node) -> bool {
        let observation = self.scene.observation;
        let takes_input =
            node.allows(ActionKind::Type) || node.allows(ActionKind::Check) || node.allows(ActionKind::Select);
        if !node.allows(ActionKind::Click) || takes_input || node.states.disabled || node.label().is_empty() {
            return false;
        }
        let ends_session = commands::names(Command::LogOut).iter().any(|name| same(name, node.label()));
        // What stands in the label of a field explains it.
        if ends_session || observation.ancestors(element).any(|(_, around)| around.tag == "label") {
            return false;
        }
        // A panel that is drawn at the side as a dialog is no navigation.
        let in_navigation = observation.ancestors(element).any(|(_, around)| {
            matches!(
                around.role.as_str(),
                "navigation" | "menu" | "menubar" | "banner" | "tablist" | "tree" | "complementary"
            ) || (matches!(around.tag.as_str(), "nav" | "header" | "aside") && !is_dialog(around))
        });
        let is_place = in_navigation && !is_in_entry(observation, element) && names_kept_place(node);
        if is_consequential(node.label()) && !is_place {
            return false;
        }
        // In an entry a command is one on that entry, unless it only shows it.
        let shows = |label: &str| commands::names(Command::Open).iter().any(|name| same(name, label));
        if !in_navigation
            && is_in_entry(observation, element)
            && super::is_command(node.label())
            && !shows(node.label())
        {
            return false;
        }
        if self.may_act(element, node) {
            return false;
        }
        let href = node.attribute("href");
        let is_link = node.role == "link" && !href.starts_with("javascript:") && !href.starts_with("mailto:");
        match node.role.as_str() {
            "tab" => true,
            "link" => is_link && (in_navigation || !is_in_entry(observation, element) || node.label().len() < 30),
            _ => (in_navigation && !is_in_entry_of_list(observation, element)) || self.is_drawn_tab(element),
        }
    }

    /// Whether pressing a control may do something for all that is seen: by the address of a link, or by what it is called, such as
    /// `Pin topic`. In the navigation of the site a verb is the name of a page: `Publish`.
    fn may_act(&self, element: ElementId, node: &Node) -> bool {
        let here = Url::parse(&self.scene.observation.url).ok();
        let href = Some(node.attribute("href")).filter(|href| !href.is_empty() && !href.starts_with('#'));
        let to = here.zip(href).and_then(|(here, href)| here.join(href).ok());
        let to = to.filter(|to| node.role == "link" && to.scheme().starts_with("http"));
        let is_refused = |url: &Url| {
            let sent = Sent { method: "GET", url, instead: None, fields: Vec::new(), opens: Opens::Page };
            refused(&sent, Licence::Creating, &Guards::default()).is_some()
        };
        let of_site = |around: &Node| {
            matches!(around.role.as_str(), "navigation" | "banner") || matches!(around.tag.as_str(), "nav" | "header")
        };
        let in_navigation = || self.scene.observation.ancestors(element).any(|(_, around)| of_site(around));
        let begins_with_deed = || tokens(node.label()).first().is_some_and(|word| commands::deeds::is_name(word));
        to.as_ref().is_some_and(is_refused) || (begins_with_deed() && !in_navigation())
    }
}

/// Whether a way may lead to a thing that is there: not where a new one is made.
fn may_lead_to_it(task: &Task, way: &Node) -> bool {
    let words = tokens(way.label());
    let says = |word: Option<&String>| word.is_some_and(|word| commands::makes_new(word));
    let makes_new = words.len() > 1 && words.len() < 5 && (says(words.first()) || says(words.last()));
    // What is to be removed is not looked for among what was removed.
    let is_over = || task.act == TaskAct::Remove && names_kept_place(way) && task.thing.places.is_empty();
    (matches!(task.act, TaskAct::Add | TaskAct::Send) || !makes_new) && !is_over()
}

/// Whether a link is called as a place where things are kept that were taken away: `Trash`.
fn names_kept_place(node: &Node) -> bool {
    const BESIDE: [&str; 6] = ["items", "messages", "files", "notes", "elements", "recently"];
    let words = tokens(node.label());
    let is_place = |word: &String| commands::same_concept(word, "trash") || BESIDE.contains(&word.as_str());
    let empties =
        tokens(node.attribute("href")).iter().any(|word| matches!(word.as_str(), "empty" | "delete" | "clear"));
    let leads = !node.attribute("href").is_empty() && !super::acts_by_script(node);
    node.role == "link" && leads && words.iter().all(is_place) && !words.is_empty() && !empties
}

/// Whether an element stands in an entry that holds more than it: a row with its text and controls.
pub(super) fn is_in_entry_of_list(observation: &domain::Observation, element: ElementId) -> bool {
    crate::ground::item::item_of(observation, element)
        .and_then(|item| observation.node(item).map(|node| (item, node)))
        .is_some_and(|(item, node)| {
            let controls = observation
                .interactive()
                .filter(|(id, _)| observation.ancestors(*id).any(|(around, _)| around == item))
                .count();
            controls > 1 && !is_dialog(node)
        })
}

/// Whether each telling word of a label means one of a place: *Maps* and `my saved places`.
fn is_covered(label: &str, place: &str) -> bool {
    let (shown, wanted) = (telling_words(label), telling_words(place));
    !shown.is_empty() && shown.iter().all(|word| wanted.iter().any(|other| commands::same_concept(word, other)))
}

/// Whether things are kept in a place that are shown elsewhere: a cart, favourites.
fn speaks_of_keeping(place: &str) -> bool {
    telling_words(place)
        .iter()
        .any(|word| ["cart", "wishlist", "favourites"].iter().any(|kept| commands::same_concept(word, kept)))
}

/// How near a way leads to where a task can be done, by its words: the place that the instruction names, the kind of thing, the name.
pub(super) fn nearness(task: &Task, label: &str) -> f64 {
    let thing = &task.thing;
    let mut nearest: f64 = 0.0;
    // What is put somewhere is first to be found itself.
    let is_put = task.act == TaskAct::Add
        && thing.kind.is_empty()
        && thing.places.iter().any(|place| speaks_of_keeping(&place.name));
    if is_put && telling_words(label).iter().any(|word| commands::same_concept(word, "shop")) {
        return 1.0;
    }
    for place in thing.places.iter().filter(|_| !is_put) {
        if same(&place.name, label) || same_part(&place.name, label) {
            nearest = nearest.max(1.0);
        } else if !place.quoted && speaks_of(label, &place.name) {
            nearest = nearest.max(0.85);
        } else if !place.quoted && is_covered(label, &place.name) {
            nearest = nearest.max(0.7);
        }
    }
    if task.act == TaskAct::Open && !thing.name.is_empty() && !thing.quoted && speaks_of(label, &thing.name) {
        nearest = nearest.max(0.8);
    }
    if !thing.name.is_empty() && (same(&thing.name, label)) {
        nearest = nearest.max(0.9);
    }
    let kind = match (&task.act, thing.kind.as_str()) {
        (TaskAct::Send | TaskAct::Reply | TaskAct::Forward, "") => "message",
        (TaskAct::Mark | TaskAct::Unmark, "") if task.value("state") == Some("done") => "task",
        (TaskAct::Edit, "") if thing.name.is_empty() => "setting",
        (TaskAct::Mark | TaskAct::Unmark, "") if task.value("state") == Some("on") => "setting",
        (_, kind) => kind,
    };
    // `visitor permit`
    let kind = kind.rsplit(' ').next().unwrap_or(kind);
    if !kind.is_empty() {
        let words = telling_words(label);
        if words.len() == 1 && words.iter().any(|word| commands::same_concept(word, kind)) {
            nearest = nearest.max(0.75);
        } else if words.iter().any(|word| commands::same_concept(word, kind)) {
            nearest = nearest.max(0.6);
        }
    }
    nearest
}
