//! The gate before real listeners.

use super::*;
use crate::fault;
use crate::{Browser, Options};
use domain::Page as _;
use domain::exploration::{Guards, Mode};
use domain::harm::{Licence, Rule};
use futures::{SinkExt as _, StreamExt as _};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use wiremock::matchers::{any, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

async fn through(gate: &Gate, url: &str) -> reqwest::Result<reqwest::Response> {
    let proxy = reqwest::Proxy::all(format!("http://{}", gate.authority())).unwrap();
    reqwest::Client::builder().proxy(proxy).build().unwrap().get(url).send().await
}

async fn opened(scope: Scope, pace: Option<Arc<dyn Pace>>) -> Gate {
    let options = ProfileOptions { scope, pace, ..ProfileOptions::default() };
    Gate::local(&options, None).await.unwrap()
}

#[tokio::test]
async fn an_address_outside_the_scope_is_refused_without_being_asked() {
    // Whatever arrives counts, HTTP or not.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let gate = opened(Scope { hosts: vec!["example.org".into()] }, None).await;
    let answer = through(&gate, &format!("http://127.0.0.1:{port}/")).await.unwrap();
    assert_eq!(answer.status().as_u16(), fault::REFUSED);
    assert!(through(&gate, &format!("https://127.0.0.1:{port}/")).await.is_err());
    let nobody = tokio::time::timeout(Duration::from_millis(50), listener.accept()).await;
    assert!(nobody.is_err(), "something arrived");
}

/// Counts who asks, and lets pass what it has been told to.
struct Counting {
    asked: parking_lot::Mutex<Vec<String>>,
    passes: tokio::sync::Semaphore,
}

#[async_trait::async_trait]
impl Pace for Counting {
    async fn admit(&self, authority: &str) {
        self.asked.lock().push(authority.to_owned());
        self.passes.acquire().await.unwrap().forget();
    }
}

#[tokio::test]
async fn a_page_load_waits_for_its_permission_and_a_subresource_does_not() {
    let site = site().await;
    let address = site.address();
    let pace = Arc::new(Counting { asked: Default::default(), passes: tokio::sync::Semaphore::new(0) });
    let scope = Scope { hosts: vec![address.to_string()] };
    let gate = opened(scope, Some(pace.clone())).await;
    let url = format!("http://{address}/");
    assert_eq!(through(&gate, &url).await.unwrap().status(), StatusCode::OK, "a subresource");
    let proxy = reqwest::Proxy::all(format!("http://{}", gate.authority())).unwrap();
    let visitor = reqwest::Client::builder().proxy(proxy).build().unwrap();
    let page = spawn::detached("page", visitor.get(&url).header("upgrade-insecure-requests", "1").send());
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!page.is_finished(), "loaded without permission");
    pace.passes.add_permits(1);
    assert_eq!(page.await.unwrap().unwrap().status(), StatusCode::OK);
    assert_eq!(*pace.asked.lock(), [address.to_string()]);
}

#[tokio::test]
async fn an_address_within_the_scope_is_passed_on() {
    let site = site().await;
    let gate = opened(Scope { hosts: vec![site.address().to_string()] }, None).await;
    let answer = through(&gate, &format!("{}/x", site.uri())).await.unwrap();
    assert_eq!(answer.text().await.unwrap(), "ok");
    assert_eq!(asked(&site).await, ["GET /x"]);
}

/// A connection to a host through a gate, as browsers open it; none where it is refused.
async fn tunnel(gate: &Gate, authority: &str) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(gate.authority()).await.unwrap();
    stream.write_all(format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n").as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        answer.push(stream.read_u8().await.unwrap());
    }
    answer.starts_with(b"HTTP/1.1 200").then_some(stream)
}

/// What is answered to a plain request through a connection.
async fn get(mut stream: impl AsyncRead + AsyncWrite + Unpin, path: &str, host: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer).await;
    answer
}

