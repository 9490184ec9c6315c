//! `docs/recipes.md` names paths and identifiers that exist.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What stands in backticks outside of examples; what holds a word for the reader's own name is left out.
fn quoted(page: &str) -> Vec<String> {
    let prose: String = page.split("```").step_by(2).collect();
    let words = prose.split('`').skip(1).step_by(2).map(str::to_owned);
    words.filter(|word| !["NAME", "TYPE", "URL"].iter().any(|own| word.contains(own))).collect()
}

/// The text of every source file below a folder.
fn sources(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            text.push_str(&fs::read_to_string(&path).expect("readable"));
        }
    }
}

#[test]
fn recipes_name_what_exists() {
    let page = fs::read_to_string(root().join("docs/recipes.md")).expect("the page");
    let mut code = String::new();
    for room in ["planner/src", "crawler/src", "backends/src", "node/src", "domain/src", "benchmarks/src", "rutter/src"]
    {
        sources(&root().join("services").join(room), &mut code);
    }
    let words: std::collections::HashSet<&str> =
        code.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
    let (mut paths, mut names) = (0, 0);
    for word in quoted(&page) {
        if word.contains(' ') || word.contains('<') {
            continue;
        }
        if word.contains('/') {
            assert!(root().join(&word).exists(), "docs/recipes.md names `{word}`, which does not exist");
            paths += 1;
            continue;
        }
        let name = word.split('(').next().unwrap_or_default().trim_end_matches('!');
        for part in name.split("::") {
            assert!(words.contains(part), "docs/recipes.md names `{word}`: there is no `{part}` in the code");
            names += 1;
        }
    }
    assert!(paths >= 8 && names >= 20, "only {paths} paths and {names} names were found");
}
