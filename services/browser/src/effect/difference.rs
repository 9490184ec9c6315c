//! What appeared, went and changed between two observations. Pure, and cheap: nodes that both share are never looked into.

use super::ticking::{Ticking, looks_like_a_clock, without_digits};
use domain::effect::ElementChange;
use domain::observation::{Observation, RequestKind};
use domain::{ElementId, Node, PageDifference, SharedNode};
use std::collections::HashMap;

/// Characters of an entry.
const LONGEST: usize = 200;
/// Headings that are told of a page that was loaded anew.
const HEADINGS: usize = 3;

/// Nodes that have no equal on the other page, in document order.
#[derive(Default)]
struct Rest {
    old: Vec<usize>,
    new: Vec<usize>,
}

/// The difference between two observations. `target` is the element acted upon, on the page before; `ticking` is what is known
/// to change by itself.
pub(crate) fn difference(
    before: &Observation,
    after: &Observation,
    target: Option<ElementId>,
    ticking: &Ticking,
) -> PageDifference {
    let mut told = Told {
        item: target.and_then(|target| before.item(target)).or(target),
        ticking,
        found: PageDifference::default(),
    };
    told.surroundings(before, after);
    let pages = (Page::of(before), Page::of(after));
    let rest = unmatched(&pages.0, &pages.1);
    if is_replaced(before, after, &rest) {
        told.arrival(&pages.1, &rest.new);
        return told.found;
    }
    let (pairs, went, appeared) = paired(&pages.0, &pages.1, rest);
    for (old, new) in pairs {
        told.pair(&pages.0, old, &pages.1, new);
    }
    for index in told_of(&pages.0, &went) {
        told.went(pages.0.title(index));
    }
    for index in told_of(&pages.1, &appeared) {
        told.appeared(pages.1.title(index));
    }
    told.found
}

/// The pairs of texts that changed while nothing was done: what is to be known as ticking.
pub(crate) fn changed_texts(before: &Observation, after: &Observation) -> Vec<(String, String)> {
    let pages = (Page::of(before), Page::of(after));
    let rest = unmatched(&pages.0, &pages.1);
    let (pairs, ..) = paired(&pages.0, &pages.1, rest);
    let texts = |(old, new): (usize, usize)| {
        let (old, new) = (pages.0.own(old), pages.1.own(new));
        (old != new).then_some((old, new))
    };
    pairs.into_iter().filter_map(texts).collect()
}

/// One observation with what is asked of its nodes again and again.
struct Page<'a> {
    nodes: Vec<&'a SharedNode>,
    is_parent: Vec<bool>,
}

impl<'a> Page<'a> {
    fn of(observation: &'a Observation) -> Page<'a> {
        let nodes: Vec<&SharedNode> = observation.nodes.shared().collect();
        let mut is_parent = vec![false; nodes.len()];
        for parent in nodes.iter().filter_map(|node| node.parent) {
            if let Some(is_parent) = is_parent.get_mut(parent.index()) {
                *is_parent = true;
            }
        }
        Page { nodes, is_parent }
    }

    fn node(&self, index: usize) -> &Node {
        self.nodes[index]
    }

    /// What a node says beside what stands in the nodes within it. What was cut cannot be told apart and says nothing.
    fn own(&self, index: usize) -> String {
        let node = self.node(index);
        if !self.is_parent[index] {
            return node.text.clone();
        }
        if node.text.chars().count() >= LONGEST {
            return String::new();
        }
        let mut own = node.text.clone();
        for child in &self.nodes[index + 1..] {
            let Some(parent) = child.parent else { break };
            if parent.index() < index {
                break;
            }
            if parent.index() == index && !child.text.is_empty() {
                own = own.replacen(&child.text, " ", 1);
            }
        }
        own.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// What an entry says of a node: `role "name"`, or its text; empty where it has neither.
    fn title(&self, index: usize) -> String {
        let node = self.node(index);
        let is_plain = matches!(node.role.as_str(), "" | "text" | "generic" | "paragraph" | "none" | "presentation");
        let is_message = matches!(node.role.as_str(), "alert" | "status" | "log");
        if (!is_plain || node.is_interactive()) && !is_message && !node.label().is_empty() {
            let is_container = self.is_parent[index] && node.name.is_empty() && !node.is_interactive();
            return if is_container { self.own(index) } else { titled(node) };
        }
        let own = self.own(index);
        if is_message && !own.is_empty() { format!("{} \"{own}\"", node.role) } else { own }
    }
}

/// `role "name"`.
fn titled(node: &Node) -> String {
    let role = if node.role.is_empty() || node.role == "generic" { &node.tag } else { &node.role };
    let label = [node.label(), &node.context, node.attribute("id"), &node.icon];
    match label.into_iter().find(|label| !label.is_empty()) {
        Some(label) => format!("{role} \"{label}\""),
        None => role.clone(),
    }
}

/// Whether two nodes say the same, wherever they stand.
fn says_the_same(old: &SharedNode, new: &SharedNode) -> bool {
    old.is_same(new) || content(old) == content(new)
}

type Content<'a> = (u32, [&'a str; 4], Option<&'a str>, [Option<bool>; 4], bool, usize, usize);

/// What a person would call different; places, focus and colours are none of it.
fn content(node: &Node) -> Content<'_> {
    let states = &node.states;
    let chosen = node.options.iter().enumerate().fold(0usize, |sum, (index, option)| {
        if option.selected { sum.wrapping_mul(31).wrapping_add(index + 1) } else { sum }
    });
    (
        node.frame,
        [&node.role, &node.tag, &node.name, &node.text],
        node.value.as_deref(),
        [states.checked, states.selected, states.expanded, states.pressed],
        states.disabled,
        chosen,
        node.options.len(),
    )
}

