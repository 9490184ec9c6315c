//! Who may know whom, as a test: the import map of `docs/architecture.md`, and the rules that hold for every room.

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The longest source file. Split before it needs scrolling to understand.
const LONGEST_FILE: usize = 500;

/// Which rooms a room may import; `domain` is open to all. A room that is missing here may import nothing.
const IMPORTS: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("platform", &[]),
    ("fuzzing", &["platform"]),
    ("proto", &["platform"]),
    ("backends", &["platform", "proto"]),
    ("browser", &["platform"]),
    ("embedding", &["platform"]),
    ("planner", &["platform", "backends"]),
    ("evaluation", &["platform", "backends"]),
    ("campaigns", &["platform", "backends"]),
    ("aggregator", &["platform", "backends"]),
    ("graph", &["platform", "backends"]),
    ("crawler", &["platform", "backends", "browser", "evaluation"]),
    ("benchmarks", &["platform", "browser", "evaluation"]),
    ("tasks", &["platform", "evaluation"]),
    ("report", &["platform", "evaluation"]),
    (
        "node",
        &[
            "platform",
            "proto",
            "backends",
            "browser",
            "embedding",
            "campaigns",
            "planner",
            "evaluation",
            "graph",
            "crawler",
            "benchmarks",
            "aggregator",
            "report",
        ],
    ),
    (
        "rutter",
        &[
            "platform",
            "proto",
            "backends",
            "browser",
            "embedding",
            "campaigns",
            "planner",
            "evaluation",
            "graph",
            "crawler",
            "benchmarks",
            "tasks",
            "report",
            "node",
        ],
    ),
    ("operator", &["platform", "proto", "tasks"]),
    // A room to come: what hands tasks in and shows results from outside of a cluster needs no more than this.
    ("console", &["platform", "proto", "tasks", "report"]),
    (
        "harness",
        &[
            "platform",
            "proto",
            "backends",
            "browser",
            "embedding",
            "planner",
            "evaluation",
            "campaigns",
            "aggregator",
            "crawler",
            "benchmarks",
        ],
    ),
    ("loadtests", &["platform", "proto", "backends", "browser", "graph", "planner"]),
];

/// Libraries that only the named rooms may know. What a library does then has one place.
const KEEPERS: &[(&str, &[&str])] = &[
    ("thirtyfour", &["browser"]),
    ("sqlx", &["backends"]),
    ("prost", &["proto"]),
    ("prost-types", &["proto"]),
    ("tonic", &["proto", "platform"]),
    ("tonic-prost", &["proto"]),
    ("opentelemetry", &["platform"]),
    ("prometheus-client", &["platform"]),
    ("rdkafka", &["backends"]),
    ("redis", &["backends"]),
    ("kube", &["operator"]),
    ("k8s-openapi", &["operator"]),
    ("genai", &["planner"]),
    ("candle-core", &["embedding"]),
    ("tokenizers", &["embedding"]),
    ("clap", &["rutter", "operator", "harness", "loadtests"]),
    ("anyhow", &["rutter", "operator", "harness", "loadtests"]),
];

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn metadata() -> Metadata {
    MetadataCommand::new().manifest_path(root().join("Cargo.toml")).exec().expect("cargo metadata of the workspace")
}

/// What a room is built from; what only its tests use is another matter.
fn built_from(package: &Package) -> BTreeSet<&str> {
    let tests_only = |kind: DependencyKind| kind == DependencyKind::Development;
    package.dependencies.iter().filter(|found| !tests_only(found.kind)).map(|found| found.name.as_str()).collect()
}

