//! Checks a set-up piece by piece and says what is wrong with each and how to mend it. Leaves no process running.

use crate::browser::Browser;
use crate::install;
use crate::options::Options;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;
use tokio::time::timeout;

/// Deadline for `--version`.
const PATIENCE: Duration = Duration::from_secs(10);

/// The result of one check of the set-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What was looked at.
    pub what: String,
    /// Whether it is as it should be.
    pub ok: bool,
    /// What was found.
    pub detail: String,
    /// What to do; empty when it is as it should be.
    pub hint: String,
}

/// Examines browser, driver, whether they fit, and whether a session starts.
pub async fn examine(options: &Options) -> Vec<Finding> {
    let mut findings = Vec::new();
    if options.endpoint.is_none() {
        let browser = program("browser", install::browser(options).map_err(|error| error.to_string())).await;
        let driver = program("driver", install::driver(options).map_err(|error| error.to_string())).await;
        if browser.ok && driver.ok {
            findings.push(fit(&browser.detail, &driver.detail));
        }
        findings.insert(0, driver);
        findings.insert(0, browser);
    }
    if findings.iter().all(|finding| finding.ok) {
        findings.push(start(options).await);
    }
    findings
}

async fn program(what: &str, path: Result<PathBuf, String>) -> Finding {
    let what = what.to_owned();
    match path {
        Ok(path) => match version(&path).await {
            Some(version) => {
                Finding { what, ok: true, detail: format!("{version} at {}", path.display()), hint: String::new() }
            }
            None => {
                let detail = format!("{} does not say its version", path.display());
                Finding { what, ok: false, detail, hint: "install it again; it may lack libraries".to_owned() }
            }
        },
        Err(error) => {
            let (detail, hint) = error.split_once("; ").unwrap_or((&error, ""));
            Finding { what, ok: false, detail: detail.to_owned(), hint: hint.to_owned() }
        }
    }
}

async fn version(path: &Path) -> Option<String> {
    let mut asked = Command::new(path);
    asked.arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let answer = timeout(PATIENCE, asked.output()).await.ok()?.ok()?;
    let text = String::from_utf8_lossy(&answer.stdout).into_owned();
    number(&text).map(str::to_owned)
}

/// The first version number in a text, e.g. `156.0.8078.79`.
fn number(text: &str) -> Option<&str> {
    text.split_whitespace().find(|word| word.split('.').count() >= 3 && word.starts_with(|c: char| c.is_ascii_digit()))
}

fn fit(browser: &str, driver: &str) -> Finding {
    let major = |detail: &str| detail.split('.').next().unwrap_or_default().to_owned();
    let (browser, driver) = (major(browser), major(driver));
    let ok = browser == driver;
    let hint = if ok { "" } else { "install browser and driver in the same major version" };
    let detail = format!("browser {browser}, driver {driver}");
    Finding { what: "versions fit".to_owned(), ok, detail, hint: hint.to_owned() }
}

async fn start(options: &Options) -> Finding {
    let what = "a session starts".to_owned();
    match Browser::start(options.clone()).await {
        Ok(browser) => {
            let found = browser.capabilities().clone();
            browser.stop().await;
            let wire = if found.bidi { "WebDriver BiDi" } else { "classic WebDriver" };
            let detail = format!("{} {} over {wire}", found.browser, found.browser_version);
            Finding { what, ok: true, detail, hint: String::new() }
        }
        Err(error) => {
            let hint = if error.is_retryable() { "try again" } else { "see the cause" };
            Finding { what, ok: false, detail: error.to_string(), hint: hint.to_owned() }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_programs_say() {
        assert_eq!(number("Chromium 156.0.8078.79 built on Debian"), Some("156.0.8078.79"));
        assert_eq!(number("no version here"), None);
    }

    #[test]
    fn different_major_versions_do_not_fit() {
        assert!(fit("156.0.1.2 at /a", "156.9.9.9 at /b").ok);
        let finding = fit("155.0.1.2 at /a", "156.0.1.2 at /b");
        assert!(!finding.ok && finding.hint.contains("same major version"));
    }

    #[tokio::test]
    async fn a_missing_driver_is_found_without_starting_anything() {
        let options = Options { driver: Some("/nowhere/driver".into()), ..Options::default() };
        let findings = examine(&options).await;
        let driver = findings.iter().find(|finding| finding.what == "driver").unwrap();
        assert!(!driver.ok && driver.detail.contains("/nowhere/driver"), "{driver:?}");
    }
}