#[tokio::test]
async fn a_connection_leads_through_the_upstream_proxy_which_may_refuse() {
    let site = site().await;
    let address = site.address().to_string();
    let url = |gate: &Gate| Url::parse(&format!("http://{}/", gate.authority())).unwrap();
    let upstream = opened(Scope { hosts: vec![address.clone()] }, None).await;
    let scope = Scope { hosts: vec![address.clone(), "127.0.0.1:1".into()] };
    let options = ProfileOptions { scope, ..ProfileOptions::default() };
    let gate = Gate::local(&options, Some(url(&upstream))).await.unwrap();
    let answer = get(tunnel(&gate, &address).await.unwrap(), "/x", &address).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("ok"), "{answer}");
    let answer = get(tunnel(&gate, "127.0.0.1:1").await.unwrap(), "/x", "127.0.0.1:1").await;
    assert!(answer.starts_with("HTTP/1.1 995"), "the upstream proxy may not go there: {answer}");
    assert!(tunnel(&gate, "127.0.0.1:2").await.is_none());
}

#[tokio::test]
async fn a_header_that_names_another_host_changes_nothing() {
    let (site, other) = (site().await, site().await);
    let gate = opened(Scope { hosts: vec![site.address().to_string()] }, None).await;
    let address = site.address().to_string();
    get(tunnel(&gate, &address).await.unwrap(), "/x", &other.address().to_string()).await;
    get(tunnel(&gate, &address).await.unwrap(), &format!("http://{}/y", other.address()), &address).await;
    assert_eq!(asked(&other).await, [""; 0]);
    let hosts: Vec<String> = site
        .received_requests()
        .await
        .unwrap()
        .iter()
        .map(|request| format!("{:?}", request.headers.get("host")))
        .collect();
    assert!(hosts.iter().all(|host| host.contains(&address)), "{hosts:?}");
}

#[tokio::test]
async fn ports_of_this_process_are_refused_whatever_the_scope_says() {
    let site = site().await;
    let port = site.address().port();
    let gate = opened(Scope { hosts: vec!["127.0.0.1:*".into(), "localhost:*".into()] }, None).await;
    assert!(through(&gate, &format!("http://127.0.0.1:{port}/x")).await.unwrap().status().is_success());
    let own = listeners::claim(port);
    for host in ["127.0.0.1", "localhost", "2130706433", "0x7f.1"] {
        let answer = through(&gate, &format!("http://{host}:{port}/y")).await.unwrap();
        assert_eq!(answer.status().as_u16(), fault::REFUSED, "{host}");
    }
    drop(own);
    let answer = through(&gate, &format!("http://{}/", gate.authority())).await.unwrap();
    assert_eq!(answer.status().as_u16(), fault::REFUSED, "itself");
    assert_eq!(asked(&site).await, ["GET /x"]);
}

