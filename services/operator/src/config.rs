//! The operator's settings. It reads the same file as the roles and takes from it what concerns it: where queue and ledger are. What
//! only it has, the table `operator`, stands in variables or in a file of its own, since roles refuse tables that they do not know.

use platform::admin::AdminOptions;
use platform::rpc::ClientOptions;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The settings.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Config {
    /// Where it answers probes and scrapers; nowhere when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin: Option<AdminOptions>,
    /// Where the roles are.
    pub services: Services,
    /// How it works.
    pub operator: Options,
}

/// Connections to roles.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Services {
    /// The queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub campaigns: Option<ClientOptions>,
    /// The ledger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregator: Option<ClientOptions>,
}

/// How the operator works.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The namespaces whose resources it looks after; all of them when empty.
    pub namespaces: Vec<String>,
    /// The Lease by which instances agree on who works.
    pub lease: String,
    /// The namespace of the Lease; the one that it runs in when empty.
    pub lease_namespace: String,
    /// Seconds for which a Lease holds without a sign of life.
    pub lease_seconds: u32,
    /// Seconds between two looks at campaigns under way, and at what waits.
    pub poll_seconds: f64,
    /// Whether each namespace is a project of the queue, named as it is; else all campaigns are of the project `default`.
    pub namespaces_are_projects: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            namespaces: Vec::new(),
            lease: "rutter-operator".to_owned(),
            lease_namespace: String::new(),
            lease_seconds: 15,
            poll_seconds: 5.0,
            namespaces_are_projects: false,
        }
    }
}

/// The settings from a file, overlaid by variables of the environment, e.g. `RUTTER_OPERATOR__POLL_SECONDS=2`, and by what the
/// command line says.
///
/// # Errors
/// Names the source and the field that cannot be read.
pub fn load(file: Option<&Path>, flags: &impl Serialize) -> Result<Config, platform::config::Error> {
    platform::config::load(&Config::default(), file, std::env::vars(), flags)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file of the roles has much more in it.
    #[test]
    fn the_file_of_the_roles_serves_the_operator_too() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let text = "[storage]\ndirectory = \"/data\"\n[services.campaigns]\nendpoint = \"http://127.0.0.1:7401\"\n\
                    [operator]\nnamespaces = [\"qa\"]\n";
        std::fs::write(file.path(), text).expect("written");
        let config = load(Some(file.path()), &serde_json::json!({})).expect("settings");
        assert_eq!(config.operator, Options { namespaces: vec!["qa".into()], ..Options::default() });
        assert_eq!(config.services.campaigns.map(|to| to.endpoint).as_deref(), Some("http://127.0.0.1:7401"));
        std::fs::write(file.path(), "[operator]\nnamespace = \"qa\"\n").expect("written");
        let error = load(Some(file.path()), &serde_json::json!({})).expect_err("refused").to_string();
        assert!(error.contains("unknown field") && error.contains("namespace"), "{error}");
    }
}
