//! Observes the page: settles and describes it in one call, repeated if the document was replaced meanwhile.

use super::{Profile, StepTiming, page_error};
use crate::fault;
use crate::probe::{self, ForeignFrame, StepReply};
use crate::snapshot::{Assembly, DocumentSnapshot};
use crate::wire::{DocumentTarget, PageActivity, WireError};
use domain::Observation;
use domain::observation::{Frame, Request, RequestKind, Settled, Stamp, Tab, Unread, UnreadCause};
use domain::page::{Examination, PageError};
use platform::Clock;
use serde_json::{Value, json};
use tokio::time::{Duration, sleep, timeout};

/// Pause before querying a document that has just replaced another.
const REPLACED: Duration = Duration::from_millis(5);
/// Further tries after the deadline for a page that keeps replacing its document.
const LAST_TRIES: u32 = 5;

/// Pause before querying a scriptless document again, since it cannot signal changes.
const UNHEARD: Duration = Duration::from_millis(150);
/// Time granted to a frame's answer beyond its deadline.
const MARGIN: Duration = Duration::from_secs(1);

const DOWNLOAD_TRIES: u32 = 40;
const DOWNLOAD_PAUSE: Duration = Duration::from_millis(25);
const STATUS_TRIES: u32 = 40;
const STATUS_PAUSE: Duration = Duration::from_millis(25);

/// Options of one observation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ObserveOptions {
    /// Whether to wait for a rendered frame first, for reactions to scrolling.
    pub(super) frame: bool,
    /// Whether to read texts, names and values in full.
    pub(super) whole: bool,
}

impl Profile {
    /// Settles and observes. With `frame`, waits for a rendered frame first, for reactions to scrolling.
    pub(super) async fn settle_and_observe(&mut self, frame: bool) -> Result<Observation, PageError> {
        Ok(self.observe_with(ObserveOptions { frame, whole: false }).await?.observation)
    }

    /// Settles and observes; reads the visible texts too if `options.whole`.
    pub(super) async fn observe_with(&mut self, look: ObserveOptions) -> Result<Examination, PageError> {
        let (mut texts, mut written) = (Vec::new(), Vec::new());
        let mut observation = match self.observe_document(look).await {
            Ok(assembly) => {
                self.origins = assembly.origins;
                (texts, written) = (assembly.texts, assembly.written);
                assembly.observation
            }
            Err(WireError::Dialog) => self.behind_dialog(),
            Err(trouble) => return Err(page_error(trouble)),
        };
        self.wire.arrived(&observation.url, std::mem::take(&mut self.errors));
        let activity = self.take_activity().await?;
        let activity = merge_activity(std::mem::take(&mut self.carried_over), activity);
        observation.faults.extend(activity.faults);
        observation.requests = activity.requests;
        observation.open_requests = activity.open;
        self.note_files(&activity.downloads).await;
        let is_answered = |request: &Request| request.kind != RequestKind::Document || request.status.is_some();
        if !activity.downloads.is_empty() && observation.requests.iter().all(is_answered) {
            self.stays(&mut observation.settled).await;
        }
        observation.downloads = std::mem::take(&mut self.unseen_downloads);
        observation.downloads.extend(activity.downloads.into_iter().map(|file| file.name));
        self.left = activity.left;
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
        self.leave_field(&observation);
        let nodes = std::mem::take(&mut observation.nodes);
        self.surface = observation.clone();
        observation.nodes = nodes;
        Ok(Examination { observation, texts, written })
    }

    /// What a page was left for became a download, which on a wire without events only the log tells: the page has stayed, and nothing else
    /// is to be waited for.
    async fn stays(&mut self, settled: &mut Settled) {
        let Settled::Never { pending } = settled else { return };
        pending.retain(|kind| kind != "navigation");
        if pending.is_empty() {
            *settled = Settled::Quiet;
        }
        // One that does not answer is waited for once more, as it was now.
        let _ = self.wire.call(&DocumentTarget::Page, probe::STAYS, &[]).await;
    }

    /// Notes that a field with a secret was left: what the page says from then on is no echo of its keys.
    fn leave_field(&mut self, seen: &Observation) {
        let Some((frame, xpath)) = &self.held else { return };
        let focused = seen.nodes.iter().find(|node| node.states.focused);
        if seen.dialog.is_none() && !focused.is_some_and(|node| node.frame == *frame && node.xpath == *xpath) {
            self.held = None;
            self.secrets.release();
        }
    }

    /// Carries the activity of an observation that no caller sees over to the next one.
    pub(super) fn carry_over(&mut self, unseen: Observation) {
        let Observation { faults, requests, downloads, .. } = unseen;
        self.unseen_downloads = downloads;
        self.carried_over = PageActivity { faults, requests, ..PageActivity::default() };
    }