/// An encrypted site whose certificate nobody signed, and the requests that it got: method, path and host.
async fn encrypted() -> (std::net::SocketAddr, Arc<parking_lot::Mutex<Vec<String>>>) {
    let key = rcgen::KeyPair::generate().unwrap();
    let leaf = rcgen::CertificateParams::new(["127.0.0.1".to_owned()]).unwrap().self_signed(&key).unwrap();
    let key = rustls::pki_types::PrivatePkcs8KeyDer::from(key.serialize_der());
    let config = rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![leaf.der().clone()], key.into())
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, got) = (listener.local_addr().unwrap(), Arc::new(parking_lot::Mutex::new(Vec::new())));
    let record = got.clone();
    spawn::detached("encrypted site", async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, record) = (acceptor.clone(), record.clone());
            spawn::detached("connection to it", async move {
                let Ok(stream) = acceptor.accept(stream).await else { return };
                let service = service_fn(move |request: Request<Incoming>| {
                    let host = request.headers().get("host").map(|host| host.to_str().unwrap().to_owned());
                    record.lock().push(format!("{} {} {}", request.method(), request.uri(), host.unwrap_or_default()));
                    async { Ok::<_, io::Error>(text_response(StatusCode::OK, "secret page")) }
                });
                let server = hyper::server::conn::http1::Builder::new();
                let _ = server.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
    (address, got)
}

#[tokio::test]
async fn the_same_rules_hold_for_encrypted_requests() {
    let (address, got) = encrypted().await;
    let scope = Scope { hosts: vec![address.to_string()] };
    let options = ProfileOptions {
        scope,
        guards: Some(reads()),
        accept_self_signed_certificates: true,
        ..ProfileOptions::default()
    };
    let gate = Gate::local(&options, None).await.unwrap();
    let proxy = reqwest::Proxy::all(format!("http://{}", gate.authority())).unwrap();
    let visitor = reqwest::Client::builder().proxy(proxy).tls_danger_accept_invalid_certs(true).build().unwrap();
    let page = visitor.get(format!("https://{address}/x?y=1")).send().await.unwrap();
    assert_eq!(page.text().await.unwrap(), "secret page");
    let sent = visitor.post(format!("https://{address}/order")).body("1").send().await.unwrap();
    assert_eq!(sent.status().as_u16(), fault::REFUSED);
    let elsewhere = visitor.get(format!("https://{address}/z")).header("host", "evil.example").send().await.unwrap();
    assert!(elsewhere.status().is_success());
    assert_eq!(*got.lock(), [format!("GET /x?y=1 {address}"), format!("GET /z {address}")]);
}

#[tokio::test]
async fn a_certificate_that_nobody_signed_is_no_site_unless_that_is_asked_for() {
    let (address, got) = encrypted().await;
    let gate = opened(Scope { hosts: vec![address.to_string()] }, None).await;
    let proxy = reqwest::Proxy::all(format!("http://{}", gate.authority())).unwrap();
    let visitor = reqwest::Client::builder().proxy(proxy).tls_danger_accept_invalid_certs(true).build().unwrap();
    let url: Url = format!("https://{address}/").parse().unwrap();
    assert!(visitor.get(url.clone()).send().await.is_err());
    assert!(got.lock().is_empty());
    let cause = gate.failure(&url).unwrap();
    assert!(cause.contains("certificate"), "{cause}");
}

#[tokio::test]
async fn why_there_was_no_answer_is_told_in_the_words_of_the_connection() {
    let gate = opened(Scope { hosts: vec!["127.0.0.1:1".into(), "nowhere.invalid".into()] }, None).await;
    for (url, words) in [("http://127.0.0.1:1/", "connection refused"), ("http://nowhere.invalid/", "unknown host")] {
        let _ = through(&gate, url).await;
        let cause = gate.failure(&url.parse().unwrap()).unwrap();
        assert!(cause.contains(words), "{cause}");
    }
}

/// A site that says over a WebSocket what it is told.
async fn echo() -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    spawn::detached("echo", async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
        while let Some(Ok(message)) = socket.next().await {
            socket.send(message).await.unwrap();
        }
    });
    address
}

/// The gate of an exploration of a site.
async fn of_exploration(address: std::net::SocketAddr) -> Gate {
    let scope = Scope { hosts: vec![address.to_string()] };
    let options = ProfileOptions { scope, guards: Some(Guards::default()), ..ProfileOptions::default() };
    Gate::local(&options, None).await.unwrap()
}

#[tokio::test]
async fn of_what_an_exploration_says_over_a_socket_commands_are_kept_back() {
    let address = echo().await;
    let gate = of_exploration(address).await;
    let stream = tunnel(&gate, &address.to_string()).await.unwrap();
    let (mut socket, _) = tokio_tungstenite::client_async(format!("ws://{address}/feed"), stream).await.unwrap();
    for text in ["[null,\"1\",\"phoenix\",\"heartbeat\",{}]", "42[\"delete-row\",{\"id\":7}]", "2"] {
        socket.send(text.into()).await.unwrap();
    }
    assert!(socket.next().await.unwrap().unwrap().into_text().unwrap().contains("heartbeat"));
    assert_eq!(socket.next().await.unwrap().unwrap().into_text().unwrap(), "2");
    let refused = gate.safety().take_refusals();
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert_eq!((refused[0].method.as_str(), refused[0].path.as_str()), ("MESSAGE", "/feed"));
}

