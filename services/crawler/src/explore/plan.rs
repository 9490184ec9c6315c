//! What an exploration is about to do: steps, one after the other, each bound to the page when its turn comes. Pure.

use super::{filling, recipe};
use crate::destructive::{self, Memory};
use chrono::NaiveDate;
use domain::exploration::Guards;
use domain::state::{ActionKey, FrontierTicket, Offer, Opportunity, Route};
use domain::{Action, Descriptor, ElementId, Node, Observation, StateId};
use std::collections::VecDeque;

/// One thing to do.
#[derive(Clone, Debug)]
pub(crate) struct PlannedStep {
    /// What.
    pub what: StepKind,
    /// For what.
    pub part: Part,
}

/// What is to be done.
#[derive(Clone, Debug)]
pub(crate) enum StepKind {
    /// An action on an element that is found again.
    Act { action: Box<Action<Descriptor>>, key: Option<ActionKey> },
    /// Something goes into a field.
    Fill { field: Box<Descriptor>, attempt: u32 },
    /// A text goes into the field of this name, which a recipe gives.
    FillNamed { field: String, text: String },
    /// The button of this name is pressed, or that of the form in which something was typed last.
    Press { button: Option<String>, field: Option<String> },
    /// An address is opened.
    Open { url: String },
}

/// For what something is done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Part {
    /// To get to another state on a known way.
    Hop { to: Option<StateId> },
    /// To get a form ready.
    Prepare,
    /// To see what comes of it.
    Try { ticket: Option<FrontierTicket> },
    /// To send a form once more, with the choices of this number.
    Vary { variation: u32 },
    /// To see what of a page stays the same.
    Reload,
    /// To log in.
    LogIn,
}

/// A step that can be done on the page now, or why not.
#[derive(Debug)]
pub(crate) enum Ready {
    /// This is the action.
    Do(Action),
    /// These come first.
    First(Vec<PlannedStep>),
    /// It cannot be done here.
    Not(String),
}

impl PlannedStep {
    pub(crate) fn open(url: impl Into<String>, part: Part) -> Self {
        Self { what: StepKind::Open { url: url.into() }, part }
    }

    /// The claim that it reports on.
    pub(crate) fn ticket(&self) -> Option<&FrontierTicket> {
        match &self.part {
            Part::Try { ticket } => ticket.as_ref(),
            _ => None,
        }
    }

    /// The address at which it opens a state on the way.
    pub(crate) fn address(&self) -> Option<String> {
        match (&self.what, &self.part) {
            (StepKind::Open { url }, Part::Hop { .. }) => Some(url.clone()),
            _ => None,
        }
    }

    /// The name of the action that it became, where it has one.
    pub(crate) fn key(&self, action: &Action, offers: &[Offer]) -> Option<ActionKey> {
        let StepKind::Act { key, .. } = &self.what else { return None };
        let is_it = |offer: &&Offer| Some(offer.element) == action.element().copied() && offer.kind == action.kind();
        key.or_else(|| offers.iter().find(is_it).map(|offer| offer.key))
    }

    /// Makes it something that is done wherever its element is found by its locators, whatever the way led to.
    pub(crate) fn loosen(&mut self) {
        if let StepKind::Act { key, .. } = &mut self.what {
            *key = None;
        }
        if let Part::Hop { to } = &mut self.part {
            *to = None;
        }
    }
}

/// The way to an opportunity, and the opportunity. `start` is where the site begins.
pub(crate) fn way(
    start: &str,
    route: &Route,
    opportunity: &Opportunity,
    ticket: Option<FrontierTicket>,
) -> VecDeque<PlannedStep> {
    let mut planned_steps = VecDeque::new();
    if route.from_start {
        let to = route.hops.first().map_or(Some(opportunity.state), |hop| Some(hop.from));
        planned_steps.push_back(PlannedStep::open(route.address.as_deref().unwrap_or(start), Part::Hop { to }));
    }
    for hop in &route.hops {
        let what = StepKind::Act { action: Box::new(hop.action.clone()), key: Some(hop.key) };
        planned_steps.push_back(PlannedStep { what, part: Part::Hop { to: Some(hop.to) } });
    }
    let what = StepKind::Act { action: Box::new(opportunity.action.clone()), key: Some(opportunity.key) };
    planned_steps.push_back(PlannedStep { what, part: Part::Try { ticket } });
    planned_steps
}

