//! The script in the page: its source, the calls that are made of it, and what it answers.
//!
//! The probe runs before every script of every document, saves the native functions it needs before a page can replace
//! them, tracks pending work, and answers observations. It never changes the DOM.

use domain::Node;
use domain::observation::{Frame, Unread, Viewport, Visibility};
use serde::Deserialize;

/// A function that installs the probe, once per document.
pub(crate) const INSTALL: &str = concat!(
    "() => {\n'use strict';\nif (window['rutter probe']) return '';\n",
    include_str!("probe/natives.js"),
    include_str!("probe/work.js"),
    include_str!("probe/listeners.js"),
    include_str!("probe/names.js"),
    include_str!("probe/memory.js"),
    include_str!("probe/boxes.js"),
    include_str!("probe/sight.js"),
    include_str!("probe/items.js"),
    include_str!("probe/icons.js"),
    include_str!("probe/nodes.js"),
    include_str!("probe/describe.js"),
    include_str!("probe/hover.js"),
    include_str!("probe/reveal.js"),
    include_str!("probe/shown.js"),
    include_str!("probe/letters.js"),
    include_str!("probe/places.js"),
    include_str!("probe/patience.js"),
    include_str!("probe/twins.js"),
    include_str!("probe/locate.js"),
    include_str!("probe/entry.js"),
    include_str!("probe/guard.js"),
    "return '';\n}"
);

/// Settles and observes: deadline and horizon in ms, whether to wait for a frame, the observation already held, node limit,
/// whether texts are read to their ends.
pub(crate) const STEP: &str = "(deadline, horizon, frame, have, limit, all) => { \
    const probe = window['rutter probe']; \
    return probe ? probe.step(deadline, horizon, frame, have, limit, all) : ''; }";

/// Registers a closed shadow root; called with a node in it. Answers whether it was new.
pub(crate) const ADOPT: &str = "function () { const probe = window['rutter probe']; \
    return probe ? probe.adopt(this) : false; }";

/// Where to click: key of the element, fraction of its box or null, how much to insist.
pub(crate) const LOCATE: &str = "(key, at, forcing) => { \
    const probe = window['rutter probe']; \
    return probe ? probe.locate(key, at, forcing) : '{\"refused\":\"the document was replaced\"}'; }";

/// Where the pointer must be so that an element is shown that shows only then: its key.
pub(crate) const UNVEIL: &str = "(key) => window['rutter probe'].unveil(key)";

/// Where to click an option of a list: key of the select, index of the option.
pub(crate) const LOCATE_OPTION: &str = "(key, index) => window['rutter probe'].locateOption(key, index)";

/// Gives a field a value that no keyboard can.
pub(crate) const FILL: &str = "(key, value) => window['rutter probe'].fill(key, value)";

/// Keeps the rest of a press from the page, whose button is down on the element of this key.
pub(crate) const WITHHOLD: &str = "(key) => { \
    const probe = window['rutter probe']; if (probe) probe.withhold(key); return ''; }";

/// What a picture of the page shows in letters.
pub(crate) const LETTERS: &str = "() => { const probe = window['rutter probe']; return probe ? probe.letters() : ''; }";

/// Tells the probe that page scripts ran before it.
pub(crate) const MARK_LATE: &str = "() => { window['rutter probe'].markLate(); return ''; }";

/// Tells the probe that a navigation was answered without content, which no page event reports.
pub(crate) const STAYS: &str = "() => { const probe = window['rutter probe']; if (probe) probe.stays(); return ''; }";

/// The element of a key.
pub(crate) const ELEMENT: &str = "(key) => window['rutter probe'].element(key)";

/// The windows of frame elements by their keys.
pub(crate) const FRAMES: &str = "(keys) => { const found = []; for (let i = 0; i < keys.length; i += 1) { \
    const frame = window['rutter probe'].element(keys[i]); found[i] = frame ? frame.contentWindow : null; } return found; }";

