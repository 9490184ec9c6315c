//! Whether what somebody else wrote may use this machine: asked plainly, or answered beforehand by `--trust`.

use crate::exit::{Exit, OrExit as _, Outcome, failure};
use crate::print;
use anyhow::Context as _;
use domain::job::Work;
use domain::privilege::Privilege;
use node::compose::resolved;
use node::run::{Config, mark};
use report::Directory;
use std::collections::BTreeSet;
use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;

/// Lets a run directory be gone on with: one that this user made and nobody changed, one that asks nothing of the machine, or one
/// that is trusted.
///
/// # Errors
/// [`Exit::Untrusted`] with everything that it asks for.
pub(crate) fn of_run(directory: &Directory, config: &Config, trusts: bool) -> Outcome<()> {
    if mark::is_own(directory) {
        return Ok(());
    }
    confirm(
        &format!("The run directory {} is not one that you made here. It", directory.path().display()),
        &config.privileges(),
        trusts,
    )
}

/// Lets recorded tests be replayed: those that this user recorded and nobody changed, that ask nothing of the machine, or that are
/// trusted. A test that is named by its file may give the files to its site that it names.
///
/// # Errors
/// [`Exit::Untrusted`] with everything that they ask for.
pub(crate) fn of_tests<'a>(paths: &[PathBuf], tests: impl Iterator<Item = &'a Work>, trusts: bool) -> Outcome<()> {
    if paths.iter().all(|path| mark::are_own_tests(path)) {
        return Ok(());
    }
    let mut asked: BTreeSet<Privilege> = tests.flat_map(Privilege::of_work).collect();
    // As with task files: whoever names a file on the command line means the files that it names. A folder of tests may be anybody's.
    if paths.iter().all(|path| path.is_file()) {
        asked.retain(|privilege| !matches!(privilege, Privilege::Upload(_)));
    }
    confirm("These tests are not as you recorded them here. Their replay", &asked, trusts)
}

/// Asks for what the machine's own settings do not allow, where there is somebody to ask. `who` begins the sentence: who wants something.
fn confirm(who: &str, asked: &BTreeSet<Privilege>, trusts: bool) -> Outcome<()> {
    if trusts || asked.is_empty() {
        return Ok(());
    }
    let allowed = node::config::load(None, &serde_json::json!({}))?.crawler.allowed;
    let asked: Vec<Privilege> =
        resolved(asked.iter().cloned()).into_iter().filter(|privilege| !allowed.allows(privilege)).collect();
    if asked.is_empty() {
        return Ok(());
    }
    let list: String = asked.iter().map(|privilege| format!("\n  - {privilege}")).collect();
    let question = format!("{who} asks this machine:{list}");
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return failure(Exit::Untrusted, format!("{question}\nLook at it; if you trust it, say --trust"));
    }
    // What somebody else wrote is shown, and commands no terminal.
    print::line(&question);
    eprint!("Do you trust it? [y/N] ");
    let mut answer = String::new();
    let read = std::io::stderr().flush().and_then(|()| std::io::stdin().read_line(&mut answer));
    read.context("read the answer").or_exit(Exit::Untrusted)?;
    match matches!(answer.trim(), "y" | "Y" | "yes") {
        true => Ok(()),
        false => failure(Exit::Untrusted, "nothing was run"),
    }
}