#[test]
fn rooms_import_only_what_the_map_allows() {
    let metadata = metadata();
    let allowed: BTreeMap<&str, BTreeSet<&str>> =
        IMPORTS.iter().map(|(room, imports)| (*room, imports.iter().copied().chain(["domain"]).collect())).collect();
    let rooms: BTreeSet<String> =
        metadata.workspace_packages().iter().map(|package| package.name.to_string()).collect();
    let mut wrong = Vec::new();
    for package in metadata.workspace_packages() {
        let Some(allowed) = allowed.get(package.name.as_str()) else {
            wrong.push(format!("{} stands in no line of the import map", package.name));
            continue;
        };
        for import in built_from(package).into_iter().filter(|name| rooms.contains(*name)) {
            if !allowed.contains(import) {
                wrong.push(format!("{} imports {import}", package.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_library_with_a_keeper_is_known_to_it_alone() {
    let metadata = metadata();
    let mut wrong = Vec::new();
    for package in metadata.workspace_packages() {
        let imports = built_from(package);
        for (library, keepers) in KEEPERS {
            if imports.contains(library) && !keepers.contains(&package.name.as_str()) {
                wrong.push(format!("{} knows {library}, which is for {}", package.name, keepers.join(" and ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_words_need_no_runtime_and_no_room() {
    let metadata = metadata();
    let domain = metadata.workspace_packages().into_iter().find(|package| package.name.as_str() == "domain");
    let imports = built_from(domain.expect("the room exists"));
    for runtime in ["tokio", "reqwest", "axum", "tracing", "futures"] {
        assert!(!imports.contains(runtime), "domain knows {runtime}");
    }
}

#[test]
fn every_room_inherits_the_lints_and_versions_of_the_workspace() {
    let mut wrong = Vec::new();
    for package in metadata().workspace_packages() {
        let manifest = std::fs::read_to_string(&package.manifest_path).expect("a manifest");
        if !manifest.contains("[lints]\nworkspace = true") {
            wrong.push(format!("{} does not inherit the lints", package.name));
        }
        let mut is_dependency = false;
        for line in manifest.lines() {
            if line.starts_with('[') {
                is_dependency = line.ends_with("dependencies]");
                continue;
            }
            if is_dependency && line.contains('=') && !line.contains("workspace = true") && !line.starts_with('#') {
                wrong.push(format!("{}: `{line}` names a version of its own", package.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_source_file_is_longer_than_a_few_screens_and_each_says_what_it_is_for() {
    let mut wrong = Vec::new();
    for file in sources() {
        let text = std::fs::read_to_string(&file).expect("a source file");
        let lines = text.lines().count();
        if lines > LONGEST_FILE {
            wrong.push(format!("{} has {lines} lines", file.display()));
        }
        if !text.starts_with("//!") && !text.starts_with("#!") {
            wrong.push(format!("{} does not begin by saying what it is for", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

pub(crate) fn sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("services"), root().join("proto"), root().join("loadtests")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() && !entry.ends_with("target") {
                folders.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "rs") {
                found.push(entry);
            }
        }
    }
    assert!(found.len() > 50, "found {} source files only", found.len());
    found
}

/// A second benchmark must touch no more than its own folder and the registry. Comments and examples of commands may name one.
#[test]
fn no_room_but_its_own_names_a_benchmark() {
    let names: Vec<String> = benchmarks::REGISTRY.iter().map(|benchmark| benchmark.name().to_lowercase()).collect();
    assert!(!names.is_empty());
    let services = root().join("services");
    let mut wrong = Vec::new();
    for file in sources() {
        // The harness tests the benchmarks themselves.
        if ["benchmarks", "harness"].iter().any(|room| file.starts_with(services.join(room))) {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("a source file").to_lowercase();
        for (number, line) in text.lines().enumerate() {
            let is_prose = ["//", "rutter "].iter().any(|start| line.trim_start().starts_with(start));
            if !is_prose && names.iter().any(|name| line.contains(name)) {
                wrong.push(format!("{}:{}: {}", file.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// With two TLS providers in one process rustls panics at run time; aws-lc is the one.
#[test]
fn there_is_one_tls_provider() {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--workspace", "--edges", "normal,build", "--prefix", "none", "--locked"])
        .current_dir(root())
        .output()
        .expect("cargo tree");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8(tree.stdout).expect("text");
    assert!(tree.lines().any(|line| line.starts_with("rutter ")), "the tree is not that of the workspace");
    assert!(
        !tree.lines().any(|line| line.starts_with("ring ")),
        "something pulls in ring; `cargo tree -i ring` says what"
    );
}

/// The folders of the top level are part of the design; nothing collects beside them.
#[test]
fn nothing_unexpected_stands_at_the_top() {
    let listed = Command::new("git").args(["ls-files"]).current_dir(root()).output().expect("git ls-files");
    assert!(listed.status.success(), "git ls-files: {}", String::from_utf8_lossy(&listed.stderr));
    let known = ["proto", "services", "deploy", "helm", "loadtests", "docs", ".ci", ".config", ".cargo", ".github"];
    let files = ["Cargo.toml", "Cargo.lock", "README.md", "LICENSE", "Makefile", "CHANGELOG.md", ".gitignore"];
    for path in String::from_utf8_lossy(&listed.stdout).lines() {
        match path.split_once('/') {
            Some((folder, _)) => assert!(known.contains(&folder), "{path}"),
            None => assert!(files.contains(&path) || path.ends_with(".toml"), "{path}"),
        }
    }
}
