//! Derives an effect from the responses to the requests that an action caused. Pure.

use domain::observation::{Observation, Request, RequestKind};
use domain::{Action, Effect};
use std::collections::HashSet;

/// Method and path of requests that a page makes on its own, which no action caused.
pub(crate) type Background = HashSet<(String, String)>;

/// Reduces a request to its method and path.
pub(crate) fn line(request: &Request) -> (String, String) {
    (request.method.clone(), request.path())
}

/// The effect of an action whose request was rejected, or has no response that confirms it. Ignores pictures and the
/// page's own background requests. `said` is the site's message about it, if any.
pub(super) fn of_requests(
    action: &Action,
    before: &Observation,
    after: &Observation,
    background: &Background,
    said: Option<&str>,
) -> Option<Effect> {
    let leaves = before.url.split('#').next() != after.url.split('#').next();
    let own = || {
        let counts = |request: &&Request| {
            !request.refused
                && !matches!(request.kind, RequestKind::Resource | RequestKind::Beacon | RequestKind::Stream)
                && is_sent(request, after, leaves)
                && (matches!(action, Action::Goto { .. }) || !background.contains(&line(request)))
        };
        after.requests.iter().filter(counts)
    };
    let told = |request: &Request, how: &str| {
        let (method, path) = line(request);
        let said = said.map(|said| format!(": {said}")).unwrap_or_default();
        format!("{method} {path} {how}{said}")
    };
    if let Some((request, status)) = own().filter_map(|request| Some((request, request.status?))).find(is_broken) {
        return Some(Effect::Unconfirmed { cause: told(request, &format!("was answered {status}")) });
    }
    if let Some(request) = own().find(|request| is_lost(request, after, leaves)) {
        return Some(Effect::Unconfirmed { cause: told(request, "had no answer") });
    }
    let refused = |request: &&Request| {
        request.status.is_some_and(|status| (400..500).contains(&status))
            && (request.kind != RequestKind::Script || request.method != "GET" || said.is_some())
    };
    own().find(refused).map(|request| {
        let status = request.status.unwrap_or_default();
        let (method, path) = line(request);
        let answered = format!("{method} {path} was answered {status}");
        let message = said.map_or(answered.clone(), |said| format!("{said} ({answered})"));
        Effect::Rejected { message }
    })
}

fn is_broken((_, status): &(&Request, u16)) -> bool {
    *status >= 500
}

/// Whether a request carries out the action: it changes the server, loads the page itself, or was made by a script
/// while the page stayed.
fn is_sent(request: &Request, after: &Observation, leaves: bool) -> bool {
    if !request.is_safe() {
        return true;
    }
    request.method == "GET" && (request.url == after.url || (request.kind == RequestKind::Script && !leaves))
}

/// Whether a request ended without a response. Requests aborted by a navigation do not count, nor do open ones.
fn is_lost(request: &Request, after: &Observation, leaves: bool) -> bool {
    let is_known = request.number != 0 && request.method != "GET" && request.kind != RequestKind::Other;
    let is_open = after.open_requests.iter().any(|open| open.request.number == request.number);
    let is_answered = || after.requests.iter().any(|later| later.number == request.number && later.status.is_some());
    is_known && request.status.is_none() && !is_open && !leaves && !is_answered()
}