/// Leaves out what stands on both pages. What is moved is no difference.
fn unmatched(before: &Page<'_>, after: &Page<'_>) -> Rest {
    let (old, new) = (&before.nodes, &after.nodes);
    if old.len() == new.len() {
        let differs = |index: &usize| !says_the_same(old[*index], new[*index]);
        let places: Vec<usize> = (0..old.len()).filter(differs).collect();
        return without_moved(before, after, Rest { old: places.clone(), new: places });
    }
    let head = old.iter().zip(new).take_while(|(old, new)| says_the_same(old, new)).count();
    let most = old.len().min(new.len()) - head;
    let tail =
        old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(old, new)| says_the_same(old, new)).count();
    let rest = Rest { old: (head..old.len() - tail).collect(), new: (head..new.len() - tail).collect() };
    without_moved(before, after, rest)
}

fn without_moved(before: &Page<'_>, after: &Page<'_>, rest: Rest) -> Rest {
    let mut known: HashMap<Content<'_>, Vec<usize>> = HashMap::new();
    for index in rest.old.iter().rev() {
        known.entry(content(before.nodes[*index])).or_default().push(*index);
    }
    let is_new = |index: &usize| known.get_mut(&content(after.nodes[*index])).and_then(Vec::pop).is_none();
    let new: Vec<usize> = rest.new.into_iter().filter(is_new).collect();
    let mut old: Vec<usize> = known.into_values().flatten().collect();
    old.sort_unstable();
    Rest { old, new }
}

/// Whether another document is shown, of which only the head is told.
fn is_replaced(before: &Observation, after: &Observation, rest: &Rest) -> bool {
    let address = |page: &Observation| page.url.split('#').next().unwrap_or_default().to_owned();
    let loads = after.requests.iter().any(|request| request.kind == RequestKind::Document);
    address(before) != address(after) && (loads || rest.new.len() * 2 > after.nodes.len())
}

type Pairs = Vec<(usize, usize)>;

/// Tells which of the old nodes became which of the new ones: those at one place of the document, or alike in what their
/// authors call them. What is left went, or appeared.
fn paired(before: &Page<'_>, after: &Page<'_>, rest: Rest) -> (Pairs, Vec<usize>, Vec<usize>) {
    let mut pairs = Vec::new();
    let Rest { mut old, mut new } = rest;
    for name in [by_identity, by_path, by_build] {
        let mut known: HashMap<String, Vec<usize>> = HashMap::new();
        let mut count: HashMap<String, usize> = HashMap::new();
        for index in &old {
            known.entry(name(before, *index)).or_default().push(*index);
        }
        for index in &new {
            *count.entry(name(after, *index)).or_default() += 1;
        }
        known.retain(|name, places| !name.is_empty() && count.get(name) == Some(&places.len()));
        known.values_mut().for_each(|places| places.reverse());
        new.retain(|index| match known.get_mut(&name(after, *index)).and_then(Vec::pop) {
            Some(place) => {
                pairs.push((place, *index));
                false
            }
            None => true,
        });
        let taken: std::collections::HashSet<usize> = pairs.iter().map(|(old, _)| *old).collect();
        old.retain(|index| !taken.contains(index));
    }
    pairs.sort_unstable_by_key(|(_, new)| *new);
    (pairs, old, new)
}

