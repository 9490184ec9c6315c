//! Which lines of an application have run, as the usual tools report it: coverage.py, Istanbul, JaCoCo, Cobertura and
//! whatever writes lcov. The format is found in the content.
//!
//! Only line coverage is read, since all tools have it. Nothing is read from disk here. Files that a tool did not know
//! are not in its report and do not count.

mod json;
mod tracefile;
mod xml;

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The lines of an application.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// By file path, as in the report: for each executable line, by number, whether it ran.
    pub files: BTreeMap<String, BTreeMap<u32, bool>>,
}

impl Coverage {
    /// Reads a report. `file` is what errors call it.
    ///
    /// # Errors
    /// The text is no report, has an unknown format, or is truncated.
    pub fn read(file: &str, text: &str) -> Result<Coverage, Unreadable> {
        let content = text.trim_start_matches('\u{feff}').trim_start();
        let read = match content.chars().next() {
            None => Err(Flaw::new("it is empty", "let the command write it before it ends")),
            Some('{') => json::read(content),
            Some('<') => xml::read(content),
            Some(_) => tracefile::read(content),
        };
        // Skipped leading lines count as well.
        let before = text[..text.len() - content.len()].matches('\n').count();
        read.map_err(|flaw| Unreadable {
            file: file.to_owned(),
            place: flaw.line.map(|line| format!(", line {}", line + before)).unwrap_or_default(),
            cause: flaw.cause,
            hint: flaw.hint,
        })
    }

    /// Merges another report: a line ran if either says so.
    pub fn merge(&mut self, other: Coverage) {
        for (file, lines) in other.files {
            for (line, ran) in lines {
                self.add(&file, line, ran);
            }
        }
    }

    fn add(&mut self, file: &str, line: u32, ran: bool) {
        let lines = match self.files.get_mut(file) {
            Some(lines) => lines,
            None => self.files.entry(file.to_owned()).or_default(),
        };
        match lines.entry(line) {
            Entry::Occupied(mut known) => *known.get_mut() |= ran,
            Entry::Vacant(new) => drop(new.insert(ran)),
        }
    }

    /// Lines that can run.
    pub fn lines(&self) -> u64 {
        self.files.values().map(|lines| lines.len() as u64).sum()
    }

    /// Lines that ran.
    pub fn covered(&self) -> u64 {
        self.files.values().map(|lines| lines.values().filter(|ran| **ran).count() as u64).sum()
    }
}

/// Why a report could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("read the coverage report {file}{place}: {cause}; {hint}")]
pub struct Unreadable {
    file: String,
    place: String,
    cause: String,
    hint: &'static str,
}

/// A defect of a report, with its line where known.
#[derive(Debug)]
struct Flaw {
    line: Option<usize>,
    cause: String,
    hint: &'static str,
}

impl Flaw {
    fn new(cause: impl Into<String>, hint: &'static str) -> Flaw {
        Flaw { line: None, cause: cause.into(), hint }
    }

    fn at(self, line: usize) -> Flaw {
        Flaw { line: Some(line), ..self }
    }
}

/// Hint for a report that is truncated or no report at all.
const WRITE_WHOLE: &str = "let the command write it whole before it ends, e.g. under another name that it then renames";
const KNOWN: &str =
    "reports of coverage.py (`coverage json`), Istanbul (`json`), JaCoCo (XML), Cobertura (XML) and lcov are read";
