//! What follows what was done, by itself: a refused form is mended, a field's form sent, a page of a new kind loaded once more.

use super::plan::{self, Part, PlannedStep, StepKind};
use super::{Explorer, filling};
use crate::destructive;
use domain::observation::{Request, Settled};
use domain::service::ServiceError;
use domain::{Action, Effect, Observation, StateId, Step};
use url::Url;

/// Kinds of addresses of one path that are loaded once more.
const RELOADS: usize = 4;
/// Kinds of requests after which a list is looked at.
const LISTS: usize = 500;
/// A way from here that is less certain is not gone to send a form once more.
const RELIABLE: f64 = 0.5;

impl Explorer {
    /// A form that was refused is mended and sent again.
    pub(super) fn repair(&mut self, planned_step: &PlannedStep, step: &Step, seen: &Observation) {
        let StepKind::Act { action, .. } = &planned_step.what else { return };
        let refused = matches!(step.effect, Effect::Rejected { .. });
        let found = action.element().and_then(|descriptor| plan::find(descriptor, seen));
        let form = found.and_then(|element| destructive::form(seen, element));
        let (Some(element), Some(form)) = (found, form) else { return };
        let is_sent = seen.node(element).is_some_and(destructive::is_submit);
        if !is_sent || self.repairs >= filling::REPAIRS || !(refused || filling::refuses(seen, form)) {
            self.repairs = 0;
            return;
        }
        self.repairs += 1;
        let again = Action::click(element);
        if let Some(first) = plan::preparations(&again, seen, self.repairs, self.today) {
            self.plan.push_front(PlannedStep { what: planned_step.what.clone(), part: Part::Try { ticket: None } });
            self.prepare(first);
            // What a password field holds is not seen: prepared once more, it would be filled as at first.
            self.is_prepared = true;
        }
    }

    /// After a field was changed, its form is sent.
    pub(super) fn send(&mut self, planned_step: &PlannedStep, seen: &Observation) {
        let StepKind::Act { action, .. } = &planned_step.what else { return };
        if !self.strategy.sends_each_field() || !self.plan.is_empty() {
            return;
        }
        let Some(sending) = plan::sending(action, seen, &self.exploration.guards, &self.memory) else { return };
        if self.sent.insert(sending.name) {
            self.plan.push_front(sending.planned_step);
            self.is_prepared = sending.as_it_stands;
        }
    }

    /// After something of a new kind was sent, the page that lists such things is looked at: `/boats` after `/boats/7/rent`.
    pub(super) fn look_at_list(&mut self, seen: &Observation) {
        let is_sent = |request: &&Request| {
            !request.is_safe() && !request.refused && request.status.is_some_and(|status| status < 400)
        };
        let Some(sent) = seen.requests.iter().find(is_sent).filter(|_| self.plan.is_empty()) else { return };
        let (Ok(mut list), Ok(here)) = (Url::parse(&sent.url), Url::parse(&seen.url)) else { return };
        list.set_query(None);
        let segments: Vec<String> = list.path().split('/').skip(1).map(str::to_owned).collect();
        for length in (1..segments.len()).rev() {
            list.set_path(&segments[..length].join("/"));
            if !self.memory.knows_path(list.path()) {
                continue;
            }
            let kind = plan::kind_of(&format!("{} for {}", list.path(), sent.url)).1;
            if list.path() != here.path() && self.lists.len() < LISTS && self.lists.insert(kind) {
                self.plan.push_back(PlannedStep::open(list.to_string(), Part::Hop { to: None }));
            }
            return;
        }
    }

    /// Plans to send a form once more with other choices; answers whether there is one.
    pub(super) async fn vary(&mut self, here: StateId) -> Result<bool, ServiceError> {
        let Some((send, variation)) = self.variations.next() else { return Ok(false) };
        let (map, site) = (self.services.map.clone(), self.exploration.version.site.clone());
        let from_here = map.shortest_path(&site, Some(here), send.state).await?;
        let route = match from_here.filter(|route| route.reliability > RELIABLE) {
            Some(route) => Some(route),
            None => map.shortest_path(&site, None, send.state).await?,
        };
        if let Some(route) = route {
            self.plan = plan::way(&self.exploration.start_url, &route, &send, None);
            if let Some(last) = self.plan.back_mut() {
                last.part = Part::Vary { variation };
            }
        }
        Ok(true)
    }

    /// The first page of each kind is loaded once more, to see what of it stays the same; of one that never rests, nothing does.
    pub(super) fn reload(&mut self, step: &Step, seen: &Observation) {
        let has_loaded = match &step.effect {
            Effect::Changed { what } => what.iter().any(|what| what == "url"),
            _ => false,
        };
        let rests = seen.settled == Settled::Quiet;
        let can_be_asked_for = !is_answer_to_something_sent(&step.requests, &seen.url);
        if !(has_loaded && rests && self.plan.is_empty() && seen.dialog.is_none() && can_be_asked_for) {
            return;
        }
        let (path, kind) = plan::kind_of(&seen.url);
        let of_path = self.reloaded.entry(path).or_default();
        if of_path.len() < RELOADS && of_path.insert(kind) {
            self.plan.push_back(PlannedStep::open(seen.url.clone(), Part::Reload));
        }
    }
}

/// Whether a page is what the site answered to something that the step sent.
fn is_answer_to_something_sent(requests: &[Request], url: &str) -> bool {
    destructive::is_answer(requests, url) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_to_a_form_is_no_page_that_can_be_asked_for_and_where_it_leads_to_is_one() {
        let request =
            |method: &str, url: &str| Request { method: method.into(), url: url.into(), ..Request::default() };
        let refused = [request("POST", "http://a.test/letters"), request("GET", "http://a.test/api/clock")];
        assert!(is_answer_to_something_sent(&refused, "http://a.test/letters#top"));
        let led_on = [request("POST", "http://a.test/letters"), request("GET", "http://a.test/letters")];
        assert!(!is_answer_to_something_sent(&led_on, "http://a.test/letters"));
        assert!(!is_answer_to_something_sent(&refused, "http://a.test/thanks"));
        assert!(!is_answer_to_something_sent(&[], "http://a.test/letters"));
    }
}
