//! Extracts the features of a page. The rules rely on conventions of the web – roles, tags, common class names – and on
//! no particular site.

use super::super::page::{Element, Page};
use super::super::plain::folded_shapes;
use super::super::words::{Target, hash, steady, steady_name, words_of};
use super::features::{ANY, Address, Features, SAMPLE};
use std::collections::{BTreeMap, BTreeSet};

/// Class names of the frame around every page.
const FRAME_WORDS: [&str; 11] = [
    "nav",
    "navbar",
    "navigation",
    "menu",
    "header",
    "footer",
    "sidebar",
    "topbar",
    "breadcrumb",
    "breadcrumbs",
    "masthead",
];
/// Class names of pagers, whose presence depends on data.
const PAGER_WORDS: [&str; 4] = ["pagination", "pager", "paginate", "paging"];
/// Class names of validation messages.
const REFUSAL_WORDS: [&str; 6] = ["error", "errors", "invalid", "danger", "failure", "errorlist"];
/// Class names of the selected item.
const CURRENT_WORDS: [&str; 5] = ["active", "selected", "current", "open", "expanded"];

/// Number of similar siblings that make a list where no tag says so.
const MANY: usize = 3;
/// Most different labels of controls in a list; with more, the labels are data.
const CALLED: usize = 4;
/// Longest label of a control, in characters; longer ones are data.
const LONGEST_LABEL: usize = 40;

/// A control that can be clicked, selected or filled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Control {
    place: usize,
    /// Its kind.
    kind: u64,
    /// Its label; [`ANY`] where it is data.
    label: u64,
    /// Whether its presence distinguishes states.
    makes_the_state: bool,
}

/// A page with properties derived for each element.
pub(super) struct Reading<'a> {
    page: &'a Page,
    shapes: Vec<u64>,
    /// Whether the element is part of the frame around the page.
    in_frame: Vec<bool>,
    /// Whether it is in a list item, or is one.
    in_item: Vec<bool>,
    in_pager: Vec<bool>,
    /// Its form.
    form: Vec<Option<usize>>,
    /// Whether it or a descendant has text.
    speaks: Vec<bool>,
}

impl<'a> Reading<'a> {
    pub(super) fn new(page: &'a Page) -> Self {
        let count = page.elements.len();
        let mut reading = Self {
            page,
            shapes: folded_shapes(page),
            in_frame: vec![false; count],
            in_item: vec![false; count],
            in_pager: vec![false; count],
            form: vec![None; count],
            speaks: vec![false; count],
        };
        let neighbours = neighbours(page);
        for (place, element) in page.elements.iter().enumerate() {
            let of_parent = |list: &[bool]| element.parent.is_some_and(|parent| list[parent]);
            reading.in_frame[place] = of_parent(&reading.in_frame) || is_frame(page, place);
            reading.in_item[place] = of_parent(&reading.in_item) || is_item(page, place, &neighbours);
            reading.in_pager[place] = of_parent(&reading.in_pager) || is_called(element, &PAGER_WORDS);
            let outer = element.parent.and_then(|parent| reading.form[parent]);
            reading.form[place] = if element.tag == "form" { Some(place) } else { outer };
        }
        for (place, element) in page.elements.iter().enumerate().rev() {
            reading.speaks[place] |= !element.text.is_empty();
            if let (true, Some(parent)) = (reading.speaks[place], element.parent) {
                reading.speaks[parent] = true;
            }
        }
        reading
    }

    pub(super) fn features(&self) -> Features {
        let mut deeds: BTreeSet<(u64, u64)> = BTreeSet::new();
        let mut own: BTreeSet<(u64, u64)> = BTreeSet::new();
        let (controls, lists) = self.controls();
        for control in controls.iter().filter(|control| control.makes_the_state) {
            let mut found = vec![(control.kind, control.label)];
            if self.is_current(control.place) {
                let element = &self.page.elements[control.place];
                found.push((hash(&["current", &element.role]), label_of(element)));
            }
            deeds.extend(&found);
            if !self.in_frame[control.place] {
                own.extend(found);
            }
        }
        for place in 0..self.page.elements.len() {
            let found = self.forms_and_refusals(place);
            deeds.extend(&found);
            if !self.in_frame[place] {
                own.extend(found);
            }
        }
        deeds.extend(self.messages());
        deeds.extend(self.page.dialog.iter().map(|kind| (hash(&["dialog", kind]), 0)));
        let (words, shapes, headings) = self.content();
        Features {
            own: u32::try_from(own.len()).unwrap_or(u32::MAX),
            deeds: deeds.into_iter().collect(),
            address: self.page.url.as_ref().map(|url| address(&Target::of_page(url))),
            headings,
            words,
            shapes,
            lists: lists.iter().flat_map(|name| [folder(name), link(name)]).collect(),
        }
    }

