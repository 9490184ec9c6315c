//! The compose file beside the chart: the same images, command lines, settings and confinement, for machines without a cluster.
//! `rutter config check` of its settings is a test of the binary (`harness/tests/cli/compose.rs`).

use super::{chart, read};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const ROLES: [&str; 5] = ["campaigns", "aggregator", "planner", "graph", "crawler"];
const SERVERS: [&str; 3] = ["kafka", "redis", "postgres"];
/// Those who keep something in PostgreSQL.
const KEEPERS: [&str; 3] = ["campaigns", "aggregator", "graph"];

fn beside(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/compose").join(path)
}

fn compose() -> Value {
    serde_saphyr::from_str(&read(&beside("compose.yaml"))).expect("YAML")
}

/// What the chart renders with its bundled servers.
fn rendered() -> Vec<Value> {
    serde_saphyr::from_multiple(&read(&chart("ci/rendered/bundled.yaml"))).expect("YAML")
}

/// The specification of a role's pods.
fn pod(rendered: &[Value], role: &str) -> Value {
    let is_of = |one: &&Value| one["kind"] == "Deployment" && one["metadata"]["name"] == format!("rutter-{role}");
    rendered.iter().find(is_of).expect("a deployment")["spec"]["template"]["spec"].clone()
}

/// Variables as they are usual: `${NAME:-usual}` is `usual`.
fn usual(text: &Value) -> &str {
    let text = text.as_str().expect("text");
    text.split_once(":-").map_or(text, |(_, usual)| usual.trim_end_matches('}'))
}

fn words(value: &Value) -> BTreeSet<String> {
    let named = value.as_object().into_iter().flat_map(|map| map.keys().cloned());
    let listed = value.as_array().into_iter().flatten().map(|one| one.as_str().expect("a word").to_owned());
    named.chain(listed).collect()
}

#[test]
fn roles_and_browser_are_started_as_by_the_chart() {
    let (compose, rendered) = (compose(), rendered());
    for role in ROLES {
        let (service, pod) = (&compose["services"][role], pod(&rendered, role));
        let container = &pod["containers"][0];
        assert_eq!(usual(&service["image"]), container["image"].as_str().expect("an image"), "{role}");
        assert_eq!(service["command"], container["args"], "{role}");
        assert_eq!(service["environment"]["HOME"], "/tmp", "{role}");
        assert_eq!(service["healthcheck"]["test"][1], container["command"][0], "{role}");
        let grace = pod["terminationGracePeriodSeconds"].as_u64().expect("seconds");
        assert_eq!(service["stop_grace_period"], format!("{grace}s"), "{role}");
    }
    let (service, container) = (&compose["services"]["browser"], &pod(&rendered, "crawler")["initContainers"][0]);
    assert_eq!(usual(&service["image"]), container["image"].as_str().expect("an image"));
    assert_eq!(service["command"], container["args"]);
    assert_eq!(compose["services"]["crawler"]["network_mode"], "service:browser", "gates listen on loopback");
}

#[test]
fn settings_are_those_of_the_chart_with_other_names() {
    let rendered = rendered();
    let is_settings = |one: &&Value| one["kind"] == "ConfigMap" && one["data"]["rutter.toml"].is_string();
    let of_chart = rendered.iter().find(is_settings).expect("settings")["data"]["rutter.toml"].clone();
    let lines = |text: &str| -> Vec<String> {
        let said = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        said.map(str::to_owned).collect()
    };
    let renamed = of_chart
        .as_str()
        .expect("text")
        .replace("qa.rutter:", "rutter:")
        .replace("/run/rutter/token/", "/run/secrets/");
    let renamed = ROLES.into_iter().chain(SERVERS).fold(renamed, |text, name| {
        text.replace(&format!("//rutter-{name}"), &format!("//{name}"))
            .replace(&format!("@rutter-{name}"), &format!("@{name}"))
            .replace(&format!("\"rutter-{name}"), &format!("\"{name}"))
    });
    assert_eq!(lines(&read(&beside("rutter.toml"))), lines(&renamed));
}

#[test]
fn the_servers_for_machines_without_a_registry_are_those_of_the_chart() {
    let text = read(&beside("bundled.yaml")).replace("!override ", "");
    let bundled: Value = serde_saphyr::from_str(&text).expect("YAML");
    let rendered = rendered();
    for server in SERVERS {
        let is_of =
            |one: &&Value| one["kind"] == "StatefulSet" && one["metadata"]["name"] == format!("rutter-{server}");
        let pod = &rendered.iter().find(is_of).expect("a server")["spec"]["template"]["spec"];
        let (service, container) = (&bundled["services"][server], &pod["containers"][0]);
        assert_eq!(usual(&service["image"]), container["image"].as_str().expect("an image"), "{server}");
        let command = format!("/usr/local/bin/{}", service["command"][0].as_str().expect("a command"));
        assert_eq!(container["command"][0], command, "{server}");
        assert_eq!(service["environment"]["DATA"], "/data", "{server}");
    }
}

#[test]
fn every_container_is_confined_and_says_when_it_is_ready() {
    let compose = compose();
    for (name, service) in compose["services"].as_object().expect("services") {
        assert_eq!(service["read_only"], true, "{name}");
        assert_eq!(words(&service["cap_drop"]), BTreeSet::from(["ALL".to_owned()]), "{name}");
        assert_eq!(words(&service["security_opt"]), BTreeSet::from(["no-new-privileges:true".to_owned()]), "{name}");
        let user = service["user"].as_str().expect("a user");
        assert!(!user.starts_with("0:") && user != "root", "{name}");
        assert!(service["healthcheck"]["test"].is_array() || name == "client", "{name}");
        for port in service["ports"].as_array().into_iter().flatten() {
            let port = port.as_str().expect("a port");
            assert!(port.starts_with("127.0.0.1:"), "{name}: {port} is open to other machines");
            let (_, within) = port.rsplit_once(':').expect("a port");
            let listens =
                service["command"].as_array().expect("arguments").iter().any(|one| one == &format!("0.0.0.0:{within}"));
            assert!(listens, "{name}: nobody listens on {within}");
        }
    }
}

#[test]
fn everybody_reaches_what_it_needs_and_crawlers_not_the_database() {
    let compose = compose();
    let services = compose["services"].as_object().expect("services");
    let networks = |name: &str| {
        let service = &services[name];
        let of = service["network_mode"].as_str().map_or(name, |mode| mode.trim_start_matches("service:"));
        words(&services[of]["networks"])
    };
    let declared = words(&compose["networks"]);
    for (name, service) in services {
        assert!(!networks(name).is_empty() && networks(name).is_subset(&declared), "{name}");
        for other in words(&service["depends_on"]) {
            assert!(!networks(name).is_disjoint(&networks(&other)), "{name} waits for {other} and cannot reach it");
        }
        for volume in service["volumes"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            let (source, _) = volume.split_once(':').expect("a volume");
            assert!(source.starts_with("./") || compose["volumes"][source].is_object(), "{name}: {source}");
        }
        let has_database = KEEPERS.contains(&name.as_str()) || name == "postgres";
        assert_eq!(networks(name).contains("database"), has_database, "{name}");
        let knows_password = service["environment"].to_string().contains("POSTGRES_PASSWORD");
        assert_eq!(knows_password, has_database, "{name}");
    }
    for name in ["cluster", "database"] {
        assert_eq!(compose["networks"][name]["internal"], true, "{name}");
    }
    assert!(beside("rutter.toml").exists() && beside("tasks/first.yaml").exists());
    assert!(read(&beside("setup.sh")).contains("secrets/token"));
}
