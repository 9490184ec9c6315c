//! WebSockets through the gate. In explorations every text that a page sends is judged before it leaves; elsewhere the bytes pass as they
//! are.

use super::harm::Safety;
use futures::{SinkExt as _, StreamExt as _};
use hyper::header::{HeaderMap, HeaderName};
use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{Message, Role};

/// Compression of messages, which have to be read.
const EXTENSIONS: HeaderName = HeaderName::from_static("sec-websocket-extensions");

/// Leaves out of a handshake what would keep messages from being read.
pub(super) fn prepare(headers: &mut HeaderMap, safety: &Safety) {
    if safety.judges() {
        headers.remove(EXTENSIONS);
    }
}

/// Lets messages pass both ways until one side is closed.
pub(super) async fn pass<P, S>(mut page: P, mut site: S, path: &str, safety: &Safety)
where
    P: AsyncRead + AsyncWrite + Unpin,
    S: AsyncRead + AsyncWrite + Unpin,
{
    if !safety.judges() {
        let _ = copy_bidirectional(&mut page, &mut site).await;
        return;
    }
    let mut page = WebSocketStream::from_raw_socket(page, Role::Server, None).await;
    let mut site = WebSocketStream::from_raw_socket(site, Role::Client, None).await;
    loop {
        let passed = tokio::select! {
            said = page.next() => match said {
                Some(Ok(said)) if is_refused(&said, path, safety) => Ok(()),
                Some(Ok(said)) => hand_on(&mut site, said).await,
                _ => break,
            },
            said = site.next() => match said {
                Some(Ok(said)) => hand_on(&mut page, said).await,
                _ => break,
            },
        };
        if passed.is_err() {
            break;
        }
    }
    let _ = (page.close(None).await, site.close(None).await);
}

fn is_refused(said: &Message, path: &str, safety: &Safety) -> bool {
    match said {
        Message::Text(text) => safety.judge_message(text.as_str(), path).is_some(),
        _ => false,
    }
}

/// Sends a message on. Each side answers pings for itself.
async fn hand_on<T>(to: &mut WebSocketStream<T>, said: Message) -> Result<(), tokio_tungstenite::tungstenite::Error>
where
    T: AsyncRead + AsyncWrite + Unpin,
{
    match said {
        Message::Ping(_) | Message::Pong(_) => Ok(()),
        said => to.send(said).await,
    }
}