#[tokio::test]
async fn a_socket_that_is_opened_with_a_command_is_not_opened_by_an_exploration() {
    let address = echo().await;
    let gate = of_exploration(address).await;
    let stream = tunnel(&gate, &address.to_string()).await.unwrap();
    let opened = tokio_tungstenite::client_async(format!("ws://{address}/console?cmd=reboot-all"), stream).await;
    assert!(opened.is_err());
}

#[tokio::test]
async fn a_socket_is_opened_through_the_gate() {
    let address = echo().await;
    let gate = opened(Scope { hosts: vec![address.to_string()] }, None).await;
    let stream = tunnel(&gate, &address.to_string()).await.unwrap();
    let (mut socket, _) = tokio_tungstenite::client_async(format!("ws://{address}/feed"), stream).await.unwrap();
    socket.send("hello".into()).await.unwrap();
    assert_eq!(socket.next().await.unwrap().unwrap().into_text().unwrap(), "hello");
}

/// A site with a `robots.txt` and pages.
async fn site() -> MockServer {
    let site = MockServer::start().await;
    let robots = ResponseTemplate::new(200).set_body_string("User-agent: *\nDisallow: /private");
    Mock::given(path("/robots.txt")).respond_with(robots).mount(&site).await;
    Mock::given(any()).respond_with(ResponseTemplate::new(200).set_body_string("ok")).mount(&site).await;
    site
}

/// What was asked of a site.
async fn asked(site: &MockServer) -> Vec<String> {
    let requests = site.received_requests().await.unwrap();
    requests.iter().map(|request| format!("{} {}", request.method, request.url.path())).collect()
}

#[tokio::test]
async fn what_robots_txt_disallows_is_not_loaded_as_a_page() {
    let site = site().await;
    let address = site.address().to_string();
    let scope = Scope { hosts: vec![address.clone()] };
    let options = ProfileOptions { scope, robots: Some(Arc::default()), ..ProfileOptions::default() };
    let gate = Gate::local(&options, None).await.unwrap();
    let proxy = reqwest::Proxy::all(format!("http://{}", gate.authority())).unwrap();
    let visitor = reqwest::Client::builder().proxy(proxy).build().unwrap();
    let load = async |path: &str| {
        let request = visitor.get(format!("http://{address}{path}")).header("upgrade-insecure-requests", "1");
        request.send().await.unwrap().status()
    };
    assert_eq!(load("/private/x").await, StatusCode::NO_CONTENT);
    assert_eq!(load("/public").await, StatusCode::OK);
    assert_eq!(load("/private").await, StatusCode::NO_CONTENT);
    assert_eq!(asked(&site).await, ["GET /robots.txt", "GET /public"], "the file is asked for once");
}

#[tokio::test]
async fn who_deletes_nothing_may_still_send() {
    let site = site().await;
    let address = site.address().to_string();
    let scope = Scope { hosts: vec![address.clone()] };
    let options = ProfileOptions {
        scope,
        guards: Some(Guards { mode: Mode::Free, ..Guards::default() }),
        ..ProfileOptions::default()
    };
    let gate = Gate::local(&options, None).await.unwrap();
    let proxy = reqwest::Proxy::all(format!("http://{}", gate.authority())).unwrap();
    let visitor = reqwest::Client::builder().proxy(proxy).build().unwrap();
    let order = format!("http://{address}/order");
    let plain = visitor.delete(&order);
    let disguised = visitor.post(&order).header("X-HTTP-Method-Override", "delete").body("1");
    for request in [plain, disguised] {
        assert_eq!(request.send().await.unwrap().status().as_u16(), fault::REFUSED);
    }
    visitor.post(&order).body("1").send().await.unwrap();
    assert_eq!(asked(&site).await, ["POST /order"]);
}

