//! What can be done to a page. The same action names its element by index while deciding and by descriptor once recorded.

use crate::geometry::Point;
use crate::id::ElementId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An action over elements named by `E`: [`ElementId`] within one observation, [`crate::Descriptor`] in recordings.
///
/// Text that is typed may hold `${secret:NAME}`; the browser room replaces it at the moment of typing, nobody earlier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", bound(deserialize = "E: Deserialize<'de>"))]
pub enum Action<E = ElementId> {
    /// A click with the left button: move, press, release.
    Click {
        /// The element.
        element: E,
        /// Where in the box, as fractions of width and height from the top left; the clickable middle when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Point>,
        /// 1 for a click, 2 for a double click.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        count: u8,
    },
    /// Replaces the content of a field by text, through the keyboard.
    Type {
        /// The field.
        element: E,
        /// The text.
        text: String,
        /// Whether Enter follows.
        #[serde(default)]
        submit: bool,
    },
    /// Chooses options of a native select, by their visible labels.
    Select {
        /// The select element.
        element: E,
        /// Labels of the options to be chosen; more than one only where the select allows it.
        options: Vec<String>,
    },
    /// Makes a checkbox, radio button or switch checked or not; does nothing when it already is.
    Check {
        /// The control.
        element: E,
        /// The wanted state.
        checked: bool,
    },
    /// Moves the pointer over an element.
    Hover {
        /// The element.
        element: E,
    },
    /// Presses a key or a chord such as `Enter`, `Escape`, `ArrowDown`, `Control+A` on the focused element, or several after each other.
    Press {
        /// Key names of the UI Events specification joined by `+`; blanks between chords that are pressed after each other.
        keys: String,
    },
    /// Scrolls the page, or a scrollable element, by about one screen.
    Scroll {
        /// The scrollable element; the page when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        element: Option<E>,
        /// Where to.
        direction: Direction,
    },
    /// Drags one element onto another.
    Drag {
        /// What is taken.
        element: E,
        /// Where it is dropped.
        onto: E,
    },
    /// Puts files into a file field.
    Upload {
        /// The file field.
        element: E,
        /// Paths on the machine that runs the browser.
        files: Vec<String>,
    },
    /// Opens an address in the current tab.
    Goto {
        /// Absolute URL.
        url: String,
    },
    /// One step back in the tab's history.
    Back,
    /// One step forward in the tab's history.
    Forward,
    /// Opens a tab and switches to it.
    NewTab,
    /// Switches to a tab of the same profile.
    SwitchTab {
        /// Index in [`crate::Observation::tabs`].
        tab: u32,
    },
    /// Closes the current tab.
    CloseTab,
    /// Accepts an open dialog.
    AcceptDialog {
        /// The answer to a prompt dialog.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// Dismisses an open dialog.
    DismissDialog,
    /// Waits for the page to do something by itself.
    Wait {
        /// Milliseconds, at most 10,000.
        milliseconds: u32,
    },
    /// Ends the episode. A claim of the actor, never a verdict.
    Stop {
        /// What the actor claims.
        claim: Claim,
        /// The answer to a question, where the task asks one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<String>,
    },
}

fn one() -> u8 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's skip_serializing_if passes a reference")]
fn is_one(count: &u8) -> bool {
    *count == 1
}

/// The direction of a scroll.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Towards the start of the page.
    Up,
    /// Towards the end of the page.
    Down,
    /// Towards the left.
    Left,
    /// Towards the right.
    Right,
}

/// What an actor says when it stops.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Claim {
    /// The task is done.
    Done,
    /// The task cannot be done on this site.
    Infeasible {
        /// Why.
        reason: String,
    },
    /// The actor does not know how to go on.
    GaveUp {
        /// What is missing.
        reason: String,
    },
}

/// The kinds of action, without their arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each kind is documented at the action of the same name")]
pub enum ActionKind {
    Click,
    Type,
    Select,
    Check,
    Hover,
    Press,
    Scroll,
    Drag,
    Upload,
    Goto,
    Back,
    Forward,
    NewTab,
    SwitchTab,
    CloseTab,
    AcceptDialog,
    DismissDialog,
    Wait,
    Stop,
}

