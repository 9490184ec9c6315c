//! The canary: listens where nothing of a run may arrive, and counts what does by its way.

use super::listener::{Asked, serve};
use super::ways::{ALL, ALONE};
use parking_lot::Mutex;
use platform::spawn;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpSocket, UdpSocket};
use tokio_rustls::TlsAcceptor;
use tokio_util::task::AbortOnDropHandle;

/// Ports that are open at every address of the machine.
const EVERYWHERE: [u16; 3] = [8080, 6379, 81];

/// Answers nothing that a page can go on with: where it is, it stays.
const NOTHING: &str = "HTTP/1.1 204 No Content\r\naccess-control-allow-origin: *\r\nconnection: close\r\n\r\n";

/// What arrived where nothing may arrive.
#[derive(Debug, Default)]
pub struct Hits {
    by_way: Mutex<BTreeMap<(usize, usize), u64>>,
    others: Mutex<Vec<String>>,
    /// The run that connections without a word of it belong to.
    run: Mutex<usize>,
}

impl Hits {
    /// Says which run begins.
    pub fn begin(&self, run: usize) {
        *self.run.lock() = run;
    }

    /// Tells of a request by its path, `/canary/RUN/wNUMBER`; answers whether it is one of a way.
    pub fn path(&self, path: &str) -> bool {
        let Some(at) = path.find("/canary/") else { return false };
        let mut parts = path[at + "/canary/".len()..].split('/');
        let run = parts.next().and_then(|run| run.parse().ok());
        let digits =
            |part: &str| part.trim_start_matches('w').chars().take_while(char::is_ascii_digit).collect::<String>();
        let way = parts.next().and_then(|way| digits(way).parse().ok());
        run.zip(way).is_some_and(|(run, way)| {
            self.add(run, way);
            true
        })
    }

    fn add(&self, run: usize, way: usize) {
        *self.by_way.lock().entry((run, way)).or_default() += 1;
    }

    /// Something at a port that belongs to one way alone.
    fn alone(&self, port: u16) -> bool {
        let way = usize::from(port).checked_sub(ALONE).filter(|way| *way < ALL.len());
        way.inspect(|way| self.add(*self.run.lock(), *way)).is_some()
    }

    /// Something that names no way.
    pub fn other(&self, what: String) {
        let run = *self.run.lock();
        self.others.lock().push(format!("run {run}: {what}"));
    }

    /// How often a way arrived in a run.
    pub fn of(&self, run: usize, way: usize) -> u64 {
        self.by_way.lock().get(&(run, way)).copied().unwrap_or_default()
    }

    /// What arrived in a run and names no way.
    pub fn others(&self, run: usize) -> Vec<String> {
        let start = format!("run {run}: ");
        self.others.lock().iter().filter(|what| what.starts_with(&start)).cloned().collect()
    }
}

/// Listens; dropping it ends that.
pub struct Canary {
    _tasks: Vec<AbortOnDropHandle<()>>,
}

impl Canary {
    /// Listens at the usual ports of these addresses, at some ports everywhere, and at one for each way.
    ///
    /// # Errors
    /// A port cannot be had.
    pub async fn start(addresses: &[&str], acceptor: &TlsAcceptor, hits: &Arc<Hits>) -> io::Result<Canary> {
        let mut tasks = Vec::new();
        let mut sockets = Vec::new();
        for port in EVERYWHERE {
            // Of version 4 as well.
            sockets.push(bind(&format!("[::]:{port}"))?);
        }
        for address in addresses {
            sockets.extend([bind(&format!("{address}:80"))?, bind(&format!("{address}:443"))?]);
        }
        for way in ALL.iter() {
            sockets.push(bind(&format!("127.0.0.1:{}", way.port()))?);
            let socket = UdpSocket::bind(format!("127.0.0.1:{}", way.port())).await?;
            tasks.push(spawn::owned("datagrams of the canary", datagrams(socket, hits.clone())));
        }
        for listener in sockets {
            let hits = hits.clone();
            let answer = move |asked: Asked| {
                let hits = hits.clone();
                async move {
                    let is_known = hits.path(&asked.target) || hits.path(&asked.head) || hits.alone(asked.port);
                    if !is_known {
                        let line = asked.head.lines().next().unwrap_or("a connection");
                        hits.other(format!("port {}: {line}", asked.port));
                    }
                    NOTHING.as_bytes().to_vec()
                }
            };
            tasks.push(spawn::owned("canary", serve(listener, acceptor.clone(), answer)));
        }
        Ok(Canary { _tasks: tasks })
    }
}

async fn datagrams(socket: UdpSocket, hits: Arc<Hits>) {
    let port = socket.local_addr().map(|address| address.port()).unwrap_or_default();
    let mut some = [0; 2048];
    while socket.recv_from(&mut some).await.is_ok() {
        hits.alone(port);
    }
}

/// Listens at an address.
pub(crate) fn bind(address: &str) -> io::Result<TcpListener> {
    let told = |error: io::Error| io::Error::new(error.kind(), format!("listen at {address}: {error}"));
    let address: std::net::SocketAddr = address.parse().map_err(io::Error::other)?;
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }.map_err(told)?;
    socket.set_reuseaddr(true).map_err(told)?;
    socket.bind(address).and_then(|()| socket.listen(128)).map_err(told)
}
