//! Uniting what V8 reports. Pure.
//!
//! A report tells of what ran since the report before. Its functions come with ranges that lie within one another, and the
//! innermost range says whether a place ran. Of a script that V8 took from its cache there are functions only, no blocks:
//! then what is known of the blocks stands, and where nothing is, the whole function counts.

use super::{JsFigures, ScriptFigures};
use rangemap::RangeSet;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

/// Scripts that are told apart. A site that makes up a script for every visit must not take all memory.
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
    /// The function, then its blocks.
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
    /// Which script a tab means by a name, for reports that do not tell its length.
    #[serde(skip)]
    named: HashMap<(String, String, String), usize>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Script {
    url: String,
    length: u32,
    /// By where they stand, outer ones first.
    functions: Vec<Function>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Function {
    start: u32,
    end: u32,
    ran: bool,
    /// What of it ran; none where only the function as a whole was reported.
    blocks: Option<RangeSet<u32>>,
}

impl Scripts {
    pub(crate) fn add(&mut self, tab: &str, report: Report, clean: impl Fn(&mut String)) {
        if self.places.len() < self.scripts.len() {
            // They come from a file.
            let places = self.scripts.iter().enumerate();
            self.places = places.map(|(place, script)| ((script.url.clone(), script.length), place)).collect();
        }
        for script in report.result {
            // What has no address was put in by us, or made by the page out of text.
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

    /// Which script is meant; none when it is not known how long it is, or there are too many.
    fn place(&mut self, url: String, length: Option<u32>, tab: &str, id: String) -> Option<usize> {
        let name = (tab.to_owned(), url, id);
        let Some(length) = length else { return self.named.get(&name).copied() };
        let key = (name.1.clone(), length);
        let place = match self.places.get(&key) {
            Some(place) => *place,
            None if self.scripts.len() >= MOST => return None,
            None => {
                self.scripts.push(Script { url: name.1.clone(), length, functions: Vec::new() });
                self.places.insert(key, self.scripts.len() - 1);
                self.scripts.len() - 1
            }
        };
        self.named.insert(name, place);
        Some(place)
    }

    pub(crate) fn figures(&self) -> impl Iterator<Item = ScriptFigures> {
        self.scripts.iter().map(|script| ScriptFigures { url: script.url.clone(), figures: script.figures() })
    }
}

impl FunctionReport {
    /// The length of the script, if this is the function that V8 makes of all of it.
    fn whole_script(&self) -> Option<u32> {
        let whole = self.ranges.first().filter(|range| range.start_offset == 0 && self.function_name.is_empty());
        whole.map(|range| range.end_offset)
    }

    /// What ran, by the innermost range.
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
        let Some(whole) = report.ranges.first().filter(|range| range.start_offset < range.end_offset) else { return };
        let (start, end) = (whole.start_offset, whole.end_offset);
        let order = |function: &Function| (function.start, Reverse(function.end));
        let place = match self.functions.binary_search_by_key(&(start, Reverse(end)), order) {
            Ok(place) => place,
            Err(place) => {
                self.functions.insert(place, Function { start, end, ran: false, blocks: None });
                place
            }
        };
        let function = &mut self.functions[place];
        if whole.count == 0 {
            return;
        }
        function.ran = true;
        if report.is_block_coverage {
            function.blocks.get_or_insert_default().extend(report.blocks());
        }
    }

    /// What ran of a function, as far as one can say, the functions within it included.
    fn ran(function: &Function) -> RangeSet<u32> {
        match (&function.blocks, function.ran) {
            (Some(blocks), _) => blocks.clone(),
            (None, true) => std::iter::once(function.start..function.end).collect(),
            (None, false) => RangeSet::new(),
        }
    }

    fn figures(&self) -> JsFigures {
        let mut covered = 0;
        // The functions around the one that is looked at, with what ran of them.
        let mut around: Vec<(u32, RangeSet<u32>)> = Vec::new();
        for function in &self.functions {
            while around.last().is_some_and(|(end, _)| *end <= function.start) {
                around.pop();
            }
            // What the outer function says of this place does not count: the innermost one knows.
            if let Some((_, outer)) = around.last() {
                covered -= length(outer, &(function.start..function.end));
            }
            let ran = Script::ran(function);
            covered += length(&ran, &(function.start..function.end));
            around.push((function.end, ran));
        }
        JsFigures {
            functions: self.functions.len() as u64,
            functions_covered: self.functions.iter().filter(|function| function.ran).count() as u64,
            bytes: u64::from(self.length),
            bytes_covered: covered,
        }
    }
}

/// How much of a place lies in the ranges.
fn length(ranges: &RangeSet<u32>, place: &Range<u32>) -> u64 {
    let inside = |range: &Range<u32>| range.end.min(place.end).saturating_sub(range.start.max(place.start));
    ranges.overlapping(place).map(|range| u64::from(inside(range))).sum()
}

#[cfg(test)]
mod tests;
