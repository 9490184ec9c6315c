//! What the pages show is done as it stands there: commands are run, configurations loaded, variables and settings looked up.
//! Nothing is reached by it, so that a command that wants a browser or a server ends by saying that there is none. A block
//! that is no example is one of `text`.

use super::kit::Bench;
use super::pages::{blocks, guides, page, root};
use cargo_metadata::MetadataCommand;
use regex::Regex;
use serde_json::Value;
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Written in place of each program: tells with what it was called.
const RECORDER: &str = r#"#!/bin/sh
{ printf '%s\0' "$#" "${0##*/}" "$@"; } >> "$CALLS"
"#;

/// Keeps every command from the browsers and keys of this machine.
pub(crate) const SURROUNDINGS: [(&str, &str); 7] = [
    ("RUTTER_CONFIG", "rutter.toml"),
    ("RUTTER_BROWSER", "/nowhere/browser"),
    ("RUTTER_DRIVER", "/nowhere/driver"),
    ("SHOP_PASSWORD", "secret"),
    ("OPENAI_API_KEY", "none"),
    ("ANTHROPIC_API_KEY", "none"),
    ("GEMINI_API_KEY", "none"),
];

/// Nobody listens at this port, whatever runs on this machine.
fn nowhere(text: &str) -> String {
    Regex::new(r"127\.0\.0\.1:\d+").expect("a pattern").replace_all(text, "127.0.0.1:1").into_owned()
}

/// The programs that a script starts with their arguments, as the shell takes it apart.
fn calls(bench: &Bench, script: &str) -> Vec<Vec<String>> {
    let (programs, calls) = (bench.path("programs"), bench.path("calls"));
    std::fs::create_dir_all(&programs).expect("a folder");
    for name in ["rutter", "make", "cargo", "dot", "docker", "helm", "kubectl"] {
        let program = programs.join(name);
        std::fs::write(&program, RECORDER).expect("a program");
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).expect("may be run");
    }
    std::fs::write(&calls, "").expect("a file");
    let shell = Command::new("bash")
        .args(["-euc", &format!("{script}\nwait")])
        .current_dir(bench.path("."))
        .env("PATH", format!("{}:/usr/bin:/bin", programs.display()))
        .env("CALLS", &calls)
        .output()
        .expect("bash");
    assert!(shell.status.success(), "{script}\n{}", String::from_utf8_lossy(&shell.stderr));
    let told = std::fs::read_to_string(&calls).expect("the calls");
    let mut words = told.split_terminator('\0').map(str::to_owned);
    let mut calls = Vec::new();
    while let Some(count) = words.next() {
        let count: usize = count.parse().expect("a count");
        calls.push(words.by_ref().take(count + 1).collect());
    }
    calls
}

/// The scripts of the guides, and the examples that the program's own help has.
fn scripts() -> Vec<(String, String)> {
    let guides = guides().into_iter().flat_map(|(path, page)| {
        let scripts = blocks(&page).into_iter().filter(|block| block.language == "sh");
        scripts.map(|block| (path.clone(), block.text)).collect::<Vec<_>>()
    });
    let help = page("docs/reference/cli.md");
    let is_example = |line: &&str| line.starts_with("  rutter ") || line.starts_with("  RUTTER_");
    let examples = help.lines().filter(is_example).map(|line| ("docs/reference/cli.md".to_owned(), line.to_owned()));
    guides.chain(examples).collect()
}

