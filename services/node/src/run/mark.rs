//! The marks by which a user's own run directories and recorded tests are told from others': a file, hashed with a key that only this
//! user of this machine can read. What came from elsewhere, or was changed, has no valid mark.

use platform::user_key::user_key;
use report::Directory;
use report::directory::SETTINGS;
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The file of the mark, beside the settings.
const MARK: &str = "run.mark";
/// The marks of tests, one a line, beside their folder.
const TESTS: &str = "tests.marks";

/// Marks a run directory as this user's. A directory that cannot be marked counts as somebody else's.
pub(super) fn put(directory: &Directory) {
    let written = of(directory).and_then(|mark| fs::write(directory.join(MARK), mark));
    if let Err(error) = written {
        tracing::warn!(%error, "the run directory could not be marked as yours: --resume will ask before it uses this machine");
    }
}

/// Takes the mark off a run directory that was made for somebody else's.
pub fn remove(directory: &Directory) {
    // What is not there marks nothing.
    let _ = fs::remove_file(directory.join(MARK));
}

/// Whether this user of this machine made the directory, and nobody changed its settings since.
pub fn is_own(directory: &Directory) -> bool {
    let found = fs::read_to_string(directory.join(MARK)).ok();
    found.is_some_and(|found| of(directory).is_ok_and(|mark| mark == found.trim()))
}

/// Marks the tests that were recorded in a directory of this user's; those of another stay without.
pub fn put_on_tests(directory: &Directory) {
    let folder = directory.join("tests");
    let marked = || -> io::Result<()> {
        let key = key()?;
        let marks = test_files(&folder)?.iter().map(|file| of_file(file, &key)).collect::<io::Result<Vec<String>>>()?;
        fs::write(directory.join(TESTS), marks.join("\n"))
    };
    if folder.is_dir()
        && is_own(directory)
        && let Err(error) = marked()
    {
        tracing::warn!(%error, "the tests could not be marked as yours: replay will ask before it uses this machine");
    }
}

/// Whether this user recorded a test, or all tests of a folder, and nobody changed them since.
pub fn are_own_tests(path: &Path) -> bool {
    let (folder, files) = match path.is_dir() {
        true => (path, test_files(path)),
        false => (path.parent().unwrap_or(path), Ok(vec![path.to_owned()])),
    };
    let marks = folder.parent().and_then(|run| fs::read_to_string(run.join(TESTS)).ok()).unwrap_or_default();
    let marks: HashSet<&str> = marks.lines().collect();
    let Ok((files, key)) = files.and_then(|files| Ok((files, key()?))) else { return false };
    files.iter().all(|file| of_file(file, &key).is_ok_and(|mark| marks.contains(mark.as_str())))
}

fn test_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let files =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<PathBuf>>>()?;
    Ok(files.into_iter().filter(|file| file.extension().is_some_and(|kind| kind == "json")).collect())
}

fn of(directory: &Directory) -> io::Result<String> {
    of_file(&directory.join(SETTINGS), &key()?)
}

fn of_file(file: &Path, key: &[u8; 32]) -> io::Result<String> {
    Ok(blake3::keyed_hash(key, &fs::read(file)?).to_hex().to_string())
}

fn key() -> io::Result<[u8; 32]> {
    user_key("run-directories")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_own_until_its_settings_are_changed() {
        let folder = tempfile::tempdir().expect("a directory");
        let directory = Directory::at(folder.path());
        fs::write(directory.join(SETTINGS), "{}").expect("written");
        assert!(!is_own(&directory), "nobody marked it");
        put(&directory);
        assert!(is_own(&directory));
        fs::write(directory.join(SETTINGS), r#"{"reset": "other"}"#).expect("written");
        assert!(!is_own(&directory), "its settings are other ones now");
    }

    #[test]
    fn recorded_tests_are_own_until_they_are_changed_or_joined_by_others() {
        let folder = tempfile::tempdir().expect("a directory");
        let directory = Directory::at(folder.path());
        let tests = directory.join("tests");
        fs::create_dir(&tests).expect("a folder");
        fs::write(directory.join(SETTINGS), "{}").expect("written");
        fs::write(tests.join("a.json"), "{}").expect("written");
        put_on_tests(&directory);
        assert!(!are_own_tests(&tests), "the directory is not marked");
        put(&directory);
        put_on_tests(&directory);
        assert!(are_own_tests(&tests) && are_own_tests(&tests.join("a.json")));
        fs::write(tests.join("b.json"), r#"{"reset": "other"}"#).expect("written");
        assert!(!are_own_tests(&tests) && are_own_tests(&tests.join("a.json")));
        fs::write(tests.join("a.json"), r#"{"reset": "other"}"#).expect("written");
        assert!(!are_own_tests(&tests.join("a.json")));
    }
}
