//! How an element is found again, in another session or after a redesign.

mod identity;

use crate::address::of_page;
use crate::destructive;
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
    /// Surrounding text (HxAgent, section 4.1).
    pub context: String,
    /// Bounding box when recorded.
    pub bounds: Rect,
    /// The chain of frames from the page to the element, each by its XPath; empty for the page itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<String>,
    /// Of a link, the address that it leads to, without the place within that page; absent where it only acts within its page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// What the item that it stands in (a row, a card, a dialog) says, or else how its form is called; empty where it is in
    /// neither.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
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
            place: place(observation, element),
        })
    }

    /// Finds the described element: by its most stable locator if it matches as when recorded, else by two or more
    /// agreeing properties. A position in the document alone is not enough, and among equal candidates none is chosen.
    pub fn locate(&self, observation: &Observation) -> LocateOutcome {
        if let Some(element) = self.by_first(observation) {
            return LocateOutcome::Found(element);
        }
        let first = self.most_stable().map(|(index, _)| index);
        match identity::of(self, observation) {
            // The locator matches several, but only this one agrees in another property.
            Some((element, rank)) if Some(rank) == first => LocateOutcome::Found(element),
            Some((element, rank)) => LocateOutcome::Healed { element, rank },
            None => self
                .by_test_id(observation)
                .or_else(|| self.by_id(observation))
                .map_or(LocateOutcome::Missing, |(element, rank)| LocateOutcome::Healed { element, rank }),
        }
    }

    /// Why [`Self::locate`] found nothing, as a sentence.
    pub fn missing(&self, observation: &Observation) -> String {
        let first = self.most_stable();
        let fitting = first.map_or(0, |(_, locator)| matching(locator, observation, &self.frames).len());
        let recorded = first.and_then(|(index, _)| self.matches.get(index)).map_or(1, |position| position.of);
        match fitting {
            0 => format!("{} was not found by any of its {} locators", self.title(), self.locators.len()),
            _ if recorded > 1 => {
                format!("{} was one of {recorded}, and of the {fitting} that are there none is surely it", self.title())
            }
            1 => format!("what {} was found by belongs to something of another name now", self.title()),
            _ => format!("{} is ambiguous: {fitting} elements fit where one did", self.title()),
        }
    }

    /// The element that the most stable locator finds.
    fn by_first(&self, observation: &Observation) -> Option<ElementId> {
        let (index, locator) = self.most_stable()?;
        let recorded = self.matches.get(index).copied().unwrap_or(Position { index: 0, of: 1 });
        let mut found = matching(locator, observation, &self.frames);
        found.retain(|element| observation.node(*element).is_some_and(|node| self.may_be(locator, node)));
        if found.is_empty() {
            found = self.named_by_label(locator, observation);
        }
        if found.len() > 1 && !self.place.is_empty() {
            let same = |element: &&ElementId| place(observation, **element) == self.place;
            let here: Vec<ElementId> = found.iter().filter(same).copied().collect();
            if let [only] = here.as_slice() {
                return Some(*only);
            }
        }
        match found.as_slice() {
            // A position alone says nothing of what stands there now.
            [only] if recorded.of <= 1 && !matches!(locator, Locator::XPath { .. }) => Some(*only),
            // If several matched when recorded, this may be another one of them.
            [only] => Some(*only).filter(|only| self.stands_alike(observation, *only)),
            several if recorded.of > 1 && several.len() == recorded.of as usize => {
                let element = several.get(recorded.index as usize).copied();
                element.filter(|element| self.stands_alike(observation, *element))
            }
            _ => None,
        }
    }

    /// Fields that are called as a label says: other tools mean a field's name by it, wherever the page gives it. In recordings of our own
    /// a label is never the name.
    fn named_by_label(&self, locator: &Locator, observation: &Observation) -> Vec<ElementId> {
        let Locator::Label { text } = locator else { return Vec::new() };
        let is_it = |node: &Node| {
            *text == self.name
                && node.name == *text
                && node.is_field()
                && node.role == self.role
                && frame_chain(observation, node.frame) == self.frames
        };
        observation.elements().filter(|(_, node)| is_it(node)).map(|(id, _)| id).collect()
    }

    /// The only element with a recorded test id, of the same kind but called otherwise: a test id is put there to tell elements apart,
    /// whatever they say. Not where the new name is that of a command which cannot be undone.
    fn by_test_id(&self, observation: &Observation) -> Option<(ElementId, usize)> {
        let is_test_id = |(_, locator): &(usize, &Locator)| matches!(locator, Locator::TestId { .. });
        let (rank, locator) = self.locators.iter().enumerate().find(is_test_id)?;
        let found = matching(locator, observation, &self.frames);
        let [only] = found.as_slice() else { return None };
        let node = observation.node(*only)?;
        let is_harmless = destructive::command(node.label()).is_none();
        (is_harmless && node.role == self.role && node.tag == self.tag).then_some((*only, rank))
    }

    /// The only element with a recorded id, of the same kind, in the same place, and called the same but for an article: `Save the invoice`
    /// is `Save invoice`. An id with a number follows the order of the page.
    fn by_id(&self, observation: &Observation) -> Option<(ElementId, usize)> {
        let is_id = |(_, locator): &(usize, &Locator)| {
            matches!(locator, Locator::Css { selector }
                if selector.starts_with('#') && !selector.contains(|sign: char| sign.is_ascii_digit()))
        };
        let (rank, locator) = self.locators.iter().enumerate().find(is_id)?;
        let found = matching(locator, observation, &self.frames);
        let [only] = found.as_slice() else { return None };
        let node = observation.node(*only)?;
        let is_kind = node.role == self.role && node.tag == self.tag && self.stands_alike(observation, *only);
        let (before, now) = (without_articles(&self.name), without_articles(&node.name));
        (is_kind && !before.is_empty() && before == now && node.name != self.name).then_some((*only, rank))
    }

    /// The locator to believe first, with its index. Tests of other tools, and those written by hand, have them in any order.
    fn most_stable(&self) -> Option<(usize, &Locator)> {
        self.locators.iter().enumerate().min_by_key(|(_, locator)| match locator {
            Locator::TestId { .. } => 0,
            Locator::Role { .. } => 1,
            Locator::Label { .. } => 2,
            Locator::Text { .. } => 3,
            Locator::Css { .. } => 4,
            Locator::XPath { .. } => 5,
        })
    }

    /// Whether a match can be the element. An id may be given to another control: where the name is another one, something else has
    /// to agree. Without a name or test id the kind must agree, and an element recorded without a name must not have one now.
    fn may_be(&self, locator: &Locator, node: &Node) -> bool {
        let is_called_so = self.name.is_empty() || node.name == self.name;
        match locator {
            Locator::Role { .. } => true,
            Locator::TestId { .. } => is_called_so,
            Locator::Label { .. } | Locator::Text { .. } => node.role == self.role,
            Locator::Css { .. } => node.role == self.role && is_called_so,
            Locator::XPath { .. } => node.role == self.role && node.tag == self.tag && node.name == self.name,
        }
    }

    /// Whether an element's surroundings equal the recorded ones, apart from amounts and times; numbers that name something are none:
    /// `Order 12` is not `Order 13`.
    fn stands_alike(&self, observation: &Observation, element: ElementId) -> bool {
        let (recorded, now) = match self.place.is_empty() {
            true => (&self.context, observation.node(element).map(|node| node.context.clone()).unwrap_or_default()),
            false => (&self.place, place(observation, element)),
        };
        let without_digits = |text: &str| text.chars().filter(|sign| !sign.is_ascii_digit()).collect::<String>();
        recorded.is_empty()
            || (without_digits(recorded) == without_digits(&now) && naming_numbers(recorded).eq(naming_numbers(&now)))
            || (self.place.is_empty() && self.is_beside(recorded, &place(observation, element)))
    }

    /// Whether the text of an item is this one and the element's own name. Recordings by hand tell an item so, and not by all its words.
    fn is_beside(&self, text: &str, item: &str) -> bool {
        let own = self.name.as_str();
        let rest = item.strip_suffix(own).or_else(|| item.strip_prefix(own)).unwrap_or_default();
        !own.is_empty() && !text.is_empty() && rest.trim() == text
    }

    /// A short name for people: `button "Submit"`.
    pub fn title(&self) -> String {
        let text = if self.name.is_empty() { &self.context } else { &self.name };
        if text.is_empty() { self.role.clone() } else { format!("{} \"{text}\"", self.role) }
    }
}

