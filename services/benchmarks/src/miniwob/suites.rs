//! Which tasks there are, and which of them stand in a suite.

use crate::{ALL, Error};
use domain::TaskId;
use std::path::Path;

/// What the flight tasks' names begin with.
pub const FLIGHT: &str = "flight.";

/// The 39 tasks that HxAgent shares with earlier work, then its five challenging ones.
const HXAGENT44: [&str; 44] = [
    "click-button",
    "click-checkboxes",
    "click-checkboxes-large",
    "click-checkboxes-soft",
    "click-collapsible",
    "click-option",
    "click-dialog",
    "click-dialog-2",
    "click-link",
    "click-scroll-list",
    "click-tab",
    "click-test",
    "click-test-2",
    "click-widget",
    "enter-password",
    "enter-text",
    "enter-text-2",
    "enter-text-dynamic",
    "focus-text",
    "focus-text-2",
    "grid-coordinate",
    "login-user",
    "multi-layouts",
    "multi-orderings",
    "read-table",
    "social-media-all",
    "social-media-some",
    "click-menu-2",
    "click-pie-nodelay",
    "navigate-tree",
    "click-collapsible-2-nodelay",
    "click-tab-2",
    "click-tab-2-hard",
    "social-media",
    "search-engine",
    "email-inbox",
    "email-inbox-forward-nl",
    "email-inbox-forward-nl-turk",
    "email-inbox-nl-turk",
    "choose-date",
    "book-flight-nodelay",
    "flight.Alaska",
    "flight.Alaska-auto",
    "flight.AA",
];

/// A dozen of the 44, of every kind, whose goal differs from seed to seed and cannot be met by chance.
const DEMO: [&str; 12] = [
    "click-tab",
    "click-dialog-2",
    "click-scroll-list",
    "focus-text-2",
    "grid-coordinate",
    "enter-text-2",
    "enter-password",
    "login-user",
    "read-table",
    "multi-layouts",
    "search-engine",
    "choose-date",
];

/// The names of the suites; a dozen tasks is what is run where none is named.
pub const NAMES: [&str; 3] = ["demo", "hxagent44", ALL];

/// The tasks of a suite. `all` is every task that the folder of pages holds.
///
/// # Errors
/// [`Error::UnknownSuite`] with the names there are, or a folder that cannot be read.
pub fn tasks(suite: &str, folder: &Path) -> Result<Vec<TaskId>, Error> {
    match suite {
        "hxagent44" => Ok(HXAGENT44.map(TaskId::new).to_vec()),
        "demo" => Ok(DEMO.map(TaskId::new).to_vec()),
        ALL => all_tasks(folder),
        _ => Err(Error::UnknownSuite { name: suite.to_owned(), known: NAMES.to_vec() }),
    }
}

/// Every task of a folder of pages, by name: pages of `miniwob/` that generate a problem, and sites of `flight/` that
/// have a wrapper.
fn all_tasks(folder: &Path) -> Result<Vec<TaskId>, Error> {
    let mut names = Vec::new();
    let pages = folder.join("miniwob");
    for file in entries(&pages)? {
        let Some(name) = file.strip_suffix(".html") else { continue };
        let path = pages.join(&file);
        let page = std::fs::read_to_string(&path).map_err(|cause| Error::Folder { folder: path, cause })?;
        if page.contains("genProblem") {
            names.push(name.to_owned());
        }
    }
    let flights = folder.join("flight");
    for site in entries(&flights)? {
        if flights.join(&site).join("wrapper.html").is_file() {
            names.push(format!("{FLIGHT}{site}"));
        }
    }
    names.sort_unstable();
    Ok(names.into_iter().map(TaskId).collect())
}

fn entries(folder: &Path) -> Result<Vec<String>, Error> {
    let failed = |cause| Error::Folder { folder: folder.to_owned(), cause };
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        names.push(entry.map_err(failed)?.file_name().to_string_lossy().into_owned());
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn folder() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, content) in [
            ("miniwob/click-test.html", "var genProblem = function() {}"),
            ("miniwob/click-test-2.html", "var genProblem = function() {}"),
            ("miniwob/index.html", "<ul>all tasks</ul>"),
            ("miniwob/style.css", "genProblem"),
            ("flight/AA/wrapper.html", ""),
            ("flight/flight-common/wrapper.js", ""),
        ] {
            let file = root.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, content).unwrap();
        }
        root
    }

    #[test]
    fn hxagent44_has_44_different_tasks_and_the_demo_a_dozen_of_them() {
        let all: BTreeSet<&str> = HXAGENT44.into();
        assert_eq!(all.len(), 44);
        assert_eq!(BTreeSet::from(DEMO).len(), 12);
        assert!(DEMO.iter().all(|task| all.contains(task)));
    }

    #[test]
    fn all_is_every_page_that_generates_problems_and_every_flight_site() {
        let folder = folder();
        let tasks = tasks("all", folder.path()).unwrap();
        assert_eq!(tasks.iter().map(TaskId::as_str).collect::<Vec<_>>(), ["click-test", "click-test-2", "flight.AA"]);
    }

    #[test]
    fn every_suite_that_is_listed_has_tasks() {
        let folder = folder();
        assert!(NAMES.iter().all(|name| !tasks(name, folder.path()).unwrap().is_empty()));
    }
}
