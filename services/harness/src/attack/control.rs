//! What a browser does with the ways when nothing stands before it: a way that leads nowhere then proves nothing later.

use super::page::Room;
use super::site::Progress;
use super::ways::{ALL, Kind, Target, Way, scheme};
use super::{raw, site};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// How long a page may take to try its ways.
const PAGE: Duration = Duration::from_secs(12);
/// How long a page is looked at that does not say when it is done.
const MOMENT: Duration = Duration::from_millis(1_300);
const PRESSED: Duration = Duration::from_millis(600);

/// A bare session of a driver.
struct Bare {
    client: reqwest::Client,
    session: String,
    _driver: Child,
}

impl Bare {
    async fn start(driver: &Path, browser: &Path, folder: &Path) -> Result<Bare> {
        let mut command = Command::new(driver);
        // What it downloads goes there as well.
        command.current_dir(folder);
        command.arg("--port=0").env("TMPDIR", folder).stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut driver = command.spawn().context("start the driver")?;
        let mut lines = BufReader::new(driver.stdout.take().context("the driver's output")?).lines();
        let port = loop {
            let line = lines.next_line().await?.context("the driver did not say its port")?;
            if let Some(rest) = line.split("started successfully on port ").nth(1) {
                break rest.trim_end_matches('.').to_owned();
            }
        };
        platform::spawn::detached(
            "words of the driver",
            async move { while let Ok(Some(_)) = lines.next_line().await {} },
        );
        let client = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(60)).build()?;
        let profile = folder.join("bare");
        let arguments = [
            "--no-sandbox".to_owned(),
            "--no-first-run".to_owned(),
            "--ignore-certificate-errors".to_owned(),
            "--disable-background-networking".to_owned(),
            format!("--user-data-dir={}", profile.display()),
        ];
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome-headless-shell", "acceptInsecureCerts": true, "unhandledPromptBehavior": "accept",
            "timeouts": {"pageLoad": 10_000},
            "goog:chromeOptions": {"binary": browser, "args": arguments},
        }}});
        let address = format!("http://127.0.0.1:{port}/session");
        let made: Value = client.post(&address).json(&wanted).send().await?.json().await?;
        let id = made["value"]["sessionId"].as_str().with_context(|| format!("no session: {made}"))?;
        Ok(Bare { client, session: format!("{address}/{id}"), _driver: driver })
    }

    async fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let said: Value = self.client.post(format!("{}{path}", self.session)).json(body).send().await?.json().await?;
        if let Some(error) = said["value"]["error"].as_str() {
            bail!("{path}: {error}");
        }
        Ok(said["value"].clone())
    }

    /// Presses the control of a way, in the page or in its first frame.
    async fn press(&self, way: &Way) -> Result<()> {
        let own = format!("[data-way={}]", way.id());
        let controls = ["a", "button", "input", "summary"];
        let selector: Vec<String> =
            controls.iter().flat_map(|control| [format!("{own} {control}"), format!("{control}{own}")]).collect();
        let wanted = json!({"using": "css selector", "value": selector.join(", ")});
        let found = match self.post("/element", &wanted).await {
            Ok(found) => found,
            Err(_) => {
                self.post("/frame", &json!({"id": 0})).await?;
                self.post("/element", &wanted).await?
            }
        };
        let id = found.as_object().and_then(|found| found.values().next()).and_then(Value::as_str).unwrap_or_default();
        self.post(&format!("/element/{id}/click"), &json!({})).await.map(|_| ())
    }

    /// Closes all windows but the first.
    async fn tidy(&self) -> Result<()> {
        let said: Value = self.client.get(format!("{}/window/handles", self.session)).send().await?.json().await?;
        let handles = said["value"].as_array().cloned().unwrap_or_default();
        for handle in handles.iter().skip(1) {
            self.post("/window", &json!({"handle": handle})).await?;
            self.client.delete(format!("{}/window", self.session)).send().await?;
        }
        self.post("/window", &json!({"handle": handles.first()})).await.map(|_| ())
    }
}

/// What the control needs.
pub struct Control<'a> {
    /// The driver, or its stand-in.
    pub driver: &'a Path,
    /// The browser, or its stand-in.
    pub browser: &'a Path,
    /// A folder for its profile.
    pub folder: &'a Path,
    /// The pages.
    pub rooms: &'a [Room],
    /// What the site saw.
    pub progress: &'a Arc<Progress>,
}

impl Control<'_> {
    /// Goes to every page and presses every control; lets clients follow what they are led to, and a credulous proxy pass on what it
    /// is told.
    ///
    /// # Errors
    /// No browser is to be had.
    pub async fn run(&self, target: Target) -> Result<()> {
        let bare = Bare::start(self.driver, self.browser, self.folder).await.context("start a bare browser")?;
        let start = format!("{}://{}", scheme(target.encrypted), site::ADDRESSES[0]);
        for room in self.rooms {
            if let Err(error) = self.look_at(&bare, &start, room).await {
                eprintln!("control: {}: {error}", room.path);
            }
            bare.tidy().await.context("close windows")?;
        }
        let _ = bare.post("/url", &json!({"url": format!("{start}/office")})).await;
        self.wait("/office").await;
        let follows = reqwest::Client::builder().no_proxy().tls_danger_accept_invalid_certs(true).build()?;
        let _ = follows.get(format!("{start}/robots.txt")).send().await;
        let _ = follows.post(format!("{start}/reset")).send().await;
        let _ = follows.post(format!("{start}/v1/chat/completions")).send().await;
        let (port, _proxy) = raw::credulous().await.context("open a credulous proxy")?;
        for way in raw::send(port, target).await {
            self.progress.try_now(way);
        }
        let _ = bare.client.delete(&bare.session).send().await;
        Ok(())
    }

    async fn look_at(&self, bare: &Bare, start: &str, room: &Room) -> Result<()> {
        let url = json!({"url": format!("{start}{}", room.path)});
        if !room.pressed {
            bare.post("/url", &url).await?;
            match room.path.starts_with("/answer") {
                true => tokio::time::sleep(MOMENT).await,
                false => self.wait(&room.path).await,
            }
            return Ok(());
        }
        for way in &room.ways {
            bare.tidy().await?;
            bare.post("/url", &url).await?;
            if let Err(error) = bare.press(way).await {
                eprintln!("control: {} cannot be pressed: {error}", way.name);
            }
            tokio::time::sleep(PRESSED).await;
        }
        Ok(())
    }

    async fn wait(&self, path: &str) {
        let done = async {
            while !self.progress.is_done(path) {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            tokio::time::sleep(Duration::from_millis(300)).await;
        };
        let _ = tokio::time::timeout(PAGE, done).await;
    }
}

/// The ways that have no page: they are tried by other means.
pub fn has_no_page(way: &Way) -> bool {
    ALL[way.number].kind == Kind::Raw || way.kind == Kind::Client
}
