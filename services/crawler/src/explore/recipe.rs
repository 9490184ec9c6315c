//! The recipe of a log-in: its steps, and the fields and the button that it names, as people read them on the page. Pure.

use super::filling;
use super::plan::{Part, PlannedStep, StepKind};
use crate::destructive;
use domain::action::ActionKind;
use domain::exploration::Login;
use domain::task::Parameter;
use domain::text::{fold, shorten};
use domain::{ElementId, Node, Observation};
use std::collections::VecDeque;
use url::Url;

/// Characters of a text of the page that a cause shows.
const SHOWN: usize = 120;
/// Fields or buttons that a cause names.
const NAMED: usize = 12;

/// The steps of a recipe.
pub(crate) fn steps(login: &Login, start_url: &str) -> VecDeque<PlannedStep> {
    let start = Url::parse(start_url).ok();
    let url = login.url.as_deref().and_then(|url| Some(start.as_ref()?.join(url).ok()?.to_string()));
    let step = |what| PlannedStep { what, part: Part::LogIn };
    let mut steps = VecDeque::from([PlannedStep::open(url.unwrap_or_else(|| start_url.to_owned()), Part::LogIn)]);
    for (field, value) in &login.fill {
        let text = match value {
            Parameter::Text(text) => text.clone(),
            Parameter::Secret { .. } => domain::secret::placeholder(field),
            Parameter::File { .. } => domain::upload::placeholder(field),
        };
        steps.push_back(step(StepKind::FillNamed { field: field.clone(), text }));
    }
    let field = login.fill.keys().last().cloned();
    steps.push_back(step(StepKind::Press { button: login.submit.clone(), field }));
    // Wherever one lands, the site begins where it begins for everybody.
    steps.push_back(PlannedStep::open(start_url, Part::LogIn));
    steps
}

/// The field that a recipe names: by its label, else by what its source calls it.
pub(crate) fn field(page: &Observation, name: &str) -> Option<ElementId> {
    let wanted = plain(name);
    let fields: Vec<(ElementId, &Node)> = fields(page).collect();
    let ways: [fn(&Node) -> [&str; 2]; 3] = [
        |node| [node.label(), node.attribute("aria-label")],
        |node| [node.attribute("name"), node.attribute("id")],
        |node| [node.attribute("placeholder"), &node.context],
    ];
    let is_called = |node: &Node, way: &fn(&Node) -> [&str; 2]| way(node).iter().any(|called| plain(called) == wanted);
    ways.iter().find_map(|way| fields.iter().find(|(_, node)| is_called(node, way))).map(|(id, _)| *id)
}

/// The button that a recipe names, or else the one that sends the form of a field.
pub(crate) fn button(page: &Observation, name: Option<&str>, field: Option<&str>) -> Option<ElementId> {
    let Some(name) = name else {
        return field.and_then(|field| destructive::submit_button(page, self::field(page, field)?));
    };
    let wanted = plain(name);
    let is_it = |node: &Node| [node.label(), node.attribute("value")].iter().any(|called| plain(called) == wanted);
    // The button of the form, rather than a link to it of the same name.
    let found: Vec<(ElementId, &Node)> = page.interactive().filter(|(_, node)| is_it(node)).collect();
    found.iter().find(|(_, node)| destructive::is_submit(node)).or(found.first()).map(|(id, _)| *id)
}

/// Why a recipe's field cannot be filled in: what is there instead.
pub(crate) fn no_field(page: &Observation, name: &str) -> String {
    let url = &page.url;
    match listed(fields(page).map(|(_, node)| node)) {
        Some(here) => format!("{url} has no field `{name}`; fields here: {here}"),
        None => format!("{url} has no field `{name}`, nor any other; give the address of the form as `url`"),
    }
}

/// Why the form cannot be sent: what is there instead.
pub(crate) fn no_button(page: &Observation, name: Option<&str>) -> String {
    let name = name.map_or_else(|| "that sends the form".to_owned(), |name| format!("`{name}`"));
    let buttons = page.interactive().map(|(_, node)| node).filter(|node| node.allows(ActionKind::Click));
    let here = listed(buttons.filter(|node| node.role == "button"));
    let here = here.map_or_else(|| "there is none".to_owned(), |here| format!("buttons here: {here}"));
    format!("{} has no button {name}; {here}", page.url)
}

/// Whether a page shows the form of a recipe, which asks for a password.
pub(crate) fn asks_for_password(page: &Observation, login: &Login) -> bool {
    let found: Option<Vec<ElementId>> = login.fill.keys().map(|name| field(page, name)).collect();
    let is_password = |id: &ElementId| page.node(*id).is_some_and(|node| node.attribute("type") == "password");
    found.is_some_and(|found| found.iter().any(is_password))
}

/// Why nobody is logged in: what the page says.
pub(crate) fn not_logged_in(page: &Observation) -> String {
    let said: Vec<String> =
        filling::refusals(page).map(|text| format!("\"{}\"", shorten(text, SHOWN))).take(3).collect();
    let says = if said.is_empty() { String::new() } else { format!("; the site says: {}", said.join(", ")) };
    format!("{} does not look as if somebody were logged in{says}", page.url)
}

fn fields(page: &Observation) -> impl Iterator<Item = (ElementId, &Node)> {
    page.interactive().filter(|(_, node)| node.allows(ActionKind::Type))
}

fn listed<'a>(nodes: impl Iterator<Item = &'a Node>) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for node in nodes {
        let called = [node.label(), node.attribute("placeholder"), node.attribute("name"), node.attribute("id")];
        let called = called.into_iter().find(|called| !called.is_empty()).unwrap_or("one without a name");
        if !names.contains(&called) {
            names.push(called);
        }
    }
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!names.is_empty()).then(|| format!("{}{more}", names.join(", ")))
}

/// A name without what pages put around it: case, blanks, a colon or a star at its end, what stands in brackets behind it.
fn plain(name: &str) -> String {
    let folded = fold(name).to_lowercase();
    let mut name = folded.trim();
    loop {
        let before = name;
        name = name.trim_end_matches([':', '*', '\u{ff1a}', '.']).trim_end();
        if name.ends_with(')')
            && let Some(open) = name.rfind('(').filter(|open| *open > 0)
        {
            name = name[..open].trim_end();
        }
        if name == before {
            return name.to_owned();
        }
    }
}

#[cfg(test)]
mod tests;
