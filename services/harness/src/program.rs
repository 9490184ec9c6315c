//! The binary under test, as a person or a script starts it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

/// Where the binary is. Tests of the whole workspace build it beside the test programs; alone, `cargo build --bin rutter`
/// does.
///
/// # Panics
/// When it is missing, or older than what it is built from.
pub fn binary() -> PathBuf {
    binary_of("rutter")
}

/// The same for another binary of the workspace, by its name.
///
/// # Panics
/// As [`binary`].
pub fn binary_of(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the path of this program");
    let folder = test.ancestors().nth(2).expect("target/PROFILE/deps/test");
    let binary = folder.join(name);
    assert!(binary.is_file(), "{} is missing: run `cargo build --bin {name}` first", binary.display());
    let stale = sources_of(&binary).into_iter().find(|source| modified(source) > modified(&binary));
    if let Some(source) = stale {
        panic!("{} is older than {}: run `cargo build --bin {name}` first", binary.display(), source.display());
    }
    binary
}

/// The binary with arguments, and with the repository's weights and pages wherever the working directory is.
///
/// # Panics
/// As [`binary`].
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(binary());
    command.args(arguments).stdin(Stdio::null()).envs(places());
    command
}

/// Variables that name the repository's weights and pages to a program, wherever it and its working directory are. Those of the
/// environment go before.
pub fn places() -> [(&'static str, OsString); 2] {
    let cache = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache");
    [("RUTTER_MINILM_DIR", "minilm"), ("RUTTER_MINIWOB_DIR", "miniwob/html")]
        .map(|(variable, place)| (variable, std::env::var_os(variable).unwrap_or_else(|| cache.join(place).into())))
}

/// What the binary was built from, as cargo wrote it down.
fn sources_of(binary: &Path) -> Vec<PathBuf> {
    let list = std::fs::read_to_string(binary.with_extension("d")).unwrap_or_default();
    let sources = list.split_once(": ").map(|(_, sources)| sources.to_owned()).unwrap_or_default();
    sources.split_whitespace().map(PathBuf::from).collect()
}

fn modified(path: &Path) -> SystemTime {
    std::fs::metadata(path).and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
}