    /// The controls, and the folders of which a list shows several things.
    pub(super) fn controls(&self) -> (Vec<Control>, BTreeSet<String>) {
        let mut controls = Vec::new();
        let mut lasts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut labels: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
        for (place, element) in self.page.elements.iter().enumerate().filter(|(_, element)| element.is_feasible) {
            let makes_the_state = !self.in_pager[place];
            let is_listed = self.in_item[place] && !self.in_frame[place];
            if element.is_field() {
                controls.push(Control { place, kind: field(element), label: 0, makes_the_state });
            } else if let Some(target) = self.target(element) {
                if !target.is_on_the_site() {
                    continue;
                }
                let (kind, label) = (link(&target.folder), hash(&[&target.last]));
                controls.push(Control {
                    place,
                    kind,
                    label,
                    makes_the_state: makes_the_state && !self.is_in_prose(place),
                });
                if is_listed && !target.is_at_the_top() {
                    lasts.entry(target.folder).or_default().insert(target.last);
                }
            } else {
                let (kind, label) = self.control(place);
                controls.push(Control { place, kind, label, makes_the_state });
                if self.in_item[place] && label != ANY {
                    labels.entry(kind).or_default().insert(label);
                }
            }
        }
        for control in &mut controls {
            if self.in_item[control.place] && labels.get(&control.kind).is_some_and(|labels| labels.len() > CALLED) {
                control.label = ANY;
            }
        }
        lasts.retain(|_, lasts| lasts.len() >= MANY);
        (controls, lasts.into_keys().collect())
    }

    /// The name of every control: equal for those that do the same to other data.
    pub(super) fn names(&self) -> Vec<(usize, u64)> {
        let (controls, lists) = self.controls();
        let lists: BTreeSet<u64> = lists.iter().map(|name| link(name)).collect();
        let name = |control: Control| {
            let is_listed = self.in_item[control.place] && lists.contains(&control.kind);
            let label = if is_listed { ANY } else { control.label };
            (control.place, hash(&[&control.kind.to_string(), &label.to_string()]))
        };
        controls.into_iter().map(name).collect()
    }

    /// The address template of a link, if it leads anywhere.
    fn target(&self, element: &Element) -> Option<Target> {
        let address = element.target.as_deref().filter(|_| element.tag != "form")?;
        Some(Target::of(address, self.page.url.as_ref())).filter(Target::is_somewhere)
    }

    /// Whether it is a link within running text.
    fn is_in_prose(&self, place: usize) -> bool {
        let parent = self.page.elements[place].parent.map(|parent| &self.page.elements[parent]);
        parent.is_some_and(|parent| parent.tag == "p" && !parent.text.is_empty())
    }

    /// A button, tab, or anything else that can be clicked.
    fn control(&self, place: usize) -> (u64, u64) {
        let element = &self.page.elements[place];
        let role = if element.role == "link" { "button" } else { element.role.as_str() };
        let is_called = matches!(role, "button" | "tab" | "menuitem" | "link");
        let label = if is_called { label_of(element) } else { ANY };
        (hash(&["control", role, &self.form_name(place)]), label)
    }

    fn form_name(&self, place: usize) -> String {
        self.form[place].map_or_else(String::new, |form| steady_name(&self.page.elements[form].name))
    }

    /// Whether it is the selected one of a few.
    fn is_current(&self, place: usize) -> bool {
        let element = &self.page.elements[place];
        let parent = element.parent.map(|parent| &self.page.elements[parent]);
        let holder = parent.filter(|parent| matches!(parent.tag.as_str(), "li" | "dd"));
        element.is_current
            || [Some(element), holder].into_iter().flatten().any(|element| is_called(element, &CURRENT_WORDS))
    }

    fn forms_and_refusals(&self, place: usize) -> Vec<(u64, u64)> {
        let element = &self.page.elements[place];
        let mut found = Vec::new();
        if element.tag == "form" {
            let target = element.target.as_deref().map(|target| Target::of(target, self.page.url.as_ref()));
            let target = target.unwrap_or_default();
            found.push((hash(&["form", &target.folder]), hash(&[&target.last])));
        }
        if matches!(element.role.as_str(), "dialog" | "alertdialog") {
            found.push((hash(&["modal"]), label_of(element)));
        }
        if element.is_invalid {
            found.push((hash(&["invalid"]), field(element)));
        }
        if self.speaks[place] && is_called(element, &REFUSAL_WORDS) && !element.is_feasible {
            found.push((hash(&["refusal"]), self.first_field_within(place)));
        }
        found
    }

    fn first_field_within(&self, place: usize) -> u64 {
        let behind = self.page.elements.iter().enumerate().skip(place);
        let mut within = behind.take_while(|(inner, _)| self.page.upwards(*inner).any(|above| above == place));
        within.find(|(_, element)| element.is_field()).map_or(0, |(_, element)| field(element))
    }

