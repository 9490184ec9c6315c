//! `docs/recipes.md` names files and items that exist.

use super::architecture::{root, sources};
use regex::Regex;
use std::collections::BTreeSet;

#[test]
fn what_the_recipes_name_exists() {
    let page = std::fs::read_to_string(root().join("docs/recipes.md")).expect("the recipes");
    // Every other part stands in a fence: an example, which shows what does not exist yet.
    let prose: String = page.split("\n```").step_by(2).collect();
    let word = Regex::new(r"\w+").expect("a pattern");
    let sources: String = sources()
        .iter()
        .map(|file| std::fs::read_to_string(file).expect("a source file"))
        .collect::<Vec<_>>()
        .join("\n");
    let known: BTreeSet<&str> = word.find_iter(&sources).map(|found| found.as_str()).collect();
    let named = Regex::new(r"`([^`\s]+)`").expect("a pattern");
    let item = Regex::new(r"^[A-Z]\w+$|^\w+(::\w+)+$").expect("a pattern");
    let mut wrong = Vec::new();
    let mut looked_at = 0;
    for name in named.captures_iter(&prose).filter_map(|found| found.get(1)).map(|found| found.as_str()) {
        // The reader's own name stands for what is added.
        if name.contains("NAME") {
            continue;
        }
        let exists = if name.contains('/') && !name.contains("://") {
            root().join(name).exists()
        } else if item.is_match(name) {
            name.split("::").all(|part| known.contains(part))
        } else {
            continue;
        };
        looked_at += 1;
        if !exists {
            wrong.push(name);
        }
    }
    assert!(looked_at > 10, "only {looked_at} names were looked at");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
