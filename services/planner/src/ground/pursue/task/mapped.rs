//! Finding by the map of the site what is not on this page: the page that is about it is opened by its address, and where that shows
//! another state, the controls are pressed that led there before.

use super::super::{Pursuer, Pursuit, aside};
use super::way::nearness;
use crate::ground::commands::{self, speaks_of, telling_words};
use crate::ground::names::{holds_words, same};
use crate::ground::task::{Task, TaskAct};
use crate::guide::{KnownPage, within_site};
use domain::action::{Action, ActionKind};
use domain::address::origin;
use domain::{ElementId, Node};
use url::Url;

/// A page that is less likely is not opened.
const LIKELY: f64 = 0.6;
/// How much likelier a page of the map must be than a way in sight, which is gone without leaving the page.
const BETTER: f64 = 0.05;
/// Pages of the map that are opened for one task at most.
const OPENED: usize = 4;
/// By this pages of the map are remembered among the ways that were followed.
const OF_MAP: &str = "map|";

impl Pursuer<'_> {
    /// The first step to the page of the map where the task can most likely be done; none where no page is likelier than a way in sight.
    pub(super) fn by_map(&mut self, task: &Task, wanted: &str, in_sight: f64) -> Option<Pursuit> {
        let options = self.options;
        let guide = &options.map;
        let here = Url::parse(&self.scene.observation.url).ok()?;
        let tried = self.memory.hops.iter().filter(|key| key.starts_with(OF_MAP)).count();
        // What is known of one site says nothing of another.
        if guide.pages.is_empty() || tried >= OPENED || origin(here.as_str()).as_ref() != Some(&guide.origin) {
            return None;
        }
        let address = within_site(here.clone());
        let is_new = |page: &KnownPage| {
            let is_here = page.step.is_none() && page.address == address;
            !is_here && !self.memory.hops.contains(&key(page))
        };
        let mut likely: Vec<(&KnownPage, f64)> =
            guide.pages.iter().map(|page| (page, likelihood(task, page))).collect();
        likely.retain(|(page, score)| *score >= LIKELY && *score > in_sight + BETTER && is_new(page));
        likely.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        let (page, score, (opened, steps)) =
            likely.into_iter().find_map(|(page, score)| Some((page, score, guide.way(page)?)))?;
        let url = here.join(&opened.address).ok().filter(|url| url.origin() == here.origin())?;
        self.memory.hops.push(key(page));
        self.memory.walk = steps.iter().map(|step| (step.role.clone(), step.name.clone())).collect();
        // What the page is called, it says itself when it is there.
        self.memory.arrived.clear();
        self.memory.opened = false;
        if opened.address == address {
            self.memory.walk_at = self.acted();
            return self.walk_on(wanted);
        }
        self.memory.walk_at = self.acted() + 1;
        let why = format!("the map knows \"{}\" (state {}), where {wanted} may be", page.title, page.state);
        Some(aside(self.step(Action::Goto { url: url.into() }, why, score * 0.9, false)))
    }

    /// The next control on a way of the map, right after the step before it. Where it is not there, is there twice, or does more than lead
    /// somewhere, the way is left.
    pub(super) fn walk_on(&mut self, wanted: &str) -> Option<Pursuit> {
        if self.memory.walk.is_empty() {
            return None;
        }
        if self.memory.walk_at != self.acted() {
            self.memory.walk.clear();
            return None;
        }
        let (role, name) = self.memory.walk.remove(0);
        let is_it = |id: ElementId, node: &Node| node.role == role && node.name == name && self.is_way(id, node);
        let found: Vec<ElementId> =
            self.scene.elements().filter(|(id, node)| is_it(*id, node)).map(|(id, _)| id).collect();
        let [control] = found.as_slice() else {
            self.memory.walk.clear();
            self.memory.notes.push(format!("the map says that \"{name}\" leads on, which is not so"));
            return None;
        };
        self.memory.walk_at = self.acted() + 1;
        let why = format!("leads on to {wanted}, as the map knows");
        Some(aside(self.click(*control, &why, 0.8, false)))
    }

    /// How many steps were taken that did something.
    fn acted(&self) -> usize {
        self.history.iter().filter(|step| step.action.kind() != ActionKind::Wait).count()
    }
}

fn key(page: &KnownPage) -> String {
    format!("{OF_MAP}{}", page.state)
}

/// How likely a task can be done on a page of the map: by what led there, what stands on it, and the fields of its forms.
fn likelihood(task: &Task, page: &KnownPage) -> f64 {
    let thing = &task.thing;
    let titles =
        page.title.split(['|', '\u{b7}', '\u{2013}', '\u{2014}']).flat_map(|part| part.split(" - ")).map(str::trim);
    let called = titles.chain(page.names.iter().map(String::as_str)).filter(|label| !label.is_empty());
    let mut best = called.clone().map(|label| nearness(task, label)).fold(0.0, f64::max);
    // What is named in words that are its own stands on the page, or is the page.
    let is_name = thing.quoted || thing.name.contains(|sign: char| sign.is_ascii_digit() || sign.is_uppercase());
    let is_made = task.act == TaskAct::Add;
    if is_name && !is_made && !thing.name.is_empty() && called.clone().any(|label| holds_words(label, &thing.name)) {
        best = best.max(0.9);
    }
    if !thing.name.is_empty() && !is_made && page.says.iter().any(|part| same(part, &thing.name)) {
        best = best.max(0.95);
    }
    let of_heading = page.says.iter().take(HEADINGS).map(|part| nearness(task, part) * 0.8).fold(0.0, f64::max);
    best = best.max(of_heading);
    // A setting, or a form that asks for what is given.
    let given = task.values.len();
    let asked = task.values.iter().filter(|value| asks_for(page, &value.field)).count();
    if given > 0 && asked > 0 {
        let share = asked as f64 / given as f64;
        let is_setting = thing.name.is_empty() && thing.kind.is_empty() && task.act == TaskAct::Edit;
        best = if is_setting {
            best.max(0.6 + 0.35 * share)
        } else {
            best + 0.08 * share * f64::from(u8::from(best > 0.0))
        };
    }
    best
}

/// Parts of what stands on a page that are read as its headings.
const HEADINGS: usize = 3;

/// Whether a page has a field for what is given, by the field's name or by what is shown of it.
fn asks_for(page: &KnownPage, given: &str) -> bool {
    page.fields.iter().any(|field| says_field(field, given)) || page.says.iter().any(|said| same(said, given))
}

/// Whether a field of a page is the one that a value is given for.
fn says_field(field: &str, given: &str) -> bool {
    // What a program calls `tray` is the paper tray.
    let is_part = !telling_words(field).is_empty() && speaks_of(given, field);
    same(field, given) || commands::same_part(field, given) || is_part
}
