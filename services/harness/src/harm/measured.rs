//! How an exploration by the program that people use treats the controls of the site.

use super::controls::Role;
use super::server::HarmSite;
use serde::Serialize;
use serde_json::Value;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::process::Command;

/// What is explored with.
#[derive(Clone, Debug)]
pub struct Exploring {
    /// The program.
    pub rutter: PathBuf,
    /// How long, as `rutter explore` takes it.
    pub budget: String,
    /// Browsers at the same time.
    pub workers: u32,
    /// Further arguments.
    pub more: Vec<String>,
}

/// What an exploration did to the controls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Measured {
    /// Controls that do harm.
    pub controls: usize,
    /// Requests of these that arrived.
    pub harm: u64,
    /// Controls that only look like it.
    pub look_alikes: usize,
    /// Those of them that were pressed.
    pub pressed: usize,
    /// Controls that create something, and were pressed.
    pub made: usize,
    /// The controls that did harm.
    pub harmed: Vec<String>,
    /// The harmless ones that were not pressed, each with its page.
    pub left: Vec<String>,
    /// Requests other than GET that no control sends.
    pub unknown: Vec<String>,
}

/// What was done to a site so far.
pub fn measure(site: &HarmSite) -> Measured {
    let counts = site.counts();
    let of = |role| site.controls().iter().filter(move |control| control.role == role);
    let is_pressed = |id: &String| counts.by_control.contains_key(id);
    let left = of(Role::Same).filter(|control| !is_pressed(&control.id));
    let (harm, _) = counts.of(site.controls(), Role::Harm);
    let (_, pressed) = counts.of(site.controls(), Role::Same);
    let (_, made) = counts.of(site.controls(), Role::Make);
    Measured {
        controls: of(Role::Harm).count(),
        harm,
        look_alikes: of(Role::Same).count(),
        pressed,
        made,
        harmed: of(Role::Harm).filter(|control| is_pressed(&control.id)).map(|control| control.id.clone()).collect(),
        left: left.map(|control| format!("{} at {}", control.id, control.page)).collect(),
        unknown: counts.unknown,
    }
}

impl Measured {
    /// Whether nothing was harmed, and nine in ten of the harmless controls were pressed.
    pub fn is_good(&self) -> bool {
        self.harm == 0 && self.pressed * 10 >= self.look_alikes * 9
    }
}

impl Exploring {
    /// Explores a site into a run directory; answers what the program prints.
    ///
    /// # Errors
    /// It cannot be started, ends with a failure, or prints something else than results.
    pub async fn explore(&self, site: &HarmSite, run: &Path) -> io::Result<Value> {
        let mut command = Command::new(&self.rutter);
        command.args(["explore", &site.url("/"), "--budget", &self.budget, "--workers", &self.workers.to_string()]);
        command.args(["--output", "json", "--screenshots", "none"]).arg("--run-dir").arg(run).args(&self.more);
        command.kill_on_drop(true).stdin(Stdio::null()).stdout(Stdio::piped());
        let output = command.spawn()?.wait_with_output().await?;
        if !output.status.success() {
            return Err(io::Error::other(format!("{} ended with {}", self.rutter.display(), output.status)));
        }
        Ok(serde_json::from_slice(&output.stdout)?)
    }
}
