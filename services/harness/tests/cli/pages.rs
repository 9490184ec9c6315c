//! The pages that people read, and the fenced blocks in them.

use std::path::{Path, PathBuf};

/// A fenced block of a page.
pub(crate) struct Block {
    pub(crate) language: String,
    pub(crate) text: String,
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The page with a path from the root of the repository.
pub(crate) fn page(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The blocks of a page.
pub(crate) fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for line in page.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(language), None) => open = Some(Block { language: language.to_owned(), text: String::new() }),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => block.text += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    blocks
}

/// The guides: the README and the pages of `docs/`, by their paths.
pub(crate) fn guides() -> Vec<(String, String)> {
    let folder =
        std::fs::read_dir(root().join("docs")).expect("docs").map(|entry| entry.expect("an entry").file_name());
    let mut paths: Vec<String> = folder
        .filter_map(|name| name.into_string().ok().filter(|name| name.ends_with(".md")))
        .map(|name| format!("docs/{name}"))
        .chain(["README.md".to_owned()])
        .collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), page(&path))).collect()
}
