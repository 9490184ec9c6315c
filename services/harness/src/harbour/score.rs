//! How much of the truth an exploration found. Pure; only [`observations`] reads a file.
//!
//! An exploration leaves observations, each with the state that it was taken for, and faults. Every observation shows one
//! true state. A true state is *split* when its observations were taken for several states; it is *merged* when a state was
//! found in which observations of it and of another true state are. What the explored role cannot reach does not count,
//! neither for nor against.

use super::truth::{Role, Truth};
use domain::fault::FaultCategory;
use domain::{Fault, Observation};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// How much of the truth was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// True states that the role can reach.
    pub states_true: usize,
    /// Those of them that were seen.
    pub states_found: usize,
    /// The part of them that was seen, from 0 to 1.
    pub states_found_ratio: f64,
    /// True states seen that were split or merged.
    pub split_or_merged: usize,
    /// The part of the true states seen that was split or merged, from 0 to 1.
    pub split_or_merged_ratio: f64,
    /// The part of the faults that the role can come across that was reported, from 0 to 1.
    pub fault_recall: f64,
    /// The part of the reported faults that are declared, each counted once, from 0 to 1; 0 when none was reported.
    pub fault_precision: f64,
    /// True states that were not seen.
    pub missed_states: Vec<String>,
    /// True states that were split, with what they were taken for.
    pub splits: BTreeMap<String, Vec<u64>>,
    /// Found states that hold several true ones.
    pub merges: BTreeMap<u64, Vec<String>>,
    /// Faults that were not reported.
    pub missed_faults: Vec<String>,
    /// Reported faults that nobody declared.
    pub unknown_faults: Vec<String>,
    /// Addresses of observations that show no declared state.
    pub unknown_pages: BTreeSet<String>,
}

/// Scores what an exploration of a role left.
pub fn score<'a>(
    truth: &Truth,
    role: Role,
    observations: impl IntoIterator<Item = (u64, Observation)>,
    faults: impl IntoIterator<Item = &'a Fault>,
) -> Score {
    let mut seen = Recognised::default();
    for (found, observation) in observations {
        seen.add(truth, found, &observation);
    }
    seen.score(truth, role, faults)
}

/// What was seen so far: little, however many observations there are.
#[derive(Clone, Debug, Default)]
pub struct Recognised {
    taken_for: BTreeMap<String, BTreeSet<u64>>,
    unknown: BTreeSet<String>,
}

impl Recognised {
    /// Adds an observation and the state that it was taken for.
    pub fn add(&mut self, truth: &Truth, found: u64, observation: &Observation) {
        match truth.recognise(observation) {
            Some(state) => {
                self.taken_for.entry(state.id.clone()).or_default().insert(found);
            }
            None => {
                self.unknown.insert(observation.url.clone());
            }
        }
    }

    /// The score of what was seen by a role, and of the faults that were reported.
    pub fn score<'a>(&self, truth: &Truth, role: Role, faults: impl IntoIterator<Item = &'a Fault>) -> Score {
        let counted: BTreeSet<&str> = truth.reachable(role).into_iter().map(|state| state.id.as_str()).collect();
        let seen: BTreeMap<&String, &BTreeSet<u64>> =
            self.taken_for.iter().filter(|(id, _)| counted.contains(id.as_str())).collect();
        let mut holds: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        for (id, found) in &seen {
            for found in found.iter() {
                holds.entry(*found).or_default().push((*id).clone());
            }
        }
        let merges: BTreeMap<u64, Vec<String>> = holds.into_iter().filter(|(_, ids)| ids.len() > 1).collect();
        let splits: BTreeMap<String, Vec<u64>> = seen
            .iter()
            .filter(|(_, found)| found.len() > 1)
            .map(|(id, found)| ((*id).clone(), found.iter().copied().collect()))
            .collect();
        let wrong: BTreeSet<&String> = splits.keys().chain(merges.values().flatten()).collect();
        let ReportedFault { recall, precision, missed, unknown } = told(truth, role, faults);
        let missed_states = counted.iter().filter(|id| !self.taken_for.contains_key(**id)).map(|id| (*id).to_owned());
        Score {
            states_true: counted.len(),
            states_found: seen.len(),
            states_found_ratio: ratio(seen.len(), counted.len()),
            split_or_merged: wrong.len(),
            split_or_merged_ratio: ratio(wrong.len(), seen.len()),
            fault_recall: recall,
            fault_precision: precision,
            missed_states: missed_states.collect(),
            missed_faults: missed,
            unknown_faults: unknown,
            unknown_pages: self.unknown.clone(),
            splits,
            merges,
        }
    }
}

struct ReportedFault {
    recall: f64,
    precision: f64,
    missed: Vec<String>,
    unknown: Vec<String>,
}