/// The probe's reply to a step. It carries only node changes since the previous observation, so a large, mostly
/// unchanged page stays cheap.
#[derive(Debug, Deserialize)]
pub(crate) struct StepReply {
    pub(crate) have: String,
    /// Whether the reply is complete rather than a difference.
    pub(crate) fresh: bool,
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) language: String,
    /// New and changed nodes: key, parent's key (0 for none), node.
    pub(crate) changed: Vec<(u64, u64, Node)>,
    /// Nodes that only moved, as runs of neighbours in the new order: start, count, and the change of x, y, width and
    /// height in tenths of a pixel.
    pub(crate) moved: Vec<i64>,
    /// Nodes whose visibility changed, by key.
    pub(crate) seen: Vec<(u64, Visibility)>,
    /// Number of keys kept from the start of the previous order,
    pub(crate) head: usize,
    /// from its end,
    pub(crate) tail: usize,
    /// and what stands between them.
    pub(crate) between: Vec<u64>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) foreign: Vec<ForeignFrame>,
    pub(crate) viewport: Viewport,
    pub(crate) truncated: bool,
    /// Work still pending at the deadline.
    pub(crate) pending: Vec<String>,
    /// What the probe waited for.
    pub(crate) waited: Vec<String>,
    /// Whether the probe came after page scripts.
    pub(crate) late: bool,
    /// Whether the document runs scripts. The probe does not wait for one that runs none.
    pub(crate) scripted: bool,
    /// Parts that could not be read.
    pub(crate) unread: Vec<Unread>,
    /// The visible texts of its documents by their frames, if they were asked for.
    pub(crate) texts: Vec<(u32, String)>,
    /// The same as the documents write them, where style shows other letters.
    #[serde(default)]
    pub(crate) written: Vec<(u32, String)>,
    /// Downloads that the page asked for.
    pub(crate) downloads: u32,
    /// The element that the last press would have hit instead of its target; the press was kept from the page.
    #[serde(default)]
    pub(crate) missed: Option<String>,
    /// Errors reported to the console.
    pub(crate) errors: u32,
    pub(crate) violations: Vec<Violation>,
    pub(crate) settle_ms: f64,
    pub(crate) observe_ms: f64,
}

/// A violation of the page's content security policy.
#[derive(Debug, Deserialize)]
pub(crate) struct Violation {
    pub(crate) directive: String,
    pub(crate) blocked: String,
    pub(crate) source: String,
    pub(crate) line: u32,
}

/// A cross-origin frame, observed by a separate call.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ForeignFrame {
    /// Index in the page's frames.
    pub(crate) frame: u32,
    /// Key of the frame element.
    pub(crate) key: u64,
    /// Its content box in the page's coordinates.
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// The probe's reply to a locate call: a position, or why the element cannot be acted upon.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum LocateReply {
    /// It takes no input.
    Refused(Refusal),
    /// The element takes input there. Every field has a default, so serde must try this variant last.
    At(Target),
}

/// Why an element takes no input now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct Refusal {
    /// In words for people.
    pub(crate) refused: String,
    /// What may lift it.
    #[serde(default)]
    pub(crate) awaits: Awaits,
    /// Whether the page shows progress, such as a spinner.
    #[serde(default)]
    pub(crate) progress: bool,
}

/// What may lift a refusal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Awaits {
    /// Nothing known.
    #[default]
    Nothing,
    /// The covering element goes away, which rarely happens on its own.
    Over,
    /// The page changes the element: it is disabled, covered by an overlay, or being redrawn.
    Change,
}

/// An element that takes input, with its position and state.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Target {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) tag: String,
    /// The `type` of an input, lower case.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) focused: bool,
    /// Whether it may move when the pointer enters it.
    #[serde(default)]
    pub(crate) moves: bool,
    /// The field that has the focus instead; empty where none has.
    pub(crate) strays: String,
    /// The text spread over adjacent single-character fields, from this one on.
    pub(crate) spread: String,
    /// What the last press would have met instead of what was meant.
    pub(crate) missed: Option<String>,
    pub(crate) value: String,
    pub(crate) state: TargetState,
}

/// The state of an element that actions depend on.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct TargetState {
    pub(crate) checked: bool,
    pub(crate) editable: bool,
    pub(crate) multiple: bool,
    pub(crate) size: u32,
    pub(crate) options: Vec<OptionState>,
}

/// An option of a select.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct OptionState {
    pub(crate) label: String,
    pub(crate) selected: bool,
    pub(crate) disabled: bool,
    /// Whether the list does not show it.
    pub(crate) hidden: bool,
}

#[cfg(test)]
mod syntax;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_not_taken_for_a_place() {
        let located: LocateReply = serde_json::from_str(r#"{"refused":"covered"}"#).unwrap();
        assert!(matches!(located, LocateReply::Refused(_)), "{located:?}");
    }
}
