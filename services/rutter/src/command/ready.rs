//! `rutter ready`: asks a role whether work may be sent to it, for containers whose image has no shell and no client of HTTP.

use crate::cli::Ready;
use crate::exit::{Exit, OrExit as _, Outcome, failure};
use crate::print::note;
use anyhow::Context as _;
use node::config::load;
use serde::Serialize;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Enough for what answers on the same machine.
const PATIENCE: Duration = Duration::from_secs(3);
/// More than the line that has the status.
const MOST_BYTES: u64 = 256;

/// No flag is given here.
#[derive(Serialize)]
struct Nothing {}

/// Asks the role of these settings.
pub(crate) async fn execute(args: Ready) -> Outcome {
    let address = match args.admin {
        Some(address) => address,
        None => match load(args.settings.config.as_deref(), &Nothing {})?.admin {
            Some(admin) => admin.bind,
            None => {
                return failure(Exit::Usage, "the settings do not say where the role answers probes: set `admin.bind`");
            }
        },
    };
    let address = reachable(address);
    let asked = timeout(PATIENCE, status(address)).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
    let status = asked.with_context(|| format!("ask {address} whether it is ready")).or_exit(Exit::Environment)?;
    if status != 200 {
        note!("{address} is not ready yet");
        return Ok(Exit::NotPassed);
    }
    note!("{address} is ready");
    Ok(Exit::Success)
}

/// An address that a connection can be opened to: what listens everywhere listens on loopback.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        });
    }
    address
}

/// The status of the answer to one request.
async fn status(address: SocketAddr) -> io::Result<u16> {
    let mut connection = TcpStream::connect(address).await?;
    let request = format!("GET /health/ready HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    connection.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    connection.take(MOST_BYTES).read_to_end(&mut answer).await?;
    let line = String::from_utf8_lossy(&answer);
    let said = line.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)).and_then(|code| code.parse().ok());
    said.ok_or_else(|| io::Error::other("what answers there does not speak HTTP"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    /// What is read from a listener that answers in these words.
    async fn answered(words: &'static str) -> io::Result<u16> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("an address");
        let address = listener.local_addr().expect("an address");
        let answering = std::thread::spawn(move || {
            let (mut connection, _) = listener.accept().expect("a connection");
            let mut request = [0; 1024];
            let count = connection.read(&mut request).expect("a request");
            connection.write_all(words.as_bytes()).expect("written");
            String::from_utf8_lossy(&request[..count]).into_owned()
        });
        let said = status(address).await;
        assert!(answering.join().expect("it answered").starts_with("GET /health/ready HTTP/1.1\r\nHost: 127.0.0.1:"));
        said
    }

    #[tokio::test]
    async fn the_status_of_an_answer_is_read_and_anything_else_is_none() {
        assert_eq!(answered("HTTP/1.1 200 OK\r\n\r\nready").await.expect("a status"), 200);
        assert_eq!(answered("HTTP/1.1 503 Service Unavailable\r\n\r\nlog").await.expect("a status"), 503);
        answered("SSH-2.0-OpenSSH\r\n").await.expect_err("no HTTP");
        answered("").await.expect_err("nothing");
    }

    #[test]
    fn what_listens_everywhere_is_asked_on_loopback() {
        for (bind, asked) in [("0.0.0.0:1", "127.0.0.1:1"), ("[::]:1", "[::1]:1"), ("10.0.0.1:1", "10.0.0.1:1")] {
            assert_eq!(reachable(bind.parse().expect("an address")).to_string(), asked);
        }
    }
}
