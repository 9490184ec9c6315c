//! What a model is shown of a page: numbered feasible actions, the page's text around them, and what was left out.
//!
//! A model can only answer with one of the numbers; what has no number cannot be done. Uploads and files are never offered,
//! and nothing that a model wrote becomes an action without being checked in [`complete`].

mod act;
mod actions;
mod bracket;
mod cap;
pub mod complete;
mod item;
mod look;
mod marks;
mod neighbours;
mod options;
mod outline;
mod read_back;

pub use act::{Act, offered};
pub use actions::Actions;
pub use bracket::kind_of;
pub use cap::{Capped, cap, tokens};
pub use marks::{Marked, boxes, draw, marks_of};
pub use options::{Items, Layout, NeighbourOptions, PageOptions};
pub use outline::outline;
pub use read_back::read_back;

use domain::Observation;
use domain::action::ActionKind;
use domain::text::shorten;
use domain::trajectory::Step;
use minijinja::{Value, context};

/// Characters of an address in a prompt.
const ADDRESS: usize = 120;

/// A page as it is put into a prompt: the values of the shared template `page`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageView {
    /// The sequence of states and steps so far.
    pub sequence: Vec<String>,
    /// The page's title.
    pub title: String,
    /// Its address.
    pub url: String,
    /// Its text, interactive elements as their numbers; nothing of the page is shown where it is empty.
    pub page: String,
    /// The list of actions; none is shown where it is empty.
    pub actions: Vec<String>,
    /// How many elements are not in the list.
    pub left_out: usize,
    /// Where the numbers of elements stand, in words.
    pub numbers_at: &'static str,
}

impl PageView {
    /// A page with its list of actions.
    pub fn of(observation: &Observation, actions: &Actions) -> Self {
        Self {
            sequence: Vec::new(),
            title: plain_if(actions.is_in_place(), &observation.title),
            url: plain_if(actions.is_in_place(), &shorten(&observation.url, ADDRESS)),
            page: outline(observation, actions),
            actions: actions.lines.clone(),
            left_out: actions.left_out,
            numbers_at: if actions.is_in_place() { "in brackets on the page or in ACTIONS" } else { "in ACTIONS" },
        }
    }

    /// The same with at most so many tokens of text. Elements that stand in the text are never cut off: there are lists for pages over the
    /// limit.
    pub fn within(mut self, token_limit: usize, actions: &Actions) -> Self {
        if !actions.is_in_place() {
            self.page = cap(&self.page, token_limit).text;
        }
        self
    }

    /// The values of the template.
    pub fn values(&self) -> Value {
        let mut view = self.clone();
        // Nothing that a page said passes for an element.
        view.sequence.iter_mut().for_each(|line| *line = bracket::plain(line));
        context! {
            sequence => view.sequence,
            title => view.title,
            url => view.url,
            page => view.page,
            actions => view.actions,
            left_out => view.left_out,
            numbers_at => view.numbers_at,
        }
    }
}

fn plain_if(in_place: bool, text: &str) -> String {
    if in_place { bracket::plain(text) } else { text.to_owned() }
}

/// What of an attempt decides which actions make sense: there is nothing to go back to at the first step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Situation {
    /// Whether a step was taken.
    pub has_acted: bool,
    /// Whether one of them went back.
    pub went_back: bool,
}

impl Situation {
    /// After these steps.
    pub fn after(history: &[Step]) -> Self {
        let went_back = history.iter().any(|step| step.action.kind() == ActionKind::Back);
        Self { has_acted: !history.is_empty(), went_back }
    }
}

#[cfg(test)]
mod tests;
