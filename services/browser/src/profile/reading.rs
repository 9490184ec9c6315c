//! Reads whole pages: cross-origin frames, and the full texts that a judge needs.

use super::Profile;
use super::observing::{ObserveOptions, is_changing_unheard};
use crate::probe::{self, ForeignFrame, StepReply};
use crate::snapshot::{Assembly, Nested};
use crate::wire::{DocumentTarget, WireError};
use domain::observation::{Unread, UnreadCause};
use domain::page::{Examination, PageError};
use platform::Clock;
use serde_json::{Value, json};
use std::collections::{BTreeSet, VecDeque};
use tokio::time::{Duration, sleep, timeout};

/// Most cross-origin frames read per page.
const FRAMES: usize = 50;
/// How long to wait for a frame's document; a frame may load for ever.
const ARRIVAL: Duration = Duration::from_millis(500);
/// Pause before querying a frame again.
const AGAIN: Duration = Duration::from_millis(50);
/// Most closed shadow roots handed to the probe.
const ROOTS: usize = 300;

/// Whether an address is that of the browser's own error page.
fn is_error_page(url: &str) -> bool {
    url.starts_with("chrome-error:")
}

impl Profile {
    /// Adds cross-origin documents, nested ones included. One that does not answer in time is reported as unread.
    pub(super) async fn add_frames(
        &mut self,
        assembly: &mut Assembly,
        foreign: Vec<ForeignFrame>,
        look: ObserveOptions,
        left: Duration,
    ) -> Result<(), WireError> {
        let ends = self.clock.monotonic() + left;
        let mut waiting: VecDeque<Vec<Nested>> = VecDeque::new();
        waiting.push_back(foreign.into_iter().map(Nested::of_page).collect());
        let mut count = 0;
        while let Some(siblings) = waiting.pop_front() {
            let Some(first) = siblings.first() else { continue };
            let keys: Vec<u64> = siblings.iter().map(|nested| nested.frame.key).collect();
            let places = match self.wire.frames(&first.outer, &keys).await {
                Err(WireError::Replaced | WireError::Closed) if first.outer != DocumentTarget::Page => {
                    vec![None; keys.len()]
                }
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
                        let snapshot = self.snapshots.entry(name).or_default();
                        waiting.push_back(assembly.add_frame(reply, snapshot, &place, nested, inner));
                    }
                    _ => assembly.add_unread(nested),
                }
            }
        }
        Ok(())
    }

    /// Observes a frame until `ends`; nothing where it cannot be read.
    async fn read_frame(
        &mut self,
        place: &DocumentTarget,
        look: ObserveOptions,
        ends: Duration,
    ) -> Result<Option<(StepReply, Vec<ForeignFrame>)>, WireError> {
        let look = ObserveOptions { frame: false, ..look };
        let left = ends.saturating_sub(self.clock.monotonic());
        let arrives = timeout(left.min(ARRIVAL), self.wire.arrival_in(place)).await.is_ok();
        loop {
            let left = ends.saturating_sub(self.clock.monotonic());
            match self.step(place, look, left).await {
                // The browser's error page for a frame that did not load, most likely because our gate refused it.
                Ok((reply, _)) if is_error_page(&reply.url) => return Ok(None),
                Ok((reply, _)) if is_changing_unheard(&reply) && !left.is_zero() => sleep(AGAIN.min(left)).await,
                Ok((mut reply, foreign)) => {
                    if !arrives {
                        reply.unread.push(Unread { why: UnreadCause::Frame, at: reply.url.clone() });
                    }
                    return Ok(Some((reply, foreign)));
                }
                Err(WireError::Replaced) if !left.is_zero() => sleep(AGAIN.min(left)).await,
                Err(trouble @ (WireError::Lost(_) | WireError::Dialog)) => return Err(trouble),
                Err(trouble) => {
                    tracing::debug!(%trouble, "a frame cannot be read");
                    return Ok(None);
                }
            }
        }
    }

    /// Examines the page for a judge: everything, with full texts.
    pub(super) async fn examine_page(&mut self) -> Result<Examination, PageError> {
        let mut examined = self.examine_whole().await?;
        if examined.observation.dialog.is_none() {
            let (adopted, closed) = self.adopt_closed_roots().await;
            if adopted {
                self.carry_over(examined.observation);
                examined = self.examine_whole().await?;
            }
            examined.observation.unread.extend(closed);
        } else {
            // The page's description is from before the dialog opened.
            let at = examined.observation.url.clone();
            examined.observation.unread.push(Unread { why: UnreadCause::Document, at });
        }
        if is_error_page(&examined.observation.url) {
            // The site's page failed to load; the browser's error page says nothing about it.
            let at = examined.observation.url.clone();
            examined.observation.unread.push(Unread { why: UnreadCause::Document, at });
        }
        examined.texts.sort_by_key(|text| text.frame);
        self.secrets.texts(examined.texts.iter_mut().map(|text| &mut text.text).collect());
        self.secrets.texts(examined.written.iter_mut().map(|text| &mut text.text).collect());
        Ok(examined)
    }

    /// Observes everything afresh, and makes the next observation start afresh too, since it cuts texts again.
    async fn examine_whole(&mut self) -> Result<Examination, PageError> {
        self.snapshots.values_mut().for_each(crate::snapshot::DocumentSnapshot::forget);
        let examined = self.observe_with(ObserveOptions { frame: false, whole: true }).await;
        self.snapshots.values_mut().for_each(crate::snapshot::DocumentSnapshot::forget);
        examined
    }

    /// Hands the probe the closed shadow roots of the markup, which only DevTools sees. Returns whether any was new,
    /// and those that could not be handed over.
    async fn adopt_closed_roots(&mut self) -> (bool, Vec<Unread>) {
        let mut places = vec![DocumentTarget::Page];
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

    async fn adopt(&mut self, place: &DocumentTarget, node: u64) -> Result<bool, WireError> {
        let resolved = self.wire.devtools_at(place, "DOM.resolveNode", json!({"backendNodeId": node})).await?;
        let object = &resolved["object"]["objectId"];
        let call = json!({"objectId": object, "functionDeclaration": probe::ADOPT, "returnByValue": true});
        let answer = self.wire.devtools_at(place, "Runtime.callFunctionOn", call).await?;
        answer["result"]["value"].as_bool().ok_or_else(|| WireError::Script("the document has no probe".to_owned()))
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
            // Siblings and their descendants share a root; descendants are reported too, with a root already seen.
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
