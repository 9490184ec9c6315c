//! What many processes share and may lose at any moment: caches, rates, presence, quotas. Never the truth.

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

/// For how long a place is held without a sign of life of its holder.
pub const PLACE: Duration = Duration::from_secs(10);

/// What something may be asked at most, over all processes together: so much in a time, and so many at once.
///
/// Contract: in no sliding interval of `t` seconds is more drawn of a key than `burst + per_second * t`, where what was settled
/// counts as it was settled; and at no moment do more than `places` hold a place who have given a sign of life in [`PLACE`]. That
/// holds whatever restarts or is emptied: a key that is not known has nothing to draw, and after its data was lost nobody enters
/// before whoever is inside has had the time to say so. When the limits cannot be asked, nothing is permitted.
#[async_trait]
pub trait Quotas: Send + Sync {
    /// Draws an amount; more than the burst never comes together.
    ///
    /// # Errors
    /// [`StorageError`]: it fails closed.
    async fn draw(&self, key: &str, amount: u32, rate: Rate) -> Result<Permission, StorageError>;

    /// Says what became of an amount that was drawn: what was not needed is there again, what was needed beyond is owed.
    ///
    /// # Errors
    /// [`StorageError`]; callers go on: what was drawn stays drawn.
    async fn settle(&self, key: &str, drawn: u32, needed: u32, rate: Rate) -> Result<(), StorageError>;

    /// Takes one of so many places, or says when to ask again.
    ///
    /// # Errors
    /// [`StorageError`]: it fails closed.
    async fn enter(&self, key: &str, places: u32, holder: &str) -> Result<Permission, StorageError>;

    /// A sign of life of a holder.
    ///
    /// # Errors
    /// [`StorageError`]; callers give the next one.
    async fn stay(&self, key: &str, holder: &str) -> Result<(), StorageError>;

    /// Gives a place back.
    ///
    /// # Errors
    /// [`StorageError`]; callers go on: the place is free after [`PLACE`].
    async fn leave(&self, key: &str, holder: &str) -> Result<(), StorageError>;
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
