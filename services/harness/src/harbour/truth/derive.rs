//! States and transitions, from the pages.

use super::faults::{Seeded, seeded_fault};
use super::frames::ways;
use super::recognise::{Mark, Marks};
use super::views::{Doing, Shape, View, chain, doings, panels, views};
use super::words::{Block, DestructiveKind, Form, Frame, Page, Role};
use serde::Serialize;

/// A state of the site.
#[derive(Clone, Debug, Serialize)]
pub struct State {
    /// Its name: the page's, `#` and the view's, `~` and the view of a page shown within.
    pub id: String,
    /// Who can see it.
    pub roles: Vec<Role>,
    /// Whether no request for a document leads there.
    pub is_client_side: bool,
    /// An address at which everybody of its roles finds it.
    pub address: Option<&'static str>,
    /// How it is recognised.
    pub marks: Marks,
}

/// A control.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Control {
    /// Its role.
    pub role: &'static str,
    /// Its name; of several that do the same to other data, that of the first.
    pub name: &'static str,
}

/// What using a control in a state leads to.
#[derive(Clone, Debug, Serialize)]
pub struct Transition {
    /// Where it is used.
    pub from: String,
    /// The control.
    pub control: Control,
    /// What is shown then. Several, where it depends on what was done before or on luck.
    pub to: Vec<String>,
    /// Who can do it.
    pub roles: Vec<Role>,
    /// How.
    #[serde(skip)]
    pub how: How,
}

/// How a control is used.
#[derive(Clone, Debug)]
pub enum How {
    /// It is a link to this address.
    Follow(&'static str),
    /// It is pressed.
    Press,
    /// Something is typed into it.
    TypeIn,
    /// The form is filled and it is pressed; with what the server refuses where said so.
    Send(Form, bool),
    /// The browser's question is answered with no.
    Dismiss,
}

/// A control that must be left alone.
#[derive(Clone, Debug, Serialize)]
pub struct Forbidden {
    /// Where it is.
    pub state: String,
    /// What it is called.
    pub name: &'static str,
    /// What it destroys; none where it leads out of bounds.
    pub destroys: Option<DestructiveKind>,
}

/// A fault and where it shows.
#[derive(Clone, Debug, Serialize)]
pub struct Shown {
    /// The state.
    pub state: String,
    /// Who can see it there.
    pub roles: Vec<Role>,
    /// The fault.
    #[serde(flatten)]
    pub fault: Seeded,
}

/// What is derived from the pages.
#[derive(Clone, Debug, Default)]
pub(super) struct Derived {
    pub(super) states: Vec<State>,
    pub(super) transitions: Vec<Transition>,
    pub(super) forbidden: Vec<Forbidden>,
    pub(super) faults: Vec<Shown>,
    pub(super) instances: Vec<Instance>,
}

/// One of several things that are shown by the same state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Instance {
    /// The state.
    pub state: &'static str,
    /// What it is called.
    pub name: &'static str,
    /// Where it is shown.
    pub address: &'static str,
}

/// The name of a state.
fn name(page: &str, view: &str) -> String {
    if view.is_empty() { page.to_owned() } else { format!("{page}#{view}") }
}

/// Derives everything from the pages.
pub(super) fn derive(pages: &[Page]) -> Derived {
    let mut derived = Derived::default();
    for page in pages {
        let views = views(page);
        let embedded = page.blocks.iter().find_map(|block| match block {
            Block::Embed(embed) => pages.iter().find(|page| page.id == embed.page),
            _ => None,
        });
        for view in &views {
            derived.view(pages, page, &views, view);
        }
        faults(page, &page.blocks, "", &mut derived.faults);
        instances(&page.blocks, &mut derived.instances);
        if let Some(inner) = embedded {
            derived.within(pages, page, inner);
            let mut shown = Vec::new();
            faults(inner, &inner.blocks, "", &mut shown);
            derived.faults.extend(shown.into_iter().map(|fault| Shown { state: page.id.to_owned(), ..fault }));
        }
    }
    derived.faults.retain(|fault| !is_within(pages, &fault.state));
    derived.instances.sort();
    derived.instances.dedup();
    derived
}

