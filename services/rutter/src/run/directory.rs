//! Where a run is kept: database, blobs, settings, results, tests, report.

use super::config::{Config, FORMAT};
use crate::exit::{Exit, OrExit, Outcome, failure};
use anyhow::Context as _;
use serde::Serialize;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The directory of one run.
#[derive(Clone, Debug)]
pub(crate) struct Directory(PathBuf);

const SETTINGS: &str = "run.json";
const ELAPSED: &str = "elapsed.json";

impl Directory {
    /// A new directory for a run.
    ///
    /// # Errors
    /// It holds a run already, or cannot be written.
    pub(crate) fn create(path: &Path, config: &Config) -> Outcome<Directory> {
        if path.join(SETTINGS).exists() {
            let path = path.display();
            return failure(
                Exit::Usage,
                format!("{path} holds a run already; go on with it by --resume {path}, or name another directory"),
            );
        }
        fs::create_dir_all(path).with_context(|| format!("create {}", path.display())).or_exit(Exit::Storage)?;
        let directory = Directory(path.to_owned());
        directory.write_json(SETTINGS, config)?;
        Ok(directory)
    }

    /// The directory of an earlier run, with its settings.
    ///
    /// # Errors
    /// There is no run in it, or one of another version.
    pub(crate) fn open(path: &Path) -> Outcome<(Directory, Config)> {
        let settings = path.join(SETTINGS);
        let Ok(text) = fs::read_to_string(&settings) else {
            return failure(
                Exit::Usage,
                format!("{} is no run directory: it has no readable {SETTINGS}", path.display()),
            );
        };
        let config: Config = serde_json::from_str(&text)
            .with_context(|| format!("read {}", settings.display()))
            .or_exit(Exit::Storage)?;
        if config.format != FORMAT {
            let message = format!(
                "{}: written by another version (format {}, this one reads {FORMAT})",
                settings.display(),
                config.format
            );
            return failure(Exit::Storage, message);
        }
        Ok((Directory(path.to_owned()), config))
    }

    /// The path of the directory.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The path of something in it.
    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Seconds that earlier sessions of the run took.
    pub(crate) fn elapsed_s(&self) -> f64 {
        let text = fs::read_to_string(self.join(ELAPSED)).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or(0.0)
    }

    /// Keeps how long the run took so far.
    pub(crate) fn set_elapsed_s(&self, seconds: f64) -> Outcome<()> {
        self.write_json(ELAPSED, &seconds)
    }

    /// Writes a file that a reader sees whole or not at all.
    pub(crate) fn write(&self, name: &str, content: &[u8]) -> Outcome<()> {
        let path = self.join(name);
        write_whole(&path, content).with_context(|| format!("write {}", path.display())).or_exit(Exit::Storage)
    }

    /// Writes a value as JSON.
    pub(crate) fn write_json(&self, name: &str, value: &impl Serialize) -> Outcome<()> {
        let mut text = serde_json::to_vec_pretty(value).context("encode JSON").or_exit(Exit::Internal)?;
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

/// A name that is safe as a file name on every system, and still readable.
pub(crate) fn file_name(text: &str) -> String {
    let safe = |letter: char| if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '-' };
    let name: String = text.chars().map(safe).take(100).collect();
    let name = name.trim_matches(['.', '-']);
    if name.is_empty() { "unnamed".into() } else { name.to_owned() }
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
    fn something_that_is_no_run_is_refused() {
        let folder = tempfile::tempdir().expect("a directory");
        let refused = Directory::open(folder.path()).expect_err("nothing there");
        assert_eq!(refused.exit, Exit::Usage);
        assert!(refused.to_string().contains("no run directory"));
    }
}
