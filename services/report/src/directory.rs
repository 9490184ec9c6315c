//! Where a run is kept: database, blobs, settings, results, tests, report.

use crate::Error;
use serde::Serialize;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The directory of one run.
#[derive(Clone, Debug)]
pub struct Directory(PathBuf);

/// The file with the settings that the run was started with.
pub const SETTINGS: &str = "run.json";
const ELAPSED: &str = "elapsed.json";

impl Directory {
    /// The directory of a run, which holds its settings.
    pub fn at(path: &Path) -> Directory {
        Directory(path.to_owned())
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The path of something in it.
    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Seconds that earlier sessions of the run took.
    pub fn elapsed_s(&self) -> f64 {
        let text = fs::read_to_string(self.join(ELAPSED)).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or(0.0)
    }

    /// Keeps how long the run took so far.
    ///
    /// # Errors
    /// As [`Directory::write`].
    pub fn set_elapsed_s(&self, seconds: f64) -> Result<(), Error> {
        self.write_json(ELAPSED, &seconds)
    }

    /// Writes a file that a reader sees whole or not at all.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn write(&self, name: &str, content: &[u8]) -> Result<(), Error> {
        let path = self.join(name);
        let action = || format!("write {}", path.display());
        write_whole(&path, content).map_err(|source| Error::File { action: action(), source })
    }

    /// Writes a value as JSON.
    ///
    /// # Errors
    /// As [`Directory::write`]; [`Error::Encode`] for a value that has no JSON.
    pub fn write_json(&self, name: &str, value: &impl Serialize) -> Result<(), Error> {
        let text = serde_json::to_vec_pretty(value);
        let mut text = text.map_err(|source| Error::Encode { action: "encode JSON", source })?;
        text.push(b'\n');
        self.write(name, &text)
    }
}

fn write_whole(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = folder.join(name);
    let mut file = fs::File::create(&part)?;
    file.write_all(content)?;
    file.sync_all()?;
    fs::rename(&part, path)
}

/// Bytes of a file's name, so that its ending and a number still fit into the 255 that file systems allow.
const LONGEST_NAME: usize = 150;

/// A name that is safe as a file name on every system, and still readable. A long one is cut, with what tells it from others
/// that begin alike.
pub fn file_name(text: &str) -> String {
    let safe = |letter: char| if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '-' };
    let whole: String = text.chars().map(safe).collect();
    let name = whole.trim_matches(['.', '-']);
    if name.len() <= LONGEST_NAME {
        return if name.is_empty() { "unnamed".into() } else { name.to_owned() };
    }
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let end = (0..=LONGEST_NAME - 17).rev().find(|end| name.is_char_boundary(*end)).unwrap_or_default();
    format!("{}-{:016x}", &name[..end], hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_never_leave_their_folder() {
        assert_eq!(file_name("click-test/3"), "click-test-3");
        assert_eq!(file_name("../../etc/passwd"), "etc-passwd");
        assert_eq!(file_name("/"), "unnamed");
    }

    #[test]
    fn long_names_are_short_enough_for_every_file_system_and_stay_different() {
        let names = ["ü".repeat(400), format!("{}x", "ü".repeat(400)), "a".repeat(400)].map(|text| file_name(&text));
        assert!(names.iter().all(|name| name.len() <= LONGEST_NAME), "{names:?}");
        assert_ne!(names[0], names[1]);
        let longest = "a".repeat(LONGEST_NAME);
        assert_eq!(file_name(&longest), longest);
    }
}