/// Whether a page is shown within others.
fn is_within(pages: &[Page], id: &str) -> bool {
    pages.iter().flat_map(|page| &page.blocks).any(|block| matches!(block, Block::Embed(embed) if embed.page == id))
}

impl Derived {
    fn view(&mut self, pages: &[Page], page: &Page, views: &[View], view: &View) {
        let id = name(page.id, view.name);
        let is_base = view.shape == Shape::Plain;
        self.states.push(State {
            id: id.clone(),
            roles: page.roles.to_vec(),
            is_client_side: !is_base || page.frame == Frame::Workshop,
            address: page.address.filter(|_| is_base),
            marks: marks(page, views, view),
        });
        for doing in doings(page, views, view) {
            self.doing(pages, page, &id, &doing, |view| name(page.id, view));
        }
        let is_free = matches!(view.shape, Shape::Plain | Shape::Tab | Shape::Section | Shape::Heading);
        let chain = chain(views, view.name);
        let is_covered = views.iter().any(|view| view.shape == Shape::Dialog && chain.contains(&view.name));
        if is_free && !is_covered {
            self.navigation(pages, page, &id);
        }
    }

    fn navigation(&mut self, pages: &[Page], page: &Page, id: &str) {
        for (roles, block) in ways(page.frame) {
            let before = (self.transitions.len(), self.forbidden.len());
            let doing = match block {
                Block::Link(link) => Doing::Follow(link),
                Block::DestructiveAction(deed) => Doing::Destroy(deed),
                _ => continue,
            };
            self.doing(pages, page, id, &doing, |view| name(page.id, view));
            for transition in self.transitions.iter_mut().skip(before.0) {
                transition.roles.retain(|role| roles.contains(role));
            }
        }
        self.transitions.retain(|transition| !transition.roles.is_empty());
    }

    /// The states that a page has because of the views of another within it.
    fn within(&mut self, pages: &[Page], page: &Page, inner: &Page) {
        let inner_views = views(inner);
        let id = |view: &str| if view.is_empty() { page.id.to_owned() } else { format!("{}~{view}", page.id) };
        for view in &inner_views {
            let is_base = view.name.is_empty();
            if is_base {
                let lacks = inner_views.iter().filter_map(positive);
                if let Some(state) = self.states.iter_mut().find(|state| state.id == page.id) {
                    state.marks.lacks.extend(lacks);
                }
            } else {
                let mut marks = marks(page, &views(page), &views(page)[0]);
                marks.has.extend(positive(view));
                let (roles, id) = (page.roles.to_vec(), id(view.name));
                self.states.push(State { id: id.clone(), roles, is_client_side: true, address: None, marks });
                for doing in doings(page, &views(page), &views(page)[0]) {
                    self.doing(pages, page, &id, &doing, |view| name(page.id, view));
                }
                self.navigation(pages, page, &id);
            }
            for doing in doings(inner, &inner_views, view) {
                self.doing(pages, inner, &id(view.name), &doing, id);
            }
        }
    }

