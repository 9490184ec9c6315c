//! Reading the page as a whole: the frames of other origins, and what a judge needs.

use super::Profile;
use super::looking::{Look, is_changing_unheard};
use crate::probe::{self, ForeignFrame, StepReply};
use crate::snapshot::{Assembly, Nested};
use crate::wire::{Place, Trouble};
use domain::observation::{Unread, UnreadCause};
use domain::page::{Examination, PageError};
use platform::Clock;
use serde_json::{Value, json};
use std::collections::{BTreeSet, VecDeque};
use tokio::time::{Duration, sleep, timeout};

/// Frames of other origins that are read, of all that a page holds.
const FRAMES: usize = 50;
/// How long a document that is on its way into a frame is waited for; a frame may load for ever.
const ARRIVAL: Duration = Duration::from_millis(500);
/// Pause before a frame is asked again.
const AGAIN: Duration = Duration::from_millis(50);
/// Closed shadow roots that are handed to the probe.
const ROOTS: usize = 300;

/// Whether an address is that of the page that the browser shows where one could not be loaded.
fn is_error_page(url: &str) -> bool {
    url.starts_with("chrome-error:")
}

impl Profile {
    /// Adds the documents of other origins, those within them too. Whatever does not answer in time is said not to be read.
    pub(super) async fn add_frames(
        &mut self,
        assembly: &mut Assembly,
        foreign: Vec<ForeignFrame>,
        look: Look,
        left: Duration,
    ) -> Result<(), Trouble> {
        let ends = self.clock.monotonic() + left;
        let mut waiting: VecDeque<Vec<Nested>> = VecDeque::new();
        waiting.push_back(foreign.into_iter().map(Nested::of_page).collect());
        let mut count = 0;
        while let Some(siblings) = waiting.pop_front() {
            let Some(first) = siblings.first() else { continue };
            let keys: Vec<u64> = siblings.iter().map(|nested| nested.frame.key).collect();
            let places = match self.wire.frames(&first.outer, &keys).await {
                Err(Trouble::Replaced | Trouble::Closed) if first.outer != Place::Page => vec![None; keys.len()],
                places => places?,
            };
            let places = places.into_iter().chain(std::iter::repeat(None));
            for (nested, place) in siblings.iter().zip(places) {
                count += 1;
                let read = match &place {
                    Some(place) if count <= FRAMES => self.read_frame(place, look, ends).await?,
                    _ => None,
                };
                match (place, read) {
                    (Some(place), Some((reply, inner))) => {
                        self.missed = reply.missed.clone().or(self.missed.take());
                        let name = self.document_name(&place);
                        let held = self.held.entry(name).or_default();
                        waiting.push_back(assembly.add_frame(reply, held, &place, nested, inner));
                    }
                    _ => assembly.add_unread(nested),
                }
            }
        }
        Ok(())
    }

    /// What a frame says of itself before the moment `ends`; nothing where it cannot be read.
    async fn read_frame(
        &mut self,
        place: &Place,
        look: Look,
        ends: Duration,
    ) -> Result<Option<(StepReply, Vec<ForeignFrame>)>, Trouble> {
        let look = Look { frame: false, ..look };
        let left = ends.saturating_sub(self.clock.monotonic());
        let arrives = timeout(left.min(ARRIVAL), self.wire.arrival_in(place)).await.is_ok();
        loop {
            let left = ends.saturating_sub(self.clock.monotonic());
            match self.step(place, look, left).await {
                // The browser's own page in place of one that could not be loaded, most likely by our own doing.
                Ok((reply, _)) if is_error_page(&reply.url) => return Ok(None),
                Ok((reply, _)) if is_changing_unheard(&reply) && !left.is_zero() => sleep(AGAIN.min(left)).await,
                Ok((mut reply, foreign)) => {
                    if !arrives {
                        reply.unread.push(Unread { why: UnreadCause::Frame, at: reply.url.clone() });
                    }
                    return Ok(Some((reply, foreign)));
                }
                Err(Trouble::Replaced) if !left.is_zero() => sleep(AGAIN.min(left)).await,
                Err(trouble @ (Trouble::Lost(_) | Trouble::Dialog)) => return Err(trouble),
                Err(trouble) => {
                    tracing::debug!(%trouble, "a frame cannot be read");
                    return Ok(None);
                }
            }
        }
    }

