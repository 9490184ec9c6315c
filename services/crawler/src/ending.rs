//! Maps failures to endings of an attempt. Pure.

use domain::decision::PlannerError;
use domain::environment::EnvironmentError;
use domain::page::PageError;
use domain::{Ending, Usage};
use std::time::Duration;

/// The ending of an attempt whose page failed.
pub fn of_page(error: &PageError) -> Ending {
    let cause = error.to_string();
    match error {
        PageError::OutOfScope(refused) => Ending::LeftScope { url: refused_url(refused) },
        PageError::Unreachable { .. } => Ending::SiteUnreachable { cause },
        PageError::DialogLoop(dialogs) => Ending::DialogLoop { dialogs: *dialogs },
        PageError::Secret { .. } => Ending::EnvironmentFailed { cause },
        PageError::Stale { .. }
        | PageError::Script(_)
        | PageError::NoSlot(_)
        | PageError::SessionLost(_)
        | PageError::BrowserCrashed(_)
        | PageError::Driver(_) => Ending::BrowserFailed { cause },
    }
}

/// The ending of an attempt that could not begin. A start URL outside the scope is a mistake of the task, not of the actor.
pub fn of_environment(error: &EnvironmentError) -> Ending {
    match error {
        EnvironmentError::Page(page @ (PageError::OutOfScope(_) | PageError::Script(_))) => {
            Ending::EnvironmentFailed { cause: page.to_string() }
        }
        EnvironmentError::Page(page) => of_page(page),
        EnvironmentError::Reset(_) | EnvironmentError::LogIn(_) | EnvironmentError::NotReady(_) => {
            Ending::EnvironmentFailed { cause: error.to_string() }
        }
    }
}

/// The ending of an attempt whose page did not open in time. The job is not retried, so that the limit holds for the
/// job.
pub fn not_opened(limit: Duration) -> Ending {
    Ending::SiteUnreachable { cause: format!("the page could not be opened and read within {} s", limit.as_secs()) }
}

/// The ending of an attempt whose planner could not answer.
pub fn of_planner(error: &PlannerError) -> Ending {
    let cause = error.to_string();
    match error {
        PlannerError::Throttled { .. } => Ending::Throttled { cause },
        PlannerError::Unavailable { .. } | PlannerError::Away { .. } | PlannerError::Embedding(_) => {
            Ending::PlannerFailed { cause }
        }
        PlannerError::LogIn(_) => Ending::EnvironmentFailed { cause },
    }
}

/// What the failed calls of a planner cost.
pub fn usage_of(error: &PlannerError) -> Usage {
    match error {
        PlannerError::Unavailable { usage, .. }
        | PlannerError::Throttled { usage, .. }
        | PlannerError::Away { usage, .. } => *usage,
        PlannerError::Embedding(_) | PlannerError::LogIn(_) => Usage::default(),
    }
}

fn refused_url(refused: &domain::scope::Refused) -> String {
    match refused {
        domain::scope::Refused::Scheme { url, .. } | domain::scope::Refused::Host { url } => url.clone(),
    }
}
