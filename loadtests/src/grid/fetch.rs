//! Page loads: real requests, through the proxy that a user context names.

use http_body_util::{BodyExt as _, Empty};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use platform::spawn;
use tokio::net::TcpStream;
use url::Url;

/// A user context's way to the network. One connection is kept, as a browser does.
#[derive(Default)]
pub(super) struct Network {
    /// Host and port; none for no proxy.
    proxy: Option<String>,
    sender: Option<SendRequest<Empty<Bytes>>>,
    /// Where the connection leads.
    to: String,
}

impl Network {
    pub(super) fn through(proxy: Option<String>) -> Network {
        Network { proxy, ..Network::default() }
    }

    /// Requests a page and reads it to its end; answers its status and length.
    ///
    /// # Errors
    /// A browser's name for what went wrong.
    pub(super) async fn load(&mut self, url: &Url) -> Result<(u16, usize), &'static str> {
        let authority = authority(url).ok_or("net::ERR_INVALID_URL")?;
        let (to, target) = match &self.proxy {
            Some(proxy) => (proxy.clone(), url.as_str()),
            None => (authority.clone(), &url[url::Position::BeforePath..]),
        };
        let kept = self.sender.take().filter(|sender| sender.is_ready() && self.to == to);
        let was_kept = kept.is_some();
        let mut sender = match kept {
            Some(sender) => sender,
            None => self.connect(&to).await?,
        };
        let mut answer = send(&mut sender, target, &authority).await;
        if answer.is_err() && was_kept {
            sender = self.connect(&to).await?; // the other side may close what is kept
            answer = send(&mut sender, target, &authority).await;
        }
        let loaded = answer.map_err(|_| "net::ERR_EMPTY_RESPONSE")?;
        self.to = to;
        self.sender = Some(sender);
        Ok(loaded)
    }

    async fn connect(&self, to: &str) -> Result<SendRequest<Empty<Bytes>>, &'static str> {
        let refused =
            if self.proxy.is_some() { "net::ERR_PROXY_CONNECTION_FAILED" } else { "net::ERR_CONNECTION_REFUSED" };
        let stream = TcpStream::connect(to).await.map_err(|_| refused)?;
        let _ = stream.set_nodelay(true);
        let (sender, connection) = handshake(TokioIo::new(stream)).await.map_err(|_| refused)?;
        spawn::detached("fetch", async move {
            if let Err(error) = connection.await {
                tracing::trace!(%error, "a connection of a simulated browser ended");
            }
        });
        Ok(sender)
    }
}

async fn send(
    sender: &mut SendRequest<Empty<Bytes>>,
    target: &str,
    authority: &str,
) -> Result<(u16, usize), hyper::Error> {
    let request = Request::get(target)
        .header("Host", authority)
        .header("User-Agent", super::events::USER_AGENT)
        .header("Upgrade-Insecure-Requests", "1")
        .header("Accept", super::events::ACCEPT)
        .header("Accept-Language", "en-US,en;q=0.9")
        .body(Empty::new())
        .unwrap_or_default();
    sender.ready().await?;
    let answer = sender.send_request(request).await?;
    let status = answer.status().as_u16();
    let mut body = answer.into_body();
    let mut length = 0;
    while let Some(frame) = body.frame().await {
        length += frame?.data_ref().map_or(0, Bytes::len);
    }
    Ok((status, length))
}

fn authority(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}