    /// The page as a judge needs it: all of it, to the ends of its texts.
    pub(super) async fn examine_page(&mut self) -> Result<Examination, PageError> {
        let mut examined = self.look_whole().await?;
        if examined.observation.dialog.is_none() {
            let (adopted, closed) = self.adopt_closed_roots().await;
            if adopted {
                self.tell_later(examined.observation);
                examined = self.look_whole().await?;
            }
            examined.observation.unread.extend(closed);
        } else {
            // What is told of the page is from before the dialog opened.
            let at = examined.observation.url.clone();
            examined.observation.unread.push(Unread { why: UnreadCause::Document, at });
        }
        if is_error_page(&examined.observation.url) {
            // The site's page could not be loaded; what the browser shows instead says nothing of it.
            let at = examined.observation.url.clone();
            examined.observation.unread.push(Unread { why: UnreadCause::Document, at });
        }
        examined.texts.sort_by_key(|text| text.frame);
        for text in examined.texts.iter_mut().chain(&mut examined.written) {
            if let Value::String(clean) = self.secrets.value(Value::String(std::mem::take(&mut text.text))) {
                text.text = clean;
            }
        }
        Ok(examined)
    }

    /// Looks at everything anew, and has the next observation begin anew as well, since that cuts its texts.
    async fn look_whole(&mut self) -> Result<Examination, PageError> {
        self.held.values_mut().for_each(crate::snapshot::Held::forget);
        let examined = self.look_as(Look { frame: false, whole: true }).await;
        self.held.values_mut().for_each(crate::snapshot::Held::forget);
        examined
    }

    /// Hands the probe the shadow roots that the markup closes: only DevTools see them. Answers whether there were any that it
    /// did not know, and those that it could not be given.
    async fn adopt_closed_roots(&mut self) -> (bool, Vec<Unread>) {
        let mut places = vec![Place::Page];
        for origin in &self.origins {
            if !places.contains(&origin.place) {
                places.push(origin.place.clone());
            }
        }
        let (mut adopted, mut unread) = (false, Vec::new());
        for place in places {
            let snapshot =
                self.wire.devtools_at(&place, "DOMSnapshot.captureSnapshot", json!({"computedStyles": []})).await;
            let Ok(snapshot) = snapshot else { continue };
            for (count, (node, host)) in closed_roots(&snapshot).into_iter().enumerate() {
                match self.adopt(&place, node).await {
                    Ok(is_new) if count < ROOTS => adopted |= is_new,
                    _ => unread.push(Unread { why: UnreadCause::ClosedShadowRoot, at: host }),
                }
            }
        }
        (adopted, unread)
    }

    async fn adopt(&mut self, place: &Place, node: u64) -> Result<bool, Trouble> {
        let resolved = self.wire.devtools_at(place, "DOM.resolveNode", json!({"backendNodeId": node})).await?;
        let object = &resolved["object"]["objectId"];
        let call = json!({"objectId": object, "functionDeclaration": probe::ADOPT, "returnByValue": true});
        let answer = self.wire.devtools_at(place, "Runtime.callFunctionOn", call).await?;
        answer["result"]["value"].as_bool().ok_or_else(|| Trouble::Script("the document has no probe".to_owned()))
    }
}

/// One node of each closed shadow root in a snapshot of DevTools, and the name of its host.
fn closed_roots(snapshot: &Value) -> Vec<(u64, String)> {
    let text = |index: &Value| index.as_u64().and_then(|index| snapshot["strings"][index as usize].as_str());
    let mut found = Vec::new();
    for document in snapshot["documents"].as_array().into_iter().flatten() {
        let nodes = &document["nodes"];
        let marked = &nodes["shadowRootType"];
        let indices = marked["index"].as_array().into_iter().flatten().filter_map(Value::as_u64);
        let kinds = marked["value"].as_array().into_iter().flatten();
        let mut hosts = BTreeSet::new();
        for (index, _) in indices.zip(kinds).filter(|(_, kind)| text(kind) == Some("closed")) {
            let parent = nodes["parentIndex"][index as usize].as_u64().unwrap_or_default();
            // Siblings stand in one root, and so do the nodes within them: these are told of as well and known by then.
            if hosts.insert(parent)
                && let Some(node) = nodes["backendNodeId"][index as usize].as_u64()
            {
                found.push((node, text(&nodes["nodeName"][parent as usize]).unwrap_or_default().to_lowercase()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_node_of_each_closed_root_is_found_in_a_snapshot() {
        let snapshot = json!({"strings": ["closed", "open", "X-NOTE", "P"], "documents": [{"nodes": {
            "parentIndex": [-1, 0, 1, 1, 0, 4], "nodeName": [3, 2, 3, 3, 2, 3], "backendNodeId": [10, 11, 12, 13, 14, 15],
            "shadowRootType": {"index": [2, 3, 5], "value": [0, 0, 1]}}}]});
        assert_eq!(closed_roots(&snapshot), [(12, "x-note".to_owned())]);
    }
}