/// The result of a search for a described element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocateOutcome {
    /// The most stable locator still matches.
    Found(ElementId),
    /// The most stable locator no longer matches, but two or more other properties do.
    Healed {
        /// The element.
        element: ElementId,
        /// Index of the locator that fits.
        rank: usize,
    },
    /// No element matches, or several match equally.
    Missing,
}

impl LocateOutcome {
    /// The element that was found, healed or not.
    pub fn element(&self) -> Option<ElementId> {
        match self {
            LocateOutcome::Found(element) | LocateOutcome::Healed { element, .. } => Some(*element),
            LocateOutcome::Missing => None,
        }
    }
}

/// The words of a name, as they are written, without those that only point at a thing.
fn without_articles(name: &str) -> Vec<String> {
    const ARTICLES: [&str; 7] = ["the", "a", "an", "this", "your", "my", "our"];
    let words = name.split_whitespace().map(str::to_lowercase);
    words.filter(|word| !ARTICLES.contains(&word.as_str())).collect()
}

/// The numbers of a text that name something: behind a word with a capital, or a `#`, and in front of no unit.
fn naming_numbers(text: &str) -> impl Iterator<Item = &str> {
    const CURRENCIES: [&str; 8] = ["EUR", "USD", "GBP", "CHF", "SEK", "NOK", "DKK", "JPY"];
    let words: Vec<&str> = text.split_whitespace().collect();
    let naming = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        let is_named =
            before.is_some_and(|word| word.starts_with(char::is_uppercase) && word.ends_with(char::is_alphabetic));
        let is_amount = words.get(at + 1).is_some_and(|unit| CURRENCIES.contains(unit));
        let word = words.get(at)?;
        let number = word.trim_matches(|sign: char| !sign.is_alphanumeric());
        let is_whole = !number.is_empty() && number.chars().all(|sign| sign.is_ascii_digit());
        (is_whole && (word.starts_with('#') || (is_named && !is_amount))).then_some(number)
    };
    (0..words.len()).filter_map(naming).collect::<Vec<_>>().into_iter()
}