    /// Waits until it is told how the document at an address was answered, which may come a little after the page has settled: by the
    /// status it is known whether the site serves at all.
    pub(super) async fn await_status(&mut self, address: &str) -> Result<(), PageError> {
        for _ in 0..STATUS_TRIES {
            if !lacks_status(&self.carried_over.requests, address) {
                break;
            }
            sleep(STATUS_PAUSE).await;
            let activity = self.take_activity().await?;
            self.carried_over = merge_activity(std::mem::take(&mut self.carried_over), activity);
        }
        Ok(())
    }

    /// Observes without cached nodes. Slower than [`domain::Page::observe`] and never different, which tests verify.
    ///
    /// # Errors
    /// As [`domain::Page::observe`].
    pub async fn observe_afresh(&mut self) -> Result<Observation, PageError> {
        self.snapshots.clear();
        self.settle_and_observe(false).await
    }

    /// Takes the wire's activity and waits for downloads that the page started: the browser reports them a little after
    /// the page settles.
    async fn take_activity(&mut self) -> Result<PageActivity, PageError> {
        let mut activity = self.wire.take_activity().await.map_err(page_error)?;
        let wanted = std::mem::take(&mut self.downloads) as usize;
        for _ in 0..DOWNLOAD_TRIES {
            if activity.downloads.len() >= wanted {
                break;
            }
            sleep(DOWNLOAD_PAUSE).await;
            activity.add(self.wire.take_activity().await.map_err(page_error)?);
        }
        Ok(activity)
    }

    /// The page before a dialog opened; it cannot be queried until the dialog is answered.
    fn behind_dialog(&mut self) -> Observation {
        let mut observation = self.surface.clone();
        observation.settled = Settled::Quiet;
        observation.faults.clear();
        observation.unread.clear();
        if let Some(snapshot) = self.snapshots.get(self.wire.current()) {
            let assembly = Assembly::of_nodes(snapshot);
            self.origins = assembly.origins;
            observation.nodes = assembly.observation.nodes;
        }
        observation
    }

    /// Observes the page's document. Documents that replace each other share one deadline.
    async fn observe_document(&mut self, look: ObserveOptions) -> Result<Assembly, WireError> {
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
            match self.step(&DocumentTarget::Page, look, left).await {
                Ok((_, _)) if self.wire.is_navigating() && !left.is_zero() => {}
                // A navigation, e.g. by a form just submitted, is reported only once the next document is on its way.
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
                Err(WireError::Replaced) if !left.is_zero() || tries < LAST_TRIES => sleep(REPLACED).await,
                Err(WireError::Closed) if !left.is_zero() || tries < LAST_TRIES => self.move_to_open_tab().await?,
                Err(WireError::Replaced) => return self.unreadable("navigation".to_owned()).await,
                // The probe relies on JavaScript built-ins; of a page that breaks too many of them only the outside is
                // observed.
                Err(WireError::Script(cause)) => {
                    tracing::warn!(cause, "a page cannot be described");
                    return self.unreadable(format!("a description of the page: {cause}")).await;
                }
                Err(trouble) => return Err(trouble),
            }
        }
    }

    /// An observation of an unreadable page: its address, and what was waited for in vain.
    async fn unreadable(&mut self, pending: String) -> Result<Assembly, WireError> {
        self.timing = StepTiming::default();
        self.snapshots.remove(self.wire.current());
        let current = self.wire.current().to_owned();
        let tabs = self.wire.tabs().await?;
        let url = tabs.into_iter().find(|tab| tab.id == current).map(|tab| tab.url).unwrap_or_default();
        let frames = vec![Frame { url: url.clone(), ..Frame::default() }];
        let settled = Settled::Never { pending: vec![pending] };
        let unread = vec![Unread { why: UnreadCause::Document, at: url.clone() }];
        let observation = Observation { url, frames, settled, unread, ..Observation::default() };
        Ok(Assembly { observation, ..Assembly::default() })
    }

    /// Settles and observes one document.
    pub(super) async fn step(
        &mut self,
        place: &DocumentTarget,
        look: ObserveOptions,
        deadline: Duration,
    ) -> Result<(StepReply, Vec<ForeignFrame>), WireError> {
        let name = self.document_name(place);
        let milliseconds = deadline.as_millis() as u64;
        let horizon = self.settle.horizon.as_millis() as u64;
        loop {
            let have = self.snapshots.get(&name).map_or("", DocumentSnapshot::have);
            let ObserveOptions { frame, whole } = look;
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
                .map_err(|error| WireError::Driver(format!("read the page's description: {error}")))?;
            let foreign = std::mem::take(&mut reply.foreign);
            match self.snapshots.entry(name.clone()).or_default().apply(&mut reply) {
                Ok(()) => return Ok((reply, foreign)),
                Err(cause) => {
                    tracing::debug!(cause, "observe again from nothing");
                    self.snapshots.remove(&name);
                }
            }
        }
    }

    /// Calls a function of the probe; in a frame with a timeout shortly after its deadline.
    async fn ask(
        &mut self,
        place: &DocumentTarget,
        function: &str,
        arguments: &[Value],
        deadline: Duration,
    ) -> Result<String, WireError> {
        match place {
            DocumentTarget::Page => self.wire.call(place, function, arguments).await,
            DocumentTarget::Frame(_) => self.wire.call_within(place, function, arguments, deadline + MARGIN).await,
        }
    }

    async fn assemble(
        &mut self,
        reply: StepReply,
        foreign: Vec<ForeignFrame>,
        look: ObserveOptions,
        left: Duration,
    ) -> Result<Assembly, WireError> {
        self.timing = StepTiming {
            waited: reply.waited.clone(),
            settle_ms: reply.settle_ms,
            observe_ms: reply.observe_ms,
            late: reply.late,
        };
        self.downloads += reply.downloads;
        self.missed = reply.missed.clone().or(self.missed.take());
        self.errors += reply.errors;
        let name = self.document_name(&DocumentTarget::Page);
        let faults: Vec<_> =
            reply.violations.iter().map(|violation| fault::of_violation(violation, &reply.url)).collect();
        let mut assembly = Assembly::of_page(reply, self.snapshots.entry(name).or_default());
        assembly.observation.faults = faults;
        self.add_frames(&mut assembly, foreign, look, left).await?;
        Ok(assembly)
    }

    /// The key of a document's snapshot.
    pub(super) fn document_name(&self, place: &DocumentTarget) -> String {
        match place {
            DocumentTarget::Page => self.wire.current().to_owned(),
            DocumentTarget::Frame(frame) => frame.clone(),
        }
    }

    /// The value of an expression in the page, promises awaited.
    pub(super) async fn value_of(&mut self, expression: &str) -> Result<Value, PageError> {
        let function = format!(
            "async () => {{ const value = await (\n{expression}\n); return value === undefined ? 'null' : JSON.stringify(value) ?? 'null'; }}"
        );
        let text = self.wire.call(&DocumentTarget::Page, &function, &[]).await.map_err(page_error)?;
        serde_json::from_str(&text).map_err(|error| PageError::Script(format!("the value is not JSON: {error}")))
    }
}

