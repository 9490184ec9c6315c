//! Actions, effects and steps in words: the one wording of prompts, reports, exports and incidents. Pure.
//!
//! An action reads `click button "Book"`, a step `click button "Book" -> rejected: choose a day`. Text of pages is
//! quoted as it is: whoever displays it must escape or delimit it.

use crate::action::{Claim, Direction};
use crate::observation::Request;
use crate::text::shorten;
use crate::{Action, Descriptor, Effect, PageDifference, Step};

/// How much detail is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    /// Characters of the name of an element.
    pub name: usize,
    /// Characters of an action.
    pub action: usize,
    /// Characters of a cause or message.
    pub cause: usize,
    /// Entries of each kind of difference, and requests.
    pub entries: usize,
    /// Characters of an entry; what an element was and is has half of them each.
    pub entry: usize,
    /// Whether requests are told with the host that they went to.
    pub hosts: bool,
}

impl Detail {
    /// For prompts, which cost tokens.
    pub const BRIEF: Detail = Detail { name: 60, action: 200, cause: 100, entries: 4, entry: 80, hosts: false };
    /// For people who look into what happened.
    pub const FULL: Detail = Detail {
        name: 80,
        action: 400,
        cause: usize::MAX,
        entries: PageDifference::MOST,
        entry: usize::MAX,
        hosts: true,
    };
}

/// An element: its kind and what a person would call it.
pub fn element(element: &Descriptor, detail: &Detail) -> String {
    let kind = if matches!(element.role.as_str(), "" | "generic") { &element.tag } else { &element.role };
    match [&element.name, &element.context].into_iter().find(|text| !text.is_empty()) {
        Some(label) => format!("{kind} \"{}\"", shorten(label, detail.name)),
        None => format!("unnamed {kind}"),
    }
}

/// An action.
pub fn action(action: &Action<Descriptor>, detail: &Detail) -> String {
    let name = |element: &Descriptor| self::element(element, detail);
    let text = match action {
        Action::Click { element, count: 2.., .. } => format!("double-click {}", name(element)),
        Action::Click { element, .. } => format!("click {}", name(element)),
        Action::Type { element, text, submit } => {
            let enter = if *submit { " and press Enter" } else { "" };
            format!("type \"{text}\" into {}{enter}", name(element))
        }
        Action::Select { element, options } => format!("select \"{}\" in {}", options.join("\", \""), name(element)),
        Action::Check { element, checked: true } => format!("check {}", name(element)),
        Action::Check { element, checked: false } => format!("uncheck {}", name(element)),
        Action::Hover { element } => format!("hover over {}", name(element)),
        Action::Press { keys } => format!("press {keys}"),
        Action::Scroll { element: Some(element), direction } => {
            format!("scroll {} in {}", way(*direction), name(element))
        }
        Action::Scroll { element: None, direction } => format!("scroll {}", way(*direction)),
        Action::Drag { element, onto } => format!("drag {} onto {}", name(element), name(onto)),
        Action::Upload { element, files } => format!("upload {} to {}", files.join(", "), name(element)),
        Action::Goto { url } => format!("open {url}"),
        Action::Back => "go back".to_owned(),
        Action::Forward => "go forward".to_owned(),
        Action::NewTab => "open a tab".to_owned(),
        Action::SwitchTab { tab } => format!("switch to tab {}", tab + 1),
        Action::CloseTab => "close the tab".to_owned(),
        Action::AcceptDialog { text: Some(text) } => format!("answer the dialog with \"{text}\""),
        Action::AcceptDialog { text: None } => "accept the dialog".to_owned(),
        Action::DismissDialog => "dismiss the dialog".to_owned(),
        Action::Wait { milliseconds } => format!("wait {milliseconds} ms"),
        Action::Stop { claim, answer } => stop(claim, answer.as_deref()),
    };
    shorten(&text, detail.action)
}

fn way(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "up",
        Direction::Down => "down",
        Direction::Left => "to the left",
        Direction::Right => "to the right",
    }
}

fn stop(claim: &Claim, answer: Option<&str>) -> String {
    let claim = match claim {
        Claim::Done => "say that it is done".to_owned(),
        Claim::Infeasible { reason } => format!("say that it cannot be done: {reason}"),
        Claim::GaveUp { reason } => format!("give up: {reason}"),
    };
    answer.map_or(claim.clone(), |answer| format!("{claim}, and answer \"{answer}\""))
}

