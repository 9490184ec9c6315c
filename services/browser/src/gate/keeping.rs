//! Keeps what a site gives for download. The browser is told to store nothing, and gives a download up as soon as it knows that it is
//! one; every byte passes here on its way to it, from whatever machine the browser works. What will become a download is known by the
//! browser only: so the latest documents are kept too, for as long as it may still say so.

use futures::{Stream, StreamExt as _};
use hyper::body::Bytes;
use hyper::header::{ACCEPT, CONTENT_DISPOSITION, HeaderMap, UPGRADE_INSECURE_REQUESTS};
use parking_lot::Mutex;
use platform::spawn;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use tokio_stream::wrappers::ReceiverStream;

/// Bytes of one file.
pub(crate) const LARGEST: usize = 32 << 20;
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
}

struct Kept {
    url: String,
    content: watch::Receiver<Content>,
}

/// What has come of a response.
#[derive(Clone, Debug)]
enum Content {
    Arriving,
    Whole(Arc<Vec<u8>>),
    Lost(String),
}

/// Whether a browser may take the answer to a request for a file: it navigates, or follows a link that is a download, of which it says what
/// it takes only where the site is trustworthy.
pub(super) fn may_be_file(headers: &HeaderMap) -> bool {
    match headers.get("sec-fetch-mode") {
        Some(mode) => mode == "navigate",
        None => headers.contains_key(UPGRADE_INSECURE_REQUESTS) || !headers.contains_key(ACCEPT),
    }
}

/// Whether a site says itself that an answer is a file.
pub(super) fn is_file(headers: &HeaderMap) -> bool {
    let told = headers.get(CONTENT_DISPOSITION).map_or(b"".as_slice(), |told| told.as_bytes());
    told.get(..10).is_some_and(|kind| kind.eq_ignore_ascii_case(b"attachment"))
}

impl Keeper {
    /// Keeps an answer while the browser reads it, and what is left of it if it no longer does.
    pub(super) fn keep(
        &self,
        url: &str,
        answer: reqwest::Response,
    ) -> impl Stream<Item = reqwest::Result<Bytes>> + use<> {
        let (tell, content) = watch::channel(Content::Arriving);
        let (to_browser, chunks) = mpsc::channel(AHEAD);
        let mut latest = self.latest.lock();
        latest.push_back(Kept { url: url.to_owned(), content });
        if latest.len() > RESPONSES {
            latest.pop_front();
        }
        spawn::detached("keep what may become a file", async move {
            let read = timeout(ARRIVAL, read(answer, to_browser)).await;
            let whole = read.unwrap_or_else(|_| Err(format!("it did not arrive within {} s", ARRIVAL.as_secs())));
            // Nobody may want it any more.
            let _ = tell.send(whole.map_or_else(Content::Lost, |bytes| Content::Whole(Arc::new(bytes))));
        });
        ReceiverStream::new(chunks)
    }

    /// The file at an address, once it has arrived.
    ///
    /// # Errors
    /// Why there is none, for people.
    pub(crate) async fn file(&self, url: &str) -> Result<Vec<u8>, String> {
        let content = self.latest.lock().iter().rev().find(|kept| kept.url == url).map(|kept| kept.content.clone());
        let Some(mut content) = content else { return Err("it did not come through the gate".to_owned()) };
        let arrived = content.wait_for(|content| !matches!(content, Content::Arriving)).await;
        match arrived.map(|content| content.clone()) {
            Ok(Content::Whole(bytes)) => Ok(bytes.as_ref().clone()),
            Ok(Content::Lost(cause)) => Err(cause),
            Ok(Content::Arriving) | Err(_) => Err("it did not arrive".to_owned()),
        }
    }
}

async fn read(answer: reqwest::Response, to_browser: mpsc::Sender<reqwest::Result<Bytes>>) -> Result<Vec<u8>, String> {
    let mut chunks = answer.bytes_stream();
    let mut bytes = Vec::new();
    let mut is_too_large = false;
    while let Some(chunk) = chunks.next().await {
        match &chunk {
            Ok(chunk) if bytes.len() + chunk.len() > LARGEST => {
                (bytes, is_too_large) = (Vec::new(), true);
            }
            Ok(chunk) if !is_too_large => bytes.extend_from_slice(chunk),
            Ok(_) => {}
            Err(error) => {
                let cause = error.to_string();
                let _ = to_browser.send(chunk).await;
                return Err(cause);
            }
        }
        // A browser that has what it wants reads no more; what is too large is then wanted by nobody.
        if to_browser.send(chunk).await.is_err() && is_too_large {
            break;
        }
    }
    if is_too_large { Err(format!("it has more than {LARGEST} bytes")) } else { Ok(bytes) }
}
