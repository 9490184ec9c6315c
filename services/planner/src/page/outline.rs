//! The page in words: its visible text line by line, with the elements that can be acted on where they stand: as numbers, where a list of
//! actions describes them, or in brackets with their words.
//!
//! What is said of an element is not said again. Things side by side share a line, so that a table reads as a table, and a sentence stays
//! whole with the controls that stand in it.

use super::actions::Actions;
use super::bracket::plain;
use super::look::SHOWN;
use domain::text::{fold, shorten};
use domain::{ElementId, Node, Observation};
use std::collections::{HashMap, HashSet};

/// Half the height of a line of small text: centres nearer than this are side by side.
const SAME_LINE: f64 = 6.0;
/// Characters of a text that is told as one sentence with what stands in it.
const SENTENCE: usize = 400;
/// The most parts of such a sentence.
const PARTS: usize = 12;

/// The text of a page. Without a list of actions it has no numbers, all words.
pub fn outline(observation: &Observation, actions: &Actions) -> String {
    let mut children: HashMap<u32, Vec<ElementId>> = HashMap::new();
    for (id, node) in observation.elements() {
        if let Some(parent) = node.parent {
            children.entry(parent.0).or_default().push(id);
        }
    }
    let mut writer = Writer { observation, actions, children, told: HashSet::new() };
    let mut text = String::new();
    let mut line: Option<f64> = None;
    for (id, node) in observation.elements() {
        let Some(piece) = writer.piece(id, node) else { continue };
        let middle = node.bounds.center().y;
        if let Some(before) = line {
            let beside = (middle - before).abs() < SAME_LINE;
            text.push_str(if beside { " " } else { "\n" });
        }
        text.push_str(&piece);
        line = Some(middle);
    }
    text
}

/// Writes a page piece by piece.
struct Writer<'a> {
    observation: &'a Observation,
    actions: &'a Actions,
    children: HashMap<u32, Vec<ElementId>>,
    /// What stands in a sentence that was written.
    told: HashSet<ElementId>,
}

impl Writer<'_> {
    fn piece(&mut self, id: ElementId, node: &Node) -> Option<String> {
        if self.told.contains(&id) {
            return None;
        }
        if let Some(number) = self.numbered(id) {
            return Some(match self.rest(id, node) {
                Some(rest) => format!("{number} {}", self.plain(&rest)),
                None => number,
            });
        }
        let own = if node.text.is_empty() { node.label() } else { &node.text };
        let holds_more = node.value.is_some() || node.states.disabled;
        let is_told = |(ancestor, above): (ElementId, &Node)| {
            // More is not shown of an element than this.
            self.actions.numbers.contains_key(&ancestor.0) && fold(&shorten(above.label(), SHOWN)).contains(&fold(own))
        };
        if !holds_more && self.observation.ancestors(id).any(is_told) {
            return None;
        }
        if let Some(sentence) = self.sentence(id, node) {
            return Some(sentence);
        }
        let children = self.children.get(&id.0);
        let own = self.own_text(node, children.map_or(&[], Vec::as_slice));
        let text = if own.is_empty() && children.is_none() { node.label() } else { &own };
        (!text.is_empty()).then(|| with_state(node, self.plain(text)))
    }

    /// What a long element without parts says behind what is told of it.
    fn rest(&self, id: ElementId, node: &Node) -> Option<String> {
        if !self.actions.is_in_place() || self.children.contains_key(&id.0) || node.label() != node.text {
            return None;
        }
        let rest: String = fold(&node.text).chars().skip(SHOWN).collect();
        (!rest.is_empty()).then(|| format!("…{rest}"))
    }

    /// An element as it stands in the text: its number, or all that is told of it.
    fn numbered(&self, id: ElementId) -> Option<String> {
        let number = self.actions.numbers.get(&id.0)?;
        Some(self.actions.brackets.get(&id.0).cloned().unwrap_or_else(|| format!("[{number}]")))
    }

    fn plain(&self, text: &str) -> String {
        if self.actions.is_in_place() { plain(text) } else { text.to_owned() }
    }

    /// A text with what stands in it, each in its place; none where it has no words of its own, or is too long to be one sentence.
    fn sentence(&mut self, id: ElementId, node: &Node) -> Option<String> {
        let parts = self.children.get(&id.0)?.clone();
        if parts.len() > PARTS || node.text.chars().count() > SENTENCE || self.own_text(node, &parts).is_empty() {
            return None;
        }
        let texts = parts.iter().filter_map(|part| self.observation.node(*part)).map(|part| !part.text.is_empty());
        // Where a field without words stands between two texts is not to be told.
        if texts.skip_while(|has_text| !has_text).any(|has_text| !has_text) {
            return None;
        }
        let mut rest = node.text.as_str();
        let mut written = String::new();
        let mut told = Vec::new();
        for part in parts {
            let inner = self.observation.node(part)?;
            let numbered = self.numbered(part);
            if inner.text.is_empty() {
                // A control without words stands where it comes in the document.
                if let Some(number) = numbered {
                    written.push_str(&number);
                    written.push(' ');
                    told.push(part);
                }
                continue;
            }
            let at = find_word(rest, &inner.text)?;
            let is_leaf = !self.children.contains_key(&part.0);
            if numbered.is_none() && !is_leaf {
                return None;
            }
            written.push_str(&self.plain(&rest[..at]));
            written.push_str(&numbered.unwrap_or_else(|| with_state(inner, self.plain(&inner.text))));
            rest = &rest[at + inner.text.len()..];
            told.push(part);
        }
        written.push_str(&self.plain(rest));
        self.told.extend(told);
        Some(fold(&written))
    }

    /// The text of a node without that of its children, which stands in lines of its own.
    fn own_text(&self, node: &Node, children: &[ElementId]) -> String {
        let mut rest = node.text.clone();
        for child in children.iter().filter_map(|child| self.observation.node(*child)) {
            if let Some(at) = rest.find(&child.text).filter(|_| !child.text.is_empty()) {
                rest.replace_range(at..at + child.text.len(), " ");
            }
        }
        fold(&rest)
    }
}

/// Where a text begins within another one, as whole words.
fn find_word(text: &str, wanted: &str) -> Option<usize> {
    let is_edge = |sign: Option<char>| sign.is_none_or(|sign| !sign.is_alphanumeric());
    text.match_indices(wanted).map(|(at, _)| at).find(|at| {
        let (before, behind) = (text.get(..*at), text.get(at + wanted.len()..));
        is_edge(before.and_then(|text| text.chars().next_back()))
            && is_edge(behind.and_then(|text| text.chars().next()))
    })
}

/// A text with what it holds and that it cannot be used, where it is of a control without a number.
fn with_state(node: &Node, text: String) -> String {
    let value = node.value.as_deref().filter(|value| !value.is_empty() && *value != text);
    let text = value.map_or(text.clone(), |value| format!("{text}: \"{}\"", shorten(value, SHOWN)));
    if node.states.disabled && node.is_interactive() { format!("{text} (disabled)") } else { text }
}
