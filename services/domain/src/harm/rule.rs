//! The rules by which something is left alone, and what a request may do.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Why something is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The exploration only reads.
    ReadOnly,
    /// A dry run: it would be pressed.
    DryRun,
    /// People forbade it by name.
    Denied,
    /// It deletes, ends or undoes something.
    Deletes,
    /// It ends the session.
    LogsOut,
    /// It costs money.
    Pays,
    /// It reaches other people: a message, an invitation, a publication.
    Sends,
    /// It changes a password or another key to the account.
    Password,
    /// It administers the application: modes, databases, caches, queues, tokens, start and stop.
    Administration,
    /// It changes what was there before.
    ExistingRecord,
    /// It changes the settings of the account or the application.
    Settings,
    /// Its address says a word of a record that may be a command.
    UnknownCommand,
    /// It is saved at once on something that was there before.
    SavesAtOnce,
    /// One of its kind was created already.
    OncePerKind,
    /// What it does with what is filled in is not clear.
    Unclear,
}

impl Rule {
    /// All rules.
    pub const ALL: [Rule; 15] = [
        Rule::ReadOnly,
        Rule::DryRun,
        Rule::Denied,
        Rule::Deletes,
        Rule::LogsOut,
        Rule::Pays,
        Rule::Sends,
        Rule::Password,
        Rule::Administration,
        Rule::ExistingRecord,
        Rule::Settings,
        Rule::UnknownCommand,
        Rule::SavesAtOnce,
        Rule::OncePerKind,
        Rule::Unclear,
    ];

    /// Its name for machines.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::ReadOnly => "read_only",
            Rule::DryRun => "dry_run",
            Rule::Denied => "denied",
            Rule::Deletes => "deletes",
            Rule::LogsOut => "logs_out",
            Rule::Pays => "pays",
            Rule::Sends => "sends",
            Rule::Password => "password",
            Rule::Administration => "administration",
            Rule::ExistingRecord => "existing_record",
            Rule::Settings => "settings",
            Rule::UnknownCommand => "unknown_command",
            Rule::SavesAtOnce => "saves_at_once",
            Rule::OncePerKind => "once_per_kind",
            Rule::Unclear => "unclear",
        }
    }

    /// The rule of a name.
    pub fn named(name: &str) -> Option<Rule> {
        Rule::ALL.into_iter().find(|rule| rule.name() == name)
    }

    /// What it says of something, for people.
    pub const fn meaning(self) -> &'static str {
        match self {
            Rule::ReadOnly => "it would send something, and this exploration is read-only",
            Rule::DryRun => "it would be pressed, and this is a dry run",
            Rule::Denied => "it was forbidden by name",
            Rule::Deletes => "it may delete, end or undo something",
            Rule::LogsOut => "it may end the session",
            Rule::Pays => "it may cost money",
            Rule::Sends => "it may reach other people",
            Rule::Password => "it may change a password",
            Rule::Administration => "it administers the application",
            Rule::ExistingRecord => "it would change what was there before",
            Rule::Settings => "it would change settings",
            Rule::UnknownCommand => "its address says a word of what is there that may be a command",
            Rule::SavesAtOnce => "it would be saved at once on what was there before",
            Rule::OncePerKind => "one of its kind was created already",
            Rule::Unclear => "it is not clear what it does with what is filled in",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What requests may do from now on, until another licence is given: it follows from the action that causes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Licence {
    /// They read. What changes something is refused by this rule.
    Reading(Rule),
    /// The control says that it only tries something. A request that does not say so too is refused by this rule.
    Trying(Rule),
    /// They may create something; what was there before is left as it is.
    #[default]
    Creating,
    /// The same of a button that sends no form: its words, or the fields around it, say that it creates, and what it sends has to show it.
    Adding,
    /// They may change, and delete, what this exploration created.
    Own,
    /// They may do anything that was not forbidden by name: people allowed it, or it is a log-in.
    All,
}

/// A request that was refused by a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedRequest {
    /// The rule.
    pub rule: Rule,
    /// Its method.
    pub method: String,
    /// Its path.
    pub path: String,
}

/// A control that is left alone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LeftAlone {
    /// The rule.
    pub rule: Rule,
    /// The control, in words.
    pub control: String,
}
