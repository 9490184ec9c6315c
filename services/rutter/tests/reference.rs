//! The reference pages say what the binary says. `UPDATE_REFERENCE=1 cargo test -p rutter --test reference` writes them again.

use std::path::{Path, PathBuf};
use std::process::Command;

const COMMANDS: [&[&str]; 34] = [
    &[],
    &["run"],
    &["explore"],
    &["bench"],
    &["planners"],
    &["explain"],
    &["replay"],
    &["report"],
    &["doctor"],
    &["schema"],
    &["eval"],
    &["eval", "states"],
    &["graph"],
    &["graph", "show"],
    &["graph", "path"],
    &["graph", "search"],
    &["graph", "diff"],
    &["graph", "export"],
    &["serve"],
    &["ready"],
    &["config"],
    &["config", "show"],
    &["config", "check"],
    &["submit"],
    &["status"],
    &["watch"],
    &["pause"],
    &["resume"],
    &["cancel"],
    &["results"],
    &["quarantine"],
    &["quarantine", "list"],
    &["quarantine", "retry"],
    &["quarantine", "drop"],
];

/// Commands that only lead to others.
const LEADING: [&[&str]; 5] = [&[], &["eval"], &["graph"], &["config"], &["quarantine"]];

fn rutter(arguments: &[&str]) -> String {
    // The help must not depend on who asks.
    let output = Command::new(env!("CARGO_BIN_EXE_rutter"))
        .args(arguments)
        .env_clear()
        .env("COLUMNS", "110")
        .output()
        .expect("the binary starts");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[track_caller]
fn check_page(name: &str, fresh: &str) {
    let page: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference").join(name);
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::create_dir_all(page.parent().expect("a folder")).expect("the folder of the reference");
        std::fs::write(&page, fresh).expect("the page");
    }
    let kept = std::fs::read_to_string(&page).unwrap_or_default();
    assert!(
        kept == fresh,
        "docs/reference/{name} is stale; run `UPDATE_REFERENCE=1 cargo test -p rutter --test reference` and look at the difference"
    );
}

#[test]
fn the_command_line_reference_is_what_the_help_says() {
    let mut page = "# Command line\n\nWhat `--help` says. Generated; a test fails when it is stale.\n".to_owned();
    for command in COMMANDS {
        let mut arguments = command.to_vec();
        arguments.push("--help");
        let help: Vec<String> = rutter(&arguments).lines().map(|line| line.trim_end().to_owned()).collect();
        let title = ["rutter"].iter().chain(command).copied().collect::<Vec<_>>().join(" ");
        page.push_str(&format!("\n## {title}\n\n```text\n{}\n```\n", help.join("\n").trim_end()));
    }
    check_page("cli.md", &page);
}

#[test]
fn every_command_shows_an_example() {
    for command in COMMANDS.iter().filter(|command| !LEADING.contains(command)) {
        let mut arguments = command.to_vec();
        arguments.push("--help");
        assert!(rutter(&arguments).contains("Examples:"), "{command:?}");
    }
}

#[test]
fn the_schema_of_task_files_is_published() {
    check_page("task.schema.json", &rutter(&["schema", "task"]));
}

#[test]
fn the_schema_of_tests_is_published() {
    check_page("test.schema.json", &rutter(&["schema", "test"]));
}

#[test]
fn the_schema_of_settings_is_published() {
    check_page("settings.schema.json", &rutter(&["config", "schema"]));
}
