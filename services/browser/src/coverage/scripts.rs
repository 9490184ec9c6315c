//! Merges V8's coverage reports. Pure.
//!
//! A report covers what ran since the previous one. Each function comes with nested ranges, of which the innermost
//! decides whether a position ran. For a script that V8 took from its code cache it reports functions without blocks:
//! then the blocks known so far stay valid, and where none are known the whole function counts.

use super::{JsFigures, ScriptFigures};
use rangemap::RangeSet;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

/// Most scripts kept. Bounds memory on a site that generates a new script for every visit.
const MOST: usize = 20_000;

/// The answer to `Profiler.takePreciseCoverage`.
#[derive(Debug, Deserialize)]
pub(crate) struct Report {
    result: Vec<ScriptReport>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ScriptReport {
    script_id: String,
    url: String,
    functions: Vec<FunctionReport>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FunctionReport {
    function_name: String,
    is_block_coverage: bool,
    /// The function's own range first, then those of its blocks.
    ranges: Vec<RangeReport>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RangeReport {
    start_offset: u32,
    end_offset: u32,
    count: u64,
}

/// All scripts of an exploration.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Scripts {
    scripts: Vec<Script>,
    #[serde(skip)]
    places: HashMap<(String, u32), usize>,
    /// Index of the script that a tab calls by an id, for reports that omit its length.
    #[serde(skip)]
    named: HashMap<(String, String, String), usize>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Script {
    url: String,
    length: u32,
    /// Sorted by position, outer functions first.
    functions: Vec<Function>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Function {
    start: u32,
    end: u32,
    ran: bool,
    /// Block-level coverage; none where V8 reported the function as a whole.
    blocks: Option<RangeSet<u32>>,
}

impl Scripts {
    pub(crate) fn add(&mut self, tab: &str, report: Report, clean: impl Fn(&mut String)) {
        self.index();
        for script in report.result {
            // A script without an address is ours, or was evaluated by the page from text.
            if !script.url.starts_with("http:") && !script.url.starts_with("https:") {
                continue;
            }
            let mut url = script.url.split(['?', '#']).next().unwrap_or_default().to_owned();
            clean(&mut url);
            let whole = script.functions.first().and_then(FunctionReport::whole_script);
            let Some(place) = self.place(url, whole, tab, script.script_id) else { continue };
            for function in &script.functions {
                self.scripts[place].add(function);
            }
        }
    }

    /// Adds what others know.
    pub(crate) fn merge(&mut self, others: Scripts) {
        self.index();
        for script in others.scripts {
            let Some(place) = self.known(script.url, script.length) else { continue };
            for function in script.functions {
                self.scripts[place].merge(function);
            }
        }
    }

    /// Scripts that come from a file have no index yet.
    fn index(&mut self) {
        if self.places.len() < self.scripts.len() {
            let places = self.scripts.iter().enumerate();
            self.places = places.map(|(place, script)| ((script.url.clone(), script.length), place)).collect();
        }
    }

    /// Index of the script that is meant; none when its length is unknown or there are too many scripts.
    fn place(&mut self, url: String, length: Option<u32>, tab: &str, id: String) -> Option<usize> {
        let name = (tab.to_owned(), url, id);
        let Some(length) = length else { return self.named.get(&name).copied() };
        let place = self.known(name.1.clone(), length)?;
        self.named.insert(name, place);
        Some(place)
    }

    /// Index of a script, which may be new; none when there are too many.
    fn known(&mut self, url: String, length: u32) -> Option<usize> {
        let key = (url, length);
        match self.places.get(&key) {
            Some(place) => Some(*place),
            None if self.scripts.len() >= MOST => None,
            None => {
                self.scripts.push(Script { url: key.0.clone(), length, functions: Vec::new() });
                self.places.insert(key, self.scripts.len() - 1);
                Some(self.scripts.len() - 1)
            }
        }
    }

    pub(crate) fn figures(&self) -> impl Iterator<Item = ScriptFigures> {
        self.scripts.iter().map(|script| ScriptFigures { url: script.url.clone(), figures: script.figures() })
    }
}

impl FunctionReport {
    /// The script's length, if this is the function that V8 reports for the whole script.
    fn whole_script(&self) -> Option<u32> {
        let whole = self.ranges.first().filter(|range| range.start_offset == 0 && self.function_name.is_empty());
        whole.map(|range| range.end_offset)
    }

    /// The covered ranges: of nested ranges the innermost decides.
    fn blocks(&self) -> RangeSet<u32> {
        let mut blocks = RangeSet::new();
        for range in self.ranges.iter().filter(|range| range.start_offset < range.end_offset) {
            let place = range.start_offset..range.end_offset;
            if range.count > 0 { blocks.insert(place) } else { blocks.remove(place) }
        }
        blocks
    }
}

impl Script {
    fn add(&mut self, report: &FunctionReport) {
        let Some(whole) = report.ranges.first() else { return };
        // No report counts beyond the script's length.
        let (start, end) = (whole.start_offset, whole.end_offset.min(self.length));
        if start >= end {
            return;
        }
        let function = self.function(start, end);
        if whole.count == 0 {
            return;
        }
        function.ran = true;
        if report.is_block_coverage {
            function.blocks.get_or_insert_default().extend(report.blocks());
        }
    }

    /// Adds what others know of one of its functions.
    fn merge(&mut self, other: Function) {
        let function = self.function(other.start, other.end);
        function.ran |= other.ran;
        if let Some(blocks) = other.blocks {
            function.blocks.get_or_insert_default().extend(blocks);
        }
    }

    /// The function at a place, which may be new.
    fn function(&mut self, start: u32, end: u32) -> &mut Function {
        let order = |function: &Function| (function.start, Reverse(function.end));
        let place = match self.functions.binary_search_by_key(&(start, Reverse(end)), order) {
            Ok(place) => place,
            Err(place) => {
                self.functions.insert(place, Function { start, end, ran: false, blocks: None });
                place
            }
        };
        &mut self.functions[place]
    }

    /// The covered part of a function, nested functions included, as far as it is known.
    fn ran(function: &Function) -> RangeSet<u32> {
        match (&function.blocks, function.ran) {
            (Some(blocks), _) => blocks.clone(),
            (None, true) => std::iter::once(function.start..function.end).collect(),
            (None, false) => RangeSet::new(),
        }
    }

    fn figures(&self) -> JsFigures {
        let mut covered = 0_u64;
        // The enclosing functions with their covered ranges.
        let mut around: Vec<(u32, RangeSet<u32>)> = Vec::new();
        for function in &self.functions {
            while around.last().is_some_and(|(end, _)| *end <= function.start) {
                around.pop();
            }
            // The outer function's coverage does not count here: the innermost range decides.
            if let Some((_, outer)) = around.last() {
                covered = covered.saturating_sub(length(outer, &(function.start..function.end)));
            }
            let ran = Script::ran(function);
            covered += length(&ran, &(function.start..function.end));
            around.push((function.end, ran));
        }
        JsFigures {
            functions: self.functions.len() as u64,
            functions_covered: self.functions.iter().filter(|function| function.ran).count() as u64,
            bytes: u64::from(self.length),
            // Functions that overlap without one being within the other are counted twice.
            bytes_covered: covered.min(u64::from(self.length)),
        }
    }
}

/// Length of the overlap of a place with the ranges.
fn length(ranges: &RangeSet<u32>, place: &Range<u32>) -> u64 {
    let inside = |range: &Range<u32>| range.end.min(place.end).saturating_sub(range.start.max(place.start));
    ranges.overlapping(place).map(|range| u64::from(inside(range))).sum()
}

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;
