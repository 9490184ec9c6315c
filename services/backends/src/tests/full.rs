//! A disk that is full: the append is refused by name, everything acknowledged before is there, and with room again it goes on.

use super::opened;
use domain::storage::log::{LogRecord, NewRecord, Topic};
use std::path::Path;
use std::process::Command;

/// The variable by which the tests below start this one as a process of its own.
const CHILD: &str = "BACKENDS_CHILD_ON_A_FULL_DISK";

/// Records that are appended once there is room again.
const MORE: u64 = 20;

/// A record of its own: its number, and what fills the disk.
fn record(number: u64) -> NewRecord {
    NewRecord { key: "run/a".into(), record: content(number), trace_parent: String::new() }
}

fn content(number: u64) -> Vec<u8> {
    [number.to_le_bytes().as_slice(), &[7; 4000]].concat()
}

/// Lifts the limit that this process was started with.
fn make_room() {
    let process = std::process::id().to_string();
    let lifted = Command::new("prlimit").args(["--pid", &process, "--fsize=unlimited"]).status();
    assert!(lifted.expect("prlimit is there").success());
}

/// Not a test by itself: appends until it is refused, reads, makes room, and goes on with the same store, the refused record
/// first. Says what it was told.
#[tokio::test]
async fn child_that_appends_until_the_disk_is_full_and_on_when_there_is_room() {
    let Some(directory) = std::env::var_os(CHILD) else { return };
    let store = opened(Path::new(&directory)).await;
    let mut last = 10_000;
    let mut number = 0;
    while number <= last {
        match store.log.append(Topic::Outcomes, record(number)).await {
            Ok(place) => {
                println!("acknowledged {}", place.offset);
                number += 1;
            }
            Err(error) => {
                println!("refused {error}");
                println!("readable {}", store.log.read(Topic::Outcomes, 0, 0, 100_000).await.unwrap().len());
                make_room();
                last = number + MORE;
            }
        }
    }
}

/// What the child said that filled the disk under a directory.
struct Filled {
    acknowledged: Vec<u64>,
    refused: Vec<String>,
    readable: Vec<usize>,
}

impl Filled {
    fn under(directory: &Path) -> Self {
        // No file may grow beyond two megabytes, until the child lifts the limit; without the trap the first attempt would
        // end the process.
        let output = Command::new("bash")
            .args(["-c", "trap '' XFSZ; ulimit -S -f 2000; exec \"$0\" \"$@\""])
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "tests::full::child_that_appends_until_the_disk_is_full_and_on_when_there_is_room"])
            .arg("--nocapture")
            .env(CHILD, directory)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
        let told = |what| said.lines().filter_map(move |line| line.strip_prefix(what));
        Self {
            acknowledged: told("acknowledged ").map(|offset| offset.parse().unwrap()).collect(),
            refused: told("refused ").map(str::to_owned).collect(),
            readable: told("readable ").map(|count| count.parse().unwrap()).collect(),
        }
    }
}

#[tokio::test]
async fn on_a_full_disk_an_append_is_refused_with_what_to_do_and_what_was_acknowledged_can_be_read() {
    let directory = tempfile::tempdir().unwrap();
    let filled = Filled::under(directory.path());
    let [refused] = filled.refused.as_slice() else { panic!("refused once, not {:?}", filled.refused) };
    for part in ["append to the log", "the disk is full", "make room and try again", "what was acknowledged is safe"] {
        assert!(refused.contains(part), "{part}: {refused}");
    }
    let before = filled.acknowledged.len() - MORE as usize - 1;
    assert!(before > 50, "{before} only");
    assert_eq!(filled.readable, [before]);
}

#[tokio::test]
async fn a_log_whose_disk_was_full_goes_on_and_holds_every_record_once() {
    let directory = tempfile::tempdir().unwrap();
    let filled = Filled::under(directory.path());
    assert_eq!(filled.refused.len(), 1);
    let count = filled.acknowledged.len() as u64;
    assert_eq!(filled.acknowledged, (0..count).collect::<Vec<_>>(), "the offsets are not one after the other");
    let store = opened(directory.path()).await;
    let place = store.log.append(Topic::Outcomes, record(count)).await.expect("the next process goes on too");
    assert_eq!(place.offset, count);
    let records = store.log.read(Topic::Outcomes, 0, 0, 100_000).await.unwrap();
    let there = |record: &LogRecord| (record.place.offset, record.record.clone());
    let written = (0..=count).map(|number| (number, content(number)));
    assert!(records.iter().map(there).eq(written), "{} records of {}", records.len(), count + 1);
}

#[tokio::test]
async fn a_refusal_on_a_full_disk_names_the_directory_that_needs_room() {
    let directory = tempfile::tempdir().unwrap();
    let filled = Filled::under(directory.path());
    let name = directory.path().display().to_string();
    assert!(filled.refused.iter().all(|refused| refused.contains(&name)), "{:?}", filled.refused);
}
