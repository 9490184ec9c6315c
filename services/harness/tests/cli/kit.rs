//! Starts the binary and finds what it started.

use harness::site::Site;
use parking_lot::Mutex;
use procfs::process::{Process, all_processes};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// The environment variable by which a test knows the processes that descend from its own.
const MARK: &str = "RUTTER_TEST_MARK";

/// A working directory and a mark of its own for everything that is started in it.
pub(crate) struct Bench {
    folder: TempDir,
    mark: String,
    /// Sessions that marked processes were seen in. A browser's helpers overwrite their environment; their session stays.
    sessions: Mutex<BTreeSet<i32>>,
}

impl Bench {
    pub(crate) fn new() -> Bench {
        let folder = tempfile::tempdir().expect("a directory");
        let mark = folder.path().display().to_string();
        Bench { folder, mark, sessions: Mutex::default() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).expect("written");
        path
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = harness::program::command(arguments);
        command.current_dir(self.folder.path()).env(MARK, &self.mark);
        command
    }

    /// Runs the binary to its end.
    pub(crate) async fn run(&self, arguments: &[&str]) -> Said {
        self.run_with(arguments, &[]).await
    }

    /// Runs the binary to its end, with variables of the environment.
    pub(crate) async fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Said {
        let mut command = self.command(arguments);
        command.envs(variables.iter().copied());
        let output =
            tokio::task::spawn_blocking(move || command.output()).await.expect("joined").expect("the binary starts");
        Said::of(&output)
    }

    /// Starts the binary and leaves it running.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary starts")
    }

    /// The processes that carry this bench's mark, or share a session with one that did: number and command line.
    pub(crate) fn processes(&self) -> Vec<(u32, String)> {
        let mut sessions = self.sessions.lock();
        let own = session(&Process::myself().expect("/proc"));
        let mut found = Vec::new();
        for process in all_processes().expect("/proc").flatten() {
            let environment = process.environ().unwrap_or_default();
            let marked = environment.get(OsStr::new(MARK)).is_some_and(|mark| mark == self.mark.as_str());
            let within = session(&process).filter(|session| Some(*session) != own);
            if marked {
                sessions.extend(within);
            }
            if marked || within.is_some_and(|session| sessions.contains(&session)) {
                let number = process.pid.try_into().expect("a process's number");
                found.push((number, process.cmdline().unwrap_or_default().join(" ")));
            }
        }
        found
    }

    /// Waits until nothing that was started is left.
    pub(crate) async fn assert_nothing_is_left(&self) {
        for _ in 0..100 {
            if self.processes().is_empty() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("still there after 10 s: {:#?}", self.processes());
    }

    /// Waits until a browser is running.
    pub(crate) async fn wait_for_browser(&self) {
        let is_browser = |line: &str| line.contains("--remote-debugging");
        for _ in 0..600 {
            if self.processes().iter().any(|(_, line)| is_browser(line)) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("no browser came up within 30 s: {:#?}", self.processes());
    }

    /// How many jobs of a run have ended, as far as its elapsed time is kept.
    pub(crate) async fn wait_for_first_outcome(&self, run: &str) {
        for _ in 0..600 {
            if self.path(run).join("elapsed.json").exists() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("no job ended within 30 s");
    }
}

/// The session that a living process belongs to.
fn session(process: &Process) -> Option<i32> {
    let status = process.stat().ok()?;
    (status.state != 'Z').then_some(status.session)
}

/// What the binary said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Said {
    fn of(output: &Output) -> Said {
        Said {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    #[track_caller]
    pub(crate) fn exits(&self, code: i32) -> &Said {
        assert_eq!(self.code, code, "{}\n{}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub(crate) fn says(&self, part: &str) -> &Said {
        let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            folded(&self.stderr).contains(part) || folded(&self.stdout).contains(part),
            "`{part}` is not said: {self:#?}"
        );
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("no JSON on stdout: {error}\n{self:#?}"))
    }
}

/// A site with one button that does what it says.
pub(crate) fn shop() -> Site {
    Site::new().page(
        "/",
        "<h1>Shop</h1><button onclick=\"document.getElementById('said').textContent = 'Thank you'\">Buy</button><p id=said></p>",
    )
}

/// A task file of so many tasks on a page.
pub(crate) fn tasks(url: &str, count: usize) -> String {
    let task = |number: usize| {
        let check = json!({"text": {"contains": "Thank you"}});
        json!({"id": format!("buy-{number:02}"), "start_url": url, "instruction": "Click on the \"Buy\" button.", "check": check})
    };
    (0..count).map(|number| format!("{}\n", task(number))).collect()
}
