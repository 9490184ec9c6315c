//! Computes what appeared, disappeared and changed between two observations. Pure, and cheap: nodes shared by both are
//! skipped.

mod pages;

use super::ticking::{Ticking, looks_like_a_clock, without_digits};
use domain::effect::ElementChange;
use domain::observation::{Observation, RequestKind};
use domain::text::shorten;
use domain::{ElementId, Node, PageDifference};
use pages::{Page, Unmatched, paired, titled, unmatched};

/// Longest entry in characters, before the ellipsis of a cut.
const LONGEST: usize = 200;
/// Headings reported of a newly loaded page.
const HEADINGS: usize = 3;

/// The difference between two observations. `target` is the element acted upon, in the earlier one; `ticking` holds
/// texts known to change on their own.
pub(crate) fn difference(
    before: &Observation,
    after: &Observation,
    target: Option<ElementId>,
    ticking: &Ticking,
) -> PageDifference {
    let mut told = DifferenceBuilder {
        item: target.and_then(|target| before.item(target)).or(target),
        ticking,
        found: PageDifference::default(),
    };
    told.surroundings(before, after);
    let pages = (Page::of(before), Page::of(after));
    let unmatched_nodes = unmatched(&pages.0, &pages.1);
    if is_replaced(before, after, &unmatched_nodes) {
        told.arrival(&pages.1, &unmatched_nodes.new);
        return told.found;
    }
    let (pairs, went, appeared) = paired(&pages.0, &pages.1, unmatched_nodes);
    for (old, new) in pairs {
        told.pair(&pages.0, old, &pages.1, new);
    }
    for index in told_of(&pages.0, &went) {
        told.disappeared(pages.0.title(index));
    }
    for index in told_of(&pages.1, &appeared) {
        told.appeared(pages.1.title(index));
    }
    told.found
}

/// Pairs of texts that changed while no action ran, for [`Ticking`] to learn.
pub(crate) fn changed_texts(before: &Observation, after: &Observation) -> Vec<(String, String)> {
    let pages = (Page::of(before), Page::of(after));
    let unmatched_nodes = unmatched(&pages.0, &pages.1);
    let (pairs, ..) = paired(&pages.0, &pages.1, unmatched_nodes);
    let texts = |(old, new): (usize, usize)| {
        let (old, new) = (pages.0.own(old), pages.1.own(new));
        (old != new).then_some((old, new))
    };
    pairs.into_iter().filter_map(texts).collect()
}

/// Whether the page was replaced by another document, of which only the headings are reported.
fn is_replaced(before: &Observation, after: &Observation, unmatched_nodes: &Unmatched) -> bool {
    let address = |page: &Observation| page.url.split('#').next().unwrap_or_default().to_owned();
    let loads = after.requests.iter().any(|request| request.kind == RequestKind::Document);
    address(before) != address(after) && (loads || unmatched_nodes.new.len() * 2 > after.nodes.len())
}

/// Of nodes that all appeared or all disappeared, those that say more than their parents.
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

struct DifferenceBuilder<'a> {
    /// The item that contains the target: changes in it are reported even if they look like a clock.
    item: Option<ElementId>,
    ticking: &'a Ticking,
    found: PageDifference,
}

impl DifferenceBuilder<'_> {
    fn appeared(&mut self, entry: String) {
        note(&mut self.found.appeared, &mut self.found.more, shorten(&entry, LONGEST));
    }

    fn disappeared(&mut self, entry: String) {
        note(&mut self.found.went, &mut self.found.more, shorten(&entry, LONGEST));
    }

    fn change(&mut self, of: &str, from: &str, to: &str) {
        let change = ElementChange { of: shorten(of, LONGEST), from: shorten(from, LONGEST), to: shorten(to, LONGEST) };
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
            before.dialog.iter().for_each(|dialog| self.disappeared(entry(dialog)));
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

    /// Reports a newly loaded page: its headings and messages.
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
            self.disappeared(before.title(at));
        } else {
            let of = if old.name.is_empty() || old.name == old.text { place(old) } else { of };
            self.change(&of, &was, &is);
        }
    }

    /// Whether a text changed on its own: a clock outside the target's item, or a text that ticked before.
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

/// Names the element of a text, for when the text itself is what changed.
fn place(node: &Node) -> String {
    let role = if node.role.is_empty() || node.role == "generic" { &node.tag } else { &node.role };
    match [node.attribute("id"), node.context.as_str()].into_iter().find(|name| !name.is_empty()) {
        Some(name) => format!("{role} \"{name}\""),
        None => role.clone(),
    }
}

/// Whether an element exists to show messages.
pub(super) fn is_message(node: &Node) -> bool {
    matches!(node.role.as_str(), "alert" | "status" | "log" | "alertdialog" | "dialog")
        || matches!(node.attribute("aria-live"), "polite" | "assertive")
}

fn chosen(node: &Node) -> String {
    let chosen: Vec<&str> =
        node.options.iter().filter(|option| option.selected).map(|option| option.label.as_str()).collect();
    chosen.join(", ")
}

/// The states of a control in words; empty for each that does not apply.
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

#[cfg(test)]
mod tests;
