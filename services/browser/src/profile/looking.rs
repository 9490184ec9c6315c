//! Observing: settle and describe in one call, again where the document was replaced meanwhile.

use super::{Profile, StepTiming, page_error};
use crate::fault;
use crate::probe::{self, ForeignFrame, StepReply};
use crate::snapshot::{Assembly, Held};
use crate::wire::{Noticed, Place, Trouble};
use domain::Observation;
use domain::observation::{Frame, Settled, Stamp, Tab, Unread, UnreadCause};
use domain::page::{Examination, PageError};
use platform::Clock;
use serde_json::{Value, json};
use tokio::time::{Duration, sleep, timeout};

/// Pause before a document is asked that has just replaced another.
const REPLACED: Duration = Duration::from_millis(5);
/// How often a page is asked although its deadline has passed and it keeps replacing its documents.
const LAST_TRIES: u32 = 5;

/// Pause before a document that runs no scripts is asked again: it cannot tell when something has happened.
const UNHEARD: Duration = Duration::from_millis(150);
/// How much longer than its deadline a frame's answer is waited for.
const MARGIN: Duration = Duration::from_secs(1);

const DOWNLOAD_TRIES: u32 = 40;
const DOWNLOAD_PAUSE: Duration = Duration::from_millis(25);

/// How a page is looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Look {
    /// Whether a rendered frame is waited for first: what the page does on scrolling.
    pub(super) frame: bool,
    /// Whether texts, names and values are read to their ends.
    pub(super) whole: bool,
}

impl Profile {
    /// Settles and observes. With `frame`, a rendered frame is waited for first: what the page does on scrolling.
    pub(super) async fn look(&mut self, frame: bool) -> Result<Observation, PageError> {
        Ok(self.look_as(Look { frame, whole: false }).await?.observation)
    }

    /// Settles and observes; with the visible texts where the look is a whole one.
    pub(super) async fn look_as(&mut self, look: Look) -> Result<Examination, PageError> {
        let (mut texts, mut written) = (Vec::new(), Vec::new());
        let mut observation = match self.look_at_page(look).await {
            Ok(assembly) => {
                self.origins = assembly.origins;
                (texts, written) = (assembly.texts, assembly.written);
                assembly.observation
            }
            Err(Trouble::Dialog) => self.behind_dialog(),
            Err(trouble) => return Err(page_error(trouble)),
        };
        self.wire.arrived(&observation.url, std::mem::take(&mut self.errors));
        let noticed = self.notice().await?;
        let noticed = after(std::mem::take(&mut self.untold), noticed);
        observation.faults.extend(noticed.faults);
        observation.requests = noticed.requests;
        observation.open_requests = noticed.open;
        observation.downloads = noticed.downloads;
        self.left = noticed.left;
        observation.dialog = self.wire.dialog().await.map_err(page_error)?;
        let current = self.wire.current().to_owned();
        let tabs = self.tab_states().await?;
        observation.tabs = tabs
            .into_iter()
            .map(|tab| {
                let current = tab.id == current;
                let url = if current { observation.url.clone() } else { tab.url };
                Tab { url, current }
            })
            .collect();
        self.number += 1;
        observation.stamp = Stamp { session: self.session.clone(), number: self.number };
        self.secrets.observation(&mut observation);
        let nodes = std::mem::take(&mut observation.nodes);
        self.surface = observation.clone();
        observation.nodes = nodes;
        Ok(Examination { observation, texts, written })
    }

    /// Has the next observation tell what went on before this one, which nobody gets to see.
    pub(super) fn tell_later(&mut self, unseen: Observation) {
        let Observation { faults, requests, downloads, .. } = unseen;
        self.untold = Noticed { faults, requests, downloads, ..Noticed::default() };
    }

    /// Observes from nothing: nothing is taken from what is remembered of the page. Dearer, and never different, which tests
    /// make sure of.
    ///
    /// # Errors
    /// As [`domain::Page::observe`].
    pub async fn observe_afresh(&mut self) -> Result<Observation, PageError> {
        self.held.clear();
        self.look(false).await
    }

