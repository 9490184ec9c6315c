//! Retention: removing what nobody refers to.

use async_trait::async_trait;
use domain::BlobRef;
use domain::storage::StorageError;
use std::collections::HashSet;
use std::time::SystemTime;

/// Can remove blobs.
///
/// Contract: a blob is removed when it was stored for the last time before the given moment and is not among `kept`; storing
/// content again counts. So nothing is lost when the caller chooses the moment first, then collects what is referred to, and
/// every reference is written down sooner after storing its content than the moment lies in the past. That should be hours,
/// not seconds: storing old content again at the very moment of its removal may come too late.
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
