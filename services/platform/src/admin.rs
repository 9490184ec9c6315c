//! Serves operators and probes over plain HTTP: `/metrics`, `/health/live`, `/health/ready`.
//!
//! It reveals no secret and changes nothing; even so it listens beyond loopback only if allowed explicitly.

use crate::health::Health;
use crate::listeners::{self, OwnPort};
use crate::metrics::{Metric, Metrics, Unit};
use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Whether work may be sent here.
pub const READY: Metric = Metric {
    name: "rutter_ready",
    unit: Unit::Count,
    help: "1 when every part of the process can do its work, else 0",
    labels: &[],
};

/// Options of the operators' endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdminOptions {
    /// Where it listens, e.g. `127.0.0.1:7411`.
    pub bind: SocketAddr,
    /// Allows an address beyond loopback, for probes and scrapers of other machines.
    #[serde(default)]
    pub allow_open: bool,
}

/// Why the endpoint cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Anybody could ask.
    #[error(
        "listen on {0} for operators: that is not loopback; set `allow_open = true` where the network itself is closed"
    )]
    Open(SocketAddr),
    /// The address cannot be listened on, or serving failed.
    #[error("listen on {address} for operators: {cause}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The cause.
        cause: std::io::Error,
    },
}

/// A bound listener that does not answer yet.
#[derive(Debug)]
pub struct Admin {
    listener: TcpListener,
    address: SocketAddr,
    _own: OwnPort,
}

impl Admin {
    /// Takes the address.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn bind(options: &AdminOptions) -> Result<Self, Error> {
        if !options.bind.ip().is_loopback() && !options.allow_open {
            return Err(Error::Open(options.bind));
        }
        let failed = |cause| Error::Listen { address: options.bind, cause };
        let listener = TcpListener::bind(options.bind).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address, _own: listeners::claim(address.port()) })
    }

    /// Where it listens; with the port that the machine chose where 0 was asked for.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until the process ends.
    ///
    /// # Errors
    /// [`Error::Listen`].
    pub async fn serve(self, health: Health, metrics: Metrics, shutdown: CancellationToken) -> Result<(), Error> {
        let serving =
            axum::serve(self.listener, router(health, metrics)).with_graceful_shutdown(shutdown.cancelled_owned());
        serving.await.map_err(|cause| Error::Listen { address: self.address, cause })
    }
}

fn router(health: Health, metrics: Metrics) -> Router {
    Router::new()
        .route("/metrics", get(rendered))
        .with_state((health.clone(), metrics))
        .merge(Router::new().route("/health/live", get(live)).route("/health/ready", get(ready)).with_state(health))
}

async fn rendered(State((health, metrics)): State<(Health, Metrics)>) -> impl IntoResponse {
    metrics.gauge(&READY).set(&[], f64::from(u8::from(health.standing().is_ready())));
    ([(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], metrics.render())
}

async fn live(State(health): State<Health>) -> (StatusCode, String) {
    match health.standing().dead {
        None => (StatusCode::OK, "alive\n".to_owned()),
        Some(why) => (StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n")),
    }
}

async fn ready(State(health): State<Health>) -> (StatusCode, String) {
    let standing = health.standing();
    if standing.is_ready() {
        return (StatusCode::OK, "ready\n".to_owned());
    }
    let lines = standing.dead.into_iter().chain(standing.waiting_for).map(|line| line + "\n");
    (StatusCode::SERVICE_UNAVAILABLE, lines.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spawn;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    async fn asked(address: SocketAddr, path: &str) -> String {
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("written");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("an answer");
        answer
    }

    #[tokio::test]
    async fn probes_and_scrapers_are_answered() {
        let (health, metrics, shutdown) = (Health::default(), Metrics::default(), CancellationToken::new());
        let latch = health.latch("log");
        let jobs = Metric { name: "rutter_jobs", unit: Unit::Count, help: "Jobs", labels: &[] };
        metrics.counter(&jobs).add(&[], 7.0);
        let options = AdminOptions { bind: "127.0.0.1:0".parse().expect("an address"), allow_open: false };
        let admin = Admin::bind(&options).await.expect("bound");
        let address = admin.address();
        let serving = spawn::detached("admin", admin.serve(health.clone(), metrics, shutdown.clone()));

        let answer = asked(address, "/health/ready").await;
        assert!(answer.starts_with("HTTP/1.1 503") && answer.ends_with("log: it has not begun\n"), "{answer}");
        assert!(asked(address, "/metrics").await.contains("rutter_ready{} 0.0"));
        latch.set();
        assert!(asked(address, "/metrics").await.contains("rutter_ready{} 1.0"));
        assert!(asked(address, "/health/ready").await.starts_with("HTTP/1.1 200"));
        assert!(asked(address, "/health/live").await.starts_with("HTTP/1.1 200"));
        health.die("no way on");
        assert!(asked(address, "/health/live").await.starts_with("HTTP/1.1 503"));
        assert!(asked(address, "/metrics").await.contains("rutter_jobs_total{} 7.0"));
        shutdown.cancel();
        assert!(serving.await.expect("no panic").is_ok());
    }

    #[tokio::test]
    async fn beyond_loopback_it_listens_only_where_that_is_allowed() {
        let bind = "0.0.0.0:0".parse().expect("an address");
        let error = Admin::bind(&AdminOptions { bind, allow_open: false }).await.expect_err("refused");
        assert!(error.to_string().contains("allow_open"), "{error}");
    }
}
