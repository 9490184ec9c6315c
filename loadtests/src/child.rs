//! Programs of this room that are started by another one of it: they stand beside it, say what they have to say in their
//! first line of output, and end with it.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use tokio::io::{AsyncReadExt as _, stdin};

/// A running program. Dropping it closes its standard input, with which it ends, and waits for that.
pub struct Child {
    process: std::process::Child,
    /// What its first line said.
    pub said: Value,
}

impl Child {
    /// Starts a program that stands beside this one, and waits for its first line.
    ///
    /// # Errors
    /// When it cannot be started, or ends without a line of JSON.
    pub fn start(name: &str, arguments: &[String]) -> Result<Child> {
        let program = std::env::current_exe().context("find this program")?.with_file_name(name);
        let started = Command::new(&program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("start {}", program.display()))?;
        let mut child = Child { process: started, said: Value::Null };
        let output = child.process.stdout.take().context("no output")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).with_context(|| format!("read what {name} says"))?;
        ensure!(!line.is_empty(), "{name} ended without a word");
        child.said = serde_json::from_str(&line).with_context(|| format!("read what {name} says: {line}"))?;
        Ok(child)
    }

    /// Its process id.
    pub fn process(&self) -> u32 {
        self.process.id()
    }

    /// A text of what it said.
    ///
    /// # Errors
    /// Names what is missing.
    pub fn text(&self, name: &str) -> Result<String> {
        self.said[name].as_str().map(str::to_owned).with_context(|| format!("{name} is missing in {}", self.said))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        if let Err(error) = self.process.wait() {
            eprintln!("wait for a program to end: {error}");
        }
    }
}

/// Waits, in a program that was started so, until whoever started it wants no more of it or is gone.
pub async fn dismissed() {
    let mut nothing = [0; 64];
    let mut input = stdin();
    while input.read(&mut nothing).await.is_ok_and(|read| read > 0) {}
}
