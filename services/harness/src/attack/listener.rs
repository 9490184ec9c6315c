//! A small HTTP server that says exactly what it is told to say, plain and encrypted at the same port, and that sees everything that
//! arrives, HTTP or not. It never keeps a connection.

use platform::spawn;
use rustls::ServerConfig;
use rustls::pki_types::PrivatePkcs8KeyDer;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

/// How long a request may take to arrive.
const PATIENCE: Duration = Duration::from_secs(5);
/// Bytes of a request at most.
const LONGEST: usize = 1 << 20;
/// The first byte of every TLS connection (RFC 8446, section 5.1).
const HANDSHAKE: u8 = 22;

/// A request as it arrived.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The method; empty where what arrived is no request.
    pub method: String,
    /// What is asked for.
    pub target: String,
    /// The whole head.
    pub head: String,
    /// What follows the head.
    pub body: Vec<u8>,
    /// Whether it came encrypted.
    pub encrypted: bool,
    /// The port that was asked.
    pub port: u16,
}

impl Asked {
    fn read(bytes: &[u8], end: usize) -> Asked {
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut words = head.lines().next().unwrap_or_default().split(' ');
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let is_request = words.next().is_some_and(|version| version.starts_with("HTTP/1."));
        let method = if is_request { method.to_owned() } else { String::new() };
        let target = target.to_owned();
        Asked { method, target, head, body: bytes[end..].to_vec(), ..Asked::default() }
    }

    /// A header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        lines.find(|(other, _)| other.trim().eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }
}

/// The end of a request's head.
pub(crate) fn end_of_head(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4)
}

/// How the listener stands before whoever connects encrypted, with a certificate that nobody signed.
///
/// # Errors
/// No certificate can be made.
pub fn acceptor(names: &[&str]) -> io::Result<TlsAcceptor> {
    let key = rcgen::KeyPair::generate().map_err(io::Error::other)?;
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let leaf = rcgen::CertificateParams::new(names).map_err(io::Error::other)?;
    let leaf = leaf.self_signed(&key).map_err(io::Error::other)?;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(io::Error::other)?.with_no_client_auth();
    let key = PrivatePkcs8KeyDer::from(key.serialize_der());
    let config = config.with_single_cert(vec![leaf.der().clone()], key.into()).map_err(io::Error::other)?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Answers at a port until the task is dropped. Whatever connects is told of, also what asks for nothing.
pub async fn serve<A, F>(listener: TcpListener, acceptor: TlsAcceptor, answer: A)
where
    A: Fn(Asked) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Vec<u8>> + Send,
{
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let (acceptor, answer) = (acceptor.clone(), answer.clone());
        spawn::detached("connection of the attack", async move {
            let port = stream.local_addr().map(|address: SocketAddr| address.port()).unwrap_or_default();
            let mut first = [0];
            let peeked = timeout(PATIENCE, stream.peek(&mut first)).await;
            let encrypted = matches!(peeked, Ok(Ok(1))) && first[0] == HANDSHAKE;
            let seen = Asked { encrypted, port, ..Asked::default() };
            match encrypted {
                false => exchange(stream, seen, answer).await,
                true => match timeout(PATIENCE, acceptor.accept(stream)).await {
                    Ok(Ok(stream)) => exchange(stream, seen, answer).await,
                    _ => drop(answer(seen).await),
                },
            }
        });
    }
}

async fn exchange<A, F>(mut stream: impl AsyncRead + AsyncWrite + Unpin, seen: Asked, answer: A)
where
    A: Fn(Asked) -> F,
    F: Future<Output = Vec<u8>>,
{
    let asked = timeout(PATIENCE, request(&mut stream)).await.ok().flatten().unwrap_or_default();
    let reply = answer(Asked { encrypted: seen.encrypted, port: seen.port, ..asked }).await;
    let _ = stream.write_all(&reply).await;
    let _ = stream.shutdown().await;
}

/// Reads a request with its body; none where the connection ends before.
pub(crate) async fn request(stream: &mut (impl AsyncRead + Unpin)) -> Option<Asked> {
    let mut bytes = Vec::new();
    let mut asked: Option<Asked> = None;
    loop {
        if asked.is_none() {
            asked = end_of_head(&bytes).map(|end| Asked::read(&bytes, end));
        }
        if let Some(asked) = &mut asked {
            let length = asked.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
            asked.body = bytes[asked.head.len().min(bytes.len())..].to_vec();
            if asked.body.len() >= length {
                break;
            }
        }
        if bytes.len() > LONGEST || stream.read_buf(&mut bytes).await.ok()? == 0 {
            break;
        }
    }
    // What is no request is told of as well.
    asked.or_else(|| {
        (!bytes.is_empty()).then(|| Asked { head: String::from_utf8_lossy(&bytes).into(), ..Asked::default() })
    })
}

/// A connection to an address on this machine.
///
/// # Errors
/// Nobody listens there.
pub(crate) async fn connect(address: &str) -> io::Result<TcpStream> {
    timeout(PATIENCE, TcpStream::connect(address)).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}
