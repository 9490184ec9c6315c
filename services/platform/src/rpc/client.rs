//! A connection: opened on first use, kept alive, and reopened when it breaks. Every call carries token and trace.

use super::channel::{CurrentChannel, Encryption, Opener};
use super::local::local_token;
use super::options::{ClientOptions, ClientTls, Error, pem};
use super::peers::Peers;
use super::rotation::{LOOK, SentToken, bearer};
use crate::clock::SystemClock;
use crate::network::is_this_machine;
use crate::telemetry;
use std::error::Error as StdError;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity, Uri};
use tonic::{Request, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Interval and timeout of keep-alive pings, also on idle connections: without them a connection that was cut off would
/// never recover.
const KEEPALIVE: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(5));

/// What generated clients call through.
pub type Transport = InterceptedService<CurrentChannel, Outgoing>;

/// A connection to one server. Clones share it.
#[derive(Clone)]
pub struct Connection {
    /// What generated clients call through.
    pub transport: Transport,
    /// Where to, for messages.
    pub endpoint: String,
    /// The largest message in bytes, uncompressed.
    pub max_message_bytes: usize,
    /// The servers behind the name, if it goes to one.
    pub(super) peers: Option<Arc<Peers>>,
}

impl Connection {
    /// A connection to each server behind its name; itself if it goes to an address, or the name does not resolve.
    pub async fn each(&self) -> Vec<Connection> {
        let each = match &self.peers {
            Some(peers) => peers.connections().await,
            None => Vec::new(),
        };
        if each.is_empty() { vec![self.clone()] } else { each }
    }

    /// Queries the health service of the process behind it.
    ///
    /// # Errors
    /// It did not answer in time.
    pub async fn is_serving(&self, patience: Duration) -> Result<bool, Status> {
        let mut request = Request::new(HealthCheckRequest::default());
        request.set_timeout(patience);
        let answer = HealthClient::new(self.transport.clone()).check(request).await?.into_inner();
        Ok(answer.status() == ServingStatus::Serving)
    }
}

/// Puts token and trace on every call.
#[derive(Clone, Default)]
pub struct Outgoing {
    token: Arc<SentToken>,
}

impl Interceptor for Outgoing {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(token) = self.token.header() {
            request.metadata_mut().insert("authorization", token);
        }
        if let Ok(parent) = telemetry::current_trace_parent().parse::<MetadataValue<Ascii>>()
            && !parent.is_empty()
        {
            request.metadata_mut().insert(telemetry::TRACE_PARENT, parent);
        }
        Ok(request)
    }
}

/// Prepares a connection. It opens with the first call, so processes may start in any order.
///
/// # Errors
/// [`Error`]: unusable options, or calls that would go out in plain text.
pub fn connect(options: &ClientOptions) -> Result<Connection, Error> {
    connect_looking(options, LOOK)
}

