//! What became of the last step. A step that was not taken stops what depends on it: it may be tried again on the same element,
//! or the planner gives up with the reason; it never goes on as if. Pure.

use super::item::item_of;
use super::memory::{ElementPath, Memory, Replaced, Wanted};
use super::names::same;
use super::words;
use domain::ElementId;
use domain::action::ActionKind;
use domain::decision::DecisionRequest;
use domain::effect::{Effect, TAKEN_BY_ANOTHER};
use domain::observation::{Node, Observation, Request, RequestKind};
use domain::trajectory::Step;
use std::hash::{DefaultHasher, Hash, Hasher};

/// How to go on after the last step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It was taken.
    Taken,
    /// It was not taken; the same is tried again.
    Again,
    /// What became of it shows only later: look again after so many milliseconds.
    Look(u32),
    /// It was not taken, and what depends on it must not be done.
    Stop(String),
}

/// How often one step is tried.
const TRIES: u32 = 2;

/// Whether a step sent something that changes the site, and the site took it.
pub(crate) fn was_taken_by_site(step: &Step) -> bool {
    step.requests.iter().any(|sent| !sent.is_safe() && sent.status.is_some_and(|status| status < 400))
}

/// A number that is about to be put in the place of another one.
pub(crate) fn replaced(observation: &Observation, element: ElementId, given: &str) -> Option<Replaced> {
    let field = observation.node(element)?;
    let before = field.value.clone()?;
    let is_other = number(&before)? != number(given)?;
    let (url, entry) = (page_of(observation), entry_of(observation, element));
    is_other.then(|| Replaced { place: ElementPath::of(field), before, given: given.to_owned(), url, entry })
}

/// What a field holds that was given a number, where that is neither this number nor the one before: the site took less than was asked, or
/// something else. A field that is as it was before may be there for the next one, and one of another page or entry is another field.
pub(crate) fn another_number(given: &[Replaced], observation: &Observation) -> Option<String> {
    given.iter().filter(|one| one.url == page_of(observation)).find_map(|one| {
        let is_it = |(id, node): &(ElementId, &Node)| {
            ElementPath::of(node) == one.place && entry_of(observation, *id) == one.entry
        };
        let (_, field) = observation.elements().find(is_it)?;
        let shown = field.value.as_deref()?;
        let is_other = |number_of: &str| number(number_of) != number(shown);
        let is_latest = !given.iter().any(|later| later.place == one.place && number(&later.given) == number(shown));
        (number(shown).is_some() && is_latest && is_other(&one.given) && is_other(&one.before))
            .then(|| format!("{} was given {} and shows {shown}", super::pursue::describe(field), one.given))
    })
}

fn page_of(observation: &Observation) -> String {
    observation.url.split(['?', '#']).next().unwrap_or_default().to_owned()
}

/// The first words of the entry that a field stands in.
fn entry_of(observation: &Observation, element: ElementId) -> String {
    let entry = item_of(observation, element).and_then(|item| observation.node(item));
    let words = entry.map(|entry| words::tokens(&entry.text)).unwrap_or_default();
    words.into_iter().take(2).collect::<Vec<_>>().join(" ")
}

/// A number, with a point or a comma for its fraction, or commas between thousands.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let mut groups = text.split(',');
    let is_grouped = groups.next().is_some_and(|first| (1..=3).contains(&first.len()))
        && text.contains(',')
        && groups.all(|group| group.len() == 3 && group.bytes().all(|sign| sign.is_ascii_digit()));
    let plain = if is_grouped { text.replace(',', "") } else { text.replace(',', ".") };
    plain.parse().ok()
}

