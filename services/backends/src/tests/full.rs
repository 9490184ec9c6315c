//! A disk that is full: the append is refused by name, and everything acknowledged before is there.

use super::opened;
use domain::storage::log::{NewRecord, Topic};
use std::path::Path;
use std::process::Command;

/// The variable by which the test below starts this one as a process of its own.
const CHILD: &str = "BACKENDS_CHILD_ON_A_FULL_DISK";

/// Not a test by itself: appends until it is refused, and says what it was told.
#[tokio::test]
async fn child_that_appends_until_the_disk_is_full() {
    let Some(directory) = std::env::var_os(CHILD) else { return };
    let store = opened(Path::new(&directory)).await;
    for number in 0u64.. {
        let record = NewRecord { key: "run/a".into(), record: vec![7; 4000], trace_parent: String::new() };
        match store.log.append(Topic::Outcomes, record).await {
            Ok(place) => println!("acknowledged {}", place.offset),
            Err(error) => {
                println!("refused {error}");
                return;
            }
        }
        assert!(number < 10_000, "the disk does not fill up");
    }
}

#[tokio::test]
async fn on_a_full_disk_an_append_is_refused_by_name_and_nothing_acknowledged_is_lost() {
    let directory = tempfile::tempdir().unwrap();
    // No file may grow beyond two megabytes; without the trap the first attempt would end the process.
    let output = Command::new("bash")
        .args(["-c", "trap '' XFSZ; ulimit -f 2000; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "tests::full::child_that_appends_until_the_disk_is_full", "--nocapture"])
        .env(CHILD, directory.path())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let refused = said.lines().find_map(|line| line.strip_prefix("refused ")).expect("it is refused");
    assert!(refused.contains("disk") && refused.contains("append to the log"), "{refused}");
    let acknowledged: Vec<u64> =
        said.lines().filter_map(|line| line.strip_prefix("acknowledged ")?.parse().ok()).collect();
    assert!(acknowledged.len() > 50, "{} only", acknowledged.len());
    let store = opened(directory.path()).await;
    let records = store.log.read(Topic::Outcomes, 0, 0, 100_000).await.unwrap();
    let there: Vec<u64> = records.iter().map(|record| record.place.offset).collect();
    assert!(acknowledged.iter().all(|offset| there.contains(offset)), "an acknowledged record is lost");
    assert!(records.iter().all(|record| record.record == vec![7; 4000]));
    let record = NewRecord { key: "run/a".into(), record: vec![8], trace_parent: String::new() };
    store.log.append(Topic::Outcomes, record).await.expect("with room again it goes on");
}
