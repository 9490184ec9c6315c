//! Addresses of the servers for tests. `make test` starts each for the tests that have its name in theirs
//! (`.config/nextest.toml`); a test whose server is missing fails by name.

use sqlx::AssertSqlSafe;
use sqlx::postgres::{PgPool, PgPoolOptions};

/// A server that tests need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Server {
    /// A Kafka broker: `HOST:PORT`.
    Kafka,
    /// Redis: `redis://…`.
    Redis,
    /// PostgreSQL: `postgres://…`, a superuser on the database `postgres`. Tests create databases of their own.
    Postgres,
    /// An object store that speaks S3: `http://…`.
    S3,
    /// A Selenium Grid: `http://…`.
    Grid,
}

impl Server {
    /// The environment variable that says where it is.
    pub fn variable(self) -> &'static str {
        match self {
            Server::Kafka => "RUTTER_TEST_KAFKA",
            Server::Redis => "RUTTER_TEST_REDIS",
            Server::Postgres => "RUTTER_TEST_POSTGRES",
            Server::S3 => "RUTTER_TEST_S3",
            Server::Grid => "RUTTER_TEST_GRID",
        }
    }
}

/// Where a server is.
///
/// # Panics
/// When nobody said so, with what to do about it.
pub fn server(server: Server) -> String {
    let variable = server.variable();
    std::env::var(variable).unwrap_or_else(|_| {
        panic!(
            "{variable} is not set: run the tests by `make test`, or start the servers by `deploy/local/servers.sh up` \
             and load what `deploy/local/servers.sh env` prints"
        )
    })
}

/// A server exclusive to one test, to stop, kill and restart. It ends with this value or the process.
#[derive(Debug)]
pub struct OwnServer {
    name: &'static str,
    variable: &'static str,
    directory: tempfile::TempDir,
}

impl OwnServer {
    /// Starts a server of this kind and waits until it answers.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start(server: Server) -> Self {
        let name = match server {
            Server::Kafka => "kafka",
            Server::Redis => "redis",
            Server::Postgres => "postgres",
            Server::S3 => "s3",
            Server::Grid => "grid",
        };
        let directory = tempfile::tempdir().expect("a directory for the server");
        let own = Self { name, variable: server.variable(), directory };
        own.command(&["up", "--until", &std::process::id().to_string(), name]);
        own
    }

    /// Where it is; the same after it was started again.
    pub fn address(&self) -> String {
        let known = self.command(&["env"]);
        let address = known.lines().find_map(|line| line.strip_prefix(self.variable)?.strip_prefix('='));
        address.expect("the server's address").to_owned()
    }

    /// SIGKILL, as if its machine had died.
    pub fn kill(&self) {
        self.command(&["kill", self.name]);
    }

    /// Starts it again, with the same address and data.
    pub fn start_again(&self) {
        self.command(&["start", self.name]);
    }

    fn command(&self, arguments: &[&str]) -> String {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/local/servers.sh");
        let (command, rest) = arguments.split_first().expect("a command");
        let mut called = std::process::Command::new(script);
        let output = called.arg(command).arg("--dir").arg(self.directory.path()).args(rest).output();
        let output = output.expect("run servers.sh");
        assert!(output.status.success(), "servers.sh {command}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        self.command(&["clean"]);
    }
}

/// The address of a new, empty database on the server of tests.
///
/// # Panics
/// When it cannot be made.
pub async fn database() -> String {
    let url = server(Server::Postgres);
    let name = unique("rutter");
    on_database(&url, &format!("CREATE DATABASE {name}")).await;
    let (address, _) = url.rsplit_once('/').expect("an address with a database");
    format!("{address}/{name}")
}

/// Runs a statement on a Postgres server, beside everything else.
///
/// # Panics
/// When it fails.
pub async fn on_database(url: &str, statement: &str) {
    let pool: PgPool = PgPoolOptions::new().max_connections(1).connect(url).await.expect("the server");
    sqlx::query(AssertSqlSafe(statement.to_owned())).execute(&pool).await.expect("the statement");
    pool.close().await;
}

/// A port of loopback that is free and not among those that outgoing connections are given, so that no connection of a
/// test beside this one takes it before the process that is told to listen there. `servers.sh` draws its own above these.
///
/// # Panics
/// When a hundred draws in a row are taken.
pub fn free_port() -> u16 {
    let draw = || 12_000 + u16::try_from(uuid::Uuid::now_v7().as_u128() % 8_000).expect("below 8000");
    let free = |port: &u16| std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok();
    std::iter::repeat_with(draw).take(100).find(free).expect("a free port of loopback")
}

/// A name that no other test has, for what it creates on a server that it shares with others.
pub fn unique(prefix: &str) -> String {
    format!("{prefix}_{}", uuid::Uuid::now_v7().simple())
}
