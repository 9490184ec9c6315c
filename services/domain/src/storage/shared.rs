//! What many processes share and may lose at any moment: caches, rates, presence. Never the truth.

use super::StorageError;
use crate::campaign::Rate;
use async_trait::async_trait;
use std::time::Duration;

/// Values that can be made again.
///
/// Contract: a value is returned whole or not at all, and never after its time to live; it may vanish before.
#[async_trait]
pub trait Cache: Send + Sync {
    /// The value of a key.
    ///
    /// # Errors
    /// [`StorageError`]; callers go on as if it were not there.
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, StorageError>;

    /// Stores a value for some time.
    ///
    /// # Errors
    /// [`StorageError`]; callers go on without.
    async fn put(&self, key: &str, value: &[u8], time_to_live: Duration) -> Result<(), StorageError>;
}

/// How fast hosts are visited, over all processes together.
///
/// Contract: in no sliding interval of `t` seconds are more than `burst + per_second * t` permissions given for a host,
/// whatever restarts or is emptied: a bucket that is not known starts **empty**. Taking is atomic. When the limiter
/// cannot be asked, nothing is permitted: callers wait and ask again.
#[async_trait]
pub trait RateLimit: Send + Sync {
    /// Permission for one page load of a host.
    ///
    /// # Errors
    /// [`StorageError`]: it fails closed.
    async fn take(&self, host: &str, rate: Rate) -> Result<Permission, StorageError>;

    /// How long a permission would have to wait now; takes none.
    ///
    /// # Errors
    /// [`StorageError`]: it fails closed.
    async fn wait(&self, host: &str, rate: Rate) -> Result<Duration, StorageError>;
}

/// The answer to a request for permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// Go.
    Now,
    /// Ask again after this time; nothing was taken.
    After(Duration),
}

/// Who is alive.
///
/// Contract: a member is listed from its announcement until its time to live ends without another one, or it leaves.
#[async_trait]
pub trait Presence: Send + Sync {
    /// Announces a member of a role, with a few words about it, or renews it.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn announce(&self, role: &str, member: &str, about: &str, time_to_live: Duration)
    -> Result<(), StorageError>;

    /// Takes a member off the list.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn leave(&self, role: &str, member: &str) -> Result<(), StorageError>;

    /// The members of a role with what is said about them, in order of their names.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn members(&self, role: &str) -> Result<Vec<(String, String)>, StorageError>;
}
