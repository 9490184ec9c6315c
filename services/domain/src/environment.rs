//! The environment of an attempt: how it begins, and whether it has ended by itself.

use crate::page::{Page, PageError};
use async_trait::async_trait;

/// Brings a page to the start of a task, and says when the task is over by itself.
///
/// An ordinary task opens its start URL and is never over by itself. A benchmark seeds its page, starts the episode,
/// reads the instruction from it and polls its end.
#[async_trait]
pub trait Environment: Send + Sync {
    /// Prepares what the attempt needs besides its page, e.g. resets a site. It has its own time limit: the attempt's
    /// time starts after it.
    ///
    /// # Errors
    /// [`EnvironmentError`], as [`Environment::begin`].
    async fn prepare(&self) -> Result<(), EnvironmentError> {
        Ok(())
    }

    /// Whether [`Environment::prepare`] and [`Environment::begin`] restore the start of the task after any actions.
    fn can_reset(&self) -> bool {
        false
    }

    /// Brings the page to the start of the task and returns the instruction in words.
    ///
    /// # Errors
    /// [`EnvironmentError`]: the attempt says nothing about product or agent.
    async fn begin(&self, page: &mut dyn Page) -> Result<String, EnvironmentError>;

    /// Whether the environment itself has ended the episode.
    ///
    /// # Errors
    /// A failure of the browser.
    async fn is_over(&self, page: &mut dyn Page) -> Result<bool, PageError>;

    /// A number to be kept beside the verdict, such as a benchmark's raw reward; `None` where there is no such thing.
    ///
    /// # Errors
    /// A failure of the browser.
    async fn reward(&self, page: &mut dyn Page) -> Result<Option<f64>, PageError>;
}

/// Why an attempt could not begin.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EnvironmentError {
    /// The page failed.
    #[error(transparent)]
    Page(#[from] PageError),
    /// The reset hook failed.
    #[error("reset the site: {0}")]
    Reset(String),
    /// The site's log-in recipe does not fit, or did not log in.
    #[error("log in: {0}")]
    LogIn(String),
    /// The benchmark's page did not start its episode.
    #[error("start the benchmark episode: {0}")]
    NotReady(String),
}
