//! Messages that a page shows for some seconds: toasts, snack bars, lines of status. Pure.

use crate::facts::PageLook;
use domain::observation::{Node, Observation, States};
use domain::page::VisibleText;
use domain::text::fold;

/// Whether all that is different between two examinations of a page is that messages are gone.
///
/// A message is what the page marks as told to people, a status or an alert, and what is gone of it is gone as a whole. Whatever else is
/// new, gone, in another state or in another place may take the message back, and makes this false.
pub fn only_they_went(before: &PageLook, now: &PageLook) -> bool {
    let (Some(texts_before), Some(texts_now)) = (&before.texts, &now.texts) else { return false };
    let (seen_before, seen_now) = (&before.observation, &now.observation);
    let gone: Vec<String> = match without(&lines(texts_before), &lines(texts_now)) {
        Some(gone) => gone.into_iter().cloned().collect(),
        None => return false,
    };
    let (all_before, all_now) = (shown(seen_before), shown(seen_now));
    let kept: Vec<&Shown<'_>> = all_before.iter().filter(|node| !node.is_message).collect();
    let left: Vec<&Shown<'_>> = all_now.iter().filter(|node| !node.is_message).collect();
    let told_before: Vec<&Shown<'_>> = all_before.iter().filter(|node| node.is_message).collect();
    // A region that stays holds nothing any more.
    let is_silent = all_now.iter().all(|node| !node.is_message || node.is_empty());
    let of_messages = gone.iter().all(|line| told_before.iter().any(|node| node.all_text.contains(line.as_str())));
    seen_before.url == seen_now.url && before.page_states == now.page_states && of_messages && is_silent && kept == left
}

/// What is left out of a list so that another one remains, in order; none where something else stands in that.
fn without<'a, T: PartialEq>(all: &'a [T], rest: &[T]) -> Option<Vec<&'a T>> {
    let mut rest = rest.iter().peekable();
    let mut out = Vec::new();
    for one in all {
        match rest.peek() {
            Some(next) if *next == one => drop(rest.next()),
            _ => out.push(one),
        }
    }
    rest.peek().is_none().then_some(out)
}

fn lines(texts: &[VisibleText]) -> Vec<String> {
    let lines = texts.iter().flat_map(|text| text.text.lines()).map(fold);
    lines.filter(|line| !line.is_empty()).collect()
}

/// What people see of a node.
#[derive(Debug)]
struct Shown<'a> {
    node: &'a Node,
    /// Its text without that of its children, which are compared by themselves.
    own_text: String,
    all_text: String,
    /// Whether it is, or stands in, a message.
    is_message: bool,
}

impl Shown<'_> {
    fn is_empty(&self) -> bool {
        self.all_text.is_empty() && !self.node.is_interactive()
    }
}

impl PartialEq for Shown<'_> {
    fn eq(&self, other: &Self) -> bool {
        let states = |node: &Node| States { focused: false, ..node.states.clone() };
        let (one, two) = (self.node, other.node);
        let same_look = one.icon == two.icon && one.color == two.color && one.attributes == two.attributes;
        (&one.role, &one.name, &one.value, &one.options) == (&two.role, &two.name, &two.value, &two.options)
            && self.own_text == other.own_text
            && states(one) == states(two)
            && same_look
    }
}

/// The nodes of a page in document order. What holds a message and nothing else of its own is compared by its other children.
fn shown(observation: &Observation) -> Vec<Shown<'_>> {
    let mut all: Vec<Shown<'_>> = Vec::with_capacity(observation.nodes.len());
    for (_, node) in observation.elements() {
        let within = node.parent.and_then(|parent| all.get(parent.0 as usize)).is_some_and(|parent| parent.is_message);
        let all_text = fold(&node.text);
        all.push(Shown { node, own_text: node.text.clone(), all_text, is_message: within || is_message(node) });
    }
    for (_, node) in observation.elements().filter(|(_, node)| !node.text.is_empty()) {
        let Some(parent) = node.parent.and_then(|parent| all.get_mut(parent.0 as usize)) else { continue };
        if let Some(at) = parent.own_text.find(&node.text) {
            parent.own_text.replace_range(at..at + node.text.len(), " ");
        }
    }
    for one in &mut all {
        one.own_text = fold(&one.own_text);
    }
    all
}

/// Whether the page marks a node as a message.
fn is_message(node: &Node) -> bool {
    matches!(node.role.as_str(), "status" | "alert")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(nodes: Vec<Node>) -> PageLook {
        let text = nodes.iter().map(|node| node.text.as_str()).collect::<Vec<_>>().join("\n");
        let observation = Observation { nodes: nodes.into(), ..Observation::default() };
        let texts = Some(vec![VisibleText { frame: 0, text }]);
        PageLook { observation: observation.into(), texts, ..PageLook::default() }
    }

    fn node(role: &str, text: &str) -> Node {
        Node { role: role.into(), tag: "p".into(), text: text.to_owned(), ..Node::default() }
    }

    #[test]
    fn a_message_that_goes_takes_nothing_back_unless_something_else_changes() {
        let before = page(vec![node("paragraph", "Inbox"), node("status", "1 message archived")]);
        assert!(only_they_went(&before, &page(vec![node("paragraph", "Inbox")])));
        let back = page(vec![node("paragraph", "Inbox"), node("paragraph", "Lunch on Friday?")]);
        assert!(!only_they_went(&before, &back), "the message is in the inbox again");
        let refused = page(vec![node("paragraph", "Inbox"), node("status", "It could not be archived")]);
        assert!(!only_they_went(&before, &refused));
        let moved = page(vec![node("paragraph", "A"), node("paragraph", "B"), node("status", "Moved")]);
        assert!(!only_they_went(&moved, &page(vec![node("paragraph", "B"), node("paragraph", "A")])));
        let log = page(vec![node("paragraph", "Inbox"), node("log", "me: hello")]);
        assert!(!only_they_went(&log, &page(vec![node("paragraph", "Inbox")])), "what was said is no message about it");
        let plain = page(vec![node("paragraph", "Inbox"), node("paragraph", "1 message archived")]);
        assert!(!only_they_went(&plain, &page(vec![node("paragraph", "Inbox")])), "what went is no message");
        let unread = PageLook { texts: None, ..page(vec![node("paragraph", "Inbox")]) };
        assert!(!only_they_went(&before, &unread), "what cannot be read tells nothing");
    }

    #[test]
    fn a_state_that_goes_back_takes_the_message_back() {
        let star =
            |on: bool| Node { states: States { checked: Some(on), ..States::default() }, ..node("checkbox", "Star") };
        let pressed =
            |on: bool| Node { states: States { pressed: Some(on), ..States::default() }, ..node("button", "Star") };
        let before = page(vec![pressed(true), node("status", "Starred")]);
        assert!(!only_they_went(&before, &page(vec![pressed(false)])));
        let before = page(vec![star(true), node("status", "Starred")]);
        assert!(only_they_went(&before, &page(vec![star(true)])));
        assert!(!only_they_went(&before, &page(vec![star(false)])));
    }
}
