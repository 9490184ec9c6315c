//! The views of a page: which panels are shown in each, and what can be done in it.
//!
//! One view is shown at a time. It is named by a panel; what holds that panel is shown with it, and of what else offers a
//! choice the first is shown.

use super::faults::seeded_fault;
use super::words::{Block, DestructiveAction, Form, Link, Living, Page, Panel, Trap};

/// What brings a view about, which is also how it is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The page as it comes.
    Plain,
    /// A chosen tab.
    Tab,
    /// An open section.
    Section,
    /// A heading that is not there otherwise.
    Heading,
    /// A modal dialog.
    Dialog,
    /// A question of the browser itself.
    Question,
}

/// A view of a page.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Its name; empty for the page as it comes.
    pub name: &'static str,
    /// What it is.
    pub shape: Shape,
    /// By what it is called: the name of the tab, section or dialog, or the heading.
    pub label: &'static str,
    /// The view that it is shown on top of; for the page itself, itself.
    pub parent: &'static str,
}

/// What one can do in a view.
#[derive(Clone, Debug)]
pub enum Doing {
    /// Follow a link.
    Follow(Link),
    /// Follow one of several that do the same.
    FollowOne(&'static str, &'static str, &'static str),
    /// Press something of a role and name; one of the views is shown then.
    Press(&'static str, &'static str, Vec<&'static str>),
    /// Type into a field of a name; a view is shown then.
    TypeIn(&'static str, &'static str),
    /// Send a form.
    Send(Form),
    /// Press a button of the view, which stays.
    Stay(&'static str),
    /// What must not be done.
    Destroy(DestructiveAction),
    /// Where must not be gone.
    Leave(Trap),
    /// Answer the browser's question: yes is the deed, no leads to the view.
    Answer(DestructiveAction, &'static str),
}

/// What the calendar that a date field opens is called.
pub const PICK: &str = "Pick a day";
/// What the list of suggestions is called.
pub const SUGGESTIONS: &str = "Suggestions";

/// The views of a page, the page as it comes first.
pub fn views(page: &Page) -> Vec<View> {
    let mut found = vec![View { name: "", shape: Shape::Plain, label: "", parent: "" }];
    collect(&page.blocks, "", &mut found);
    found
}

fn collect(blocks: &[Block], parent: &'static str, found: &mut Vec<View>) {
    for block in blocks {
        for (panel, shape) in panels(block) {
            if !panel.view.is_empty() {
                found.push(View { name: panel.view, shape, label: panel.label, parent });
            }
            let inner = if panel.view.is_empty() { parent } else { panel.view };
            collect(&panel.blocks, inner, found);
        }
        match block {
            Block::Suggest(field) => {
                found.push(View { name: field.view, shape: Shape::Heading, label: SUGGESTIONS, parent });
            }
            Block::Picker(field) => found.push(View { name: field.view, shape: Shape::Heading, label: PICK, parent }),
            Block::DestructiveAction(deed) => {
                if let Some((view, question)) = deed.asks {
                    found.push(View { name: view, shape: Shape::Question, label: question, parent });
                }
            }
            Block::Shadow(inner) => collect(inner, parent, found),
            _ => {}
        }
    }
}

/// The panels of a block.
pub fn panels(block: &Block) -> Vec<(&Panel, Shape)> {
    match block {
        Block::Tabs(panels) => panels.iter().map(|panel| (panel, Shape::Tab)).collect(),
        Block::Sections(panels) => panels.iter().map(|panel| (panel, Shape::Section)).collect(),
        Block::Steps(panels) => panels.iter().map(|panel| (panel, Shape::Heading)).collect(),
        Block::Dialog(_, panel) => vec![(panel, Shape::Dialog)],
        Block::Ask(ask) => {
            [Some(&ask.shown), ask.failed.as_ref()].into_iter().flatten().map(|panel| (panel, Shape::Heading)).collect()
        }
        _ => Vec::new(),
    }
}

/// The view and those that it is shown on top of, up to the page itself.
pub fn chain(views: &[View], name: &'static str) -> Vec<&'static str> {
    let mut chain = vec![name];
    let mut at = name;
    while !at.is_empty() {
        at = views.iter().find(|view| view.name == at).map_or("", |view| view.parent);
        chain.push(at);
    }
    chain
}

/// Whether a panel of a block is shown in a view, given that the block is.
pub fn is_shown(panel: &Panel, block: &Block, chain: &[&str]) -> bool {
    let others = || panels(block).iter().any(|(other, _)| !other.view.is_empty() && chain.contains(&other.view));
    if panel.view.is_empty() { !others() } else { chain.contains(&panel.view) }
}

/// What can be done in a view, without the navigation around the page.
pub fn doings(page: &Page, views: &[View], view: &View) -> Vec<Doing> {
    let chain = chain(views, view.name);
    let mut found = Vec::new();
    let modal = chain.iter().find(|name| views.iter().any(|view| view.name == **name && view.shape == Shape::Dialog));
    let reader = Reader { page, chain: &chain, view, modal: modal.copied() };
    reader.read(&page.blocks, "", modal.is_none(), &mut found);
    found
}

struct Reader<'a> {
    page: &'a Page,
    chain: &'a [&'static str],
    view: &'a View,
    /// The dialog that covers everything else.
    modal: Option<&'static str>,
}

impl Reader<'_> {
    fn read(&self, blocks: &[Block], parent: &'static str, is_open: bool, found: &mut Vec<Doing>) {
        let is_asked = self.view.shape == Shape::Question;
        for block in blocks {
            if is_open && !is_asked {
                self.controls(block, parent, found);
            }
            if let Block::DestructiveAction(deed) = block
                && deed.asks.is_some_and(|(view, _)| view == self.view.name)
            {
                found.push(Doing::Answer(deed.clone(), parent));
            }
            if let Block::Shadow(inner) = block {
                self.read(inner, parent, is_open, found);
            }
            for (panel, shape) in panels(block).into_iter().filter(|(panel, _)| is_shown(panel, block, self.chain)) {
                let is_dialog = shape == Shape::Dialog && self.modal == Some(panel.view);
                let inner = if panel.view.is_empty() { parent } else { panel.view };
                if is_dialog && !is_asked {
                    found.push(Doing::Press("button", "Close", vec![parent]));
                }
                self.read(&panel.blocks, inner, is_open || is_dialog, found);
            }
        }
    }

    fn controls(&self, block: &Block, parent: &'static str, found: &mut Vec<Doing>) {
        match block {
            Block::Link(link) => found.push(Doing::Follow(link.clone())),
            Block::Cards(items, to) => {
                found.extend(items.first().map(|(label, href)| Doing::FollowOne(label, href, to)));
            }
            Block::Form(form) => found.push(Doing::Send(form.clone())),
            Block::Tabs(panels) => {
                for panel in panels.iter().filter(|panel| !is_shown(panel, block, self.chain)) {
                    let to = if panel.view.is_empty() { parent } else { panel.view };
                    found.push(Doing::Press("tab", panel.label, vec![to]));
                }
            }
            Block::Sections(panels) => {
                for panel in panels {
                    let to = if is_shown(panel, block, self.chain) { parent } else { panel.view };
                    found.push(Doing::Press("button", panel.label, vec![to]));
                }
            }
            Block::Dialog(opener, panel) => found.push(Doing::Press("button", opener, vec![panel.view])),
            Block::Go(label, view) => found.push(Doing::Press("button", label, vec![view])),
            Block::Ask(ask) => {
                let mut to = vec![ask.shown.view];
                to.extend(ask.failed.as_ref().map(|failed| failed.view));
                found.push(Doing::Press("button", ask.label, to));
            }
            Block::Suggest(field) => {
                if self.chain.contains(&field.view) {
                    found.extend(field.items.first().map(|(label, href)| Doing::FollowOne(label, href, field.to)));
                } else {
                    found.push(Doing::TypeIn(field.label, field.view));
                }
            }
            Block::Picker(field) => {
                if self.chain.contains(&field.view) {
                    found.push(Doing::Press("button", "1", vec![parent]));
                    found.push(Doing::Stay("Next month"));
                    found.push(Doing::Stay("Choose a day"));
                } else {
                    found.push(Doing::Press("button", "Choose a day", vec![field.view]));
                }
            }
            Block::DestructiveAction(deed) => match deed.asks {
                Some((view, _)) => found.push(Doing::Press("button", deed.label, vec![view])),
                None => found.push(Doing::Destroy(deed.clone())),
            },
            Block::Trap(trap) => found.push(Doing::Leave(trap.clone())),
            Block::Still(label) => found.push(Doing::Stay(label)),
            Block::Fault(id) => found.extend(fault_button(id).map(Doing::Stay)),
            Block::Living(Living::Pager) => {
                found.push(Doing::Follow(link_here("Next page", self.page.id, "/catalogue/lanterns?page=2")));
            }
            Block::Living(Living::Month) => found.extend([
                Doing::Follow(link_here("Earlier", self.page.id, "/calendar/2026/4")),
                Doing::Follow(link_here("Later", self.page.id, "/calendar/2026/6")),
                Doing::FollowOne("1", "/calendar/2026/5/1", "calendar/day"),
            ]),
            Block::Text(_)
            | Block::Html(_)
            | Block::Embed(_)
            | Block::Shadow(_)
            | Block::Living(_)
            | Block::Steps(_) => {}
        }
    }
}

fn link_here(label: &'static str, to: &'static str, href: &'static str) -> Link {
    Link { label, to: vec![to], href: Some(href), new_tab: false }
}

/// The button that a fault has of its own.
pub fn fault_button(id: &str) -> Option<&'static str> {
    seeded_fault(id).filter(|fault| fault.id != "stock-flaky").and_then(|fault| fault.control)
}
