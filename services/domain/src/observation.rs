//! What a page shows at one moment: its accessibility tree with the feasible actions, and what surrounds it.

use crate::action::ActionKind;
use crate::fault::Fault;
use crate::geometry::Rect;
use crate::id::ElementId;
use crate::nodes::Nodes;
use litemap::LiteMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use url::Url;

/// One observation of one tab. Textual throughout; pictures are asked for separately.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Observation {
    /// The session and the number of the observation within it. An action is refused in another session.
    pub stamp: Stamp,
    /// Address of the current tab.
    pub url: String,
    /// Title of the current tab.
    pub title: String,
    /// The page's meta description.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The document's language (`lang`), where given.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub language: String,
    /// The accessibility tree in document order; a node's index is its [`ElementId`], parents stand before children.
    /// Only what a person could see or scroll to: hidden content is left out.
    pub nodes: Nodes,
    /// The page itself and its frames; a node's `frame` is an index here. The first is the page.
    pub frames: Vec<Frame>,
    /// Viewport and scroll extent of the page.
    pub viewport: Viewport,
    /// An open JavaScript dialog. While one is open, `nodes` is that of the moment before it opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialog: Option<Dialog>,
    /// The profile's tabs in order of creation.
    pub tabs: Vec<Tab>,
    /// Faults seen since the observation before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
    /// Requests that the page made since the observation before, in order of their start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<Request>,
    /// Downloads that began since the observation before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub downloads: Vec<String>,
    /// Whether the page came to rest before this observation was taken, and what it was waiting for if not.
    pub settled: Settled,
    /// Whether nodes were left out because the page has more than the limit.
    #[serde(default)]
    pub truncated: bool,
    /// Parts of the page that a person may see and that could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<Unread>,
    /// Requests that had no answer yet when the observation was taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_requests: Vec<OpenRequest>,
}

/// A part of a page that could not be read. What stands in it is unknown: a check must not take it for absent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unread {
    /// Why.
    pub why: UnreadCause,
    /// Where: the XPath of the element that holds it, or the address of the frame.
    pub at: String,
}

/// Why a part of a page could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UnreadCause {
    /// A frame whose document takes no script, or did not answer in time.
    Frame,
    /// A shadow root that is closed.
    ClosedShadowRoot,
    /// The page is larger than what is read of it.
    TooLarge,
    /// The document could not be described at all.
    Document,
    /// A canvas: words on it are pixels. It holds no elements.
    Drawing,
}

/// A request without an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OpenRequest {
    /// The request.
    pub request: Request,
    /// Milliseconds since it was sent.
    pub age_ms: u64,
}

/// Which observation of which session this is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stamp {
    /// The browser room's name of the session and profile.
    pub session: String,
    /// Number within the session, from 1.
    pub number: u64,
}

/// Attributes by their names, in the order of these. A page has thousands of nodes, each with a few.
pub type Attributes = LiteMap<String, String>;

