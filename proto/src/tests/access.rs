//! Who may call: tokens and certificates, as callers of services meet them.

use super::scripted::Mind;
use crate::client;
use crate::server::Services;
use crate::v1::planner_service_client::PlannerServiceClient;
use domain::campaign::PlannerRef;
use domain::service::{Code, ServiceError};
use domain::{Choice, Decision, DecisionRequest, EpisodeId, JobId, Observation, Usage};
use platform::Health;
use platform::rpc::{ClientOptions, ClientTls, MAX_MESSAGE_BYTES, Server, ServerOptions, ServerTls, TokenRef, connect};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use serde_json::Value;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;
use tokio_util::sync::{CancellationToken, DropGuard};

fn file(folder: &Path, name: &str, content: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path
}

async fn planner(options: ServerOptions) -> (SocketAddr, DropGuard) {
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let answer = Decision {
        choice: Choice::NeedScreenshot,
        reason: String::new(),
        confidence: 1.0,
        level: domain::decision::Level::Ground,
        usage: Usage::default(),
        incidents: Vec::new(),
        memory: Value::Null,
    };
    let mind = Arc::new(Mind { asked: Mutex::default(), answer, after: Duration::ZERO, traces: Mutex::default() });
    let server = Server::bind(&options).await.unwrap();
    let (address, shutdown) = (server.address(), CancellationToken::new());
    let routes = Services::new(MAX_MESSAGE_BYTES).planner(mind).routes().unwrap();
    platform::spawn::detached("served", server.serve(routes, Health::default(), shutdown.clone()));
    (address, shutdown.drop_guard())
}

async fn decided(options: ClientOptions) -> Result<Decision, ServiceError> {
    let request = DecisionRequest {
        episode: EpisodeId(uuid::Uuid::nil()),
        job: JobId::new("a"),
        instruction: "Click.".to_owned(),
        observation: Arc::new(Observation::default()),
        history: Default::default(),
        memory: Value::Null,
        screenshot: None,
        steps_left: 1,
        seed: 0,
        refusal: None,
        position: None,
        context: Default::default(),
    };
    let connection = connect(&options).unwrap();
    client::planner(&[connection], Duration::from_secs(20)).decide(&PlannerRef::named("ground"), request).await
}

#[tokio::test]
async fn a_call_without_the_token_is_refused_with_what_to_do() {
    let folder = TempDir::new().unwrap();
    let token = |name: &str, content: &str| Some(TokenRef::File(file(folder.path(), name, content)));
    let bind = "127.0.0.1:0".parse().unwrap();
    let (address, _end) = planner(ServerOptions { token: token("right", "s3cret\n"), ..ServerOptions::at(bind) }).await;
    let to = ClientOptions::to(format!("http://{address}"));
    assert!(decided(ClientOptions { token: token("right", "s3cret"), ..to.clone() }).await.is_ok());
    for shown in [None, token("wrong", "s3cre7")] {
        let error = decided(ClientOptions { token: shown, ..to.clone() }).await.unwrap_err();
        assert_eq!(error.code, Code::Unauthenticated);
        assert!(error.message.contains("set `token` of this client"), "{}", error.message);
        assert!(!error.message.contains("s3cre"), "{}", error.message);
    }
}

#[tokio::test]
async fn on_loopback_a_server_without_a_token_asks_for_the_one_of_its_user() {
    let bind = "127.0.0.1:0".parse().unwrap();
    let (address, _end) = planner(ServerOptions::at(bind)).await;
    let to = ClientOptions::to(format!("http://{address}"));
    assert!(decided(to.clone()).await.is_ok(), "a program of the same user");
    let folder = TempDir::new().unwrap();
    let of_another_port = file(folder.path(), "token", &platform::rpc::local_token(1).unwrap());
    let error = decided(ClientOptions { token: Some(TokenRef::File(of_another_port)), ..to }).await.unwrap_err();
    assert_eq!(error.code, Code::Unauthenticated);
    // Somebody else's program, which has no token.
    let mut stranger = PlannerServiceClient::connect(format!("http://{address}")).await.unwrap();
    let refused = stranger.decide(crate::v1::DecideRequest::default()).await.unwrap_err();
    assert_eq!(refused.code(), tonic::Code::Unauthenticated);
    let (open, _end) = planner(ServerOptions { allow_open: true, ..ServerOptions::at(bind) }).await;
    let mut stranger = PlannerServiceClient::connect(format!("http://{open}")).await.unwrap();
    assert_ne!(
        stranger.decide(crate::v1::DecideRequest::default()).await.unwrap_err().code(),
        tonic::Code::Unauthenticated
    );
}

#[tokio::test]
async fn a_wrong_certificate_is_refused_with_its_code() {
    let folder = TempDir::new().unwrap();
    let authority = |name: &str| {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let signed = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
        (
            file(folder.path(), &format!("{name}-authority"), &issuer.pem()),
            file(folder.path(), &format!("{name}-certificate"), &signed.pem()),
            file(folder.path(), &format!("{name}-key"), &key.serialize_pem()),
        )
    };
    let (ours, theirs) = (authority("ours"), authority("theirs"));
    let tls = ServerTls { certificate: ours.1.clone(), key: ours.2.clone(), client_authority: Some(ours.0.clone()) };
    let bind = "127.0.0.1:0".parse().unwrap();
    let (address, _end) = planner(ServerOptions { tls: Some(tls), ..ServerOptions::at(bind) }).await;
    let to = |trusted: &PathBuf, own: Option<&(PathBuf, PathBuf, PathBuf)>| ClientOptions {
        tls: Some(ClientTls {
            authority: Some(trusted.clone()),
            certificate: own.map(|own| own.1.clone()),
            key: own.map(|own| own.2.clone()),
            server_name: None,
        }),
        ..ClientOptions::to(format!("https://{address}"))
    };
    decided(to(&ours.0, Some(&ours))).await.unwrap();
    for wrong in [to(&ours.0, None), to(&ours.0, Some(&theirs)), to(&theirs.0, Some(&ours))] {
        let error = decided(wrong).await.unwrap_err();
        assert_eq!(error.code, Code::Unauthenticated, "{}", error.message);
    }
}