/// Binds a step to the page. `is_prepared` says that what comes first has been done.
pub(crate) fn ready(
    planned_step: &PlannedStep,
    page: &Observation,
    offers: &[Offer],
    guards: &Guards,
    memory: &Memory,
    today: NaiveDate,
    is_prepared: bool,
) -> Ready {
    let action = match &planned_step.what {
        StepKind::Open { url } => Action::Goto { url: url.clone() },
        StepKind::FillNamed { field, text } => match recipe::field(page, field) {
            Some(element) => Action::Type { element, text: text.clone(), submit: false },
            None => return Ready::Not(recipe::no_field(page, field)),
        },
        StepKind::Press { button, field } => match recipe::button(page, button.as_deref(), field.as_deref()) {
            Some(element) => Action::click(element),
            None => return Ready::Not(recipe::no_button(page, button.as_deref())),
        },
        StepKind::Fill { field, attempt } => {
            match find(field, page).and_then(|element| filling::fill(page, element, *attempt, today)) {
                Some(action) => action,
                None => return Ready::Not("the field is gone".to_owned()),
            }
        }
        StepKind::Act { action, key } => match bound(action, *key, page, offers, today) {
            Some(action) => action,
            None => return Ready::Not("it is not on the page any more".to_owned()),
        },
    };
    if planned_step.part == Part::LogIn {
        return Ready::Do(action);
    }
    if let Some(cause) = destructive::refusal(&action, page, guards, memory) {
        return Ready::Not(cause.to_string());
    }
    let first = || match planned_step.part {
        Part::Vary { variation } => varied(&action, page, variation),
        _ => preparations(&action, page, 0, today),
    };
    match first().filter(|_| !is_prepared) {
        Some(first) => Ready::First(first),
        None => Ready::Do(action),
    }
}

/// What is chosen in a form before the action sends it once more.
fn varied(action: &Action, page: &Observation, variation: u32) -> Option<Vec<PlannedStep>> {
    let form = sent_form(action, page)?;
    filled(page, filling::varied(page, form, variation), variation)
}

/// The form that an action sends.
fn sent_form(action: &Action, page: &Observation) -> Option<ElementId> {
    let Action::Click { element, .. } = action else { return None };
    destructive::form(page, *element).filter(|_| page.node(*element).is_some_and(destructive::is_submit))
}

/// The steps that fill in fields; `None` when there are none.
fn filled(page: &Observation, fields: Vec<ElementId>, attempt: u32) -> Option<Vec<PlannedStep>> {
    let fill = |field: ElementId| {
        let field = Box::new(Descriptor::of(page, field)?);
        Some(PlannedStep { what: StepKind::Fill { field, attempt }, part: Part::Prepare })
    };
    let planned_steps: Vec<PlannedStep> = fields.into_iter().filter_map(fill).collect();
    (!planned_steps.is_empty()).then_some(planned_steps)
}

/// What a form wants before the action sends it.
pub(crate) fn preparations(
    action: &Action,
    page: &Observation,
    attempt: u32,
    today: NaiveDate,
) -> Option<Vec<PlannedStep>> {
    let form = sent_form(action, page)?;
    filled(page, filling::wanting(page, form, attempt > 0, today), attempt)
}

/// How a form is sent after one of its fields was changed.
#[derive(Debug)]
pub(crate) struct Sending {
    /// The field and the button, by a name that is the same on every page.
    pub name: String,
    /// What sends it.
    pub planned_step: PlannedStep,
    /// Whether it is sent as it stands: it only asks for something. Any other form is filled in first.
    pub as_it_stands: bool,
}