/// The text of an element's nearest item, else its form's name.
fn place(observation: &Observation, element: ElementId) -> String {
    let words = |node: &Node| if node.name.is_empty() { node.text.clone() } else { node.name.clone() };
    if let Some(item) = observation.item(element).and_then(|item| observation.node(item)) {
        return words(item);
    }
    let form = observation.ancestors(element).find(|(_, node)| node.tag == "form" || node.role == "dialog");
    let Some((_, form)) = form else { return String::new() };
    let named = [&form.name, form.attribute("id"), form.attribute("name"), form.attribute("action")];
    named.into_iter().find(|name| !name.is_empty()).map(|name| format!("form {name}")).unwrap_or_default()
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
    if let Some(name) = node.attributes.get("name").filter(|name| !name.contains('"')) {
        locators.push(Locator::Css { selector: format!("[name=\"{name}\"]") });
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
        Locator::Css { selector } => match (selector.strip_prefix('#'), name_of(selector)) {
            (Some(id), _) => node.attribute("id") == id,
            (None, Some(name)) => node.attribute("name") == name,
            (None, None) => false,
        },
        Locator::XPath { path } => node.xpath == *path,
    }
}

/// The `name` attribute that a selector asks for.
fn name_of(selector: &str) -> Option<&str> {
    selector.strip_prefix("[name=\"")?.strip_suffix("\"]")
}

fn matching(locator: &Locator, observation: &Observation, frames: &[String]) -> Vec<ElementId> {
    observation
        .elements()
        .filter(|(_, node)| fits(locator, node) && frame_chain(observation, node.frame) == frames)
        .map(|(id, _)| id)
        .collect()
}

/// The position of an element among the matches of each locator, in one pass over the page.
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
mod tests;
