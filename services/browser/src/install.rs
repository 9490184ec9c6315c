//! Finds the programs: a browser and its driver.

use crate::error::Error;
use crate::options::{Engine, Options};
use std::path::PathBuf;

/// Where the driver may stand, best first.
const DRIVERS: [&str; 3] = ["/usr/bin/chromedriver", "/usr/lib/chromium/chromedriver", "/usr/local/bin/chromedriver"];

/// Where a browser may stand, best first. For the headless shell the program itself, never the script of that name on the
/// PATH: the script does not `exec`, so a driver that kills it leaves the browser behind.
fn browsers(engine: Engine) -> &'static [&'static str] {
    match engine {
        Engine::HeadlessShell => &[
            "/usr/lib/chromium/chromium-headless-shell",
            "/usr/lib/chromium-headless-shell/chromium-headless-shell",
            "/opt/chrome-headless-shell/chrome-headless-shell",
        ],
        Engine::Chromium => &["/usr/lib/chromium/chromium", "/usr/bin/chromium", "/usr/bin/chromium-browser"],
        Engine::Chrome => &["/opt/google/chrome/chrome", "/usr/bin/google-chrome", "/usr/bin/google-chrome-stable"],
    }
}

/// The browser's program.
///
/// # Errors
/// [`Error::NoBrowser`] with the places looked at.
pub(crate) fn browser(options: &Options) -> Result<PathBuf, Error> {
    first(options.binary.as_ref(), browsers(options.engine)).map_err(|looked| Error::NoBrowser { looked })
}

/// The driver's program.
///
/// # Errors
/// [`Error::NoDriver`] with the places looked at.
pub(crate) fn driver(options: &Options) -> Result<PathBuf, Error> {
    first(options.driver.as_ref(), &DRIVERS).map_err(|looked| Error::NoDriver { looked })
}

fn first(given: Option<&PathBuf>, places: &[&str]) -> Result<PathBuf, Vec<PathBuf>> {
    let looked: Vec<PathBuf> = match given {
        Some(path) => vec![path.clone()],
        None => places.iter().map(PathBuf::from).collect(),
    };
    looked.iter().find(|path| path.is_file()).cloned().ok_or(looked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_given_program_that_is_missing_is_named_in_the_error() {
        let options = Options { binary: Some("/nowhere/browser".into()), ..Options::default() };
        let error = browser(&options).unwrap_err();
        assert_eq!(error.code(), "no_browser");
        assert!(error.to_string().contains("/nowhere/browser"), "{error}");
    }
}
