//! How Harbour is explored by the program that people use, for what measures it.

use super::truth::{Role, Truth};
use super::{ACCOUNTS, Harbour};
use crate::harbour::score::observations;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::process::Command;

/// What is explored, and how long.
#[derive(Clone, Debug)]
pub struct Exploring {
    /// The program.
    pub rutter: PathBuf,
    /// Who explores.
    pub role: Role,
    /// How long, as `rutter explore` takes it.
    pub budget: String,
    /// Browsers at the same time.
    pub workers: u32,
    /// The strategy.
    pub strategy: String,
}

/// Where an exploration runs.
#[derive(Clone, Debug)]
pub enum Place {
    /// In one process of this machine, which counts what JavaScript runs.
    Here,
    /// In a running cluster that these settings name.
    Cluster(PathBuf),
}

/// The role of a name.
pub fn role(name: &str) -> Option<Role> {
    match name {
        "guest" => Some(Role::Guest),
        "customer" => Some(Role::Customer),
        "admin" => Some(Role::Admin),
        _ => None,
    }
}

fn name_of(role: Role) -> &'static str {
    match role {
        Role::Guest => "guest",
        Role::Customer => "customer",
        Role::Admin => "admin",
    }
}

impl Exploring {
    /// Explores Harbour into a run directory, with every observation kept; answers what the program prints.
    ///
    /// # Errors
    /// It cannot be started, ends with a failure, or prints something else than results.
    pub async fn explore(&self, harbour: &Harbour, run: &Path) -> io::Result<Value> {
        self.explored(&["--keep-observations".as_ref()], harbour, run).await
    }

    /// Explores Harbour on this machine or in a cluster, and leaves it in a directory; answers what the program prints.
    ///
    /// # Errors
    /// As [`Exploring::explore`].
    pub async fn explore_at(&self, place: &Place, harbour: &Harbour, run: &Path) -> io::Result<Value> {
        match place {
            Place::Here => self.explored(&["--js-coverage".as_ref()], harbour, run).await,
            Place::Cluster(config) => {
                let name =
                    format!("columns-{}", harbour.url("/").rsplit(':').next().unwrap_or_default().replace('/', ""));
                let options =
                    ["--js-coverage", "--submit", "--watch", "--site", &name, "--campaign", &name, "--config"];
                let mut options: Vec<&OsStr> = options.iter().map(OsStr::new).collect();
                options.push(config.as_os_str());
                self.explored(&options, harbour, run).await
            }
        }
    }

    async fn explored(&self, options: &[&OsStr], harbour: &Harbour, run: &Path) -> io::Result<Value> {
        let folder = tempfile::tempdir()?;
        let mut command = Command::new(&self.rutter);
        command.args(["explore", &harbour.url("/"), "--free", "--budget", &self.budget, "--strategy", &self.strategy]);
        command.args(["--workers", &self.workers.to_string(), "--output", "json"]).args(options);
        command.arg("--run-dir").arg(run);
        for host in harbour.scope() {
            command.args(["--scope", &host]);
        }
        if let Some(account) = ACCOUNTS.iter().find(|account| account.role == self.role) {
            let recipe = folder.path().join("login.yaml");
            let text = format!(
                "role: {}\nurl: /sign-in\nfill:\n  User name: {}\n  Password: {{secret: {{env: HARBOUR_PASSWORD}}}}\n\
                 submit: Sign in\nlogged_in: {{not: {{element: {{role: link, name: {{equals: Sign in}}}}}}}}\n",
                name_of(self.role),
                account.user
            );
            std::fs::write(&recipe, text)?;
            command.arg("--login").arg(&recipe);
        }
        let (_, told) = self.told(command, &[0]).await?;
        Ok(told)
    }

    /// Runs a command of the program that prints JSON, with the password that its log-in asks for; answers its exit code too.
    ///
    /// # Errors
    /// It cannot be started, ends with none of these codes, or prints no JSON.
    pub async fn told(&self, mut command: Command, codes: &[i32]) -> io::Result<(i32, Value)> {
        if let Some(account) = ACCOUNTS.iter().find(|account| account.role == self.role) {
            command.env("HARBOUR_PASSWORD", account.password);
        }
        command.kill_on_drop(true).stdin(Stdio::null()).stdout(Stdio::piped());
        let output = command.spawn()?.wait_with_output().await?;
        match output.status.code().filter(|code| codes.contains(code)) {
            Some(code) => Ok((code, serde_json::from_slice(&output.stdout)?)),
            None => Err(io::Error::other(format!("{} ended with {}", self.rutter.display(), output.status))),
        }
    }
}

/// The true state behind each found one: the one that most of its observations show.
///
/// # Errors
/// The run kept no observations, or they cannot be read.
pub fn true_states(truth: &Truth, run: &Path) -> io::Result<BTreeMap<u64, String>> {
    let mut shown: BTreeMap<u64, BTreeMap<String, usize>> = BTreeMap::new();
    for line in observations(&run.join("observations.jsonl.zst"))? {
        let (found, observation) = line?;
        if let Some(state) = truth.recognise(&observation) {
            *shown.entry(found).or_default().entry(state.id.clone()).or_default() += 1;
        }
    }
    let most = |(found, ids): (u64, BTreeMap<String, usize>)| {
        Some((found, ids.into_iter().max_by_key(|(_, count)| *count)?.0))
    };
    Ok(shown.into_iter().filter_map(most).collect())
}
