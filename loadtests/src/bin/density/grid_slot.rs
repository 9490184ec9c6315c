//! A Selenium Grid with one slot, for as long as it is measured.

use anyhow::{Context, Result};
use loadtests::servers::Servers;
use url::Url;

/// A running Grid. Dropping it ends it.
pub(crate) struct GridSlot {
    /// Its hub.
    pub(crate) url: Url,
    /// Process id of its node, which leads a session with all that it starts.
    pub(crate) node: u32,
    _servers: Servers,
}

impl GridSlot {
    /// Starts a hub and a node with one session.
    pub(crate) fn start() -> Result<GridSlot> {
        eprintln!("starting a Grid with one slot");
        let servers = Servers::start(&["--nodes", "1", "--sessions", "1", "grid"])?;
        let url = Url::parse(&servers.variable("RUTTER_TEST_GRID")?).context("the Grid's address")?;
        Ok(GridSlot { url, node: servers.process("grid-node-1")?, _servers: servers })
    }
}