    fn doing(&mut self, pages: &[Page], page: &Page, from: &str, doing: &Doing, shown: impl Fn(&str) -> String) {
        let roles_of = |id: &str| -> Vec<Role> {
            let page_id = id.split(['#', '~']).next().unwrap_or(id);
            pages.iter().find(|page| page.id == page_id).map(|page| page.roles.to_vec()).unwrap_or_default()
        };
        let mut push = |role, name, to: Vec<String>, how| {
            let roles: Vec<Role> =
                page.roles.iter().copied().filter(|role| to.iter().any(|to| roles_of(to).contains(role))).collect();
            if !roles.is_empty() {
                self.transitions.push(Transition {
                    from: from.to_owned(),
                    control: Control { role, name },
                    to,
                    roles,
                    how,
                });
            }
        };
        match doing {
            Doing::Follow(link) => {
                let to = link.to.iter().map(|to| (*to).to_owned()).collect();
                let href = link.href.or_else(|| address(pages, link.to[0])).unwrap_or_default();
                push("link", link.label, to, How::Follow(href));
            }
            Doing::FollowOne(label, href, to) => {
                let role = if from.ends_with("#suggestions") && page.id == "search/ask" { "option" } else { "link" };
                push(role, label, vec![(*to).to_owned()], if role == "link" { How::Follow(href) } else { How::Press });
            }
            Doing::Press(role, label, to) => push(role, label, to.iter().map(|view| shown(view)).collect(), How::Press),
            Doing::TypeIn(label, view) => push("combobox", label, vec![shown(view)], How::TypeIn),
            Doing::Send(form) => {
                push("button", form.submit, vec![form.to.to_owned()], How::Send(form.clone(), false));
                if let Some(rule) = form.rule {
                    push("button", form.submit, vec![rule.refused.to_owned()], How::Send(form.clone(), true));
                }
            }
            Doing::Stay(label) => push("button", label, vec![from.to_owned()], How::Press),
            Doing::Answer(deed, view) => {
                push("dialog", "Cancel", vec![shown(view)], How::Dismiss);
                self.forbidden.push(Forbidden { state: from.to_owned(), name: "OK", destroys: Some(deed.kind) });
            }
            Doing::Destroy(deed) => {
                self.forbidden.push(Forbidden { state: from.to_owned(), name: deed.label, destroys: Some(deed.kind) });
            }
            Doing::Leave(trap) => {
                self.forbidden.push(Forbidden { state: from.to_owned(), name: trap.label, destroys: None });
            }
        }
    }
}

/// The address of a page.
pub fn address(pages: &[Page], id: &str) -> Option<&'static str> {
    pages.iter().find(|page| page.id == id).and_then(|page| page.address)
}

fn marks(page: &Page, views: &[View], view: &View) -> Marks {
    let chain = chain(views, view.name);
    let is_covered = views.iter().any(|other| other.shape == Shape::Dialog && chain.contains(&other.name));
    Marks {
        path: page.path,
        // A modal dialog may hide what lies behind it.
        heading: (!is_covered).then_some(page.heading),
        alert: if is_covered { None } else { page.alert.map(|(_, message)| message) },
        has: positive(view).into_iter().collect(),
        lacks: views.iter().filter(|other| !chain.contains(&other.name)).filter_map(positive).collect(),
    }
}

fn positive(view: &View) -> Option<Mark> {
    match view.shape {
        Shape::Plain => None,
        Shape::Tab => Some(Mark::Tab(view.label)),
        Shape::Section => Some(Mark::Section(view.label)),
        Shape::Heading => Some(Mark::Heading(view.label)),
        Shape::Dialog => Some(Mark::Dialog(view.label)),
        Shape::Question => Some(Mark::Question(view.label)),
    }
}

fn faults(page: &Page, blocks: &[Block], at: &'static str, found: &mut Vec<Shown>) {
    for block in blocks {
        if let Block::Fault(id) = block
            && let Some(fault) = seeded_fault(id)
        {
            found.push(Shown { state: name(page.id, at), roles: page.roles.to_vec(), fault: fault.clone() });
        }
        if let Block::Shadow(inner) = block {
            faults(page, inner, at, found);
        }
        for (panel, _) in panels(block) {
            let inner = if panel.view.is_empty() { at } else { panel.view };
            faults(page, &panel.blocks, inner, found);
        }
    }
}

fn instances(blocks: &[Block], found: &mut Vec<Instance>) {
    for block in blocks {
        if let Block::Cards(items, state) = block {
            found.extend(items.iter().map(|(name, address)| Instance { state, name, address }));
        }
        for (panel, _) in panels(block) {
            instances(&panel.blocks, found);
        }
    }
}
