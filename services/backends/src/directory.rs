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
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    // In a directory of somebody else it could be a link to a file that is to be overwritten.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW);
    let mut file = options.open(path).map_err(failed)?;
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_is_a_link_is_not_followed() {
        let folder = tempfile::tempdir().expect("a directory");
        let victim = folder.path().join("victim");
        fs::write(&victim, "important").expect("written");
        let directory = folder.path().join("run");
        fs::create_dir(&directory).expect("a directory");
        std::os::unix::fs::symlink(&victim, directory.join("lock")).expect("a link");
        assert!(lock(&directory).is_err());
        assert_eq!(fs::read_to_string(&victim).expect("read"), "important");
    }
}
