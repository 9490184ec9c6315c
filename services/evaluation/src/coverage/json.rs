//! coverage.py's `coverage json`, and Istanbul's `coverage-final.json`.

use super::{Coverage, Flaw, KNOWN, WRITE_WHOLE};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use std::collections::BTreeMap;

/// The fields that distinguish the formats.
#[derive(Deserialize)]
struct Top {
    meta: Option<IgnoredAny>,
    files: Option<IgnoredAny>,
    total: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct CoveragePy {
    files: BTreeMap<String, PyFile>,
}

#[derive(Deserialize)]
struct PyFile {
    executed_lines: Vec<u32>,
    missing_lines: Vec<u32>,
}

#[derive(Deserialize)]
struct IstanbulFile {
    #[serde(rename = "statementMap")]
    statements: BTreeMap<String, Statement>,
    /// How often each statement ran.
    s: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
struct Statement {
    start: Position,
}

#[derive(Deserialize)]
struct Position {
    /// None for a position that a source map does not resolve.
    line: Option<u32>,
}

pub(super) fn read(text: &str) -> Result<Coverage, Flaw> {
    let top: Top = parse(text, WRITE_WHOLE)?;
    if top.total.is_some() && top.files.is_none() {
        let hint = "let Istanbul write `coverage-final.json` (reporter `json`, not `json-summary`)";
        return Err(Flaw::new("it holds sums only, no lines", hint));
    }
    if top.meta.is_some() && top.files.is_some() { coverage_py(text) } else { istanbul(text) }
}

fn coverage_py(text: &str) -> Result<Coverage, Flaw> {
    let report: CoveragePy = parse(text, "let coverage.py 5 or newer write it by `coverage json`")?;
    let mut coverage = Coverage::default();
    for (path, file) in report.files {
        let lines = coverage.files.entry(path).or_default();
        lines.extend(file.missing_lines.into_iter().map(|line| (line, false)));
        lines.extend(file.executed_lines.into_iter().map(|line| (line, true)));
    }
    Ok(coverage)
}

/// A line ran if any statement ran that begins on it, as Istanbul itself counts.
fn istanbul(text: &str) -> Result<Coverage, Flaw> {
    let report: BTreeMap<String, IstanbulFile> = parse(text, KNOWN)?;
    let mut coverage = Coverage::default();
    for (path, file) in report {
        coverage.files.entry(path.clone()).or_default();
        for (name, statement) in &file.statements {
            let Some(line) = statement.start.line else { continue };
            let count = file.s.get(name).copied().unwrap_or_default();
            coverage.add(&path, line, count > 0);
        }
    }
    Ok(coverage)
}

fn parse<T: DeserializeOwned>(text: &str, hint: &'static str) -> Result<T, Flaw> {
    serde_json::from_str(text).map_err(|error| {
        let hint = if error.is_data() { hint } else { WRITE_WHOLE };
        Flaw::new(error.to_string(), hint).at(error.line())
    })
}
