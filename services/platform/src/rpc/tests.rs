//! Behaviour of servers and connections: who may call whom, by which certificates and tokens.

use super::{ClientOptions, ClientTls, Error, Routes, Server, ServerOptions, ServerTls, TokenRef, connect};
use crate::Health;
use crate::spawn;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

/// An authority with a certificate of the name `localhost` that it signed, as files.
struct Authority {
    folder: TempDir,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
        let signed = CertificateParams::new(names).unwrap().signed_by(&key, &issuer).unwrap();
        let folder = TempDir::new().unwrap();
        for (name, pem) in [("authority", issuer.pem()), ("certificate", signed.pem()), ("key", key.serialize_pem())] {
            std::fs::write(folder.path().join(name), pem).unwrap();
        }
        Self { folder }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn server(&self, clients: Option<&Authority>) -> ServerTls {
        let client_authority = clients.map(|authority| authority.file("authority"));
        ServerTls { certificate: self.file("certificate"), key: self.file("key"), client_authority }
    }

    fn client(&self, own: Option<&Authority>) -> ClientTls {
        ClientTls {
            authority: Some(self.file("authority")),
            certificate: own.map(|own| own.file("certificate")),
            key: own.map(|own| own.file("key")),
            server_name: None,
        }
    }
}

fn anywhere() -> SocketAddr {
    "127.0.0.1:0".parse().unwrap()
}

async fn serving(options: ServerOptions) -> (SocketAddr, DropGuard) {
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let server = Server::bind(&options).await.unwrap();
    let (address, shutdown) = (server.address(), CancellationToken::new());
    spawn::detached("server", server.serve(Routes::default(), Health::default(), shutdown.clone()));
    (address, shutdown.drop_guard())
}

/// Whether the server answers; else the failure.
async fn answers(options: ClientOptions) -> Result<(), tonic::Status> {
    let mut client = HealthClient::new(connect(&options).unwrap().transport);
    let answer = client.check(HealthCheckRequest::default()).await?.into_inner();
    assert_eq!(answer.status(), ServingStatus::Serving);
    Ok(())
}

fn is_refused(answer: Result<(), tonic::Status>) -> bool {
    let status = answer.expect_err("refused");
    super::is_refused_certificate(std::error::Error::source(&status).expect("a cause"))
}

#[tokio::test]
async fn a_connection_by_tls_accepts_only_a_certificate_of_its_authority() {
    let (ours, theirs) = (Authority::new(), Authority::new());
    let (address, _end) =
        serving(ServerOptions { tls: Some(ours.server(None)), ..ServerOptions::at(anywhere()) }).await;
    let to = |tls| ClientOptions { tls: Some(tls), ..ClientOptions::to(format!("https://{address}")) };
    answers(to(ours.client(None))).await.unwrap();
    assert!(is_refused(answers(to(theirs.client(None))).await));
    let misnamed = ClientTls { server_name: Some("elsewhere.example".to_owned()), ..ours.client(None) };
    assert!(is_refused(answers(to(misnamed)).await));
    assert!(answers(ClientOptions::to(format!("http://{address}"))).await.is_err(), "plain text is not answered");
}

#[tokio::test]
async fn a_server_that_asks_for_certificates_answers_only_those_of_its_authority() {
    let (ours, theirs) = (Authority::new(), Authority::new());
    let tls = Some(ours.server(Some(&ours)));
    let (address, _end) = serving(ServerOptions { tls, ..ServerOptions::at(anywhere()) }).await;
    let to = |tls| ClientOptions { tls: Some(tls), ..ClientOptions::to(format!("https://{address}")) };
    answers(to(ours.client(Some(&ours)))).await.unwrap();
    assert!(is_refused(answers(to(ours.client(None))).await), "no certificate");
    assert!(is_refused(answers(to(ours.client(Some(&theirs)))).await), "somebody else's certificate");
}

#[tokio::test]
async fn beyond_loopback_nothing_listens_that_anybody_could_call() {
    let authority = Authority::new();
    let open = ServerOptions::at("0.0.0.0:0".parse().unwrap());
    let error = Server::bind(&open).await.expect_err("refused");
    assert!(matches!(error, Error::Open(_)), "{error}");
    assert!(error.to_string().contains("allow_open"), "{error}");
    let encrypted = ServerOptions { tls: Some(authority.server(None)), ..open.clone() };
    assert!(Server::bind(&encrypted).await.is_err(), "encryption alone does not say who calls");

    std::fs::write(authority.file("token"), "s3cret\n").unwrap();
    let token = ServerOptions { token: Some(TokenRef::File(authority.file("token"))), ..open.clone() };
    assert!(Server::bind(&token).await.is_ok());
    let mutual = ServerOptions { tls: Some(authority.server(Some(&authority))), ..open.clone() };
    assert!(Server::bind(&mutual).await.is_ok());
    assert!(Server::bind(&ServerOptions { allow_open: true, ..open }).await.is_ok());
}

