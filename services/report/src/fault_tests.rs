//! Faults as native tests: the shortest way to each, and the wish that it does not show there. Pure.
//!
//! Such a test fails while the fault is there and passes once it is mended. Where the way has changed it says neither: it has
//! drifted when a step cannot be done, and is unverified when it ends on another page.

use crate::explored::Found;
use crate::run::{Exploration, Run};
use crate::visits::{ArrivalRecord, VisitRecord};
use domain::action::ActionKind;
use domain::job::Work;
use domain::task::{Check, FaultCheck, Limits, Task, TextMatch};
use domain::test::{FORMAT, Start, Test, TestStep};
use domain::{Action, Descriptor, SiteId, TaskId};

/// The test of a fault; none when nothing was explored.
pub(super) fn test(run: &Run<'_>, explore: Exploration<'_>, found: &Found) -> Option<Test> {
    let (explored, site) = run.jobs.iter().find_map(|job| match &job.work {
        Work::Exploration { exploration, site } => Some((exploration, site)),
        _ => None,
    })?;
    let name = found.test.trim_start_matches("tests/").trim_end_matches(".json");
    let instruction = format!("Nothing reports: {}", found.fault.message);
    let check = Check::Not(Box::new(Check::Fault(wanted(found))));
    let task = Task {
        id: TaskId::new(name),
        site: Some(SiteId::new(explore.site.own_name())),
        start_url: explore.url.to_owned(),
        instruction: instruction.clone(),
        parameters: Default::default(),
        check: Some(check.clone()),
        gold: None,
        limits: Limits::default(),
        downloads: false,
        may_hold_at_start: false,
    };
    let mut site = site.as_ref().clone();
    site.login = explored.login.clone().map(Box::new);
    let steps = found.steps.iter().map(|action| TestStep::new(action.clone(), ""));
    Some(Test {
        format: FORMAT,
        name: name.to_owned(),
        instruction,
        start: Start::Task { task: Box::new(task), site: Box::new(site) },
        steps: steps.collect(),
        check,
    })
}

/// What is the same fault, at the end of the way to it.
fn wanted(found: &Found) -> FaultCheck {
    let equals = |text: &str| (!text.is_empty()).then(|| TextMatch::Equals(text.to_owned()));
    FaultCheck {
        category: Some(found.fault.category),
        message: equals(&found.fault.message),
        source: equals(&found.fault.source),
        first_party: Some(found.fault.first_party),
        at: equals(&found.url),
    }
}

/// What was filled in right before something was done, by who did it.
pub(super) fn filled_before(
    all: &[VisitRecord],
    is_it: impl Fn(&VisitRecord, &ArrivalRecord) -> bool,
) -> Vec<Action<Descriptor>> {
    let done = all.iter().position(|seen| seen.deed.as_ref().is_some_and(|deed| is_it(seen, deed)));
    let Some((place, seen, deed)) = done.and_then(|at| Some((at, &all[at], all[at].deed.as_ref()?))) else {
        return Vec::new();
    };
    let earlier = all[..place].iter().rev().filter(|earlier| earlier.crawler == seen.crawler);
    let filled = earlier.map_while(|earlier| {
        let filled = earlier.deed.as_ref().filter(|filled| filled.key.is_none() && filled.from == deed.from)?;
        let is_filling = matches!(
            filled.action.kind(),
            ActionKind::Type | ActionKind::Select | ActionKind::Check | ActionKind::Upload
        );
        is_filling.then(|| filled.action.clone())
    });
    let mut filled: Vec<Action<Descriptor>> = filled.collect();
    filled.reverse();
    filled
}
