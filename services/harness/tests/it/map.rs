//! The architecture page leads to the code: every path that it or the page on style names exists, and every question of its
//! table leads to a function or type.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders that a path of the page may be relative to.
const BASES: [&str; 3] = ["", "services", "docs"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    fs::read_to_string(root().join("docs").join(name)).expect(name)
}

/// What stands between backticks in a line.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

fn found(path: &str) -> Option<PathBuf> {
    BASES.iter().map(|base| root().join(base).join(path.trim_end_matches('/'))).find(|path| path.exists())
}

/// Whether a quoted text is meant as a path: it has a folder, and nothing that only code or a command has.
fn is_path(text: &str) -> bool {
    text.trim_end_matches('/').contains('/') && !text.contains([' ', ':', '*', '<', '{', '|'])
}

#[test]
fn every_path_of_the_pages_on_architecture_and_style_exists() {
    let pages = [page("architecture.md"), page("style.md")];
    let lines = pages.iter().flat_map(|page| page.lines());
    let paths: BTreeSet<&str> = lines.flat_map(quoted).filter(|text| is_path(text)).collect();
    assert!(paths.len() > 20, "found {} paths only", paths.len());
    let missing: Vec<&str> = paths.into_iter().filter(|path| found(path).is_none()).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

/// A function or type that the named text defines.
fn defines(text: &str, name: &str) -> bool {
    ["fn", "struct", "enum", "trait", "type", "const", "mod"].iter().any(|keyword| {
        text.match_indices(&format!("{keyword} {name}")).any(|(at, found)| {
            !text[at + found.len()..].starts_with(|next: char| next.is_alphanumeric() || next == '_')
        })
    })
}

#[test]
fn every_question_of_the_architecture_page_leads_to_a_function_or_type_in_the_files_it_names() {
    let page = page("architecture.md");
    let questions: Vec<&str> = page.lines().filter(|line| line.starts_with("| Where ")).collect();
    assert_eq!(questions.len(), 11, "{questions:#?}");
    for question in questions {
        let (paths, names): (Vec<&str>, Vec<&str>) = quoted(question).partition(|text| is_path(text));
        assert!((1..=3).contains(&paths.len()), "more than three files to open: {question}");
        let texts: Vec<String> =
            paths.iter().map(|path| fs::read_to_string(found(path).expect(path)).expect(path)).collect();
        assert!(!names.is_empty(), "{question}");
        for name in names {
            for part in name.split("::") {
                let is_there = |text: &String| defines(text, part) || text.contains(&format!("impl {part} "));
                assert!(texts.iter().any(is_there), "`{part}` is in none of {paths:?}");
            }
        }
    }
}

#[test]
fn what_does_not_exist_is_found() {
    assert!(found("browser/src/gate.rs").is_some() && found("browser/src/no_such_file.rs").is_none());
    assert!(is_path("browser/src/gate.rs") && !is_path("rutter run") && !is_path("Scope::check"));
    assert!(defines("pub fn judge(", "judge") && !defines("pub fn judged(", "judge") && !defines("judge()", "judge"));
}
