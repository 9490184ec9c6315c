//! What the process says when it ends: the one place where exit codes are defined.

use domain::service::{Code, ServiceError};
use domain::storage::StorageError;
use std::fmt;
use strum::VariantArray;

/// Exit codes. They are part of the interface: scripts depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, VariantArray)]
pub(crate) enum Exit {
    /// Everything that was asked for holds.
    Success = 0,
    /// It ran, and something did not pass; or what was compared differs.
    NotPassed = 1,
    /// The command line or an input file is not valid. Nothing was run.
    Usage = 2,
    /// The surroundings failed: no browser, a driver of another version, a site that cannot be reached.
    Environment = 3,
    /// The language model's endpoint cannot be reached, refuses, or throttles beyond patience.
    Model = 4,
    /// The run directory cannot be read or written, or another process holds it.
    Storage = 5,
    /// A run directory or a test of somebody else asks this machine for something, and nobody said that it is trusted. Nothing was run.
    Untrusted = 6,
    /// A defect of Rutter itself.
    Internal = 70,
    /// Interrupted from outside; what was done is kept, and `--resume` goes on.
    Interrupted = 130,
}

impl Exit {
    /// Every code, in order.
    pub(crate) const ALL: &[Exit] = Exit::VARIANTS;

    /// What a service's error amounts to.
    pub(crate) fn of(code: Code) -> Exit {
        match code {
            Code::Invalid | Code::NotFound | Code::Conflict | Code::TooLarge => Exit::Usage,
            Code::Unauthenticated | Code::Throttled | Code::Unavailable | Code::Deadline => Exit::Environment,
            Code::Upstream => Exit::Model,
            Code::Corrupt => Exit::Storage,
            Code::Internal => Exit::Internal,
        }
    }

    /// The number.
    pub(crate) fn code(self) -> u8 {
        self as u8
    }

    /// What it means, for `--help` and the reference.
    pub(crate) fn meaning(self) -> &'static str {
        match self {
            Exit::Success => "everything passed; a benchmark was measured to its end",
            Exit::NotPassed => "it ran, and something did not pass, or what was compared differs",
            Exit::Usage => "the command line or an input file is not valid; nothing was run",
            Exit::Environment => {
                "no browser, wrong driver version, a site that cannot be reached, or every attempt at a job was lost"
            }
            Exit::Model => "the language model's endpoint is down, refuses, or throttles for too long",
            Exit::Storage => "the run directory cannot be used, or another process holds it",
            Exit::Untrusted => {
                "somebody else's run directory or test asks for programs, files or variables of this machine; see --trust"
            }
            Exit::Internal => "a defect of Rutter",
            Exit::Interrupted => "interrupted; go on with --resume",
        }
    }

    /// All codes with their meanings, one a line.
    pub(crate) fn table() -> String {
        let lines: Vec<String> =
            Self::ALL.iter().map(|exit| format!("  {:>3}  {}", exit.code(), exit.meaning())).collect();
        lines.join("\n")
    }
}

/// Why a command ended early, and with which code.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The code.
    pub(crate) exit: Exit,
    /// What happened, with its causes.
    pub(crate) error: anyhow::Error,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.error)
    }
}

/// The result of a command.
pub(crate) type Outcome<T = Exit> = Result<T, Failure>;

/// Gives errors their exit code.
pub(crate) trait OrExit<T> {
    /// Ends the command with this code when it failed.
    fn or_exit(self, exit: Exit) -> Outcome<T>;
}

impl<T, E: Into<anyhow::Error>> OrExit<T> for Result<T, E> {
    fn or_exit(self, exit: Exit) -> Outcome<T> {
        self.map_err(|error| Failure { exit, error: error.into() })
    }
}

/// A failure that is a sentence.
pub(crate) fn failure<T>(exit: Exit, message: impl fmt::Display) -> Outcome<T> {
    Err(Failure { exit, error: anyhow::anyhow!("{message}") })
}

impl From<StorageError> for Failure {
    fn from(error: StorageError) -> Self {
        Failure { exit: Exit::Storage, error: error.into() }
    }
}

impl From<ServiceError> for Failure {
    fn from(error: ServiceError) -> Self {
        Failure { exit: Exit::of(error.code), error: error.into() }
    }
}

