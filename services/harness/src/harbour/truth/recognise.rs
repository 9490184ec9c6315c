//! Which state an observation shows: by the page's path, by a heading that all of its instances have, and by what tells its
//! views apart.

use super::derive::State;
use domain::{Node, Observation};
use serde::Serialize;
use url::Url;

/// How a state is recognised.
#[derive(Clone, Debug, Serialize)]
pub struct Marks {
    /// Its path; `{}` is any one part.
    pub path: &'static str,
    /// A heading that is there; none where a dialog may hide it.
    pub heading: Option<&'static str>,
    /// What is said by an alert; none where there is none.
    pub alert: Option<&'static str>,
    /// What else is there.
    pub has: Vec<Mark>,
    /// What is not there.
    pub lacks: Vec<Mark>,
}

/// Something that is there, by its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// A heading.
    Heading(&'static str),
    /// A chosen tab.
    Tab(&'static str),
    /// A button of a section that is open.
    Section(&'static str),
    /// A modal dialog.
    Dialog(&'static str),
    /// A question of the browser.
    Question(&'static str),
}

/// All states that an observation can be taken for; for a page of the site, exactly one.
pub(super) fn matches<'a>(states: &'a [State], seen: &Observation) -> Vec<&'a State> {
    let Ok(url) = Url::parse(&seen.url) else { return Vec::new() };
    states.iter().filter(|state| path_matches(state.marks.path, url.path()) && holds(&state.marks, seen)).collect()
}

/// Whether a path has the form of a page's.
pub fn path_matches(pattern: &str, path: &str) -> bool {
    let mut parts = path.split('/');
    let all = pattern.split('/').all(|wanted| parts.next().is_some_and(|part| wanted == "{}" || wanted == part));
    all && parts.next().is_none()
}

fn holds(marks: &Marks, seen: &Observation) -> bool {
    let heading = marks.heading.is_none_or(|heading| is_there(&Mark::Heading(heading), seen));
    let alerts: Vec<&Node> = seen.nodes.iter().filter(|node| node.role == "alert").collect();
    let alert = match marks.alert {
        Some(message) => alerts.iter().any(|node| node.label() == message),
        None => alerts.is_empty() || marks.heading.is_none(),
    };
    let is_asked = marks.has.iter().any(|mark| matches!(mark, Mark::Question(_)));
    heading
        && alert
        && is_asked == seen.dialog.is_some()
        && marks.has.iter().all(|mark| is_there(mark, seen))
        && !marks.lacks.iter().any(|mark| is_there(mark, seen))
}

fn is_there(mark: &Mark, seen: &Observation) -> bool {
    let some = |is_it: &dyn Fn(&Node) -> bool| seen.nodes.iter().any(is_it);
    match mark {
        Mark::Heading(name) => some(&|node| node.role == "heading" && node.label() == *name),
        Mark::Tab(name) => {
            some(&|node| node.role == "tab" && node.label() == *name && node.states.selected == Some(true))
        }
        Mark::Section(name) => some(&|node| node.label() == *name && node.states.expanded == Some(true)),
        Mark::Dialog(name) => some(&|node| node.role == "dialog" && node.label() == *name),
        Mark::Question(message) => seen.dialog.as_ref().is_some_and(|dialog| dialog.message == *message),
    }
}
