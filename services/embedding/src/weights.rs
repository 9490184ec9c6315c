//! Where the encoder's files stand on this machine.

use crate::Error;
use std::path::{Path, PathBuf};

/// The environment variable that names the directory of the weights.
pub const DIRECTORY_VARIABLE: &str = "RUTTER_MINILM_DIR";

/// Where `make setup` puts them, relative to the repository.
const SETUP_DIRECTORY: &str = ".cache/minilm";

const FILES: [&str; 3] = ["model.safetensors", "tokenizer.json", "config.json"];

/// A directory that holds all files of the encoder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    directory: PathBuf,
}

impl Weights {
    /// Looks where the environment says, and only there if it says anything; else in `.cache/minilm` of the current
    /// directory, of the program's directory, and of their ancestors.
    ///
    /// # Errors
    /// [`Error::Missing`] with every place that was looked into.
    pub fn find() -> Result<Weights, Error> {
        if let Some(directory) = std::env::var_os(DIRECTORY_VARIABLE).filter(|value| !value.is_empty()) {
            return Weights::among(&[PathBuf::from(directory)]);
        }
        let starts = [std::env::current_dir().ok(), std::env::current_exe().ok()];
        let candidates: Vec<PathBuf> = starts
            .iter()
            .flatten()
            .flat_map(|start| start.ancestors())
            .map(|ancestor| ancestor.join(SETUP_DIRECTORY))
            .collect();
        let existing: Vec<PathBuf> = candidates.iter().filter(|path| path.is_dir()).cloned().collect();
        if existing.is_empty() {
            Weights::among(&candidates[..candidates.len().min(1)])
        } else {
            Weights::among(&existing)
        }
    }

    /// The first of these directories that holds all files.
    ///
    /// # Errors
    /// [`Error::Missing`].
    pub fn among(directories: &[PathBuf]) -> Result<Weights, Error> {
        let complete = directories.iter().find(|directory| first_missing(directory).is_none());
        if let Some(directory) = complete {
            return Ok(Weights { directory: directory.clone() });
        }
        let missing = directories.iter().find_map(|directory| first_missing(directory)).unwrap_or(FILES[0]);
        Err(Error::Missing {
            missing: missing.to_owned(),
            looked_in: directories.to_vec(),
            variable: DIRECTORY_VARIABLE,
        })
    }

    pub(crate) fn model(&self) -> PathBuf {
        self.directory.join(FILES[0])
    }

    pub(crate) fn tokenizer(&self) -> PathBuf {
        self.directory.join(FILES[1])
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.directory.join(FILES[2])
    }
}

fn first_missing(directory: &Path) -> Option<&'static str> {
    FILES.into_iter().find(|file| !directory.join(file).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_weights_say_what_is_missing_where_and_what_to_run() {
        let nowhere = PathBuf::from("/nonexistent/minilm");
        let message = Weights::among(&[nowhere]).expect_err("nothing there").to_string();
        assert!(message.contains("model.safetensors"), "{message}");
        assert!(message.contains("/nonexistent/minilm"), "{message}");
        assert!(message.contains("make setup"), "{message}");
        assert!(message.contains(DIRECTORY_VARIABLE), "{message}");
    }
}
