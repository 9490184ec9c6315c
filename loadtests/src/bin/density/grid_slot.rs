//! A Selenium Grid with one slot, for as long as it is measured.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;
use url::Url;

/// A running Grid. Dropping it ends it.
pub(crate) struct GridSlot {
    /// Its hub.
    pub(crate) url: Url,
    /// Process id of its node, which leads a session with all that it starts.
    pub(crate) node: u32,
    directory: TempDir,
}

impl GridSlot {
    /// Starts a hub and a node with one session.
    pub(crate) fn start() -> Result<GridSlot> {
        eprintln!("starting a Grid with one slot");
        let directory = tempfile::Builder::new().prefix("rutter-density-").tempdir().context("make a directory")?;
        let started = servers(&["up", "--nodes", "1", "--sessions", "1"], directory.path(), Some("grid"));
        // From here on it is stopped whatever happens.
        let mut slot = GridSlot { url: Url::parse("http://127.0.0.1/")?, node: 0, directory };
        started?;
        let environment = read(&slot.directory.path().join("env"))?;
        let hub = environment.lines().find_map(|line| line.strip_prefix("RUTTER_TEST_GRID="));
        slot.url = Url::parse(hub.context("the Grid does not say where it is")?)?;
        slot.node =
            read(&slot.directory.path().join("grid-node-1/pid"))?.trim().parse().context("read the node's id")?;
        Ok(slot)
    }
}

impl Drop for GridSlot {
    fn drop(&mut self) {
        if let Err(error) = servers(&["clean"], self.directory.path(), None) {
            eprintln!("density: stop the Grid: {error:#}");
        }
    }
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("read {}", path.display()))
}

fn servers(command: &[&str], directory: &Path, server: Option<&str>) -> Result<()> {
    let script = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/local/servers.sh"));
    let status = Command::new(&script)
        .args(command)
        .arg("--dir")
        .arg(directory)
        .args(server)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .with_context(|| format!("run {}", script.display()))?;
    if !status.success() {
        bail!("{} {}: {status}", script.display(), command.join(" "));
    }
    Ok(())
}
