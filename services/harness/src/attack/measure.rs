//! Lets the program loose on the hostile site, in every combination, and counts what arrived at the canary.

use super::canary::{Canary, Hits};
use super::control::Control;
use super::hosts::Hosts;
use super::page::{self, Room};
use super::site::{self, Progress, Site};
use super::ways::{ALL, Kind, Target, Way, named, scheme};
use super::{listener, place, ports, raw, stand_in};
use crate::program;
use anyhow::{Context, Result};
use platform::spawn;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::process::Command;
use tokio_util::task::AbortOnDropHandle;

/// Hosts of the scope beside the site's own.
const SCOPE: [&str; 2] = ["shop.test", "*.shop.test"];
/// A scope that holds everything of this machine, in which the program's own ports are refused all the same.
const WIDE: [&str; 7] =
    ["127.0.0.1:*", "localhost:*", "0.0.0.0:*", "127.0.0.2:*", "[::1]:*", "[::ffff:7f00:1]:*", "*.shop.test:*"];
/// The floor of pages that are visited through a proxy as well, which looks names up by itself.
const BEHIND: &str = "behind-";
/// How long stragglers are waited for.
const AFTER: Duration = Duration::from_secs(2);
/// Gates of one run that raw requests are sent to.
const GATES: usize = 4;

/// What is measured.
pub struct Attack {
    /// The program.
    pub rutter: PathBuf,
    /// A driver and a browser.
    pub driver: PathBuf,
    /// The browser.
    pub browser: PathBuf,
    /// Seconds of an exploration.
    pub budget: u64,
    /// Which ways.
    pub wanted: fn(&Way) -> bool,
    /// Which combinations of mode, wire and encryption.
    pub combinations: Vec<(&'static str, &'static str, bool)>,
}

/// All combinations.
pub fn every_combination() -> Vec<(&'static str, &'static str, bool)> {
    let mut all = Vec::new();
    for encrypted in [false, true] {
        for wire in ["bidi", "classic"] {
            all.extend([("run", wire, encrypted), ("explore", wire, encrypted)]);
        }
    }
    all
}

/// What is needed while it goes on.
pub(super) struct Stage {
    folder: PathBuf,
    rooms: Vec<Room>,
    pub(super) progress: Arc<Progress>,
    pub(super) hits: Arc<Hits>,
    hosts: Hosts,
    driver: PathBuf,
    browser: PathBuf,
    /// The port of a proxy that passes everything on.
    proxy: u16,
    _proxy: AbortOnDropHandle<()>,
    _site: Site,
    _canary: Canary,
}

/// What came of one run.
pub(super) struct Outcome {
    pub(super) label: Value,
    pub(super) run: usize,
    pub(super) tried: BTreeSet<usize>,
    pub(super) driver_hits: Vec<String>,
    pub(super) others: Vec<String>,
}

impl Attack {
    /// Measures, within a place of its own; answers what attack.json says.
    ///
    /// # Errors
    /// The place cannot be set up, or a program does not start.
    pub async fn measure(&self, folder: &Path) -> Result<Value> {
        let stage = self.stage(folder).await?;
        let schemes: BTreeSet<bool> = self.combinations.iter().map(|(_, _, encrypted)| *encrypted).collect();
        let (mut controls, mut outcomes) = (Vec::new(), Vec::new());
        let mut run = 0;
        for encrypted in schemes {
            let target = Target { encrypted, run };
            eprintln!("control over {}: a browser with nothing before it", scheme(encrypted));
            controls.push(self.control(&stage, target).await?);
            run += 1;
        }
        for (number, (mode, wire, encrypted)) in self.combinations.iter().enumerate() {
            let target = Target { encrypted: *encrypted, run };
            let outcome = self.combination(&stage, mode, wire, target).await?;
            eprintln!(
                "{} of {}: {mode} over {wire}, {}: {} ways tried, {} hits, {} of the driver",
                number + 1,
                self.combinations.len(),
                scheme(*encrypted),
                outcome.tried.len(),
                self.wanted().map(|way| stage.hits.of(run, way.number)).sum::<u64>() + outcome.others.len() as u64,
                outcome.driver_hits.len(),
            );
            outcomes.push(outcome);
            run += 1;
        }
        Ok(self.result(&stage, &controls, &outcomes))
    }

