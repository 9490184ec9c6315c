//! What an exploration must leave alone: its mode, and what people allow or forbid beside it. Pure.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// How much an exploration may change. Each mode may do what the one before it may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Nothing is sent but plain readings.
    ReadOnly,
    /// What was there before is left as it is. One thing of each kind is created, and what this exploration created is changed.
    #[default]
    Careful,
    /// Existing things are changed too. What deletes, pays, sends or logs out is still left alone.
    Free,
    /// Everything is pressed.
    Destructive,
}

/// What an exploration must leave alone. The default is to leave alone as much as can be while forms are sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Stored")]
pub struct Guards {
    /// How much it may change.
    pub mode: Mode,
    /// Whether what `robots.txt` disallows is visited all the same.
    pub ignore_robots: bool,
    /// Whether what would be pressed is only listed: everything that sends is left alone.
    pub dry_run: bool,
    /// What may be done although a rule of the mode says otherwise.
    pub allow: Exceptions,
    /// What is left alone whatever the mode; stronger than what is allowed.
    pub deny: Exceptions,
}

impl Guards {
    /// Whether only plain readings may be sent.
    pub fn only_reads(&self) -> bool {
        self.mode == Mode::ReadOnly || self.dry_run
    }
}

/// Guards as they may be stored: before there were modes, by two switches.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Stored {
    mode: Option<Mode>,
    #[serde(default)]
    read_only: bool,
    #[serde(default)]
    allow_destructive: bool,
    #[serde(default)]
    ignore_robots: bool,
    #[serde(default)]
    dry_run: bool,
    #[serde(default)]
    allow: Exceptions,
    #[serde(default)]
    deny: Exceptions,
}

impl From<Stored> for Guards {
    fn from(stored: Stored) -> Self {
        let Stored { mode, read_only, allow_destructive, ignore_robots, dry_run, allow, deny } = stored;
        let before = match (read_only, allow_destructive) {
            (true, _) => Mode::ReadOnly,
            (false, true) => Mode::Destructive,
            (false, false) => Mode::default(),
        };
        Self { mode: mode.unwrap_or(before), ignore_robots, dry_run, allow, deny }
    }
}

/// Paths, controls and methods that are allowed or forbidden by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Exceptions {
    /// Paths of addresses; `*` stands for anything, as in `/drafts/*`.
    pub paths: Vec<String>,
    /// Names of controls as people read them; `*` stands for anything, and case does not count.
    pub controls: Vec<String>,
    /// Methods of requests, such as `PUT`.
    pub methods: Vec<String>,
}

impl Exceptions {
    /// Whether nothing is named.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.controls.is_empty() && self.methods.is_empty()
    }

    /// Whether a path is named.
    pub fn names_path(&self, path: &str) -> bool {
        self.paths.iter().any(|pattern| fits(pattern, path))
    }

    /// Whether a control is named.
    pub fn names_control(&self, label: &str) -> bool {
        let label = label.trim().to_lowercase();
        self.controls.iter().any(|pattern| fits(&pattern.trim().to_lowercase(), &label))
    }

    /// Whether a method is named.
    pub fn names_method(&self, method: &str) -> bool {
        self.methods.iter().any(|named| named.eq_ignore_ascii_case(method))
    }

    /// Adds what is written `path=/drafts/*`, `control=Save draft` or `method=PUT`.
    ///
    /// # Errors
    /// What is wrong with it, as a sentence.
    pub fn add(&mut self, written: &str) -> Result<(), String> {
        let wrong = || format!("`{written}`: write path=/drafts/*, control=NAME or method=PUT");
        let (kind, pattern) = written.split_once('=').ok_or_else(wrong)?;
        let pattern = pattern.trim();
        let list = match kind.trim() {
            "path" if pattern.starts_with(['/', '*']) => &mut self.paths,
            "control" if !pattern.is_empty() => &mut self.controls,
            "method" if !pattern.is_empty() && pattern.chars().all(|letter| letter.is_ascii_alphabetic()) => {
                &mut self.methods
            }
            _ => return Err(wrong()),
        };
        list.push(pattern.to_owned());
        Ok(())
    }
}

impl FromStr for Exceptions {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        let mut exceptions = Self::default();
        exceptions.add(written).map(|()| exceptions)
    }
}

/// Whether a pattern, in which `*` stands for anything, is a whole text.
fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    let found = parts.try_fold(rest, |rest, part| rest.find(part).map(|at| &rest[at + part.len()..]));
    found.is_some_and(|rest| rest.ends_with(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_a_whole_text_in_which_a_star_stands_for_anything() {
        for (pattern, text) in [("/a", "/a"), ("/a/*", "/a/b/c"), ("*/c", "/a/c"), ("/a/*/c", "/a/b/c"), ("*", "")] {
            assert!(fits(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("/a", "/a/b"), ("/a/*", "/a"), ("/a*a", "/a"), ("/a/*/c", "/a/b/d")] {
            assert!(!fits(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn exceptions_are_written_as_kind_and_pattern() {
        let mut exceptions = Exceptions::default();
        for written in ["path=/drafts/*", "control=Save draft", "method=put"] {
            exceptions.add(written).unwrap();
        }
        assert!(exceptions.names_path("/drafts/7") && exceptions.names_control(" save DRAFT"));
        assert!(exceptions.names_method("PUT") && !exceptions.names_method("POST"));
        for written in ["drafts", "path=drafts", "colour=red", "method=", "method=P T", "control= "] {
            assert!(exceptions.add(written).is_err(), "{written}");
        }
    }

    #[test]
    fn guards_that_were_stored_before_there_were_modes_are_read_as_they_were_meant() {
        let read = |text: &str| serde_json::from_str::<Guards>(text).unwrap().mode;
        assert_eq!(read(r#"{"read_only": true, "ignore_robots": false, "allow_destructive": false}"#), Mode::ReadOnly);
        assert_eq!(read(r#"{"allow_destructive": true}"#), Mode::Destructive);
        assert_eq!(read("{}"), Mode::Careful);
        assert_eq!(
            read(&serde_json::to_string(&Guards { mode: Mode::Free, ..Guards::default() }).unwrap()),
            Mode::Free
        );
        assert!(serde_json::from_str::<Guards>(r#"{"reads": true}"#).is_err());
    }
}