impl From<tasks::Error> for Failure {
    fn from(error: tasks::Error) -> Self {
        Failure { exit: Exit::Usage, error: error.into() }
    }
}

impl From<report::Error> for Failure {
    fn from(error: report::Error) -> Self {
        Failure { exit: of_report(&error), error: error.into() }
    }
}

fn of_report(error: &report::Error) -> Exit {
    match error {
        report::Error::Service(error) => Exit::of(error.code),
        report::Error::Storage(_) | report::Error::File { .. } | report::Error::Stored { .. } => Exit::Storage,
        report::Error::Encode { .. } | report::Error::Template { .. } => Exit::Internal,
    }
}

impl From<node::Error> for Failure {
    fn from(error: node::Error) -> Self {
        use node::Error;
        let exit = match &error {
            Error::Settings(_)
            | Error::Config(_)
            | Error::Connection(_)
            | Error::Model(_)
            | Error::Map(_)
            | Error::HoldsRun(_)
            | Error::NoRun(_)
            | Error::NoTraining(_) => Exit::Usage,
            Error::Server(_)
            | Error::Admin(_)
            | Error::Encoder(_)
            | Error::Browser(_)
            | Error::BenchmarkPages(_)
            | Error::Page(_)
            | Error::NotRetraced { .. } => Exit::Environment,
            Error::Teacher(_) => Exit::Model,
            Error::Interrupted => Exit::Interrupted,
            Error::StoredMap(_)
            | Error::Storage(_)
            | Error::File { .. }
            | Error::RunSettings { .. }
            | Error::RunFormat { .. } => Exit::Storage,
            Error::Service(error) => Exit::of(error.code),
            Error::Directory(error) => of_report(error),
            Error::NotOpened(_) | Error::MapChanged | Error::Routes(_) | Error::Died { .. } => Exit::Internal,
        };
        Failure { exit, error: error.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_what_scripts_depend_on() {
        let codes: Vec<u8> = Exit::ALL.iter().map(|exit| exit.code()).collect();
        assert_eq!(codes, [0, 1, 2, 3, 4, 5, 6, 70, 130]);
    }

    #[test]
    fn every_failure_of_a_library_ends_with_the_code_of_its_kind() {
        let exit = |failure: Failure| failure.exit;
        assert_eq!(exit(tasks::Error::NoJobs.into()), Exit::Usage);
        assert_eq!(exit(ServiceError::new(Code::Upstream, "no model").into()), Exit::Model);
        assert_eq!(exit(node::Error::NoRun("here".into()).into()), Exit::Usage);
        assert_eq!(exit(node::Error::BenchmarkPages("none".into()).into()), Exit::Environment);
        assert_eq!(exit(node::Error::NotOpened("the ledger").into()), Exit::Internal);
        assert_eq!(exit(node::Error::Interrupted.into()), Exit::Interrupted);
        let away = report::Error::from(ServiceError::new(Code::Unavailable, "ask the ledger"));
        assert_eq!(exit(node::Error::from(away).into()), Exit::Environment);
    }

    #[test]
    fn a_failure_is_told_with_its_causes() {
        let source = std::io::Error::other("no space");
        let failure = Failure::from(report::Error::File { action: "write results.json".into(), source });
        assert_eq!((failure.exit, failure.to_string().as_str()), (Exit::Storage, "write results.json: no space"));
    }

    #[test]
    fn every_code_is_listed_with_its_meaning() {
        let table = Exit::table();
        let listed: Vec<(&str, &str)> = table.lines().filter_map(|line| line.trim().split_once("  ")).collect();
        let begins = [
            ("0", "everything passed"),
            ("1", "it ran, and something did not pass"),
            ("2", "the command line or an input file is not valid"),
            ("3", "no browser"),
            ("4", "the language model's endpoint"),
            ("5", "the run directory"),
            ("6", "somebody else's run directory or test"),
            ("70", "a defect"),
            ("130", "interrupted"),
        ];
        assert_eq!(listed.len(), begins.len(), "{table}");
        for ((code, meaning), (expected, begin)) in listed.into_iter().zip(begins) {
            assert!(code == expected && meaning.starts_with(begin), "{code}: {meaning}");
        }
    }
}