    pub(super) fn wanted(&self) -> impl Iterator<Item = &'static Way> {
        ALL.iter().filter(|way| (self.wanted)(way))
    }

    async fn stage(&self, folder: &Path) -> Result<Stage> {
        let hosts = place::set_up(folder).context("set up a network of its own")?;
        let names = ["127.0.0.1", "203.0.113.10", "203.0.113.66", "shop.test", "*.shop.test", "localhost"];
        let acceptor = listener::acceptor(&names).context("make a certificate")?;
        let (progress, hits) = (Arc::<Progress>::default(), Arc::<Hits>::default());
        let mut rooms = page::rooms("", self.wanted);
        let wanted = self.wanted;
        let upper = page::rooms(BEHIND, move |way| {
            wanted(way) && way.name.starts_with("a name ") && !way.name.contains("moves")
        });
        rooms.extend(upper);
        let (proxy, _proxy) = raw::credulous().await.context("open a proxy")?;
        let office = self.wanted().filter(|way| way.kind == Kind::Port).collect();
        let ports_folder = folder.join("ports");
        std::fs::create_dir_all(&ports_folder)?;
        let addresses: Vec<&str> = place::CANARIES.iter().copied().chain(["[::1]"]).collect();
        let _canary = Canary::start(&addresses, &acceptor, &hits).await.context("open the canary")?;
        let _site = Site::start(rooms.clone(), office, &acceptor, &progress, &hits, &hosts, ports_folder.clone());
        let _site = _site.context("open the site")?;
        ports::ours_until_now();
        let driver = stand_in::write("driver", &self.driver, &ports_folder)?;
        let browser = stand_in::write("browser", &self.browser, &ports_folder)?;
        Ok(Stage {
            folder: folder.to_owned(),
            rooms,
            progress,
            hits,
            hosts,
            driver,
            browser,
            proxy,
            _proxy,
            _site,
            _canary,
        })
    }

    async fn control(&self, stage: &Stage, target: Target) -> Result<Outcome> {
        stage.begin(target, true)?;
        let before = stand_in::hits(&stage.folder.join("ports")).len();
        let folder = stage.folder.join(format!("control-{}", target.run));
        std::fs::create_dir_all(&folder)?;
        let control = Control {
            driver: &stage.driver,
            browser: &stage.browser,
            folder: &folder,
            rooms: &stage.rooms,
            progress: &stage.progress,
        };
        control.run(target).await?;
        Ok(stage.outcome(json!({"mode": "control", "scheme": scheme(target.encrypted)}), target, before).await)
    }

    async fn combination(&self, stage: &Stage, mode: &str, wire: &str, target: Target) -> Result<Outcome> {
        stage.begin(target, false)?;
        let before = stand_in::hits(&stage.folder.join("ports")).len();
        let folder = stage.folder.join(format!("run-{}", target.run));
        std::fs::create_dir_all(&folder)?;
        match mode {
            "run" => self.run(stage, &folder, wire, target).await?,
            _ => self.explore(stage, &folder, wire, target).await?,
        }
        let label = json!({"mode": mode, "wire": wire, "scheme": scheme(target.encrypted)});
        Ok(stage.outcome(label, target, before).await)
    }

    /// Tasks whose steps go to every page and press every control.
    async fn run(&self, stage: &Stage, folder: &Path, wire: &str, target: Target) -> Result<()> {
        let (start, raw) = (start(target), self.raw(stage, target));
        let mut tasks: Vec<Value> = stage.rooms.iter().flat_map(|room| tasks(room, &start)).collect();
        let done = json!({"text": {"contains": "Finished"}});
        if self.wanted().any(|way| way.name == "reset") {
            tasks.push(json!({"id": "reset", "site": "reset", "start_url": format!("{start}/x"),
                "instruction": "Click \"Done\".", "check": done, "limits": {"steps": 1, "seconds": 5}}));
        }
        let site = |hosts: &[&str]| json!({"scope": {"hosts": hosts}, "accept_self_signed_certificates": true});
        let mut reset = site(&SCOPE);
        reset["reset"] = json!({"post": format!("{start}/reset")});
        let mut behind = site(&SCOPE);
        behind["proxy"] = json!(format!("http://127.0.0.1:{}", stage.proxy));
        let file = json!({"sites": {"house": site(&SCOPE), "behind": behind, "reset": reset}, "tasks": tasks});
        std::fs::write(folder.join("tasks.yaml"), file.to_string())?;
        let limit = Duration::from_secs(60 + 12 * tasks.len() as u64);
        self.start(stage, folder, wire, limit, &["run", "tasks.yaml", "--planner", "ground", "--workers", "2"]).await?;
        drop(raw);
        if self.wanted().any(|way| way.kind == Kind::Port) {
            let task = json!({"sites": {"office": site(&WIDE)}, "tasks": (0..3).map(|number| json!({
                "id": format!("office-{number}"), "site": "office", "start_url": format!("{start}/office"),
                "instruction": "Click \"Done\".", "check": done, "limits": {"steps": 3, "seconds": 60}})).collect::<Vec<_>>()});
            std::fs::write(folder.join("office.yaml"), task.to_string())?;
            // Browsers start and end while a page looks for their ports.
            let arguments = ["run", "office.yaml", "--planner", "ground", "--workers", "2", "--tasks-per-browser", "1"];
            self.start(stage, folder, wire, Duration::from_secs(100), &arguments).await?;
        }
        if self.wanted().any(|way| way.name == "model") {
            let model = format!("{start}/v1");
            let task = json!({"sites": {"house": site(&SCOPE)}, "tasks": [{"id": "model", "site": "house",
                "start_url": format!("{start}/x"), "instruction": "Click \"Done\".", "check": done,
                "limits": {"steps": 1, "seconds": 8}}]});
            std::fs::write(folder.join("model.yaml"), task.to_string())?;
            let arguments = ["run", "model.yaml", "--planner", "hxagent", "--model", "m", "--model-url", &model];
            self.start(stage, folder, wire, Duration::from_secs(60), &arguments).await?;
        }
        Ok(())
    }

    /// Sends raw requests to gates as they open, until it is dropped.
    fn raw(&self, stage: &Stage, target: Target) -> Option<AbortOnDropHandle<()>> {
        let (progress, folder) = (stage.progress.clone(), stage.folder.join("ports"));
        let is_wanted = self.wanted().any(|way| way.kind == Kind::Raw);
        is_wanted.then(|| spawn::owned("raw requests", keep_sending(folder, progress, target)))
    }

    /// Explorations of the whole house, and of its office.
    async fn explore(&self, stage: &Stage, folder: &Path, wire: &str, target: Target) -> Result<()> {
        let start = start(target);
        let explore = async |url: &str, scope: &[&str], further: &[&str], budget: u64| {
            let budget_word = format!("{budget}s");
            let mut arguments =
                vec!["explore", url, "--budget", &budget_word, "--workers", "2", "--accept-self-signed-certificates"];
            arguments.extend(scope.iter().flat_map(|host| ["--scope", host]));
            arguments.extend(further);
            self.start(stage, folder, wire, Duration::from_secs(budget + 60), &arguments).await
        };
        let raw = self.raw(stage, target);
        explore(&format!("{start}/"), &SCOPE, &[], self.budget).await?;
        drop(raw);
        if self.wanted().any(|way| way.kind == Kind::Port) {
            // To where robots.txt leads is within this scope.
            explore(&format!("{start}/office"), &WIDE, &["--ignore-robots"], 20).await?;
        }
        Ok(())
    }

    /// Runs the program to its end. What it finds is not asked, only what it let through.
    async fn start(&self, stage: &Stage, folder: &Path, wire: &str, limit: Duration, arguments: &[&str]) -> Result<()> {
        let log = std::fs::File::options().append(true).create(true).open(folder.join("log"))?;
        let mut command = Command::new(&self.rutter);
        command.current_dir(folder).args(arguments).args(["--wire", wire, "--output", "json"]).envs(program::places());
        command.arg("--driver").arg(&stage.driver).arg("--browser").arg(&stage.browser);
        command.env("RUTTER_LOG", "info").stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).kill_on_drop(true);
        let mut child = command.spawn().with_context(|| format!("start {}", self.rutter.display()))?;
        match tokio::time::timeout(limit, child.wait()).await {
            Ok(status) => drop(status?),
            Err(_) => {
                eprintln!("`rutter {}` did not end within {} s and is killed", arguments[0], limit.as_secs());
                child.kill().await?;
            }
        }
        Ok(())
    }
}