#[tokio::test]
async fn who_only_reads_sends_nothing() {
    let site = site().await;
    let address = site.address().to_string();
    let scope = Scope { hosts: vec![address.clone()] };
    let options = ProfileOptions { scope, guards: Some(reads()), ..ProfileOptions::default() };
    let gate = Gate::local(&options, None).await.unwrap();
    let proxy = reqwest::Proxy::all(format!("http://{}", gate.authority())).unwrap();
    let visitor = reqwest::Client::builder().proxy(proxy).build().unwrap();
    let sent = visitor.post(format!("http://{address}/order")).body("1").send().await.unwrap();
    assert_eq!(sent.status().as_u16(), fault::REFUSED);
    assert_eq!(visitor.get(format!("http://{address}/order")).send().await.unwrap().status(), StatusCode::OK);
    assert_eq!(asked(&site).await, ["GET /order"]);
}

#[tokio::test]
async fn a_real_browser_loads_an_encrypted_page_through_the_gate_under_the_same_rules() {
    for wire in [crate::Protocol::Bidi, crate::Protocol::Classic] {
        let (address, got) = encrypted().await;
        let browser = Browser::start(Options { wire, ..Options::default() }).await.unwrap();
        let options = ProfileOptions {
            scope: Scope { hosts: vec![address.to_string()] },
            guards: Some(reads()),
            accept_self_signed_certificates: true,
            ..ProfileOptions::default()
        };
        let mut profile = browser.profile(options).await.unwrap();
        profile.open(&format!("https://{address}/x").parse().unwrap()).await.unwrap();
        let seen = profile.evaluate("[document.body.innerText, isSecureContext]").await.unwrap();
        assert_eq!(seen, serde_json::json!(["secret page", true]), "{wire:?}");
        profile.evaluate("fetch('/order', {method: 'POST', body: '1'}).then(() => 1, () => 0)").await.unwrap();
        assert!(got.lock().iter().all(|request| request.starts_with("GET ")), "{wire:?}: {:?}", got.lock());
        let usual = ProfileOptions { scope: Scope { hosts: vec![address.to_string()] }, ..ProfileOptions::default() };
        let mut strict = browser.profile(usual).await.unwrap();
        let refused = strict.open(&format!("https://{address}/x").parse().unwrap()).await.unwrap_err().to_string();
        assert!(refused.contains("certificate"), "{wire:?}: {refused}");
        browser.stop().await;
    }
}

fn reads() -> Guards {
    Guards { mode: Mode::ReadOnly, ..Guards::default() }
}

#[tokio::test]
async fn what_an_exploration_sends_is_judged_by_its_fields_and_by_the_licence_of_the_action_and_counted() {
    let site = site().await;
    let address = site.address().to_string();
    let scope = Scope { hosts: vec![address.clone()] };
    let options = ProfileOptions { scope, guards: Some(Guards::default()), ..ProfileOptions::default() };
    let gate = Gate::local(&options, None).await.unwrap();
    let proxy = reqwest::Proxy::all(format!("http://{}", gate.authority())).unwrap();
    let visitor = reqwest::Client::builder().proxy(proxy).build().unwrap();
    let send = async |path: &str, body: String| {
        let request = visitor.post(format!("http://{address}{path}")).body(body);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!(send("/boats", "_method=delete&id=3".into()).await, fault::REFUSED);
    assert_eq!(send("/boats/3", "name=x".into()).await, fault::REFUSED);
    // What is longer than what is read of it arrives whole.
    let long = format!("text={}", "x".repeat(3 << 20));
    assert_eq!(send("/boats", long.clone()).await, 200);
    gate.safety().license(Licence::Reading(Rule::SavesAtOnce));
    assert_eq!(send("/flip", "on=1".into()).await, fault::REFUSED);
    gate.safety().license(Licence::Own);
    assert_eq!(send("/boats/3", "name=x".into()).await, 200);
    let rules: Vec<Rule> = gate.safety().take_refusals().iter().map(|refusal| refusal.rule).collect();
    assert_eq!(rules, [Rule::Deletes, Rule::ExistingRecord, Rule::SavesAtOnce]);
    assert!(gate.safety().take_refusals().is_empty());
    assert_eq!(asked(&site).await, ["POST /boats", "POST /boats/3"]);
    assert_eq!(site.received_requests().await.unwrap()[0].body.len(), long.len());
}
