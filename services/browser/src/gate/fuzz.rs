//! Whatever bytes come to the gate, from a browser or from a site, it answers or closes: no panic, no connection that hangs, and
//! no more memory than it may buffer.

use super::*;
use fuzzing::{Allowance, fuzz, mutated, one_of};
use parking_lot::Mutex;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::time::timeout;

/// How long the gate may take to close.
const SOON: Duration = Duration::from_secs(30);
/// How long it may be silent before it is told that an input has ended; and what is believed to be answered.
const SILENCE: Duration = Duration::from_millis(50);
const PATIENCE: Duration = Duration::from_secs(10);

/// A head may be 4 MiB, and a buffer twice as large while it grows; both sides have some.
const ALLOWED: Allowance = Allowance { base: 24 << 20, per_byte: 64 };

const USUAL: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello";

/// A site that answers every connection with the same bytes, whatever it was asked.
struct Site {
    port: u16,
    says: Arc<Mutex<Vec<u8>>>,
    _task: AbortOnDropHandle<()>,
}

async fn site() -> Site {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let says = Arc::new(Mutex::new(USUAL.to_vec()));
    let answer = says.clone();
    let _task = spawn::owned("site", async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = answer.lock().clone();
            spawn::detached("answer", async move {
                let mut asked = vec![0; 4096];
                // Any answer is as good as the next, also to a question that has not ended.
                if stream.read(&mut asked).await.is_ok_and(|read| read > 0) {
                    let _ = stream.write_all(&answer).await;
                }
                let _ = stream.shutdown().await;
            });
        }
    });
    Site { port, says, _task }
}

async fn gate(site: &Site) -> Gate {
    let scope = Scope { hosts: vec![format!("127.0.0.1:{}", site.port)] };
    Gate::local(&ProfileOptions { scope, ..ProfileOptions::default() }, None).await.unwrap()
}

/// Sends bytes, and reads until the other side closes. Where it is silent for a while, it is told that nothing more will come: an
/// input may lack its end.
async fn sent(gate: &Gate, bytes: &[u8], patience: Duration) -> Vec<u8> {
    let mut stream = TcpStream::connect(gate.authority()).await.unwrap();
    let mut answer = Vec::new();
    let exchange = async {
        // The gate may close before it has read everything.
        let _ = stream.write_all(bytes).await;
        loop {
            match timeout(patience, stream.read_buf(&mut answer)).await {
                Ok(Ok(0) | Err(_)) => return,
                Ok(Ok(_)) => {}
                Err(_) => break,
            }
        }
        let _ = stream.shutdown().await;
        let _ = stream.read_to_end(&mut answer).await;
    };
    timeout(SOON, exchange).await.expect("the gate closes the connection soon");
    answer
}

#[test]
fn the_gate_takes_whatever_a_browser_sends() {
    let runtime = Runtime::new().unwrap();
    let (site, gate) = runtime.block_on(async {
        let site = site().await;
        let gate = gate(&site).await;
        (site, gate)
    });
    let at = format!("127.0.0.1:{}", site.port);
    let seeds = [
        format!(
            "GET http://{at}/a?b=c HTTP/1.1\r\nHost: {at}\r\nUpgrade-Insecure-Requests: 1\r\nCookie: a=b\r\nConnection: close\r\n\r\n"
        ),
        format!(
            "POST http://{at}/form HTTP/1.1\r\nHost: {at}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 17\r\nConnection: close\r\n\r\nname=a&_method=%41"
        ),
        format!(
            "PUT http://{at}/ HTTP/1.1\r\nHost: {at}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5;x=y\r\nhello\r\n0\r\nA: b\r\n\r\n"
        ),
        format!(
            "GET http://{at}/socket HTTP/1.1\r\nHost: {at}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        ),
        format!(
            "CONNECT {at} HTTP/1.1\r\nHost: {at}\r\n\r\nGET / HTTP/1.1\r\nHost: other\r\nConnection: close\r\n\r\n"
        ),
        format!("CONNECT {at} HTTP/1.1\r\nHost: {at}\r\n\r\n\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00"),
    ];
    let usual = runtime.block_on(sent(&gate, seeds[0].as_bytes(), PATIENCE));
    assert!(usual.ends_with(b"hello"), "{}", usual.escape_ascii());
    let inputs = mutated(one_of(seeds.map(String::into_bytes)));
    fuzz("gate-requests", inputs, ALLOWED, |input| drop(runtime.block_on(sent(&gate, input, SILENCE))));
    let question = format!("GET http://{at}/ HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n\r\n");
    let usual = runtime.block_on(sent(&gate, question.as_bytes(), PATIENCE));
    assert!(usual.ends_with(b"hello"), "it works as before: {}", usual.escape_ascii());
}

#[test]
fn the_gate_takes_whatever_a_site_answers() {
    let runtime = Runtime::new().unwrap();
    let (site, gate) = runtime.block_on(async {
        let site = site().await;
        let gate = gate(&site).await;
        (site, gate)
    });
    let at = format!("127.0.0.1:{}", site.port);
    let question = format!("GET http://{at}/ HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n\r\n");
    let seeds: [&[u8]; 5] = [
        USUAL,
        b"HTTP/1.1 302 Found\r\nLocation: /next\r\nSet-Cookie: a=b; Path=/; Secure\r\nSet-Cookie: c=d\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n5\r\nhello\r\n10;a=b\r\n0123456789abcdef\r\n0\r\nX: y\r\n\r\n",
        b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
        b"HTTP/1.0 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n\x81\x05hello",
    ];
    let inputs = mutated(one_of(seeds.map(<[u8]>::to_vec)));
    fuzz("gate-answers", inputs, ALLOWED, |input| {
        *site.says.lock() = input.to_vec();
        drop(runtime.block_on(sent(&gate, question.as_bytes(), SILENCE)));
    });
    *site.says.lock() = USUAL.to_vec();
    let usual = runtime.block_on(sent(&gate, question.as_bytes(), PATIENCE));
    assert!(usual.ends_with(b"hello"), "it works as before: {}", usual.escape_ascii());
}