/// What an action did.
pub fn effect(effect: &Effect, detail: &Detail) -> String {
    match effect {
        Effect::Changed { what } if what.is_empty() => "changed".to_owned(),
        Effect::Changed { what } => format!("changed {}", what.join(", ")),
        Effect::NoChange => "nothing changed".to_owned(),
        Effect::Rejected { message } => format!("rejected: {}", shorten(message, detail.cause)),
        Effect::Failed { cause } => format!("failed: {}", shorten(cause, detail.cause)),
        Effect::Unconfirmed { cause } => format!("sent, not confirmed: {}", shorten(cause, detail.cause)),
        Effect::LeftScope { url } => format!("refused, out of scope: {}", shorten(url, detail.cause)),
    }
}

/// What differs on the page after an action: a line for each kind of difference.
pub fn difference(difference: &PageDifference, detail: &Detail) -> Vec<String> {
    let changed: Vec<String> =
        changes(difference, detail).map(|[of, from, to]| format!("{of} from \"{from}\" to \"{to}\"")).collect();
    let lists = [
        list("appeared:", &texts(&difference.appeared, detail), difference.appeared.len()),
        list("went:", &texts(&difference.went, detail), difference.went.len()),
        list("changed:", &changed, difference.changed.len()),
        (difference.more > 0).then(|| format!("{} more differences", difference.more)),
    ];
    lists.into_iter().flatten().collect()
}

/// Entries of a list behind what they are, and how many there are besides; none for an empty list.
fn list(kind: &str, entries: &[String], all: usize) -> Option<String> {
    let more = if all > entries.len() { format!(" and {} more", all - entries.len()) } else { String::new() };
    (!entries.is_empty()).then(|| format!("{kind} {}{more}", entries.join(", ")))
}

fn texts(texts: &[String], detail: &Detail) -> Vec<String> {
    texts.iter().take(detail.entries).map(|text| shorten(text, detail.entry)).collect()
}

/// What changed: the element, what it was and what it is.
fn changes(difference: &PageDifference, detail: &Detail) -> impl Iterator<Item = [String; 3]> {
    let most = detail.entry / 2;
    let shown = difference.changed.iter().take(detail.entries);
    shown.map(move |change| [&change.of, &change.from, &change.to].map(|text| shorten(text, most)))
}

/// A request and its answer.
pub fn request(request: &Request, detail: &Detail) -> String {
    let address = if detail.hosts { request.url.clone() } else { request.path() };
    let answer = request.status.map_or("no answer".to_owned(), |status| status.to_string());
    format!("{} {} {answer}", request.method, shorten(&address, detail.entry))
}

/// What a step was and what came of it. Requests that only read are told where they were refused.
pub fn step(step: &Step, detail: &Detail) -> String {
    let mut came = outcome(&step.effect, &step.difference, detail);
    came.extend(in_short(&step.difference, detail));
    let came = if came.is_empty() { effect(&step.effect, detail) } else { came.join("; ") };
    let mut told = vec![format!("{} -> {came}", action(&step.action, detail))];
    let is_told = |request: &&Request| request.method != "GET" || request.status.is_some_and(|status| status >= 400);
    let sent = step.requests.iter().filter(is_told).take(detail.entries);
    let sent: Vec<String> = sent.map(|request| self::request(request, detail)).collect();
    if !sent.is_empty() {
        told.push(format!("sent: {}", sent.join(", ")));
    }
    told.join("; ")
}

/// What came of an action besides what differs on the page; nothing where that says it.
fn outcome(effect: &Effect, difference: &PageDifference, detail: &Detail) -> Vec<String> {
    let Effect::Changed { what } = effect else { return vec![self::effect(effect, detail)] };
    if difference.is_empty() {
        return Vec::new();
    }
    let is_told =
        |what: &&String| !matches!(what.as_str(), "content" | "value" | "state" | "focus" | "request" | "title");
    let other: Vec<&str> = what.iter().filter(is_told).map(String::as_str).collect();
    if other.is_empty() { Vec::new() } else { vec![format!("changed {}", other.join(", "))] }
}

/// What differs on the page after an action, in signs: `+ menu: Save`, `- row 2`, `textbox "Name" "a" → "ab"`.
fn in_short(difference: &PageDifference, detail: &Detail) -> Vec<String> {
    let changed = changes(difference, detail).map(|[of, from, to]| format!("{of} \"{from}\" → \"{to}\""));
    let left_out = difference.changed.len().saturating_sub(detail.entries) + difference.more as usize;
    let lists = [
        list("+", &texts(&difference.appeared, detail), difference.appeared.len()),
        list("-", &texts(&difference.went, detail), difference.went.len()),
    ];
    let rest = (left_out > 0).then(|| format!("{left_out} more differences"));
    lists.into_iter().flatten().chain(changed).chain(rest).collect()
}

