//! Runs the driver process so that neither it nor any browser outlives us: not after success, an error, Ctrl-C or `kill
//! -9`.
//!
//! A killed process cannot clean up, so a small shell guards the driver: it holds the read end of a pipe whose only
//! write end is ours (see `driver_process.sh`). It kills only processes of its own session, never by name.

use crate::error::Error;
use crate::leftovers;
use platform::listeners;
use platform::spawn;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::timeout;

/// Deadline for the driver to print its port.
const START: Duration = Duration::from_secs(30);
const TRIES: u32 = 5;
/// Deadline for the guarding shell to clean up.
const END: Duration = Duration::from_secs(10);

/// A driver with its guarding shell. Dropping it ends the driver and its browsers a moment later.
pub(crate) struct DriverProcess {
    shell: Child,
    lifeline: Option<ChildStdin>,
    port: u16,
    directory: std::path::PathBuf,
}

impl DriverProcess {
    /// Starts a driver on a free loopback port. Retries, since another process may take the port first.
    ///
    /// # Errors
    /// [`Error::DriverFailed`] when it does not come up.
    pub(crate) async fn start(driver: &Path) -> Result<DriverProcess, Error> {
        leftovers::sweep_once();
        let mut last = DriverProcess::start_once(driver).await;
        for _ in 1..TRIES {
            match &last {
                Err(Error::DriverFailed { cause, .. }) if cause.contains("port not available") => {
                    last = DriverProcess::start_once(driver).await;
                }
                _ => break,
            }
        }
        last
    }

    async fn start_once(driver: &Path) -> Result<DriverProcess, Error> {
        let failed = |cause: String| Error::DriverFailed { driver: driver.display().to_string(), cause };
        let directory = tempfile::Builder::new()
            .prefix(leftovers::PREFIX)
            .tempdir()
            .map_err(|error| failed(format!("make a profile directory: {error}")))?
            .keep();
        // Ours before the driver listens there, so that at no time a page reaches it.
        let own = listeners::reserve().map_err(|error| failed(format!("find a free port: {error}")))?;
        let mut shell = Command::new("setsid")
            .args(["/bin/sh", "-c", include_str!("driver_process.sh"), "rutter-guard"])
            .arg(&directory)
            .arg(driver)
            .arg(format!("--port={}", own.number()))
            .arg("--log-level=WARNING")
            .env("TMPDIR", &directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| failed(format!("start `setsid`: {error}")))?;
        let guard = shell.id().unwrap_or_default();
        leftovers::note(&directory, guard).map_err(|error| failed(format!("write into its directory: {error}")))?;
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
        let driver_process = DriverProcess { shell, lifeline, port: own.number(), directory };
        if port != Some(own.number()) {
            driver_process.stop().await;
            let cause = match port {
                Some(other) => format!("it opened port {other} instead of {}", own.number()),
                None => format!("it did not say its port: {said}"),
            };
            return Err(failed(cause));
        }
        // Drains the driver's output so that it never blocks on a full pipe. The output ends with the driver, and until then the
        // port is ours.
        spawn::detached("words of the driver", async move {
            while let Ok(Some(_)) = lines.next_line().await {}
            drop(own);
        });
        Ok(driver_process)
    }

    /// Address of the driver.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
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