/// Whether a document has pending work that it will never report.
pub(super) fn is_changing_unheard(reply: &StepReply) -> bool {
    !reply.scripted && !reply.pending.is_empty()
}

/// Whether requests for documents were told of, and no answer for the one at this address.
fn lacks_status(requests: &[Request], address: &str) -> bool {
    let plain = |url: &str| url.split('#').next().unwrap_or_default().to_owned();
    let is_led_on = |status| matches!(status, 301 | 302 | 303 | 307 | 308);
    let documents = || requests.iter().filter(|request| request.kind == RequestKind::Document);
    let page = plain(address);
    // A page that gave itself another address was answered at the first one.
    let is_open = documents().next_back().is_some_and(|last| last.status.is_none_or(is_led_on));
    let is_told = documents().any(|request| request.status.is_some() && plain(&request.url) == page);
    address.starts_with("http") && is_open && !is_told
}

/// Merges earlier and later activity. A request reported again with its response is kept once.
fn merge_activity(mut first: PageActivity, later: PageActivity) -> PageActivity {
    first.requests.retain(|early| early.number == 0 || later.requests.iter().all(|late| late.number != early.number));
    first.add(later);
    first.requests.sort_by_key(|request| request.number);
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_of_the_opening_is_told_once_with_the_answer_that_came_later() {
        let request = |number, status| Request { number, status, ..Request::default() };
        let activity = |requests| PageActivity { requests, ..PageActivity::default() };
        let early = activity(vec![request(1, None), request(2, Some(200))]);
        let told = merge_activity(early, activity(vec![request(1, Some(404)), request(3, None)])).requests;
        assert_eq!(told, [request(1, Some(404)), request(2, Some(200)), request(3, None)]);
    }

    #[test]
    fn the_status_of_a_page_is_that_of_the_address_it_was_led_to() {
        let document = |url: &str, status| Request {
            url: url.to_owned(),
            status,
            kind: RequestKind::Document,
            ..Request::default()
        };
        let page = "http://a.test/b#top";
        assert!(!lacks_status(&[], page), "nothing is told of requests here");
        assert!(lacks_status(&[document("http://a.test/a", Some(302))], page));
        assert!(lacks_status(&[document("http://a.test/b", None)], page));
        assert!(!lacks_status(&[document("http://a.test/b", Some(503))], page));
        assert!(!lacks_status(&[document("http://a.test/", Some(200))], page), "it gave itself another address");
        assert!(!lacks_status(&[document("about:srcdoc", None)], "about:blank"));
    }
}
