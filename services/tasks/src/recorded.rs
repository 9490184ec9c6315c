//! Recorded tests in the native JSON format, read from files and folders, and the jobs that replay them.

use crate::Error;
use domain::JobId;
use domain::action::Action;
use domain::job::{BenchmarkTask, Work};
use domain::task::{Parameter, Task};
use domain::test::{FORMAT, Start, Test};
use domain::upload;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Reads tests from files and folders, by their names.
///
/// # Errors
/// A file or folder that cannot be read or holds no test, and two tests of one name.
pub fn load_tests(paths: &[PathBuf]) -> Result<BTreeMap<String, Test>, Error> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let found = files.len();
            files.extend(entries(path)?.into_iter().filter(|path| is_test(path)));
            if files.len() == found {
                return Err(Error::Tests(format!("{}: there is no test in this folder", path.display())));
            }
        } else {
            files.push(path.clone());
        }
    }
    let mut tests = BTreeMap::new();
    for file in files {
        let test = read(&file)?;
        let name = test.name.clone();
        if tests.insert(name.clone(), test).is_some() {
            return Err(Error::Tests(format!("{}: two tests are named `{name}`", file.display())));
        }
    }
    if tests.is_empty() {
        let cause = "no test was found; name files or folders of tests in the native JSON format";
        return Err(Error::Tests(cause.to_owned()));
    }
    Ok(tests)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = std::fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<PathBuf>>>());
    entries.map_err(|source| Error::File { action: format!("read {}", folder.display()), source })
}

fn is_test(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

fn read(file: &Path) -> Result<Test, Error> {
    let action = || format!("read the test {}", file.display());
    let text = std::fs::read_to_string(file).map_err(|source| Error::File { action: action(), source })?;
    let test: Test = serde_json::from_str(&text).map_err(|source| Error::Json { action: action(), source })?;
    if test.format != FORMAT {
        return Err(Error::Tests(format!(
            "{}: format {} of tests is not known here, this version reads {FORMAT}",
            file.display(),
            test.format
        )));
    }
    Ok(test)
}

/// The job that replays a test, on its own seed or another.
///
/// # Errors
/// [`Error::Tests`]: another seed is for tests of a benchmark.
pub fn job_of_test(name: &str, test: &Test, seed: Option<u64>) -> Result<(JobId, Work), Error> {
    match (&test.start, seed) {
        (Start::Task { task, site }, None) => {
            let task = Box::new(with_files_of(test, task));
            Ok((JobId::new(name), Work::Task { task, site: site.clone() }))
        }
        (Start::Task { .. }, Some(_)) => Err(Error::Tests(format!("{name}: --seed is for tests of a benchmark"))),
        (Start::Benchmark(task), None) => Ok((JobId::new(name), Work::Benchmark(task.clone()))),
        (Start::Benchmark(task), Some(seed)) => {
            Ok((JobId::new(format!("{name}@{seed}")), Work::Benchmark(BenchmarkTask { seed, ..task.clone() })))
        }
    }
}

/// The task of a test, which names every file that a step of it uploads: what a machine gives away is asked about as every file of a task.
fn with_files_of(test: &Test, task: &Task) -> Task {
    let mut task = task.clone();
    for step in &test.steps {
        let Action::Upload { files, .. } = &step.action else { continue };
        for file in files.iter().filter(|file| upload::name_of(file).is_none()) {
            task.parameters.insert(file.clone(), Parameter::File { file: file.into() });
        }
    }
    task
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::privilege::Privilege;
    use serde_json::json;

    #[test]
    fn a_test_asks_for_every_file_that_a_step_uploads() {
        let upload = |file: &str| {
            let element = json!({"role": "button", "name": "Picture", "tag": "input", "locators": [], "matches": [], "context": "",
                "bounds": {"x": 0, "y": 0, "width": 1, "height": 1}});
            json!({"reason": "", "action": {"kind": "upload", "files": [file], "element": element}})
        };
        let test: Test = serde_json::from_value(json!({
            "format": 1, "name": "t", "instruction": "x", "check": {"text": {"contains": "a"}},
            "start": {"kind": "task", "site": {}, "task": {"id": "t", "start_url": "http://a.test/", "instruction": "x",
                "parameters": {"cv": {"file": "/own/cv.pdf"}}}},
            "steps": [upload("/own/picture.png"), upload("${file:cv}")],
        }))
        .unwrap();
        let (_, work) = job_of_test("t", &test, None).unwrap();
        let asked: Vec<Privilege> = Privilege::of_work(&work).into_iter().collect();
        let files = ["/own/cv.pdf", "/own/picture.png"].map(|file| Privilege::Upload(file.into()));
        assert_eq!(asked, files);
    }

    #[test]
    fn folders_and_files_without_a_test_are_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |path: PathBuf| load_tests(&[path]).unwrap_err().to_string();
        assert!(refused(folder.path().to_owned()).ends_with("there is no test in this folder"));
        assert!(refused(folder.path().join("a.json")).starts_with("read the test "));
        assert!(load_tests(&[]).unwrap_err().to_string().starts_with("no test was found"));
    }
}
