//! What is done to the things of an application, in people's words: open, add, remove, mark, change, send, … Built by `understand`,
//! pursued by `pursue::task`.

use super::goal::{Name, PagePart};
use super::names::same;
use super::understand::moment;

/// One thing to be done.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Task {
    /// What is done.
    pub act: TaskAct,
    /// To what.
    pub thing: Thing,
    /// With which values.
    pub values: Vec<Given>,
}

/// What is done to a thing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum TaskAct {
    /// Go where it is, or show it.
    #[default]
    Open,
    /// Make it, or put it into something.
    Add,
    /// Take it away.
    Remove,
    /// Bring it into a state.
    Mark,
    /// Take it out of a state.
    Unmark,
    /// Give it other values.
    Edit,
    /// Put it somewhere else.
    Move,
    /// Send a message.
    Send,
    /// Answer a message.
    Reply,
    /// Pass a message on.
    Forward,
    /// Prove who one is.
    LogIn,
    /// End the session.
    LogOut,
    /// Search for it.
    Search,
    /// Put a list into an order.
    Sort,
    /// Show only a part of a list.
    Filter,
    /// Whatever a verb says that stands on a control of the thing: `archive`, `publish`.
    Do(String),
    /// Tell what the page shows.
    Answer(Question),
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// A value of a thing.
    Value,
    /// How many there are.
    Count,
    /// Which there are.
    List,
    /// Whether it is so.
    Whether,
    /// The sum of a value over things.
    Sum,
}

/// A thing of the application as an instruction speaks of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Thing {
    /// What kind of thing, in the singular: `event`.
    pub kind: String,
    /// What it is called.
    pub name: String,
    /// Whether the name stood in quotes.
    pub quoted: bool,
    /// Which of several: 1 is the first, -1 the last.
    pub ordinal: Option<i32>,
    /// Whether all such things are meant.
    pub all: bool,
    /// Whose it is, or whom it is from.
    pub of: String,
    /// Whether whose it is stood in quotes.
    pub of_quoted: bool,
    /// Where it is, or where it goes.
    pub places: Vec<PagePart>,
}

/// A value, and the field that it is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Given {
    /// The field in the instruction's words; empty where it says none.
    pub field: String,
    /// The value.
    pub value: String,
    /// Whether the value stood in quotes.
    pub quoted: bool,
}

impl TaskAct {
    /// The verb of an act that has no name of its own; empty for every other.
    pub(crate) fn verb(&self) -> &str {
        match self {
            TaskAct::Do(verb) => verb,
            _ => "",
        }
    }
}

impl Task {
    /// The value for a field.
    pub(crate) fn value(&self, field: &str) -> Option<&str> {
        self.values.iter().find(|given| given.field == field).map(|given| given.value.as_str())
    }

    /// What it speaks of by name: the values that it gives, and the thing.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.values.iter().map(|given| given.value.as_str()).chain([self.thing.anchor()]).collect()
    }

    /// Gives a field a value; one without a value is left out.
    pub(crate) fn give(&mut self, field: &str, value: &str, quoted: bool) {
        if !value.is_empty() {
            self.values.push(Given { field: field.to_owned(), value: value.to_owned(), quoted });
        }
    }
}

impl Given {
    /// Whether a label is this value.
    pub(crate) fn is_called(&self, label: &str) -> bool {
        let is_it = |value: &str| Name::of(value, self.quoted).is_label(label);
        // `3pm` is 15:00.
        let is_time = || {
            let (wanted, offered) = (moment::time(&self.value), moment::time(label));
            !self.quoted && wanted.is_some() && wanted == offered
        };
        is_it(&self.value) || self.without_container().is_some_and(is_it) || is_time()
    }

    /// Where something is to go, without the word for what such places are: `the folder Contracts`.
    fn without_container(&self) -> Option<&str> {
        const CONTAINERS: [&str; 10] =
            ["folder", "list", "column", "board", "project", "category", "section", "collection", "album", "group"];
        let (word, rest) = self.value.split_once(' ').filter(|_| !self.quoted && self.field == "to")?;
        CONTAINERS.contains(&word.to_lowercase().as_str()).then_some(rest)
    }
}

impl Thing {
    /// What the thing is recognised by, as it was named.
    pub(crate) fn called(&self) -> Name<'_> {
        Name { kind: &self.kind, text: self.anchor(), quoted: self.is_exact() }
    }

    /// What a place names, as a thing.
    pub(crate) fn of_place(place: &PagePart) -> Self {
        Self { name: place.name.clone(), quoted: place.quoted, ..Self::default() }
    }

    /// The text that the thing is recognised by on a page: its name, else whose it is.
    pub(crate) fn anchor(&self) -> &str {
        if self.name.is_empty() { &self.of } else { &self.name }
    }

    /// Whether the text that the thing is recognised by stood in quotes, and is meant letter for letter.
    pub(crate) fn is_exact(&self) -> bool {
        if self.name.is_empty() { self.of_quoted } else { self.quoted }
    }

    /// Whether a label is all that an instruction says of the thing without quotes, its kind or its owner as a part of the name: `the Rust
    /// book`, `the map of the harbour`.
    pub(crate) fn is_whole_name(&self, label: &str) -> bool {
        let article = label
            .split_once(' ')
            .filter(|(first, _)| first.eq_ignore_ascii_case("the"))
            .map_or(label, |(_, rest)| rest);
        let is_called = |whole: &str| same(whole, label) || same(whole, article);
        let has = |text: &str| !text.is_empty() && !self.quoted && !self.name.is_empty();
        (has(&self.kind)
            && (is_called(&format!("{} {}", self.name, self.kind))
                || is_called(&format!("{} {}", self.kind, self.name))))
            || (has(&self.of)
                && (is_called(&format!("{} of {}", self.name, self.of))
                    || is_called(&format!("{} of the {}", self.name, self.of))))
    }

    /// The thing as the place of another.
    pub(crate) fn place(&self) -> PagePart {
        PagePart { kind: self.kind.clone(), name: self.anchor().to_owned(), quoted: self.is_exact() }
    }

    /// Whether nothing tells which thing is meant.
    pub(crate) fn is_empty(&self) -> bool {
        self.kind.is_empty() && self.anchor().is_empty() && !self.all && self.ordinal.is_none()
    }

    /// A name for people.
    pub(crate) fn title(&self) -> String {
        let mut title = String::new();
        if self.all {
            title.push_str("all ");
        }
        if let Some(ordinal) = self.ordinal {
            title.push_str(&match ordinal {
                -1 => "the last ".to_owned(),
                ordinal => format!("number {ordinal} of the "),
            });
        }
        title.push_str(if self.kind.is_empty() && self.name.is_empty() { "thing" } else { &self.kind });
        if !self.name.is_empty() {
            title.push_str(&format!("{}\"{}\"", if self.kind.is_empty() { "" } else { " " }, self.name));
        }
        if !self.of.is_empty() {
            title.push_str(&format!(" of \"{}\"", self.of));
        }
        for place in &self.places {
            title.push_str(&format!(" in \"{}\"", place.name));
        }
        title
    }
}