/// The files that the commands name.
fn files(bench: &Bench) {
    let yaml = |path: &str| {
        let found = blocks(&page(path)).into_iter().find(|block| block.language == "yaml");
        found.unwrap_or_else(|| panic!("{path} has no example in YAML")).text
    };
    let (tasks, login) = (yaml("README.md"), yaml("docs/exploring.md"));
    let toml = blocks(&page("docs/operations.md")).into_iter().find(|block| block.language == "toml");
    bench.write("rutter.toml", &nowhere(&toml.expect("an example in TOML").text));
    bench.write("options.toml", &planner_options());
    bench.write("shop.yaml", &tasks);
    bench.write("tasks.yaml", &tasks);
    bench.write("customer.yaml", &login);
    // It is run as it stands there.
    std::fs::create_dir_all(bench.path("deploy/compose")).expect("a folder");
    std::fs::copy(root().join("deploy/compose/setup.sh"), bench.path("deploy/compose/setup.sh")).expect("copied");
    bench.write("lines.json", r#"{"meta": {"format": 3}, "files": {}}"#);
    let line = r#"{"id": "look", "start_url": "https://shop.example/", "instruction": "Click \"Buy\"."}"#;
    for folder in ["nightly", "generated"] {
        std::fs::create_dir_all(bench.path(folder)).expect("a folder");
        bench.write(&format!("{folder}/tasks.jsonl"), &format!("{line}\n"));
    }
}

/// The example of a file of a planner's options.
fn planner_options() -> String {
    let mut named = blocks(&page("docs/planners.md")).into_iter().filter(|block| is_planner_options(&block.text));
    named.next().expect("an example of planner options").text
}

fn is_planner_options(text: &str) -> bool {
    text.starts_with("# options.toml")
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_of_the_pages_is_one_that_the_program_takes() {
    let bench = Bench::new();
    files(&bench);
    let (makefile, programs) = (page("Makefile"), programs());
    let mut wrong = Vec::new();
    for (path, script) in scripts() {
        for call in calls(&bench, &nowhere(&script)) {
            let [program, arguments @ ..] = call.as_slice() else { panic!("{path}: {script}") };
            let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let trouble = match program.as_str() {
                "rutter" => {
                    // A role would stay.
                    if arguments[0] == "serve" {
                        arguments.push("--help");
                    }
                    let said = bench.run_with(&arguments, &SURROUNDINGS).await;
                    let is_fine = match said.code {
                        0 | 1 | 3 | 4 => true,
                        // What an earlier command would have left.
                        2 => ["is no run directory", "No such file", "there is no experience"]
                            .iter()
                            .any(|missing| said.stderr.contains(missing)),
                        _ => false,
                    };
                    (!is_fine).then_some(said.stderr)
                }
                "make" => {
                    let is_there = makefile.contains(&format!("\n{}:", arguments[0]));
                    (!is_there).then(|| "there is no such target".to_owned())
                }
                "cargo" => {
                    let named = arguments.iter().skip_while(|word| **word != "--bin").nth(1);
                    let is_there = named.is_some_and(|name| programs.contains(*name));
                    (!is_there).then(|| "there is no such program".to_owned())
                }
                _ => None,
            };
            wrong.extend(trouble.map(|trouble| format!("{path}: {}\n{trouble}", call.join(" "))));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The programs of the workspace.
fn programs() -> BTreeSet<String> {
    let metadata = MetadataCommand::new().manifest_path(root().join("Cargo.toml")).no_deps().exec().expect("metadata");
    metadata.packages.iter().flat_map(|package| &package.targets).map(|target| target.name.clone()).collect()
}

/// Whether the schema of the settings has a field, by the names that lead to it.
fn has(schema: &Value, at: &Value, path: &[&str]) -> bool {
    let [name, rest @ ..] = path else { return true };
    let referred = at["$ref"].as_str().and_then(|to| schema.pointer(to.trim_start_matches('#')));
    let choices = ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|kind| at[kind].as_array()).flatten();
    let further = [&at["properties"][*name], &at["additionalProperties"]].into_iter().filter(|field| field.is_object());
    further.into_iter().any(|field| has(schema, field, rest))
        || choices.chain(referred).any(|choice| has(schema, choice, path))
}

/// The texts of the sources, in which every variable stands that a program or a test reads.
fn sources(folder: &Path, found: &mut String) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|kind| ["rs", "sh", "py"].iter().any(|known| kind == *known)) {
            found.push_str(&std::fs::read_to_string(path).unwrap_or_default());
        }
    }
}

#[test]
fn every_variable_and_setting_of_the_pages_exists() {
    let schema: Value = serde_json::from_str(&page("docs/reference/settings.schema.json")).expect("a schema");
    let mut known = String::new();
    for folder in ["services", "proto", "loadtests", "deploy"] {
        sources(&root().join(folder), &mut known);
    }
    let variable = Regex::new("RUTTER_[A-Z0-9_]*[A-Z0-9]").expect("a pattern");
    let setting = Regex::new(r"`([a-z_]+(?:\.[a-z0-9_]+)+)(?:`| =)").expect("a pattern");
    let mut wrong = BTreeSet::new();
    let help = [("docs/reference/cli.md".to_owned(), page("docs/reference/cli.md"))];
    for (path, page) in guides().into_iter().chain(help) {
        for name in variable.find_iter(&page).map(|found| found.as_str()) {
            let field = name["RUTTER_".len()..].to_lowercase();
            let field: Vec<&str> = field.split("__").collect();
            let exists = if field.len() > 1 { has(&schema, &schema, &field) } else { known.contains(name) };
            if !exists {
                wrong.insert(format!("{path}: there is no variable {name}"));
            }
        }
        for name in setting.captures_iter(&page).filter_map(|found| found.get(1)).map(|found| found.as_str()) {
            let field: Vec<&str> = name.split('.').collect();
            let is_file = field.last().is_some_and(|last| ["rs", "md", "json", "yaml", "html"].contains(last));
            let is_setting = !is_file && schema["properties"].get(field[0]).is_some();
            if is_setting && !has(&schema, &schema, &field) {
                wrong.insert(format!("{path}: there is no setting {name}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn every_configuration_of_the_pages_is_loaded() {
    let bench = Bench::new();
    for (path, page) in guides() {
        // Those of this page are run by a test of their own.
        if path == "docs/verdicts.md" {
            continue;
        }
        for (number, block) in blocks(&page).into_iter().enumerate() {
            let name = |kind: &str| format!("{}-{number}.{kind}", path.replace(['/', '.'], "-"));
            match block.language.as_str() {
                // The commands of the page name it.
                "toml" if is_planner_options(&block.text) => {}
                "toml" => {
                    let file = bench.write(&name("toml"), &block.text).display().to_string();
                    bench.run(&["config", "check", "--config", &file]).await.exits(0);
                }
                // Resources of Kubernetes: the API server is asked about them by `make kube-test`.
                "yaml" if block.text.starts_with("apiVersion:") => {}
                "yaml" => {
                    let first = block.text.split(':').next().map(str::to_owned);
                    let (arguments, text) = match first.as_deref() {
                        Some("role") => (["explore", "https://shop.example/", "--login"], block.text),
                        Some("check") => (["run", "--workers", "1"], task_with(&block.text)),
                        _ => (["run", "--workers", "1"], block.text),
                    };
                    // A file that a task gives to a site stands beside its own.
                    for (_, named) in text.lines().filter_map(|line| line.split_once("{file: ")) {
                        let named = named.split('}').next().unwrap_or_default();
                        if !named.contains('/') {
                            bench.write(named, "");
                        }
                    }
                    let file = bench.write(&name("yaml"), &text).display().to_string();
                    let arguments: Vec<&str> = arguments.into_iter().chain([file.as_str()]).collect();
                    // It is read and found good before a browser is looked for, which there is not.
                    bench.run_with(&arguments, &SURROUNDINGS).await.exits(3);
                }
                "json" => {
                    let read: Result<planner::PoolOptions, _> = serde_json::from_str(&block.text);
                    assert!(read.is_ok(), "{path}: {read:?}");
                }
                "sh" | "text" => {}
                other => {
                    panic!("{path}: is a block of `{other}` an example? Then it is to be tried here, else it is `text`")
                }
            }
        }
    }
}

/// A task with this part of one.
fn task_with(part: &str) -> String {
    let start = "tasks:\n  - id: look\n    start_url: https://shop.example/\n    instruction: Click \"Buy\".\n";
    part.lines().fold(start.to_owned(), |task, line| format!("{task}    {line}\n"))
}
