//! What the agent remembers: the sequence memory, told from the steps so far; and the little that it hands back to
//! itself with each decision, since it keeps no state.

use super::look::shorten;
use super::options::{HxAgentOptions, Window};
use domain::observation::{Request, Stamp};
use domain::{Action, Descriptor, Effect, PageDifference, Step};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// What is handed from one decision to the next.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Memory {
    /// What a picture was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) awaiting: Option<Awaiting>,
    /// The rest of the plan, where there is one plan up front.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) plan: Option<Plan>,
}

/// Why a picture was asked for, of which page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Awaiting {
    /// The observation.
    pub(super) stamp: Stamp,
    /// The numbers among which to choose; empty when the page is to be summed up.
    pub(super) candidates: Vec<u32>,
}

/// One plan made on the first page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Plan {
    /// What remains to be done.
    pub(super) actions: VecDeque<Action<Descriptor>>,
    /// The answer to give in the end.
    pub(super) answer: Option<String>,
}

/// The sequence memory as text: every `STATE #i` and `STEP #i` within the window.
pub(super) fn sequence(history: &[Step], options: &HxAgentOptions) -> Vec<String> {
    let shown = match options.memory {
        Window::All => history.len(),
        Window::Last(steps) => history.len().min(steps as usize),
        Window::None => 0,
    };
    let mut before = "";
    history[history.len() - shown..]
        .iter()
        .flat_map(|step| {
            let state = if step.summary == before {
                "as before".to_owned()
            } else {
                shorten(&format!("{} {}", step.title, step.summary), options.state_characters)
            };
            before = &step.summary;
            let number = step.number;
            [format!("STATE #{number}: {}", state.trim()), format!("STEP #{number}: {}", told(step))]
        })
        .collect()
}

fn told(step: &Step) -> String {
    let effect = match &step.effect {
        Effect::Changed { what } if what.is_empty() => "changed".to_owned(),
        Effect::Changed { what } => format!("changed {}", what.join(", ")),
        Effect::NoChange => "no change".to_owned(),
        Effect::Rejected { message } => format!("rejected: {}", shorten(message, 100)),
        Effect::Failed { cause } => format!("failed: {}", shorten(cause, 100)),
        Effect::Unconfirmed { cause } => format!("sent, not confirmed: {}", shorten(cause, 100)),
        Effect::LeftScope { .. } => "refused, out of scope".to_owned(),
    };
    let parts =
        [format!("{} -> {effect}", in_words(&step.action)), difference(&step.difference), requests(&step.requests)];
    let told: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    told.join("; ")
}

/// Entries of each kind of difference that are told.
const ENTRIES: usize = 4;
/// Characters of an entry.
const ENTRY: usize = 80;

/// What differs on the page, in words.
fn difference(difference: &PageDifference) -> String {
    let list = |word: &str, entries: Vec<String>, all: usize| match entries.is_empty() {
        true => None,
        false => {
            let more = if all > ENTRIES { format!(" and {} more", all - ENTRIES) } else { String::new() };
            Some(format!("{word}: {}{more}", entries.join(", ")))
        }
    };
    let texts = |texts: &[String]| texts.iter().take(ENTRIES).map(|text| shorten(text, ENTRY)).collect::<Vec<_>>();
    let changed = difference.changed.iter().take(ENTRIES).map(|change| {
        let [of, from, to] = [&change.of, &change.from, &change.to].map(|text| shorten(text, ENTRY / 2));
        format!("{of} from \"{from}\" to \"{to}\"")
    });
    let lists = [
        list("appeared", texts(&difference.appeared), difference.appeared.len()),
        list("went", texts(&difference.went), difference.went.len()),
        list("changed", changed.collect(), difference.changed.len()),
    ];
    lists.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// What was sent and how it was answered, in words; what only reads is told where it was refused.
fn requests(requests: &[Request]) -> String {
    let is_told = |request: &&Request| request.method != "GET" || request.status.is_some_and(|status| status >= 400);
    let told = requests.iter().filter(is_told).take(ENTRIES).map(|request| {
        let answer = request.status.map_or("no answer".to_owned(), |status| status.to_string());
        format!("{} {} {answer}", request.method, shorten(&request.path(), ENTRY))
    });
    let told: Vec<String> = told.collect();
    if told.is_empty() { String::new() } else { format!("sent: {}", told.join(", ")) }
}

/// An action in words.
pub(super) fn in_words(action: &Action<Descriptor>) -> String {
    let title = |element: &Descriptor| shorten(&element.title(), 60);
    let text = match action {
        Action::Click { element, .. } => format!("click {}", title(element)),
        Action::Type { element, text, submit } => {
            let enter = if *submit { " and press Enter" } else { "" };
            format!("type \"{text}\" into {}{enter}", title(element))
        }
        Action::Select { element, options } => format!("select \"{}\" in {}", options.join("\", \""), title(element)),
        Action::Check { element, checked: true } => format!("check {}", title(element)),
        Action::Check { element, checked: false } => format!("uncheck {}", title(element)),
        Action::Hover { element } => format!("hover {}", title(element)),
        Action::Press { keys } => format!("press {keys}"),
        Action::Scroll { element: Some(element), direction } => format!("scroll {direction:?} in {}", title(element)),
        Action::Scroll { element: None, direction } => format!("scroll {direction:?}"),
        Action::Drag { element, onto } => format!("drag {} onto {}", title(element), title(onto)),
        Action::Goto { url } => format!("open {url}"),
        other => format!("{:?}", other.kind()),
    };
    shorten(&text, 200)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::effect::ElementChange;

    #[test]
    fn what_differs_and_what_was_sent_is_told_in_few_words() {
        let change = ElementChange { of: "status".into(), from: "open".into(), to: "x".repeat(500) };
        let appeared = (0..9).map(|row| format!("row {row}")).collect();
        let told = difference(&PageDifference { appeared, changed: vec![change], ..PageDifference::default() });
        assert!(
            told.starts_with("appeared: row 0, row 1, row 2, row 3 and 5 more; changed: status from \"open\""),
            "{told}"
        );
        assert!(told.len() < 200, "{told}");
        let request = |method: &str, status| Request {
            method: method.into(),
            url: "http://a.org/orders?x=1".into(),
            status,
            ..Request::default()
        };
        let sent = [request("POST", Some(503)), request("GET", Some(200)), request("PUT", None)];
        assert_eq!(requests(&sent), "sent: POST /orders 503, PUT /orders no answer");
    }
}