/// `every` is how often tokens and certificates are read again.
pub(super) fn connect_looking(options: &ClientOptions, every: Duration) -> Result<Connection, Error> {
    let refused = |cause: String| Error::Endpoint { endpoint: options.endpoint.clone(), cause };
    let uri: Uri =
        options.endpoint.parse().map_err(|error: tonic::codegen::http::uri::InvalidUri| refused(error.to_string()))?;
    let host = uri.host().ok_or_else(|| refused("it names no host".to_owned()))?.to_owned();
    let encrypted = match uri.scheme_str() {
        Some("https") => true,
        Some("http") => false,
        _ => return Err(refused("it is neither http nor https".to_owned())),
    };
    if !encrypted && options.tls.is_some() {
        return Err(refused("files for TLS are set, but the scheme is http".to_owned()));
    }
    if !encrypted && options.token.is_none() && !options.allow_open && !is_this_machine(&host) {
        return Err(Error::OpenClient(options.endpoint.clone()));
    }
    let is_name = host.trim_matches(['[', ']']).parse::<IpAddr>().is_err();
    let encryption = encrypted.then(|| Encryption {
        files: options.tls.clone().unwrap_or_default(),
        host: is_name.then(|| host.clone()),
        every,
    });
    let named = CurrentChannel::new(Opener { uri: uri.clone(), origin: None, encryption: encryption.clone() })?;
    let port = uri.port_u16().unwrap_or(if encrypted { 443 } else { 80 });
    let mut token = options.token.as_ref().map(super::TokenRef::read).transpose()?;
    if token.is_none() && is_this_machine(&host) {
        // Without a key of this user there is no server that asks for its token.
        token = local_token(port).ok();
    }
    let header =
        |token: String| bearer(&token).ok_or_else(|| refused("the token cannot be sent in a header".to_owned()));
    let token = SentToken::new(options.token.clone(), token.map(header).transpose()?, every);
    let (outgoing, max_message_bytes) = (Outgoing { token: Arc::new(token) }, options.max_message_bytes);
    let transport = InterceptedService::new(named, outgoing.clone());
    let (clock, known) = (SystemClock::default(), Default::default());
    let peers = Peers { uri, port, encryption, outgoing, max_message_bytes, clock, known, host: host.clone() };
    let peers = (is_name && !is_this_machine(&host)).then(|| Arc::new(peers));
    Ok(Connection { transport, endpoint: options.endpoint.clone(), max_message_bytes, peers })
}

/// How a server at an address is called.
pub(super) fn endpoint(uri: Uri, tls: Option<ClientTlsConfig>) -> Result<Endpoint, tonic::transport::Error> {
    let (interval, timeout) = KEEPALIVE;
    let endpoint = Endpoint::from(uri)
        .connect_timeout(CONNECT_TIMEOUT)
        .http2_keep_alive_interval(interval)
        .keep_alive_timeout(timeout)
        .keep_alive_while_idle(true)
        .tcp_nodelay(true);
    match tls {
        Some(tls) => endpoint.tls_config(tls),
        None => Ok(endpoint),
    }
}

/// `host` is the name that the server's certificate must have where the files do not name another.
pub(super) fn tls(files: &ClientTls, host: Option<&String>) -> Result<ClientTlsConfig, Error> {
    let mut config = match &files.authority {
        Some(path) => ClientTlsConfig::new()
            .ca_certificate(Certificate::from_pem(pem("the authority of the server's certificate", path)?)),
        None => ClientTlsConfig::new().with_native_roots(),
    };
    if let Some(name) = files.server_name.as_ref().or(host) {
        config = config.domain_name(name);
    }
    match (&files.certificate, &files.key) {
        (Some(certificate), Some(key)) => {
            let certificate = pem("our certificate", certificate)?;
            Ok(config.identity(Identity::from_pem(certificate, pem("our private key", key)?)))
        }
        (None, None) => Ok(config),
        _ => Err(Error::Tls("`certificate` and `key` are set together or not at all".to_owned())),
    }
}

/// Whether a connection failed because one side rejected a certificate.
///
/// A server's rejection arrives within HTTP/2, which passes on only its text: so this matches rustls' messages, which
/// tests pin.
pub fn is_refused_certificate(error: &(dyn StdError + 'static)) -> bool {
    const ALERTS: [&str; 8] = [
        "AccessDenied",
        "BadCertificate",
        "CertificateExpired",
        "CertificateRequired",
        "CertificateRevoked",
        "CertificateUnknown",
        "DecryptError",
        "UnknownCA",
    ];
    let words = chain(error);
    let alert = words.split_once("received fatal alert: ").map(|(_, alert)| alert);
    words.contains("invalid peer certificate")
        || alert.is_some_and(|alert| ALERTS.iter().any(|known| alert.starts_with(known)))
}

/// An error with its causes in one sentence.
pub(super) fn chain(error: &(dyn StdError + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(found) = cause {
        let next = found.to_string();
        if !text.ends_with(&next) {
            text = format!("{text}: {next}");
        }
        cause = found.source();
    }
    text
}
