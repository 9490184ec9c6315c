//! Two projects explore two ports of one host while a third has tasks: each has its own, and sees nothing of the others.

use crate::kit::Cluster;
use domain::SiteId;
use domain::address::origin;
use harness::harbour::{Harbour, Options};
use platform::rpc::{ClientOptions, connect};
use std::collections::BTreeSet;
use std::process::Output;

/// The projects, each with the variable that holds its token.
const PROJECTS: [(&str, &str); 2] = [("shop", "TOKEN_OF_SHOP"), ("wiki", "TOKEN_OF_WIKI")];

/// Settings of who has nothing but the token of a project: where the services are, and nothing of the servers behind them.
fn settings_of(cluster: &Cluster, project: &str, variable: &str) -> String {
    let all = std::fs::read_to_string(cluster.path("rutter.toml")).expect("the settings");
    let mut own = String::new();
    let mut is_service = false;
    for line in all.lines() {
        if line.starts_with('[') {
            is_service = line.starts_with("[services.");
        }
        if is_service {
            own.push_str(line);
            own.push('\n');
        }
        if is_service && line.starts_with("endpoint") {
            own.push_str(&format!("token = {{ env = \"{variable}\" }}\n"));
        }
    }
    let name = format!("{project}.toml");
    std::fs::write(cluster.path(&name), own).expect("written");
    name
}

/// Where the maps are answered.
fn endpoint_of_maps(cluster: &Cluster) -> String {
    let all = std::fs::read_to_string(cluster.path("rutter.toml")).expect("the settings");
    let (_, rest) = all.split_once("[services.graph]").expect("the maps");
    rest.split('"').nth(1).expect("an address").to_owned()
}

async fn explore(cluster: &Cluster, project: &str, settings: &str, harbour: &Harbour) -> Output {
    let (url, scope) = (harbour.url("/"), harbour.scope());
    let mut arguments = vec!["explore", &url, "--free", "--budget", "20s", "--workers", "1", "--submit", "--watch"];
    arguments.extend(scope.iter().flat_map(|host| ["--scope", host]));
    arguments.extend(["--project", project, "--campaign", "nightly", "--config", settings, "--run-dir", project]);
    cluster.rutter(&arguments).await
}

fn said(output: &Output) -> String {
    format!("{}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[tokio::test(flavor = "multi_thread")]
async fn two_projects_explore_two_ports_of_one_host_beside_a_third_over_kafka_redis_and_postgres_and_share_nothing() {
    let [shop, wiki] = [Harbour::start(Options::default()).await, Harbour::start(Options::default()).await];
    let [shop, wiki] = [shop.expect("Harbour starts"), wiki.expect("another starts")];
    let tokens: Vec<String> = PROJECTS.map(|(name, variable)| format!("{name} = {{ env = \"{variable}\" }}\n")).into();
    let settings = format!("[server.projects]\n{}[crawler]\nslots = 1\n", tokens.concat());
    let environment = [(PROJECTS[0].1, "open-the-shop"), (PROJECTS[1].1, "open-the-wiki")];
    let mut cluster = Cluster::start(&settings, &environment).await;
    for name in ["crawler-2", "crawler-3"] {
        cluster.add_crawler(name).await;
    }
    let own = PROJECTS.map(|(project, variable)| settings_of(&cluster, project, variable));
    let tasks = ["submit", "--benchmark", "miniwob", "--suite", "demo", "--seeds", "0..1", "--campaign", "nightly"];
    let tasks = [tasks.as_slice(), &["--watch", "--config", "rutter.toml"]].concat();
    let (of_shop, of_wiki, of_tasks) = tokio::join!(
        explore(&cluster, "shop", &own[0], &shop),
        explore(&cluster, "wiki", &own[1], &wiki),
        cluster.rutter(&tasks)
    );
    for output in [&of_shop, &of_wiki, &of_tasks] {
        assert!(output.status.success(), "{}", said(output));
    }

    let maps = connect(&ClientOptions::to(endpoint_of_maps(&cluster))).expect("a connection");
    let maps = proto::client::graph(&maps);
    let sites = maps.sites().await.expect("the sites");
    let expected: Vec<SiteId> = [("shop", &shop), ("wiki", &wiki)]
        .map(|(project, harbour)| SiteId::new(format!("{project}::{}", origin(&harbour.url("/")).expect("an origin"))))
        .into();
    let (found, expected): (BTreeSet<_>, BTreeSet<_>) = (sites.into_iter().collect(), expected.into_iter().collect());
    assert!(found.is_superset(&expected), "{found:?}");
    for ((site, harbour), other) in expected.iter().zip([&shop, &wiki]).zip([&wiki, &shop]) {
        let map = maps.map(site, None).await.expect("the map");
        assert!(map.states.len() > 5, "{} states of {site}", map.states.len());
        let foreign = map.states.iter().filter(|state| state.url.starts_with(&other.url("/"))).count();
        assert_eq!((foreign, harbour.counters().harm()), (0, 0), "{site}");
    }

    for (n, (project, _)) in PROJECTS.iter().enumerate() {
        let other = PROJECTS[1 - n].0;
        let listed = cluster.rutter(&["status", "--output", "json", "--config", &own[n]]).await;
        let names = said(&listed);
        assert!(names.contains(&format!("{project}::nightly")) && !names.contains(other), "{names}");
        for foreign in [format!("{other}::nightly"), "default::nightly".to_owned()] {
            for command in ["status", "results", "pause", "cancel"] {
                let refused = cluster.rutter(&[command, &foreign, "--config", &own[n]]).await;
                assert!(!refused.status.success(), "{command} {foreign}");
                let why = said(&refused);
                assert!(why.contains(&format!("that of project `{project}`")), "{command} {foreign}: {why}");
            }
        }
        let mine = cluster.rutter(&["status", "nightly", "--project", project, "--config", &own[n]]).await;
        assert!(mine.status.success(), "{}", said(&mine));
    }
    cluster.stop().await;
}