/// Words as a sentence of their own begins.
pub fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::ElementChange;
    use crate::geometry::Rect;

    fn descriptor(role: &str, tag: &str, name: &str, context: &str) -> Descriptor {
        Descriptor {
            locators: Vec::new(),
            matches: Vec::new(),
            role: role.into(),
            name: name.into(),
            tag: tag.into(),
            context: context.into(),
            bounds: Rect::default(),
            frames: Vec::new(),
            address: None,
            place: String::new(),
        }
    }

    #[test]
    fn an_element_is_called_by_its_kind_and_the_best_of_its_names() {
        let brief = |role, tag, name, context| element(&descriptor(role, tag, name, context), &Detail::BRIEF);
        assert_eq!(brief("button", "button", "Book", "a form"), "button \"Book\"");
        assert_eq!(brief("generic", "div", "", "Day 1"), "div \"Day 1\"");
        assert_eq!(brief("", "span", "", ""), "unnamed span");
        assert_eq!(brief("link", "a", &"x".repeat(80), ""), format!("link \"{}…\"", "x".repeat(60)));
    }

    #[test]
    fn every_action_is_a_short_clause() {
        let field = || descriptor("textbox", "input", "Name", "");
        let say = |action: Action<Descriptor>| super::action(&action, &Detail::BRIEF);
        assert_eq!(say(Action::click(field())), "click textbox \"Name\"");
        assert_eq!(say(Action::Click { element: field(), at: None, count: 2 }), "double-click textbox \"Name\"");
        let typed = Action::Type { element: field(), text: "Anna".into(), submit: true };
        assert_eq!(say(typed), "type \"Anna\" into textbox \"Name\" and press Enter");
        let chosen = Action::Select { element: field(), options: vec!["A".into(), "B".into()] };
        assert_eq!(say(chosen), "select \"A\", \"B\" in textbox \"Name\"");
        assert_eq!(say(Action::Scroll { element: None, direction: Direction::Down }), "scroll down");
        assert_eq!(say(Action::SwitchTab { tab: 1 }), "switch to tab 2");
        assert_eq!(say(Action::Goto { url: "http://a.org/".into() }), "open http://a.org/");
        let claim = Claim::Infeasible { reason: "no such page".into() };
        let stopped = Action::Stop { claim, answer: Some("42".into()) };
        assert_eq!(say(stopped), "say that it cannot be done: no such page, and answer \"42\"");
        let long = Action::Type { element: field(), text: "x".repeat(900), submit: false };
        assert_eq!(say(long).chars().count(), Detail::BRIEF.action + 1, "cut, and the cut marked");
    }

    #[test]
    fn what_differs_is_told_in_few_words_and_with_what_was_left_out() {
        let change = ElementChange { of: "status".into(), from: "open".into(), to: "x".repeat(500) };
        let appeared = (0..9).map(|row| format!("row {row}")).collect();
        let told = PageDifference { appeared, changed: vec![change], more: 3, ..PageDifference::default() };
        let lines = difference(&told, &Detail::BRIEF);
        assert_eq!(lines[0], "appeared: row 0, row 1, row 2, row 3 and 5 more");
        assert!(lines[1].starts_with("changed: status from \"open\" to \"xxx") && lines[1].len() < 100, "{lines:?}");
        assert_eq!(lines[2], "3 more differences");
        assert!(difference(&told, &Detail::FULL)[0].ends_with("row 8"));
    }

    #[test]
    fn a_step_tells_what_differs_and_not_that_something_changed() {
        let changed = Effect::Changed { what: vec!["content".into(), "url".into()] };
        let change = ElementChange { of: "textbox \"Name\"".into(), from: "a".into(), to: "ab".into() };
        let differs =
            PageDifference { appeared: vec!["menu: Save".into()], changed: vec![change], ..PageDifference::default() };
        let told = |effect: &Effect, difference: &PageDifference| {
            let mut told = outcome(effect, difference, &Detail::BRIEF);
            told.extend(in_short(difference, &Detail::BRIEF));
            told.join("; ")
        };
        assert_eq!(told(&changed, &differs), "changed url; + menu: Save; textbox \"Name\" \"a\" → \"ab\"");
        assert_eq!(told(&changed, &PageDifference::default()), "");
        assert_eq!(told(&Effect::NoChange, &PageDifference::default()), "nothing changed");
    }

    #[test]
    fn requests_are_told_with_their_answers_and_hosts_only_in_full() {
        let sent = |status| Request {
            method: "POST".into(),
            url: "http://a.org/orders?x=1".into(),
            status,
            ..Request::default()
        };
        assert_eq!(request(&sent(Some(503)), &Detail::BRIEF), "POST /orders 503");
        assert_eq!(request(&sent(None), &Detail::FULL), "POST http://a.org/orders?x=1 no answer");
    }
}