    /// What was noticed, with the downloads that the page is known to have asked for: the browser tells of them a little
    /// later than the page comes to rest.
    async fn notice(&mut self) -> Result<Noticed, PageError> {
        let mut noticed = self.wire.notice().await.map_err(page_error)?;
        let wanted = std::mem::take(&mut self.downloads) as usize;
        for _ in 0..DOWNLOAD_TRIES {
            if noticed.downloads.len() >= wanted {
                break;
            }
            sleep(DOWNLOAD_PAUSE).await;
            noticed.add(self.wire.notice().await.map_err(page_error)?);
        }
        Ok(noticed)
    }

    /// What was there before a dialog opened; the page itself cannot be asked until it is answered.
    fn behind_dialog(&mut self) -> Observation {
        let mut observation = self.surface.clone();
        observation.settled = Settled::Quiet;
        observation.faults.clear();
        observation.unread.clear();
        if let Some(held) = self.held.get(self.wire.current()) {
            let assembly = Assembly::of_nodes(held);
            self.origins = assembly.origins;
            observation.nodes = assembly.observation.nodes;
        }
        observation
    }

    /// The documents that follow one another share one deadline.
    async fn look_at_page(&mut self, look: Look) -> Result<Assembly, Trouble> {
        let started = self.clock.monotonic();
        let mut tries = 0;
        let mut is_unheard = false;
        loop {
            let left = self.settle.deadline.saturating_sub(self.clock.monotonic() - started);
            if self.wire.is_navigating() {
                let _ = timeout(left, self.wire.arrival()).await;
            }
            let left = self.settle.deadline.saturating_sub(self.clock.monotonic() - started);
            tries += 1;
            match self.step(&Place::Page, look, left).await {
                Ok((_, _)) if self.wire.is_navigating() && !left.is_zero() => {}
                // A form that was just sent, say, is told of only when the next document is on its way.
                Ok((reply, _))
                    if !reply.scripted && (!is_unheard || is_changing_unheard(&reply)) && !left.is_zero() =>
                {
                    is_unheard = true;
                    sleep(UNHEARD.min(left)).await;
                }
                Ok((mut reply, foreign)) => {
                    if self.wire.is_navigating() && !reply.pending.iter().any(|kind| kind == "navigation") {
                        reply.pending.push("navigation".to_owned());
                    }
                    return self.assemble(reply, foreign, look, left).await;
                }
                Err(Trouble::Replaced) if !left.is_zero() || tries < LAST_TRIES => sleep(REPLACED).await,
                Err(Trouble::Closed) if !left.is_zero() || tries < LAST_TRIES => self.move_to_open_tab().await?,
                Err(Trouble::Replaced) => return self.unreadable("navigation".to_owned()).await,
                // The probe stands on what a page leaves of the language; one that leaves too little is seen from outside only.
                Err(Trouble::Script(cause)) => {
                    tracing::warn!(cause, "a page cannot be described");
                    return self.unreadable(format!("a description of the page: {cause}")).await;
                }
                Err(trouble) => return Err(trouble),
            }
        }
    }

    /// A page of which nothing is known but its address, and for what was waited in vain.
    async fn unreadable(&mut self, pending: String) -> Result<Assembly, Trouble> {
        self.timing = StepTiming::default();
        self.held.remove(self.wire.current());
        let current = self.wire.current().to_owned();
        let tabs = self.wire.tabs().await?;
        let url = tabs.into_iter().find(|tab| tab.id == current).map(|tab| tab.url).unwrap_or_default();
        let frames = vec![Frame { url: url.clone(), ..Frame::default() }];
        let settled = Settled::Never { pending: vec![pending] };
        let unread = vec![Unread { why: UnreadCause::Document, at: url.clone() }];
        let observation = Observation { url, frames, settled, unread, ..Observation::default() };
        Ok(Assembly { observation, ..Assembly::default() })
    }

