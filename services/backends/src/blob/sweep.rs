//! Retention: removes blobs that nothing refers to.

use async_trait::async_trait;
use domain::BlobRef;
use domain::storage::StorageError;
use std::collections::HashSet;
use std::time::SystemTime;

/// Can remove blobs.
///
/// Contract: a blob is removed if it was last stored before the given moment and is not in `kept`; storing content
/// again resets its age. Nothing is lost if the caller first chooses the moment, then collects all references, and if
/// every reference is recorded sooner after storing its content than the moment lies in the past. Choose hours, not
/// seconds: storing old content again just while it is removed may come too late.
#[async_trait]
pub trait Sweep: Send + Sync {
    /// Removes what is old and not kept.
    ///
    /// # Errors
    /// [`StorageError`]; some of it may have been removed then.
    async fn sweep(&self, before: SystemTime, kept: &HashSet<BlobRef>) -> Result<Swept, StorageError>;
}

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Blobs that were removed.
    pub removed: u64,
    /// Their size in bytes.
    pub bytes: u64,
    /// Blobs that stay.
    pub left: u64,
}

impl Swept {
    pub(super) fn count(&mut self, bytes: u64, stays: bool) {
        match stays {
            true => self.left += 1,
            false => {
                self.removed += 1;
                self.bytes += bytes;
            }
        }
    }
}
