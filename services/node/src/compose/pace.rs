//! Lets the gate of a browser wait for the permissions that all crawlers share.

use async_trait::async_trait;
use browser::Pace;
use crawler::SharedPace;

/// The shared pace, as browsers ask for it.
pub(crate) struct Paced(pub(crate) SharedPace);

#[async_trait]
impl Pace for Paced {
    async fn admit(&self, authority: &str) {
        self.0.admit(authority).await;
    }
}
