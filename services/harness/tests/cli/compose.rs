//! The compose file's settings, its first tasks and its probe, as the program takes them. Its containers are compared with those of the
//! chart by `operator/tests/chart/compose.rs`.

use super::documented::SURROUNDINGS;
use super::kit::Bench;
use super::pages::{page, root};
use backends::testing::free_port;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What `setup.sh` leaves, made in a copy of the folder.
fn set_up(bench: &Bench) {
    for name in ["setup.sh", "rutter.toml", "tasks/first.yaml"] {
        let path = bench.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::copy(root().join("deploy/compose").join(name), path).expect("copied");
    }
    for _ in 0..2 {
        assert!(Command::new(bench.path("setup.sh")).status().expect("a shell").success());
    }
}

fn read(bench: &Bench, name: &str) -> String {
    std::fs::read_to_string(bench.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[tokio::test]
async fn every_role_takes_the_settings_of_the_compose_file() {
    let bench = Bench::new();
    set_up(&bench);
    let token = bench.path("secrets/token");
    assert!(read(&bench, "secrets/token").trim().len() >= 40, "a token that nobody guesses");
    let here = page("deploy/compose/rutter.toml").replace("/run/secrets/token", &token.display().to_string());
    let settings = bench.write("here.toml", &here).display().to_string();
    let environment = read(&bench, ".env");
    let (name, password) = environment.trim().split_once('=').expect("a variable");
    assert!(
        name == "POSTGRES_PASSWORD" && password.chars().all(|one| one.is_ascii_alphanumeric()),
        "part of an address"
    );
    let address = format!("postgres://rutter:{password}@postgres/rutter");
    let variables = [("RUTTER_STORAGE__SERVERS__POSTGRES", address.as_str())];
    bench.run_with(&["config", "check", "--config", &settings], &variables).await.exits(0);
    let shown = bench.run_with(&["config", "show", "--config", &settings], &variables).await.exits(0).json();
    assert_eq!(shown["storage"]["servers"]["kafka"]["brokers"], "kafka:9092");
    assert_eq!(shown["storage"]["servers"]["kafka"]["deadline_ms"], 60_000);
    // Without its token nothing would listen.
    std::fs::remove_file(token).expect("removed");
    bench.run_with(&["config", "check", "--config", &settings], &variables).await.exits(3).says("token");
}

#[tokio::test]
async fn the_first_tasks_of_the_compose_file_are_read_and_found_good() {
    let bench = Bench::new();
    set_up(&bench);
    let said = bench.run_with(&["run", "--workers", "1", "tasks/first.yaml"], &SURROUNDINGS[1..]).await;
    // A browser is looked for last, and there is none.
    said.exits(3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_probe_tells_a_role_that_is_ready_from_one_that_is_not_there() {
    let bench = Bench::new();
    let free = format!("127.0.0.1:{}", free_port());
    let probe = ["ready", "--admin", &free];
    bench.run(&probe).await.exits(3).says(&free);
    let mut command = harness::program::command(&["serve", "all", "--listen", "127.0.0.1:0", "--admin", &free]);
    let mut serving = command.current_dir(bench.path("")).stderr(Stdio::null()).spawn().expect("the binary starts");
    let mut said = bench.run(&probe).await;
    for _ in 0..300 {
        if said.code == 0 {
            break;
        }
        assert!([1, 3].contains(&said.code), "{said:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
        said = bench.run(&probe).await;
    }
    serving.kill().expect("killed");
    serving.wait().expect("ended");
    said.exits(0).says("is ready");
    let settings = bench.write("closed.toml", "").display().to_string();
    bench.run(&["ready", "--config", &settings]).await.exits(2).says("admin.bind");
}
