//! A simulated Selenium Grid: one process that speaks WebDriver, the part of WebDriver BiDi that `browser` uses, and the Grid's
//! own status, for thousands of sessions at once. Its browsers know the wizards ([`crate::wizard`]) and nothing else.
//!
//! What is real: the protocol, the size of the answers, and every page load, which goes through the proxy of its user context
//! to the site. What is not: no page is rendered and no script is run, so a command costs next to nothing.

mod api;
mod commands;
mod events;
mod fetch;
mod nature;
mod nodes;
mod script;
mod session;
mod tab;

pub use nature::{Failures, Latencies, Latency, Nature, Work};

use nature::Dice;
use nodes::Nodes;
use parking_lot::{Mutex, MutexGuard};
use platform::spawn;
use serde::{Deserialize, Serialize};
use session::Session;
use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tab::Book;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use url::Url;

/// What is simulated.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Nodes.
    pub nodes: u32,
    /// Sessions that each node holds at once.
    pub sessions: u32,
    /// From which all times and failures follow.
    pub seed: u64,
    /// Times and failures.
    pub nature: Nature,
    /// How long a request for a session waits for a free slot before it is refused.
    pub patience: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            nodes: 1,
            sessions: 1000,
            seed: 1,
            nature: Nature::default(),
            patience: Duration::from_secs(5),
        }
    }
}

/// What happened so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// Sessions started.
    pub sessions_started: u64,
    /// Sessions there are.
    pub sessions: u64,
    /// Requests for a session that were refused.
    pub sessions_refused: u64,
    /// User contexts made.
    pub contexts: u64,
    /// Commands over BiDi.
    pub commands: u64,
    /// Pages requested.
    pub page_loads: u64,
    /// Sessions that were lost on purpose, nodes that died included.
    pub sessions_lost: u64,
    /// Pages that crashed on purpose.
    pub pages_crashed: u64,
}

impl Figures {
    /// What happened after earlier figures were taken; sessions are those that there are.
    pub fn since(&self, before: &Figures) -> Figures {
        Figures {
            sessions_started: self.sessions_started - before.sessions_started,
            sessions: self.sessions,
            sessions_refused: self.sessions_refused - before.sessions_refused,
            contexts: self.contexts - before.contexts,
            commands: self.commands - before.commands,
            page_loads: self.page_loads - before.page_loads,
            sessions_lost: self.sessions_lost - before.sessions_lost,
            pages_crashed: self.pages_crashed - before.pages_crashed,
        }
    }
}

/// A running Grid. Dropping it ends it and every session.
pub struct Grid {
    url: Url,
    shared: Arc<GridState>,
    task: AbortHandle,
}

/// What all requests and sessions share.
struct GridState {
    options: Options,
    address: SocketAddr,
    /// Of requests for sessions.
    dice: Mutex<Dice>,
    nodes: Mutex<Nodes>,
    /// A slot became free.
    freed: Notify,
    /// Requests that wait for a slot.
    waiting: AtomicU64,
    sessions: Mutex<HashMap<String, Arc<Session>>>,
    book: Book,
    picture: String,
    counted: Counted,
}

#[derive(Default)]
struct Counted {
    sessions_started: AtomicU64,
    sessions_refused: AtomicU64,
    contexts: AtomicU64,
    commands: AtomicU64,
    page_loads: AtomicU64,
    sessions_lost: AtomicU64,
    pages_crashed: AtomicU64,
}

/// Adds one.
fn count(counter: &AtomicU64) -> u64 {
    counter.fetch_add(1, Ordering::Relaxed)
}

impl Grid {
    /// Starts it.
    ///
    /// # Errors
    /// When it cannot listen.
    pub async fn start(options: Options) -> io::Result<Grid> {
        let listener = TcpListener::bind(options.listen).await?;
        let address = listener.local_addr()?;
        let url = Url::parse(&format!("http://{address}/")).map_err(io::Error::other)?;
        let shared = Arc::new(GridState {
            options,
            address,
            dice: Mutex::new(Dice::new(options.nature, options.seed, u64::MAX)),
            nodes: Mutex::new(Nodes::new(options.nodes, options.sessions)),
            freed: Notify::new(),
            waiting: AtomicU64::new(0),
            sessions: Mutex::default(),
            book: Book::default(),
            picture: script::picture().map_err(io::Error::other)?,
            counted: Counted::default(),
        });
        let task = spawn::detached("grid", api::serve(listener, shared.clone())).abort_handle();
        Ok(Grid { url, shared, task })
    }

    /// Its address, as clients take it.
    pub fn url(&self) -> Url {
        self.url.clone()
    }

    /// What happened so far.
    pub fn figures(&self) -> Figures {
        self.shared.figures()
    }

    /// Kills a node, by its number from 0: its sessions are lost and it takes no others. Answers how many were lost.
    pub fn kill_node(&self, node: u32) -> usize {
        self.shared.kill_node(node)
    }
}

impl Drop for Grid {
    fn drop(&mut self) {
        self.task.abort();
        let sessions: Vec<_> = self.shared.sessions().drain().collect();
        for (_, session) in sessions {
            session.end();
        }
    }
}

impl GridState {
    fn sessions(&self) -> MutexGuard<'_, HashMap<String, Arc<Session>>> {
        self.sessions.lock()
    }

    fn nodes(&self) -> MutexGuard<'_, Nodes> {
        self.nodes.lock()
    }

    fn session(&self, id: &str) -> Option<Arc<Session>> {
        self.sessions().get(id).cloned()
    }

    /// Ends a session and frees its slot; false when there was none.
    fn end(&self, id: &str) -> bool {
        let Some(session) = self.sessions().remove(id) else { return false };
        session.end();
        self.nodes().leave(session.node);
        self.freed.notify_one();
        true
    }

    fn kill_node(&self, node: u32) -> usize {
        self.nodes().kill(node);
        let lost: Vec<String> =
            self.sessions().values().filter(|session| session.node == node).map(|session| session.id.clone()).collect();
        for id in &lost {
            count(&self.counted.sessions_lost);
            self.end(id);
        }
        lost.len()
    }

    fn figures(&self) -> Figures {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let counted = &self.counted;
        Figures {
            sessions_started: of(&counted.sessions_started),
            sessions: self.sessions().len() as u64,
            sessions_refused: of(&counted.sessions_refused),
            contexts: of(&counted.contexts),
            commands: of(&counted.commands),
            page_loads: of(&counted.page_loads),
            sessions_lost: of(&counted.sessions_lost),
            pages_crashed: of(&counted.pages_crashed),
        }
    }
}