fn told<'a>(truth: &Truth, role: Role, faults: impl IntoIterator<Item = &'a Fault>) -> ReportedFault {
    let faults: Vec<&Fault> = faults.into_iter().collect();
    let declared: BTreeSet<&str> = truth.faults_of(role).into_iter().map(|shown| shown.fault.id).collect();
    let mut found: BTreeSet<&str> = BTreeSet::new();
    let mut unknown: BTreeSet<(FaultCategory, &str, &str)> = BTreeSet::new();
    for fault in &faults {
        let mut known =
            truth.faults.iter().filter(|shown| shown.fault.is(fault)).map(|shown| shown.fault.id).peekable();
        if known.peek().is_none() {
            unknown.insert((fault.category, &fault.message, &fault.source));
        }
        found.extend(known);
    }
    let hits = found.intersection(&declared).count();
    ReportedFault {
        recall: ratio(hits, declared.len()),
        precision: ratio(found.len(), found.len() + unknown.len()),
        missed: declared.difference(&found).map(|id| (*id).to_owned()).collect(),
        unknown: unknown
            .into_iter()
            .map(|(category, message, source)| format!("{category:?}: {message} ({source})"))
            .collect(),
    }
}

fn ratio(part: usize, all: usize) -> f64 {
    if all == 0 { 0.0 } else { part as f64 / all as f64 }
}

/// A line of what an exploration keeps: an observation, and the state that it was taken for.
#[derive(Deserialize)]
struct SampleLine {
    state: u64,
    observation: Observation,
}

/// The observations that an exploration kept: one JSON object per line, compressed by Zstandard.
///
/// # Errors
/// When the file cannot be opened; each item, when it cannot be read or is no observation.
pub fn observations(file: &Path) -> io::Result<impl Iterator<Item = io::Result<(u64, Observation)>>> {
    let lines = BufReader::new(zstd::Decoder::new(File::open(file)?)?).lines();
    Ok(lines.map(|line| {
        let kept: SampleLine = serde_json::from_str(&line?)?;
        Ok((kept.state, kept.observation))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harbour::Version;
    use domain::Node;

    /// What a page looks like that has a heading.
    fn page(path: &str, heading: &str) -> Observation {
        let node = Node { role: "heading".into(), name: heading.into(), ..Node::default() };
        Observation { url: format!("http://127.0.0.1:80{path}"), nodes: vec![node].into(), ..Observation::default() }
    }

    fn truth() -> Truth {
        Truth::of(Version::One)
    }

    #[test]
    fn products_of_a_kind_in_one_state_are_neither_split_nor_merged() {
        let seen = [
            (1, page("/product/brass-lantern", "About this article")),
            (1, page("/product/hemp-rope", "About this article")),
            (2, page("/product/wool-cap", "Choose your size")),
        ];
        let score = score(&truth(), Role::Guest, seen, &[]);
        assert_eq!((score.states_found, score.split_or_merged), (2, 0));
        assert_eq!(score.states_true, score.missed_states.len() + 2);
    }

    #[test]
    fn a_state_in_two_is_split_and_two_in_one_are_merged() {
        let seen = [
            (1, page("/product/brass-lantern", "About this article")),
            (2, page("/product/hemp-rope", "About this article")),
            (3, page("/help", "Help centre")),
            (3, page("/imprint", "Imprint")),
            (4, page("/services", "Services")),
        ];
        let score = score(&truth(), Role::Guest, seen, &[]);
        assert_eq!(score.splits, BTreeMap::from([("product/plain".to_owned(), vec![1, 2])]));
        assert_eq!(score.merges, BTreeMap::from([(3, vec!["help".to_owned(), "help/imprint".to_owned()])]));
        assert_eq!((score.split_or_merged, score.split_or_merged_ratio), (3, 0.75));
    }

    #[test]
    fn what_the_role_cannot_reach_counts_neither_for_nor_against() {
        let seen = [(1, page("/account", "Good to see you")), (1, page("/help", "Help centre"))];
        let score = score(&truth(), Role::Guest, seen, &[]);
        assert_eq!((score.states_found, score.split_or_merged), (1, 0));
    }

    #[test]
    fn a_page_that_is_not_declared_is_told() {
        let score = score(&truth(), Role::Guest, [(1, page("/nowhere", "Nowhere"))], &[]);
        assert_eq!(score.unknown_pages.len(), 1);
    }

    #[test]
    fn a_fault_counts_once_and_an_undeclared_one_lowers_precision() {
        let fault = |message: &str| Fault {
            category: FaultCategory::JavaScript,
            message: message.to_owned(),
            source: "http://127.0.0.1:80/x".to_owned(),
            line: None,
            first_party: true,
        };
        let faults = [fault("Error: the ink is dry"), fault("Error: the ink is dry"), fault("Error: something else")];
        let score = score(&truth(), Role::Guest, [], &faults);
        assert_eq!(score.fault_precision, 0.5);
        assert_eq!(score.fault_recall, 1.0 / truth().faults_of(Role::Guest).len() as f64);
        assert_eq!(score.unknown_faults.len(), 1);
        assert!(!score.missed_faults.contains(&"guest-book-late".to_owned()));
    }

    #[test]
    fn kept_observations_are_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("observations.jsonl.zst");
        let observation = page("/help", "Help centre");
        let line = serde_json::json!({ "state": 7, "observation": observation }).to_string();
        std::fs::write(&file, zstd::encode_all(line.as_bytes(), 0).unwrap()).unwrap();
        let read: Vec<_> = observations(&file).unwrap().collect::<io::Result<_>>().unwrap();
        assert_eq!(read, [(7, observation)]);
    }
}
