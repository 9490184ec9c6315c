//! Heads of requests and answers that are larger than usual, through the gate.

use super::Gate;
use crate::options::ProfileOptions;
use domain::scope::Scope;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// A site that answers every request with these headers, and says how long the request's head was.
async fn site(headers: String) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    platform::spawn::detached("site", async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") && stream.read_buf(&mut head).await.is_ok_and(|length| length > 0) {}
            let said = head.len().to_string();
            let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n{headers}\r\n{said}", said.len());
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    address
}

async fn gate(address: SocketAddr) -> (Gate, reqwest::Client) {
    let options = ProfileOptions { scope: Scope { hosts: vec![address.to_string()] }, ..ProfileOptions::default() };
    let gate = Gate::local(&options, None).await.unwrap();
    let proxy = reqwest::Proxy::all(format!("http://{}", gate.authority())).unwrap();
    let visitor = reqwest::Client::builder().proxy(proxy).http1_max_headers(1_000).build().unwrap();
    (gate, visitor)
}

#[tokio::test]
async fn five_hundred_headers_of_an_answer_pass() {
    let address = site((0..500).map(|number| format!("x-{number}: a\r\n")).collect()).await;
    let (_gate, visitor) = gate(address).await;
    let answer = visitor.get(format!("http://{address}/")).send().await.unwrap();
    assert_eq!(answer.headers().keys().filter(|name| name.as_str().starts_with("x-")).count(), 500);
}

#[tokio::test]
async fn a_request_whose_header_has_two_megabytes_passes() {
    let address = site(String::new()).await;
    let (_gate, visitor) = gate(address).await;
    let request = visitor.get(format!("http://{address}/")).header("x-large", "a".repeat(2 << 20));
    let length: usize = request.send().await.unwrap().text().await.unwrap().parse().unwrap();
    assert!(length > 2 << 20, "{length}");
}

/// No browser takes such an answer (Chromium ends at 256 KB), so that it is enough to say what was wrong.
#[tokio::test]
async fn an_answer_whose_header_has_two_megabytes_is_told_of() {
    let address = site(format!("x-large: {}\r\n", "a".repeat(2 << 20))).await;
    let (gate, visitor) = gate(address).await;
    let url = format!("http://{address}/");
    assert!(visitor.get(&url).send().await.is_err());
    let cause = gate.failure(&url.parse().unwrap()).unwrap();
    assert!(cause.contains("too large"), "{cause}");
}
