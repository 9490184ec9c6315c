//! A channel whose certificates follow their files: once these change, further calls go by a new connection, and calls that are
//! under way end on the one before. It never gives up a connection for files that cannot be used.

use super::client::{chain, endpoint, tls};
use super::options::{ClientTls, Error};
use crate::clock::{Clock, SystemClock};
use parking_lot::RwLock;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tonic::body::Body;
use tonic::codegen::{Service, http};
use tonic::transport::channel::ResponseFuture;
use tonic::transport::{Channel, Error as TransportError, Uri};

/// How connections to one server are opened.
#[derive(Clone)]
pub(super) struct Opener {
    pub(super) uri: Uri,
    /// What calls are addressed to, where it is not the address itself.
    pub(super) origin: Option<Uri>,
    pub(super) encryption: Option<Encryption>,
}

/// By which files connections are encrypted.
#[derive(Clone)]
pub(super) struct Encryption {
    pub(super) files: ClientTls,
    /// The name that the server's certificate must have where the files do not name another.
    pub(super) host: Option<String>,
    /// How often the files are looked at.
    pub(super) every: Duration,
}

/// The content of each file, where it can be read.
type Content = Vec<Option<Vec<u8>>>;

impl Encryption {
    fn content(&self) -> Content {
        let ClientTls { authority, certificate, key, server_name: _ } = &self.files;
        [authority, certificate, key].into_iter().flatten().map(|path| std::fs::read(path).ok()).collect()
    }
}

impl Opener {
    fn open(&self) -> Result<Channel, Error> {
        let tls = match &self.encryption {
            Some(encryption) => Some(tls(&encryption.files, encryption.host.as_ref())?),
            None => None,
        };
        let endpoint = endpoint(self.uri.clone(), tls).map_err(|error| Error::Tls(chain(&error)))?;
        let endpoint = match &self.origin {
            Some(origin) => endpoint.origin(origin.clone()),
            None => endpoint,
        };
        Ok(endpoint.connect_lazy())
    }
}

/// A channel to one server, by the certificates that its files hold now. Clones share it.
#[derive(Clone)]
pub struct CurrentChannel {
    shared: Arc<Shared>,
    /// The one of `shared` that this clone uses, and which one it is.
    channel: Channel,
    number: u64,
}

struct Shared {
    opener: Opener,
    clock: SystemClock,
    latest: RwLock<Latest>,
}

struct Latest {
    channel: Channel,
    number: u64,
    /// What the files held when it was made.
    content: Content,
    /// When they were last looked at.
    looked: Duration,
    /// Whether it was said that they cannot be used.
    told: bool,
}

impl CurrentChannel {
    /// It connects with the first call.
    pub(super) fn new(opener: Opener) -> Result<Self, Error> {
        let clock = SystemClock::default();
        // Read before it is opened: what changes in between is seen as a change.
        let content = opener.encryption.as_ref().map(Encryption::content).unwrap_or_default();
        let channel = opener.open()?;
        let latest = Latest { channel: channel.clone(), number: 0, content, looked: clock.monotonic(), told: false };
        let shared = Arc::new(Shared { opener, clock, latest: RwLock::new(latest) });
        Ok(Self { shared, channel, number: 0 })
    }
}

impl Shared {
    /// Opens another channel where the files changed since they were last looked at.
    fn look(&self) {
        let Some(encryption) = &self.opener.encryption else { return };
        let now = self.clock.monotonic();
        if now.saturating_sub(self.latest.read().looked) < encryption.every {
            return;
        }
        let content = encryption.content();
        let mut latest = self.latest.write();
        latest.looked = now;
        if content == latest.content {
            latest.told = false;
            return;
        }
        // Certificate and key are two files: one may be there before the other.
        match self.opener.open() {
            Ok(channel) => {
                tracing::info!(server = %self.opener.uri, "other certificates hold for calls from now on");
                *latest = Latest { channel, number: latest.number + 1, content, looked: now, told: false };
            }
            Err(error) if !latest.told => {
                tracing::warn!(%error, "a certificate cannot be read again; what was read before holds");
                latest.told = true;
            }
            Err(_) => {}
        }
    }
}

impl Service<http::Request<Body>> for CurrentChannel {
    type Response = http::Response<Body>;
    type Error = TransportError;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.shared.look();
        let latest = self.shared.latest.read();
        if self.number != latest.number {
            (self.channel, self.number) = (latest.channel.clone(), latest.number);
        }
        drop(latest);
        self.channel.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        self.channel.call(request)
    }
}
