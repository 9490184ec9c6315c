//! The mark by which a user's own run directories are told from others': the settings, hashed with a key that only this user of this
//! machine can read. A run directory that came from elsewhere, or whose settings were changed, has no valid mark.

use platform::user_key::user_key;
use report::Directory;
use report::directory::SETTINGS;
use std::fs;
use std::io;

/// The file of the mark, beside the settings.
const MARK: &str = "run.mark";

/// Marks a run directory as this user's. A directory that cannot be marked counts as somebody else's.
pub(super) fn put(directory: &Directory) {
    let written = of(directory).and_then(|mark| fs::write(directory.join(MARK), mark));
    if let Err(error) = written {
        tracing::warn!(%error, "the run directory could not be marked as yours: --resume will ask before it uses this machine");
    }
}

/// Whether this user of this machine made the directory, and nobody changed its settings since.
pub fn is_own(directory: &Directory) -> bool {
    let found = fs::read_to_string(directory.join(MARK)).ok();
    found.is_some_and(|found| of(directory).is_ok_and(|mark| mark == found.trim()))
}

fn of(directory: &Directory) -> io::Result<String> {
    let settings = fs::read(directory.join(SETTINGS))?;
    let hash = blake3::keyed_hash(&user_key("run-directories")?, &settings);
    Ok(hash.to_hex().to_string())
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
}
