//! Files that an action gives to a page.

use super::Profile;
use domain::upload;
use std::path::Path;
use tempfile::TempDir;

impl Profile {
    /// Files as the browser finds them: on a machine of its own it has none of ours.
    pub(super) async fn brought(&mut self, files: &[String]) -> Result<Vec<String>, String> {
        let placed: Result<Vec<String>, String> = files.iter().map(|file| self.place_of(file)).collect();
        let files = placed?;
        let Some(carrier) = &self.carrier else { return Ok(files) };
        futures::future::try_join_all(files.iter().map(|file| carrier.carry(file))).await
    }

    /// Where a file stands on this machine.
    fn place_of(&mut self, file: &str) -> Result<String, String> {
        let own = self.options.files.contains_key(file).then_some(file);
        match upload::name_of(file).or(own) {
            Some(name) => match self.options.files.get(name) {
                Some(path) if path.is_file() => Ok(path.display().to_string()),
                // The samples of an exploration that was recorded are deleted when it ends.
                Some(path) => Some(path)
                    .filter(|path| is_sample(&path.display().to_string()))
                    .and_then(|path| sample_again(&mut self.samples, path))
                    .ok_or_else(|| format!("there is no file {}", path.display())),
                None => Err(format!("the task has no file of the name `{name}`")),
            },
            // Those that an explorer makes for fields that want one.
            None if self.options.guards.is_some() && is_sample(file) => Ok(file.to_owned()),
            None => {
                Err("only files that the task names as parameters are put into fields, as `${file:NAME}`".to_owned())
            }
        }
    }
}

/// Writes a file once more that an explorer made, to a folder that goes with the profile.
fn sample_again(folder: &mut Option<TempDir>, file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?;
    let content = upload::sample(name)?;
    if folder.is_none() {
        *folder = Some(tempfile::Builder::new().prefix(upload::SAMPLES).tempdir().ok()?);
    }
    let path = folder.as_ref()?.path().join(name);
    std::fs::write(&path, content).ok()?;
    Some(path.display().to_string())
}

/// Whether a file is one that an explorer made.
fn is_sample(file: &str) -> bool {
    let path = Path::new(file);
    let folder = path.parent().filter(|folder| folder.parent() == Some(std::env::temp_dir().as_path()));
    let name = folder.and_then(Path::file_name).and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(upload::SAMPLES)) && path.file_name().is_some()
}
