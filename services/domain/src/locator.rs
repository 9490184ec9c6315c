//! How an element is found again, in another session or after a redesign.

use crate::address::of_page;
use crate::geometry::Rect;
use crate::id::ElementId;
use crate::observation::{Frame, Node, Observation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

/// One way to find an element.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Locator {
    /// ARIA role and accessible name, both exact.
    Role {
        /// ARIA role.
        role: String,
        /// Accessible name.
        name: String,
    },
    /// A test id attribute (`data-testid`, `data-test`, `data-cy`, `data-qa`).
    TestId {
        /// The attribute's name.
        attribute: String,
        /// The attribute's value.
        value: String,
    },
    /// The text of the label of a form field, exact.
    Label {
        /// Label text.
        text: String,
    },
    /// The element's own text, exact.
    Text {
        /// Tag name, lower case.
        tag: String,
        /// The text, white space folded.
        text: String,
    },
    /// A CSS selector within the element's frame or shadow root.
    Css {
        /// The selector.
        selector: String,
    },
    /// The absolute XPath within the element's frame or shadow root.
    XPath {
        /// The path.
        path: String,
    },
}

/// Everything known about an element that helps to find it again: locators in order of stability, and its looks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Descriptor {
    /// Locators, the most stable first; never empty.
    pub locators: Vec<Locator>,
    /// For each locator, how many elements of the page it matched when recorded, and which of them (from 0) this one was.
    pub matches: Vec<Position>,
    /// ARIA role.
    pub role: String,
    /// Accessible name.
    pub name: String,
    /// Tag name, lower case.
    pub tag: String,
    /// Surrounding text (METHODS, HxAgent step 1a).
    pub context: String,
    /// Bounding box when recorded.
    pub bounds: Rect,
    /// The chain of frames from the page to the element, each by its XPath; empty for the page itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<String>,
    /// Of a link, the address that it leads to, without the place within that page; absent where it only acts within its page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
}

/// Where an element stood among the elements that a locator matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Position {
    /// Index from 0, in document order.
    pub index: u32,
    /// How many matched.
    pub of: u32,
}

/// Attributes that teams put on elements for tests.
const TEST_ID_ATTRIBUTES: [&str; 4] = ["data-testid", "data-test", "data-cy", "data-qa"];

impl Descriptor {
    /// Describes an element of an observation so that it can be found in another one; `None` when there is no such node.
    pub fn of(observation: &Observation, element: ElementId) -> Option<Descriptor> {
        let node = observation.node(element)?;
        let locators = candidates(node);
        let frames = frame_chain(observation, node.frame);
        Some(Descriptor {
            matches: positions(&locators, observation, element, &frames),
            locators,
            role: node.role.clone(),
            name: node.name.clone(),
            tag: node.tag.clone(),
            context: node.context.clone(),
            bounds: node.bounds,
            frames,
            address: address(observation, node),
        })
    }

    /// Finds the described element in an observation. Locators are tried in order of stability; one counts when it matches
    /// as many elements as it did when recorded, or exactly one.
    pub fn locate(&self, observation: &Observation) -> Located {
        for (rank, (locator, recorded)) in self.locators.iter().zip(&self.matches).enumerate() {
            let found = matching(locator, observation, &self.frames);
            let chosen = match found.as_slice() {
                [only] => Some(*only),
                several if several.len() == recorded.of as usize => several.get(recorded.index as usize).copied(),
                _ => None,
            };
            if let Some(element) = chosen {
                return if rank == 0 { Located::Found(element) } else { Located::Healed { element, rank } };
            }
        }
        Located::Missing
    }

    /// A short name for people: `button "Submit"`.
    pub fn title(&self) -> String {
        let text = if self.name.is_empty() { &self.context } else { &self.name };
        if text.is_empty() { self.role.clone() } else { format!("{} \"{text}\"", self.role) }
    }
}

/// What a search for a described element found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Located {
    /// The most stable locator still fits.
    Found(ElementId),
    /// A less stable locator fits where better ones no longer do.
    Healed {
        /// The element.
        element: ElementId,
        /// Index of the locator that fits.
        rank: usize,
    },
    /// No locator fits.
    Missing,
}