/// An element or a run of text that a person perceives as one thing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Node {
    /// Index of the nearest ancestor that is a node itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ElementId>,
    /// Index into [`Observation::frames`].
    #[serde(default)]
    pub frame: u32,
    /// ARIA role, explicit or implied by the tag; `text` for text outside of any other node; `generic` where there is none.
    pub role: String,
    /// Tag name, lower case.
    pub tag: String,
    /// Accessible name, white space folded.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Visible text of the element and what it contains, as it is shown (`text-transform` included), white space folded, at most
    /// 200 characters. The name of an element is spelled as the document has it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The current value of a field; never that of a password field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The attributes that tell elements apart: id, class, name, type, placeholder, title, alt, href, test ids, `aria-*`.
    #[serde(default, skip_serializing_if = "LiteMap::is_empty")]
    #[schemars(with = "BTreeMap<String, String>")]
    pub attributes: Attributes,
    /// What state a control is in.
    #[serde(default)]
    pub states: States,
    /// Bounding box.
    pub bounds: Rect,
    /// Where the element stands to the eye.
    #[serde(default)]
    pub visibility: Visibility,
    /// What can be done to it. Empty for plain text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<ActionKind>,
    /// Why it is believed to be interactive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interactive_by: Option<Interactivity>,
    /// Options of a native select or a datalist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<SelectOption>,
    /// Constraints of a form field. Few nodes have them, and pages have many nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constraints: Option<Box<Constraints>>,
    /// The text that surrounds an interactive element: its label, or the nearest ancestor's own text (HxAgent, section
    /// 4.1).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub context: String,
    /// Absolute XPath within its frame or shadow root; only for interactive elements.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub xpath: String,
    /// Whether the element stands within an open shadow root.
    #[serde(default)]
    pub in_shadow: bool,
    /// Looks that instructions speak of: the computed text or fill colour and background, as `#rrggbb`; only where interactive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// Whether it is an item: one of several neighbours of the same build (a row, a card, an entry of a list), or a dialog.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_item: bool,
    /// What its icon is called, by class, `use` reference or file name; only where a control shows no text of its own.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub icon: String,
}

/// What state a control is in. `None` means that the state does not apply.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are those of the ARIA states")]
pub struct States {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expanded: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressed: Option<bool>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disabled: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub readonly: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub focused: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub invalid: bool,
}

/// Where an element stands to the eye.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// In the viewport, and its middle is not covered.
    #[default]
    Visible,
    /// Can be scrolled to.
    Offscreen,
    /// In the viewport, but something else covers its middle.
    Covered,
    /// Shown only while the pointer is over its item.
    OnHover,
}

/// Why an element is believed to be interactive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Interactivity {
    /// A native control or link.
    Native,
    /// An ARIA role, `tabindex` or `contenteditable`.
    Aria,
    /// A listener for user events on the element itself.
    Listener,
    /// `cursor: pointer` that its parent does not have.
    Cursor,
}

/// One option of a select or datalist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SelectOption {
    /// Visible label.
    pub label: String,
    /// Submitted value.
    pub value: String,
    /// Whether it is chosen.
    #[serde(default)]
    pub selected: bool,
}

/// The constraints that a form field declares, and the browser's own validation message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are those of the HTML attributes")]
pub struct Constraints {
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autocomplete: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept: Option<String>,
    /// The browser's message when the current value is not valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation_message: Option<String>,
}

/// The page or one of its frames.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Frame {
    /// Index of the frame that holds it; none for the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
    /// Address.
    pub url: String,
    /// XPath of the frame element in its parent; empty for the page.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub xpath: String,
    /// Whether its origin differs from that of the page.
    #[serde(default)]
    pub cross_origin: bool,
}

/// Viewport size and scroll extent in CSS pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Viewport {
    /// Width of the viewport.
    pub width: f64,
    /// Height of the viewport.
    pub height: f64,
    /// Pixels scrolled down.
    pub scroll_y: f64,
    /// Height of the whole document.
    pub scroll_height: f64,
}

/// An open JavaScript dialog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    /// Its message. Untrusted page content.
    pub message: String,
}

/// A tab of the profile.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tab {
    /// Address.
    pub url: String,
    /// Whether it is the observed one.
    #[serde(default)]
    pub current: bool,
}

/// A request that the page made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Request {
    /// Method, upper case.
    pub method: String,
    /// Absolute URL.
    pub url: String,
    /// Status of the response; none where there was none (yet).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Whether it was refused because it would have left the scope.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
    /// Number within the profile, from 1; the same when the request is told again with its answer. 0 where unknown.
    #[serde(default)]
    pub number: u64,
    /// What the page wants it for.
    #[serde(default)]
    pub kind: RequestKind,
}

impl Request {
    /// Whether its method only reads: a *safe* method (RFC 9110, section 9.2.1). Those may be answered from a cache.
    pub fn is_safe(&self) -> bool {
        matches!(self.method.as_str(), "GET" | "HEAD" | "OPTIONS")
    }
}

