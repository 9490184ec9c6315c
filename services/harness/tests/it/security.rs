//! The page on security names a test for each promise: every one of them exists.

use std::fs;
use std::path::{Path, PathBuf};

/// The text of every Rust file of the workspace.
fn sources() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders: Vec<PathBuf> = ["services", "proto", "loadtests"].iter().map(|name| root.join(name)).collect();
    let mut text = String::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            match path.extension() {
                _ if path.is_dir() => folders.push(path),
                Some(kind) if kind == "rs" => text.push_str(&fs::read_to_string(path).expect("a file")),
                _ => {}
            }
        }
    }
    text
}

#[test]
fn every_promise_has_a_test_that_exists() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/security.md")).expect("the page");
    let sources = sources();
    let promises: Vec<&str> =
        page.lines().filter(|line| line.starts_with("| ") && !line.contains("| test |")).collect();
    assert!(promises.len() > 15, "{promises:#?}");
    for promise in promises {
        let tests = promise.rsplit(" | ").next().unwrap_or_default().split('`').skip(1).step_by(2);
        let missing: Vec<&str> = tests.clone().filter(|test| !sources.contains(&format!("fn {test}("))).collect();
        assert!(tests.count() > 0 && missing.is_empty(), "{promise}: {missing:?}");
    }
}
