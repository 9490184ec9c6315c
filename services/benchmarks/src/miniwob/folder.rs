//! Finds the folder of the pages.

use crate::Error;
use crate::miniwob::BENCHMARK;
use std::path::{Path, PathBuf};

/// The variable that says where the pages are.
pub const DIRECTORY_VARIABLE: &str = "RUTTER_MINIWOB_DIR";

/// Where the set-up puts the pages, below the root of the repository.
const SET_UP: &str = ".cache/miniwob/html";

/// A file that the folder must hold.
const PROOF: &str = "core/core.js";

/// The folder of the pages: what the variable says, or what the set-up left here or in a folder above.
///
/// # Errors
/// [`Error::PagesMissing`] with the folders that were tried.
pub fn find() -> Result<PathBuf, Error> {
    let given = std::env::var_os(DIRECTORY_VARIABLE).map(PathBuf::from);
    let here = std::env::current_dir().unwrap_or_default();
    find_in(given, &here)
}

fn find_in(given: Option<PathBuf>, here: &Path) -> Result<PathBuf, Error> {
    let candidates = match given {
        Some(folder) => vec![folder],
        None => here.ancestors().map(|folder| folder.join(SET_UP)).collect(),
    };
    match candidates.iter().find(|folder| folder.join(PROOF).is_file()) {
        Some(folder) => Ok(folder.clone()),
        None => Err(Error::PagesMissing {
            benchmark: BENCHMARK,
            file: PROOF,
            looked: candidates.into_iter().take(1).collect(),
            remedy: "run `make setup` at the root of the repository, or set RUTTER_MINIWOB_DIR to the folder `html` of the \
                     Python package `miniwob` 1.1.0",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with_pages() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join(SET_UP).join("core")).unwrap();
        std::fs::write(root.path().join(SET_UP).join("core/core.js"), "var core = {};").unwrap();
        root
    }

    #[test]
    fn the_pages_of_the_set_up_are_found_from_any_folder_below_it() {
        let root = folder_with_pages();
        let below = root.path().join("services/harness");
        assert_eq!(find_in(None, &below).unwrap(), root.path().join(SET_UP));
    }

    #[test]
    fn a_given_folder_counts_alone() {
        let root = folder_with_pages();
        let elsewhere = root.path().join("nowhere");
        let error = find_in(Some(elsewhere), root.path()).unwrap_err().to_string();
        assert!(error.contains("nowhere") && error.contains("make setup"), "{error}");
    }

    #[test]
    fn missing_pages_are_an_error_that_says_what_to_do() {
        let root = tempfile::tempdir().unwrap();
        let error = find_in(None, root.path()).unwrap_err().to_string();
        assert!(error.contains(SET_UP) && error.contains(DIRECTORY_VARIABLE), "{error}");
    }
}
