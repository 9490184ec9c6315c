//! A page as input of abstractions: its visible elements as a tree, read from an observation or from HTML.

use url::Url;

/// A page at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Its address, where it is known.
    pub url: Option<Url>,
    /// Its visible elements, parents before children, in document order.
    pub elements: Vec<Element>,
    /// The kind of an open JavaScript dialog.
    pub dialog: Option<String>,
}

/// An element of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Element {
    /// Its nearest ancestor in the list.
    pub parent: Option<usize>,
    /// Tag name, lower case.
    pub tag: String,
    /// ARIA role, explicit or implied by the tag; empty where there is none.
    pub role: String,
    /// What a form field holds: the `type` of an input, lower case.
    pub kind: String,
    /// What its author calls it: `name`, else `id`.
    pub name: String,
    /// Class names.
    pub classes: Vec<String>,
    /// The text that stands directly in it, white space folded.
    pub text: String,
    /// What a person would call it: accessible name, else its whole text.
    pub label: String,
    /// Address of a link or form, as written in the page.
    pub target: Option<String>,
    /// Whether it accepts an action now.
    pub is_feasible: bool,
    /// Whether it is selected, expanded or pressed.
    pub is_current: bool,
    /// Whether the page marks its value as invalid.
    pub is_invalid: bool,
    /// Width and height in CSS pixels, where they are known.
    pub size: Option<(f64, f64)>,
}

impl Element {
    /// Whether it holds input of a form.
    pub(crate) fn is_field(&self) -> bool {
        match self.tag.as_str() {
            "select" | "textarea" => true,
            "input" => !matches!(self.kind.as_str(), "submit" | "button" | "reset" | "image"),
            _ => matches!(
                self.role.as_str(),
                "textbox" | "searchbox" | "combobox" | "checkbox" | "radio" | "switch" | "slider" | "spinbutton"
            ),
        }
    }

    /// Whether it is a heading.
    pub(crate) fn is_heading(&self) -> bool {
        self.role == "heading" || matches!(self.tag.as_str(), "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
    }
}

impl Page {
    /// The children of every element, in document order.
    pub(crate) fn children(&self) -> Vec<Vec<usize>> {
        let mut children = vec![Vec::new(); self.elements.len()];
        for (place, element) in self.elements.iter().enumerate() {
            if let Some(parent) = element.parent {
                children[parent].push(place);
            }
        }
        children
    }

    /// The elements without a parent.
    pub(crate) fn tops(&self) -> impl Iterator<Item = usize> {
        self.elements.iter().enumerate().filter(|(_, element)| element.parent.is_none()).map(|(place, _)| place)
    }

    /// An element and its ancestors, nearest first.
    pub(crate) fn upwards(&self, place: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(place), |place| self.elements[*place].parent)
    }

    /// The page as stripped markup: tags and texts, without attributes.
    pub fn markup(&self) -> String {
        let mut markup = String::new();
        let mut open: Vec<usize> = Vec::new();
        for (place, element) in self.elements.iter().enumerate() {
            while open.last().copied() != element.parent {
                let Some(closed) = open.pop() else { break };
                markup.push_str(&format!("</{}>", self.elements[closed].tag));
            }
            markup.push_str(&format!("<{}>{}", element.tag, element.text));
            open.push(place);
        }
        for closed in open.into_iter().rev() {
            markup.push_str(&format!("</{}>", self.elements[closed].tag));
        }
        markup
    }

    /// All texts of the page, in document order.
    pub fn text(&self) -> String {
        let texts: Vec<&str> =
            self.elements.iter().map(|element| element.text.as_str()).filter(|text| !text.is_empty()).collect();
        texts.join(" ")
    }
}
