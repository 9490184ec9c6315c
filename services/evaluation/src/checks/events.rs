//! Checks about what happened during the attempt: answers, requests, faults. Pure.

use super::QUOTE;
use super::sight::Sight;
use crate::facts::Facts;
use crate::faults;
use crate::nearest;
use crate::requests::{Blame, blame};
use crate::text::{describe, excerpt, fits};
use domain::task::{FaultCheck, RequestCheck, TextMatch};

pub(super) fn answer(wanted: &TextMatch, facts: &Facts) -> Sight {
    let Some(answer) = &facts.answer else { return Sight::refuted("no answer was given") };
    let observed = format!("the answer is \"{}\"", excerpt(answer, QUOTE));
    match fits(wanted, answer) {
        Ok(true) => Sight::confirmed(observed, Vec::new()),
        Ok(false) => Sight::refuted(observed),
        Err(cause) => Sight::undecided(cause),
    }
}

pub(super) fn request(wanted: &RequestCheck, facts: &Facts) -> Sight {
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
            Err(cause) => return Sight::undecided(cause),
        }
        let named = format!("{} {}", request.method, request.url);
        match (wanted.status, request.status) {
            (None, Some(actual)) => {
                return Sight::confirmed(format!("{named} was sent, and answered {actual}"), Vec::new());
            }
            (None, None) => return Sight::confirmed(format!("{named} was sent"), Vec::new()),
            (Some(status), Some(actual)) if status == actual => {
                return Sight::confirmed(format!("{named} was answered {actual}"), Vec::new());
            }
            (Some(_), Some(actual)) => other_status = Some(format!("{named} was answered {actual}")),
            (Some(_), None) => unanswered = Some(format!("{named} has no answer")),
        }
    }
    match (unanswered, other_status) {
        (Some(observed), _) => Sight::undecided(observed),
        (None, Some(observed)) => Sight::refuted(observed),
        (None, None) if facts.requests.is_empty() => {
            Sight::undecided("the browser reported no request at all, not even that of the page")
        }
        (None, None) => {
            let sought = describe(&wanted.url);
            let nearest = nearest::requests(wanted, sent());
            Sight::refuted(format!("none of {} requests has an address {sought}{nearest}", facts.requests.len()))
        }
    }
}

/// Whether a fault was reported. That there is none says something only where it was looked for.
pub(super) fn fault(wanted: &FaultCheck, facts: &Facts) -> Sight {
    let mut unknown = None;
    for fault in &facts.faults {
        match (faults::fits(wanted, fault), blame(fault, &facts.requests)) {
            (Ok(true), Blame::Site) => {
                let source = if fault.source.is_empty() { String::new() } else { format!(" ({})", fault.source) };
                let message = excerpt(&fault.message, QUOTE);
                return Sight::confirmed(format!("the browser reported \"{message}\"{source}"), Vec::new());
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
        return Sight::undecided(cause);
    }
    let Some(observation) = facts.observation() else { return Sight::undecided("the page was never observed") };
    if facts.requests.is_empty() && facts.faults.is_empty() {
        return Sight::undecided("the browser reported nothing at all, not even the request of the page");
    }
    match wanted.at.as_ref().map(|at| (at, faults::fits_address(at, &observation.url))) {
        Some((_, Err(cause))) => Sight::undecided(cause),
        Some((at, Ok(false))) => {
            let (url, sought) = (&observation.url, describe(at));
            Sight::undecided(format!("it ended at {url}; the fault is looked for at an address {sought}"))
        }
        _ => Sight::refuted(format!("none of {} faults that the browser reported is it", facts.faults.len())),
    }
}
