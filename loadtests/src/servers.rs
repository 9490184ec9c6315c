//! The servers of this machine (`deploy/local/servers.sh`), for as long as something is measured with them.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Servers in a directory of their own. Dropping it stops them and removes the directory; so does the end of this process,
/// however it comes.
pub struct Servers {
    directory: TempDir,
}

impl Servers {
    /// Starts servers by their names and waits until they answer. `arguments` are those of `servers.sh up`.
    ///
    /// # Errors
    /// What the script says on standard error, of which only the status is repeated.
    pub fn start(arguments: &[&str]) -> Result<Servers> {
        let directory = tempfile::Builder::new().prefix("rutter-servers-").tempdir();
        // From here on they are stopped whatever happens.
        let servers = Servers { directory: directory.context("make a directory for the servers")? };
        let own = std::process::id().to_string();
        servers.run(&[&["up", "--until", &own], arguments].concat(), &[])?;
        Ok(servers)
    }

    /// Starts further ones, which are given these variables of the environment.
    ///
    /// # Errors
    /// As [`Servers::start`].
    pub fn up(&self, names: &[&str], variables: &[(&str, String)]) -> Result<()> {
        self.run(&[&["up"], names].concat(), variables)
    }

    /// Asks servers to end, and waits until they have.
    ///
    /// # Errors
    /// As [`Servers::start`].
    pub fn stop(&self, names: &[&str]) -> Result<()> {
        self.run(&[&["stop"], names].concat(), &[])
    }

    /// Where they live.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// What stands in a file of the directory, e.g. `rutter-crawler/pid`.
    ///
    /// # Errors
    /// Names the file that cannot be read.
    pub fn read(&self, file: &str) -> Result<String> {
        let path = self.directory().join(file);
        let text = std::fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
        Ok(text.trim().to_owned())
    }

    /// The process that a server is.
    ///
    /// # Errors
    /// Names the file that cannot be read.
    pub fn process(&self, server: &str) -> Result<u32> {
        self.read(&format!("{server}/pid"))?.parse().with_context(|| format!("read the process id of {server}"))
    }

    /// A value of what the script prints by `env`, e.g. of `RUTTER_TEST_GRID`.
    ///
    /// # Errors
    /// Names the value that is not there.
    pub fn variable(&self, name: &str) -> Result<String> {
        let found =
            self.read("env")?.lines().find_map(|line| Some(line.strip_prefix(name)?.strip_prefix('=')?.to_owned()));
        found.with_context(|| format!("the servers do not say {name}"))
    }

    fn run(&self, command: &[&str], variables: &[(&str, String)]) -> Result<()> {
        let script = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/local/servers.sh"));
        let status = Command::new(&script)
            .args(&command[..1])
            .arg("--dir")
            .arg(self.directory())
            .args(&command[1..])
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()
            .with_context(|| format!("run {}", script.display()))?;
        if !status.success() {
            bail!("{} {}: {status}", script.display(), command.join(" "));
        }
        Ok(())
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        if let Err(error) = self.run(&["clean"], &[]) {
            eprintln!("stop the servers: {error:#}");
        }
    }
}