/// Where a link leads, when that is another page.
fn address(observation: &Observation, node: &Node) -> Option<String> {
    let link = node.attributes.get("href")?;
    let frame = observation.frames.get(node.frame as usize);
    let page = Url::parse(frame.map_or(&observation.url, |frame| &frame.url)).ok()?;
    let leads_to = page.join(link.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https")).map(of_page)?;
    (leads_to != of_page(page)).then(|| leads_to.into())
}

fn candidates(node: &Node) -> Vec<Locator> {
    let mut locators = Vec::new();
    for attribute in TEST_ID_ATTRIBUTES {
        if let Some(value) = node.attributes.get(attribute) {
            locators.push(Locator::TestId { attribute: attribute.to_owned(), value: value.clone() });
        }
    }
    if !node.name.is_empty() {
        locators.push(Locator::Role { role: node.role.clone(), name: node.name.clone() });
    }
    if node.is_interactive() && !node.context.is_empty() && node.context != node.name {
        locators.push(Locator::Label { text: node.context.clone() });
    }
    if !node.text.is_empty() && node.text != node.name {
        locators.push(Locator::Text { tag: node.tag.clone(), text: node.text.clone() });
    }
    if let Some(id) = node.attributes.get("id") {
        locators.push(Locator::Css { selector: format!("#{id}") });
    }
    if !node.xpath.is_empty() || locators.is_empty() {
        locators.push(Locator::XPath { path: node.xpath.clone() });
    }
    locators
}

fn fits(locator: &Locator, node: &Node) -> bool {
    match locator {
        Locator::Role { role, name } => node.role == *role && node.name == *name,
        Locator::TestId { attribute, value } => node.attributes.get(attribute) == Some(value),
        Locator::Label { text } => node.is_interactive() && node.context == *text,
        Locator::Text { tag, text } => node.tag == *tag && node.text == *text,
        Locator::Css { selector } => selector.strip_prefix('#').is_some_and(|id| node.attribute("id") == id),
        Locator::XPath { path } => node.xpath == *path,
    }
}

fn matching(locator: &Locator, observation: &Observation, frames: &[String]) -> Vec<ElementId> {
    observation
        .elements()
        .filter(|(_, node)| fits(locator, node) && frame_chain(observation, node.frame) == frames)
        .map(|(id, _)| id)
        .collect()
}

/// Where an element stands among those that each locator matches. One pass over the page, whatever the number of locators.
fn positions(locators: &[Locator], observation: &Observation, element: ElementId, frames: &[String]) -> Vec<Position> {
    let mut positions = vec![Position { index: 0, of: 0 }; locators.len()];
    for (id, node) in observation.elements() {
        for (locator, position) in locators.iter().zip(&mut positions) {
            if fits(locator, node) && frame_chain(observation, node.frame) == frames {
                position.index += u32::from(id < element);
                position.of += 1;
            }
        }
    }
    positions
}

/// The XPaths of the frame elements from the page down to a frame; empty for the page itself.
fn frame_chain(observation: &Observation, frame: u32) -> Vec<String> {
    let mut chain = Vec::new();
    let mut next = observation.frames.get(frame as usize);
    while let Some(Frame { parent: Some(parent), xpath, .. }) = next {
        chain.push(xpath.clone());
        next = observation.frames.get(*parent as usize);
    }
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::ActionKind;

    #[test]
    fn what_was_described_is_found_on_the_same_page() {
        let node = |tag: &str, context: &str, operations: &[ActionKind]| Node {
            tag: tag.to_owned(),
            role: tag.to_owned(),
            context: context.to_owned(),
            text: "same".to_owned(),
            operations: operations.to_vec(),
            ..Node::default()
        };
        let nodes = [node("p", "Amount", &[]), node("input", "Amount", &[ActionKind::Type]), node("p", "Total", &[])];
        let page = Observation { nodes: nodes.into_iter().collect(), ..Observation::default() };
        for (id, _) in page.elements() {
            let described = Descriptor::of(&page, id).expect("a node");
            assert_eq!(described.locate(&page), Located::Found(id), "{described:?}");
        }
    }
}
