//! The suite on an object store, sweeping in every column, and errors by name.

use super::{BlobDirectory, BlobMemory, BlobObjects, S3Options, Sweep, Swept, suite};
use crate::testing::{Server, server, unique};
use domain::BlobRef;
use domain::storage::BlobStore;
use platform::clock::{Clock, SystemClock};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempPath;

/// Options with the file that the secret is read from.
fn options(endpoint: String) -> (S3Options, TempPath) {
    let secret = tempfile::NamedTempFile::new().expect("a file").into_temp_path();
    std::fs::write(&secret, "secret\n").expect("write the secret");
    let options = S3Options {
        bucket: unique("test").replace('_', "-"),
        endpoint: Some(endpoint),
        access_key: Some("test".to_owned()),
        secret_file: Some(secret.to_path_buf()),
        ..S3Options::default()
    };
    (options, secret)
}

/// An object store with a bucket of its own.
async fn objects() -> BlobObjects {
    let (options, _secret) = options(server(Server::S3));
    let bucket = format!("{}/{}", options.endpoint.as_deref().expect("an endpoint"), options.bucket);
    let made = reqwest::Client::new().put(bucket).send().await.expect("make a bucket");
    assert!(made.status().is_success(), "{made:?}");
    BlobObjects::open(&options).expect("an object store")
}

#[tokio::test]
async fn s3_passes_the_suite() {
    assert_eq!(suite::run(|| async { Arc::new(objects().await) as Arc<dyn BlobStore> }).await, 5);
}

/// Stores, waits so that times differ, and sweeps what was stored before.
async fn sweeps(store: &(impl BlobStore + Sweep)) {
    let mut blobs: Vec<BlobRef> = Vec::new();
    for content in [&b"old"[..], b"old and kept", b"old and stored again"] {
        blobs.push(store.put(content).await.expect("put"));
    }
    // Object stores tell the time in seconds.
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let before = SystemClock::default().wall();
    tokio::time::sleep(Duration::from_millis(1100)).await;
    store.put(b"old and stored again").await.expect("put again");
    blobs.push(store.put(b"new").await.expect("put"));
    let kept = HashSet::from([blobs[1].clone()]);
    let swept = store.sweep(before, &kept).await.expect("sweep");
    assert_eq!(swept, Swept { removed: 1, bytes: 3, left: 3 });
    for (blob, is_there) in blobs.iter().zip([false, true, true, true]) {
        assert_eq!(store.get(blob).await.expect("get").is_some(), is_there, "{blob}");
    }
}

#[tokio::test]
async fn memory_is_swept_of_what_is_old_and_not_kept() {
    sweeps(&BlobMemory::default()).await;
}

#[tokio::test]
async fn a_directory_is_swept_of_what_is_old_and_not_kept() {
    let directory = tempfile::tempdir().expect("a directory");
    sweeps(&BlobDirectory::open(directory.path().join("blobs")).expect("open")).await;
}

#[tokio::test]
async fn s3_is_swept_of_what_is_old_and_not_kept() {
    sweeps(&objects().await).await;
}

#[tokio::test]
async fn a_bucket_that_s3_does_not_have_is_named() {
    let (options, _secret) = options(server(Server::S3));
    let store = BlobObjects::open(&options).expect("an address");
    for error in [
        store.put(b"content").await.expect_err("no bucket"),
        store.get(&super::reference(b"content")).await.expect_err("no bucket"),
    ] {
        assert!(error.to_string().contains(&options.bucket), "{error}");
        assert!(error.to_string().contains("does the bucket exist?"), "{error}");
    }
}

#[tokio::test]
async fn s3_that_is_not_there_is_named_in_time() {
    let (options, _secret) = options("http://127.0.0.1:9".to_owned());
    let options = S3Options { deadline_ms: 1000, ..options };
    let store = BlobObjects::open(&options).expect("an address");
    let storing = tokio::time::timeout(Duration::from_secs(30), store.put(b"content")).await.expect("in time");
    let error = storing.expect_err("nobody is there");
    assert!(error.to_string().contains("127.0.0.1:9"), "{error}");
}

/// Each thread has memory of its own: a disk that is slow for a second must not get one for each blob that waits for it.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn hundreds_of_blobs_at_once_are_written_by_few_threads() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = BlobDirectory::open(directory.path()).expect("open");
    let contents: Vec<[u8; 4]> = (0..500u32).map(u32::to_le_bytes).collect();
    let written = futures::future::try_join_all(contents.iter().map(|content| store.put(content))).await.expect("put");
    let different: HashSet<BlobRef> = written.into_iter().collect();
    // Threads stay for some seconds when they have nothing to do.
    let threads = std::fs::read_dir("/proc/self/task").expect("its threads").count();
    assert_eq!(different.len(), 500);
    assert!(threads < 100, "{threads} threads");
}