/// What sends the form of a field that was just changed. A form that only asks is asked with each of its fields; of another,
/// whose fields are all filled in when it is sent, only a choice makes a difference.
pub(crate) fn sending(
    changed: &Action<Descriptor>,
    page: &Observation,
    guards: &Guards,
    memory: &Memory,
) -> Option<Sending> {
    use domain::action::ActionKind::{Check, Select, Type};
    let field = find(changed.element()?, page)?;
    let form = page.node(destructive::form(page, field)?)?;
    let as_it_stands = form.attribute("method").eq_ignore_ascii_case("get");
    let makes_a_difference = matches!(changed.kind(), Check | Select) || (as_it_stands && changed.kind() == Type);
    if !makes_a_difference {
        return None;
    }
    let button = destructive::submit_button(page, field)?;
    let send = Action::click(button);
    if destructive::refusal(&send, page, guards, memory).is_some() {
        return None;
    }
    let called = |element| {
        let node = page.node(element)?;
        Some([node.attribute("name"), node.attribute("id"), node.label()].join("|"))
    };
    let name: String = [called(field)?, called(button)?].join(" ");
    let name = name.chars().filter(|letter| !letter.is_ascii_digit()).collect();
    let what = StepKind::Act { action: Box::new(Action::click(Descriptor::of(page, button)?)), key: None };
    Some(Sending { name, planned_step: PlannedStep { what, part: Part::Try { ticket: None } }, as_it_stands })
}

/// An action on this page: by the name that the map gives its element, else by what the element is found by.
fn bound(
    action: &Action<Descriptor>,
    key: Option<ActionKey>,
    page: &Observation,
    offers: &[Offer],
    today: NaiveDate,
) -> Option<Action> {
    let is_it = |offer: &&Offer| Some(offer.key) == key && offer.kind == action.kind();
    let offered = offers.iter().find(is_it).map(|offer| offer.element);
    let find = |descriptor: &Descriptor| offered.or_else(|| find(descriptor, page)).ok_or(());
    let bound = action.try_map(find).ok()?;
    match bound {
        Action::Type { element, ref text, .. } if text.is_empty() => {
            let filled = filling::fill(page, element, 0, today)?;
            // A field that nothing sends but the key is sent by the key.
            let is_alone =
                page.node(element).is_some_and(is_search) && destructive::submit_button(page, element).is_none();
            match filled {
                Action::Type { element, text, .. } => Some(Action::Type { element, text, submit: is_alone }),
                other => Some(other),
            }
        }
        Action::Select { element, ref options } if options.is_empty() => filling::fill(page, element, 0, today),
        Action::Check { element, .. } => {
            // Trying a box means changing it; a way is walked as it was.
            let checked = page.node(element)?.states.checked == Some(true);
            let is_radio = page.node(element)?.role == "radio";
            Some(Action::Check { element, checked: is_radio || !checked })
        }
        Action::Upload { element, ref files } if files.is_empty() => filling::fill(page, element, 0, today),
        other => Some(other),
    }
}

fn is_search(node: &Node) -> bool {
    node.role == "searchbox" || node.role == "textbox" || node.attribute("type") == "search"
}

/// The element that a descriptor means on a page.
pub(crate) fn find(descriptor: &Descriptor, page: &Observation) -> Option<ElementId> {
    descriptor.locate(page).element()
}

/// What an address has in common with those of the same kind: all but its numbers; and what their kinds have in common, its path.
pub(crate) fn kind_of(url: &str) -> (String, String) {
    let kind: String = url.chars().filter(|letter| !letter.is_ascii_digit()).collect();
    let path = kind.split('?').next().unwrap_or_default().to_owned();
    (path, kind)
}

#[cfg(test)]
mod tests;
