//! Locks a directory for one process. The operating system releases the lock however the process ends.

use domain::storage::StorageError;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

/// Holds a directory for as long as it lives.
#[derive(Debug)]
pub(crate) struct DirectoryLock {
    _file: File,
}

/// Creates the directory where there is none, and takes its lock.
pub(crate) fn lock(directory: &Path) -> Result<DirectoryLock, StorageError> {
    let failed = |cause: std::io::Error| {
        StorageError::Unavailable(format!(
            "open directory {}: {cause}; choose one that can be written",
            directory.display()
        ))
    };
    fs::create_dir_all(directory).map_err(failed)?;
    let path = directory.join("lock");
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            // The holder writes its process id after locking, so it may still be missing.
            let _ = file.read_to_string(&mut holder);
            let holder =
                if holder.trim().is_empty() { "another process" } else { &format!("process {}", holder.trim()) };
            return Err(StorageError::Locked(format!(
                "{} is in use by {holder}; wait for it to end, or choose another directory",
                directory.display()
            )));
        }
        Err(TryLockError::Error(cause)) => return Err(failed(cause)),
    }
    file.set_len(0)
        .and_then(|()| file.rewind())
        .and_then(|()| write!(file, "{}", std::process::id()))
        .map_err(failed)?;
    Ok(DirectoryLock { _file: file })
}