/// What became of the last step, by its effect and by what the page shows now.
pub(crate) fn of_last(memory: &mut Memory, request: &DecisionRequest) -> Outcome {
    let Some(step) = request.history.last() else { return Outcome::Taken };
    if memory.aside {
        // Whatever was looked for: what the site refused to do is not gone on from.
        return match refusal(step, &request.observation) {
            Some(refusal) => Outcome::Stop(format!("{} was sent and refused: {refusal}", title(step))),
            None => Outcome::Taken,
        };
    }
    if let Some(shown) = memory.watched.take() {
        return after_look(memory, request, shown);
    }
    if step.action.kind() == ActionKind::Wait {
        return Outcome::Taken;
    }
    let what = title(step);
    if let Some(refusal) = refusal(step, &request.observation) {
        let cause = format!("{what} was sent and refused: {refusal}");
        if !step.requests.iter().any(|sent| !sent.is_safe() && sent.status.is_some_and(is_for_now)) {
            return Outcome::Stop(cause);
        }
        memory.watched = Some(shown(&request.observation));
        memory.unconfirmed = Some(cause);
        return Outcome::Look(3000);
    }
    match &step.effect {
        Effect::Changed { .. } if was_taken_over(memory, step, &request.observation) => Outcome::Taken,
        Effect::Changed { .. } => holds_wanted(memory, &request.observation, &what),
        Effect::NoChange => unchanged(memory, request, step),
        Effect::Rejected { message } => Outcome::Stop(format!("the page refused {what}: {message}")),
        Effect::Unconfirmed { cause } => {
            memory.watched = Some(shown(&request.observation));
            memory.unconfirmed = Some(format!("{what} was sent, and not confirmed: {cause}"));
            Outcome::Look(2000)
        }
        Effect::Failed { cause } if cause.contains("was answered") => {
            Outcome::Stop(format!("{what} was sent and refused: {cause}"))
        }
        Effect::Failed { cause } if cause.starts_with(TAKEN_BY_ANOTHER) => Outcome::Stop(format!("{what}: {cause}")),
        Effect::Failed { cause } => {
            memory.tries += 1;
            if memory.tries < TRIES {
                Outcome::Again
            } else {
                Outcome::Stop(format!("{what} could not be done: {cause}"))
            }
        }
        Effect::LeftScope { url } => Outcome::Stop(format!("{what} led out of the allowed scope, to {url}")),
    }
}

/// What a second look shows of a step that changed nothing at first, or whose sending was not confirmed.
fn after_look(memory: &mut Memory, request: &DecisionRequest, before: u64) -> Outcome {
    if let Some(cause) = memory.unconfirmed.take() {
        return if was_sent_again(request) { Outcome::Taken } else { Outcome::Stop(cause) };
    }
    if shown(&request.observation) != before {
        return Outcome::Taken;
    }
    let last = request.history.iter().rev().find(|step| step.action.kind() != ActionKind::Wait);
    let Some(step) = last else { return Outcome::Taken };
    let name = step.action.element().map(|element| element.name.clone()).unwrap_or_default();
    // What does what a task asks is never done twice.
    if !words::is_consequential(&name) && !memory.decided && !std::mem::replace(&mut memory.repeated, true) {
        return Outcome::Again;
    }
    Outcome::Stop(format!("{} changed nothing", title(step)))
}

/// Whether a status refuses a request for now only (RFC 9110, 15.5.9; RFC 8470, 5.2; RFC 6585, 4): pages send it again by themselves.
fn is_for_now(status: u16) -> bool {
    matches!(status, 408 | 425 | 429)
}

/// Whether the page itself sent again what the server did not take, and it was taken.
fn was_sent_again(request: &DecisionRequest) -> bool {
    let Some(at) = request.history.iter().rposition(|step| step.action.kind() != ActionKind::Wait) else {
        return false;
    };
    let since = request.history.get(at..).unwrap_or_default();
    let requests: Vec<&Request> =
        since.iter().flat_map(|step| &step.requests).chain(&request.observation.requests).collect();
    let lost = |one: &&&Request| !one.is_safe() && one.status.is_none_or(|status| status >= 500 || is_for_now(status));
    let place = |one: &Request| one.url.split(['?', '#']).next().unwrap_or_default().to_owned();
    let taken = |one: &Request| {
        requests.iter().any(|other| {
            let is_later = other.number > one.number;
            is_later
                && other.method == one.method
                && place(other) == place(one)
                && other.status.is_some_and(|status| status < 300)
        })
    };
    let mut lost = requests.iter().filter(lost).peekable();
    lost.peek().is_some() && lost.all(|one| taken(one))
}

fn unchanged(memory: &mut Memory, request: &DecisionRequest, step: &Step) -> Outcome {
    match step.action.kind() {
        ActionKind::Click | ActionKind::Drag => {
            let node = memory.place.as_ref().and_then(|place| place.find(&request.observation));
            if node.is_some_and(is_already_so) {
                return Outcome::Taken;
            }
            memory.watched = Some(shown(&request.observation));
            Outcome::Look(1000)
        }
        ActionKind::Type | ActionKind::Check | ActionKind::Select => {
            holds_wanted(memory, &request.observation, &title(step))
        }
        _ => Outcome::Taken,
    }
}

/// Whether a click on an element has nothing to change: it is chosen, open or focused already.
fn is_already_so(node: &Node) -> bool {
    let states = &node.states;
    let is_on = |state: Option<bool>| state == Some(true);
    is_on(states.selected)
        || (node.role == "radio" && is_on(states.checked))
        || (states.focused && (node.allows(ActionKind::Type) || node.allows(ActionKind::Select)))
        || matches!(node.attribute("aria-current"), "page" | "true" | "step" | "location")
}

