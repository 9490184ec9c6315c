//! Small files for fields that want one. They are named by their names only until they are put into a field: then they are
//! written, to a folder that goes with the explorer.

use domain::Action;
use domain::upload::{self, sample};
use std::io;
use std::path::Path;
use tempfile::TempDir;

/// The folder of an explorer's files.
#[derive(Debug, Default)]
pub(super) struct Samples {
    folder: Option<TempDir>,
}

impl Samples {
    /// The action with files that are there: those of samples, also of another explorer's, are written.
    ///
    /// # Errors
    /// When they cannot be written.
    pub(super) fn placed(&mut self, action: Action) -> io::Result<Action> {
        let Action::Upload { element, files } = action else { return Ok(action) };
        let placed: io::Result<Vec<String>> = files.into_iter().map(|file| self.place(file)).collect();
        Ok(Action::Upload { element, files: placed? })
    }

    fn place(&mut self, file: String) -> io::Result<String> {
        let name = Path::new(&file).file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Some(content) = sample(name) else { return Ok(file) };
        if self.folder.is_none() {
            self.folder = Some(tempfile::Builder::new().prefix(upload::SAMPLES).tempdir()?);
        }
        let Some(folder) = &self.folder else { return Ok(file) };
        let path = folder.path().join(name);
        std::fs::write(&path, content)?;
        Ok(path.display().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ElementId;

    #[test]
    fn samples_are_written_when_they_are_used_and_go_with_the_explorer() {
        let mut samples = Samples::default();
        let upload = |file: &str| Action::Upload { element: ElementId(0), files: vec![file.to_owned()] };
        let Action::Upload { files, .. } = samples.placed(upload("/gone/sample.csv")).unwrap() else { panic!() };
        assert!(std::fs::read_to_string(&files[0]).unwrap().starts_with("name,quantity"));
        drop(samples);
        assert!(!Path::new(&files[0]).exists());
        assert_eq!(Samples::default().placed(upload("/own/file.txt")).unwrap(), upload("/own/file.txt"));
    }
}
