//! The second version of the site, as edits of the first, and what differs between two versions.

use super::Truth;
use super::build::{field, form, link, page, panel};
use super::views::panels;
use super::words::{Block, Form, Frame, Kind, Page, Panel};
use serde::Serialize;
use std::collections::BTreeSet;

/// What differs between two versions. Everything is told by the names of the truth.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Changes {
    /// States that the second alone has.
    pub added: Vec<String>,
    /// States that the first alone has.
    pub removed: Vec<String>,
    /// Pages that stand at another path: name, path before, path after.
    pub moved: Vec<(&'static str, &'static str, &'static str)>,
    /// Pages with another heading: name, heading before, heading after.
    pub renamed: Vec<(&'static str, &'static str, &'static str)>,
    /// Pages that answer with another status: name, status before, status after.
    pub broken: Vec<(&'static str, u16, u16)>,
    /// Forms with other fields: page, form, fields gained, fields lost.
    pub forms: Vec<(&'static str, &'static str, Vec<&'static str>, Vec<&'static str>)>,
    /// Controls that the second alone has in a state that both have: state and name.
    pub controls_added: Vec<(String, &'static str)>,
    /// Controls that the first alone has in a state that both have: state and name.
    pub controls_removed: Vec<(String, &'static str)>,
    /// Faults that the second alone has.
    pub faults_added: Vec<&'static str>,
}

/// What differs from one version to another.
pub fn changes(one: &Truth, two: &Truth) -> Changes {
    let ids = |truth: &Truth| truth.states.iter().map(|state| state.id.clone()).collect::<BTreeSet<_>>();
    let (before, after) = (ids(one), ids(two));
    let controls = |truth: &Truth| -> BTreeSet<(String, &'static str)> {
        let all = truth.transitions.iter().map(|way| (way.from.clone(), way.control.name));
        all.filter(|(from, _)| before.contains(from) && after.contains(from)).collect()
    };
    let (had, has) = (controls(one), controls(two));
    let faults = |truth: &Truth| truth.faults.iter().map(|shown| shown.fault.id).collect::<BTreeSet<_>>();
    let mut changes = Changes {
        added: after.difference(&before).cloned().collect(),
        removed: before.difference(&after).cloned().collect(),
        controls_added: has.difference(&had).cloned().collect(),
        controls_removed: had.difference(&has).cloned().collect(),
        faults_added: faults(two).difference(&faults(one)).copied().collect(),
        ..Changes::default()
    };
    for was in &one.pages {
        let Some(is) = two.page(was.id) else { continue };
        if was.path != is.path {
            changes.moved.push((was.id, was.path, is.path));
        }
        if was.heading != is.heading {
            changes.renamed.push((was.id, was.heading, is.heading));
        }
        if was.status != is.status {
            changes.broken.push((was.id, was.status, is.status));
        }
        for (form, later) in forms(was).into_iter().filter_map(|form| Some((form, named(is, form.name)?))) {
            let [had, has] =
                [form, later].map(|form| form.fields.iter().map(|field| field.name).collect::<BTreeSet<_>>());
            let (gained, lost): (Vec<_>, Vec<_>) =
                (has.difference(&had).copied().collect(), had.difference(&has).copied().collect());
            if !gained.is_empty() || !lost.is_empty() {
                changes.forms.push((was.id, form.name, gained, lost));
            }
        }
    }
    changes
}

fn forms(page: &Page) -> Vec<&Form> {
    fn collect<'a>(blocks: &'a [Block], found: &mut Vec<&'a Form>) {
        for block in blocks {
            if let Block::Form(form) = block {
                found.push(form);
            }
            for (panel, _) in panels(block) {
                collect(&panel.blocks, found);
            }
        }
    }
    let mut found = Vec::new();
    collect(&page.blocks, &mut found);
    found
}

fn named<'a>(page: &'a Page, name: &str) -> Option<&'a Form> {
    forms(page).into_iter().find(|form| form.name == name)
}

/// The pages of the second version.
pub(super) fn pages(mut pages: Vec<Page>) -> Vec<Page> {
    pages.retain(|page| page.id != "newsletter/topics");
    pages.push(lost_and_found());
    for page in &mut pages {
        edit(page);
    }
    pages
}

fn lost_and_found() -> Page {
    page(
        "help/lost",
        "/help/lost",
        "Lost and found",
        Frame::Help,
        vec![
            form(
                "lost",
                "/help/lost",
                "Look for it",
                "help/contact",
                vec![field("what", "What did you lose?", Kind::Text, "A mitten").required()],
            )
            .block(),
            Block::Still("Show what was found"),
        ],
    )
}

fn edit(page: &mut Page) {
    let blocks = &mut page.blocks;
    match page.id {
        // Moved.
        "help/care" => move_to(page, "/help/looking-after"),
        "services/tides" => move_to(page, "/services/high-water"),
        // Renamed.
        "services/gallery" => page.heading = "Picture room",
        "help" => {
            for block in blocks.iter_mut() {
                if let Block::Link(link) = block
                    && link.label == "Talk to the harbour master"
                {
                    link.label = "Ask the harbour master";
                }
            }
            // Added.
            panel_of(blocks, "site").blocks.push(link("Lost something?", "help/lost"));
        }
        "account/looks" => {
            if let Some(Block::Tabs(tabs)) = blocks.first_mut() {
                tabs.push(panel("sounds", "Sounds", vec![Block::Still("Seagulls"), Block::Still("Fog horn")]));
            }
        }
        "services/berth" => panel_of(blocks, "extras").blocks.push(Block::Still("Ask for a view")),
        // Removed.
        "newsletter/thanks" => {
            blocks.retain(|block| !matches!(block, Block::Link(link) if link.label == "Choose topics"))
        }
        "catalogue/sale" => {
            for block in blocks.iter_mut() {
                if let Block::Tabs(tabs) = block {
                    tabs.retain(|tab| tab.view != "lots");
                }
            }
        }
        "search/results" => blocks.retain(|block| !matches!(block, Block::Still(_))),
        // Other fields.
        "checkout/address" | "checkout/address-refused" => {
            fields(blocks, |form| form.fields.push(field("phone", "Phone", Kind::Text, "+47 12345").required()));
        }
        "account/tickets/new" | "account/tickets/refused" => {
            fields(blocks, |form| form.fields.retain(|field| field.name != "about"));
        }
        // Broken.
        "workshop/rules" => {
            page.status = 500;
            page.heading = "The rules are lost";
            page.blocks = vec![Block::Fault("rules-broken"), link("Back to the tools", "workshop/tools")];
        }
        "help/contact" => {
            blocks.retain(|block| !matches!(block, Block::Still("Count my words")));
            blocks.push(Block::Fault("words-uncounted"));
        }
        _ => {}
    }
}

fn move_to(page: &mut Page, path: &'static str) {
    page.path = path;
    page.address = Some(path);
}

fn fields(blocks: &mut [Block], act: impl Fn(&mut Form)) {
    for block in blocks {
        if let Block::Form(form) = block {
            act(form);
        }
    }
}

/// The panel of a view; one that is not there is a mistake of the edit.
fn panel_of<'a>(blocks: &'a mut [Block], view: &str) -> &'a mut Panel {
    let all = blocks.iter_mut().filter_map(|block| match block {
        Block::Tabs(panels) | Block::Sections(panels) | Block::Steps(panels) => Some(panels),
        _ => None,
    });
    all.flatten().find(|panel| panel.view == view).expect("the first version has the panel")
}
