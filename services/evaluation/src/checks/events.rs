//! Checks about what happened during the attempt: answers, requests, faults. Pure.

use super::QUOTE;
use super::look_finding::LookFinding;
use crate::facts::Facts;
use crate::faults;
use crate::nearest;
use crate::requests::{Blame, blame};
use crate::text::{describe, excerpt, fits};
use domain::task::{FaultCheck, RequestCheck, TextMatch};

pub(super) fn answer(wanted: &TextMatch, facts: &Facts) -> LookFinding {
    let Some(answer) = &facts.answer else { return LookFinding::refuted("no answer was given") };
    let observed = format!("the answer is \"{}\"", excerpt(answer, QUOTE));
    match fits(wanted, answer) {
        Ok(true) => LookFinding::confirmed(observed, Vec::new()),
        Ok(false) => LookFinding::refuted(observed),
        Err(cause) => LookFinding::undecided(cause),
    }
}

pub(super) fn request(wanted: &RequestCheck, facts: &Facts) -> LookFinding {
    let mut unanswered = None;
    let mut other_status = None;
    // What our own gate refused was never sent.
    let sent = || facts.requests.iter().filter(|request| !request.refused);
    for request in sent() {
        if wanted.method.as_ref().is_some_and(|method| !method.eq_ignore_ascii_case(&request.method)) {
            continue;
        }
        match fits(&wanted.url, &request.url) {
            Ok(true) => {}
            Ok(false) => continue,
            Err(cause) => return LookFinding::undecided(cause),
        }
        let named = format!("{} {}", request.method, request.url);
        match (wanted.status, request.status) {
            (None, Some(actual)) => {
                return LookFinding::confirmed(format!("{named} was sent, and answered {actual}"), Vec::new());
            }
            (None, None) => return LookFinding::confirmed(format!("{named} was sent"), Vec::new()),
            (Some(status), Some(actual)) if status == actual => {
                return LookFinding::confirmed(format!("{named} was answered {actual}"), Vec::new());
            }
            (Some(_), Some(actual)) => other_status = Some(format!("{named} was answered {actual}")),
            (Some(_), None) => unanswered = Some(format!("{named} has no answer")),
        }
    }
    match (unanswered, other_status) {
        (Some(observed), _) => LookFinding::undecided(observed),
        (None, Some(observed)) => LookFinding::refuted(observed),
        (None, None) if facts.requests.is_empty() => {
            LookFinding::undecided("the browser reported no request at all, not even that of the page")
        }
        (None, None) => {
            let sought = describe(&wanted.url);
            let nearest = nearest::requests(wanted, sent());
            LookFinding::refuted(format!("none of {} requests has an address {sought}{nearest}", facts.requests.len()))
        }
    }
}

/// Whether a fault was reported. The absence of one decides only if faults were gathered.
pub(super) fn fault(wanted: &FaultCheck, facts: &Facts) -> LookFinding {
    let mut unknown = None;
    for fault in &facts.faults {
        match (faults::fits(wanted, fault), blame(fault, &facts.requests)) {
            (Ok(true), Blame::Site) => {
                let source = if fault.source.is_empty() { String::new() } else { format!(" ({})", fault.source) };
                let message = excerpt(&fault.message, QUOTE);
                return LookFinding::confirmed(format!("the browser reported \"{message}\"{source}"), Vec::new());
            }
            (Ok(true), Blame::Unclear) => {
                let message = excerpt(&fault.message, QUOTE);
                unknown = Some(format!(
                    "the browser reported \"{message}\", which may come from a request that was refused because it leaves the scope"
                ));
            }
            (Ok(true), Blame::Gate) | (Ok(false), _) => {}
            (Err(cause), _) => unknown = Some(cause),
        }
    }
    if let Some(cause) = unknown {
        return LookFinding::undecided(cause);
    }
    let Some(observation) = facts.observation() else { return LookFinding::undecided("the page was never observed") };
    if facts.requests.is_empty() && facts.faults.is_empty() {
        return LookFinding::undecided("the browser reported nothing at all, not even the request of the page");
    }
    match wanted.at.as_ref().map(|at| (at, faults::fits_address(at, &observation.url))) {
        Some((_, Err(cause))) => LookFinding::undecided(cause),
        Some((at, Ok(false))) => {
            let (url, sought) = (&observation.url, describe(at));
            LookFinding::undecided(format!("it ended at {url}; the fault is looked for at an address {sought}"))
        }
        _ => LookFinding::refuted(format!("none of {} faults that the browser reported is it", facts.faults.len())),
    }
}