#[tokio::test]
async fn projects_have_tokens_of_their_own_beside_one_for_everything() {
    let authority = Authority::new();
    let file = |name: &str, content: &str| {
        std::fs::write(authority.file(name), content).unwrap();
        TokenRef::File(authority.file(name))
    };
    let projects =
        |own: &str| BTreeMap::from([("a".to_owned(), file("a", "t0ken-a")), ("b".to_owned(), file("b", own))]);
    let beyond = ServerOptions { projects: projects("t0ken-b"), ..ServerOptions::at("0.0.0.0:0".parse().unwrap()) };
    let whole = Some(file("whole", "t0ken"));
    let mutual = Some(authority.server(Some(&authority)));
    for alone in [ServerOptions { tls: mutual, ..beyond.clone() }, ServerOptions { allow_open: true, ..beyond.clone() }]
    {
        assert!(
            matches!(Server::bind(&alone).await, Err(Error::ProjectsAlone(_))),
            "who shows none would reach everything"
        );
    }
    assert!(Server::bind(&ServerOptions { token: whole.clone(), ..beyond.clone() }).await.is_ok());
    assert!(Server::bind(&ServerOptions { bind: anywhere(), ..beyond.clone() }).await.is_ok(), "this user's token");
    for own in ["t0ken", "t0ken-a"] {
        let same = ServerOptions { token: whole.clone(), projects: projects(own), ..beyond.clone() };
        assert!(matches!(Server::bind(&same).await, Err(Error::SameToken(project)) if project == "b"), "{own}");
    }
}

#[tokio::test]
async fn beyond_loopback_no_call_goes_out_in_plain_text_without_a_token() {
    let refused = |options: &ClientOptions| connect(options).err().map(|error| error.to_string());
    let open = ClientOptions::to("http://queue.example:7401");
    assert!(refused(&open).is_some_and(|cause| cause.contains("allow_open")));
    assert_eq!(refused(&ClientOptions { allow_open: true, ..open }), None);
    for near in ["http://127.0.0.1:7401", "http://localhost:7401", "http://[::1]:7401"] {
        assert_eq!(refused(&ClientOptions::to(near)), None, "{near}");
    }
    for nowhere in ["queue", "ftp://127.0.0.1", "127.0.0.1:7401"] {
        let cause = refused(&ClientOptions::to(nowhere)).expect("refused");
        assert!(cause.contains(&format!("`{nowhere}`")) && cause.contains("http://127.0.0.1:7401"), "{cause}");
    }
}

#[tokio::test]
async fn files_and_tokens_that_cannot_be_used_are_named_at_the_start() {
    let authority = Authority::new();
    let missing = ServerTls { key: authority.file("nokey"), ..authority.server(None) };
    let error = Server::bind(&ServerOptions { tls: Some(missing), ..ServerOptions::at(anywhere()) }).await;
    let error = error.expect_err("no such file").to_string();
    assert!(error.starts_with("read the server's private key `") && error.contains("nokey"), "{error}");

    for (content, cause) in [("", "it is empty"), ("a b", "other than visible ASCII")] {
        std::fs::write(authority.file("token"), content).unwrap();
        let token = Some(TokenRef::File(authority.file("token")));
        let error = connect(&ClientOptions { token, ..ClientOptions::to("http://127.0.0.1:1") }).err();
        let error = error.expect("no token").to_string();
        assert!(error.contains(cause), "{error}");
    }
    let token = Some(TokenRef::Env("RUTTER_TEST_NO_SUCH_TOKEN".to_owned()));
    let error = Server::bind(&ServerOptions { token, ..ServerOptions::at(anywhere()) }).await.expect_err("no token");
    assert!(error.to_string().contains("`RUTTER_TEST_NO_SUCH_TOKEN`"), "{error}");
}