impl<E> Action<E> {
    /// A single click in the middle of an element.
    pub fn click(element: E) -> Self {
        Action::Click { element, at: None, count: 1 }
    }

    /// The claim that the task is done, without an answer.
    pub fn done() -> Self {
        Action::Stop { claim: Claim::Done, answer: None }
    }

    /// The claim that the actor does not know how to go on.
    pub fn give_up(reason: impl Into<String>) -> Self {
        Action::Stop { claim: Claim::GaveUp { reason: reason.into() }, answer: None }
    }

    /// The action's kind.
    pub fn kind(&self) -> ActionKind {
        match self {
            Action::Click { .. } => ActionKind::Click,
            Action::Type { .. } => ActionKind::Type,
            Action::Select { .. } => ActionKind::Select,
            Action::Check { .. } => ActionKind::Check,
            Action::Hover { .. } => ActionKind::Hover,
            Action::Press { .. } => ActionKind::Press,
            Action::Scroll { .. } => ActionKind::Scroll,
            Action::Drag { .. } => ActionKind::Drag,
            Action::Upload { .. } => ActionKind::Upload,
            Action::Goto { .. } => ActionKind::Goto,
            Action::Back => ActionKind::Back,
            Action::Forward => ActionKind::Forward,
            Action::NewTab => ActionKind::NewTab,
            Action::SwitchTab { .. } => ActionKind::SwitchTab,
            Action::CloseTab => ActionKind::CloseTab,
            Action::AcceptDialog { .. } => ActionKind::AcceptDialog,
            Action::DismissDialog => ActionKind::DismissDialog,
            Action::Wait { .. } => ActionKind::Wait,
            Action::Stop { .. } => ActionKind::Stop,
        }
    }

    /// The element acted upon, where there is one; for a drag, the element that is taken.
    pub fn element(&self) -> Option<&E> {
        match self {
            Action::Click { element, .. }
            | Action::Type { element, .. }
            | Action::Select { element, .. }
            | Action::Check { element, .. }
            | Action::Hover { element }
            | Action::Drag { element, .. }
            | Action::Upload { element, .. } => Some(element),
            Action::Scroll { element, .. } => element.as_ref(),
            _ => None,
        }
    }

    /// The same action with every element renamed by `f`.
    ///
    /// # Errors
    /// The first error of `f`.
    pub fn try_map<F, X>(&self, mut f: impl FnMut(&E) -> Result<F, X>) -> Result<Action<F>, X> {
        Ok(match self {
            Action::Click { element, at, count } => Action::Click { element: f(element)?, at: *at, count: *count },
            Action::Type { element, text, submit } => {
                Action::Type { element: f(element)?, text: text.clone(), submit: *submit }
            }
            Action::Select { element, options } => Action::Select { element: f(element)?, options: options.clone() },
            Action::Check { element, checked } => Action::Check { element: f(element)?, checked: *checked },
            Action::Hover { element } => Action::Hover { element: f(element)? },
            Action::Press { keys } => Action::Press { keys: keys.clone() },
            Action::Scroll { element, direction } => {
                Action::Scroll { element: element.as_ref().map(f).transpose()?, direction: *direction }
            }
            Action::Drag { element, onto } => Action::Drag { element: f(element)?, onto: f(onto)? },
            Action::Upload { element, files } => Action::Upload { element: f(element)?, files: files.clone() },
            Action::Goto { url } => Action::Goto { url: url.clone() },
            Action::Back => Action::Back,
            Action::Forward => Action::Forward,
            Action::NewTab => Action::NewTab,
            Action::SwitchTab { tab } => Action::SwitchTab { tab: *tab },
            Action::CloseTab => Action::CloseTab,
            Action::AcceptDialog { text } => Action::AcceptDialog { text: text.clone() },
            Action::DismissDialog => Action::DismissDialog,
            Action::Wait { milliseconds } => Action::Wait { milliseconds: *milliseconds },
            Action::Stop { claim, answer } => Action::Stop { claim: claim.clone(), answer: answer.clone() },
        })
    }
}
