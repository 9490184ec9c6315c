//! A cluster of one test's own: Rutter's roles as processes over servers that tests share, with topics, keys, a database and
//! blobs that nobody else has. The processes end with it.

use backends::testing::{Server, database, free_port, server, unique};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::time::Duration;
use tempfile::TempDir;

/// How long a role may take to come up, and to end when it is asked to.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where the cluster's bytes are.
pub(crate) struct Stores {
    pub(crate) brokers: String,
    pub(crate) topic_prefix: String,
    pub(crate) redis: String,
    pub(crate) redis_prefix: String,
    pub(crate) postgres: String,
    pub(crate) blobs: PathBuf,
}

/// Roles that run, each with its log.
pub(crate) struct Cluster {
    folder: TempDir,
    pub(crate) stores: Stores,
    environment: Vec<(String, String)>,
    roles: Vec<Role>,
}

struct Role {
    name: String,
    process: Child,
    /// Where it tells its figures.
    admin: String,
}

impl Cluster {
    /// Starts queue, ledger, planner and maps, and then a crawler that finds them. `settings` are further settings as TOML;
    /// `environment` is for all processes.
    pub(crate) async fn start(settings: &str, environment: &[(&str, &str)]) -> Cluster {
        let folder = tempfile::tempdir().expect("a directory");
        let stores = Stores {
            brokers: server(Server::Kafka),
            topic_prefix: format!("{}.", unique("cluster")),
            redis: server(Server::Redis),
            redis_prefix: format!("{}:", unique("cluster")),
            postgres: database().await,
            blobs: folder.path().join("blobs"),
        };
        let environment = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let mut cluster = Cluster { folder, stores, environment, roles: Vec::new() };
        cluster.settle(settings, "");
        for role in ["campaigns", "aggregator", "planner", "graph"] {
            cluster.begin(role, role);
        }
        let campaigns = cluster.address("campaigns").await;
        let aggregator = cluster.address("aggregator").await;
        let planner = cluster.address("planner").await;
        let graph = cluster.address("graph").await;
        let services = format!(
            "[services.campaigns]\nendpoint = \"http://{campaigns}\"\n\
             [services.aggregator]\nendpoint = \"http://{aggregator}\"\n\
             [[services.planners]]\nendpoint = \"http://{planner}\"\n\
             [services.graph]\nendpoint = \"http://{graph}\"\n"
        );
        cluster.settle(settings, &services);
        cluster.add_crawler("crawler").await;
        cluster
    }

    /// Starts a crawler under a name of its own.
    pub(crate) async fn add_crawler(&mut self, name: &str) {
        self.begin(name, "crawler");
        self.address(name).await;
    }

    /// Writes the settings that all processes share.
    fn settle(&self, further: &str, services: &str) {
        let Stores { brokers, topic_prefix, redis, redis_prefix, postgres, blobs } = &self.stores;
        let settings = format!(
            "[storage.servers]\npostgres = \"{postgres}\"\nblobs = \"{}\"\n\
             [storage.servers.kafka]\nbrokers = \"{brokers}\"\ntopic_prefix = \"{topic_prefix}\"\npartitions = 2\n\
             [storage.servers.redis]\nurl = \"{redis}\"\nprefix = \"{redis_prefix}\"\n{services}{further}\n",
            blobs.display()
        );
        std::fs::write(self.path("rutter.toml"), settings).expect("written");
    }

    fn begin(&mut self, name: &str, role: &str) {
        let settings = self.path("rutter.toml");
        let admin = format!("127.0.0.1:{}", free_port());
        let listen = ["serve", role, "--listen", "127.0.0.1:0", "--admin", &admin, "--log", "json", "--config"];
        let mut command = self.command(&listen);
        let log = File::create(self.log_of(name)).expect("a log");
        command.arg(settings).stdout(log.try_clone().expect("the log")).stderr(log);
        let process = command.spawn().expect("the binary starts");
        self.roles.push(Role { name: name.to_owned(), process, admin });
    }

    /// Where a process answers, once it does.
    async fn address(&mut self, name: &str) -> String {
        let started = tokio::time::timeout(PATIENCE, async {
            loop {
                let log = std::fs::read_to_string(self.log_of(name)).unwrap_or_default();
                let said = log.lines().find_map(|line| line.strip_prefix("serving ")?.split_once(" at "));
                if let Some((_, address)) = said {
                    return address.to_owned();
                }
                let found = self.roles.iter_mut().find(|found| found.name == name).expect("it was started");
                if let Some(status) = found.process.try_wait().expect("its status") {
                    panic!("{name} ended with {status}:\n{log}");
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        });
        let Ok(address) = started.await else { panic!("{name} does not answer; see {}", self.log_of(name).display()) };
        address
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = harness::program::command(arguments);
        command.current_dir(self.folder.path()).envs(self.environment.iter().cloned());
        command
    }

    /// A file in the cluster's directory.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn log_of(&self, name: &str) -> PathBuf {
        self.path(&format!("{name}.log"))
    }

    /// What every process wrote.
    pub(crate) fn logs(&self) -> Vec<PathBuf> {
        self.roles.iter().map(|role| self.log_of(&role.name)).collect()
    }

    /// Runs a command of the CLI to its end, with the cluster's settings where it takes some.
    pub(crate) async fn rutter(&self, arguments: &[&str]) -> Output {
        let mut command = self.command(arguments);
        tokio::task::spawn_blocking(move || command.output()).await.expect("joined").expect("the binary starts")
    }

    /// The figures of a role, once they hold a line.
    pub(crate) async fn figures(&self, role: &str, line: &str) -> String {
        let admin = &self.roles.iter().find(|found| found.name == role).expect("it was started").admin;
        let mut told = String::new();
        for _ in 0..PATIENCE.as_secs() {
            let answer = reqwest::get(format!("http://{admin}/metrics")).await.expect("an answer");
            told = answer.text().await.expect("text");
            if told.lines().any(|found| found == line) {
                return told;
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        panic!("{role} never tells `{line}`:\n{told}");
    }

    /// Asks every role to end, the crawler first, and waits until all have.
    pub(crate) async fn stop(&mut self) {
        for role in self.roles.iter_mut().rev() {
            let number = role.process.id().to_string();
            let sent = Command::new("kill").args(["-TERM", &number]).status().expect("kill starts");
            assert!(sent.success(), "{} had ended before", role.name);
            let ended = tokio::time::timeout(PATIENCE, async {
                loop {
                    if let Some(status) = role.process.try_wait().expect("its status") {
                        return status;
                    }
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            });
            let status = ended.await.unwrap_or_else(|_| panic!("{} does not end", role.name));
            assert!(status.success(), "{} ended with {status}", role.name);
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for role in &mut self.roles {
            // It may have ended.
            let _ = role.process.kill();
            let _ = role.process.wait();
        }
    }
}

/// Every file below a directory.
pub(crate) fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![directory.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found
}
