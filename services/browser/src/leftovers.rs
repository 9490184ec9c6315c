//! What a guard left behind that was killed itself: its driver and browsers, and their folder. The next start ends and removes them.
//!
//! A guard is known by a note in its folder. Only what belongs to a folder with such a note is touched, and only when the guard that
//! wrote it is gone.

use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Once;

/// How folders of drivers begin.
pub(crate) const PREFIX: &str = "rutter-browser-";
/// The file that says whose folder it is.
const NOTE: &str = "guard";

/// Looks for leftovers once in the life of this process.
pub(crate) fn sweep_once() {
    static SWEPT: Once = Once::new();
    SWEPT.call_once(|| sweep(&std::env::temp_dir()));
}

/// Writes down who guards a folder.
pub(crate) fn note(folder: &Path, guard: u32) -> io::Result<()> {
    fs::write(folder.join(NOTE), guard_now(guard).unwrap_or_default())
}

/// A process in a form that no other has: its number, when it began, and the namespace in which the number counts.
fn guard_now(process: u32) -> Option<String> {
    let namespace = fs::read_link("/proc/self/ns/pid").ok()?;
    let (_, _, begun) = stat(process)?;
    Some(format!("{process} {begun} {}", namespace.display()))
}

/// State, session and begin of a process (proc_pid_stat(5)).
fn stat(process: u32) -> Option<(String, u32, String)> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // What stands in brackets may hold anything.
    let (_, rest) = text.rsplit_once(") ")?;
    let words: Vec<&str> = rest.split(' ').collect();
    Some(((*words.first()?).to_owned(), words.get(3)?.parse().ok()?, (*words.get(19)?).to_owned()))
}

/// Ends and removes what belongs to guards that are gone.
pub(crate) fn sweep(place: &Path) {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    for folder in folders.map(|entry| entry.path()) {
        if let Some(guard) = gone(&folder) {
            tracing::warn!(folder = %folder.display(), "ending browsers whose guard was killed");
            remove(guard, &folder);
        }
    }
}

/// The guard of a folder, if it is gone. A folder without a note is only beginning, and a note of another namespace cannot be judged.
fn gone(folder: &Path) -> Option<u32> {
    // A link is nobody's folder.
    fs::symlink_metadata(folder).ok().filter(fs::Metadata::is_dir)?;
    let note = fs::read_to_string(folder.join(NOTE)).ok()?;
    let guard: u32 = note.split(' ').next()?.parse().ok()?;
    let namespace = fs::read_link("/proc/self/ns/pid").ok()?;
    let is_judged = note.split(' ').nth(2) == namespace.to_str();
    let is_alive =
        guard_now(guard).is_some_and(|now| now == note) && stat(guard).is_some_and(|(state, ..)| state != "Z");
    (is_judged && !is_alive).then_some(guard)
}

/// Processes of a guard's session, and those elsewhere that work in its folder.
fn processes(guard: u32, folder: &Path) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let works_there = |process: u32| {
        let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(&*folder.to_string_lossy())
    };
    let is_left = |process: &u32| {
        stat(*process).is_some_and(|(state, session, _)| state != "Z" && (session == guard || works_there(*process)))
    };
    numbers.filter(|process| *process != std::process::id()).filter(is_left).collect()
}

fn remove(guard: u32, folder: &PathBuf) {
    // A process that is ending may still start another.
    for _ in 0..20 {
        let left = processes(guard, folder);
        if left.is_empty() {
            break;
        }
        for process in left.into_iter().filter_map(|process| Pid::from_raw(process.try_into().ok()?)) {
            let _ = kill_process(process, Signal::KILL);
        }
    }
    if let Err(error) = fs::remove_dir_all(folder) {
        tracing::warn!(folder = %folder.display(), %error, "a folder that a killed guard left cannot be removed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver_process::DriverProcess;
    use crate::{Options, install};
    use std::time::Duration;

    #[tokio::test]
    async fn what_a_killed_guard_left_is_swept_by_the_next_start() {
        let driver = DriverProcess::start(&install::driver(&Options::default()).unwrap()).await.unwrap();
        let living = DriverProcess::start(&install::driver(&Options::default()).unwrap()).await.unwrap();
        let (guard, folder) = (driver.session().unwrap(), driver.directory().to_owned());
        kill_process(Pid::from_raw(guard.try_into().unwrap()).unwrap(), Signal::KILL).unwrap();
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert!(processes(guard, &folder).len() == 1 && folder.exists(), "the driver lives on");
        sweep(folder.parent().unwrap());
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert!(processes(guard, &folder).is_empty() && !folder.exists());
        let (guard, folder) = (living.session().unwrap(), living.directory().to_owned());
        assert!(processes(guard, &folder).len() == 2 && folder.exists(), "others are left alone");
        living.stop().await;
    }
}
