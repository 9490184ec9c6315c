//! Observing: settle and describe in one call, again where the document was replaced meanwhile.

use super::{Profile, StepTiming, page_error};
use crate::fault;
use crate::probe::{self, ForeignFrame, StepReply};
use crate::snapshot::{Assembly, Held};
use crate::wire::{Noticed, Place, Trouble};
use domain::Observation;
use domain::observation::{Frame, Settled, Stamp, Tab};
use domain::page::{Examination, PageError, VisibleText};
use platform::Clock;
use serde_json::{Value, json};
use tokio::time::{Duration, sleep, timeout};

/// Pause before a document is asked that has just replaced another.
const REPLACED: Duration = Duration::from_millis(5);
/// How often a page is asked although its deadline has passed and it keeps replacing its documents.
const LAST_TRIES: u32 = 5;

/// The visible text of the page, its same-origin frames and open shadow roots.
const VISIBLE_TEXT: &str = "(() => {
  const parts = [];
  const walk = root => {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) {
        for (const child of element.shadowRoot.children) parts.push(child.innerText || '');
        walk(element.shadowRoot);
      }
      if (element.tagName === 'IFRAME' || element.tagName === 'FRAME') {
        let inner = null;
        try { inner = element.contentDocument; } catch (refused) { continue; }
        if (inner && inner.body) { parts.push(inner.body.innerText || ''); walk(inner); }
      }
    }
  };
  if (document.body) { parts.push(document.body.innerText || ''); walk(document); }
  return parts.join('\\n');
})()";

const DOWNLOAD_TRIES: u32 = 40;
const DOWNLOAD_PAUSE: Duration = Duration::from_millis(25);

impl Profile {
    /// Settles and observes. With `frame`, a rendered frame is waited for first: what the page does on scrolling.
    pub(super) async fn look(&mut self, frame: bool) -> Result<Observation, PageError> {
        let mut observation = match self.look_at_page(frame).await {
            Ok(assembly) => {
                self.origins = assembly.origins;
                assembly.observation
            }
            Err(Trouble::Dialog) => self.behind_dialog(),
            Err(trouble) => return Err(page_error(trouble)),
        };
        self.wire.arrived(&observation.url, std::mem::take(&mut self.errors));
        let noticed = self.notice().await?;
        observation.faults.extend(noticed.faults);
        observation.faults.splice(0..0, std::mem::take(&mut self.untold));
        observation.requests = noticed.requests;
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
        Ok(observation)
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

    /// The page as a judge needs it.
    pub(super) async fn examine_page(&mut self) -> Result<Examination, PageError> {
        self.held.clear();
        let observation = self.look(false).await?;
        let mut texts = Vec::new();
        if observation.dialog.is_none()
            && let Value::String(text) = self.value_of(VISIBLE_TEXT).await?
        {
            let text = self.secrets.value(Value::String(text)).as_str().unwrap_or_default().to_owned();
            texts.push(VisibleText { frame: 0, text });
        }
        Ok(Examination { observation, texts })
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
        if let Some(held) = self.held.get(self.wire.current()) {
            let assembly = Assembly::of_nodes(held);
            self.origins = assembly.origins;
            observation.nodes = assembly.observation.nodes;
        }
        observation
    }

    /// The documents that follow one another share one deadline.
    async fn look_at_page(&mut self, frame: bool) -> Result<Assembly, Trouble> {
        let started = self.clock.monotonic();
        let mut tries = 0;
        loop {
            let left = self.settle.deadline.saturating_sub(self.clock.monotonic() - started);
            if self.wire.is_navigating() {
                let _ = timeout(left, self.wire.arrival()).await;
            }
            let left = self.settle.deadline.saturating_sub(self.clock.monotonic() - started);
            tries += 1;
            match self.step(&Place::Page, frame, left).await {
                Ok((_, _)) if self.wire.is_navigating() && !left.is_zero() => {}
                Ok((mut reply, foreign)) => {
                    if self.wire.is_navigating() && !reply.pending.iter().any(|kind| kind == "navigation") {
                        reply.pending.push("navigation".to_owned());
                    }
                    return self.assemble(reply, foreign, left).await;
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
        Ok(Assembly {
            observation: Observation { url, frames, settled, ..Observation::default() },
            origins: Vec::new(),
        })
    }

    /// One settling observation of one document.
    async fn step(
        &mut self,
        place: &Place,
        frame: bool,
        deadline: Duration,
    ) -> Result<(StepReply, Vec<ForeignFrame>), Trouble> {
        let name = self.document_name(place);
        let deadline = deadline.as_millis() as u64;
        let horizon = self.settle.horizon.as_millis() as u64;
        loop {
            let have = self.held.get(&name).map_or("", Held::have);
            let arguments = [json!(deadline), json!(horizon), json!(frame), json!(have), json!(self.max_nodes)];
            let text = self.wire.call(place, probe::STEP, &arguments).await?;
            if text.is_empty() {
                self.wire.call(place, probe::INSTALL, &[]).await?;
                self.wire.call(place, probe::MARK_LATE, &[]).await?;
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

    async fn assemble(
        &mut self,
        reply: StepReply,
        foreign: Vec<ForeignFrame>,
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
        if foreign.is_empty() {
            return Ok(assembly);
        }
        let keys: Vec<u64> = foreign.iter().map(|frame| frame.key).collect();
        let places = self.wire.frames(&keys).await?;
        for (at, place) in foreign.iter().zip(places) {
            let Some(place) = place else { continue };
            match self.step(&place, false, left).await {
                Ok((reply, _)) => {
                    self.missed = reply.missed.clone().or(self.missed.take());
                    let held = &self.held[&self.document_name(&place)];
                    assembly.add_frame(reply, held, &place, at);
                }
                Err(Trouble::Replaced | Trouble::Closed) => {}
                Err(trouble) => return Err(trouble),
            }
        }
        Ok(assembly)
    }

    /// What a document's held nodes are filed under.
    fn document_name(&self, place: &Place) -> String {
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