impl Stage {
    fn begin(&self, target: Target, is_control: bool) -> Result<()> {
        self.hosts.begin(target, is_control).context("write the names")?;
        self.progress.begin(target);
        self.hits.begin(target.run);
        Ok(())
    }

    async fn outcome(&self, label: Value, target: Target, driver_hits_before: usize) -> Outcome {
        tokio::time::sleep(AFTER).await;
        let mut driver_hits = stand_in::hits(&self.folder.join("ports"));
        let driver_hits = driver_hits.split_off(driver_hits_before.min(driver_hits.len()));
        let (tried, others) = (self.progress.tried(target.run), self.hits.others(target.run));
        Outcome { label, run: target.run, tried, driver_hits, others }
    }
}

fn start(target: Target) -> String {
    format!("{}://{}", scheme(target.encrypted), site::ADDRESSES[0])
}

/// The tasks that go to a page and press what is there: one for each control, since a task ends where it is led out of the scope.
fn tasks(room: &Room, start: &str) -> Vec<Value> {
    let task = |name: String, instruction: String, seconds: u64| {
        let site = if room.path.contains(BEHIND) { "behind" } else { "house" };
        json!({"id": name.replace('/', "-"), "site": site, "start_url": format!("{start}{}", room.path), "instruction": instruction,
            "check": {"text": {"contains": "Finished"}}, "limits": {"steps": 3, "seconds": seconds}})
    };
    let name = room.path.trim_start_matches('/');
    match room.pressed {
        true => {
            let one =
                |way: &&'static Way| task(format!("{name}-{}", way.id()), format!("Click \"{}\".", way.key()), 30);
            room.ways.iter().map(one).collect()
        }
        false => {
            let seconds = if room.path.starts_with("/room") { 40 } else { 8 };
            vec![task(name.to_owned(), "Click \"Done\".".to_owned(), seconds)]
        }
    }
}

/// Sends raw requests to the gates of a run as they open.
async fn keep_sending(folder: PathBuf, progress: Arc<Progress>, target: Target) {
    let mut sent = BTreeSet::new();
    loop {
        tokio::time::sleep(Duration::from_millis(500)).await;
        for port in ports::of_gates(&folder) {
            if sent.len() < GATES && sent.insert(port) {
                for way in raw::send(port, target).await {
                    progress.try_now(way);
                }
            }
        }
    }
}

/// A dozen ways, one of each kind, for a short look.
pub fn is_of_the_short_version(way: &Way) -> bool {
    [
        "another port, a frame",
        "metadata of a cloud",
        "a name of the scope, a private place",
        "location.href",
        "window.open",
        "picture",
        "beacon",
        "socket",
        "worker",
        "redirect 302",
        "button of a posted form",
        "a name that moves, asked",
        "a name that moves to a public place",
        "port of a driver, asked",
        "gate: absolute address",
        "robots",
    ]
    .contains(&named(way.name).name)
}
