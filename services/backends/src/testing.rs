//! Where the servers are that tests run against. `make test` starts them, each for the tests that have its name in theirs
//! (`.config/nextest.toml`); a test whose server is missing fails by name.

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

/// A name that no other test has, for what it creates on a server that it shares with others.
pub fn unique(prefix: &str) -> String {
    format!("{prefix}_{}", uuid::Uuid::now_v7().simple())
}