/// The request of a step that the site refused: one that changes something there, and that the page made to its own host.
fn refusal(step: &Step, observation: &Observation) -> Option<String> {
    let host = |url: &str| url.split('/').nth(2).map(str::to_owned);
    let path = |url: &str| url.split(['?', '#']).next().unwrap_or_default().to_owned();
    // A page that was not known any more may ask for a new token, and send the same once more.
    let is_sent_again = |request: &Request| {
        let is_again = |later: &Request| {
            later.number > request.number
                && later.method == request.method
                && path(&later.url) == path(&request.url)
                && later.status.is_some_and(|status| (200..300).contains(&status))
        };
        request.status == Some(401) && step.requests.iter().any(is_again)
    };
    let refused = step.requests.iter().find(|request| {
        request.status.is_some_and(|status| (400..500).contains(&status))
            && !request.is_safe()
            && !is_sent_again(request)
            && !matches!(request.kind, RequestKind::Beacon | RequestKind::Resource | RequestKind::Stream)
            && host(&request.url) == host(&observation.url)
    })?;
    let path = refused.url.splitn(4, '/').nth(3).unwrap_or_default();
    Some(format!("{} /{path} was answered {}", refused.method, refused.status.unwrap_or_default()))
}

/// Whether the element holds what the step was to give it; a step that is not held is tried again, then given up.
pub(crate) fn holds_wanted(memory: &mut Memory, observation: &Observation, what: &str) -> Outcome {
    match lacking(memory, observation) {
        None => Outcome::Taken,
        Some(lack) => {
            memory.tries += 1;
            if memory.tries < TRIES { Outcome::Again } else { Outcome::Stop(format!("{what} was not taken: {lack}")) }
        }
    }
}

/// Whether a field gave away what was typed into it, and the page shows just that elsewhere since: editors with a text of their own,
/// fields that make tags.
fn was_taken_over(memory: &Memory, step: &Step, observation: &Observation) -> bool {
    let Some(Wanted::Text(text)) = &memory.wanted else { return false };
    let field = memory.place.as_ref().and_then(|place| place.find(observation));
    let is_empty = field.is_some_and(|field| field.value.as_deref().is_some_and(str::is_empty));
    let (changed, text) = (&step.difference.changed, words::fold(text));
    let mut shown = step.difference.appeared.iter().chain(changed.iter().map(|change| &change.to));
    // A number or a sign may have come for another reason.
    is_empty && text.chars().count() >= 3 && shown.any(|shown| words::fold(shown) == text)
}

/// What the element acted upon last lacks of what it was to hold, in words; none where it holds it or is no longer there.
pub(crate) fn lacking(memory: &Memory, observation: &Observation) -> Option<String> {
    let node = memory.place.as_ref()?.find(observation)?;
    match memory.wanted.as_ref()? {
        Wanted::Text(text) => {
            let value = node.value.as_deref()?;
            let following = || values_from(observation, node);
            let signs = value.chars().count();
            let limit = node.constraints.as_ref().and_then(|constraints| constraints.max_length);
            let is_part = signs <= 2 || limit.is_some_and(|limit| limit as usize == signs);
            let held = holds_text(value, text) || (is_part && holds_text(&following(), text));
            (!held).then(|| format!("it holds \"{value}\", not \"{text}\""))
        }
        Wanted::Checked(wanted) => {
            let now = node.states.checked.or(node.states.pressed).or(node.states.selected)?;
            (now != *wanted).then(|| format!("it is {}", if now { "on" } else { "off" }))
        }
        Wanted::Options(options) => {
            let chosen: Vec<&str> =
                node.options.iter().filter(|option| option.selected).map(|option| option.label.as_str()).collect();
            let held = options.iter().all(|wanted| chosen.iter().any(|label| same(wanted, label)));
            (!node.options.is_empty() && !held).then(|| format!("it shows \"{}\"", chosen.join("\", \"")))
        }
    }
}

/// A page may put separators, a currency or spaces around and between what is typed; it may not leave anything out.
fn holds_text(value: &str, text: &str) -> bool {
    if text.contains("${secret:") || value.contains("${secret:") {
        return true;
    }
    let (value, text) = (words::fold(value).to_lowercase(), words::fold(text).to_lowercase());
    if value == text {
        return true;
    }
    let mut rest = text.chars().filter(|letter| !letter.is_whitespace()).peekable();
    for letter in value.chars().filter(|letter| !letter.is_whitespace()) {
        match rest.peek() {
            Some(next) if *next == letter => {
                rest.next();
            }
            _ if letter.is_alphanumeric() => return false,
            _ => {}
        }
    }
    rest.peek().is_none() && !text.is_empty()
}

