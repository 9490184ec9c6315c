//! Named tasks of a process: they stop together, and none ends unnoticed.

use std::future::Future;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::Instrument;

/// The tasks of one process or role. Clones share them.
#[derive(Clone, Debug)]
pub struct Tasks {
    shutdown: CancellationToken,
    tracker: TaskTracker,
}

impl Tasks {
    /// Tasks that stop with a token. A task that fails cancels it: restarting is better than running with a part
    /// missing.
    pub fn new(shutdown: CancellationToken) -> Self {
        Self { shutdown, tracker: TaskTracker::new() }
    }

    /// What asks the tasks to end.
    pub fn shutdown(&self) -> &CancellationToken {
        &self.shutdown
    }

    /// Runs a task with the shutdown token; an error or a panic cancels the token.
    #[expect(clippy::disallowed_methods, reason = "what becomes of it is read and told right here")]
    pub fn spawn<F, E>(&self, name: &'static str, work: impl FnOnce(CancellationToken) -> F)
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: std::fmt::Display + Send + 'static,
    {
        let work = work(self.shutdown.clone()).instrument(tracing::info_span!("task", name));
        let shutdown = self.shutdown.clone();
        self.tracker.spawn(async move {
            let failure = match tokio::spawn(work).await {
                Ok(Ok(())) => {
                    tracing::debug!(name, "task ended");
                    return;
                }
                Ok(Err(error)) => error.to_string(),
                Err(error) => error.to_string(),
            };
            tracing::error!(name, error = failure, "task failed, asking the others to end");
            shutdown.cancel();
        });
    }

    /// Waits until the tasks have been asked to stop and have stopped, at most the given time after that. Returns
    /// whether all did.
    pub async fn finish(&self, patience: Duration) -> bool {
        self.shutdown.cancelled().await;
        self.tracker.close();
        let ended = tokio::time::timeout(patience, self.tracker.wait()).await.is_ok();
        if !ended {
            tracing::warn!(tasks = self.tracker.len(), "tasks had not ended when their time was over");
        }
        ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_task_that_fails_or_panics_ends_the_others() {
        let tasks = Tasks::new(CancellationToken::new());
        tasks.spawn("patient", |shutdown| async move {
            shutdown.cancelled().await;
            Ok::<_, String>(())
        });
        tasks.spawn("broken", |_| async { Err("no such table") });
        assert!(tasks.finish(Duration::from_secs(5)).await);

        let tasks = Tasks::new(CancellationToken::new());
        tasks.spawn("broken", |_| async { if true { panic!("on purpose") } else { Ok::<_, String>(()) } });
        assert!(tasks.finish(Duration::from_secs(5)).await);
    }

    #[tokio::test]
    async fn a_task_that_does_not_end_is_not_waited_for_longer_than_its_time() {
        let tasks = Tasks::new(CancellationToken::new());
        tasks.spawn("deaf", |_| async {
            std::future::pending::<()>().await;
            Ok::<_, String>(())
        });
        tasks.shutdown().cancel();
        assert!(!tasks.finish(Duration::from_millis(50)).await);
    }

    #[tokio::test]
    async fn a_task_that_is_done_ends_nobody_else() {
        let tasks = Tasks::new(CancellationToken::new());
        tasks.spawn("short", |_| async { Ok::<_, String>(()) });
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(!tasks.shutdown().is_cancelled());
    }
}
