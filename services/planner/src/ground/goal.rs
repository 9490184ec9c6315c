//! What an instruction asks for, as a list of goals. Built by `parse`, pursued by `pursue`.

use super::commands::same_part;
use super::described::Description;
use super::measure::Superlative;
use super::names::same;
use super::task::Task;
use super::understand::kinds::is_holder;
use domain::action::Direction;

/// A whole instruction.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Plan {
    /// What is to be reached, in order.
    pub goals: Vec<Goal>,
}

impl Plan {
    /// What its goals speak of by name: things, and the values that they are to have.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.goals.iter().flat_map(Goal::names).filter(|name| !name.is_empty()).collect()
    }
}

impl Goal {
    /// Says where its thing or its control stands; answers whether it has one.
    pub(crate) fn stand_in(&mut self, place: &PagePart) -> bool {
        let places = match self {
            Goal::Task(task) => &mut task.thing.places,
            Goal::Activate(target) | Goal::Reveal(target) | Goal::Focus(target) => &mut target.places,
            Goal::Hover(target) | Goal::DoubleClick(target) => &mut target.places,
            Goal::Enter { target, .. } | Goal::Choose { target, .. } => &mut target.places,
            Goal::Drag { what, .. } => &mut what.places,
            // These speak of no control.
            Goal::Press(_) | Goal::Back | Goal::Open(_) | Goal::Await(_) | Goal::Answer(_) => return true,
            _ => return false,
        };
        places.push(place.clone());
        true
    }

    fn names(&self) -> Vec<&str> {
        match self {
            Goal::Task(task) => task.names(),
            Goal::Enter { value: Value::Literal(text), .. } => vec![text.as_str()],
            Goal::Choose { names, .. } => names.iter().map(String::as_str).collect(),
            _ => Vec::new(),
        }
    }
}

/// One thing to be reached.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Goal {
    /// Click or otherwise activate an element.
    Activate(Target),
    /// Put text into fields.
    Enter {
        /// What is put in.
        value: Value,
        /// Where.
        target: Target,
    },
    /// Choose among what is offered: checkboxes, radio buttons, options, a date.
    Choose {
        /// The wanted choices, as the instruction names them.
        values: String,
        /// The wanted choices where they stood in quotes: names, letter for letter.
        names: Vec<String>,
        /// How the choices are meant.
        manner: Manner,
        /// Where to choose, when it is said.
        target: Target,
    },
    /// Answer a dialog of the browser or of the page.
    Answer(DialogAnswer),
    /// Open something that hides what comes next.
    Reveal(Target),
    /// Put the focus on an element.
    Focus(Target),
    /// Fill the fields of a form from a description, then send it.
    Fill {
        /// The description's parts.
        slots: Vec<Slot>,
        /// The verb of the instruction, which often labels the button.
        verb: String,
    },
    /// Press a key.
    Press(String),
    /// Put the pointer on an element.
    Hover(Target),
    /// Click an element twice.
    DoubleClick(Target),
    /// Drag one element onto another.
    Drag {
        /// What is taken.
        what: Target,
        /// Where it is dropped.
        onto: Target,
    },
    /// Scroll the page.
    Scroll(Direction),
    /// Go back in the history.
    Back,
    /// Open an address.
    Open(String),
    /// Take the record that has the least or most of something.
    Best(Superlative),
    /// Do something to a thing of the application.
    Task(Task),
    /// What follows, so many goals, is done only where this is shown.
    OnlyIf {
        /// What must be shown.
        shown: String,
        /// How many goals depend on it.
        governed: usize,
    },
    /// What comes by itself is waited for.
    Await(Awaited),
    /// A clause that was not understood. Nothing reaches it.
    NotUnderstood(String),
}

/// What is to be shown before it goes on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Awaited {
    /// In the instruction's words.
    pub text: String,
    /// Names in quotes that have to be shown.
    pub names: Vec<String>,
    /// Words that one text has to say.
    pub words: Vec<String>,
}

/// Text to be entered.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// As it stands.
    Literal(String),
    /// The value that stands beside this heading somewhere on the page.
    CellOf(String),
}

/// How a dialog is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DialogAnswer {
    /// Yes: accepted, confirmed.
    Accept,
    /// No: dismissed, cancelled.
    Dismiss,
    /// This text.
    Text(String),
}

/// How choices are meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Exactly those named.
    #[default]
    Named,
    /// Those similar in meaning.
    Similar,
    /// Those named are to be taken away.
    Cleared,
}

/// A part of a description: what it is about, and the value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Slot {
    /// Words that tell which field is meant, e.g. `directed by`.
    pub cue: String,
    /// The value.
    pub value: String,
}