fn by_identity(page: &Page<'_>, index: usize) -> String {
    let node = page.node(index);
    match (node.attribute("id"), node.name.as_str()) {
        ("", "") => String::new(),
        ("", name) if node.is_interactive() => format!("{} {} {name}", node.frame, node.role),
        ("", _) => String::new(),
        (id, _) => format!("{} {} #{id}", node.frame, node.tag),
    }
}

fn by_path(page: &Page<'_>, index: usize) -> String {
    let node = page.node(index);
    let is_known = !node.xpath.is_empty() && node.attribute("id").is_empty();
    if is_known { format!("{} {} {}", node.frame, node.role, node.xpath) } else { String::new() }
}

/// The tag and class of a node and of those around it: what an author wrote for one place of a page.
fn by_build(page: &Page<'_>, index: usize) -> String {
    let node = page.node(index);
    if node.is_interactive() || !node.attribute("id").is_empty() {
        return String::new();
    }
    let mut name = format!("{}", node.frame);
    let mut next = Some(index);
    for _ in 0..3 {
        let Some(node) = next.map(|index| page.node(index)) else { break };
        name.extend([" ", &node.role, "|", &node.tag, "|", node.attribute("id"), "|", node.attribute("class")]);
        next = node.parent.map(ElementId::index);
    }
    name
}

/// Of nodes that all came or went, those that say more than what they stand in.
fn told_of(page: &Page<'_>, places: &[usize]) -> Vec<usize> {
    let is_told = |index: &&usize| {
        let node = page.node(**index);
        let parent = node.parent.map(ElementId::index).filter(|parent| places.binary_search(parent).is_ok());
        let title = page.title(**index);
        let repeats = parent.is_some_and(|parent| {
            let above = page.node(parent);
            !node.is_interactive()
                && (above.name == node.text || (above.text == node.text && !page.title(parent).is_empty()))
        });
        !title.is_empty() && !repeats
    };
    places.iter().filter(is_told).copied().collect()
}

struct Told<'a> {
    /// The item that was acted upon: what it shows is told, be it a clock.
    item: Option<ElementId>,
    ticking: &'a Ticking,
    found: PageDifference,
}