/// The values of a field and of those that follow it in its group, one after the other: a code may have a field for each sign.
fn values_from(observation: &Observation, node: &Node) -> String {
    observation
        .nodes
        .iter()
        .skip_while(|other| other.xpath != node.xpath || other.frame != node.frame)
        .take_while(|other| other.parent == node.parent || !other.allows(ActionKind::Type))
        .filter(|other| other.allows(ActionKind::Type))
        .filter_map(|other| other.value.as_deref())
        .collect()
}

/// A hash of what the page shows, its address, its states and values, and its tabs.
fn shown(observation: &Observation) -> u64 {
    let mut hasher = DefaultHasher::new();
    observation.url.hash(&mut hasher);
    observation.tabs.len().hash(&mut hasher);
    for node in &observation.nodes {
        (&node.text, &node.name, &node.value).hash(&mut hasher);
        (node.states.checked, node.states.selected, node.states.expanded, node.states.pressed).hash(&mut hasher);
    }
    hasher.finish()
}

/// A step in a few words.
fn title(step: &Step) -> String {
    let element = step.action.element();
    // What is dragged is often a text, which has no name.
    let name = element.map(|element| if element.name.is_empty() { &element.place } else { &element.name });
    let name: String = name.map(|name| name.chars().take(40).collect()).unwrap_or_default();
    let verb = match step.action.kind() {
        ActionKind::Type => "the text for",
        ActionKind::Select => "the choice in",
        ActionKind::Check => "the choice of",
        ActionKind::AcceptDialog | ActionKind::DismissDialog => "the answer to the dialog",
        ActionKind::Drag => "the drag of",
        ActionKind::Press => "the press of the keys",
        _ => "the click on",
    };
    if name.is_empty() { verb.to_owned() } else { format!("{verb} \"{name}\"") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::memory::ElementPath;
    use crate::test_request::{request, step};
    use domain::Action;
    use domain::effect::PageDifference;

    /// A request after a click of which the server did not take what was sent, and a wait in which the page sent again.
    fn after_wait(again: Option<u16>) -> DecisionRequest {
        let sent = |number, status| Request {
            number,
            method: "POST".into(),
            url: "http://a.test/entries".into(),
            status,
            ..Request::default()
        };
        let clicked = Step { requests: vec![sent(3, Some(503))], ..step(1, Action::Back) };
        let waited = Step {
            requests: again.map(|status| sent(4, Some(status))).into_iter().collect(),
            ..step(2, Action::Wait { milliseconds: 2000 })
        };
        DecisionRequest { history: std::sync::Arc::new(vec![clicked, waited]), ..request() }
    }

    #[test]
    fn what_the_page_sends_again_until_it_is_taken_was_taken() {
        assert!(was_sent_again(&after_wait(Some(201))));
        assert!(!was_sent_again(&after_wait(Some(503))));
        assert!(!was_sent_again(&after_wait(None)));
    }

    #[test]
    fn a_field_that_gave_its_text_to_the_page_took_it() {
        let field = Node {
            role: "textbox".into(),
            name: "Query".into(),
            xpath: "/html/body/textarea".into(),
            value: Some(String::new()),
            ..Node::default()
        };
        let page = Observation { nodes: vec![field.clone()].into(), ..Observation::default() };
        let memory = Memory {
            wanted: Some(Wanted::Text("long boats".into())),
            place: Some(ElementPath::of(&field)),
            ..Memory::default()
        };
        let showing = |text: &str| {
            let difference = PageDifference { appeared: vec![text.to_owned()], ..PageDifference::default() };
            Step { difference, ..step(1, Action::Back) }
        };
        assert!(was_taken_over(&memory, &showing("long boats"), &page));
        assert!(!was_taken_over(&memory, &showing("long boats are not allowed"), &page));
        let page =
            Observation { nodes: vec![Node { value: Some("long".into()), ..field }].into(), ..Observation::default() };
        assert!(!was_taken_over(&memory, &showing("long boats"), &page));
    }

    #[test]
    fn a_value_may_be_formatted_but_not_lose_anything() {
        for (value, text, held) in [
            ("Faro", "Faro", true),
            ("(030) 12 34", "0301234", true),
            ("$ 1,200", "1200", true),
            ("15", "1,5", false),
            ("Long na", "Long name", false),
            ("", "Faro", false),
            ("Faro, Portugal", "Faro", false),
        ] {
            assert_eq!(holds_text(value, text), held, "{value:?} for {text:?}");
        }
    }
}
