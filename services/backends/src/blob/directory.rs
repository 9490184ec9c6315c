//! Blobs as files, named by their hash. A blob is written to a temporary file, synced, and renamed, so that a reader
//! never finds part of it.

use super::sweep::{Sweep, Swept};
use super::{is_hash, reference};
use async_trait::async_trait;
use domain::BlobRef;
use domain::storage::{BlobStore, StorageError};
use platform::clock::{Clock, SystemClock};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Directory of temporary files.
const UNFINISHED: &str = "unfinished";

/// Most concurrent writes. Each blocks a thread until the disk answers; a slow disk must not tie up a thread, with its
/// memory, for every waiting write.
const WRITERS: usize = 32;

/// Age from which a temporary file counts as abandoned.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Blobs in a directory with two levels, so that no folder grows too large.
#[derive(Clone, Debug)]
pub struct BlobDirectory {
    root: PathBuf,
    writers: Arc<Semaphore>,
}

impl BlobDirectory {
    /// Opens or creates the directory and removes temporary files of dead processes. Other processes may be writing to
    /// the directory meanwhile.
    ///
    /// # Errors
    /// [`StorageError::Unavailable`] when the directory cannot be written.
    pub fn open(root: impl Into<PathBuf>) -> Result<Self, StorageError> {
        let root = root.into();
        let unfinished = root.join(UNFINISHED);
        fs::create_dir_all(&unfinished).map_err(|error| failed("create", &unfinished, &error))?;
        let now = SystemClock::default().wall();
        for path in entries(&unfinished)? {
            // A file without metadata was renamed just now.
            let Ok(touched) = fs::metadata(&path).and_then(|metadata| metadata.modified()) else { continue };
            let is_left = now.duration_since(touched).is_ok_and(|since| since >= ABANDONED);
            if is_left && let Err(error) = fs::remove_file(&path) {
                tracing::warn!(path = %path.display(), %error, "what a dead process left half written stays");
            }
        }
        Ok(Self { root, writers: Arc::new(Semaphore::new(WRITERS)) })
    }

    /// Where a blob lies, or would lie; none when the reference is no hash.
    pub fn path(&self, blob: &BlobRef) -> Option<PathBuf> {
        let name = blob.as_str();
        is_hash(name).then(|| self.root.join(&name[..2]).join(name))
    }

    fn write(&self, content: &[u8], blob: &BlobRef) -> Result<(), StorageError> {
        let Some(path) = self.path(blob) else { return Ok(()) };
        match File::options().append(true).open(&path) {
            // Stored again: reset its age.
            Ok(found) => {
                let now = SystemClock::default().wall();
                return found.set_modified(now).map_err(|error| failed("renew", &path, &error));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed("open", &path, &error)),
        }
        let parent = path.parent().unwrap_or(&self.root);
        self.place(content, &path, parent).map_err(|error| failed("write", &path, &error))
    }

    fn place(&self, content: &[u8], path: &Path, parent: &Path) -> io::Result<()> {
        if !parent.exists() {
            fs::create_dir_all(parent)?;
            File::open(&self.root)?.sync_all()?;
        }
        let mut file = tempfile::NamedTempFile::new_in(self.root.join(UNFINISHED))?;
        file.write_all(content)?;
        file.as_file().sync_data()?;
        file.persist(path)?;
        File::open(parent)?.sync_all()
    }
}

#[async_trait]
impl BlobStore for BlobDirectory {
    async fn put(&self, content: &[u8]) -> Result<BlobRef, StorageError> {
        let store = self.clone();
        let writer = Arc::clone(&self.writers).acquire_owned().await;
        let content = content.to_vec();
        blocking(move || {
            // Holds the permit until the write ends, even if the caller gave up.
            let _writer = writer;
            let blob = reference(&content);
            store.write(&content, &blob)?;
            Ok(blob)
        })
        .await
    }

    async fn get(&self, blob: &BlobRef) -> Result<Option<Vec<u8>>, StorageError> {
        let Some(path) = self.path(blob) else { return Ok(None) };
        blocking(move || match fs::read(&path) {
            Ok(content) => Ok(Some(content)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed("read", &path, &error)),
        })
        .await
    }
}

#[async_trait]
impl Sweep for BlobDirectory {
    async fn sweep(&self, before: SystemTime, kept: &HashSet<BlobRef>) -> Result<Swept, StorageError> {
        let (root, kept) = (self.root.clone(), kept.clone());
        blocking(move || {
            let mut swept = Swept::default();
            for folder in entries(&root)? {
                let of_blobs = folder.file_name().is_some_and(|name| name.len() == 2);
                for path in if of_blobs { entries(&folder)? } else { Vec::new() } {
                    let Some(name) = path.file_name().and_then(|name| name.to_str()).filter(|name| is_hash(name))
                    else {
                        continue;
                    };
                    let blob = BlobRef::new(name);
                    let metadata = fs::metadata(&path).map_err(|error| failed("look at", &path, &error))?;
                    let stored = metadata.modified().map_err(|error| failed("look at", &path, &error))?;
                    let stays = stored >= before || kept.contains(&blob);
                    if !stays {
                        fs::remove_file(&path).map_err(|error| failed("remove", &path, &error))?;
                    }
                    swept.count(metadata.len(), stays);
                }
            }
            Ok(swept)
        })
        .await
    }
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, StorageError> {
    let listed = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    listed.map_err(|error| failed("list", folder, &error))
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StorageError> + Send + 'static,
) -> Result<T, StorageError> {
    spawn_blocking(work).await.unwrap_or_else(|error| Err(StorageError::Unavailable(format!("blob store: {error}"))))
}

fn failed(doing: &str, path: &Path, cause: &io::Error) -> StorageError {
    StorageError::Unavailable(format!("{doing} {}: {cause}", path.display()))
}
