//! Browsers behind a driver that we only know by its address, as those of other machines.

use super::*;
use crate::driver_process::DriverProcess;
use crate::install;
use crate::options::{Engine, GatePlace, Options, ProfileOptions, Protocol};
use crate::{Browser, Profile};
use domain::scope::Scope;
use domain::{Action, ElementId, Page as _};
use std::collections::BTreeMap;
use std::path::PathBuf;
use wiremock::matchers::{any, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

const WIRES: [Protocol; 2] = [Protocol::Bidi, Protocol::Classic];

#[tokio::test]
async fn a_file_is_sent_packed_with_its_name_and_its_new_place_is_told() {
    let server = MockServer::start().await;
    let placed = ResponseTemplate::new(200).set_body_json(json!({"value": "/tmp/uploads/a.csv"}));
    let asked = Mock::given(method("POST")).and(path("/wd/session/7/se/file"));
    asked.respond_with(placed).mount(&server).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.csv");
    std::fs::write(&file, "x;y").unwrap();
    let endpoint = format!("{}/wd/", server.uri()).parse().unwrap();
    let carrier = Carrier::to(&endpoint, "7", Client::new());
    assert_eq!(carrier.carry(&file.to_string_lossy()).await.unwrap(), "/tmp/uploads/a.csv");
    let sent: Value = server.received_requests().await.unwrap()[0].body_json().unwrap();
    let archive = BASE64_STANDARD.decode(sent["file"].as_str().unwrap()).unwrap();
    let mut archive = zip::ZipArchive::new(Cursor::new(archive)).unwrap();
    let mut packed = archive.by_name("a.csv").unwrap();
    assert_eq!(std::io::read_to_string(&mut packed).unwrap(), "x;y");
}

#[tokio::test]
async fn a_file_that_is_not_there_or_not_taken_is_named() {
    let server = MockServer::start().await;
    let carrier = Carrier::to(&server.uri().parse().unwrap(), "7", Client::new());
    let cause = carrier.carry("/gone/a.csv").await.unwrap_err();
    assert!(cause.starts_with("upload /gone/a.csv: "), "{cause}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.csv");
    std::fs::write(&file, "x").unwrap();
    let cause = carrier.carry(&file.to_string_lossy()).await.unwrap_err();
    assert!(cause.contains("a.csv") && cause.contains("404"), "{cause}");
}

/// A browser behind a driver's address, whose gates are advertised under this host.
async fn behind(driver: &DriverProcess, wire: Protocol, host: &str) -> Browser {
    let gate = GatePlace { advertised: Some(host.to_owned()), ..GatePlace::default() };
    let endpoint = Some(driver.url().parse().unwrap());
    let arguments = vec!["--no-sandbox".to_owned()];
    Browser::start(Options { engine: Engine::Chromium, endpoint, gate, wire, arguments, ..Options::default() })
        .await
        .unwrap()
}

async fn driver() -> DriverProcess {
    DriverProcess::start(&install::driver(&Options::default()).unwrap()).await.unwrap()
}

async fn site() -> MockServer {
    let server = MockServer::start().await;
    let html =
        "<title>here</title><input type=file onchange='document.title = this.files[0].name + this.files[0].size'>";
    let page = ResponseTemplate::new(200).set_body_raw(html, "text/html");
    Mock::given(any()).respond_with(page).mount(&server).await;
    server
}

async fn at_page(browser: &Browser, site: &MockServer, files: BTreeMap<String, PathBuf>) -> Profile {
    let scope = Scope { hosts: vec![site.address().to_string()] };
    let mut profile = browser.profile(ProfileOptions { scope, files, ..ProfileOptions::default() }).await.unwrap();
    let before = profile.observe().await.unwrap();
    profile.act(&Action::Goto { url: site.uri() }, &before).await.unwrap();
    profile
}

#[tokio::test]
async fn a_gate_that_others_reach_serves_its_browser_and_nobody_else() {
    let (driver, site) = (driver().await, site().await);
    for wire in WIRES {
        let browser = behind(&driver, wire, "127.0.0.1").await;
        let mut profile = at_page(&browser, &site, BTreeMap::new()).await;
        assert_eq!(profile.observe().await.unwrap().title, "here", "{wire:?}");
        let gate = profile.gate_for_tests();
        let (authority, strangers) = (gate.authority(), gate.admission().strangers());
        assert!(strangers.is_empty(), "{wire:?}: {strangers:?}");
        let proxy = reqwest::Proxy::all(format!("http://{authority}")).unwrap().basic_auth("rutter", "guess");
        let stranger =
            Client::builder().proxy(proxy).local_address(Some("127.0.0.7".parse().unwrap())).build().unwrap();
        let answer = stranger.get(format!("{}/stranger", site.uri())).send().await;
        assert!(!answer.is_ok_and(|answer| answer.status() != 407), "{wire:?}");
        let asked = site.received_requests().await.unwrap();
        assert!(!asked.iter().any(|asked| asked.url.path() == "/stranger"), "{wire:?}");
        assert_eq!(
            profile.gate_for_tests().admission().strangers(),
            ["127.0.0.7".parse::<IpAddr>().unwrap()],
            "{wire:?}"
        );
        profile.close().await;
        browser.stop().await;
    }
    driver.stop().await;
}

#[tokio::test]
async fn a_gate_that_the_browser_does_not_reach_is_named() {
    let driver = driver().await;
    for wire in WIRES {
        // Nothing listens there.
        let browser = behind(&driver, wire, "127.0.0.9").await;
        let Err(error) = browser.profile(ProfileOptions::default()).await else { panic!("{wire:?}: a profile") };
        assert_eq!(error.code(), "gate_unreached", "{wire:?}: {error}");
        assert!(error.to_string().contains("127.0.0.9:"), "{error}");
        browser.stop().await;
    }
    driver.stop().await;
}

#[tokio::test]
async fn a_file_goes_to_the_machine_of_the_browser() {
    let (driver, site) = (driver().await, site().await);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.txt");
    std::fs::write(&file, "four").unwrap();
    for wire in WIRES {
        let browser = behind(&driver, wire, "127.0.0.1").await;
        let mut profile = at_page(&browser, &site, [("notes".to_owned(), file.clone())].into()).await;
        let before = profile.observe().await.unwrap();
        let field = before.nodes.iter().position(|node| node.allows(domain::action::ActionKind::Upload)).unwrap();
        let files = vec!["${file:notes}".to_owned()];
        let upload = Action::Upload { element: ElementId(field as u32), files };
        let acted = profile.act(&upload, &before).await.unwrap();
        assert_eq!(acted.observation.title, "notes.txt4", "{wire:?}: {:?}", acted.effect);
        profile.close().await;
        browser.stop().await;
    }
    driver.stop().await;
}