impl Told<'_> {
    fn appeared(&mut self, entry: String) {
        note(&mut self.found.appeared, &mut self.found.more, short(&entry));
    }

    fn went(&mut self, entry: String) {
        note(&mut self.found.went, &mut self.found.more, short(&entry));
    }

    fn change(&mut self, of: &str, from: &str, to: &str) {
        let change = ElementChange { of: short(of), from: short(from), to: short(to) };
        note(&mut self.found.changed, &mut self.found.more, change);
    }

    /// The address, the title, dialogs, tabs and downloads.
    fn surroundings(&mut self, before: &Observation, after: &Observation) {
        if before.url != after.url {
            self.change("address", &before.url, &after.url);
        }
        if before.title != after.title && !self.ticking.knows(&before.title, &after.title) {
            self.change("title", &before.title, &after.title);
        }
        if before.dialog != after.dialog {
            let entry = |dialog: &domain::observation::Dialog| format!("dialog \"{}\"", dialog.message);
            before.dialog.iter().for_each(|dialog| self.went(entry(dialog)));
            after.dialog.iter().for_each(|dialog| self.appeared(entry(dialog)));
        }
        if before.tabs.len() < after.tabs.len() {
            let known = |url: &str| before.tabs.iter().any(|tab| tab.url == url);
            after
                .tabs
                .iter()
                .filter(|tab| !known(&tab.url))
                .for_each(|tab| self.appeared(format!("tab \"{}\"", tab.url)));
        }
        after.downloads.iter().for_each(|name| self.appeared(format!("download \"{name}\"")));
    }

    /// Of a page that was loaded: what it is headed with, and what it tells.
    fn arrival(&mut self, page: &Page<'_>, new: &[usize]) {
        let is_heading = |index: &&usize| page.node(**index).role == "heading";
        let headings = new.iter().filter(is_heading).take(HEADINGS);
        let messages = new.iter().filter(|index| is_message(page.node(**index)));
        for index in headings.chain(messages) {
            self.appeared(page.title(*index));
        }
    }

    fn pair(&mut self, before: &Page<'_>, at: usize, after: &Page<'_>, then: usize) {
        let (old, new) = (before.node(at), after.node(then));
        let of = titled(old);
        if old.value != new.value {
            let value = |node: &Node| node.value.clone().unwrap_or_default();
            self.change(&of, &value(old), &value(new));
        } else if chosen(old) != chosen(new) {
            self.change(&of, &chosen(old), &chosen(new));
        } else if old.options.len() != new.options.len() {
            let count = |node: &Node| format!("{} options", node.options.len());
            self.change(&of, &count(old), &count(new));
        }
        for (was, is) in states(old).into_iter().zip(states(new)) {
            if was != is {
                self.change(&of, was, is);
            }
        }
        let (was, is) = if old.name != new.name && !(old.name.is_empty() || new.name.is_empty()) {
            (old.name.clone(), new.name.clone())
        } else {
            (before.own(at), after.own(then))
        };
        if was == is || old.value.is_some() || new.value.is_some() || self.ticks(before, at, &was, &is) {
            return;
        }
        if was.is_empty() {
            self.appeared(after.title(then));
        } else if is.is_empty() {
            self.went(before.title(at));
        } else {
            let of = if old.name.is_empty() || old.name == old.text { place(old) } else { of };
            self.change(&of, &was, &is);
        }
    }

    /// Whether a text changed by itself: a clock outside of what was acted upon, or what ticked before.
    fn ticks(&self, page: &Page<'_>, at: usize, was: &str, is: &str) -> bool {
        if without_digits(was) != without_digits(is) {
            return false;
        }
        let is_own = || {
            let mut next = Some(at);
            std::iter::from_fn(|| {
                let index = next?;
                next = page.node(index).parent.map(ElementId::index);
                Some(index)
            })
            .any(|index| self.item.is_some_and(|item| item.index() == index))
        };
        self.ticking.knows(was, is) || (looks_like_a_clock(was) && looks_like_a_clock(is) && !is_own())
    }
}

/// Where a text stands, when the text itself is what changed.
fn place(node: &Node) -> String {
    let role = if node.role.is_empty() || node.role == "generic" { &node.tag } else { &node.role };
    match [node.attribute("id"), node.context.as_str()].into_iter().find(|name| !name.is_empty()) {
        Some(name) => format!("{role} \"{name}\""),
        None => role.clone(),
    }
}

/// Whether an element is there to tell something.
pub(super) fn is_message(node: &Node) -> bool {
    matches!(node.role.as_str(), "alert" | "status" | "log" | "alertdialog" | "dialog")
        || matches!(node.attribute("aria-live"), "polite" | "assertive")
}

fn chosen(node: &Node) -> String {
    let chosen: Vec<&str> =
        node.options.iter().filter(|option| option.selected).map(|option| option.label.as_str()).collect();
    chosen.join(", ")
}

/// The states of a control in words; empty where one does not apply.
fn states(node: &Node) -> [&'static str; 5] {
    let word = |state: Option<bool>, on, off| match state {
        Some(true) => on,
        Some(false) => off,
        None => "",
    };
    let states = &node.states;
    [
        word(states.checked, "checked", "unchecked"),
        word(states.selected, "selected", "not selected"),
        word(states.expanded, "expanded", "collapsed"),
        word(states.pressed, "pressed", "not pressed"),
        if states.disabled { "disabled" } else { "enabled" },
    ]
}

fn note<T>(list: &mut Vec<T>, more: &mut u32, entry: T) {
    if list.len() < PageDifference::MOST {
        list.push(entry);
    } else {
        *more += 1;
    }
}

fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST - 1) {
        Some((end, _)) if text.chars().count() > LONGEST => format!("{}…", &text[..end]),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
