//! The driver process, and the promise that neither it nor any browser outlives us: not after success, not after an error,
//! not after Ctrl-C, and not after `kill -9`.
//!
//! A process that is killed cannot tidy up, so a small shell does it: it holds the read end of a pipe whose only write end is
//! ours (see `guard.sh`). Never kills by name: only processes of the shell's own session.

use crate::error::Error;
use platform::listeners::{self, OwnPort};
use platform::spawn;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::timeout;

/// How long a driver may take to say its port.
const START: Duration = Duration::from_secs(30);
const TRIES: u32 = 5;
/// How long the guard may take to clean up.
const END: Duration = Duration::from_secs(10);

/// A driver under guard. Dropping it ends the driver and its browsers, a moment later.
pub(crate) struct Guard {
    shell: Child,
    lifeline: Option<ChildStdin>,
    port: Option<OwnPort>,
    directory: std::path::PathBuf,
}

impl Guard {
    /// Starts a driver on a free port of the loopback interface. Another process may take that port before the driver does,
    /// hence a few tries.
    ///
    /// # Errors
    /// [`Error::DriverFailed`] when it does not come up.
    pub(crate) async fn start(driver: &Path) -> Result<Guard, Error> {
        let mut last = Guard::start_once(driver).await;
        for _ in 1..TRIES {
            match &last {
                Err(Error::DriverFailed { cause, .. }) if cause.contains("port not available") => {
                    last = Guard::start_once(driver).await;
                }
                _ => break,
            }
        }
        last
    }

    async fn start_once(driver: &Path) -> Result<Guard, Error> {
        let failed = |cause: String| Error::DriverFailed { driver: driver.display().to_string(), cause };
        let directory = tempfile::Builder::new()
            .prefix("rutter-browser-")
            .tempdir()
            .map_err(|error| failed(format!("make a profile directory: {error}")))?
            .keep();
        let mut shell = Command::new("setsid")
            .args(["/bin/sh", "-c", include_str!("guard.sh"), "rutter-guard"])
            .arg(&directory)
            .arg(driver)
            .args(["--port=0", "--log-level=WARNING"])
            .env("TMPDIR", &directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| failed(format!("start `setsid`: {error}")))?;
        let lifeline = shell.stdin.take();
        let stdout = shell.stdout.take().ok_or_else(|| failed("no standard output".to_owned()))?;
        let mut lines = BufReader::new(stdout).lines();
        let mut said = String::new();
        let port = timeout(START, async {
            while let Ok(Some(line)) = lines.next_line().await {
                if let Some(port) = port_in(&line) {
                    return Some(port);
                }
                said.push_str(&line);
                said.push(' ');
            }
            None
        })
        .await
        .ok()
        .flatten();
        let guard = Guard { shell, lifeline, port: port.map(listeners::claim), directory };
        if port.is_none() {
            guard.stop().await;
            return Err(failed(format!("it did not say its port: {said}")));
        }
        // The driver's later words are read and dropped, so that it never waits for room in the pipe.
        spawn::detached("words of the driver", async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Ok(guard)
    }

    /// Address of the driver.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port.as_ref().map_or(0, OwnPort::number))
    }

    /// The session of the driver and of everything it starts.
    pub(crate) fn session(&self) -> Option<u32> {
        self.shell.id()
    }

    /// A directory that is removed with the processes.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Ends every process and waits until they are gone.
    pub(crate) async fn stop(mut self) {
        drop(self.lifeline.take());
        if timeout(END, self.shell.wait()).await.is_err() {
            tracing::warn!(directory = %self.directory.display(), "browser processes did not end in time");
        }
    }
}

fn port_in(line: &str) -> Option<u16> {
    let rest = line.split("started successfully on port ").nth(1)?;
    rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_is_read_from_the_drivers_greeting() {
        assert_eq!(port_in("ChromeDriver was started successfully on port 34567."), Some(34567));
        assert_eq!(port_in("Please see https://example.org for suggestions"), None);
    }
}
