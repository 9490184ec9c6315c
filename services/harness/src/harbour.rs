//! Harbour, the test site of exploration: a small but nasty shop of which everything is known.
//!
//! [`truth`] declares it as data, from which it is served. It listens at four loopback origins: the shop; a second
//! origin (third-party frames and scripts, within the scope); one that nobody may request; and an unlinked control port
//! that reports the counters.
//!
//! ```no_run
//! # async fn example() -> std::io::Result<()> {
//! use harness::harbour::{Harbour, Options};
//! let harbour = Harbour::start(Options::default()).await?;
//! let _ = (harbour.url("/"), harbour.scope());
//! assert_eq!(harbour.counters().harm(), 0);
//! # Ok(()) }
//! ```

pub mod compared;
mod counters;
pub mod exploring;
mod pages;
pub mod score;
pub mod truth;
pub mod walk;
pub mod ways;

pub use counters::Counters;
pub use pages::{ACCOUNTS, Account};

use axum::extract::State;
use axum::routing::{get, post};
use axum::{Json, Router};
use pages::answer;
use pages::world::{Origins, World};
use platform::spawn;
use serde_json::{Value, json};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use truth::{Role, Truth, changes};

/// Which site it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// The first.
    #[default]
    One,
    /// The second: things moved, were renamed, added, removed and broken.
    Two,
}

/// How it is started.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the shop listens; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Which site it is.
    pub version: Version,
    /// How long every document takes.
    pub delay: Duration,
    /// The seed of everything random.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            version: Version::One,
            delay: Duration::ZERO,
            seed: 7,
        }
    }
}

/// A site that answers until it is dropped.
pub struct Harbour {
    world: Arc<World>,
    address: SocketAddr,
    control: SocketAddr,
    tasks: Vec<JoinHandle<()>>,
}

impl Harbour {
    /// Starts the site.
    ///
    /// # Errors
    /// When a port cannot be listened on.
    pub async fn start(options: Options) -> std::io::Result<Harbour> {
        let shop = TcpListener::bind(options.listen).await?;
        let [widgets, offsite, control] = [free().await?, free().await?, free().await?];
        let origins = Origins {
            // Another name of the same machine, which makes it another site to the browser.
            widgets: format!("http://localhost:{}", widgets.local_addr()?.port()),
            offsite: format!("http://{}", offsite.local_addr()?),
        };
        let (address, control_address) = (shop.local_addr()?, control.local_addr()?);
        let world = Arc::new(World::new(Truth::of(options.version), origins, options.seed, options.delay));
        let controls = Router::new()
            .route("/counters", get(|State(world): State<Arc<World>>| async move { Json(world.counters().clone()) }))
            .route(
                "/reset",
                post(|State(world): State<Arc<World>>| async move { *world.counters() = Counters::default() }),
            )
            .route("/changes.json", get(async || Json(changes(&Truth::of(Version::One), &Truth::of(Version::Two)))))
            .route("/truth.json", get(|State(world): State<Arc<World>>| async move { Json(told(&world.truth)) }));
        let routers = [
            (shop, Router::new().fallback(answer::shop)),
            (widgets, Router::new().fallback(answer::widgets)),
            (offsite, Router::new().fallback(answer::offsite)),
            (control, controls),
        ];
        let serve = |(listener, router): (TcpListener, Router<Arc<World>>)| {
            let router = router.with_state(world.clone());
            spawn::detached("harbour", async move {
                let _ = axum::serve(listener, router).await;
            })
        };
        let tasks = routers.into_iter().map(serve).collect();
        Ok(Harbour { world, address, control: control_address, tasks })
    }

    /// The absolute address of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Where the counters are read.
    pub fn control(&self) -> String {
        format!("http://{}", self.control)
    }

    /// The hosts that belong to the site, with their ports.
    pub fn scope(&self) -> Vec<String> {
        let widgets = self.world.origins.widgets.trim_start_matches("http://").to_owned();
        vec![self.address.to_string(), widgets]
    }

    /// What is true of it.
    pub fn truth(&self) -> &Truth {
        &self.world.truth
    }

    /// What it counted.
    pub fn counters(&self) -> Counters {
        self.world.counters().clone()
    }

    /// What an explorer needs to know.
    pub fn card(&self) -> Value {
        json!({ "url": self.url("/"), "control": self.control(), "scope": self.scope(), "accounts": ACCOUNTS })
    }
}

impl Drop for Harbour {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

async fn free() -> std::io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await
}

/// The truth as JSON.
fn told(truth: &Truth) -> Value {
    let reachable = |role: Role| truth.reachable(role).into_iter().map(|state| state.id.as_str()).collect::<Vec<_>>();
    json!({
        "states": truth.states,
        "transitions": truth.transitions,
        "forbidden": truth.forbidden,
        "faults": truth.faults,
        "instances": truth.instances,
        "reachable": {
            "guest": reachable(Role::Guest),
            "customer": reachable(Role::Customer),
            "admin": reachable(Role::Admin),
        },
    })
}