/// What a page makes a request for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RequestKind {
    /// Not known, or none of these.
    #[default]
    Other,
    /// A document: the page or a frame.
    Document,
    /// A script's own: `fetch` or `XMLHttpRequest`.
    Script,
    /// `navigator.sendBeacon`, or a fetch that outlives its page.
    Beacon,
    /// A stream of events or a socket: it has no end of its own.
    Stream,
    /// A script, a style sheet, a picture, a font: what the document is drawn with.
    Resource,
}

/// Whether a page came to rest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Settled {
    /// Nothing was pending.
    #[default]
    Quiet,
    /// The deadline came first.
    Never {
        /// What was pending: `timers`, `requests`, `animations`, `navigation`, `dialog`.
        pending: Vec<String>,
    },
}

impl Request {
    /// The path of its address; the whole address where it has none.
    pub fn path(&self) -> String {
        Url::parse(&self.url).map_or_else(|_| self.url.clone(), |url| url.path().to_owned())
    }
}

impl Node {
    /// Whether anything can be done to it.
    pub fn is_interactive(&self) -> bool {
        !self.operations.is_empty()
    }

    /// Whether a value goes into it: a text, a choice, a mark or a file.
    pub fn is_field(&self) -> bool {
        [ActionKind::Type, ActionKind::Select, ActionKind::Check, ActionKind::Upload]
            .iter()
            .any(|kind| self.allows(*kind))
    }

    /// Whether it is a field that is not for searching: every error page of a site has one of those.
    pub fn is_field_for_data(&self) -> bool {
        let searches = self.role == "searchbox" || self.attributes.get("type").is_some_and(|kind| kind == "search");
        !searches && self.is_field()
    }

    /// Whether an action of this kind is feasible.
    pub fn allows(&self, kind: ActionKind) -> bool {
        self.operations.contains(&kind)
    }

    /// Whether it says that something is under way of which the end is not known: by `aria-busy`, or as a progress bar without
    /// a value.
    pub fn is_busy(&self) -> bool {
        self.attribute("aria-busy") == "true" || (self.role == "progressbar" && self.value.is_none())
    }

    /// An attribute's value, empty where absent.
    pub fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }

    /// What a person would call it: its accessible name, else its text, else its placeholder.
    pub fn label(&self) -> &str {
        [self.name.as_str(), self.text.as_str(), self.attribute("placeholder")]
            .into_iter()
            .find(|text| !text.is_empty())
            .unwrap_or("")
    }
}

impl Observation {
    /// The node of an id.
    pub fn node(&self, element: ElementId) -> Option<&Node> {
        self.nodes.get(element.index())
    }

    /// All nodes with their ids, in document order.
    pub fn elements(&self) -> impl Iterator<Item = (ElementId, &Node)> {
        (0u32..).map(ElementId).zip(&self.nodes)
    }

    /// The nodes that can be acted upon, in document order.
    pub fn interactive(&self) -> impl Iterator<Item = (ElementId, &Node)> {
        self.elements().filter(|(_, node)| node.is_interactive())
    }

    /// The ancestors of a node, nearest first.
    pub fn ancestors(&self, element: ElementId) -> impl Iterator<Item = (ElementId, &Node)> {
        let mut next = self.node(element).and_then(|node| node.parent);
        std::iter::from_fn(move || {
            let id = next?;
            let node = self.node(id)?;
            next = node.parent;
            Some((id, node))
        })
    }

    /// The item that an element stands in, nearest first; none where it stands in no item. An item is not in itself.
    pub fn item(&self, element: ElementId) -> Option<ElementId> {
        self.ancestors(element).find(|(_, node)| node.is_item).map(|(item, _)| item)
    }

    /// The direct children of a node, in document order.
    pub fn children(&self, element: ElementId) -> impl Iterator<Item = (ElementId, &Node)> {
        self.elements().filter(move |(_, node)| node.parent == Some(element))
    }
}
