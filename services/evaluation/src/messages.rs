//! Messages that a page shows for some seconds: toasts, snack bars, lines of status. Pure.

use crate::facts::PageLook;
use domain::ElementId;
use domain::observation::{Node, Observation};
use domain::page::VisibleText;
use domain::text::fold;
use std::collections::HashMap;

/// Whether all that is different between two examinations of a page is that messages are gone.
///
/// A message is what the page marks as told to people: a status, an alert, a log. Whatever else is new, gone or in another state – a
/// text, a value, a box that is no longer checked – may take the message back, and makes this false.
pub fn only_they_went(before: &PageLook, now: &PageLook) -> bool {
    let (Some(texts_before), Some(texts_now)) = (&before.texts, &now.texts) else { return false };
    let (seen_before, seen_now) = (&before.observation, &now.observation);
    let mut gone = lines(texts_before);
    for line in lines(texts_now) {
        let Some(at) = gone.iter().position(|other| *other == line) else { return false };
        gone.swap_remove(at);
    }
    let messages: Vec<String> = seen_before
        .elements()
        .filter(|(id, _)| is_message(seen_before, *id))
        .map(|(_, node)| fold(&format!("{} {}", node.text, node.name)))
        .collect();
    let of_messages = gone.iter().all(|line| messages.iter().any(|message| message.contains(line.as_str())));
    seen_before.url == seen_now.url
        && before.page_states == now.page_states
        && of_messages
        && only_message_nodes_went(seen_before, seen_now)
}

fn lines(texts: &[VisibleText]) -> Vec<String> {
    let lines = texts.iter().flat_map(|text| text.text.lines()).map(fold);
    lines.filter(|line| !line.is_empty()).collect()
}

fn only_message_nodes_went(before: &Observation, now: &Observation) -> bool {
    let mut left: HashMap<Shown, usize> = HashMap::new();
    for (id, node) in now.elements() {
        *left.entry(shown(now, id, node)).or_default() += 1;
    }
    for (id, node) in before.elements() {
        match left.get_mut(&shown(before, id, node)) {
            Some(count) if *count > 0 => *count -= 1,
            _ if is_message(before, id) => {}
            _ => return false,
        }
    }
    left.into_values().all(|count| count == 0)
}

/// What people see of a node, wherever it stands: role, name, own text, value, and whether it is checked, selected, unfolded, off.
type Shown = (String, String, String, Option<String>, [Option<bool>; 4]);

fn shown(observation: &Observation, id: ElementId, node: &Node) -> Shown {
    let states = &node.states;
    let own = [states.checked, states.selected, states.expanded, Some(states.disabled)];
    (node.role.clone(), node.name.clone(), own_text(observation, id, node), node.value.clone(), own)
}

/// The text of a node without that of its children, which are compared by themselves.
fn own_text(observation: &Observation, id: ElementId, node: &Node) -> String {
    let mut text = node.text.clone();
    for (_, child) in observation.children(id).filter(|(_, child)| !child.text.is_empty()) {
        if let Some(at) = text.find(&child.text) {
            text.replace_range(at..at + child.text.len(), " ");
        }
    }
    fold(&text)
}

/// Whether a node is, or stands in, what the page marks as a message.
fn is_message(observation: &Observation, id: ElementId) -> bool {
    let marks = |node: &Node| {
        matches!(node.role.as_str(), "status" | "alert" | "log")
            || matches!(node.attribute("aria-live"), "polite" | "assertive")
    };
    observation.node(id).is_some_and(marks) || observation.ancestors(id).any(|(_, node)| marks(node))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::observation::States;

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
        let plain = page(vec![node("paragraph", "Inbox"), node("paragraph", "1 message archived")]);
        assert!(!only_they_went(&plain, &page(vec![node("paragraph", "Inbox")])), "what went is no message");
        let unread = PageLook { texts: None, ..page(vec![node("paragraph", "Inbox")]) };
        assert!(!only_they_went(&before, &unread), "what cannot be read tells nothing");
    }

    #[test]
    fn a_state_that_goes_back_takes_the_message_back() {
        let star =
            |on: bool| Node { states: States { checked: Some(on), ..States::default() }, ..node("checkbox", "Star") };
        let before = page(vec![star(true), node("status", "Starred")]);
        assert!(only_they_went(&before, &page(vec![star(true)])));
        assert!(!only_they_went(&before, &page(vec![star(false)])));
    }
}
