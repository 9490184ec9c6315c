//! Keeps what a site gives for download. The browser is told to store nothing, and gives a download up as soon as it knows that it is
//! one; every byte passes here on its way to it, from whatever machine the browser works. What will become a download is known by the
//! browser only: so the latest documents are kept too, for as long as it may still say so.

use futures::{Stream, StreamExt as _};
use hyper::body::Bytes;
use hyper::header::{
    ACCEPT, CONTENT_DISPOSITION, CONTENT_ENCODING, HeaderMap, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE,
    IF_UNMODIFIED_SINCE, RANGE, UPGRADE_INSECURE_REQUESTS,
};
use hyper::{Method, StatusCode};
use parking_lot::Mutex;
use platform::spawn;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::sleep;
use tokio_stream::wrappers::ReceiverStream;

/// Bytes of one file.
pub(crate) const LARGEST: usize = 32 << 20;
/// Bytes of everything that one profile keeps at a time.
pub(crate) const BUDGET: usize = 96 << 20;
/// Responses that are kept at a time.
const RESPONSES: usize = 12;
/// Chunks that may wait for the browser.
const AHEAD: usize = 16;
/// How long a file may take to arrive after it was asked for.
const ARRIVAL: Duration = Duration::from_secs(60);

/// The latest responses that may become files.
#[derive(Default)]
pub(crate) struct Keeper {
    latest: Mutex<VecDeque<Kept>>,
    held: Arc<AtomicUsize>,
}

struct Kept {
    url: String,
    /// What comes of it. Whoever reads the response keeps no more of it once nobody waits here.
    content: oneshot::Receiver<Result<Held, String>>,
}

/// Bytes that count against the budget of their profile as long as they are held.
#[derive(Debug)]
pub(crate) struct Held {
    bytes: Vec<u8>,
    budget: Arc<AtomicUsize>,
}

impl Held {
    fn of(budget: &Arc<AtomicUsize>) -> Held {
        Held { bytes: Vec::new(), budget: budget.clone() }
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// Why they are too many.
    fn add(&mut self, more: &[u8]) -> Result<(), String> {
        if self.bytes.len() + more.len() > LARGEST {
            return Err(format!("it has more than {LARGEST} bytes"));
        }
        if self.budget.fetch_add(more.len(), Ordering::Relaxed) + more.len() > BUDGET {
            self.budget.fetch_sub(more.len(), Ordering::Relaxed);
            return Err(format!("more than {BUDGET} bytes were offered at once"));
        }
        self.bytes.extend_from_slice(more);
        Ok(())
    }

    /// The bytes, which no longer count.
    fn into_bytes(mut self) -> Vec<u8> {
        let bytes = std::mem::take(&mut self.bytes);
        self.budget.fetch_sub(bytes.len(), Ordering::Relaxed);
        bytes
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.budget.fetch_sub(self.bytes.len(), Ordering::Relaxed);
    }
}

/// Whether a browser may take the answer to a request for a file: it navigates, or follows a link that is a download, of which it says what
/// it takes only where the site is trustworthy.
pub(super) fn may_be_file(headers: &HeaderMap) -> bool {
    match headers.get("sec-fetch-mode") {
        Some(mode) => mode == "navigate",
        None => headers.contains_key(UPGRADE_INSECURE_REQUESTS) || !headers.contains_key(ACCEPT),
    }
}

/// Takes out of a request's headers what would make the answer less than the whole file.
pub(super) fn ask_for_all(headers: &mut HeaderMap) {
    for partial in [RANGE, IF_RANGE, IF_NONE_MATCH, IF_MODIFIED_SINCE, IF_MATCH, IF_UNMODIFIED_SINCE] {
        headers.remove(partial);
    }
}

/// Whether a site says itself that an answer is a file.
pub(super) fn is_file(headers: &HeaderMap) -> bool {
    let told = headers.get(CONTENT_DISPOSITION).map_or(b"".as_slice(), |told| told.as_bytes());
    told.get(..10).is_some_and(|kind| kind.eq_ignore_ascii_case(b"attachment"))
}

/// Whether an answer holds a file as it is: whole, and not packed for the way.
pub(super) fn is_whole(method: &Method, answer: &reqwest::Response) -> bool {
    let (status, packed) = (answer.status(), answer.headers().contains_key(CONTENT_ENCODING));
    method != Method::HEAD && status.is_success() && status != StatusCode::PARTIAL_CONTENT && !packed
}

impl Keeper {
    /// Keeps an answer while the browser reads it, and what is left of it if it no longer does.
    pub(super) fn keep(
        &self,
        url: &str,
        answer: reqwest::Response,
    ) -> impl Stream<Item = reqwest::Result<Bytes>> + use<> {
        let (tell, content) = oneshot::channel();
        let (to_browser, chunks) = mpsc::channel(AHEAD);
        let mut latest = self.latest.lock();
        latest.push_back(Kept { url: url.to_owned(), content });
        if latest.len() > RESPONSES {
            latest.pop_front();
        }
        spawn::detached("keep what may become a file", read(answer, to_browser, Held::of(&self.held), tell));
        ReceiverStream::new(chunks)
    }

    /// The file at an address, once it has arrived. Asked for once for each time that it was offered.
    ///
    /// # Errors
    /// Why there is none, for people.
    pub(crate) async fn file(&self, url: &str) -> Result<Vec<u8>, String> {
        let kept = {
            let mut latest = self.latest.lock();
            let at = latest.iter().rposition(|kept| kept.url == url);
            at.and_then(|at| latest.remove(at))
        };
        let Some(kept) = kept else { return Err("it did not come through the gate".to_owned()) };
        kept.content.await.map_err(|_| "it did not arrive".to_owned())?.map(Held::into_bytes)
    }
}

/// Passes an answer on to the browser and keeps it beside. What can no longer be kept is passed on all the same; what neither is wanted by the
/// browser nor can be kept is read no further.
async fn read(
    answer: reqwest::Response,
    to_browser: mpsc::Sender<reqwest::Result<Bytes>>,
    held: Held,
    tell: oneshot::Sender<Result<Held, String>>,
) {
    let mut chunks = answer.bytes_stream();
    let too_late = sleep(ARRIVAL);
    tokio::pin!(too_late);
    let mut keeping = Some((tell, held));
    let lose = |keeping: &mut Option<(oneshot::Sender<Result<Held, String>>, Held)>, cause: String| {
        if let Some((tell, _)) = keeping.take() {
            let _ = tell.send(Err(cause));
        }
    };
    loop {
        // Nobody waits for it any more.
        keeping = keeping.filter(|(tell, _)| !tell.is_closed());
        if keeping.is_none() && to_browser.is_closed() {
            return;
        }
        let next = tokio::select! {
            next = chunks.next() => next,
            () = &mut too_late, if keeping.is_some() => {
                lose(&mut keeping, format!("it did not arrive within {} s", ARRIVAL.as_secs()));
                continue;
            }
        };
        let Some(chunk) = next else { break };
        let kept = match (&chunk, &mut keeping) {
            (Ok(bytes), Some((_, held))) => held.add(bytes),
            (Err(error), Some(_)) => Err(error.to_string()),
            (_, None) => Ok(()),
        };
        if let Err(cause) = kept {
            lose(&mut keeping, cause);
        }
        let has_failed = chunk.is_err();
        // A browser that has what it wants reads no more.
        let _ = to_browser.send(chunk).await;
        if has_failed {
            return;
        }
    }
    if let Some((tell, whole)) = keeping {
        let _ = tell.send(Ok(whole));
    }
}