/// An element as an instruction speaks of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Target {
    /// Its label, possibly in several readings, the most literal first.
    pub texts: Vec<String>,
    /// Whether the label stood in quotes.
    pub quoted: bool,
    /// What kind of element.
    pub kind: Option<Kind>,
    /// Which of several: 1 is the first, -1 the last.
    pub ordinal: Option<i32>,
    /// Whether that counts the entries in which such elements stand, and not the elements: `of the second order`.
    pub of_entry: bool,
    /// How many of them.
    pub count: Count,
    /// Text of the record, row or section in which it stands.
    pub within: Option<String>,
    /// All that is said of that record, where it is told by more than a name: `the lion Nala`, `berth 3 of pier A`.
    pub told: Option<Description>,
    /// Further places in which it stands, and such as are named by plain words: `from the cart`.
    pub places: Vec<PagePart>,
    /// Whether the place was named by an earlier clause, which need not hold for this one.
    pub carried: bool,
    /// Whether it stands in a dialog.
    pub in_dialog: bool,
    /// Whether any element of the kind will do.
    pub any: bool,
    /// The other words of the clause: they tell elements apart that fit alike.
    pub around: String,
}

/// A part of the page that an instruction names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PagePart {
    /// What kind of thing it is, where that is said: `collection`.
    pub kind: String,
    /// Its name, or words of it.
    pub name: String,
    /// Whether the name stood in quotes: then it is the whole name.
    pub quoted: bool,
}

/// A name in the words of an instruction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Name<'a> {
    /// What kind of thing is called so, where that is said.
    pub kind: &'a str,
    /// The name itself.
    pub text: &'a str,
    /// Whether it stood in quotes: then nothing is called so but what is letter for letter.
    pub quoted: bool,
}

impl<'a> Name<'a> {
    /// A name of which no kind is said.
    pub(crate) fn of(text: &'a str, quoted: bool) -> Self {
        Self { text, quoted, ..Self::default() }
    }

    /// A name that stood in no quotes.
    pub(crate) fn plain(text: &'a str) -> Self {
        Self::of(text, false)
    }

    /// Whether a label is this name; the kind may stand beside a quoted one: `Team Marketing`.
    pub(crate) fn is_label(&self, label: &str) -> bool {
        let with_kind = || {
            !self.kind.is_empty()
                && [format!("{} {}", self.kind, self.text), format!("{} {}", self.text, self.kind)]
                    .iter()
                    .any(|whole| same(whole, label))
        };
        !label.is_empty()
            && (same(self.text, label) || if self.quoted { with_kind() } else { same_part(self.text, label) })
    }

    /// A name in plain words without the word for what holds others that it ends with: `dinner` of `dinner playlist`.
    pub(crate) fn without_holder(&self) -> Option<&'a str> {
        self.text.rsplit_once(' ').filter(|(_, kind)| !self.quoted && is_holder(kind)).map(|(name, _)| name)
    }
}

impl PagePart {
    /// What the part is called.
    pub(crate) fn called(&self) -> Name<'_> {
        Name { kind: &self.kind, text: &self.name, quoted: self.quoted }
    }
}

/// How many elements are meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Count {
    /// One.
    #[default]
    One,
    /// So many.
    Exactly(u32),
    /// All there are.
    All,
}

/// Kinds of elements that instructions speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A button.
    Button,
    /// A link.
    Link,
    /// A text field.
    Field,
    /// A password field.
    Password,
    /// A multi-line text field.
    TextArea,
    /// A checkbox.
    Checkbox,
    /// A radio button.
    Radio,
    /// A tab.
    Tab,
    /// An item of a menu or list.
    Item,
    /// A picture or icon.
    Icon,
    /// A drop-down or list box.
    Select,
    /// A section that opens and closes.
    Section,
    /// A dialog.
    Dialog,
    /// A search result.
    Result,
}

impl Goal {
    /// What is to be done, in the instruction's words; empty where that is no deed.
    pub(crate) fn deed(&self) -> String {
        match self {
            Goal::Activate(target) => target.text().to_owned(),
            Goal::Task(task) => task.act.verb().to_owned(),
            _ => String::new(),
        }
    }
}

impl Target {
    /// What shows under the pointer is of what the pointer was moved to, where nothing else is said.
    pub(crate) fn stand_under(&mut self, hovered: &Target) {
        if self.within.is_none() && self.places.is_empty() && !hovered.text().is_empty() {
            self.within = Some(hovered.text().to_owned());
            self.carried = true;
        }
    }

    /// An element with this label.
    pub(crate) fn labelled(text: impl Into<String>) -> Self {
        Self { texts: vec![text.into()], ..Self::default() }
    }

    /// An element of this kind.
    pub(crate) fn of_kind(kind: Kind) -> Self {
        Self { kind: Some(kind), ..Self::default() }
    }

    /// The most literal reading of its label; empty where it has none.
    pub(crate) fn text(&self) -> &str {
        self.texts.first().map_or("", String::as_str)
    }

    /// A name for people.
    pub(crate) fn title(&self) -> String {
        match (self.text(), self.kind) {
            ("", Some(kind)) => format!("a {kind:?}").to_lowercase(),
            ("", None) => "something to act on".to_owned(),
            (text, Some(kind)) => format!("{} \"{text}\"", format!("{kind:?}").to_lowercase()),
            (text, None) => format!("\"{text}\""),
        }
    }
}