    /// One settling observation of one document.
    pub(super) async fn step(
        &mut self,
        place: &Place,
        look: Look,
        deadline: Duration,
    ) -> Result<(StepReply, Vec<ForeignFrame>), Trouble> {
        let name = self.document_name(place);
        let milliseconds = deadline.as_millis() as u64;
        let horizon = self.settle.horizon.as_millis() as u64;
        loop {
            let have = self.held.get(&name).map_or("", Held::have);
            let Look { frame, whole } = look;
            let nodes = self.max_nodes;
            let arguments =
                [json!(milliseconds), json!(horizon), json!(frame), json!(have), json!(nodes), json!(whole)];
            let text = self.ask(place, probe::STEP, &arguments, deadline).await?;
            if text.is_empty() {
                self.ask(place, probe::INSTALL, &[], deadline).await?;
                self.ask(place, probe::MARK_LATE, &[], deadline).await?;
                continue;
            }
            let mut reply: StepReply = serde_json::from_str(&text)
                .map_err(|error| Trouble::Driver(format!("read the page's description: {error}")))?;
            let foreign = std::mem::take(&mut reply.foreign);
            match self.held.entry(name.clone()).or_default().apply(&mut reply) {
                Ok(()) => return Ok((reply, foreign)),
                Err(cause) => {
                    tracing::debug!(cause, "observe again from nothing");
                    self.held.remove(&name);
                }
            }
        }
    }

    /// Calls a function of the probe; in a frame with little more patience than its deadline.
    async fn ask(
        &mut self,
        place: &Place,
        function: &str,
        arguments: &[Value],
        deadline: Duration,
    ) -> Result<String, Trouble> {
        match place {
            Place::Page => self.wire.call(place, function, arguments).await,
            Place::Frame(_) => self.wire.call_within(place, function, arguments, deadline + MARGIN).await,
        }
    }

    async fn assemble(
        &mut self,
        reply: StepReply,
        foreign: Vec<ForeignFrame>,
        look: Look,
        left: Duration,
    ) -> Result<Assembly, Trouble> {
        self.timing = StepTiming {
            waited: reply.waited.clone(),
            settle_ms: reply.settle_ms,
            observe_ms: reply.observe_ms,
            late: reply.late,
        };
        self.downloads += reply.downloads;
        self.missed = reply.missed.clone().or(self.missed.take());
        self.errors += reply.errors;
        let name = self.document_name(&Place::Page);
        let faults: Vec<_> =
            reply.violations.iter().map(|violation| fault::of_violation(violation, &reply.url)).collect();
        let mut assembly = Assembly::of_page(reply, self.held.entry(name).or_default());
        assembly.observation.faults = faults;
        self.add_frames(&mut assembly, foreign, look, left).await?;
        Ok(assembly)
    }

    /// What a document's held nodes are filed under.
    pub(super) fn document_name(&self, place: &Place) -> String {
        match place {
            Place::Page => self.wire.current().to_owned(),
            Place::Frame(frame) => frame.clone(),
        }
    }

    /// The value of an expression in the page, promises awaited.
    pub(super) async fn value_of(&mut self, expression: &str) -> Result<Value, PageError> {
        let function = format!(
            "async () => {{ const value = await (\n{expression}\n); return value === undefined ? 'null' : JSON.stringify(value) ?? 'null'; }}"
        );
        let text = self.wire.call(&Place::Page, &function, &[]).await.map_err(page_error)?;
        serde_json::from_str(&text).map_err(|error| PageError::Script(format!("the value is not JSON: {error}")))
    }
}

/// Whether a document has work left of which it will never tell.
pub(super) fn is_changing_unheard(reply: &StepReply) -> bool {
    !reply.scripted && !reply.pending.is_empty()
}

/// What was noticed first and what later, as one. A request that is told again with its answer is told once.
fn after(mut first: Noticed, later: Noticed) -> Noticed {
    first.requests.retain(|early| early.number == 0 || later.requests.iter().all(|late| late.number != early.number));
    first.add(later);
    first.requests.sort_by_key(|request| request.number);
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::observation::Request;

    #[test]
    fn a_request_of_the_opening_is_told_once_with_the_answer_that_came_later() {
        let request = |number, status| Request { number, status, ..Request::default() };
        let noticed = |requests| Noticed { requests, ..Noticed::default() };
        let early = noticed(vec![request(1, None), request(2, Some(200))]);
        let told = after(early, noticed(vec![request(1, Some(404)), request(3, None)])).requests;
        assert_eq!(told, [request(1, Some(404)), request(2, Some(200)), request(3, None)]);
    }
}