    /// The elements that follow each control of a form, by tag and class: validation messages appear there.
    fn messages(&self) -> Vec<(u64, u64)> {
        let mut last: BTreeMap<usize, u64> = BTreeMap::new();
        let mut found = Vec::new();
        for (place, element) in self.page.elements.iter().enumerate() {
            let Some(form) = self.form[place] else { continue };
            if element.is_field() || element.is_feasible {
                last.insert(form, if element.is_field() { field(element) } else { 0 });
            } else if !element.text.is_empty() && !matches!(element.tag.as_str(), "td" | "option" | "label" | "legend")
            {
                let after = last.get(&form).copied().unwrap_or_default();
                let looks: BTreeSet<String> = element.classes.iter().flat_map(|class| words_of(class)).collect();
                let looks: Vec<&str> = looks.iter().map(String::as_str).collect();
                found.push((hash(&["message", &element.tag, &looks.join(" ")]), after));
            }
        }
        found
    }

    /// Words, shapes and headings outside the frame.
    fn content(&self) -> (Vec<u64>, Vec<u64>, Vec<u64>) {
        let (mut words, mut shapes, mut headings) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for (place, element) in self.page.elements.iter().enumerate().filter(|(place, _)| !self.in_frame[*place]) {
            let text = steady(&element.text);
            words.extend(
                text.split(|letter: char| !letter.is_alphabetic())
                    .filter(|word| word.len() > 2)
                    .map(|word| hash(&[word])),
            );
            if element.is_heading() {
                headings.insert(label_of(element));
            }
            shapes.insert(self.shapes[place]);
        }
        let sample = |all: BTreeSet<u64>| all.into_iter().take(SAMPLE).collect();
        (sample(words), sample(shapes), headings.into_iter().collect())
    }
}

fn folder(folder: &str) -> u64 {
    hash(&["folder", folder])
}

fn link(folder: &str) -> u64 {
    hash(&["link", folder])
}

fn address(target: &Target) -> Address {
    Address {
        folder: folder(&target.folder),
        last: hash(&[&target.last]),
        varies: target.varies(),
        is_at_the_top: target.is_at_the_top(),
    }
}

fn field(element: &Element) -> u64 {
    let name = if element.name.is_empty() { steady(&element.label) } else { steady_name(&element.name) };
    hash(&["field", &element.role, &element.kind, &name])
}

fn label_of(element: &Element) -> u64 {
    let label = steady(&element.label);
    if label.chars().count() > LONGEST_LABEL { ANY } else { hash(&[&label]) }
}

fn is_called(element: &Element, words: &[&str]) -> bool {
    element.classes.iter().flat_map(|class| words_of(class)).any(|word| words.contains(&word.as_str()))
}

/// Whether an element is the page's frame, by its role or class names. Headers of articles are not.
fn is_frame(page: &Page, place: usize) -> bool {
    let element = &page.elements[place];
    if matches!(element.role.as_str(), "navigation" | "banner" | "contentinfo" | "menubar") || element.tag == "nav" {
        return true;
    }
    if matches!(element.tag.as_str(), "header" | "footer") {
        return !page
            .upwards(place)
            .any(|above| matches!(page.elements[above].tag.as_str(), "article" | "section" | "main"));
    }
    let is_block = matches!(element.tag.as_str(), "div" | "ul" | "ol" | "table" | "aside" | "section" | "td" | "dl");
    let is_named = words_of(&element.name).any(|word| FRAME_WORDS.contains(&word.as_str()));
    is_block && (is_called(element, &FRAME_WORDS) || is_named)
}

/// Whether an element is a list item: by its tag or role, or because its siblings are similar.
fn is_item(page: &Page, place: usize, neighbours: &BTreeMap<(usize, u64), usize>) -> bool {
    let element = &page.elements[place];
    if matches!(element.tag.as_str(), "li" | "dd" | "dt" | "option" | "article" | "tr" | "td")
        || matches!(element.role.as_str(), "listitem" | "option" | "article" | "treeitem" | "gridcell" | "cell" | "row")
    {
        return true;
    }
    // The fields of a form are similar siblings, but each is a field of its own.
    let Some(parent) = element.parent.filter(|_| !element.is_field() && element.tag != "label") else { return false };
    let is_in_form = matches!(page.elements[parent].tag.as_str(), "form" | "fieldset");
    !is_in_form && neighbours.get(&(parent, look_hash(element))).is_some_and(|count| *count >= MANY)
}

/// Number of siblings of each look, by parent.
fn neighbours(page: &Page) -> BTreeMap<(usize, u64), usize> {
    let mut neighbours = BTreeMap::new();
    for element in &page.elements {
        if let Some(parent) = element.parent {
            *neighbours.entry((parent, look_hash(element))).or_default() += 1;
        }
    }
    neighbours
}

fn look_hash(element: &Element) -> u64 {
    hash(&[&element.tag, &element.classes.join(" ")])
}
