//! The chart: what is made from its comments is fresh, what it copies is equal, and what it renders is what was looked at.

mod compose;
mod figures;
mod reference;
mod rendered;

use std::path::{Path, PathBuf};

/// A path of the chart.
fn chart(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../helm/rutter").join(path)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("read {}: {error}", path.display()))
}

/// Compares a file with what it should be, or writes it where that is asked for.
#[track_caller]
fn check_fresh(path: &Path, expected: &str) {
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, expected).expect("written");
    }
    let there = std::fs::read_to_string(path).unwrap_or_default();
    if there == expected {
        return;
    }
    let differ = there.lines().zip(expected.lines()).position(|(one, other)| one != other);
    let line = differ.unwrap_or_else(|| there.lines().count().min(expected.lines().count()));
    panic!(
        "{} is stale from line {}: `{}` should be `{}`\nUPDATE_REFERENCE=1 cargo nextest run -p operator",
        path.display(),
        line + 1,
        there.lines().nth(line).unwrap_or_default(),
        expected.lines().nth(line).unwrap_or_default(),
    );
}
