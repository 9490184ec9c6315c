//! What can go wrong before an episode begins.

use std::path::PathBuf;

/// An error of this room. Each says what was wrong, where, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No benchmark of this name.
    #[error("unknown benchmark `{name}`; there are: {}", .known.join(", "))]
    UnknownBenchmark {
        /// What was asked for.
        name: String,
        /// The benchmarks there are.
        known: Vec<&'static str>,
    },
    /// The benchmark's pages are not on this machine.
    #[error("pages of {benchmark} not found: looked for {file} in {}; {remedy}", list(.looked))]
    PagesMissing {
        /// The benchmark's name.
        benchmark: &'static str,
        /// A file that shows a folder to be the right one.
        file: &'static str,
        /// The folders that were tried.
        looked: Vec<PathBuf>,
        /// What to do about it.
        remedy: &'static str,
    },
    /// A folder of pages could not be read.
    #[error("read {}: {cause}", .folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Why.
        #[source]
        cause: std::io::Error,
    },
    /// The pages could not be served.
    #[error("serve the benchmark's pages on 127.0.0.1: {0}")]
    Serve(#[source] std::io::Error),
    /// No suite of this name.
    #[error("unknown suite `{name}`; there are: {}", .known.join(", "))]
    UnknownSuite {
        /// What was asked for.
        name: String,
        /// The suites there are.
        known: Vec<&'static str>,
    },
    /// No task of this name.
    #[error("unknown task `{name}` of {benchmark}{}", hint(.similar))]
    UnknownTask {
        /// The benchmark's name.
        benchmark: &'static str,
        /// What was asked for.
        name: String,
        /// Tasks of a similar name.
        similar: Vec<String>,
    },
    /// Seeds that cannot be understood.
    #[error("seeds `{text}`: {cause}; write A..B (B excluded), a list such as 1,2,7, or fresh:N (again: fresh:N@ROOT)")]
    Seeds {
        /// What was given.
        text: String,
        /// What is wrong with it.
        cause: String,
    },
    /// An address that cannot be built from the served pages.
    #[error("address of task `{task}`: {cause}")]
    Address {
        /// The task.
        task: String,
        /// Why.
        cause: String,
    },
}

fn list(folders: &[PathBuf]) -> String {
    folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ")
}

fn hint(names: &[String]) -> String {
    if names.is_empty() {
        "; `--suite all` lists every task".to_owned()
    } else {
        format!("; did you mean {}?", names.join(", "))
    }
}