#[tokio::test]
async fn a_server_that_is_asked_to_end_does_not_wait_longer_than_its_time_for_calls_under_way() {
    let options = ServerOptions { drain_seconds: 1, ..ServerOptions::at(anywhere()) };
    let server = Server::bind(&options).await.unwrap();
    let (address, shutdown) = (server.address(), CancellationToken::new());
    let served = spawn::detached("server", server.serve(Routes::default(), Health::default(), shutdown.clone()));
    let mut client = HealthClient::new(connect(&ClientOptions::to(format!("http://{address}"))).unwrap().transport);
    let mut watching = client.watch(HealthCheckRequest::default()).await.unwrap().into_inner();
    assert!(watching.message().await.unwrap().is_some());
    shutdown.cancel();
    let ended = tokio::time::timeout(Duration::from_secs(10), served).await;
    assert!(ended.expect("it ends although somebody watches").unwrap().is_ok());
}

#[tokio::test]
async fn health_follows_the_latches_of_the_process() {
    let server = Server::bind(&ServerOptions::at(anywhere())).await.unwrap();
    let (address, shutdown, health) = (server.address(), CancellationToken::new(), Health::default());
    let latch = health.latch("log");
    spawn::detached("server", server.serve(Routes::default(), health, shutdown.clone()));
    let mut client = HealthClient::new(connect(&ClientOptions::to(format!("http://{address}"))).unwrap().transport);
    let mut watching = client.watch(HealthCheckRequest::default()).await.unwrap().into_inner();
    assert_eq!(watching.message().await.unwrap().unwrap().status(), ServingStatus::NotServing);
    latch.set();
    assert_eq!(watching.message().await.unwrap().unwrap().status(), ServingStatus::Serving);
    shutdown.cancel();
}

#[tokio::test]
async fn a_certificate_that_was_replaced_is_shown_without_a_restart() {
    let (ours, others) = (Authority::new(), Authority::new());
    let options = ServerOptions { tls: Some(ours.server(None)), ..ServerOptions::at(anywhere()) };
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let mut server = Server::bind(&options).await.unwrap();
    server.look = Duration::from_millis(20);
    let (address, shutdown) = (server.address(), CancellationToken::new());
    spawn::detached("server", server.serve(Routes::default(), Health::default(), shutdown.clone()));
    let to = |tls| ClientOptions { tls: Some(tls), ..ClientOptions::to(format!("https://{address}")) };
    answers(to(ours.client(None))).await.unwrap();
    std::fs::write(ours.file("certificate"), "half a file").unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    answers(to(ours.client(None))).await.expect("what cannot be read leaves what was read before");
    for name in ["certificate", "key"] {
        std::fs::copy(others.file(name), ours.file(name)).unwrap();
    }
    let mut tries = 0;
    while answers(to(others.client(None))).await.is_err() {
        tries += 1;
        assert!(tries < 200, "the new certificate is not shown");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    shutdown.cancel();
}

#[tokio::test]
async fn a_connection_shows_the_certificate_that_its_files_hold_now() {
    let (ours, theirs) = (Authority::new(), Authority::new());
    let tls = Some(ours.server(Some(&ours)));
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let server = Server::bind(&ServerOptions { tls, ..ServerOptions::at(anywhere()) }).await.unwrap();
    let (address, shutdown, health) = (server.address(), CancellationToken::new(), Health::default());
    let latch = health.latch("log");
    spawn::detached("server", server.serve(Routes::default(), health, shutdown.clone()));

    let replace = |by: &Authority| {
        for name in ["certificate", "key"] {
            std::fs::copy(by.file(name), theirs.file(name)).unwrap();
        }
    };
    let options =
        ClientOptions { tls: Some(ours.client(Some(&theirs))), ..ClientOptions::to(format!("https://{address}")) };
    let connection = super::client::connect_looking(&options, Duration::ZERO).unwrap();
    let patience = Duration::from_secs(5);
    connection.is_serving(patience).await.expect_err("somebody else's certificate");
    replace(&ours);
    assert!(!connection.is_serving(patience).await.unwrap(), "the same connection shows another certificate");

    let mut client = HealthClient::new(connection.transport.clone());
    let mut watching = client.watch(HealthCheckRequest::default()).await.unwrap().into_inner();
    assert_eq!(watching.message().await.unwrap().unwrap().status(), ServingStatus::NotServing);
    std::fs::write(theirs.file("certificate"), "half a file").unwrap();
    connection.is_serving(patience).await.expect("what cannot be used leaves what was read before");
    replace(&Authority::new());
    connection.is_serving(patience).await.expect_err("a certificate that nobody knows");
    latch.set();
    let told = watching.message().await.expect("a call that is under way goes on").unwrap();
    assert_eq!(told.status(), ServingStatus::Serving);
    shutdown.cancel();
}
