//! Where on the page a thing is that an instruction names: by name, place, kind and order. Nothing like it is taken for it.

use super::super::{Pursuer, seek};
use super::told;
use crate::ground::commands::{is_general_part, same_concept, speaks_of, telling_words};
use crate::ground::described;
use crate::ground::goal::{Name, PagePart};
use crate::ground::item::{is_dialog, is_group, is_item, item_of, place_of};
use crate::ground::names::{holds_words, same};
use crate::ground::numbered;
use crate::ground::places::{is_title, stands_in};
use crate::ground::region::{self, Region};
use crate::ground::task::Thing;
use crate::ground::understand::kinds::kind_of;
use crate::ground::understand::moment;
use crate::ground::words::{self, same_word, tokens};
use domain::ElementId;
use domain::action::ActionKind;
use domain::observation::Node;

/// What locating a thing came to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Located {
    /// Here.
    One(ElementId),
    /// Nothing tells which is meant; says so.
    Several(String),
    /// Not on this page.
    None,
}

impl Pursuer<'_> {
    /// The node by which the thing is recognised.
    pub(super) fn locate(&self, thing: &Thing) -> Located {
        let mut found = self.anchors_of(thing);
        // `the taxi to the airport`, which the instruction's grammar takes for a place.
        if found.is_empty() && thing.ordinal.is_none() && !thing.all && told::tells_by_places(thing) {
            let places = thing.places.iter().map(|place| place.name.as_str());
            let whole: Vec<&str> = std::iter::once(thing.name.as_str()).chain(places).collect();
            found = self.entries_that_say(&whole.join(" "), &thing.kind);
        }
        if let Some(ordinal) = thing.ordinal {
            let index = if ordinal < 0 { found.len() as i32 + ordinal } else { ordinal - 1 };
            return match usize::try_from(index).ok().and_then(|index| found.get(index)) {
                Some(one) => Located::One(*one),
                None => Located::None,
            };
        }
        if found.len() > 1 && thing.all {
            found.truncate(1);
        }
        // `the list Press` is a list, and no cell of another thing that says which lists that is on.
        let is_mentioned = |id: &ElementId| self.is_only_mentioned(*id, &thing.kind);
        if !found.is_empty() && found.iter().all(is_mentioned) && self.kind_is_elsewhere(&thing.kind) {
            return Located::None;
        }
        // What is headed so in a dialog lies over what it was opened from.
        self.keep(&mut found, |id| {
            self.node(id).is_some_and(|node| node.role == "heading")
                && self.scene.observation.ancestors(id).any(|(_, node)| is_dialog(node))
        });
        if let Some(one) = self.listed_and_opened(&found) {
            return Located::One(one);
        }
        match found.as_slice() {
            [] => Located::None,
            [only] => Located::One(*only),
            several => {
                let places: Vec<String> = several
                    .iter()
                    .take(5)
                    .map(|id| {
                        let title = self.node(*id).map(super::super::describe).unwrap_or_default();
                        match place_of(self.scene.observation, *id) {
                            place if place.is_empty() => title,
                            place => format!("{title} in \"{place}\""),
                        }
                    })
                    .collect();
                Located::Several(format!(
                    "ambiguous: {} things are {}, and nothing tells which is meant: {}",
                    several.len(),
                    thing.title(),
                    places.join("; ")
                ))
            }
        }
    }

    /// All nodes that the thing may be recognised by, one for each entry.
    pub(super) fn anchors_of(&self, thing: &Thing) -> Vec<ElementId> {
        let observation = self.scene.observation;
        let mut found = if thing.anchor().is_empty() {
            self.entries_of_kind(thing)
        } else {
            let mut named = self.called_as_a_whole(thing);
            if named.is_empty() {
                named = region::anchors_of(observation, self.scene.echoes, thing.called());
            }
            // `my quarterly review` may be called so as a whole.
            if named.is_empty() && !thing.quoted && !thing.kind.is_empty() && !thing.name.is_empty() {
                let whole = format!("{} {}", thing.name, thing.kind);
                named = region::anchors(observation, self.scene.echoes, &whole);
            }
            if named.is_empty() && !thing.is_exact() {
                named = self.entries_that_say(thing.anchor(), &thing.kind);
            }
            // `hammers`, of which the page keeps a number, are listed as Hammer.
            if named.is_empty()
                && !thing.quoted
                && let Some(singular) = words::singular(thing.anchor())
            {
                named = region::anchors(observation, self.scene.echoes, &singular);
            }
            if named.is_empty() && !thing.quoted && !thing.of.is_empty() {
                named = self.entries_of_owner(thing);
            }
            if named.is_empty() && !thing.is_exact() {
                named = self.people_by_one_name(thing);
            }
            if named.is_empty() && !thing.quoted && thing.kind.is_empty() {
                named = self.named_below_heading(thing);
            }
            if named.is_empty() && !thing.quoted {
                named = self.of_weekday(thing.anchor());
            }
            named
        };
        // What was typed, and what is offered for choice, is not there yet.
        found.retain(|id| {
            self.node(*id).is_some_and(|node| !matches!(node.role.as_str(), "textbox" | "searchbox" | "combobox"))
                && !self.is_offered(*id)
        });
        // What a label names is its control.
        let controls: Vec<&Node> =
            found.iter().filter_map(|id| self.node(*id)).filter(|node| node.is_interactive()).collect();
        let is_label_of_another = |id: &ElementId| {
            if self.node(*id).is_some_and(|node| node.allows(ActionKind::Check) || node.allows(ActionKind::Type)) {
                return false;
            }
            let around = std::iter::once((*id, self.node(*id)))
                .chain(observation.ancestors(*id).map(|(id, node)| (id, Some(node))));
            let label = around.filter_map(|(_, node)| node).find(|node| node.tag == "label");
            label.is_some_and(|label| controls.iter().any(|node| node.tag != "label" && same(&node.name, &label.text)))
        };
        found.retain(|id| !is_label_of_another(id));
        // The trail of the page repeats what its heading says.
        let is_trail =
            |node: &Node| format!("{} {}", node.name, node.attribute("class")).to_lowercase().contains("breadcrumb");
        self.keep(&mut found, |id| {
            !observation.node(id).is_some_and(is_trail)
                && !observation.ancestors(id).any(|(_, around)| is_trail(around))
        });
        // What tells entries apart may stand in them: `the request for 21 to 25 Sep`.
        let says = |id: ElementId, place: &PagePart| {
            let entry = item_of(observation, id).and_then(|entry| observation.node(entry));
            let is_person = place.name.contains(' ')
                && place.name.split(' ').all(|word| word.starts_with(char::is_uppercase))
                && self.ways_to(place.called()).is_empty()
                && !self.page_is(place.called());
            (is_person || place.name.chars().any(|sign| sign.is_ascii_digit()))
                && !place.quoted
                && self.parts_called(place.called()).is_empty()
                && entry.is_some_and(|entry| !is_dialog(entry) && holds_words(&entry.text, &place.name))
        };
        found.retain(|id| thing.places.iter().all(|place| self.is_in(*id, place) || says(*id, place)));
        if !thing.of.is_empty() && !thing.name.is_empty() {
            // In the entry of a named thing a first name says enough, unless it is quoted.
            let is_theirs = |text: &str| {
                let rest = text.trim().strip_prefix(thing.of.as_str()).and_then(|rest| rest.strip_prefix(' '));
                rest.is_some_and(|rest| !rest.contains(' ') && rest.starts_with(char::is_uppercase))
            };
            let entry_says = |id: ElementId| {
                let entry = item_of(observation, id)
                    .filter(|entry| observation.node(*entry).is_some_and(|entry| !is_dialog(entry)));
                entry.is_some_and(|entry| {
                    let mut within = observation.elements().filter(|(_, node)| is_theirs(&node.text));
                    within.any(|(id, _)| Region::Subtree(entry).holds(observation, id))
                })
            };
            // `the map of the harbour` is called so as a whole.
            let says_both = |id: ElementId| {
                self.node(id).is_some_and(|node| {
                    [&node.text, &node.name]
                        .into_iter()
                        .any(|label| thing.is_whole_name(label) && holds_words(label, &thing.of))
                })
            };
            found.retain(|id| {
                says_both(*id)
                    || (!thing.of_quoted && entry_says(*id))
                    || region::records(observation, *id).iter().any(|region| self.region_says(region, &thing.of))
            });
        }
        // Of several entries, the one that says the place itself: `the ticket for Sunday` among those of a basket.
        for place in &thing.places {
            self.keep(&mut found, |id| {
                let entry = item_of(observation, id).unwrap_or(id);
                observation.node(entry).is_some_and(|node| !is_dialog(node) && holds_words(&node.text, &place.name))
            });
        }
        self.keep(&mut found, |id| {
            item_of(observation, id).is_some() || self.node(id).is_some_and(|node| node.role == "option")
        });
        if found.len() > 1 && !thing.kind.is_empty() {
            self.keep(&mut found, |id| self.is_of_kind(id, &thing.kind));
        }
        found.retain(|id| !self.is_another_kind(*id, thing));
        if found.len() != 1
            && let Some(told) = described::anchor_of(&self.scene, thing)
        {
            return vec![told];
        }
        // One for each entry.
        let mut items: Vec<ElementId> = Vec::new();
        found.retain(|id| {
            let item = item_of(observation, *id)
                .filter(|_| !self.node(*id).is_some_and(|node| is_item(node) && !is_dialog(node)))
                .filter(|item| observation.node(*item).is_some_and(|node| !is_dialog(node)))
                .map_or(*id, |item| region::part_of_item(observation, *id, item).unwrap_or(item));
            let is_new = !items.contains(&item)
                && !items
                    .iter()
                    .any(|other| observation.ancestors(*id).any(|(around, _)| around == *other) && *other == item);
            items.push(item);
            is_new
        });
        found
    }

    /// What shows all that an instruction says of a thing as one name: `the map of the harbour`; the innermost of those that do.
    fn called_as_a_whole(&self, thing: &Thing) -> Vec<ElementId> {
        let observation = self.scene.observation;
        let is_shown = |id: ElementId| !self.scene.echoes.get(id.index()).copied().unwrap_or(false);
        let called = |node: &Node| thing.is_whole_name(&node.text) || thing.is_whole_name(&node.name);
        let all: Vec<ElementId> =
            self.scene.elements().filter(|(id, node)| is_shown(*id) && called(node)).map(|(id, _)| id).collect();
        let holds_other =
            |id: &ElementId| all.iter().any(|other| observation.ancestors(*other).any(|(around, _)| around == *id));
        all.iter().filter(|id| !holds_other(id)).copied().collect()
    }

    /// Whether an element is a value that a list offers for choice; in a list of its own that nothing unfolds it is an entry.
    fn is_offered(&self, element: ElementId) -> bool {
        let observation = self.scene.observation;
        if self.node(element).is_none_or(|node| node.role != "option") {
            return false;
        }
        let list = observation.ancestors(element).find(|(_, node)| node.role == "listbox").map(|(_, node)| node);
        let is_unfolded =
            || observation.nodes.iter().any(|node| node.states.expanded == Some(true) && seek::opens_values(node));
        list.is_none_or(|list| list.name.is_empty() || list.tag == "select") || is_unfolded()
    }

    /// Keeps those of which something is true, if it is of any.
    pub(super) fn keep(&self, found: &mut Vec<ElementId>, is_true: impl Fn(ElementId) -> bool) {
        if found.len() > 1 && found.iter().any(|id| is_true(*id)) {
            found.retain(|id| is_true(*id));
        }
    }

    pub(super) fn region_says(&self, region: &Region, text: &str) -> bool {
        let shown = region::anchors(self.scene.observation, self.scene.echoes, text);
        shown.iter().any(|id| region.holds(self.scene.observation, *id))
    }

    /// What shows whose a thing is, where the page calls things of the list, and no entry of it, what the instruction calls the thing:
    /// `the swap request of Ann` in a list of swap requests.
    fn entries_of_owner(&self, thing: &Thing) -> Vec<ElementId> {
        let observation = self.scene.observation;
        let called = format!("{} {}", thing.name, thing.kind);
        let wanted = telling_words(&called);
        let speaks = |text: &str| {
            let words = tokens(text);
            wanted.iter().all(|word| words.iter().any(|other| same_word(word, other)))
        };
        let is_of_list = |id: ElementId| {
            let before = observation.elements().take_while(|(other, _)| *other != id);
            let heading = before.filter(|(_, node)| node.role == "heading").last();
            heading.is_some_and(|(_, node)| speaks(&node.text))
                || observation.ancestors(id).any(|(_, node)| speaks(&node.name))
        };
        let mut shown = region::anchors(observation, self.scene.echoes, &thing.of);
        shown.retain(|id| is_of_list(*id));
        shown
    }

    /// `my Thursday booking`: the dates of that weekday, in entries that have commands where any of them has.
    fn of_weekday(&self, name: &str) -> Vec<ElementId> {
        let is_weekday = moment::weekday(&name.to_lowercase()).is_some();
        let is_date = |node: &Node| {
            let said = tokens(&node.text);
            said.first().is_some_and(|first| *first == name.to_lowercase())
                && said.len() > 1
                && node.text.len() < 40
                && node.text.contains(|sign: char| sign.is_ascii_digit())
        };
        let mut found: Vec<ElementId> =
            self.scene.elements().filter(|(_, node)| is_weekday && is_date(node)).map(|(id, _)| id).collect();
        let has_commands = |id: ElementId| {
            let entry = self.spot(id).into_iter().next();
            entry.is_some_and(|entry| {
                self.scene.elements().any(|(id, node)| node.role == "button" && entry.holds(self.scene.observation, id))
            })
        };
        self.keep(&mut found, has_commands);
        found
    }

    /// The regions that belong to a thing.
    pub(super) fn spot(&self, anchor: ElementId) -> Vec<Region> {
        let observation = self.scene.observation;
        // An entry of a list of choices is chosen first, by whatever stands beside the list.
        if observation.node(anchor).is_some_and(|node| is_item(node) || node.role == "option") {
            return vec![Region::Subtree(anchor)];
        }
        region::records(observation, anchor)
    }

    /// Whether an element stands in a place that the instruction names.
    pub(super) fn is_in(&self, element: ElementId, place: &PagePart) -> bool {
        if place.quoted {
            return stands_in(&self.scene, element, place) || self.page_is(place.called());
        }
        let is_page = place
            .name
            .split(' ')
            .next_back()
            .is_some_and(|last| matches!(last, "page" | "app" | "application" | "screen" | "site" | "website"));
        if is_page && self.page_is(place.called()) {
            return true;
        }
        match self.parts_called(place.called()).as_slice() {
            // What is put aside on the page of the cart is not in the cart.
            [] if self.is_set_aside(element, &place.name) => false,
            // The whole page may be it. Words that tell no part from another, such as `my list`, say nothing.
            [] => {
                // The page of the security settings may be called `Security`.
                let bare =
                    [" settings", " preferences", " options"].iter().find_map(|ending| place.name.strip_suffix(ending));
                self.page_is(place.called())
                    || bare.is_some_and(|bare| self.page_is(Name::plain(bare)))
                    || self.headings_say(element, &place.name)
                    || is_general_part(&place.name)
                    || self.is_application(place)
                    || self.address_speaks_of(&place.name)
                    || self.is_in_cell_of(element, &place.name)
            }
            parts => parts.iter().any(|region| region.holds(self.scene.observation, element)),
        }
    }

    /// Whether a place is a word for all that an application keeps, and no part of this one is called so: `my address book`.
    fn is_application(&self, place: &PagePart) -> bool {
        const KEEPING: [&str; 9] = [
            "inventory",
            "catalogue",
            "catalog",
            "address book",
            "phone book",
            "contacts",
            "directory",
            "contact list",
            "member list",
        ];
        // What is picked, ordered or thrown away stands apart from it.
        const APART: [&str; 9] =
            ["cart", "basket", "bag", "order", "wishlist", "favourites", "favorites", "trash", "archive"];
        let name = place.name.to_lowercase();
        KEEPING.contains(&name.as_str())
            && !place.quoted
            && self.ways_to(place.called()).is_empty()
            && !APART.iter().any(|part| self.page_speaks_of(part))
    }

    /// Whether an element stands in the entry that a place names by kind and number: `for room 204`.
    pub(super) fn stands_in_entry_of(&self, element: ElementId, place: &PagePart) -> bool {
        let entry = item_of(self.scene.observation, element).and_then(|entry| self.node(entry));
        let is_numbered = place.name.chars().any(|sign| sign.is_ascii_digit()) && !place.kind.is_empty();
        let called = format!("{} {}", place.kind, place.name);
        is_numbered && entry.is_some_and(|entry| !is_dialog(entry) && holds_words(&entry.text, &called))
    }

    /// Whether a place is on this page: as a part, or as the page itself.
    pub(super) fn shows_place(&self, place: &PagePart) -> bool {
        self.page_is(place.called()) || !self.parts_called(place.called()).is_empty()
    }

    /// The parts of the page that are called so.
    pub(super) fn parts_called(&self, name: Name<'_>) -> Vec<Region> {
        let observation = self.scene.observation;
        let is_part_name =
            |node: &Node| node.role == "heading" || matches!(node.tag.as_str(), "legend" | "caption" | "summary");
        let is_called = |label: &str| name.is_label(label) || is_title_of_number(label, name.text);
        let is_main_heading = |node: &Node| node.tag == "h1";
        let mut found: Vec<Region> = Vec::new();
        for (id, node) in self.scene.elements() {
            let in_navigation = matches!(node.role.as_str(), "navigation" | "menu" | "menubar" | "tablist");
            if is_group(node) && !in_navigation && is_called(&node.name) {
                found.push(Region::Subtree(id));
            } else if is_part_name(node) && !is_main_heading(node) && is_called(node.label()) {
                found.extend(region::records(observation, id));
            }
        }
        if found.is_empty() {
            // A column of a board may be called by a plain text with the number of its cards.
            found.extend(numbered::counted_parts(observation, name.text).into_iter().map(Region::Subtree));
        }
        found
    }

    /// Whether the page as a whole is called so: by its title, its main heading, its address or what is marked as current.
    pub(super) fn page_is(&self, name: Name<'_>) -> bool {
        let observation = self.scene.observation;
        let is_called = |label: &str| name.is_label(label);
        let of_title = is_title(&observation.title, name);
        let of_page = self.scene.elements().any(|(_, node)| {
            let is_current = matches!(node.attribute("aria-current"), "page" | "true" | "location")
                || (node.role == "tab" && node.states.selected == Some(true));
            (node.tag == "h1" || is_current) && is_called(node.label())
        });
        let here =
            |address: &str| address.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/').to_owned();
        let leads_here = |node: &Node| {
            let href = node.attribute("href");
            let full = if href.starts_with('/') {
                here(&observation.url).ends_with(&here(href)) && here(href).len() > 1
            } else {
                here(href) == here(&observation.url)
            };
            // Pages of one address may be told apart by the query alone: `?folder=archive`.
            let query = |address: &str| {
                let (_, query) = address.split('#').next()?.split_once('?')?;
                Some(query.to_owned())
            };
            let asks_alike =
                !href.contains('?') || query(href).unwrap_or_default() == query(&observation.url).unwrap_or_default();
            !href.is_empty() && !href.starts_with('#') && full && asks_alike
        };
        if self.scene.elements().any(|(_, node)| node.role == "link" && leads_here(node) && is_called(node.label())) {
            return true;
        }
        let path = observation.url.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        let last = path.rsplit('/').next().unwrap_or_default();
        of_title
            || of_page
            || is_called(&self.memory.arrived)
            || (path.matches('/').count() > 2 && is_called(&last.replace('-', " ")))
    }

    /// The ways in sight that lead to a place that is called so.
    pub(super) fn ways_to(&self, name: Name<'_>) -> Vec<ElementId> {
        self.scene
            .elements()
            .filter(|(id, node)| self.is_way(*id, node) && name.is_label(node.label()))
            .map(|(id, _)| id)
            .collect()
    }

    /// Whether the page speaks of what is wanted in what people read first: title, headings.
    pub(super) fn page_speaks_of(&self, wanted: &str) -> bool {
        let observation = self.scene.observation;
        speaks_of(&observation.title, wanted)
            || self.scene.elements().any(|(_, node)| node.role == "heading" && speaks_of(&node.text, wanted))
    }

    /// Whether the page is, by its address, that of one of a kind which a place names alone: `from the course` on `/courses/12/people`.
    fn address_speaks_of(&self, place: &str) -> bool {
        let path = self.scene.observation.url.split(['?', '#']).next().unwrap_or_default();
        let parts: Vec<&str> = path.split('/').skip(3).filter(|part| !part.is_empty()).collect();
        let is_one =
            |pair: &[&str]| same_concept(pair[0], place) && pair[1].contains(|sign: char| sign.is_ascii_digit());
        kind_of(place).is_some() && parts.windows(2).any(is_one)
    }

    /// A key by which an element is remembered as tried.
    pub(super) fn tried_key(&self, element: ElementId) -> String {
        self.node(element).map(seek::key).unwrap_or_default()
    }
}

/// Whether a title is that of the thing with a number: `Order 118` of 118.
fn is_title_of_number(title: &str, number: &str) -> bool {
    let words = tokens(title);
    let is_number = number.chars().any(|sign| sign.is_ascii_digit()) && !number.contains(' ');
    let (own, others): (Vec<&String>, Vec<&String>) =
        words.iter().partition(|word| word.as_str() == number.trim_start_matches('#').to_lowercase());
    is_number && own.len() == 1 && matches!(others.as_slice(), [kind] if kind_of(kind).is_some())
}
